#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "carom/id.hpp"
#include "carom/shape.hpp"

/// Rigid bodies of a World: solids that turn and move but keep their shape.
namespace carom {

enum class RigidKind : std::uint8_t {
  static_body,  ///< never moves but by teleport
  kinematic,    ///< moves with the velocities it was given, whatever is in its way
  dynamic,      ///< moved by forces and contacts
};
std::string_view to_string(RigidKind kind);

/// What replaces the mass that follows from shape and density.
struct GivenMass {
  double mass = 1;                                        ///< kg
  Eigen::Vector3d center = Eigen::Vector3d::Zero();       ///< m, in the frame of the shape
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Identity();  ///< kg m^2, about the centre, in the frame of the shape
};

struct RigidBody {
  std::string name{};
  Shape shape = Shape::sphere(0.5);  ///< convex or a compound; half-spaces are static only, meshes static or kinematic
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< of the shape
  RigidKind kind = RigidKind::dynamic;
  double density = 1000;                      ///< kg/m^3; of water, so that sizes in metres weigh what one expects
  std::optional<GivenMass> mass{};            ///< if given, `density` has no meaning
  Eigen::Vector3d velocity{0, 0, 0};          ///< m/s, of the centre of mass
  Eigen::Vector3d angular_velocity{0, 0, 0};  ///< rad/s, in the world
  /// Coulomb's coefficient; two bodies have the geometric mean of theirs.
  double friction = 0.6;
  /// 0 = no bounce, 1 = none lost; two bodies have the larger of theirs.
  double restitution = 0;
  double linear_damping = 0;   ///< 1/s
  double angular_damping = 0;  ///< 1/s
  /// Axes of the world along which, or about which, the body does not move.
  std::array<bool, 3> locked_translation{false, false, false};
  std::array<bool, 3> locked_rotation{false, false, false};
  std::uint32_t group = 1;          ///< bits
  std::uint32_t mask = 0xffffffff;  ///< bits; two bodies touch if each mask has a bit of the other's group
  bool sleeping_allowed = true;
};

/// How two bodies meet at a contact point, by the velocity of b relative to a along the normal at the beginning of the
/// step: approaching faster than `resting_speed` is colliding, leaving faster is separating, anything between is
/// resting (course 001, with a tolerance).
enum class ContactMotion : std::uint8_t { colliding, resting, separating };
std::string_view to_string(ContactMotion motion);

/// A point where two rigid bodies touch, or will if they go on as they do.
struct RigidContact {
  std::uint64_t id = 0;   ///< the same from step to step for as long as the contact lasts; never used again
  std::uint32_t age = 0;  ///< steps since it began
  BodyId body_a;
  BodyId body_b;
  Eigen::Vector3d point_a = Eigen::Vector3d::Zero();  ///< on a, in the world, at the beginning of the step
  Eigen::Vector3d point_b = Eigen::Vector3d::Zero();
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< unit, from a to b
  double distance = 0;                               ///< m, along the normal; negative where they overlap
  double normal_speed = 0;                           ///< m/s, of b against a along the normal, before the response
  ContactMotion motion = ContactMotion::resting;
  double impulse = 0;  ///< N s along the normal, over the whole step
};

struct RigidOptions {
  /// Each solves all contacts once with and once without pushing out what overlaps. More make stiffer stacks.
  int substeps = 4;
  /// Hz; how fast an overlap is pushed out. Lowered to a quarter of the rate of the substeps, above which it would
  /// ring.
  double contact_hertz = 60;
  double contact_damping = 2;  ///< ratio to critical; above 1, so that pushing out adds no bounce
  double push_speed = 3;       ///< m/s; overlaps are not left faster than this
  /// m; gaps up to this count as touching and are closed as gently as overlaps are opened.
  double contact_zone = 2e-4;
  /// s; over this long a contact learns the load it carries, so that its spring need not. Tall stacks sway if it is
  /// short.
  double load_memory = 5;
  /// Rounds of solving added to a step in which more than half of all contact points are new and at rest, as in the
  /// first step of a scene: none of them knows its load yet, and a tall stack would sink before they do.
  int settle_sweeps = 1000;
  /// m; features this close are watched, and held back just before they would overlap.
  double speculative_distance = 0.02;
  double resting_speed = 0.05;  ///< m/s, see ContactMotion
  double bounce_speed = 0.5;    ///< m/s; slower impacts do not bounce, or things would never come to rest
  bool sleep = true;            ///< islands at rest are left out until something touches them
  double sleep_speed = 0.02;    ///< m/s of any point; slower than this counts as rest
  double sleep_after = 0.5;     ///< s at rest before an island sleeps
};

}  // namespace carom
