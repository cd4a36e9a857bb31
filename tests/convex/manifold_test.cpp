#include <gtest/gtest.h>

#include <array>

#include "carom/query/query.hpp"

namespace carom {
namespace {

// The face with more corners clips the other, whichever of the two shapes has it.
TEST(Manifold, FaceOfTheSecondShapeMayHaveMoreCorners) {
  const std::array<Eigen::Vector3d, 6> corners{
      {{-0.3, -0.1, -0.3}, {0.3, -0.1, -0.3}, {0, -0.1, 0.3}, {-0.3, 0.1, -0.3}, {0.3, 0.1, -0.3}, {0, 0.1, 0.3}}};
  const Shape prism = Shape::hull(corners);
  const Shape box = Shape::box({1, 0.5, 1});
  const Eigen::Isometry3d here = Eigen::Isometry3d::Identity();
  const Eigen::Isometry3d above(Eigen::Translation3d(0, 0.59, 0));
  for (const bool swapped : {false, true}) {
    const Manifold m = swapped ? manifold(box, above, prism, here) : manifold(prism, here, box, above);
    ASSERT_EQ(m.points.size(), 3U) << (swapped ? "box first" : "prism first");
    for (const ManifoldPoint& p : m.points) EXPECT_NEAR(p.distance, -0.01, 1e-12);
  }
}

}  // namespace
}  // namespace carom
