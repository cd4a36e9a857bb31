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
  /// Out; 0 where the turn is too large, none, or not good enough: then the rest is of no use but for the momentum.
  SpinLane done;
};

/// rad; larger turns are made in closed form. The series are good to rounding.
inline constexpr double largest_turn = 0.25;
/// rad; a turn that rounding loses.
inline constexpr double min_turn = 1e-16;
/// Error of the energy after a small turn, as a fraction of it, beyond which the turn is made in closed form: steps of
/// a minute add up to less than 1e-6 of it.
inline constexpr double energy_error = 1e-12;

/// The little turns of rigid::free_motion(), to the bit.
void free_spin(SpinRows& rows, double dt);

}  // namespace carom::kernels
