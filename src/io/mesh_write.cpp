#include <iterator>
#include <limits>

#include "carom/mesh_file.hpp"
#include "core/check.hpp"
#include "io/byte_writer.hpp"
#include "io/file_writer.hpp"
#include "io/frame_check.hpp"
#include "io/mesh_extension.hpp"

namespace carom {

using namespace io;

namespace {

std::span<const std::uint8_t> as_bytes(const fmt::memory_buffer& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// `{}` gives the shortest decimal that reads back as the same double.
ByteWriter encode_obj(const TriangleMesh& mesh) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (const Eigen::Vector3d& p : mesh.positions) fmt::format_to(out, "v {} {} {}\n", p.x(), p.y(), p.z());
  for (const Triangle& t : mesh.triangles) fmt::format_to(out, "f {} {} {}\n", t[0] + 1L, t[1] + 1L, t[2] + 1L);
  ByteWriter bytes;
  bytes.put(as_bytes(text));
  return bytes;
}

ByteWriter encode_ply(const TriangleMesh& mesh) {
  ByteWriter out;
  out.put(
      std::string_view(fmt::format("ply\n"
                                   "format binary_little_endian 1.0\n"
                                   "element vertex {}\n"
                                   "property double x\n"
                                   "property double y\n"
                                   "property double z\n"
                                   "element face {}\n"
                                   "property list uchar int vertex_indices\n"
                                   "end_header\n",
                                   mesh.positions.size(), mesh.triangles.size())));
  out.put_items(std::span<const Eigen::Vector3d>(mesh.positions));
  for (const Triangle& triangle : mesh.triangles) {
    out.put(std::uint8_t{3});
    out.put_items(std::span<const Index>(triangle));
  }
  return out;
}

ByteWriter encode_vtk(const TriangleMesh& mesh) {
  ByteWriter out;
  out.put(
      std::string_view(fmt::format("# vtk DataFile Version 3.0\n"
                                   "carom\n"
                                   "BINARY\n"
                                   "DATASET POLYDATA\n"
                                   "POINTS {} double\n",
                                   mesh.positions.size())));
  for (const Eigen::Vector3d& position : mesh.positions) {
    for (const double x : position) store_big(x, out.extend(sizeof x));
  }
  out.put(std::string_view(fmt::format("\nPOLYGONS {} {}\n", mesh.triangles.size(), 4 * mesh.triangles.size())));
  for (const Triangle& triangle : mesh.triangles) {
    store_big(Index{3}, out.extend(sizeof(Index)));
    for (const Index corner : triangle) store_big(corner, out.extend(sizeof corner));
  }
  out.put(std::string_view("\n"));
  return out;
}

}  // namespace

void write_mesh_file(const std::filesystem::path& path, const TriangleMesh& mesh) {
  const std::string name = path.string();
  check_triangles(mesh.triangles, mesh.positions.size(), name);
  check_positions(mesh.positions, name);
  const std::string extension = lower_extension(path);
  if (extension == ".obj") return write_file(path, encode_obj(mesh).bytes());
  if (extension == ".ply") return write_file(path, encode_ply(mesh).bytes());
  if (extension == ".vtk") return write_file(path, encode_vtk(mesh).bytes());
  fail(ErrorCode::unknown_name, "{}: \"{}\" is not a mesh file this program writes; it writes .obj .ply .vtk", name,
       extension);
}

}  // namespace carom
