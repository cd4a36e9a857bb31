#pragma once

#include "oracle/brute_force.hpp"

namespace carom::oracle {

/// The triangles of a surface without the dead ones, as lists to make another surface from.
struct Live {
  std::vector<Triangle> triangles;
  std::vector<Index> object_of_triangle;
  std::vector<Index> number;  ///< of each in the surface, ascending
};

Live live(const Surface& surface);

/// Brute force on the live triangles; pairs name the triangles by their numbers in the surface.
std::vector<Pair> brute_force(const Surface& surface, std::span<const Eigen::Vector3d> positions, double distance,
                              PairScope scope);

}  // namespace carom::oracle
