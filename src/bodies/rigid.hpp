#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "carom/body/rigid.hpp"
#include "carom/core/id.hpp"
#include "core/indices.hpp"
#include "math/rotation.hpp"
#include "shapes/core.hpp"
#include "shapes/mesh_data.hpp"

/// Rigid bodies: their state.
namespace carom::rigid {

using math::Mat3;
using math::Quat;
using math::Vec3;

/// The frame of a body has its origin at the centre of mass and the principal axes of its inertia.
struct Motion {
  Vec3 x;  ///< m, centre of mass
  Quat q;  ///< from the frame of the body to the world
  Vec3 v;  ///< m/s
  Vec3 w;  ///< rad/s, in the world
};

/// All zero but for what is rigid.
struct Mass {
  double inverse = 0;        ///< 1/kg
  Vec3 inertia;              ///< kg m^2 about the axes of the body
  Vec3 inverse_inertia;      ///< 0 where infinite
  bool round = false;        ///< all three moments equal: turns without torque keep their axis
  bool locked = false;       ///< some axis is, of the translation or of the rotation
  bool turn_locked = false;  ///< some axis of the rotation is
};

/// A piece of a body: the whole of it, or a convex part of a compound.
struct Collider {
  BodySlot body{};
  const shapes::Core* core = nullptr;      ///< if it is convex
  const shapes::MeshData* mesh = nullptr;  ///< if it is a mesh
  bool surface = false;                    ///< whether it is a deforming surface, whose vertices are elsewhere
  double margin = 0;                       ///< m, of the mesh
  Mat3 rotation;                           ///< from its frame to that of the body
  Vec3 place;                              ///< of its origin in the frame of the body
  double reach = 0;  ///< m; no point of it is farther from the centre of mass. Infinite for half-spaces
  double size = 0;   ///< m; radius of a ball around the collider itself
  double inner = 0;  ///< m; radius of a ball inside of it, about `middle`. 0 for meshes, infinite for half-spaces
  Vec3 middle;       ///< in the frame of the collider

  /// Whether its body was removed, and no other has taken its slot yet.
  bool vacant() const { return core == nullptr && mesh == nullptr && !surface; }
};

/// What no step changes. It begins with what every step reads of every body, which is one cache line; the rest is read
/// rarely.
struct alignas(64) Info {
  MotionModel motion = MotionModel::rigid;
  bool sleeping_allowed = true;
  bool deforms = false;  ///< particles: contacts move its vertices, though the body as a whole stays
  bool pinned = false;   ///< some vertices of a deforming body are held
  std::array<bool, 3> locked_translation{};
  std::array<bool, 3> locked_rotation{};
  ColliderIndex first_collider{};
  std::int32_t collider_count = 0;
  double reach = 0;  ///< m, the largest of its colliders
  double size = 0;   ///< m, the largest of its colliders
  double linear_damping = 0;
  double angular_damping = 0;
  CollisionFilter filter{};

  IndexRange<ColliderIndex> colliders() const { return {first_collider, collider_count}; }

  double mass = 0;  ///< kg
  double friction = 0;
  double restitution = 0;
  double torsional_friction = 0;  ///< m
  double rolling_friction = 0;    ///< m
  std::string name;
  BodyId id;
  Shape shape = Shape::sphere(1);
  std::optional<Shape> decomposed;     ///< convex or compound, collides instead of a rigid mesh
  double collider_error = 0;           ///< m; no point of `decomposed` is farther from `shape`
  std::optional<DistanceField> field;  ///< of `shape`, which deforming bodies touch instead of it
  Eigen::Isometry3d body_from_shape = Eigen::Isometry3d::Identity();
};

/// The table of bodies: one slot for each, which is the index of its id and stays its own until it is removed. Slots of
/// removed bodies are vacant until others take them. Bodies with vertices have a slot as well: they stay as a whole,
/// and their collider is their surface.
struct Bodies {
  BySlot<Motion> motion;
  BySlot<Mass> mass;
  BySlot<Vec3> force;   ///< N at the centre of mass, of the next step
  BySlot<Vec3> torque;  ///< N m
  bool pushed = false;  ///< some of these are not zero
  BySlot<Info> info;
  ByCollider<Collider> colliders;  ///< those of a body are next to each other
  BySlot<std::uint8_t> asleep;
  BySlot<double> time_at_rest;         ///< s for which the body has been slow
  BySlot<BodySlot> sleeping_neighbor;  ///< ring of the bodies that sleep together; none: awake

  std::size_t count = 0;                                              ///< number of bodies, without vacant slots
  std::map<std::int32_t, std::vector<ColliderIndex>> free_colliders;  ///< first of each vacant range, by its length

  std::size_t size() const { return motion.size(); }  ///< number of slots
  IndexRange<BodySlot> slots() const { return motion.indices(); }
};

/// Checks a description and puts it into the slot of its id. Throws Error that names the body.
void add(Bodies& bodies, RigidBody description, BodyId id);
/// Makes the slot of a body vacant.
void remove(Bodies& bodies, BodySlot body);

/// Body with vertices, as the table of bodies and colliders has it: it stays, and its collider is its surface.
struct SurfaceEntry {
  std::string name;
  BodyId id;
  bool deforms = false;
  bool pinned = false;
  bool sleeping_allowed = true;
  double friction = 0;
  double restitution = 0;
  CollisionFilter filter{};
};
void add(Bodies& bodies, SurfaceEntry entry);

/// Makes the collider of an entry with a surface that never moves a rigid mesh.
void set_mesh(Bodies& bodies, BodySlot body, const Shape& mesh);

/// Gives an entry with a surface the distance field of its mesh, which is where the surface is.
void set_field(Bodies& bodies, BodySlot body, const Shape& mesh, const DistanceField& field);

/// Shape that collides for a body: its own, or for a rigid mesh its decomposition.
const Shape& collision_shape(const Info& info);

/// The shape of one of the colliders of a body.
const Shape& collider_shape(const Bodies& bodies, ColliderIndex collider);

/// Pose of the shape of a body.
Eigen::Isometry3d shape_pose(const Motion& motion, const Info& info);
/// Where the body is when its shape is there. Throws Error that names the body if the pose is no rigid motion.
void place(const Eigen::Isometry3d& pose, const Info& info, Motion& motion);

/// The inverse of an inertia about the axes that are free, zero about the others: what holds the locked ones takes
/// whatever torque it needs. (Zeros in the inverse of the whole would be something else, and could add energy.)
Mat3 inverse_about_free_axes(const Mat3& inertia, const std::array<bool, 3>& locked);

/// Inverse inertia in the world of a body whose attitude is the matrix r, about its free axes.
Mat3 inverse_inertia(const Mat3& r, const Mass& mass, const Info& info);

/// R diag R^T v.
inline Vec3 turned(const Mat3& r, const Vec3& diagonal, const Vec3& v) {
  const Vec3 local = r.back(v);
  return r * Vec3{diagonal.x * local.x, diagonal.y * local.y, diagonal.z * local.z};
}

/// Whether a body does not move by itself in a step.
inline bool asleep_or_fixed(const Bodies& bodies, BodySlot body) {
  return bodies.asleep[body] != 0 || bodies.info[body].motion == MotionModel::fixed;
}

/// Speed that no point of a body within `reach` (m) of its center of mass exceeds, m/s.
inline double fastest(const Bodies& bodies, BodySlot body, double reach) {
  const Motion& m = bodies.motion[body];
  return length(m.v) + (reach < INFINITY ? length(m.w) * reach : 0.0);
}

/// Sets to zero what is locked.
inline Vec3 unlocked(const Vec3& v, const std::array<bool, 3>& locked) {
  return {locked[0] ? 0 : v.x, locked[1] ? 0 : v.y, locked[2] ? 0 : v.z};
}

}  // namespace carom::rigid
