#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bodies/rigid.hpp"
#include "broad/rigid_broad.hpp"
#include "carom/query.hpp"
#include "core/fetch.hpp"
#include "narrow/convex/patch.hpp"

/// Pairs of colliders that are near each other, and what is remembered of them from step to step: the points where they
/// touch, with their ids and impulses, and where the narrow phase looked last.
namespace carom::rigid {

struct PairPoint {
  Vec3 local_a;  ///< on a, in the frame of body a
  Vec3 local_b;
  Vec3 middle;          ///< in the world
  double distance = 0;  ///< along the normal
  double speed = 0;     ///< m/s, of b against a along the normal, at the beginning of the step
  std::uint64_t id = 0;
  std::uint32_t age = 0;
  std::uint32_t feature = 0;
  float impulse = 0;    ///< N s, of the last substep
  float reference = 0;  ///< N s, what it has been of late, see soft.hpp
  double total = 0;     ///< N s, of the step
};

/// Begins with what is read in every step, of cache lines as few as may be; what only a look needs is at the end.
struct alignas(64) Pair {
  std::int32_t body_a = 0;
  std::int32_t body_b = 0;
  float friction = 0;
  float restitution = 0;
  Vec3 normal;        ///< unit, from a to b, in the world
  Vec3 local_normal;  ///< in the frame of body a
  int count = 0;
  float twist = 0;  ///< N m s
  Vec3 rub;         ///< N s, impulse of friction on b of the last substep, in the world

  // When the narrow phase last looked: b as seen from a, or a from b, whichever is the larger of the two.
  Vec3 place;
  Quat turn;
  double gap = 0;  ///< then; no point if larger than what was asked
  bool looked = false;
  bool opening = false;  ///< its bodies are being moved out of each other: they are not at rest
  float stored = 0;      ///< J, what springs held at the end of the last step, see rigid_penalty.hpp

  std::array<PairPoint, convex::patch_points> points;

  std::int32_t collider_a = 0;
  std::int32_t collider_b = 0;
  QueryCache cache;
};

/// Has the data of a pair fetched, up to its first `count` points: there are too many pairs for a cache.
inline void ask_for(const Pair& pair, int count) {
  fetch(&pair, pair.points.data() + count);
}

/// What is known of the bodies at the beginning of a step.
struct Poses {
  std::vector<Mat3> rotation;  ///< of each body

  /// Of a collider. Made anew each time: few are asked for, and all of them would be as much as the bodies themselves.
  Eigen::Isometry3d shape(const Bodies& bodies, std::size_t collider) const;
};

/// What a pair has to do in a step: nothing, as it is apart, no more than to be moved with its bodies, or a look.
///
/// Where the two have moved against each other by less than `keep` since the narrow phase looked (any point of
/// either, exactly bounded, not from step to step but since then), the points it found are moved with the bodies:
/// distances and normal are then those of a fresh look but for 2 `keep`.
struct Kept {
  bool kept = false;
  double apart = 0;  ///< m, if it is and there are no points: no more than the distance
};
Kept keep(Pair& pair, const Bodies& bodies, const Poses& poses, double within, double keep);

/// Makes the points of a pair those of the present poses. Points that were there keep id, age and impulse.
void look(Pair& pair, const Bodies& bodies, const Poses& poses, double within);

/// The same in two halves, for those who look in another way: after `pair.normal` and the middles and distances of its
/// points were set, and while they are kept.
void remember(Pair& pair, const Bodies& bodies, const Poses& poses);
void carry(Pair& pair, const Bodies& bodies, const Poses& poses);

}  // namespace carom::rigid
