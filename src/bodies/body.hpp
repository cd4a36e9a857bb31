#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bodies/cloth.hpp"
#include "carom/world/world.hpp"
#include "core/slot_map.hpp"

namespace carom {

/// A spring between two particles of one body.
struct Spring {
  Index a = none;
  Index b = none;
  double rest_length = 0;  ///< m
  double stiffness = 0;    ///< N/m
};

/// The state of a body between two steps, and what moves it.
struct Body {
  std::string name;
  MotionModel motion = MotionModel::fixed;
  /// Counts up over the life of a world, so that the order of bodies outlives removals.
  std::uint32_t serial = 0;
  std::vector<Triangle> triangles;
  std::vector<Eigen::Vector3d> rest_positions;
  std::vector<Eigen::Vector3d> positions;
  std::vector<Eigen::Vector3d> velocities;
  std::vector<double> inverse_mass;  ///< 1/kg; 0 for what no force moves

  CollisionFilter filter;
  std::optional<Detection> detection;

  std::int32_t slot = -1;  ///< index of its id, which is also its place in rigid::Bodies
  double friction = 0;     ///< Coulomb's coefficient, of a body with vertices
  double restitution = 0;  ///< likewise

  /// Whether the body is vertices that move by themselves: particles, or a mesh with a motion function.
  bool has_vertices() const { return !positions.empty(); }

  MotionFunction script;  ///< scripted only

  // Particles only.
  std::vector<Spring> springs;
  double spring_damping = 0;  ///< N s/m
  double air_damping = 0;     ///< 1/s
  double pressure = 0;        ///< Pa over that outside, at the rest volume
  double rest_volume = 0;     ///< m^3
  double max_step = 0;        ///< s, at which explicit springs are stable
  // Cloth is particles with constraints instead of springs.
  std::shared_ptr<const cloth::Model> cloth;
  Wind wind{};
  int inner_steps = 0;  ///< of a step; 0: as many as max_step asks for

  bool sleeping_allowed = true;
};

/// All bodies by their ids. What steps read of each is in rigid::Bodies, at the same index.
using BodyMap = SlotMap<Body, BodyTag>;

}  // namespace carom
