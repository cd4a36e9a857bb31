#include "assembly.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

#include "carom/io/mesh_file.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "core/disjoint_sets.hpp"

namespace carom::app {
namespace {

/// The connected piece of each triangle, in the order of their first triangles.
std::vector<Index> pieces_of(const TriangleMesh& mesh) {
  std::vector<Index> by_place(mesh.positions.size());
  std::iota(by_place.begin(), by_place.end(), Index{0});
  const auto key = [&](Index v) {
    const Eigen::Vector3d& p = mesh.positions[at(v)];
    return std::array<double, 3>{p.x(), p.y(), p.z()};
  };
  std::sort(by_place.begin(), by_place.end(), [&](Index left, Index right) {
    const auto a = key(left), b = key(right);
    return a != b ? a < b : left < right;
  });
  DisjointSets sets(mesh.positions.size());
  for (std::size_t i = 1; i < by_place.size(); ++i) {
    if (key(by_place[i]) == key(by_place[i - 1])) sets.merge(by_place[i], by_place[i - 1]);
  }
  for (const Triangle& t : mesh.triangles) {
    sets.merge(t[0], t[1]);
    sets.merge(t[0], t[2]);
  }
  std::map<Index, Index> number;
  std::vector<Index> pieces;
  for (const Triangle& t : mesh.triangles)
    pieces.push_back(number.try_emplace(sets.find(t[0]), static_cast<Index>(number.size())).first->second);
  return pieces;
}

/// The triangles of each part, over the vertices they use.
std::vector<TriangleMesh> cut(const TriangleMesh& mesh, std::span<const Index> part_of_triangle) {
  std::vector<TriangleMesh> parts;
  std::vector<std::map<Index, Index>> renamed;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const std::size_t part = at(part_of_triangle[i]);
    if (part >= parts.size()) {
      parts.resize(part + 1);
      renamed.resize(part + 1);
    }
    Triangle t{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Index v = mesh.triangles[i][k];
      const auto [entry, fresh] = renamed[part].try_emplace(v, static_cast<Index>(parts[part].positions.size()));
      if (fresh) parts[part].positions.push_back(mesh.positions[at(v)]);
      t[k] = entry->second;
    }
    parts[part].triangles.push_back(t);
  }
  return parts;
}

/// Formats whose objects are parts: those of CAD and of printing.
bool is_assembly(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension == ".step" || extension == ".stp" || extension == ".iges" || extension == ".igs" ||
         extension == ".3mf";
}

}  // namespace

std::vector<AssemblyPart> read_parts(const std::string& file, bool split, const MeshReadOptions& options) {
  MeshFile read = read_mesh_file(file, options);
  require(!read.mesh.triangles.empty(), ErrorCode::unsupported, "{}: has no triangles", file);
  for (std::size_t v = 0; v < read.mesh.positions.size(); ++v)
    require(is_finite(read.mesh.positions[v]), ErrorCode::not_finite, "{}: vertex {} is not finite", file, v);
  const std::string name = std::filesystem::path(file).filename().string();
  const auto lost = [&](std::size_t object) { return object < read.lost_faces.size() ? read.lost_faces[object] : 0; };
  std::vector<AssemblyPart> parts;
  const bool by_object = read.object_names.size() > 1;
  // A solid stays one part, however many surfaces it has: those of its cavities are pieces of their own.
  if (!split && !(is_assembly(file) && by_object)) {
    parts.push_back({name, std::move(read.mesh), read.chord_error, lost(0)});
    return parts;
  }
  std::vector<TriangleMesh> meshes = cut(read.mesh, by_object ? read.object_of_triangle : pieces_of(read.mesh));
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    if (meshes[i].triangles.empty()) continue;  // an object without any
    const bool named = by_object && !read.object_names[i].empty();
    parts.push_back({named ? name + ":" + read.object_names[i] : fmt::format("{}#{}", name, i + 1),
                     std::move(meshes[i]), read.chord_error, lost(by_object ? i : 0)});
  }
  return parts;
}

void number_equal_names(std::vector<AssemblyPart>& parts) {
  std::map<std::string, int> seen;
  for (const AssemblyPart& part : parts) ++seen[part.name];
  std::map<std::string, int> number;
  for (AssemblyPart& part : parts) {
    if (seen[part.name] > 1) part.name = fmt::format("{} ({})", part.name, ++number[part.name]);
  }
}

}  // namespace carom::app
