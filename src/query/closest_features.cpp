#include "carom/query/closest_features.hpp"

#include "carom/query/query.hpp"
#include "geometry/check_pose.hpp"
#include "narrow/convex/simplex.hpp"
#include "narrow/convex/vclip.hpp"

namespace carom {
namespace {

using convex::Polyhedron;
using convex::RelativePose;
using convex::Vclip;
using math::Vec3;

/// Closest points are right if no corner reaches past them along their normal; by this, relative to the sizes.
constexpr double trusted = 1e-12;

PolyhedronFeature feature_of(const Polyhedron& p, const ShapeFeature& corners) {
  const auto first = static_cast<std::size_t>(corners.corners[0]);
  if (corners.count() == 2) {
    for (const Index e : p.vertex_edges[first]) {
      const Edge& ends = p.edges[static_cast<std::size_t>(e)];
      if (ends[0] == corners.corners[1] || ends[1] == corners.corners[1]) return {PolyhedronFeatureKind::edge, e};
    }
  }
  if (corners.count() == 3) {
    for (std::size_t f = 0; f < p.faces.size(); ++f) {
      int held = 0;
      for (const Index i : p.faces[f]) {
        for (const Index corner : corners.corners) held += corner == i ? 1 : 0;
      }
      if (held == 3) return {PolyhedronFeatureKind::face, static_cast<Index>(f)};
    }
  }
  return {PolyhedronFeatureKind::vertex, corners.corners[0]};
}

/// Whether the plane at right angles to the way between the points has all of a on one side and all of b on the other.
bool proven(const Polyhedron& a, const Polyhedron& b, const RelativePose& pose, const Vclip& v) {
  const Vec3 d = v.point_b - v.point_a;
  const double length = std::sqrt(dot(d, d));
  const double slack =
      trusted * (a.size + b.size + std::abs(pose.t.x) + std::abs(pose.t.y) + std::abs(pose.t.z)) * length;
  const Vec3 far_a = shapes::support(*a.core, d).p;
  const Vec3 far_b = pose.rotate(shapes::support(*b.core, -pose.rotate_back(d)).p) + pose.t;
  return dot(d, far_a - v.point_a) <= slack && dot(d, v.point_b - far_b) <= slack;
}

void ask_for_distance(const ConvexPolyhedron& a, const Eigen::Isometry3d& pose_a, const ConvexPolyhedron& b,
                      const Eigen::Isometry3d& pose_b, ClosestFeatures& result) {
  const QueryResult q = distance(a.shape(), pose_a, b.shape(), pose_b);
  result.asked_distance = true;
  result.overlapping = q.colliding();
  result.distance = std::max(q.distance, 0.0);
  result.feature_a = feature_of(a.data(), q.feature_a);
  result.feature_b = feature_of(b.data(), q.feature_b);
  if (result.overlapping) return;
  result.normal = q.normal;
  result.point_a = q.point_a;
  result.point_b = q.point_b;
}

}  // namespace

ClosestFeatures closest_features(const ConvexPolyhedron& a, const Eigen::Isometry3d& pose_a, const ConvexPolyhedron& b,
                                 const Eigen::Isometry3d& pose_b, FeatureCache* cache) {
  check_pose(pose_a, "closest_features", "pose_a");
  check_pose(pose_b, "closest_features", "pose_b");
  const RelativePose pose = convex::relative_pose(pose_a, pose_b);
  const Vclip v = convex::vclip(a.data(), b.data(), pose, cache != nullptr ? *cache : FeatureCache{});
  ClosestFeatures result;
  result.iterations = v.iterations;
  result.feature_a = v.features[0];
  result.feature_b = v.features[1];
  const Vec3 d = v.point_b - v.point_a;
  const double length = std::sqrt(dot(d, d));
  if (v.ending == Vclip::Ending::apart && length > 0 && proven(a.data(), b.data(), pose, v)) {
    result.distance = length;
    result.normal = pose_a.linear() * math::to_eigen(convex::unit(d));
    result.point_a = pose_a * math::to_eigen(v.point_a);
    result.point_b = pose_a * math::to_eigen(v.point_b);
  } else if (v.ending == Vclip::Ending::overlap) {
    result.overlapping = true;
    result.distance = 0;
  } else {
    ask_for_distance(a, pose_a, b, pose_b, result);
  }
  if (cache != nullptr) *cache = {result.feature_a, result.feature_b};
  return result;
}

}  // namespace carom
