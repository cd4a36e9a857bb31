#include "narrow/surface/shape_impact.hpp"

#include <algorithm>
#include <cmath>

#include "carom/mesh/closest.hpp"
#include "narrow/convex/convex.hpp"
#include "narrow/convex/free_interval.hpp"

namespace carom::narrow::surface {
namespace {

using Eigen::Vector3d;
using shapes::CoreKind;

/// Rounding of a gap, over the sizes and distances that enter it.
constexpr double gap_rounding = 8e-15;
/// In units of rounding: pairs that start closer count as overlapping, and no tolerance is smaller than twice this.
constexpr double touching_rounding = 8;

/// The motion of both, seen from the origin of the body of the shape, which stays.
class Approach {
 public:
  Approach(const convex::MovingCore& shape, const MovingTriangle& triangle) : shape_(shape) {
    const convex::SweptPose& swept_pose = shape.swept_pose;
    for (std::size_t k = 0; k < 3; ++k) {
      start_[k] = triangle.start[k] - swept_pose.from;
      motion_[k] = (triangle.end[k] - triangle.start[k]) - swept_pose.travel;
      farthest_ = std::max({farthest_, start_[k].norm(), (start_[k] + motion_[k]).norm()});
      fastest_ = std::max(fastest_, motion_[k].norm());
    }
  }

  double rounding() const {
    const double scale = shape_.reach + shape_.core.radius + std::abs(shape_.core.offset) + farthest_;
    return (gap_rounding + shape_.swept_pose.skew) * scale;
  }
  Vector3d vertex(std::size_t k, double t) const { return start_[k] + t * motion_[k]; }
  /// Unit normal of the triangle at time 0 that points away from the shape; zero if it has none.
  Vector3d normal() const {
    const Vector3d n = (start_[1] - start_[0]).cross(start_[2] - start_[0]).stableNormalized();
    return n.dot(start_[0] - shape_.lever) < 0 ? Vector3d(-n) : n;
  }

  /// Direction in which the gap is measured: fixed in the world, or the normal of a half-space, which turns with it.
  struct Axis {
    Vector3d n;
    double approach = 0;   ///< the gap shrinks no faster
    double curvature = 0;  ///< bound of the second derivative of the place of a point along the axis
  };
  Axis axis(const Vector3d& n) const {
    const double turn = shape_.swept_pose.angle;
    if (attached()) {
      if (turn == 0) return straight(outward(0));
      return {n, fastest_ + turn * farthest_, turn * (turn * farthest_ + 2 * fastest_)};
    }
    Axis axis = straight(n);
    const double across = turn > 0 ? turn * n.cross(shape_.swept_pose.axis).norm() * shape_.reach : 0;
    axis.approach += across;
    axis.curvature = turn * across;
    return axis;
  }

  double gap(const Axis& axis, double t) const {
    if (!attached()) return lowest_vertex(axis.n, t) - shape_.extent(axis.n, t) - shape_.core.radius;
    const double height = shape_.core.offset + outward(0).dot(shape_.lever);
    return lowest_vertex(outward(t), t) - height - shape_.core.radius;
  }

  /// A time up to which the gap along the axis is at least `target`, see convex::free_until.
  double free_until(const Axis& axis, double t, double now, double end, double target, double aim) const {
    if (axis.curvature > 0) {
      const auto gap_at = [&](double time) { return gap(axis, time); };
      return convex::free_until(gap_at, axis.approach, axis.curvature, t, now, end, target, aim);
    }
    // Straight motion: each vertex reaches the target when it does.
    const double above = now - lowest_vertex(axis.n, t);
    double until = end;
    for (std::size_t k = 0; k < 3; ++k) {
      const double speed = -axis.n.dot(motion_[k]);
      const double room = axis.n.dot(vertex(k, t)) + above - target;
      if (speed > 0 && room < speed * (until - t)) until = t + std::max(room, 0.0) / speed;
    }
    return until;
  }

  void closest_points(double t, mesh::TriangleCore& core, QueryCache& cache, QueryResult& result) const {
    std::array<Vector3d, 3> x{vertex(0, t), vertex(1, t), vertex(2, t)};
    const Vector3d middle = (x[0] + x[1] + x[2]) / 3;
    shapes::TriangleCorners corners;
    for (std::size_t k = 0; k < 3; ++k) corners[k] = math::to_vec3(x[k] - middle);
    Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
    at.translation() = middle;
    // From the last answer, a search on a round shape may end 2e-5 of the sizes beside the closest points.
    QueryCache* const last = shape_.core.polytope() ? &cache : nullptr;
    convex::query(convex::Question::distance, shape_.core, shape_.pose(t), core.set(corners, 0), at, last, result);
    if (result.distance > 0 || attached()) return;
    // Thin triangles that are much larger than the shape may be found to overlap where they do not: the plane of the
    // triangle can show that.
    const Vector3d n = (x[1] - x[0]).cross(x[2] - x[0]).stableNormalized();
    for (const Vector3d& side : {n, Vector3d(-n)}) {
      const double sure = n.squaredNorm() > 0.5 ? gap(axis(side), t) : -INFINITY;
      if (!(sure > std::max(result.distance, 0.0))) continue;
      result.distance = sure;
      result.normal = side;
    }
  }

 private:
  bool attached() const { return shape_.core.kind == CoreKind::half_space; }
  /// Normal of the half-space.
  Vector3d outward(double t) const {
    const Vector3d n = shape_.start * math::to_eigen(shape_.core.size);
    const double angle = t * shape_.swept_pose.angle;
    return angle == 0 ? n : Vector3d(Eigen::AngleAxisd(angle, shape_.swept_pose.axis) * n);
  }
  double lowest_vertex(const Vector3d& n, double t) const {
    return std::min({n.dot(vertex(0, t)), n.dot(vertex(1, t)), n.dot(vertex(2, t))});
  }
  Axis straight(const Vector3d& n) const {
    return {n, -std::min({n.dot(motion_[0]), n.dot(motion_[1]), n.dot(motion_[2])}), 0};
  }

  const convex::MovingCore& shape_;
  std::array<Vector3d, 3> start_;   ///< from the origin of the body
  std::array<Vector3d, 3> motion_;  ///< relative to it
  double farthest_ = 0;
  double fastest_ = 0;
};

void fill_hit(const Approach& approach, const MovingTriangle& triangle, double t, const QueryResult& closest,
              ShapeImpact& result) {
  result.hit = true;
  result.time = t;
  result.distance = closest.distance;
  result.error = closest.error;
  result.normal = closest.normal;
  const VertexTriangleClosest on_triangle =
      closest_vertex_triangle(closest.point_b, approach.vertex(0, t), approach.vertex(1, t), approach.vertex(2, t));
  for (std::size_t k = 0; k < 3; ++k) {
    result.weights[k] = on_triangle.weights[static_cast<Eigen::Index>(k)];
    result.point += result.weights[k] * (triangle.start[k] + t * (triangle.end[k] - triangle.start[k]));
  }
}

}  // namespace

ShapeImpact shape_impact(const convex::MovingCore& shape, const MovingTriangle& triangle,
                         const ShapeImpactOptions& options, mesh::TriangleCore& triangle_core) {
  ShapeImpact result;
  result.limit = options.separation;
  const Approach approach(shape, triangle);
  const double rounding = approach.rounding();
  const double end = options.end;
  const auto stays_above = [&](const Approach::Axis& axis, double t, double now, double limit) {
    const double floor = limit + rounding;
    return now > floor && approach.free_until(axis, t, now, end, floor, floor) >= end;
  };
  // Most triangles stay on their side of the shape, which is cheaper to show than closest points are to find.
  if (const Vector3d n = approach.normal(); n.squaredNorm() > 0.5) {
    const Approach::Axis axis = approach.axis(n);
    if (stays_above(axis, 0, approach.gap(axis, 0), options.separation)) return result;
  }
  QueryCache cache;
  QueryResult closest;
  approach.closest_points(0, triangle_core, cache, closest);
  const double touching = touching_rounding * rounding;
  if (closest.distance <= touching) {
    result.overlapping = true;
    result.distance = closest.distance;
    return result;
  }
  // The gap along the normal is sure; the distance of round shapes may be less than the query found.
  const double gap_at_start = approach.gap(approach.axis(closest.normal), 0);
  const double first = std::max(std::min(closest.distance, gap_at_start), touching);
  const double tolerance = std::max(options.tolerance, 2 * touching);
  result.limit = std::min(options.separation, first - std::min(tolerance, first / 2));
  // Steps end between `target` and `aim`; a pair that starts close still has most of its room above them.
  const double band = std::max(std::min(tolerance, (first - result.limit) / 4), 2 * rounding);
  const double target = result.limit + 0.5 * band;
  const double aim = result.limit + 0.75 * band;
  double t = 0;
  for (;;) {
    ++result.iterations;
    const Approach::Axis axis = approach.axis(closest.normal);
    const double now = approach.gap(axis, t);
    if (closest.distance <= result.limit + band || now <= target) {
      // Close, but no hit if they come no closer than the limit from here on.
      if (stays_above(axis, t, now, result.limit)) return result;
      result.limited = closest.distance > result.limit + tolerance;
      break;
    }
    const double next = approach.free_until(axis, t, now, end, target, aim);
    if (next >= end) return result;
    if (result.iterations >= options.max_iterations || !(next > t)) {
      result.limited = true;
      break;
    }
    t = next;
    approach.closest_points(t, triangle_core, cache, closest);
  }
  fill_hit(approach, triangle, t, closest, result);
  return result;
}

}  // namespace carom::narrow::surface
