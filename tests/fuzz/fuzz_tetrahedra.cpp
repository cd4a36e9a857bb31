#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "carom/core/error.hpp"
#include "io/mesh/tetrahedra_parse.hpp"

namespace {

/// Parses, and checks what a caller may rely on.
template <class Parse>
void try_format(Parse parse) {
  try {
    const carom::TetrahedralMesh mesh = parse();
    if (mesh.tetrahedra.empty()) std::abort();
    for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) {
      for (const carom::Index corner : mesh.tetrahedra[i]) {
        if (corner < 0 || static_cast<std::size_t>(corner) >= mesh.positions.size()) std::abort();
      }
      if (!std::isfinite(volume_of(mesh, i))) std::abort();
    }
    boundary_triangles(mesh);
  } catch (const carom::Error&) {
    // Refusing is right; crashing, hanging and running out of memory are not.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_format([&] { return carom::io::parse_gmsh(text, "fuzz"); });
  try_format([&] { return carom::io::parse_vtk(text, "fuzz"); });
  try_format([&] { return carom::io::parse_medit(text, "fuzz"); });
  // Nodes and elements of TetGen are two files: one after the other here, with a bar between.
  const std::size_t bar = std::min(text.find('|'), text.size());
  const std::string_view elements = text.substr(std::min(bar + 1, text.size()));
  try_format([&] { return carom::io::parse_tetgen(text.substr(0, bar), "fuzz.node", elements, "fuzz.ele"); });
  return 0;
}
