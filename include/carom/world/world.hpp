#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "carom/body/cloth.hpp"
#include "carom/body/detection.hpp"
#include "carom/body/fixed.hpp"
#include "carom/body/motion_model.hpp"
#include "carom/body/particles.hpp"
#include "carom/body/pull.hpp"
#include "carom/body/rigid.hpp"
#include "carom/body/scripted.hpp"
#include "carom/body/seam.hpp"
#include "carom/body/soft.hpp"
#include "carom/core/stats.hpp"
#include "carom/detect/contact.hpp"
#include "carom/detect/detect.hpp"
#include "carom/mesh/mesh.hpp"
#include "carom/query/cast.hpp"
#include "carom/query/cut.hpp"
#include "carom/world/cut.hpp"
#include "carom/world/tangle.hpp"
#include "carom/world/world_query.hpp"

namespace carom {

struct ContactOptions {
  double distance = 0.01;   ///< m; features closer than this push each other away
  double stiffness = 2000;  ///< N/m, of each contact: F = stiffness (distance - d)
  double damping = 1;       ///< N s/m, against the relative normal velocity
  PairScope pairs = PairScope::all;
  /// Features of one body are no contact if their distance along the surface is below this times the
  /// contact distance, measured on the rest shape (ContactFilters); 0 = off.
  double surface_factor = 0;
  /// Contacts in which nothing can be moved are found, too: of fixed and scripted bodies with themselves and with each
  /// other. For looking at them, as nothing ever comes of them; they are not even searched for otherwise.
  bool immovable = false;
  /// Of several contacts of one vertex with the surface of another body only the nearest is kept, and of several of one
  /// edge (Leonard, 3.8): fewer contacts, which carry the same load on fewer points.
  bool nearest_only = false;
  /// Edges touch edges, besides vertices that touch faces. Without them surfaces pass through each other where edges
  /// cross, unless continuous detection holds them: for comparison.
  bool edges = true;
};

struct WorldOptions {
  Eigen::Vector3d gravity{0, -9.81, 0};  ///< m/s^2
  double dt = 0.01;                      ///< s
  ContactOptions contact{};
  std::string method = "auto";  ///< method of detection, see detect_methods()
  int sphere_depth = 15;        ///< levels of the trees of the method `spheres`, as in DetectOptions
  Detection detection = Detection::discrete;
  /// Response to the contacts of all bodies, see response_names(). `lcp` refuses particles by name.
  std::string response = "soft";
  SolverOptions solver{};
  int threads = 0;  ///< 0 = as many as the machine has; the result does not depend on it
  /// Time budget of a step, s; 0 = none. Beyond it walks of a step are left out, of all bodies alike, and inner steps
  /// of deforming bodies, of the islands with the least `importance` first; both are counted as `limited`. Continuous
  /// detection never is, nor are the inner steps without which bodies would get energy. Results then depend on the
  /// speed of the machine.
  double time_budget = 0;
  /// s that an inner step takes for each vertex of a deforming body, and for each element of a soft one; 0 = as it was
  /// measured in the last step. If given, a time budget leaves out inner steps by this alone: no clock is read, and the
  /// result depends on nothing else.
  double inner_step_cost = 0;
};

/// Balance of what a closed world keeps, of all bodies that contacts can move: rigid ones that are dynamic, and
/// particles that are not pinned.
struct WorldBalance {
  double mass = 0;              ///< kg
  double kinetic_energy = 0;    ///< J
  double potential_energy = 0;  ///< J, of gravity; 0 where all is at the origin
  double elastic_energy = 0;  ///< J, of springs between particles, of cloth, of soft bodies, and of gas under pressure
  Eigen::Vector3d momentum{0, 0, 0};  ///< kg m/s

  double energy() const { return kinetic_energy + potential_energy + elastic_energy; }
};

/// Deforming body of which a time budget left out inner steps in a step.
struct LimitedBody {
  BodyId body;
  int inner_steps = 0;  ///< that were made, in all rounds of the step
  int left_out = 0;     ///< of those that the body asks for
};

/// Levels of a cloth, see ClothBody::levels.
struct ClothLevels {
  std::size_t active = 0;           ///< vertices that move by themselves; all if it has one level
  std::uint64_t activations = 0;    ///< of vertices, since the beginning
  std::uint64_t deactivations = 0;  ///< likewise
};

/// Bodies, and the step that moves them. The result of a step depends on nothing but the state
/// before it. Positions are in the world frame.
class World {
 public:
  explicit World(const WorldOptions& options);
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  /// Adds a body, which takes part from the next step on. Each throws Error that names the body and the element.
  BodyId add(FixedBody body);
  BodyId add(ScriptedBody body);
  BodyId add(ParticleBody body);
  BodyId add(ClothBody body);
  BodyId add(SoftBody body);
  BodyId add(RigidBody body);
  void remove(BodyId body);

  /// Excludes two bodies: they make no contacts with each other from the next step on; a body with itself: none within
  /// it.
  void exclude(BodyId a, BodyId b);
  /// Excludes contacts in which a feature with vertex_a of a meets one with vertex_b of b. Throws Error that
  /// names the body and the vertex.
  void exclude(BodyId a, Index vertex_a, BodyId b, Index vertex_b);

  /// Attaches vertices of cloth, soft bodies or particles to another body, from the next step on, where they are now:
  /// to a rigid body in both directions, to a fixed or scripted one as pins that move with it. A surface that deforms
  /// holds them by its nearest triangle. Attached vertices make no contacts with that body. Throws Error that names
  /// body and vertex.
  void attach(BodyId body, std::span<const Index> vertices, BodyId to);
  /// Frees vertices that attach() holds.
  void detach(BodyId body, std::span<const Index> vertices);
  /// Sews from the next step on. Sewn vertices make no contacts with each other. Within one body vertices that meet
  /// become one vertex. Throws Error that names the seam's body and vertex.
  void sew(const Seam& seam);
  /// Stitches of seams, vertices attached to rigid bodies, and attached vertices of soft bodies, that hold now.
  std::size_t joint_count() const;

  /// Gives a rigid or scripted body an edge that cuts, from the next step on: cloth, particles, and soft, fixed and
  /// scripted bodies that are `cuttable`. A body may have several. Throws Error that names the body.
  void add_blade(BodyId body, const Blade& blade);
  /// Energy that a cut takes, J/m^2: of the thickness of cloth and other surfaces, of the faces between voxels of a
  /// soft body; at 0, the default, a blade cuts at touch. Throws Error that names the body.
  void set_fracture_energy(BodyId body, double energy);
  double fracture_energy(BodyId body) const;
  /// Cuts what blades cut at once, where it is now, along the way of a blade, as blades of bodies do in a step.
  /// Throws Error that names the body or the pose.
  WorldCut cut(BodyId body, const BladePath& path);
  /// Cuts of the last step, in the order of the bodies, and those that `cut` made since the step before it; one entry a
  /// body.
  const std::vector<WorldCut>& cuts() const;
  /// Bodies that deform, that a blade passed through in the last step and that nothing cuts: cloth with levels, soft
  /// bodies that are not `cuttable`, particles in worlds with another response than `soft`. Ascending.
  const std::vector<BodyId>& not_cut() const;
  /// Bodies of which WorldOptions::time_budget left out inner steps in the last step, ascending.
  const std::vector<LimitedBody>& limited_bodies() const;
  /// Triangles of a body that cuts have made: 1 for each of them, 0 for the others; empty if no cut has made any.
  std::vector<std::uint8_t> cut_triangles(BodyId body) const;

  /// Detection of two bodies, or of one and itself, from the next step on, whatever is said of each and of the world.
  /// Not of rigid bodies, which are always continuous: Error(unsupported).
  void set_detection(BodyId a, BodyId b, Detection detection);

  /// Nodes of a soft body, m; the others throw Error(invalid_argument) that names the body.
  std::span<const Eigen::Vector3d> nodes(BodyId body) const;
  SoftState soft_state(BodyId body) const;
  /// Signed distance of a point to a soft body that has a field; none if the point is in no element of it.
  std::optional<SoftDepth> depth_in(BodyId body, const Eigen::Vector3d& point) const;

  /// Levels of a body; the others than cloth throw Error(invalid_argument) that names the body.
  ClothLevels cloth_levels(BodyId body) const;
  /// Level of detail around each vertex of a cloth: 0 where all vertices move by themselves.
  std::vector<std::uint8_t> vertex_levels(BodyId body) const;
  /// Spheres of a level of the trees of all bodies with vertices, 0 for the roots, and of leaves above it, as of the
  /// last detection; none unless the method is `spheres`.
  std::vector<BoundingSphere> detection_spheres(int level) const;

  void step();

  double time() const;
  std::uint64_t steps() const;
  const WorldOptions& options() const;
  /// Bodies in the order in which they were added.
  std::vector<BodyId> bodies() const;
  const std::string& name(BodyId body) const;
  MotionModel motion(BodyId body) const;
  std::span<const Triangle> triangles(BodyId body) const;
  std::span<const Eigen::Vector3d> positions(BodyId body) const;
  std::span<const Eigen::Vector3d> velocities(BodyId body) const;
  /// s; longest inner step that suits the springs of particles, or the constraints of cloth (Error for other bodies).
  double max_inner_step(BodyId body) const;

  // Rigid bodies only; the others throw Error(invalid_argument) that names the body. What changes a body wakes it, and
  // those that sleep with it.
  Eigen::Isometry3d pose(BodyId body) const;  ///< pose of the shape of a body
  const Shape& shape(BodyId body) const;
  /// Shape that collides, in the same frame: the decomposition of a rigid mesh, a hull or a compound of hulls; for all
  /// others shape().
  const Shape& collision_shape(BodyId body) const;
  /// Bound on how far collision_shape() reaches beyond shape(), m; 0 unless it is a decomposition.
  double collider_error(BodyId body) const;
  double mass(BodyId body) const;                       ///< kg; 0 if not dynamic
  Eigen::Vector3d center_of_mass(BodyId body) const;    ///< m, in the world
  Eigen::Matrix3d inertia(BodyId body) const;           ///< kg m^2 about the centre of mass, in the world
  Eigen::Vector3d velocity(BodyId body) const;          ///< m/s, of the centre of mass
  Eigen::Vector3d angular_velocity(BodyId body) const;  ///< rad/s, in the world
  bool asleep(BodyId body) const;                       ///< whether a body, of whatever kind, sleeps
  void teleport(BodyId body, const Eigen::Isometry3d& pose);
  void set_velocity(BodyId body, const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity);
  // Forces, torques and impulses are of rigid bodies; the others throw Error(invalid_argument) that names the body.
  /// Force over the next step, added to what was given before.
  void apply_force(BodyId body, const Eigen::Vector3d& force);  ///< N, at the centre of mass
  void apply_force(BodyId body, const Eigen::Vector3d& force, const Eigen::Vector3d& point);
  void apply_torque(BodyId body, const Eigen::Vector3d& torque);  ///< N m
  /// Impulse that acts at once.
  void apply_impulse(BodyId body, const Eigen::Vector3d& impulse, const Eigen::Vector3d& point);  ///< N s
  void wake(BodyId body);  ///< any body, and those that sleep with it

  // Changes from outside while a world runs, each from the next step on. Each throws Error that names the body.
  void set_gravity(const Eigen::Vector3d& gravity);  ///< m/s^2; wakes all bodies, and changes options()
  /// Stiffness of particles or cloth, of stretch, shear and bending, as a multiple of that in the description.
  void set_stiffness(BodyId body, double factor);
  /// Offset of a scripted mesh: it acts on the positions that the motion function gives, around the origin.
  void set_offset(BodyId body, const Eigen::Isometry3d& offset);
  /// Pulls a vertex of particles or cloth over the next step.
  void pull(BodyId body, Index vertex, const Pull& pull);
  /// Pulls a point of a rigid body, in the frame of its shape, over the next step. Returns the force (N).
  Eigen::Vector3d pull(BodyId body, const Eigen::Vector3d& point, const Pull& pull);
  /// m; distance that the response keeps between two bodies that touch: 0 where neither has vertices.
  double thickness(BodyId a, BodyId b) const;
  /// 1/kg of a vertex of particles or cloth; 0 if something holds it.
  double inverse_mass(BodyId body, Index vertex) const;

  /// Contacts of the last step; of bodies asleep, as they were when they fell asleep; those of bodies removed since are
  /// gone. In canonical order: first the contacts of deforming surfaces, vertex on face before edge on edge, each
  /// ordered by its features, which count through all bodies in the order of adding; then those of rigid bodies,
  /// ordered by the index of their ids. The list is made when it is first asked for, which may be from several threads
  /// at a time, and lasts until the world changes.
  std::span<const WorldContact> contacts() const;
  /// Tangles at the start of the last step: surfaces that intersect although their detection is continuous, because
  /// they did when they were added, or because nothing else was left to them. They are let through each other and
  /// pulled apart (not by the response `penalty`). In the order of their first triangles; then surfaces that start in
  /// convex shapes, which push them out.
  std::vector<WorldTangle> tangles() const;
  /// Balance of the world as it is now.
  WorldBalance balance() const;
  /// Residual: by how much the contacts of the last step miss what the response solves for: the largest |min(z, w)|,
  /// where z is an impulse and w the speed beyond what is allowed, one of which should be zero; both in units of the
  /// root of energy, relative to the largest of those that were to be taken away. `lcp`: of all unknowns; `impulse`: of
  /// the normals; the others do not measure it.
  std::optional<double> response_residual() const;
  const PipelineStats& stats() const;

  // Questions to all bodies, as they are now, asleep or not; those whose vertices move are their surface, as they have
  // no inside. May be asked from several threads at a time, as long
  // as nobody changes the world. What comes first is first in the list; at the same time it is the order of adding.
  /// The ray is origin + t direction, t from 0 to `limit`, which may be infinite; the direction need not be a unit.
  std::vector<WorldHit> ray(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double limit,
                            const QueryFilter& filter = {}) const;
  /// First hit only, which is faster.
  std::optional<WorldHit> closest_ray_hit(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double limit,
                                          const QueryFilter& filter = {}) const;
  /// Hits of a shape that moves while bodies stand still, as in carom::cast().
  std::vector<WorldHit> cast(const Shape& shape, const ShapeMotion& motion, const CastOptions& options = {},
                             const QueryFilter& filter = {}) const;
  /// Bodies that touch or overlap a shape, in the order of adding.
  std::vector<BodyId> overlapping(const Shape& shape, const Eigen::Isometry3d& pose,
                                  const QueryFilter& filter = {}) const;
  /// The nearest body, or the one that overlaps deepest, if one is no farther than `within` (m).
  std::optional<WorldClosest> closest(const Shape& shape, const Eigen::Isometry3d& pose, double within,
                                      const QueryFilter& filter = {}) const;

  /// The state of the world, all of it that a step depends on. A world that takes it back, this one or one made with
  /// the same options, goes on from there bit for bit; `threads` and `method` may differ, as they change no result. Ids
  /// of bodies keep their meaning.
  class Snapshot {
   public:
    struct Data;
    explicit Snapshot(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
    const Data& data() const { return *data_; }

   private:
    std::shared_ptr<const Data> data_;
  };
  Snapshot snapshot() const;
  /// Throws Error(invalid_argument) that names the option which the world of the snapshot had otherwise; nothing has
  /// changed then.
  void restore(const Snapshot& snapshot);

  /// A hash of all positions and velocities, for comparing runs bit by bit.
  std::uint64_t state_hash() const;

  struct State;

 private:
  void advance();

  std::unique_ptr<State> state_;
};

}  // namespace carom
