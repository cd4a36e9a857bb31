#include <Eigen/Geometry>
#include <cmath>

#include "carom/query/query.hpp"
#include "core/check.hpp"
#include "geometry/check_pose.hpp"
#include "geometry/clip_polygon.hpp"
#include "narrow/convex/contact_polygon.hpp"
#include "query/ask.hpp"
#include "shapes/shape_data.hpp"

// The parts of both shapes that lie farthest along the normal are clipped against each other: the one with more corners
// is the reference, the other is cut by the planes through its edges. What is left and near enough is projected
// on both along the normal.
namespace carom {
namespace {

using Polygon = std::vector<Eigen::Vector3d>;

/// Edges and faces tilted by less than this (a sine) against the contact plane take part.
constexpr double max_tilt = 0.05;

Polygon world_polygon(const Shape& shape, const Eigen::Isometry3d& pose, const Eigen::Vector3d& direction) {
  const shapes::Core& core = shape.data().core;
  Polygon polygon = convex::contact_polygon(core, pose.linear().transpose() * direction, max_tilt);
  for (Eigen::Vector3d& p : polygon) p = pose * p + core.radius * direction;
  return polygon;
}

Polygon clip(Polygon polygon, const Polygon& reference, const Eigen::Vector3d& normal) {
  const std::size_t n = reference.size();
  // Rounding must not lose the corner of a face that lies exactly on the other's rim.
  const double slack = 1e-9 * (reference[1] - reference[0]).norm();
  if (n == 2) {
    const Eigen::Vector3d along = (reference[1] - reference[0]).normalized();
    polygon = geometry::clip_polygon(polygon, along, along.dot(reference[1]) + slack);
    return geometry::clip_polygon(polygon, -along, -along.dot(reference[0]) + slack);
  }
  for (std::size_t i = 0; i < n && !polygon.empty(); ++i) {
    const Eigen::Vector3d out = (reference[(i + 1) % n] - reference[i]).cross(normal);
    const double length = out.norm();
    if (length > 0) polygon = geometry::clip_polygon(polygon, out / length, out.dot(reference[i]) / length + slack);
  }
  return polygon;
}

/// Two edges that are not parallel touch in a point.
bool edges_cross(const Polygon& a, const Polygon& b) {
  if (a.size() != 2 || b.size() != 2) return false;
  return (a[1] - a[0]).normalized().cross((b[1] - b[0]).normalized()).norm() > max_tilt;
}

/// The height of the plane of a face, or of the line of a segment along itself, above or below p along the normal.
double height_at(const Polygon& face, const Eigen::Vector3d& normal, const Eigen::Vector3d& p) {
  if (face.size() == 2) {
    const Eigen::Vector3d d = face[1] - face[0];
    const Eigen::Vector3d flat = d - d.dot(normal) * normal;
    const double t = flat.squaredNorm() > 0 ? (p - face[0]).dot(flat) / flat.squaredNorm() : 0;
    return normal.dot(face[0] + t * d);
  }
  Eigen::Vector3d m = Eigen::Vector3d::Zero();
  for (std::size_t i = 1; i + 1 < face.size(); ++i) m += (face[i] - face[0]).cross(face[i + 1] - face[0]);
  const double slope = m.dot(normal);
  return slope != 0 ? normal.dot(p) - m.dot(p - face[0]) / slope : normal.dot(face[0]);
}

}  // namespace

Manifold manifold(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
                  double within) {
  require(std::isfinite(within), ErrorCode::not_finite, "manifold: within is not finite");
  require(within >= 0, ErrorCode::invalid_argument, "manifold: within is {}, expected at least 0", within);
  for (const auto& [shape, name] : {std::pair{&a, "a"}, {&b, "b"}}) {
    require(shape->convex(), ErrorCode::invalid_argument, "manifold: {} is a {}, expected a convex shape", name,
            to_string(shape->kind()));
  }
  check_pose(pose_a, "manifold", "pose_a");
  check_pose(pose_b, "manifold", "pose_b");
  Manifold result;
  result.closest = ask(convex::Question::distance, a, pose_a, b, pose_b);
  const QueryResult& closest = result.closest;
  if (!(closest.distance <= within)) return result;
  const auto single = [&] { result.points = {{closest.point_a, closest.point_b, closest.distance}}; };
  const Eigen::Vector3d n = closest.normal;
  // A half-space is a face without end: the other's part needs no clipping.
  const bool plane_a = a.kind() == ShapeKind::half_space;
  const bool plane_b = b.kind() == ShapeKind::half_space;
  if (plane_a && plane_b) {
    single();
    return result;
  }
  const Polygon of_a = plane_a ? Polygon{} : world_polygon(a, pose_a, n);
  const Polygon of_b = plane_b ? Polygon{} : world_polygon(b, pose_b, -n);
  Polygon common;
  if (plane_a || plane_b) {
    common = plane_a ? of_b : of_a;
  } else if (of_a.size() == 1 || of_b.size() == 1 || edges_cross(of_a, of_b)) {
    single();
    return result;
  } else {
    const bool a_is_reference = of_a.size() >= of_b.size();
    // Faces are counter-clockwise seen from outside their own shape.
    common = clip(a_is_reference ? of_b : of_a, a_is_reference ? of_a : of_b, a_is_reference ? n : Eigen::Vector3d(-n));
  }
  for (const Eigen::Vector3d& p : common) {
    const double along = n.dot(p);
    const double ha = plane_a ? n.dot(closest.point_a) : height_at(of_a, n, p);
    const double hb = plane_b ? n.dot(closest.point_b) : height_at(of_b, n, p);
    if (hb - ha <= within) result.points.push_back({p + (ha - along) * n, p + (hb - along) * n, hb - ha});
  }
  if (result.points.empty()) single();
  return result;
}

}  // namespace carom
