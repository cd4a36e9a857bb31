#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "carom/io/mesh_file.hpp"

/// Mesh formats, parsed from memory. `name` is the file, for the errors and for the name of an object that has none of
/// its own. `max_triangles` is that of MeshReadOptions. All throw Error that names the file and the
/// line (or, in binary files, the byte); read_mesh_file adds check_mesh. Coordinates are as in the file: unit and up
/// axis are told, not applied.
namespace carom::io {

MeshFile parse_obj(std::string_view text, const std::string& name);
MeshFile parse_ply(std::span<const std::uint8_t> bytes, const std::string& name);
MeshFile parse_off(std::string_view text, const std::string& name);
MeshFile parse_stl(std::span<const std::uint8_t> bytes, const std::string& name);
MeshFile parse_collada(std::string_view text, const std::string& name, std::uint64_t max_triangles);
/// .gltf and .glb, with the buffers that they name beside them. Throws Error(unsupported) that names the extension if
/// geometry is in one that is not known.
MeshFile parse_gltf(std::span<const std::uint8_t> bytes, const std::filesystem::path& path,
                    std::uint64_t max_triangles);
/// FBX, glTF of version 1 and glTF compressed by Draco.
MeshFile import_with_assimp(const std::string& path, std::uint64_t max_triangles);

/// 3MF, the format of printing: each object of each item of the build is an object.
MeshFile parse_3mf(std::span<const std::uint8_t> bytes, const std::string& name, std::uint64_t max_triangles);

struct CadOptions {
  double chord = 0;                 ///< m, as MeshReadOptions::chord; 0 = a thousandth of each part
  std::uint64_t max_triangles = 0;  ///< as MeshReadOptions::max_triangles
};
/// Whether this build reads STEP and IGES: src/io/cad does, where OpenCASCADE is installed.
bool has_cad();
/// STEP (.step, .stp) or IGES (.iges, .igs): each solid, or loose shell or face, of each instance is an object; its
/// name is the path in the tree of the assembly, such as "gearbox/shaft (2)". Coordinates are in metres.
MeshFile import_cad(const std::string& path, const std::string& extension, const CadOptions& options);

/// MeshReadOptions::max_triangles, or what 0 stands for in a file of so many bytes.
constexpr std::uint64_t triangle_limit(std::uint64_t max_triangles, std::uint64_t bytes) {
  constexpr std::uint64_t always = 4'000'000;
  return max_triangles != 0 ? max_triangles : bytes > always ? bytes : always;
}

/// Throws Error: bad_mesh if there is no triangle, bad_index, not_finite; names the file.
void check_mesh(const MeshFile& file, const std::string& name);

/// Throws Error that names the option.
void check_read_options(const MeshReadOptions& options);
/// Turns and scales what was parsed. The options are those that check_read_options takes.
void apply_read_options(MeshFile& file, const MeshReadOptions& options);

/// Joins near vertices of each object, as MeshReadOptions::weld says; triangles are sorted by object.
void weld_objects(MeshFile& file, double distance);

/// Name of a mesh that has none in its file: the file's name without folder and extension.
std::string default_object_name(const std::string& name);

/// Splits a polygon into the fan around its first corner.
template <class Corners>
void add_fan(const Corners& corners, std::vector<Triangle>& triangles) {
  for (std::size_t i = 2; i < corners.size(); ++i) triangles.push_back({corners[0], corners[i - 1], corners[i]});
}

/// Triangles of a strip: each corner makes one with the two before it. Those with a repeated corner only join strips.
template <class Corners>
void add_strip(const Corners& corners, std::vector<Triangle>& triangles) {
  for (std::size_t i = 2; i < corners.size(); ++i) {
    const bool even = i % 2 == 0;
    const Triangle triangle{corners[even ? i - 2 : i - 1], corners[even ? i - 1 : i - 2], corners[i]};
    if (triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0])
      triangles.push_back(triangle);
  }
}

/// Makes objects that share a vertex one, under the name of the first, and numbers them by their first triangle: a
/// vertex belongs to one object.
void join_objects(MeshFile& file);

}  // namespace carom::io
