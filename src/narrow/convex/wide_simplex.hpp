#pragma once

#include <array>

#include "math/double_double.hpp"
#include "narrow/convex/simplex.hpp"

namespace carom::convex {

using math::DoubleDouble;
using math::WideVec3;

/// Closest point with twice the digits, for slivers too thin for doubles.
struct WideClosest {
  WideVec3 v;
  DoubleDouble squared = INFINITY;
  int count = 0;
  std::array<int, 4> places{};
  std::array<double, 4> weights{};
};

/// Vertices are taken as they are, and coordinates should be near 1. The closest of all faces, so that no choice among
/// them can be wrong.
WideClosest wide_closest_to_origin(const Simplex& s);

inline void keep(Simplex& s, const WideClosest& closest) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(closest.count); ++i) {
    s.vertices[i] = s.vertices[static_cast<std::size_t>(closest.places[i])];
    s.weights[i] = closest.weights[i];
  }
  s.count = closest.count;
}

}  // namespace carom::convex
