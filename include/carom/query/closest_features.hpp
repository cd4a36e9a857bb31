#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "carom/core/unset.hpp"
#include "carom/query/separating_axes.hpp"

/// The closest features of two convex polyhedra by their Voronoi regions.
namespace carom {

enum class PolyhedronFeatureKind { vertex, edge, face };

/// A corner, an edge or a face of a ConvexPolyhedron, by its number.
struct PolyhedronFeature {
  PolyhedronFeatureKind kind = PolyhedronFeatureKind::vertex;
  Index index = 0;
};

/// Features where the search begins, and where it ended: kept by the caller, one for each pair. Any state gives a right
/// answer; that of a moment ago a quick one.
struct FeatureCache {
  PolyhedronFeature a;
  PolyhedronFeature b;
};

struct ClosestFeatures {
  /// Whether they touch or overlap: then the features are some that do, one of them a face as a rule, the distance is
  /// 0, and normal and points are not set. penetration() tells the depth.
  bool overlapping = false;
  double distance = unset;                                     ///< m
  Eigen::Vector3d normal = Eigen::Vector3d::Constant(unset);   ///< from a to b
  Eigen::Vector3d point_a = Eigen::Vector3d::Constant(unset);  ///< in the world, as all else
  Eigen::Vector3d point_b = Eigen::Vector3d::Constant(unset);
  PolyhedronFeature feature_a;
  PolyhedronFeature feature_b;
  int iterations = 0;
  /// Rounding kept the regions from agreeing, and distance() was asked instead.
  bool asked_distance = false;
};

/// Throws Error for a pose that is not a rotation and a translation, as distance() does.
ClosestFeatures closest_features(const ConvexPolyhedron& a, const Eigen::Isometry3d& pose_a, const ConvexPolyhedron& b,
                                 const Eigen::Isometry3d& pose_b, FeatureCache* cache = nullptr);

}  // namespace carom
