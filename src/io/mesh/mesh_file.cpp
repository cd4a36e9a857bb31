#include "carom/io/mesh_file.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>

#include "core/check.hpp"
#include "io/file_bytes.hpp"
#include "io/frame_check.hpp"
#include "io/mesh/mesh_extension.hpp"
#include "io/mesh/mesh_parse.hpp"

namespace carom {

using namespace io;

namespace {

constexpr std::array<std::string_view, 13> readable{".obj", ".ply",  ".off", ".stl",  ".gltf", ".glb", ".dae",
                                                    ".fbx", ".step", ".stp", ".iges", ".igs",  ".3mf"};

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_cad(const std::string& extension) {
  return extension == ".step" || extension == ".stp" || extension == ".iges" || extension == ".igs";
}

/// Formats that always say their unit: `unit` is then that of other lengths, such as `chord`, and scales nothing.
bool has_own_unit(const std::string& extension) {
  return is_cad(extension) || extension == ".3mf";
}

MeshFile parse(const std::filesystem::path& path, const std::string& extension, const MeshReadOptions& options) {
  const std::string name = path.string();
  const std::uint64_t max_triangles = options.max_triangles;
  if (is_cad(extension)) {
    FileBytes{path};  // a file that cannot be opened is told in our words
    return import_cad(name, extension,
                      {.chord = options.chord * mesh_unit_length(options.unit), .max_triangles = max_triangles});
  }
  if (extension == ".fbx") return import_with_assimp(name, triangle_limit(max_triangles, FileBytes(path).size()));
  const std::vector<std::uint8_t> bytes = read_file(path);
  if (extension == ".3mf") return parse_3mf(bytes, name, max_triangles);
  if (extension == ".obj") return parse_obj(as_text(bytes), name);
  if (extension == ".ply") return parse_ply(bytes, name);
  if (extension == ".off") return parse_off(as_text(bytes), name);
  if (extension == ".stl") return parse_stl(bytes, name);
  if (extension == ".dae") return parse_collada(as_text(bytes), name, max_triangles);
  return parse_gltf(bytes, path, max_triangles);
}

}  // namespace

namespace io {

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

std::string readable_mesh_extensions() {
  return fmt::format("{}", fmt::join(readable, " "));
}

std::string default_object_name(const std::string& name) {
  return std::filesystem::path(name).stem().string();
}

void check_mesh(const MeshFile& file, const std::string& name) {
  require(!file.mesh.triangles.empty(), ErrorCode::bad_mesh, "{}: has no triangles", name);
  constexpr auto largest = static_cast<std::size_t>(std::numeric_limits<Index>::max());
  require(file.mesh.triangles.size() <= largest, ErrorCode::unsupported,
          "{}: {} triangles are more than an index can count", name, file.mesh.triangles.size());
  check_triangles(file.mesh.triangles, file.mesh.positions.size(), name);
  check_positions(file.mesh.positions, name);
}

}  // namespace io

bool is_mesh_file(const std::filesystem::path& path) {
  return std::find(readable.begin(), readable.end(), lower_extension(path)) != readable.end();
}

MeshFile read_mesh_file(const std::filesystem::path& path, const MeshReadOptions& options) {
  const std::string extension = lower_extension(path);
  require(is_mesh_file(path), ErrorCode::unknown_name, "{}: \"{}\" is not a mesh file this program reads; it reads {}",
          path.string(), extension, readable_mesh_extensions());
  check_read_options(options);
  try {
    MeshFile file = parse(path, extension, options);
    require(options.max_triangles == 0 || file.mesh.triangles.size() <= options.max_triangles, ErrorCode::unsupported,
            "{}: has {} triangles, more than max_triangles, which is {}", path.string(), file.mesh.triangles.size(),
            options.max_triangles);
    MeshReadOptions applied = options;
    if (has_own_unit(extension)) applied.unit = "file";
    apply_read_options(file, applied);
    check_mesh(file, path.string());
    if (options.weld >= 0) weld_objects(file, options.weld * mesh_unit_length(options.unit));
    require(!file.mesh.triangles.empty(), ErrorCode::bad_mesh,
            "{}: has no triangles once vertices within {} m are joined", path.string(), options.weld);
    return file;
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::io, "{}: there is not enough memory to read it", path.string());
  }
}

}  // namespace carom
