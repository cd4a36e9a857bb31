#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "carom/mesh.hpp"

namespace carom {

/// The triangles of a file, in the file's own order, over the file's own vertices wherever the
/// format has shared vertices (OBJ, PLY, OFF). Formats that repeat a vertex for each triangle
/// (STL) or for each seam have vertices at exactly the same position joined, numbered by first use.
struct MeshFile {
  TriangleMesh mesh;
  std::vector<Index> object_of_triangle;  ///< index into object_names
  std::vector<std::string> object_names;
};

/// The type is told from the extension. Polygons are split into fans. Throws Error that names the
/// file and, for text formats, the line.
MeshFile read_mesh_file(const std::filesystem::path& path);

/// .obj, .ply (binary, doubles) or .vtk (legacy, binary). Written under a temporary name and
/// renamed, so that there is never half a file. Coordinates survive bit for bit.
void write_mesh_file(const std::filesystem::path& path, const TriangleMesh& mesh);

/// Whether read_mesh_file knows the extension.
bool is_mesh_file(const std::filesystem::path& path);

}  // namespace carom
