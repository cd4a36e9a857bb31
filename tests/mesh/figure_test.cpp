#include "carom/mesh/figure.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "carom/core/error.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

TEST(Figure, StandsOnTheGroundInClosedParts) {
  for (const double height : {1.75, 1.2}) {
    const MeshReport report = inspect(make_figure(height, 24));
    EXPECT_TRUE(report.clean());
    EXPECT_EQ(report.components, 13U) << "trunk, and six parts on each side";
    EXPECT_NEAR(report.box_max.y(), height, 1e-12);
    EXPECT_NEAR(report.box_min.y(), 0, 0.01 * height);
    EXPECT_NEAR(report.box_min.x(), -report.box_max.x(), 1e-12) << "symmetric";
    EXPECT_GT(report.volume, 0) << "oriented outward";
  }
}

TEST(Figure, WalksForwardOnItsFeetAndKeepsTheShapeOfItsParts) {
  const TriangleMesh mesh = make_figure(1.75, 16);
  const auto walk = make_figure_walk(1.75, 16);
  std::vector<Vector3d> x(mesh.positions.size());
  walk(0, x);
  for (std::size_t v = 0; v < x.size(); ++v) ASSERT_LT((x[v] - mesh.positions[v]).norm(), 1e-12);
  std::vector<Vector3d> last = x;
  double fastest = 0;
  constexpr double dt = 1.0 / 240;
  for (double time = dt; time < figure_walk_duration; time += dt) {
    walk(time, x);
    double low = INFINITY;
    for (std::size_t v = 0; v < x.size(); ++v) {
      low = std::min(low, x[v].y());
      fastest = std::max(fastest, (x[v] - last[v]).norm() / dt);
    }
    ASSERT_NEAR(low, 0, 0.05) << "a foot is on the ground at " << time;
    last = x;
  }
  EXPECT_GT(fastest, 1);
  EXPECT_LT(fastest, 6) << "nothing jumps";
  double forward = 0;
  for (std::size_t v = 0; v < x.size(); ++v) forward += (x[v] - mesh.positions[v]).z() / static_cast<double>(x.size());
  EXPECT_GT(forward, 3);
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = static_cast<std::size_t>(t[k]);
      const auto b = static_cast<std::size_t>(t[(k + 1) % 3]);
      ASSERT_NEAR((x[a] - x[b]).norm(), (mesh.positions[a] - mesh.positions[b]).norm(), 1e-12);
    }
  }
}

TEST(Figure, ParametersOutOfRangeAreNamed) {
  EXPECT_THROW(make_figure(0, 24), Error);
  EXPECT_THROW(make_figure(1.75, 7), Error);
}

}  // namespace
}  // namespace carom
