#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "carom/core/error.hpp"
#include "io/mesh/mesh_parse.hpp"

namespace {

/// Parses, and checks what a caller may rely on.
template <class Parse>
void try_format(Parse parse) {
  try {
    const carom::MeshFile file = parse();
    if (file.object_of_triangle.size() != file.mesh.triangles.size()) std::abort();
    for (const carom::Index object : file.object_of_triangle) {
      if (object < 0 || static_cast<std::size_t>(object) >= file.object_names.size()) std::abort();
    }
    carom::io::check_mesh(file, "fuzz");
  } catch (const carom::Error&) {
    // Refusing is right; crashing, hanging and running out of memory are not.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(data, size);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_format([&] { return carom::io::parse_obj(text, "fuzz"); });
  try_format([&] { return carom::io::parse_ply(bytes, "fuzz"); });
  try_format([&] { return carom::io::parse_off(text, "fuzz"); });
  try_format([&] { return carom::io::parse_stl(bytes, "fuzz"); });
  constexpr std::uint64_t max_triangles = 10'000;
  try_format([&] { return carom::io::parse_collada(text, "fuzz", max_triangles); });
  // In a folder that is not there, so that no file is found that the text may name.
  try_format([&] { return carom::io::parse_gltf(bytes, "no-such-folder/fuzz.gltf", max_triangles); });
  return 0;
}
