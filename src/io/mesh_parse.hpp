#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "carom/mesh_file.hpp"

/// The formats that number their vertices, parsed from memory. `name` is the file, for the errors
/// and for the name of an object that has none of its own. All throw Error that names the file
/// and the line (or, in binary files, the byte); read_mesh_file adds check_mesh.
namespace carom::io {

MeshFile parse_obj(std::string_view text, const std::string& name);
MeshFile parse_ply(std::span<const std::uint8_t> bytes, const std::string& name);
MeshFile parse_off(std::string_view text, const std::string& name);

/// The rest (STL, glTF, COLLADA, FBX), by way of assimp.
MeshFile import_with_assimp(const std::string& path);

/// Throws Error: bad_mesh if there is no triangle, bad_index, not_finite; names the file.
void check_mesh(const MeshFile& file, const std::string& name);

/// What a mesh is called that has no name in its file: the file's name without folder and extension.
std::string default_object_name(const std::string& name);

/// Splits a polygon into the fan around its first corner.
template <class Corners>
void add_fan(const Corners& corners, std::vector<Triangle>& triangles) {
  for (std::size_t i = 2; i < corners.size(); ++i) triangles.push_back({corners[0], corners[i - 1], corners[i]});
}

}  // namespace carom::io
