#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstring>
#include <numbers>

#include "carom/detect/detect.hpp"
#include "carom/mesh/generate.hpp"
#include "every_target.hpp"
#include "oracle/soup.hpp"

// Contacts found by clusters, on every instruction set this machine has, against those of the sweep.
namespace carom {
namespace {

class ClusterKernels : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, ClusterKernels, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

void expect_same(const Surface& surface, const std::vector<Eigen::Vector3d>& positions, double distance,
                 bool some = true) {
  const auto found = detect(surface, positions, {.distance = distance, .method = "bvh", .threads = 1});
  const auto expected = detect(surface, positions, {.distance = distance, .method = "sweep", .threads = 1});
  ASSERT_EQ(found.size(), expected.size());
  if (some) ASSERT_GT(found.size(), 0U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Contact& a = found[i];
    const Contact& b = expected[i];
    ASSERT_TRUE(a.kind == b.kind && a.a == b.a && a.b == b.b && a.vertices == b.vertices) << i;
    ASSERT_EQ(0, std::memcmp(&a.weights, &b.weights, 14 * sizeof(double))) << i;
  }
}

/// Layers of a roll that touch, at sizes and places that floats find hard.
TEST_P(ClusterKernels, FindTheContactsOfARollAtAnyScale) {
  const TriangleMesh roll = make_roll(0.045, 0.0026, 3.2, 0.1, 90, 12);
  const Surface surface(roll.positions.size(), roll.triangles);
  for (const double scale : {1.0, 1e-40, 1e-12, 1e9, 1e200})
    for (const double offset : {0.0, 30.0, 1e5}) {
      std::vector<Eigen::Vector3d> positions = roll.positions;
      for (Eigen::Vector3d& p : positions) p = scale * (p + Eigen::Vector3d(offset, -0.5 * offset, 0));
      ASSERT_NO_FATAL_FAILURE(expect_same(surface, positions, 0.003 * scale)) << scale << ' ' << offset;
    }
}

/// A tiny mesh beside a huge one, and one that is a point.
TEST_P(ClusterKernels, FindContactsBetweenHugeAndTiny) {
  const TriangleMesh ball = make_icosphere(1, 2);
  std::vector<Triangle> triangles;
  std::vector<Index> objects;
  std::vector<Eigen::Vector3d> positions;
  const std::array<double, 4> scales{1, 1e-5, 1e6, 0};
  for (std::size_t o = 0; o < scales.size(); ++o) {
    const auto first = static_cast<Index>(positions.size());
    for (const Eigen::Vector3d& p : ball.positions) positions.push_back(scales[o] * (p - Eigen::Vector3d(1, 0, 0)));
    for (const Triangle& t : ball.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    objects.resize(triangles.size(), static_cast<Index>(o));
  }
  const Surface surface(positions.size(), triangles, objects);
  for (const double distance : {1e-7, 1e-3, 0.05}) ASSERT_NO_FATAL_FAILURE(expect_same(surface, positions, distance));
}

TEST_P(ClusterKernels, FindTheContactsOfSoups) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const bool grid : {false, true}) {
      const oracle::Soup soup = oracle::make_soup(seed, {.vertices_per_object = 30,
                                                         .triangles_per_object = 60,
                                                         .on_grid = grid,
                                                         .repeated_corners = true,
                                                         .outlier = seed % 3 == 0 ? 1e5 : 0});
      const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
      ASSERT_NO_FATAL_FAILURE(expect_same(surface, soup.positions, 0.05, false)) << seed;
    }
  }
}

}  // namespace
}  // namespace carom
