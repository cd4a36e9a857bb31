#include <algorithm>
#include <numeric>

#include "carom/io/mesh_file.hpp"
#include "core/check.hpp"
#include "io/file_writer.hpp"
#include "io/frame_check.hpp"
#include "io/mesh/mesh_encode.hpp"
#include "io/mesh/mesh_extension.hpp"
#include "io/mesh/mesh_parse.hpp"

namespace carom {

using namespace io;

namespace {

void write_encoded(const std::filesystem::path& path, const WrittenMesh& written) {
  const std::string name = path.string();
  const std::string extension = lower_extension(path);
  if (extension == ".obj") return write_file(path, encode_obj(written).bytes());
  if (extension == ".ply") return write_file(path, encode_ply(written).bytes());
  if (extension == ".vtk") return write_file(path, encode_vtk(written).bytes());
  if (extension == ".stl") return write_file(path, encode_stl(written).bytes());
  if (extension == ".gltf") return write_file(path, encode_gltf(written, name).bytes());
  if (extension == ".glb") return write_file(path, encode_glb(written, name).bytes());
  fail(ErrorCode::unknown_name,
       "{}: \"{}\" is not a mesh file this program writes; it writes .obj .ply .vtk .stl .gltf .glb", name, extension);
}

void check_written(const TriangleMesh& mesh, const std::string& name) {
  check_triangles(mesh.triangles, mesh.positions.size(), name);
  check_positions(mesh.positions, name);
}

}  // namespace

void write_mesh_file(const std::filesystem::path& path, const TriangleMesh& mesh) {
  const std::string name = path.string();
  check_written(mesh, name);
  WrittenMesh written;
  written.mesh = mesh;
  written.object_begin.push_back(0);
  if (!mesh.triangles.empty()) written.object_begin.push_back(mesh.triangles.size());
  written.default_name = default_object_name(name);
  write_encoded(path, written);
}

void write_mesh_file(const std::filesystem::path& path, const MeshFile& file) {
  const std::string name = path.string();
  check_written(file.mesh, name);
  require(file.object_of_triangle.size() == file.mesh.triangles.size(), ErrorCode::invalid_argument,
          "{}: {} triangles, but {} object numbers", name, file.mesh.triangles.size(), file.object_of_triangle.size());
  for (std::size_t i = 0; i < file.object_of_triangle.size(); ++i) {
    const Index object = file.object_of_triangle[i];
    require(object >= 0 && static_cast<std::size_t>(object) < file.object_names.size(), ErrorCode::bad_index,
            "{}: triangle {} is of object {}, but there are {} names", name, i, object, file.object_names.size());
  }
  std::vector<std::size_t> order(file.mesh.triangles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return file.object_of_triangle[left] < file.object_of_triangle[right];
  });
  WrittenMesh written;
  written.mesh.positions = file.mesh.positions;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Index object = file.object_of_triangle[order[i]];
    if (i == 0 || object != file.object_of_triangle[order[i - 1]]) {
      written.object_begin.push_back(i);
      names.push_back(file.object_names[static_cast<std::size_t>(object)]);
    }
    written.mesh.triangles.push_back(file.mesh.triangles[order[i]]);
  }
  written.object_begin.push_back(order.size());  // without triangles there is no object
  written.names = names_to_write(names);
  write_encoded(path, written);
}

}  // namespace carom
