#pragma once

#include <memory>
#include <vector>

#include "bodies/soft_cut.hpp"

/// Models and surfaces of lattices that can be cut.
namespace carom::solid {

/// Elements, masses, embedding of the surface: all that a step needs of a lattice.
std::shared_ptr<const BodyModel> make_model(const CutLattice& lattice);

/// Makes a surface that of the lattice, with the numbers and places at rest of its vertices. Of each: 1 if it is new or
/// has another place than before. `corners`, ascending: those of links that were cut since, in units of voxels;
/// vertices elsewhere stay where they are.
std::vector<std::uint8_t> place_surface(double kerf, mesh::LinkSurface surface,
                                        std::span<const std::array<std::int32_t, 3>> corners, CutLattice& lattice);

}  // namespace carom::solid
