#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "carom/core/error.hpp"
#include "io/mesh/mesh_parse.hpp"

namespace carom {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(i < 8 ? value >> (8 * i) & 0xff : 0);
}

std::string deflated(const std::string& text) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// An archive as printers' programs write it.
std::vector<std::uint8_t> zip(const Files& files, bool pack, std::uint64_t false_size = 0) {
  std::string out;
  std::string list;
  for (const auto& [name, text] : files) {
    const std::string data = pack ? deflated(text) : text;
    std::string common;
    put(common, 20, 2);
    put(common, 0, 2);
    put(common, pack ? 8 : 0, 2);
    put(common, 0, 4);
    put(common, crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())), 4);
    put(common, data.size(), 4);
    put(common, false_size != 0 ? false_size : text.size(), 4);
    put(common, name.size(), 2);
    put(common, 0, 2);
    const std::uint64_t offset = out.size();
    put(out, 0x04034b50, 4);
    out += common + name + data;
    put(list, 0x02014b50, 4);
    put(list, 20, 2);
    list += common;
    put(list, 0, 2 + 2 + 2 + 4);
    put(list, offset, 4);
    list += name;
  }
  const std::uint64_t start = out.size();
  out += list;
  put(out, 0x06054b50, 4);
  put(out, 0, 4);
  put(out, files.size(), 2);
  put(out, files.size(), 2);
  put(out, list.size(), 4);
  put(out, start, 4);
  put(out, 0, 2);
  return {out.begin(), out.end()};
}

const char* const tetrahedron =
    R"(<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="10" y="0" z="0"/><vertex x="0" y="10" z="0"/>
<vertex x="0" y="0" z="10"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/>
<triangle v1="1" v2="2" v3="3"/><triangle v1="0" v2="3" v3="2"/></triangles></mesh>)";

std::string model(const std::string& unit, const std::string& rest) {
  return "<?xml version=\"1.0\"?><model unit=\"" + unit + "\"><resources><object id=\"1\" name=\"tip\">" + tetrahedron +
         "</object>" + rest;
}

double volume_of(const MeshFile& file, Index object) {
  double volume = 0;
  for (std::size_t i = 0; i < file.mesh.triangles.size(); ++i) {
    if (file.object_of_triangle[i] != object) continue;
    const auto corner = [&](std::size_t k) {
      return file.mesh.positions[static_cast<std::size_t>(file.mesh.triangles[i][k])];
    };
    volume += corner(0).cross(corner(1)).dot(corner(2)) / 6;
  }
  return volume;
}

TEST(ThreeMf, ItemsComponentsAndUnits) {
  const std::string text = model("inch",
                                 R"(<object id="2" name="pair"><components><component objectid="1"/>
<component objectid="1" transform="-1 0 0 0 1 0 0 0 1 0 0 5"/></components></object></resources>
<build><item objectid="2" transform="2 0 0 0 2 0 0 0 2 100 0 0"/><item objectid="1"/></build></model>)");
  for (const bool pack : {false, true}) {
    const std::vector<std::uint8_t> bytes = zip({{"3D/3dmodel.model", text}}, pack);
    const MeshFile file = io::parse_3mf(bytes, "a.3mf", 0);
    EXPECT_EQ(file.object_names, (std::vector<std::string>{"pair/tip", "pair/tip (2)", "tip"}));
    EXPECT_EQ(file.unit, 0.0254);
    const double small = 10.0 * 10 * 10 / 6;
    EXPECT_NEAR(volume_of(file, 0), 8 * small, 1e-9);
    EXPECT_NEAR(volume_of(file, 1), 8 * small, 1e-9) << "mirrored, and turned the right side out again";
    EXPECT_NEAR(volume_of(file, 2), small, 1e-9);
    Eigen::Vector3d low = Eigen::Vector3d::Constant(INFINITY);
    for (std::size_t i = 0; i < file.mesh.triangles.size(); ++i) {
      if (file.object_of_triangle[i] == 1)
        for (const Index v : file.mesh.triangles[i])
          low = low.cwiseMin(file.mesh.positions[static_cast<std::size_t>(v)]);
    }
    EXPECT_NEAR((low - Eigen::Vector3d(80, 0, 10)).norm(), 0, 1e-12);
  }
}

TEST(ThreeMf, KeepsItsUnitWhateverIsAskedFor) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "carom_unit_test.3mf";
  const std::vector<std::uint8_t> bytes =
      zip({{"3D/3dmodel.model", model("inch", "</resources><build><item objectid=\"1\"/></build></model>")}}, false);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  const MeshFile file = read_mesh_file(path, {.unit = "mm"});
  std::filesystem::remove(path);
  EXPECT_EQ(file.unit, 0.0254);
  EXPECT_NEAR(volume_of(file, 0), std::pow(10 * 0.0254, 3) / 6, 1e-9);
}

TEST(ThreeMf, WhatLiesIsRefused) {
  const auto refused = [](const std::vector<std::uint8_t>& bytes, std::uint64_t max_triangles = 0) {
    EXPECT_THROW(io::parse_3mf(bytes, "a.3mf", max_triangles), Error);
  };
  const std::string build = "</resources><build><item objectid=\"1\"/></build></model>";
  const std::string good = model("millimeter", build);
  std::vector<std::uint8_t> bytes = zip({{"3D/3dmodel.model", good}}, true);
  EXPECT_EQ(io::parse_3mf(bytes, "a.3mf", 0).mesh.triangles.size(), 4U);
  refused(bytes, 3);
  refused({bytes.begin(), bytes.end() - 30});
  bytes[40 + 20] ^= 0x5a;
  refused(bytes);
  refused(zip({{"3D/3dmodel.model", good}}, true, 0xfffffff0));
  refused(zip({{"other", good}}, false));
  refused(zip({{"3D/3dmodel.model", model("millimeter", "</resources><build><item objectid=\"7\"/></build></model>")}},
              false));
  // Components that name themselves, and a tree of them that would unfold without end.
  refused(zip(
      {{"3D/3dmodel.model",
        "<model><resources><object id=\"1\"><components><component objectid=\"1\"/></components></object>" + build}},
      false));
  std::string tree = "<model><resources><object id=\"0\"/>";
  for (int i = 1; i < 30; ++i)
    tree += "<object id=\"" + std::to_string(i) + "\"><components><component objectid=\"" + std::to_string(i - 1) +
            "\"/><component objectid=\"" + std::to_string(i - 1) + "\"/></components></object>";
  refused(zip({{"3D/3dmodel.model", tree + "</resources><build><item objectid=\"29\"/></build></model>"}}, false));
}

}  // namespace
}  // namespace carom
