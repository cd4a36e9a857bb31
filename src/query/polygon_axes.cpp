#include <cmath>

#include "carom/query/separating_axes.hpp"
#include "core/check.hpp"
#include "narrow/convex/polygon_tree.hpp"
#include "query/first_contact.hpp"

namespace carom {
namespace {

using convex::ContactTimes;
using convex::PolygonTree;
using Eigen::Vector2d;

Vector2d turned_back(const Vector2d& side) {
  return {side.y(), -side.x()};
}

/// In the frame of a, from a to b, of any length.
struct PolygonAxis {
  Vector2d n;
  double gap = 0;
  AxisKind kind = AxisKind::other;
  Index side = none;
};

/// visit(PolygonAxis) -> bool, false to end. The sides of the difference of two polygons are those of both.
template <class Visit>
void visit_axes(const PolygonTree& a, const PolygonTree& b, const Eigen::Matrix2d& r, const Vector2d& t,
                Visit&& visit) {
  const auto farthest_a = [&](const Vector2d& n) { return a.corners[static_cast<std::size_t>(a.extreme(n))]; };
  const auto farthest_b = [&](const Vector2d& n) -> Vector2d {
    return r * b.corners[static_cast<std::size_t>(b.extreme(r.transpose() * n))] + t;
  };
  // A segment has two sides, one on either hand.
  for (std::size_t k = 0; k < a.size() && a.size() > 1; ++k) {
    const Vector2d n = turned_back(a.side(k));
    if (!visit(PolygonAxis{n, n.dot(farthest_b(-n) - a.corners[k]), AxisKind::side_of_a, static_cast<Index>(k)}))
      return;
  }
  for (std::size_t k = 0; k < b.size() && b.size() > 1; ++k) {
    const Vector2d n = -(r * turned_back(b.side(k)));
    const Vector2d on_b = r * b.corners[k] + t;
    if (!visit(PolygonAxis{n, n.dot(on_b - farthest_a(n)), AxisKind::side_of_b, static_cast<Index>(k)})) return;
  }
  if (a.size() > 2 || b.size() > 2) return;
  // Two segments in a line, or points: their difference has no area, and ends of its own.
  const Vector2d along = a.size() == 2 ? a.side(0) : b.size() == 2 ? Vector2d(r * b.side(0)) : Vector2d(1, 0);
  for (const Vector2d& n : {along, Vector2d(-along), Vector2d(turned_back(along)), Vector2d(-turned_back(along))}) {
    if (!visit(PolygonAxis{n, n.dot(farthest_b(-n) - farthest_a(n)), AxisKind::other, none})) return;
  }
}

struct Relative {
  Relative(const Eigen::Isometry2d& pose_a, const Eigen::Isometry2d& pose_b) {
    r = pose_a.linear().transpose() * pose_b.linear();
    t = pose_a.linear().transpose() * (pose_b.translation() - pose_a.translation());
  }
  Eigen::Matrix2d r;
  Vector2d t;
};

double size_of(const PolygonTree& p) {
  double size = 0;
  for (const Vector2d& corner : p.corners) size = std::max(size, corner.norm());
  return size;
}

/// The farthest corner, and the next or the last one if the side to it lies across the direction.
std::vector<Index> touching_corners(const PolygonTree& p, const Vector2d& n, double slack) {
  const Index best = p.extreme(n);
  const auto count = static_cast<Index>(p.size());
  const double highest = n.dot(p.corners[static_cast<std::size_t>(best)]);
  for (const Index other : {(best + 1) % count, (best + count - 1) % count}) {
    if (other != best && n.dot(p.corners[static_cast<std::size_t>(other)]) >= highest - slack) {
      return {std::min(best, other), std::max(best, other)};
    }
  }
  return {best};
}

void add_contact_set(const PolygonTree& a, const Eigen::Isometry2d& pose_a, const PolygonTree& b,
                     const Eigen::Isometry2d& pose_b, ContactInterval<2>& result) {
  const double slack = along_contact * (size_of(a) + size_of(b));
  const Vector2d n = result.normal;
  const Vector2d along(-n.y(), n.x());
  result.corners_a = touching_corners(a, pose_a.linear().transpose() * n, slack);
  result.corners_b = touching_corners(b, pose_b.linear().transpose() * -n, slack);
  const Vector2d origin = pose_a * a.corners[static_cast<std::size_t>(result.corners_a[0])];
  const auto interval = [&](const PolygonTree& p, const Eigen::Isometry2d& pose, const std::vector<Index>& corners) {
    std::pair<double, double> ends{INFINITY, -INFINITY};
    for (const Index i : corners) {
      const double x = along.dot(pose * p.corners[static_cast<std::size_t>(i)] - origin);
      ends = {std::min(ends.first, x), std::max(ends.second, x)};
    }
    return ends;
  };
  const auto [low_a, high_a] = interval(a, pose_a, result.corners_a);
  const auto [low_b, high_b] = interval(b, pose_b, result.corners_b);
  const double low = std::max(low_a, low_b);
  const double high = std::min(high_a, high_b);
  result.points.emplace_back(origin + low * along);
  if (high - low > slack) result.points.emplace_back(origin + high * along);
}

}  // namespace

ConvexPolygon::ConvexPolygon(std::span<const Vector2d> points) {
  require(!points.empty(), ErrorCode::invalid_argument, "polygon: there is no point");
  for (std::size_t i = 0; i < points.size(); ++i) {
    require(points[i].allFinite() && points[i].cwiseAbs().maxCoeff() <= farthest_place, ErrorCode::not_finite,
            "polygon: point {} is not finite, or beyond {}", i, farthest_place);
  }
  tree_ = std::make_shared<PolygonTree>(points);
}
std::span<const Vector2d> ConvexPolygon::corners() const {
  return tree_->corners;
}
Index ConvexPolygon::extreme(const Vector2d& direction) const {
  return tree_->extreme(direction);
}

AxisSeparation<2> separation(const ConvexPolygon& a, const Eigen::Isometry2d& pose_a, const ConvexPolygon& b,
                             const Eigen::Isometry2d& pose_b) {
  check_pose(pose_a, "separation", "pose_a");
  check_pose(pose_b, "separation", "pose_b");
  const Relative relative(pose_a, pose_b);
  AxisSeparation<2> best;
  best.distance = -INFINITY;
  best.normal = Vector2d::UnitX();
  visit_axes(a.data(), b.data(), relative.r, relative.t, [&](const PolygonAxis& axis) {
    const double length = axis.n.norm();
    if (!(axis.gap / length > best.distance)) return true;
    best.distance = axis.gap / length;
    best.normal = axis.n / length;
    best.kind = axis.kind;
    best.feature_a = axis.kind == AxisKind::side_of_a ? axis.side : none;
    best.feature_b = axis.kind == AxisKind::side_of_b ? axis.side : none;
    return true;
  });
  best.normal = pose_a.linear() * best.normal;
  return best;
}

ContactInterval<2> contact_interval(const ConvexPolygon& a, const Eigen::Isometry2d& pose_a, const Vector2d& velocity_a,
                                    const ConvexPolygon& b, const Eigen::Isometry2d& pose_b, const Vector2d& velocity_b,
                                    double end) {
  check_pose(pose_a, "contact_interval", "pose_a");
  check_pose(pose_b, "contact_interval", "pose_b");
  check_motion<2>(velocity_a, velocity_b, end);
  const Relative relative(pose_a, pose_b);
  const Vector2d velocity = pose_a.linear().transpose() * (velocity_b - velocity_a);
  const double slack = touching * (size_of(a.data()) + size_of(b.data()));
  ContactTimes times;
  PolygonAxis touch;
  visit_axes(a.data(), b.data(), relative.r, relative.t, [&](const PolygonAxis& axis) {
    if (times.narrow(axis.gap, axis.n.dot(velocity), slack * axis.n.norm(), end)) touch = axis;
    return times.meet;
  });
  ContactInterval<2> result;
  FirstTouch<2> there{pose_a, pose_b};
  if (start_interval<2>(times, touch.kind, touch.n, velocity_a, velocity_b, there, result))
    add_contact_set(a.data(), there.pose_a, b.data(), there.pose_b, result);
  return result;
}

}  // namespace carom
