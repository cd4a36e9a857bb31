#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bodies/soft_cut.hpp"

/// Contact masses of the surface of a body that was cut (see contact_masses()), as if all its vertices were touched.
/// Vertices that are gone count for nothing.
namespace carom::solid {

/// Working memory, all zero between calls.
struct WeighScratch {
  std::vector<double> nodes;
  std::vector<std::uint8_t> voxels;
};

/// Of all vertices.
void weigh_surface(const BodyState& state, WeighScratch& scratch, std::span<double> inverse_mass);

/// Of those that a cut may have changed, in time that grows with the cut only: `voxels` hold the nodes that have other
/// masses, and all vertices that are in other nodes than before or in the same ones elsewhere, before and after it.
void weigh_near(const BodyState& state, std::span<const Index> voxels, WeighScratch& scratch,
                std::span<double> inverse_mass);

}  // namespace carom::solid
