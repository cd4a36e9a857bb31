#include "narrow/convex/convex_manifold.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "carom/shape/shape.hpp"
#include "shapes/shape_data.hpp"

namespace carom::convex {
namespace {

using Eigen::Vector3d;

ConvexManifold patch_of(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                        const Eigen::Isometry3d& pose_b, double within) {
  QueryCache cache;
  ConvexManifold found;
  find_manifold(a.data().core, pose_a, b.data().core, pose_b, within, cache, found);
  return found;
}

/// The distance of the point of a patch that is over or under p, or infinity.
double distance_at(const ConvexManifold& patch, const Vector3d& p) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(patch.count); ++i) {
    const Vector3d off = math::to_eigen(patch.points[i].middle) - p;
    if (std::hypot(off.x(), off.z()) < 1e-6) return patch.points[i].distance;
  }
  return INFINITY;
}

/// A hull whose lower side is folded along a diagonal, by little: whichever of its two faces is the more level one, all
/// four corners carry.
TEST(ConvexManifold, HasTheCornersOfBothFacesOfAFold) {
  const double rise = 0.02;
  const std::vector<Vector3d> low{{-1, 0, -1}, {1, rise, -1}, {1, 0, 1}, {-1, rise, 1}};
  std::vector<Vector3d> points = low;
  points.emplace_back(0, 2, 0);
  const Shape hull = Shape::hull(points);
  const Shape box = Shape::box({5, 0.5, 5});
  const Shape plane = Shape::half_space({0, 1, 0}, 0);
  for (int step = -8; step <= 8; ++step) {
    // About the fold, so that the one or the other face comes down.
    Eigen::Isometry3d pose(Eigen::AngleAxisd(0.001 * step, Vector3d(1, 0, 1).normalized()));
    pose.pretranslate(Vector3d(0, -0.004, 0));
    const Eigen::Isometry3d under(Eigen::Translation3d(0, -0.5, 0));
    const Eigen::Isometry3d here = Eigen::Isometry3d::Identity();
    for (const ConvexManifold& found :
         {patch_of(box, under, hull, pose, 0.1), patch_of(hull, pose, box, under, 0.1),
          patch_of(plane, here, hull, pose, 0.1), patch_of(hull, pose, plane, here, 0.1)}) {
      EXPECT_EQ(found.count, 4);
      for (const Vector3d& corner : low) {
        const Vector3d p = pose * corner;
        EXPECT_NEAR(distance_at(found, p), p.y(), 1e-9) << "step " << step << ", corner " << corner.transpose();
      }
    }
  }
}

/// Of five corners those that are left out are none that touch, though they are farther out.
TEST(ConvexManifold, KeepsWhatTouches) {
  const std::vector<Vector3d> touching{{0, -0.0005, 0}, {0.042, 0, 0.355}, {0.303, 0, 0.021}};
  std::vector<Vector3d> points = touching;
  points.emplace_back(0.36, 0.0163, 0.185);
  points.emplace_back(0.195, 0.0044, -0.047);
  points.emplace_back(0.15, 0.3, 0.15);
  const Shape hull = Shape::hull(points);
  const Eigen::Isometry3d under(Eigen::Translation3d(0, -0.5, 0));
  const ConvexManifold found =
      patch_of(Shape::box({5, 0.5, 5}), under, hull, Eigen::Isometry3d(Eigen::Isometry3d::Identity()), 0.02);
  for (const Vector3d& corner : touching) EXPECT_NEAR(distance_at(found, corner), corner.y(), 1e-9);
}

}  // namespace
}  // namespace carom::convex
