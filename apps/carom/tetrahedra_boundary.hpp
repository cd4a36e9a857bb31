#pragma once

#include <string>

#include "carom/io/mesh_file.hpp"

namespace carom::app {

/// Tetrahedra of a file.
struct TetrahedraReport {
  std::size_t nodes = 0;
  std::size_t tetrahedra = 0;
  double smallest_volume = 0;  ///< m^3
  double largest_volume = 0;   ///< m^3
};

/// Boundary of the tetrahedra of a file, over the nodes that are in it.
MeshFile read_boundary(const std::string& name, TetrahedraReport& report);

/// Files of tetrahedra are read as they are. Throws Error that names the option.
void refuse_surface_options(const MeshReadOptions& options, const std::string& file);

}  // namespace carom::app
