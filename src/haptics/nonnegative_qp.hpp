#pragma once

#include <array>
#include <cstddef>

#include "carom/haptics/haptic_tool.hpp"

namespace carom::haptics {

/// Minimum of x G x / 2 - r x over x >= 0, with a symmetric G that is positive definite. A fixed size, so that nothing
/// is allocated.
struct NonnegativeQp {
  static constexpr std::size_t capacity = max_haptic_planes;

  std::size_t size = 0;
  std::array<std::array<double, capacity>, capacity> matrix;  ///< G, both triangles
  std::array<double, capacity> right;                         ///< r
  std::array<double, capacity> x;
};

/// Solves by an active set (Lawson and Hanson 1974, chapter 23): exact but for rounding, in finitely many iterations.
/// False if they were more than three times the size; x is feasible then, too.
bool solve(NonnegativeQp& qp) noexcept;

}  // namespace carom::haptics
