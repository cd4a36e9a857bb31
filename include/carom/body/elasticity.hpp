#pragma once

#include <Eigen/Core>

namespace carom {

/// Largest Poisson ratio that is taken; at 0.5 nothing would change its volume.
inline constexpr double max_poisson_ratio = 0.4999;

/// What a soft body is made of: stable neo-Hookean material, which is linear elasticity for small strains and resists
/// any shape, inverted ones included.
struct Elasticity {
  double density = 1000;       ///< kg/m^3
  double young_modulus = 1e5;  ///< Pa; 1e4 is jelly, 1e6 rubber
  double poisson_ratio = 0.4;  ///< 0 to max_poisson_ratio; 0.49 keeps its volume nearly
  double damping = 0;          ///< s: viscosity over shear modulus; strain rates fall within about this time
};

/// Box within the rest shape that is stiffer or softer than the rest of a soft body.
struct SoftRegion {
  Eigen::Vector3d min{0, 0, 0};  ///< m
  Eigen::Vector3d max{0, 0, 0};  ///< m
  double stiffness = 1;          ///< factor on the modulus of elements whose center is inside; the last region counts
};

/// Box within the rest shape whose nodes never move.
struct FixedRegion {
  Eigen::Vector3d min{0, 0, 0};  ///< m
  Eigen::Vector3d max{0, 0, 0};  ///< m
};

}  // namespace carom
