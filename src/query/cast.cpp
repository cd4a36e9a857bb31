#include "carom/query/cast.hpp"

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "geometry/check_pose.hpp"
#include "narrow/convex/advance.hpp"
#include "narrow/mesh/mesh_cast.hpp"
#include "query/check_cast.hpp"
#include "shapes/shape_data.hpp"

namespace carom {
namespace {

using convex::MovingCore;
using convex::MovingPair;
using convex::SweptPose;

/// A convex shape, a mesh, or each part of a compound.
struct MovingParts {
  MovingParts(const Shape& shape, const SweptPose& swept_pose) : shape_(shape), swept_pose_(swept_pose) {}
  bool compound() const { return shape_.kind() == ShapeKind::compound; }
  std::size_t size() const { return compound() ? shape_.parts().size() : 1; }
  mesh::MovingPart part(std::size_t i) const {
    if (!compound()) return {shape_.data(), swept_pose_, nullptr};
    return {shape_.parts()[i].shape.data(), swept_pose_, &shape_.parts()[i].pose};
  }
  bool has_closed_mesh() const {
    bool found = false;
    for (std::size_t i = 0; i < size(); ++i) {
      const auto& mesh = part(i).data.mesh;
      found = found || (mesh != nullptr && mesh->any_closed);
    }
    return found;
  }

 private:
  const Shape& shape_;
  const SweptPose& swept_pose_;
};

CastResult cast_part(const mesh::MovingPart& a, const mesh::MovingPart& b, double end, const CastOptions& options) {
  if (a.data.mesh || b.data.mesh) return mesh::cast(a, b, end, options);
  const MovingCore core_a = a.core();
  const MovingCore core_b = b.core();
  const MovingPair pair(core_a, core_b);
  return convex::advance(pair, {options.separation, options.tolerance * pair.path(), options.budget, 0, end});
}

CastResult cast_checked(const Shape& a, const ShapeMotion& motion_a, const Shape& b, const ShapeMotion& motion_b,
                        const CastOptions& options) {
  const SweptPose swept_pose_a(motion_a.from, motion_a.to);
  const SweptPose swept_pose_b(motion_b.from, motion_b.to);
  const MovingParts parts_a(a, swept_pose_a);
  const MovingParts parts_b(b, swept_pose_b);
  CastResult best;
  best.time = 1;
  best.tolerance = 0;
  int iterations = 0;
  // The answer is that of distance() for the whole, as other parts may be deeper.
  const auto together_at_start = [&] {
    best.hit = true;
    best.time = 0;
    best.closest = distance(a, motion_a.from, b, motion_b.from);
    best.tolerance = std::max(best.closest.distance - options.separation, 0.0);
    best.iterations = std::max(iterations, 1);
    return best;
  };
  // Inside a closed mesh no triangle need be near.
  if ((parts_a.has_closed_mesh() || parts_b.has_closed_mesh()) &&
      distance(a, motion_a.from, b, motion_b.from).distance <= options.separation) {
    return together_at_start();
  }
  for (std::size_t i = 0; i < parts_a.size(); ++i) {
    for (std::size_t j = 0; j < parts_b.size(); ++j) {
      const CastResult result = cast_part(parts_a.part(i), parts_b.part(j), best.time, options);
      iterations += result.iterations;
      if (!result.hit) continue;
      best = result;
      if (best.time == 0) return together_at_start();
      if (parts_a.compound()) best.closest.part_a = static_cast<Index>(i);
      if (parts_b.compound()) best.closest.part_b = static_cast<Index>(j);
    }
  }
  best.iterations = iterations;
  return best;
}

constexpr std::size_t cast_grain = 32;

template <class Body>
void for_each_pair(std::size_t pairs, std::size_t out, const CastBatchOptions& batch, Body&& body) {
  require(out == pairs, ErrorCode::invalid_argument, "cast: {} pairs, but room for {} results", pairs, out);
  require(batch.threads >= 0 && batch.threads <= 1024, ErrorCode::invalid_argument,
          "cast: threads is {}, expected 0 to 1024", batch.threads);
  if (batch.threads == 1 || pairs <= cast_grain) {
    for (std::size_t i = 0; i < pairs; ++i) body(i);
    return;
  }
  Workers workers(batch.threads);
  parallel_for(workers, pairs, cast_grain, body);
}

void check_motions(std::span<const ShapeMotion> motions, const char* which) {
  for (std::size_t i = 0; i < motions.size(); ++i) {
    check_pose(motions[i].from, "cast", which, i, ".from");
    check_pose(motions[i].to, "cast", which, i, ".to");
  }
}

}  // namespace

Eigen::Isometry3d pose_at(const ShapeMotion& motion, double time) {
  check_pose(motion.from, "pose_at", "motion.from");
  check_pose(motion.to, "pose_at", "motion.to");
  require(time >= 0 && time <= 1, ErrorCode::invalid_argument, "pose_at: time is {}, expected 0 to 1", time);
  if (time == 0) return motion.from;
  if (time == 1) return motion.to;
  const SweptPose swept_pose(motion.from, motion.to);
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = swept_pose.rotation(time);
  pose.translation() = swept_pose.from + time * swept_pose.travel;
  return pose;
}

CastResult cast(const Shape& a, const Eigen::Isometry3d& from, const Eigen::Isometry3d& to, const Shape& b,
                const Eigen::Isometry3d& pose_b, const CastOptions& options) {
  check_pose(from, "cast", "pose from");
  check_pose(to, "cast", "pose to");
  check_pose(pose_b, "cast", "pose_b");
  check_cast_options(options);
  return cast_checked(a, {from, to}, b, {pose_b, pose_b}, options);
}

CastResult cast(const Shape& a, const ShapeMotion& motion_a, const Shape& b, const ShapeMotion& motion_b,
                const CastOptions& options) {
  check_pose(motion_a.from, "cast", "motion_a.from");
  check_pose(motion_a.to, "cast", "motion_a.to");
  check_pose(motion_b.from, "cast", "motion_b.from");
  check_pose(motion_b.to, "cast", "motion_b.to");
  check_cast_options(options);
  return cast_checked(a, motion_a, b, motion_b, options);
}

void cast(const Shape& a, std::span<const ShapeMotion> motions_a, const Shape& b,
          std::span<const ShapeMotion> motions_b, std::span<CastResult> out, const CastOptions& options,
          const CastBatchOptions& batch) {
  check_cast_options(options);
  const bool one_a = motions_a.size() == 1;
  const bool one_b = motions_b.size() == 1;
  require(one_a || one_b || motions_a.size() == motions_b.size(), ErrorCode::invalid_argument,
          "cast: {} motions of a, but {} of b", motions_a.size(), motions_b.size());
  check_motions(motions_a, "motions_a");
  check_motions(motions_b, "motions_b");
  for_each_pair(one_a ? motions_b.size() : motions_a.size(), out.size(), batch, [&](std::size_t i) {
    out[i] = cast_checked(a, motions_a[one_a ? 0 : i], b, motions_b[one_b ? 0 : i], options);
  });
}

void cast(const Shape& a, const ShapeMotion& motion_a, std::span<const Shape::Part> others, std::span<CastResult> out,
          const CastOptions& options, const CastBatchOptions& batch) {
  check_pose(motion_a.from, "cast", "motion_a.from");
  check_pose(motion_a.to, "cast", "motion_a.to");
  check_cast_options(options);
  for (std::size_t i = 0; i < others.size(); ++i) {
    check_pose(others[i].pose, "cast", "others", i, ".pose");
  }
  for_each_pair(others.size(), out.size(), batch, [&](std::size_t i) {
    out[i] = cast_checked(a, motion_a, others[i].shape, {others[i].pose, others[i].pose}, options);
  });
}

}  // namespace carom
