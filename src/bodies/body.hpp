#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bodies/cloth.hpp"
#include "bodies/cloth_levels.hpp"
#include "bodies/soft_body.hpp"
#include "carom/world/world.hpp"
#include "core/indices.hpp"
#include "core/slot_map.hpp"

namespace carom {

/// A spring between two particles of one body.
struct Spring {
  Index a = none;
  Index b = none;
  double rest_length = 0;  ///< m
  double stiffness = 0;    ///< N/m
};

/// Vertices of a scripted body that was cut, or of a piece of one.
struct ScriptedVertices {
  /// Point of an edge, from one vertex to another, of those that are given or were added before.
  struct Point {
    Index from = none;
    Index to = none;
    double fraction = 0;
  };
  std::size_t given = 0;      ///< vertices that the script puts, which come first
  std::vector<Point> added;   ///< those after them
  std::vector<Index> source;  ///< of each vertex of the body: the one where it is
};

/// What springs of particles that are no cloth follow when the surface is cut.
struct SpringNet {
  double density = 0;            ///< kg/m^2 of the triangles at rest
  double stretch_stiffness = 0;  ///< N/m, of each spring along an edge before the first cut
  double bend_stiffness = 0;     ///< N/m, of each spring across an edge
  std::vector<Edge> bent;        ///< edges across which springs bend, in the order of the last of Body::springs
};

/// Vertex that something outside of the world pulls.
struct VertexPull {
  Index vertex = none;
  Pull pull;
};

/// Vertex that a fixed or scripted body holds: a pin that moves with it.
struct HeldVertex {
  Index vertex = none;
  BodyId to;
  Index triangle = none;           ///< of the surface that holds it; none: `local` is in the frame of the body's shape
  Eigen::Vector3d local{0, 0, 0};  ///< m, in the frame of the triangle or of the shape
};

/// What cloth is at rest, and of what. Sewing and tearing do not change it.
struct ClothRest {
  std::vector<Triangle> triangles;  ///< corners in Body::rest_positions
  std::vector<Fabric> fabrics;
  std::vector<Index> fabric_of_triangle;  ///< empty: the first, of all
  Eigen::Vector3d warp{1, 0, 0};
  std::vector<MovingPins> moving_pins;
  bool tears = false;
  bool verlet = false;
  VerletOptions verlet_options;
};

/// The state of a body between two steps, and what moves it.
struct Body {
  std::string name;
  MotionModel motion = MotionModel::fixed;
  /// Counts up over the life of a world, so that the order of bodies outlives removals.
  std::uint32_t serial = 0;
  std::vector<Triangle> triangles;
  /// Of each triangle: what contacts know it by. A triangle keeps its name when it gets another number, and no other
  /// one ever has it. Empty: the numbers.
  std::vector<Index> triangle_names;
  Index next_triangle_name = 0;
  std::vector<Eigen::Vector3d> rest_positions;
  std::vector<Eigen::Vector3d> positions;
  std::vector<Eigen::Vector3d> velocities;
  std::vector<double> inverse_mass;  ///< 1/kg; 0 for what no force moves

  CollisionFilter filter;
  std::optional<Detection> detection;

  BodySlot slot{};         ///< index of its id, which is also its place in rigid::Bodies
  double thickness = 0;    ///< m; 0: the contact distance of the world
  double friction = 0;     ///< Coulomb's coefficient, of a body with vertices
  double restitution = 0;  ///< likewise

  bool is_soft() const { return soft.model != nullptr; }
  /// Whether the body is particles that springs join, and nothing else.
  bool is_spring_net() const { return motion == MotionModel::particles && !cloth_rest && !is_soft(); }
  /// Whether the body is vertices that move by themselves: particles, or a mesh with a motion function.
  bool has_vertices() const { return !positions.empty(); }

  bool cuttable = false;  ///< fixed and scripted: blades cut the surface
  MotionFunction script;  ///< scripted only
  /// Of a scripted body that was cut: its vertices from those that the script puts. Null: they are the same.
  std::shared_ptr<const ScriptedVertices> scripted_vertices;
  std::optional<Eigen::Isometry3d> offset;  ///< of what the script says

  /// Serial number of the sheet that was cut, for all that is left of it; none before a cut. Its pieces have one frame
  /// at rest, so distances between them at rest have a meaning.
  std::optional<std::uint32_t> whole{};

  // Particles only.
  /// Along edges, then across edges, against bending.
  std::vector<Spring> springs;
  SpringNet net;
  double spring_damping = 0;  ///< N s/m
  double air_damping = 0;     ///< 1/s
  double pressure = 0;        ///< Pa over that outside, at the rest volume
  double rest_volume = 0;     ///< m^3
  double max_step = 0;        ///< s, at which explicit springs are stable
  // Cloth is particles with constraints instead of springs.
  std::shared_ptr<const cloth::Model> cloth;
  cloth::LevelState levels;  ///< of cloth that has more than one
  double bend_step = 0;      ///< s, see cloth::Model
  std::shared_ptr<const ClothRest> cloth_rest;
  double stop_energy = 0;  ///< J, see conservation::take_stop_energy()
  /// Of each vertex: the one whose place and velocity it has, itself unless vertices were joined; empty: none were.
  std::vector<Index> leader;
  std::vector<HeldVertex> held;
  bool pinned = false;  ///< something holds a vertex
  Wind wind{};
  // Soft bodies are particles whose vertices follow nodes.
  solid::BodyState soft;
  int inner_steps = 0;    ///< of a step; 0: as many as max_step asks for
  double importance = 1;  ///< where a time budget does not suffice for all

  bool sleeping_allowed = true;
  double stiffness = 1;           ///< factor on that of the description
  std::vector<VertexPull> pulls;  ///< of the next step
};

/// Shape at rest of a body that is cloth; refers to it.
inline cloth::RestShape rest_shape(const Body& body) {
  return {.positions = body.rest_positions,
          .triangles = body.triangles,
          .warp = body.cloth_rest->warp,
          .rest_triangles = body.cloth_rest->triangles,
          .fabric_of_triangle = body.cloth_rest->fabric_of_triangle};
}

/// Names of the first `count` triangles of a body, where they are not their numbers any more.
inline void name_new_triangles(std::size_t count, Body& body) {
  if (body.triangle_names.empty()) body.next_triangle_name = 0;
  body.triangle_names.resize(std::min(count, body.triangle_names.size()));
  while (body.triangle_names.size() < count) body.triangle_names.push_back(body.next_triangle_name++);
}

/// All bodies by their ids. What steps read of each is in rigid::Bodies, at the same index.
using BodyMap = SlotMap<Body, BodyTag>;

}  // namespace carom
