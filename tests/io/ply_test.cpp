#include <gtest/gtest.h>

#include "io/byte_writer.hpp"
#include "io/mesh/mesh_parse.hpp"
#include "temp_folder.hpp"

namespace carom::test {
namespace {

using io::check_mesh;
using io::parse_ply;
using Triangles = std::vector<Triangle>;

MeshFile parse(std::string_view text) {
  return parse_ply({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "a.ply");
}

void refuse(std::string_view text, ErrorCode code, std::vector<std::string> parts) {
  parts.push_back("a.ply");
  expect_error(code, parts, [&] { check_mesh(parse(text), "a.ply"); });
}

const std::string ascii_head =
    "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 3\nproperty float x\nproperty double y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";

TEST(Ply, Ascii) {
  const MeshFile file = parse(ascii_head + "0 0.1 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  EXPECT_EQ(file.mesh.positions[0], Eigen::Vector3d(0, 0.1, 0));
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}}));
  EXPECT_EQ(file.object_names, std::vector<std::string>{"a"});
}

TEST(Ply, AsciiWithoutANewlineAtTheEndAndWithCarriageReturns) {
  std::string text = ascii_head + "0 0.1 0\n1 0 0\n0 1 0\n3 0 1 2";
  EXPECT_EQ(parse(text).mesh.triangles.size(), 1u);
  for (std::size_t i = 0; (i = text.find('\n', i)) != std::string::npos; i += 2) text.replace(i, 1, "\r\n");
  EXPECT_EQ(parse(text).mesh.triangles.size(), 1u);
}

TEST(Ply, ExtraPropertiesAndElementsArePassedOver) {
  const MeshFile file = parse(
      "ply\nformat ascii 1.0\nobj_info x\nelement camera 1\nproperty float f\nproperty list int float k\n"
      "element vertex 3\nproperty uchar red\nproperty float z\nproperty list uchar short extra\nproperty float y\n"
      "property float x\nelement edge 2\nproperty int a\nelement face 2\nproperty list uint8 uint32 vertex_index\n"
      "property float quality\nend_header\n"
      "1.5 2 7 8\n255 3 0 2 1\n0 6 2 9 9 5 4\n0 0 1 3 0 1\n1\n2\n3 0 1 2 0.5\n4 0 1 2 0 1\n");
  EXPECT_EQ(file.mesh.positions[0], Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(file.mesh.positions[1], Eigen::Vector3d(4, 5, 6));
  EXPECT_EQ(file.mesh.positions[2], Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(file.mesh.triangles, (Triangles{{0, 1, 2}, {0, 1, 2}, {0, 2, 0}}));
}

TEST(Ply, TriangleStrips) {
  const std::string head =
      "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
      "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
      "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n";
  // Every other triangle is turned round, -1 begins a new strip, a repeated corner only joins.
  EXPECT_EQ(parse(head + "12 0 1 2 3 -1 1 4 3 3 2 -1 0\n").mesh.triangles,
            (Triangles{{0, 1, 2}, {2, 1, 3}, {1, 4, 3}}));
  refuse(head + "4 0 1 2 -2\n", ErrorCode::bad_index, {"tristrips 0", "vertex -2"});
  refuse(head + "4 0 1 2 5\n", ErrorCode::bad_index, {"5"});
  refuse(head + "2 0 1\n", ErrorCode::bad_mesh, {"no triangles"});
  // As scans have them: binary, the most significant byte first.
  std::string text =
      "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "element tristrips 1\nproperty list int int vertex_indices\nend_header\n";
  io::ByteWriter bytes;
  for (const float x : {0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, 0.F}) io::store_big(x, bytes.extend(4));
  for (const int i : {4, 0, 1, 2, -1}) io::store_big(i, bytes.extend(4));
  text.append(reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size());
  EXPECT_EQ(parse(text).mesh.triangles, (Triangles{{0, 1, 2}}));
}

TEST(Ply, ObjectsOfFacesWithNamesInComments) {
  const std::string vertices = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 1\n0 1 1\n";
  const auto head = [](const std::string& comments) {
    return "ply\nformat ascii 1.0\n" + comments +
           "element vertex 6\nproperty float x\nproperty float y\nproperty float z\nelement face 2\n"
           "property int object\nproperty list uchar int vertex_indices\nend_header\n";
  };
  const std::string names = "comment object 7 left wheel\ncomment object of art\ncomment object 9 lid\n";
  const MeshFile file = parse(head(names) + vertices + "9 3 0 1 2\n7 3 3 4 5\n");
  EXPECT_EQ(file.object_names, (std::vector<std::string>{"lid", "left wheel"})) << "numbered by first triangle";
  EXPECT_EQ(file.object_of_triangle, (std::vector<Index>{0, 1}));
  EXPECT_EQ(parse(head(names) + vertices + "9 3 0 1 2\n7 3 0 4 5\n").object_names.size(), 1u) << "they share a vertex";
  EXPECT_EQ(parse(head("") + vertices + "9 3 0 1 2\n7 3 3 4 5\n").object_names, std::vector<std::string>{"a"})
      << "a property of that name alone says nothing";
  refuse(head(names) + vertices + "9 3 0 1 2\n8 3 3 4 5\n", ErrorCode::bad_index, {"face 1", "object 8"});
}

template <bool big>
std::string binary() {
  std::string text = "ply\nformat binary_";
  text += big ? "big" : "little";
  text +=
      "_endian 1.0\nelement vertex 3\nproperty double x\nproperty float y\nproperty short z\nproperty uchar red\n"
      "element face 1\nproperty uchar flag\nproperty list int ushort vertex_indices\nend_header\n";
  io::ByteWriter out;
  const auto put = [&](auto value) {
    std::uint8_t* at = out.extend(sizeof value);
    if (big) {
      io::store_big(value, at);
    } else {
      io::store_little(value, at);
    }
  };
  for (const double x : {0.1, 0.2, 0.3}) {
    put(x);
    put(0.5f);
    put(std::int16_t{-2});
    put(std::uint8_t{10});
  }
  put(std::uint8_t{1});
  put(std::int32_t{3});
  for (const std::uint16_t corner : {2, 1, 0}) put(corner);
  return text + std::string(out.bytes().begin(), out.bytes().end());
}

TEST(Ply, Binary) {
  for (const std::string& text : {binary<false>(), binary<true>()}) {
    const MeshFile file = parse(text);
    ASSERT_EQ(file.mesh.positions.size(), 3u);
    EXPECT_EQ(file.mesh.positions[1], Eigen::Vector3d(0.2, 0.5, -2));
    EXPECT_EQ(file.mesh.triangles, (Triangles{{2, 1, 0}}));
  }
}

TEST(Ply, BinaryCutAnywhereIsRefused) {
  const std::string whole = binary<true>();
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_THROW(parse(whole.substr(0, size)), Error) << size;
}

TEST(Ply, Errors) {
  refuse("", ErrorCode::bad_format, {"line 1", "ply"});
  refuse("ply\nformat ascii 2.0\n", ErrorCode::bad_format, {"line 2", "1.0", "\"2.0\""});
  refuse("ply\nformat utf8 1.0\n", ErrorCode::bad_format, {"line 2", "ascii", "\"utf8\""});
  refuse("ply\nproperty int x\n", ErrorCode::bad_format, {"line 2", "element"});
  refuse("ply\nelement vertex many\n", ErrorCode::bad_format, {"line 2", "\"many\""});
  refuse("ply\nelement vertex 1\nproperty real x\n", ErrorCode::bad_format, {"line 3", "type", "\"real\""});
  refuse("ply\nelement face 1\nproperty list float int vertex_indices\n", ErrorCode::bad_format, {"line 3", "float"});
  refuse("ply\nelement vertex 0\nend_header\n", ErrorCode::bad_format, {"line 3", "format"});
  refuse("ply\nformat ascii 1.0\n", ErrorCode::bad_format, {"end_header"});
  refuse("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n",
         ErrorCode::bad_format, {"property z"});
  refuse(ascii_head + "0 0 0\n1 0 0\n0 one 0\n3 0 1 2\n", ErrorCode::bad_format, {"line 13", "\"one\""});
  refuse(ascii_head + "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", ErrorCode::bad_format, {"line 14", "2 corners"});
  refuse(ascii_head + "0 0 0\n1 0 0\n0 1 0\n-3 0 1\n", ErrorCode::bad_format, {"line 14", "-3"});
  refuse(ascii_head + "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", ErrorCode::bad_index, {"triangle 0", "vertex 3"});
  refuse(ascii_head + "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", ErrorCode::bad_index, {"face 0", "vertex -1"});
  refuse(ascii_head + "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", ErrorCode::not_finite, {"vertex 1"});
  refuse(ascii_head + "0 0 0\n1 0 0\n0 1 0\n3 0 1", ErrorCode::bad_format, {"line 14", "file ends"});
  refuse("ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
         ErrorCode::bad_mesh, {"no triangles"});
}

TEST(Ply, CountsThatLieAllocateNothing) {
  const std::string properties = "property float x\nproperty float y\nproperty float z\nend_header\n";
  refuse("ply\nformat binary_little_endian 1.0\nelement vertex 2000000000\n" + properties, ErrorCode::truncated,
         {"2000000000"});
  refuse("ply\nformat ascii 1.0\nelement vertex 2000000000\n" + properties, ErrorCode::truncated, {"2000000000"});
  refuse("ply\nformat ascii 1.0\nelement vertex 18446744073709551615\n" + properties, ErrorCode::unsupported,
         {"index"});
  refuse("ply\nformat ascii 1.0\nelement nothing 2000000000\nend_header\n", ErrorCode::bad_mesh, {"no triangles"});
}

}  // namespace
}  // namespace carom::test
