#include "io/mesh/mesh_encode.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <iterator>
#include <map>
#include <set>

namespace carom::io {

namespace {

std::span<const std::uint8_t> as_bytes(const fmt::memory_buffer& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

ByteWriter to_bytes(const fmt::memory_buffer& text) {
  ByteWriter bytes;
  bytes.put(as_bytes(text));
  return bytes;
}

/// A string as legacy VTK has it in binary files: its length in 1, 2 or 4 bytes, whose upper two bits tell how many.
void put_vtk_string(const std::string& text, ByteWriter& out) {
  if (text.size() < 1U << 6U) {
    out.put(static_cast<std::uint8_t>(0xc0U | text.size()));
  } else if (text.size() < 1U << 14U) {
    store_big(static_cast<std::uint16_t>(0x8000U | text.size()), out.extend(2));
  } else {
    store_big(static_cast<std::uint32_t>(0x40000000U | text.size()), out.extend(4));
  }
  out.put(std::string_view(text));
}

}  // namespace

std::vector<std::string> names_to_write(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  std::set<std::string> taken;
  std::map<std::string, int> numbers;  // the last one tried of each name
  for (std::string name : names) {
    for (char& c : name) {
      if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '_';
    }
    const std::size_t begin = name.find_first_not_of(' ');
    name = begin == std::string::npos ? "object" : name.substr(begin, name.find_last_not_of(' ') + 1 - begin);
    if (name.back() == '\\') name.back() = '_';  // OBJ would join the line with the next one
    int& number = numbers.try_emplace(name, 1).first->second;
    std::string unique = name;
    while (!taken.insert(unique).second) unique = fmt::format("{} ({})", name, ++number);
    result.push_back(std::move(unique));
  }
  return result;
}

/// `{}` gives the shortest decimal that reads back as the same double.
ByteWriter encode_obj(const WrittenMesh& written) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (const Eigen::Vector3d& p : written.mesh.positions) fmt::format_to(out, "v {} {} {}\n", p.x(), p.y(), p.z());
  for (std::size_t object = 0; object < written.objects(); ++object) {
    if (!written.names.empty()) fmt::format_to(out, "o {}\n", written.names[object]);
    for (std::size_t i = written.object_begin[object]; i < written.object_begin[object + 1]; ++i) {
      const Triangle& t = written.mesh.triangles[i];
      fmt::format_to(out, "f {} {} {}\n", t[0] + 1L, t[1] + 1L, t[2] + 1L);
    }
  }
  return to_bytes(text);
}

ByteWriter encode_ply(const WrittenMesh& written) {
  fmt::memory_buffer head;
  const auto text = std::back_inserter(head);
  fmt::format_to(text, "ply\nformat binary_little_endian 1.0\n");
  for (std::size_t i = 0; i < written.names.size(); ++i)
    fmt::format_to(text, "comment object {} {}\n", i, written.names[i]);
  fmt::format_to(text,
                 "element vertex {}\n"
                 "property double x\n"
                 "property double y\n"
                 "property double z\n"
                 "element face {}\n"
                 "property list uchar int vertex_indices\n"
                 "{}end_header\n",
                 written.mesh.positions.size(), written.mesh.triangles.size(),
                 written.names.empty() ? "" : "property int object\n");
  ByteWriter out = to_bytes(head);
  out.put_items(std::span<const Eigen::Vector3d>(written.mesh.positions));
  for (std::size_t object = 0; object < written.objects(); ++object) {
    for (std::size_t i = written.object_begin[object]; i < written.object_begin[object + 1]; ++i) {
      out.put(std::uint8_t{3});
      out.put_items(std::span<const Index>(written.mesh.triangles[i]));
      if (!written.names.empty()) out.put(static_cast<Index>(object));
    }
  }
  return out;
}

ByteWriter encode_vtk(const WrittenMesh& written) {
  const TriangleMesh& mesh = written.mesh;
  ByteWriter out;
  out.put(std::string_view("# vtk DataFile Version 3.0\ncarom\nBINARY\nDATASET POLYDATA\n"));
  if (!written.names.empty()) {
    out.put(std::string_view(fmt::format("FIELD FieldData 1\nobject_names 1 {} string\n", written.names.size())));
    for (const std::string& name : written.names) put_vtk_string(name, out);
    out.put(std::string_view("\n"));
  }
  out.put(std::string_view(fmt::format("POINTS {} double\n", mesh.positions.size())));
  for (const Eigen::Vector3d& position : mesh.positions) {
    for (const double x : position) store_big(x, out.extend(sizeof x));
  }
  out.put(std::string_view(fmt::format("\nPOLYGONS {} {}\n", mesh.triangles.size(), 4 * mesh.triangles.size())));
  for (const Triangle& triangle : mesh.triangles) {
    store_big(Index{3}, out.extend(sizeof(Index)));
    for (const Index corner : triangle) store_big(corner, out.extend(sizeof corner));
  }
  out.put(std::string_view("\n"));
  if (written.names.empty()) return out;
  out.put(std::string_view(
      fmt::format("CELL_DATA {}\nSCALARS object int 1\nLOOKUP_TABLE default\n", mesh.triangles.size())));
  for (std::size_t object = 0; object < written.objects(); ++object) {
    for (std::size_t i = written.object_begin[object]; i < written.object_begin[object + 1]; ++i)
      store_big(static_cast<Index>(object), out.extend(sizeof(Index)));
  }
  out.put(std::string_view("\n"));
  return out;
}

/// Text, because binary STL has neither names nor more than one object.
ByteWriter encode_stl(const WrittenMesh& written) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (std::size_t object = 0; object < written.objects(); ++object) {
    fmt::format_to(out, "solid {}\n", written.name(object));
    for (std::size_t i = written.object_begin[object]; i < written.object_begin[object + 1]; ++i) {
      std::array<Eigen::Vector3d, 3> p;
      for (std::size_t k = 0; k < 3; ++k)
        p[k] = written.mesh.positions[static_cast<std::size_t>(written.mesh.triangles[i][k])];
      const Eigen::Vector3d normal = (p[1] - p[0]).cross(p[2] - p[0]).stableNormalized();
      const Eigen::Vector3f n = normal.allFinite() ? Eigen::Vector3f(normal.cast<float>()) : Eigen::Vector3f::Zero();
      fmt::format_to(out, "facet normal {} {} {}\nouter loop\n", n.x(), n.y(), n.z());
      for (const Eigen::Vector3d& corner : p)
        fmt::format_to(out, "vertex {} {} {}\n", corner.x(), corner.y(), corner.z());
      fmt::format_to(out, "endloop\nendfacet\n");
    }
    fmt::format_to(out, "endsolid {}\n", written.name(object));
  }
  return to_bytes(text);
}

}  // namespace carom::io
