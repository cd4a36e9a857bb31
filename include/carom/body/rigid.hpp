#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "carom/body/filter.hpp"
#include "carom/body/material.hpp"
#include "carom/body/motion_model.hpp"
#include "carom/field/distance_field.hpp"
#include "carom/shape/decompose.hpp"
#include "carom/shape/shape.hpp"

/// Rigid bodies of a World: solids that turn and move but keep their shape.
namespace carom {

/// Mass that replaces the one which follows from shape and density.
struct MassOverride {
  double mass = 1;                                        ///< kg
  Eigen::Vector3d center = Eigen::Vector3d::Zero();       ///< m, in the frame of the shape
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Identity();  ///< kg m^2, about the centre, in the frame of the shape
  /// Centre and inertia are those of the shape, filled evenly; `center` and `inertia` have no meaning then.
  bool inertia_from_shape = false;
};

/// Description of a solid that moves as a whole, or of a shape that is fixed or scripted.
struct RigidBody {
  std::string name{};
  /// Half-spaces are fixed only. A dynamic mesh is a closed solid and collides as its decomposition; it has the mass of
  /// the mesh itself.
  Shape shape = Shape::sphere(0.5);
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< pose of the shape
  MotionModel motion = MotionModel::rigid;
  double density = 1000;                      ///< kg/m^3; of water, so that sizes in metres weigh what one expects
  std::optional<MassOverride> mass{};         ///< if given, `density` has no meaning
  Eigen::Vector3d velocity{0, 0, 0};          ///< m/s, of the centre of mass
  Eigen::Vector3d angular_velocity{0, 0, 0};  ///< rad/s, in the world
  Material material{};
  /// m, a lever: turning on the spot, and rolling, is resisted by a torque of up to this times the force with which the
  /// bodies press; two bodies have the larger of theirs. 0, as a point of contact resists neither; a ball of rubber
  /// flattens to a disc, and has about two thirds of its radius for the first. Only with the response `impulse`.
  double torsional_friction = 0;
  double rolling_friction = 0;
  double linear_damping = 0;   ///< 1/s
  double angular_damping = 0;  ///< 1/s
  /// Axes of the world along which, or about which, the body does not move.
  std::array<bool, 3> locked_translation{false, false, false};
  std::array<bool, 3> locked_rotation{false, false, false};
  CollisionFilter filter{};
  bool sleeping_allowed = true;
  DecomposeOptions decomposition{};  ///< decomposition of a rigid mesh; the default for all other bodies
  /// Distance field of the shape, which is a closed mesh; several bodies may share it. If given, particles and cloth
  /// touch the field instead of the triangles or the decomposition: what is inside is led out along the shortest path,
  /// however deep it is. Continuous detection still keeps them off the triangles.
  std::optional<DistanceField> field{};
};

/// Names of the responses to contacts, see WorldOptions::response.
std::span<const std::string_view> response_names();

/// Options of the response `soft`.
struct SoftOptions {
  /// Substeps of a step. Each solves all contacts once with and once without opening overlaps. More make stiffer
  /// stacks: with dt 1/60 s, ten cubes of 10 cm stand with 4, of 5 cm with 8, of 1 cm with 16.
  int substeps = 4;
  /// Hz; how fast an overlap is opened. Lowered to a quarter of the rate of the substeps, above which it would ring: 60
  /// with 4 substeps of 1/60 s.
  double contact_hertz = 240;
  /// Ratio to critical; far above 1, so that opening overlaps adds no bounce, and the slow sway of a tall stack dies
  /// out.
  double contact_damping = 10;
  /// s; over this long a contact learns the load it carries, so that its spring need not. Tall stacks sway if it is
  /// short.
  double load_time_constant = 10;
  /// Iterations added to a step in which more than half of all contact points are new and at rest, as in the first step
  /// of a scene: none of them knows its load yet, and a tall stack would sink before they do.
  int initial_iterations = 1000;
};

/// Options of the response `impulse`.
struct ImpulseOptions {
  /// Rounds over the contacts of an island. Fewer where a round changes no speed by more than `tolerance`; where these
  /// were not enough, energy is still not gained but bodies sink in, and are moved apart again over the next steps.
  int rounds = 60;
  double tolerance = 1e-9;  ///< m/s
};

/// Options of the response `lcp`.
struct LcpOptions {
  /// Contact points that an island may have for the exact solver, whose work grows with the third power of their
  /// number; 64, a stack of 16 boxes, take some ten milliseconds, 96 some forty. Larger islands are solved as by
  /// `impulse`, which is counted as `limited`.
  int max_points = 96;
  /// Directions of friction at a point, an even number, the first along the slip. Slip in another direction has at
  /// least cos(pi / directions) of the friction it should.
  int directions = 4;
};

/// Options of the response `penalty` between bodies with shapes. Stiffness and damping of surfaces are in
/// ContactOptions.
struct PenaltyOptions {
  /// N/m of each point; 0 = a sixteenth of the largest stable one, for each point by the mass it has to move. A
  /// stiffness that is given is refused with Error if it is not stable, which names the largest that is.
  double stiffness = 0;
  double damping = 1;  ///< ratio to critical, of bodies without restitution; 0 to 1.5
  /// Steps within a step. The springs are explicit, and give way under a weight by some g (dt / substeps)^2.
  int substeps = 16;
};

/// Options of sleep: islands that rest on something are left out until something touches them.
struct SleepOptions {
  bool enabled = true;
  double speed = 0.02;  ///< m/s of any point; slower than this counts as rest
  double after = 0.5;   ///< s at rest before an island sleeps
};

/// Options of contacts and their response.
struct SolverOptions {
  SoftOptions soft{};
  ImpulseOptions impulse{};
  LcpOptions lcp{};
  PenaltyOptions penalty{};
  SleepOptions sleep{};
  double max_push_speed = 3;  ///< m/s; overlaps are not opened faster than this
  /// m; gaps up to this count as touching and are closed as gently as overlaps are opened.
  double soft_zone = 2e-4;
  /// m; features this close make contacts, and are held back just before they would overlap.
  double speculative_distance = 0.02;
  double resting_speed = 0.05;  ///< m/s, see ContactMotion
  double bounce_speed = 0.5;    ///< m/s; slower impacts do not bounce, or things would never come to rest
};

}  // namespace carom
