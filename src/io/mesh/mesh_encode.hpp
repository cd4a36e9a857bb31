#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "carom/mesh/mesh.hpp"
#include "io/byte_writer.hpp"

/// Mesh formats, encoded into memory.
namespace carom::io {

/// Triangles object by object. Without names the mesh is one object, which formats that can do without do not mention.
struct WrittenMesh {
  TriangleMesh mesh;
  std::vector<std::size_t> object_begin;  ///< first triangle of each object, and the number of triangles at the end
  std::vector<std::string> names;         ///< empty, or one for each object
  std::string default_name;               ///< of the object without a name

  std::size_t objects() const { return object_begin.size() - 1; }
  const std::string& name(std::size_t object) const { return names.empty() ? default_name : names[object]; }
};

ByteWriter encode_obj(const WrittenMesh& written);
ByteWriter encode_ply(const WrittenMesh& written);
ByteWriter encode_vtk(const WrittenMesh& written);
ByteWriter encode_stl(const WrittenMesh& written);
/// `file` names the file, for the errors: a coordinate may be beyond single precision.
ByteWriter encode_glb(const WrittenMesh& written, const std::string& file);
ByteWriter encode_gltf(const WrittenMesh& written, const std::string& file);

/// Names that every format can hold in one line, no two of them the same: control characters become '_', blanks at the
/// ends are dropped, an empty name becomes "object", a name that occurs again gets a number.
std::vector<std::string> names_to_write(const std::vector<std::string>& names);

}  // namespace carom::io
