#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bodies/vertices.hpp"
#include "bounds/collider_box.hpp"
#include "carom/core/stats.hpp"
#include "core/context.hpp"

/// Stage `bounds` of colliders: boxes larger than what they hold, so that most last for several steps.
namespace carom::bounds {

using math::Quat;
using math::Vec3;

/// Pose of a body when the boxes of its colliders were made, and by how much they are too large.
struct FatBounds {
  Vec3 x;
  Quat q;
  Vec3 sweep;             ///< m; they hold the body here and when moved by this, and all between
  double margin = -1;     ///< m; negative if there is none yet
  double per_square = 0;  ///< 1 / |sweep|^2, or 0

  /// Whether the body would be in them there, with `smallest` (m) to spare. Its points are within `reach` of its
  /// center.
  bool holds(const Vec3& place, const Quat& turn, double reach, double smallest) const;
};

/// Bounds of all colliders. They last from step to step.
struct ColliderBounds {
  BySlot<FatBounds> fat;
  ByCollider<ColliderBox> boxes;
  ByCollider<std::uint8_t> changed;  ///< 1 if the box is new in this step
  std::vector<std::size_t> counts;   ///< working memory
};

struct ColliderIn {
  const rigid::Bodies& bodies;
  const rigid::StepMotion& motion;
  double speculative_distance = 0;  ///< m
  double dt = 0;                    ///< s
  std::size_t pair_count = 0;       ///< of colliders whose boxes overlapped in the last step
};

/// Boxes of shapes that left theirs. Boxes of surfaces: update_surfaces().
void update(Context& context, const ColliderIn& in, ColliderBounds& bounds, StageStats& stats);
/// Boxes of surfaces: the sweep of their vertices in this step, grown by `reach` (m), which is what a contact may
/// reach. Call after update().
void update_surfaces(const rigid::Bodies& table, const bodies::Vertices& vertices, double reach, ColliderBounds& bounds,
                     StageStats& stats);

}  // namespace carom::bounds
