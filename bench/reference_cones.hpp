#pragma once

#include <span>
#include <vector>

#include "bench/reference_pipeline.hpp"

namespace carom::reference {

/// The test of section 3.6.1, as published: true if all normals of a cell fit into a cone that opens
/// by less than a right angle, built by halving the list. It takes the triangles of a cell for one
/// smooth piece of surface; where they are of two sheets that face the same way, contacts are lost.
bool has_narrow_cone(std::span<const Entry> cell, const std::vector<Vector3d>& normals);

}  // namespace carom::reference
