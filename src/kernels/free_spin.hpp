#pragma once

#include <cstddef>

namespace carom::kernels {

inline constexpr std::size_t spin_lanes = 8;
using SpinLane = double[spin_lanes];

/// Bodies that turn freely, one a lane. Vectors are in the world where nothing else is said.
struct alignas(64) SpinRows {
  SpinLane q[4];         ///< in: w, x, y, z of the turn from the body to the world; out: at the end of the step
  SpinLane w[3];         ///< rad/s, in and out
  SpinLane inertia[3];   ///< kg m^2 about the axes of the body
  SpinLane inverse[3];   ///< of these
  SpinLane calmer;       ///< what damping leaves of the angular momentum
  SpinLane push[3];      ///< kg m^2/s, what torques add to it before
  SpinLane momentum[3];  ///< out; kg m^2/s, angular
  /// Out; 0 where the turn is too large, or all but none: then the rest is of no use but for the momentum.
  SpinLane done;
};

/// Turns of a quarter of a radian and less: the series are good to rounding, and the splitting to a percent.
inline constexpr double largest_turn = 0.25;
/// rad; below, the axis turns by less than a billionth of the speed.
inline constexpr double least_turn = 1e-9;

/// The little turns of rigid::free_motion(), to the bit.
void free_spin(SpinRows& rows, double dt);

}  // namespace carom::kernels
