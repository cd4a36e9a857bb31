#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstring>
#include <numbers>
#include <random>

#include "carom/detect/detect_continuous.hpp"
#include "carom/detect/intersect.hpp"
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
  if (some) {
    ASSERT_GT(found.size(), 0U);
  }
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

/// Triangles that share no edges, which are looked for by place, over frames in which all goes elsewhere; and a fan
/// whose triangles all share a vertex and go round it more than twice.
TEST_P(ClusterKernels, FindTheContactsOfLooseTrianglesAndFans) {
  std::mt19937_64 random(4);
  const auto draw = [&] {
    return Eigen::Vector3d(oracle::uniform(random), oracle::uniform(random), oracle::uniform(random));
  };
  std::vector<Triangle> loose;
  std::vector<Index> objects;
  for (Index t = 0; t < 600; ++t) {
    loose.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    objects.push_back(t / 200);
  }
  const Surface surface(1800, loose, objects);
  DetectScratch scratch;
  std::vector<Contact> found;
  PipelineStats stats;
  for (int frame = 0; frame < 4; ++frame) {
    std::vector<Eigen::Vector3d> positions;
    for (int t = 0; t < 600; ++t) {
      const Eigen::Vector3d middle = draw();
      for (int k = 0; k < 3; ++k) positions.push_back(middle + 0.1 * draw());
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(surface, positions, 0.02));
    detect(surface, positions, {.distance = 0.02, .threads = 2}, scratch, found, stats);
    const auto expected = detect(surface, positions, {.distance = 0.02, .method = "sweep", .threads = 1});
    ASSERT_EQ(found.size(), expected.size()) << "frame " << frame;
  }

  std::vector<Triangle> fan;
  std::vector<Eigen::Vector3d> rim{{0, 0, 0}};
  for (Index t = 1; t <= 1200; ++t) {
    const double angle = 0.013 * t;
    rim.emplace_back(std::cos(angle), std::sin(angle), 1e-5 * t);
    if (t < 1200) fan.push_back({0, t, t + 1});
  }
  const Surface hub(rim.size(), fan);
  ASSERT_NO_FATAL_FAILURE(expect_same(hub, rim, 0.006));
  // Both are told, as not everything is fast on them.
  const auto told = [&](const Surface& of, const std::vector<Eigen::Vector3d>& positions, std::string_view name) {
    detect(of, positions, {.distance = 0.006, .threads = 1}, scratch, found, stats);
    return std::ranges::count(stats[Stage::mid].counted(), name, &Counted::name);
  };
  const std::vector<Eigen::Vector3d> scattered(1800, Eigen::Vector3d::Zero());
  EXPECT_EQ(told(hub, rim, "surfaces with a hub"), 1);
  EXPECT_EQ(told(hub, rim, "surfaces of loose triangles"), 0);
  EXPECT_EQ(told(surface, scattered, "surfaces of loose triangles"), 1);
  const TriangleMesh plain = make_icosphere(1, 2);
  const Surface smooth(plain.positions.size(), plain.triangles);
  EXPECT_EQ(told(smooth, plain.positions, "surfaces with a hub"), 0);
  EXPECT_EQ(told(smooth, plain.positions, "surfaces of loose triangles"), 0);
}

/// Pairs of triangles that intersect, by clusters and by the sweep.
TEST_P(ClusterKernels, FindTheTrianglesThatIntersect) {
  const TriangleMesh ball = make_icosphere(1, 3);
  std::vector<Triangle> triangles;
  std::vector<Index> objects;
  std::size_t some = 0;
  for (const double scale : {1.0, 1e-30, 1e7}) {
    triangles.clear();
    objects.clear();
    std::vector<Eigen::Vector3d> positions;
    for (int o = 0; o < 3; ++o) {
      const auto first = static_cast<Index>(positions.size());
      for (const Eigen::Vector3d& p : ball.positions) {
        // Folded into itself along a plane, too.
        const Eigen::Vector3d q(p.x() > 0.6 ? 1.2 - p.x() : p.x(), p.y(), p.z());
        positions.push_back(scale * (q + o * Eigen::Vector3d(0.7, 0.31, 0.13)));
      }
      for (const Triangle& t : ball.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      objects.resize(triangles.size(), o);
    }
    const Surface surface(positions.size(), triangles, objects);
    for (const PairScope scope : {PairScope::all, PairScope::self, PairScope::between}) {
      const auto found = intersections(surface, positions, {.pairs = scope, .method = "bvh", .threads = 1});
      const auto expected = intersections(surface, positions, {.pairs = scope, .method = "sweep", .threads = 1});
      ASSERT_EQ(found.size(), expected.size());
      some += found.size();
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_TRUE(found[i].a == expected[i].a && found[i].b == expected[i].b) << i;
    }
  }
  ASSERT_GT(some, 1000U);
}

/// Impacts of a step by clusters, against those by the tree of clusters cut from positions.
void expect_same_impacts(const Surface& surface, const std::vector<Eigen::Vector3d>& start,
                         const std::vector<Eigen::Vector3d>& end, double distance, std::size_t& some) {
  const auto found =
      detect_continuous(surface, start, end, {.distance = distance, .method = "bvh", .threads = 1, .coherent = false});
  const auto expected = detect_continuous(surface, start, end,
                                          {.distance = distance, .method = "bvh14", .threads = 1, .coherent = false});
  ASSERT_EQ(found.size(), expected.size());
  some += found.size();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const MovingContact& a = found[i];
    const MovingContact& b = expected[i];
    ASSERT_TRUE(a.kind == b.kind && a.a == b.a && a.b == b.b && a.impact.time == b.impact.time) << i;
  }
}

/// Balls that fly at each other, deform and turn, slowly and by many times their size, all carried along by a motion
/// that they share.
TEST_P(ClusterKernels, FindTheImpactsOfStepsOfAnyLength) {
  const TriangleMesh ball = make_icosphere(1, 2);
  std::mt19937_64 random(5);
  std::size_t some = 0;
  for (const double length : {0.01, 0.3, 5.0}) {
    for (const double carried : {0.0, 1e3}) {
      std::vector<Triangle> triangles;
      std::vector<Index> objects;
      std::vector<Eigen::Vector3d> start;
      std::vector<Eigen::Vector3d> end;
      for (int o = 0; o < 6; ++o) {
        const auto first = static_cast<Index>(start.size());
        const auto draw = [&] {
          return Eigen::Vector3d(oracle::uniform(random) - 0.5, oracle::uniform(random) - 0.5,
                                 oracle::uniform(random) - 0.5);
        };
        const Eigen::Vector3d middle = 4 * draw();
        const Eigen::Vector3d motion = length * draw();
        const double turn = length * oracle::uniform(random);
        for (const Eigen::Vector3d& p : ball.positions) {
          start.push_back(middle + p);
          const Eigen::Vector3d turned(std::cos(turn) * p.x() - std::sin(turn) * p.y(),
                                       std::sin(turn) * p.x() + std::cos(turn) * p.y(), 0.9 * p.z());
          end.push_back(middle + turned + motion + 0.02 * draw() + Eigen::Vector3d::Constant(carried));
        }
        for (const Triangle& t : ball.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
        objects.resize(triangles.size(), o);
      }
      const Surface surface(start.size(), triangles, objects);
      for (const double distance : {0.0, 0.02})
        ASSERT_NO_FATAL_FAILURE(expect_same_impacts(surface, start, end, distance, some)) << length << ' ' << carried;
    }
  }
  ASSERT_GT(some, 1000U);
}

}  // namespace
}  // namespace carom
