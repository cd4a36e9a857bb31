#pragma once

#include <filesystem>

#include "carom/mesh/tetrahedra.hpp"

namespace carom {

/// Whether a file is one of tetrahedra, by the end of its name: .msh, .vtk, .mesh, .node or .ele.
bool is_tetrahedra_file(const std::filesystem::path& path);

/// Tetrahedra of a file: Gmsh (.msh, versions 2 and 4.1, as text), VTK legacy (.vtk, text, unstructured grid, up to
/// version 5.1), Medit (.mesh, text) and TetGen (.node with the .ele beside it, either is given). Of tetrahedra of the
/// second order the four corners are taken. Elements of other kinds, as triangles of the boundary, are left out, and so
/// are vertices that are no corner of a tetrahedron; tetrahedra that are inside out are turned. Throws Error that names
/// the file, the line and what was expected.
TetrahedralMesh read_tetrahedra(const std::filesystem::path& path);

}  // namespace carom
