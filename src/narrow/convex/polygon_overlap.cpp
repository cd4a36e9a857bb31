#include "narrow/convex/polygon_overlap.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/clip_polygon.hpp"

namespace carom::convex {
namespace {

using Eigen::Vector2d;

double cross(const Vector2d& a, const Vector2d& b) {
  return a.x() * b.y() - a.y() * b.x();
}

void drop_repeated(FlatPoints& points, double slack) {
  FlatPoints kept;
  for (const Vector2d& p : points) {
    const auto same = [&](const Vector2d& q) { return (p - q).norm() <= 4 * slack; };
    if (std::none_of(kept.begin(), kept.end(), same)) kept.push_back(p);
  }
  points = std::move(kept);
}

/// Two segments that are not parallel: where their lines cross, kept on both.
Vector2d crossing(const FlatPoints& a, const FlatPoints& b) {
  const Vector2d da = a[1] - a[0];
  const Vector2d db = b[1] - b[0];
  const double t = std::clamp(cross(b[0] - a[0], db) / cross(da, db), 0.0, 1.0);
  return a[0] + t * da;
}

FlatPoints cut_by(const FlatPoints& points, const FlatPoints& by, double slack) {
  FlatPoints left = points;
  if (by.size() == 2) {
    const Vector2d along = (by[1] - by[0]).normalized();
    left = geometry::clip_polygon(left, along, along.dot(by[1]) + slack);
    return geometry::clip_polygon(left, -along, -along.dot(by[0]) + slack);
  }
  for (std::size_t i = 0; i < by.size() && !left.empty(); ++i) {
    const Vector2d side = (by[(i + 1) % by.size()] - by[i]).normalized();
    const Vector2d out(side.y(), -side.x());
    left = geometry::clip_polygon(left, out, out.dot(by[i]) + slack);
  }
  return left;
}

}  // namespace

FlatPoints common_part(const FlatPoints& a, const FlatPoints& b, double slack) {
  if (a.size() == 1 || b.size() == 1) return a.size() == 1 ? a : b;
  FlatPoints common;
  if (a.size() == 2 && b.size() == 2) {
    const Vector2d da = a[1] - a[0];
    const Vector2d db = b[1] - b[0];
    if (std::abs(cross(da, db)) > 1e-9 * da.norm() * db.norm()) return {crossing(a, b)};
    common = cut_by(a, b, slack);
  } else {
    common = a.size() == 2 || b.size() > 2 ? cut_by(a, b, slack) : cut_by(b, a, slack);
  }
  drop_repeated(common, slack);
  // By rounding: then they touch in about one point, and any of the shorter one is as good.
  if (common.empty()) return {a[0]};
  return common;
}

}  // namespace carom::convex
