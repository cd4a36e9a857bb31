#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "carom/core/error.hpp"
#include "carom/query/clash.hpp"
#include "io/mesh/mesh_parse.hpp"

/// What `carom check --self` does with a file: parts of whatever it holds, and their clashes.
namespace {

constexpr std::uint64_t max_triangles = 600;
constexpr std::size_t max_parts = 6;

void check(const carom::MeshFile& file) {
  carom::io::check_mesh(file, "fuzz");
  std::vector<carom::TriangleMesh> meshes(std::min(file.object_names.size(), max_parts));
  for (std::size_t i = 0; i < file.mesh.triangles.size() && i < max_triangles; ++i) {
    const auto object = static_cast<std::size_t>(file.object_of_triangle[i]);
    if (object >= meshes.size()) continue;
    carom::TriangleMesh& part = meshes[object];
    const auto first = static_cast<carom::Index>(part.positions.size());
    for (const carom::Index v : file.mesh.triangles[i])
      part.positions.push_back(file.mesh.positions[static_cast<std::size_t>(v)]);
    part.triangles.push_back({first, first + 1, first + 2});
  }
  std::vector<carom::Shape::Part> parts;
  for (const carom::TriangleMesh& mesh : meshes) {
    if (!mesh.triangles.empty()) parts.push_back({carom::Shape::mesh(mesh, {.solid = carom::MeshSolid::inside})});
  }
  if (parts.empty()) return;
  if (parts.size() == 1) parts.push_back(parts.front());
  for (const carom::Clash& clash : find_clashes(parts, {.threads = 1})) {
    if (std::isnan(clash.distance)) std::abort();
    for (const carom::ClashRegion& region : clash.regions) {
      if (!(region.depth >= 0) || !(region.error >= 0)) std::abort();
      if (std::isfinite(region.volume) && !(region.volume_error >= 0)) std::abort();
    }
  }
}

template <class Parse>
void try_format(Parse parse) {
  try {
    check(parse());
  } catch (const carom::Error&) {
    // Refusing is right; crashing, hanging and running out of memory are not.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(data, size);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_format([&] { return carom::io::parse_collada(text, "fuzz", max_triangles); });
  try_format([&] { return carom::io::parse_obj(text, "fuzz"); });
  try_format([&] { return carom::io::parse_stl(bytes, "fuzz"); });
  try_format([&] { return carom::io::parse_3mf(bytes, "fuzz", max_triangles); });
  return 0;
}
