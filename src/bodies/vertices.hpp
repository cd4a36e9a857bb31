#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bodies/body.hpp"
#include "bodies/rigid_step.hpp"
#include "carom/mesh/surface.hpp"

/// The joined surface: one array of vertices over all bodies that have any, and its motion through a step.
namespace carom::bodies {

/// Part of the joined surface that is one body. Ascending in all fields but `body`.
struct SurfacePart {
  BodyId id;
  std::uint32_t serial = 0;
  Index first_vertex = 0;
  Index vertex_count = 0;
  Index first_triangle = 0;
  BodySlot body{};  ///< its slot
  double friction = 0;
  double restitution = 0;
  bool cloth = false;    ///< or soft: contacts at minima of the distance carry its load
  double thickness = 0;  ///< m; 0 of a body that keeps its shape

  template <class T>
  std::span<T> of(std::vector<T>& list) const {
    return std::span(list).subspan(static_cast<std::size_t>(first_vertex), static_cast<std::size_t>(vertex_count));
  }
  template <class T>
  std::span<const T> of(const std::vector<T>& list) const {
    return std::span(list).subspan(static_cast<std::size_t>(first_vertex), static_cast<std::size_t>(vertex_count));
  }
};

/// Momentum that the damping of the air took from a body in this step.
struct AirDamping {
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero();
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();  ///< about the origin
};

/// All vertices, in the order in which their bodies were added.
struct Vertices {
  /// Surface that snapshots share as long as nothing changes.
  std::shared_ptr<const Surface> joined = std::make_shared<Surface>(0, std::vector<Triangle>{});
  const Surface& surface() const { return *joined; }
  std::vector<SurfacePart> parts;
  std::vector<Index> triangle_names;       ///< see Body, of all triangles; empty: their numbers in their parts
  std::vector<double> inverse_mass;        ///< 1/kg; 0 for those that no force moves
  std::vector<double> awake_inverse_mass;  ///< 1/kg; 0 of bodies that sleep as well

  std::vector<Eigen::Vector3d> start;             ///< of the step
  std::vector<Eigen::Vector3d> start_velocities;  ///< of the step; of scripted vertices, over it
  std::vector<Eigen::Vector3d> positions;         ///< end of the step as predicted, later as the response has it
  std::vector<Eigen::Vector3d> velocities;        ///< likewise
  std::vector<Eigen::Vector3d> displacements;     ///< in the step, as the response has it
  std::vector<Eigen::Vector3d> forces;            ///< working memory of particles
  std::vector<std::uint8_t> touched;              ///< 1 for those that contacts may move; empty: there are none
  std::vector<std::uint8_t> moved_pins;           ///< 1 for pins that move in this step; empty: there are none
  std::vector<std::uint8_t> fine;                 ///< 1 for those around which cloth with levels is fine; or empty
  std::deque<cloth::Projection> projections;      ///< working memory of cloth, of each part
  std::deque<cloth::LevelMotion> level_motions;   ///< likewise, of cloth with levels
  std::deque<solid::Motion> soft_motions;         ///< nodes of soft bodies, of each part
  BySlot<AirDamping> damped;
  BySlot<double> stop_energy;  ///< J, of cloth, see Body
  double time = 0;             ///< s, in the middle of the step
  /// Vertices that another body holds, with its slot, ascending. They make no contacts with that body.
  std::vector<std::pair<Index, BodySlot>> attached;
  /// Free bodies with blades, and what they cut at touch: contacts of the two do not open overlaps. Ascending.
  std::vector<std::pair<BodySlot, BodySlot>> unpushed;
  /// 1 for parts that the inner step that runs is of; empty: all.
  std::span<const std::uint8_t> chosen;

  bool is_chosen(std::size_t part) const { return chosen.empty() || chosen[part] != 0; }

  bool is_attached(Index vertex, BodySlot body) const {
    return std::binary_search(attached.begin(), attached.end(), std::pair(vertex, body));
  }
};

struct VertexIn {
  const BodyMap& bodies;
  const rigid::Bodies& table;
  const rigid::StepMotion& motion;
  Eigen::Vector3d gravity;
  double time = 0;  ///< s, at the start of the step
  double dt = 0;    ///< s
};

/// Stage `predict`: where every vertex would be at the end of the step if nothing touched.
void predict(const VertexIn& in, Vertices& vertices, StageStats& stats);

/// Moves the parts that are meshes of dynamic bodies to where these end the step.
void place_dynamic_meshes(const rigid::Bodies& table, const BySlot<rigid::Motion>& next, Vertices& vertices);
/// Frame of a triangle: origin at its first corner, x along its first edge, z along its normal.
Eigen::Isometry3d triangle_frame(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c);

/// Forces of deforming bodies that are awake over an interval (s), from where displacements have brought them. The
/// constraints of cloth are projected once.
void add_forces(Workers& workers, const BodyMap& bodies, const rigid::Bodies& table, const Eigen::Vector3d& gravity,
                double interval, Vertices& vertices);

/// After continuous detection: pins that it held back have the velocity of the way that they went. Counts those as
/// "pins behind".
void note_pins_behind(double dt, Vertices& vertices, StageStats& stats);

/// Speed of the fastest vertex of a part, m/s, at the start of the step or as predicted.
double fastest_vertex(const Vertices& vertices, const SurfacePart& part);

/// Throws Error(unstable) that names a vertex which left the range of numbers.
void check_range(const BodyMap& bodies, const Vertices& vertices, double time);

/// Part of the stage `edits`: active vertices of cloth with levels become those that the contacts of the last step
/// want.
void update_levels(std::span<const BodyId> order, const rigid::Bodies& table, BodyMap& bodies, StageStats& stats);
/// Velocities of vertices that follow others become theirs again, after contacts.
void settle_levels(Workers& workers, const BodyMap& bodies, const rigid::Bodies& table, Vertices& vertices);

// Soft bodies (bodies/soft_body.hpp) that are awake.
/// Before the contacts of a step are solved: masses of vertices that these may move.
void touch_soft(const BodyMap& bodies, const rigid::Bodies& table, Vertices& vertices);
/// Momentum of vertices goes to nodes.
void collect_soft(const BodyMap& bodies, const rigid::Bodies& table, Vertices& vertices);
/// Nodes go on for an interval (s).
void move_soft(const BodyMap& bodies, const rigid::Bodies& table, double interval, Vertices& vertices);
/// After the contacts of a step are solved: velocities and displacements of all vertices.
void finish_soft(Workers& workers, const BodyMap& bodies, const rigid::Bodies& table, double dt, Vertices& vertices);
/// Part of the stage `edits`, see solid::update_rest().
void update_soft(Workers& workers, std::span<const BodyId> order, const rigid::Bodies& table, double time, double dt,
                 BodyMap& bodies);

/// Stage `commit`: the ends of the step become the positions of the bodies.
void commit(const Vertices& vertices, double dt, BodyMap& bodies, StageStats& stats);

}  // namespace carom::bodies
