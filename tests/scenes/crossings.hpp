#pragma once

#include <cstddef>
#include <span>

#include "carom/mesh/mesh.hpp"

namespace carom::tests {

/// How many edges run through a triangle with which they share no vertex: what is left of a
/// surface that never passes through another is zero. Brute force, behind a box test.
std::size_t count_crossings(std::span<const Eigen::Vector3d> positions, std::span<const Triangle> triangles);

}  // namespace carom::tests
