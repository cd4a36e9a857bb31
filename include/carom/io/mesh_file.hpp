#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "carom/io/mesh_read_options.hpp"
#include "carom/mesh/mesh.hpp"

namespace carom {

/// Source of the up axis or of the unit of a mesh file.
enum class ToldBy {
  nothing,  ///< neither the file nor its format has it
  format,   ///< the same for all files of the format
  file,
  option,  ///< MeshReadOptions
};
std::string_view to_string(ToldBy source);

/// The triangles of a file, in the file's own order, over the file's own vertices wherever the
/// format has shared vertices (OBJ, PLY, OFF). Formats that repeat a vertex for each triangle
/// (STL) or for each seam have vertices at exactly the same position joined, numbered by first use.
struct MeshFile {
  TriangleMesh mesh;                      ///< m
  std::vector<Index> object_of_triangle;  ///< index into object_names
  std::vector<std::string> object_names;
  std::string up{};                       ///< axis of the file that points up, such as "-z"; empty if nothing tells it
  ToldBy up_told_by = ToldBy::nothing;    ///< source of `up`
  bool turned = false;                    ///< whether `up` was turned to y
  double unit = 1;                        ///< metres of one unit of the file, by which coordinates were multiplied
  ToldBy unit_told_by = ToldBy::nothing;  ///< source of `unit`
  /// m: no point of a curved face of a CAD file is farther from its triangles; 0 where the file itself is triangles.
  double chord_error = 0;
  /// Colors of the objects, red, green and blue from 0 to 1; negative where the file has none. May be empty.
  std::vector<Eigen::Vector3f> object_colors{};
  /// Faces of each object that are missing, as OpenCASCADE could not cut them into triangles. Empty if none are.
  std::vector<std::size_t> lost_faces{};
};

/// The type is told from the extension. Polygons are split into fans. Throws Error that names the
/// file and, for text formats, the line.
MeshFile read_mesh_file(const std::filesystem::path& path, const MeshReadOptions& options = {});

/// .obj, .ply (binary, doubles), .vtk (legacy, binary), .stl (text), .gltf or .glb (single precision). Written under a
/// temporary name and renamed, so that there is never half a file. Coordinates survive bit for bit, in glTF as the
/// nearest float.
void write_mesh_file(const std::filesystem::path& path, const TriangleMesh& mesh);

/// Writes a mesh with objects and their names, object by object. Names are changed where a format cannot hold them:
/// control characters become '_', blanks at the ends are dropped, a name that occurs again gets a number. Only mesh,
/// object_of_triangle and object_names are used. Throws Error if a triangle has no object.
void write_mesh_file(const std::filesystem::path& path, const MeshFile& file);

/// Whether read_mesh_file knows the extension.
bool is_mesh_file(const std::filesystem::path& path);

}  // namespace carom
