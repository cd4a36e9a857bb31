#pragma once

#include <string>
#include <string_view>

#include "carom/mesh/tetrahedra.hpp"

/// Formats of tetrahedra, parsed from memory. `name` is the file, for the errors. All throw Error that names the file
/// and the line; see read_tetrahedra().
namespace carom::io {

TetrahedralMesh parse_gmsh(std::string_view text, const std::string& name);
TetrahedralMesh parse_vtk(std::string_view text, const std::string& name);
TetrahedralMesh parse_medit(std::string_view text, const std::string& name);
TetrahedralMesh parse_tetgen(std::string_view nodes, const std::string& node_name, std::string_view elements,
                             const std::string& element_name);

}  // namespace carom::io
