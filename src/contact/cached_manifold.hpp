#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bodies/poses.hpp"
#include "broad/collider_broad_phase.hpp"
#include "carom/query/query.hpp"
#include "core/prefetch.hpp"
#include "narrow/convex/convex_manifold.hpp"

/// Pairs of colliders that are near each other, and what is remembered of them from step to step: the points where they
/// touch, with their ids and impulses, and where the narrow phase looked last.
namespace carom::contact {

using broad::ColliderPair;
using rigid::Bodies;
using rigid::Collider;
using rigid::Mat3;
using rigid::Motion;
using rigid::Poses;
using rigid::Quat;
using rigid::Vec3;

struct CachedPoint {
  Vec3 local_a;  ///< on a, in the frame of body a
  Vec3 local_b;
  Vec3 middle;          ///< in the world
  double distance = 0;  ///< along the normal
  double speed = 0;     ///< m/s, of b against a along the normal, at the beginning of the step
  std::uint64_t id = 0;
  std::uint32_t age = 0;
  std::uint32_t feature = 0;
  float impulse = 0;       ///< N s, of the last substep
  float learned_load = 0;  ///< N s, what it has been of late, see soft.hpp
  double total = 0;        ///< N s, of the step
};

/// Begins with what is read in every step, of cache lines as few as may be; what only a look needs is at the end.
struct alignas(64) CachedManifold {
  BodySlot body_a{};
  BodySlot body_b{};
  float friction = 0;
  float restitution = 0;
  Vec3 normal;        ///< unit, from a to b, in the world
  Vec3 local_normal;  ///< in the frame of body a
  int count = 0;
  float torsion_impulse = 0;  ///< N m s
  Vec3 friction_impulse;      ///< N s, impulse of friction on b of the last substep, in the world

  // At the last update: pose of b relative to a, or of a relative to b, whichever is the larger of the two.
  Vec3 cached_offset;
  Quat cached_rotation;
  double cached_distance = 0;  ///< then; no point if larger than what was asked
  bool valid = false;
  bool opening = false;  ///< its bodies are being moved out of each other: they are not at rest
  float stored = 0;      ///< J, what springs held at the end of the last step, see rigid_penalty.hpp

  std::array<CachedPoint, convex::max_manifold_points> points;

  ColliderIndex collider_a{};
  ColliderIndex collider_b{};
  QueryCache cache;
};

/// Has the data of a pair fetched, up to its first `count` points: there are too many pairs for a cache.
inline void prefetch_pair(const CachedManifold& pair, int count) {
  prefetch(&pair, pair.points.data() + count);
}

/// Reuse of a cached manifold in a step: the pair is apart, or its points move with the bodies, or it must be updated.
///
/// Where the two have moved against each other by less than `tolerance` since the last update (any point of either,
/// exactly bounded, not from step to step but since then), the points it found are moved with the bodies: distances and
/// normal are then those of an update but for 2 `tolerance`.
struct Reuse {
  bool reused = false;
  double separation = 0;  ///< m, if it is and there are no points: no more than the distance
};
Reuse try_reuse(CachedManifold& pair, const Bodies& bodies, const Poses& poses, double within, double tolerance);

/// Makes the points of a pair those of the present poses. Points that were there keep id, age and impulse.
void update_manifold(CachedManifold& pair, const Bodies& bodies, const Poses& poses, double within);

/// The halves of update_manifold() for manifolds that are found elsewhere: store_local_points() after the normal,
/// middles and distances were set, advance_points() while they are reused.
void store_local_points(CachedManifold& pair, const Bodies& bodies, const Poses& poses);
void advance_points(CachedManifold& pair, const Bodies& bodies, const Poses& poses);

}  // namespace carom::contact
