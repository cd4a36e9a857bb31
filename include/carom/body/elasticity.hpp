#pragma once

#include <Eigen/Core>
#include <vector>

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

/// Plastic flow: shape at rest that gives way where an element is strained too far (O'Brien, Bargteil and Hodgins
/// 2002).
struct Plasticity {
  double yield_strain = 0;  ///< norm of the strain without its change of volume beyond which it flows; 0 = never
  double flow_rate = 10;    ///< 1/s, of the strain beyond
  double max_strain = 0.5;  ///< of the shape at rest, by which it has flowed at most
};

/// Point of a motion of an actuator.
struct ActivationKey {
  double time = 0;   ///< s, ascending
  double value = 0;  ///< 0: as made; 1: all of its stretch
};

/// Box within the rest shape of a soft body whose shape at rest is stretched along the axes, as of a muscle.
struct Actuator {
  Eigen::Vector3d min{0, 0, 0};      ///< m
  Eigen::Vector3d max{0, 0, 0};      ///< m
  Eigen::Vector3d stretch{1, 1, 1};  ///< lengths over those as made when it is active, 0.1 to 10; 0.7 pulls together
  /// Activation over time, straight between the keys and constant before and after them.
  std::vector<ActivationKey> keys{};
};

/// Box within the rest shape whose nodes never move.
struct FixedRegion {
  Eigen::Vector3d min{0, 0, 0};  ///< m
  Eigen::Vector3d max{0, 0, 0};  ///< m
};

}  // namespace carom
