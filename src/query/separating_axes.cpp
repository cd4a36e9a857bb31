#include "carom/query/separating_axes.hpp"

#include <cmath>

#include "core/check.hpp"
#include "narrow/convex/axes.hpp"
#include "narrow/convex/polygon_overlap.hpp"
#include "query/first_contact.hpp"

namespace carom {
namespace {

using convex::Axis;
using convex::Polyhedron;
using convex::RelativePose;
using math::Vec3;

thread_local convex::AxisScratch scratch;

/// Corners that lie farthest along n, in the order of a face if they are one; n in the frame of the polyhedron.
std::vector<Index> touching_corners(const Polyhedron& p, const Eigen::Vector3d& n, Index face, double slack) {
  if (face != none) {
    const auto corners = p.faces[static_cast<std::size_t>(face)];
    return {corners.begin(), corners.end()};
  }
  double highest = -INFINITY;
  for (const auto& corner : p.corners) highest = std::max(highest, n.dot(corner));
  std::vector<Index> found;
  for (std::size_t i = 0; i < p.corners.size(); ++i) {
    if (n.dot(p.corners[i]) >= highest - slack) found.push_back(static_cast<Index>(i));
  }
  if (found.size() <= 2) return found;
  // The face all of whose corners are among them, if there is one that looks this way.
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    if (p.faces[f].size() < found.size() || math::to_eigen(p.normals[f]).dot(n) <= 0) continue;
    bool all = true;
    for (const Index i : p.faces[f]) all = all && n.dot(p.corners[static_cast<std::size_t>(i)]) >= highest - slack;
    if (all) return {p.faces[f].begin(), p.faces[f].end()};
  }
  return found;
}

/// Counter-clockwise for u, v, whatever side they were seen from.
convex::FlatPoints flattened(const std::vector<Eigen::Vector3d>& points, const Eigen::Vector3d& u,
                             const Eigen::Vector3d& v) {
  convex::FlatPoints result;
  for (const auto& p : points) result.emplace_back(u.dot(p), v.dot(p));
  if (result.size() < 3) return result;
  const ConvexPolygon polygon(result);
  return {polygon.corners().begin(), polygon.corners().end()};
}

void add_contact_set(const ConvexPolyhedron& a, const Eigen::Isometry3d& pose_a, const ConvexPolyhedron& b,
                     const Eigen::Isometry3d& pose_b, const Axis& axis, ContactInterval<3>& result) {
  const double size = a.data().size + b.data().size;
  const Eigen::Vector3d n = result.normal;
  result.corners_a = touching_corners(a.data(), pose_a.linear().transpose() * n,
                                      axis.kind == AxisKind::side_of_a ? axis.a : none, along_contact * size);
  result.corners_b = touching_corners(b.data(), pose_b.linear().transpose() * -n,
                                      axis.kind == AxisKind::side_of_b ? axis.b : none, along_contact * size);
  // Relative to a corner of the contact, so that places far from the origin lose nothing.
  const Eigen::Vector3d origin = pose_a * a.data().corners[static_cast<std::size_t>(result.corners_a[0])];
  const auto placed = [&](const Polyhedron& p, const Eigen::Isometry3d& pose, const std::vector<Index>& corners) {
    std::vector<Eigen::Vector3d> points;
    for (const Index i : corners) points.emplace_back(pose * p.corners[static_cast<std::size_t>(i)] - origin);
    return points;
  };
  const Eigen::Vector3d u = n.unitOrthogonal();
  const Eigen::Vector3d v = n.cross(u);
  const convex::FlatPoints on_a = flattened(placed(a.data(), pose_a, result.corners_a), u, v);
  const convex::FlatPoints on_b = flattened(placed(b.data(), pose_b, result.corners_b), u, v);
  for (const Eigen::Vector2d& p : convex::common_part(on_a, on_b, along_contact * size)) {
    result.points.emplace_back(origin + p.x() * u + p.y() * v);
  }
}

}  // namespace

ConvexPolyhedron::ConvexPolyhedron(const Shape& shape) : data_(std::make_shared<Polyhedron>(shape)) {}
const Shape& ConvexPolyhedron::shape() const {
  return data_->shape;
}
std::span<const Eigen::Vector3d> ConvexPolyhedron::corners() const {
  return data_->corners;
}
const IndexLists& ConvexPolyhedron::faces() const {
  return data_->faces;
}
std::span<const Edge> ConvexPolyhedron::edges() const {
  return data_->edges;
}

AxisSeparation<3> separation(const ConvexPolyhedron& a, const Eigen::Isometry3d& pose_a, const ConvexPolyhedron& b,
                             const Eigen::Isometry3d& pose_b) {
  check_pose(pose_a, "separation", "pose_a");
  check_pose(pose_b, "separation", "pose_b");
  const RelativePose pose = convex::relative_pose(pose_a, pose_b);
  AxisSeparation<3> best;
  best.distance = -INFINITY;
  Vec3 normal{1, 0, 0};
  convex::visit_axes(a.data(), b.data(), pose, scratch, [&](const Axis& axis) {
    const double inverse = axis.kind == AxisKind::side_of_a ? a.data().inverse_lengths[static_cast<std::size_t>(axis.a)]
                           : axis.kind == AxisKind::side_of_b
                               ? b.data().inverse_lengths[static_cast<std::size_t>(axis.b)]
                               : 1 / std::sqrt(dot(axis.n, axis.n));
    const double gap = axis.gap * inverse;
    if (!(gap > best.distance)) return true;
    best.distance = gap;
    best.kind = axis.kind;
    best.feature_a = axis.a;
    best.feature_b = axis.b;
    normal = inverse * axis.n;
    return true;
  });
  best.normal = pose_a.linear() * math::to_eigen(normal);
  return best;
}

ContactInterval<3> contact_interval(const ConvexPolyhedron& a, const Eigen::Isometry3d& pose_a,
                                    const Eigen::Vector3d& velocity_a, const ConvexPolyhedron& b,
                                    const Eigen::Isometry3d& pose_b, const Eigen::Vector3d& velocity_b, double end) {
  check_pose(pose_a, "contact_interval", "pose_a");
  check_pose(pose_b, "contact_interval", "pose_b");
  check_motion<3>(velocity_a, velocity_b, end);
  const RelativePose pose = convex::relative_pose(pose_a, pose_b);
  const Vec3 velocity = math::to_vec3(pose_a.linear().transpose() * (velocity_b - velocity_a));
  const double slack = touching * (a.data().size + b.data().size);
  convex::ContactTimes times;
  Axis touch;
  convex::visit_axes(a.data(), b.data(), pose, scratch, [&](const Axis& axis) {
    const double length = std::sqrt(dot(axis.n, axis.n));
    if (times.narrow(axis.gap, dot(axis.n, velocity), slack * length, end)) touch = axis;
    return times.meet;
  });
  ContactInterval<3> result;
  FirstTouch<3> there{pose_a, pose_b};
  if (start_interval<3>(times, touch.kind, math::to_eigen(touch.n), velocity_a, velocity_b, there, result))
    add_contact_set(a, there.pose_a, b, there.pose_b, touch, result);
  return result;
}

}  // namespace carom
