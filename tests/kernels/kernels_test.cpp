#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cstring>
#include <random>

#include "every_target.hpp"
#include "kernels/closest.hpp"
#include "kernels/coplanar_vertices.hpp"
#include "kernels/distance_bounds.hpp"
#include "kernels/feature_pairs.hpp"
#include "kernels/hull_support.hpp"
#include "kernels/lowest_vertices.hpp"
#include "kernels/node_pairs.hpp"
#include "narrow/proximity.hpp"
#include "oracle/exact_distance.hpp"
#include "oracle/soup.hpp"

// Every kernel on every instruction set this machine has, against its scalar reference.
namespace carom {
namespace {

class Kernels : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
  std::mt19937_64 random_{17};

  double number(double low, double high) { return low + (high - low) * oracle::uniform(random_); }
  int integer(int low, int high) { return low + static_cast<int>((high - low + 1) * oracle::uniform(random_)); }
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, Kernels, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

struct RandomFeatures {
  std::vector<float> boxes;
  std::vector<std::int32_t> vertices;
  std::array<float, 6> hull{};
  kernels::FeatureRows rows;
};

/// Boxes on a small grid, so that many touch, and few vertex numbers, so that many are shared.
RandomFeatures random_features(std::mt19937_64& random, std::uint32_t count) {
  RandomFeatures f;
  const std::uint32_t stride = (count + 7) / 8 * 8;
  f.boxes.assign(6 * stride + kernels::feature_lanes, 0.5F);  // what is behind the end overlaps everything
  f.vertices.assign(3 * stride + kernels::feature_lanes, 0);
  const auto pick = [&](int largest) { return static_cast<int>(oracle::uniform(random) * (largest + 1)); };
  for (std::size_t k = 0; k < 3; ++k) {
    f.hull[k] = 100;
    f.hull[k + 3] = -100;
    for (std::size_t i = 0; i < count; ++i) {
      const auto low = static_cast<float>(pick(9));
      const float high = low + static_cast<float>(pick(3));
      f.boxes[k * stride + i] = low;
      f.boxes[(k + 3) * stride + i] = high;
      f.hull[k] = std::min(f.hull[k], low);
      f.hull[k + 3] = std::max(f.hull[k + 3], high);
      f.vertices[k * stride + i] = pick(40);
    }
  }
  f.rows = {f.boxes.data(), f.vertices.data(), stride, count};
  return f;
}

using Pairs = std::vector<std::array<int, 2>>;
Pairs list(const kernels::FeaturePair* pairs, std::size_t count) {
  Pairs result;
  for (std::size_t i = 0; i < count; ++i) result.push_back({pairs[i].a, pairs[i].b});
  return result;
}

TEST_P(Kernels, TheFarthestPointIsThatOfTheReference) {
  for (int round = 0; round < 300; ++round) {
    const auto stride = static_cast<std::uint32_t>(8 * integer(1, 8));
    std::vector<double> x(3 * stride);
    // Few values, so that several points are equally far.
    for (double& value : x) value = round % 2 == 0 ? integer(-2, 2) : number(-1, 1);
    const kernels::PointRows rows{x.data(), stride};
    const double along[6] = {number(-1, 1),
                             round % 3 == 0 ? 0 : number(-1, 1),
                             static_cast<double>(integer(-1, 1)),
                             1,
                             static_cast<double>(integer(-1, 1)),
                             0};
    const std::uint32_t first = kernels::farthest_reference(rows, along[0], along[1], along[2]);
    const std::uint32_t second = kernels::farthest_reference(rows, along[3], along[4], along[5]);
    EXPECT_EQ(kernels::farthest(rows, along[0], along[1], along[2]), first);
    std::uint32_t at[2];
    kernels::farthest_of_both(rows, along, rows, along + 3, at);
    EXPECT_EQ(at[0], first);
    EXPECT_EQ(at[1], second);
  }
}

TEST_P(Kernels, TheLowestCornersAreThoseOfTheReference) {
  for (int round = 0; round < 200; ++round) {
    const auto stride = static_cast<std::uint32_t>(8 * integer(1, 4));
    const auto count = static_cast<std::size_t>(integer(1, static_cast<int>(stride)));
    const auto planes = static_cast<std::size_t>(8 * integer(0, 5));
    std::vector<double> points(3 * stride);
    std::vector<double> rows(4 * planes);
    // Few values, so that several points are equally low.
    for (double& value : points) value = round % 2 == 0 ? integer(-2, 2) : number(-1, 1);
    for (double& value : rows) value = round % 2 == 0 ? integer(-1, 1) : number(-1, 1);
    const double middle[3] = {number(-1, 1), static_cast<double>(integer(-1, 1)), 0};
    std::vector<double> height[2];
    std::vector<std::int32_t> at[2];
    for (const std::size_t k : {0U, 1U}) {
      height[k].assign(planes, 0);
      at[k].assign(planes, 0);
      (k == 0 ? kernels::lowest_vertices : kernels::low_corners_reference)(
          {rows.data(), planes}, {points.data(), stride}, count, middle, height[k].data(), at[k].data());
    }
    EXPECT_EQ(height[0], height[1]);
    EXPECT_EQ(at[0], at[1]);
  }
}

TEST_P(Kernels, ExtentsAreThoseOfTheReference) {
  for (int round = 0; round < 200; ++round) {
    const auto stride = static_cast<std::uint32_t>(8 * integer(1, 8));
    std::vector<double> points(3 * stride);
    for (double& value : points) value = number(-1, 1);
    double axes[9];
    for (double& value : axes) value = number(-1, 1);
    std::array<double, 3> low[2];
    std::array<double, 3> high[2];
    kernels::extents({points.data(), stride}, axes, low[0].data(), high[0].data());
    kernels::extents_reference({points.data(), stride}, axes, low[1].data(), high[1].data());
    EXPECT_EQ(low[0], low[1]);
    EXPECT_EQ(high[0], high[1]);
  }
}

TEST_P(Kernels, LevelCornersAreThoseOfTheReference) {
  std::size_t some = 0;
  for (int round = 0; round < 300; ++round) {
    const auto stride = static_cast<std::uint32_t>(8 * integer(1, 8));
    std::vector<double> points(3 * stride);
    // Few values, so that several are exactly level.
    for (double& value : points) value = round % 2 == 0 ? integer(-2, 2) : number(-1, 1);
    const auto at = static_cast<std::size_t>(integer(0, static_cast<int>(stride) - 1));
    const double p[3] = {points[at], points[stride + at], points[2 * stride + at]};
    const double x = number(-1, 1);
    const double d[3] = {round % 3 == 0 ? 0 : x, round % 3 == 0 ? 1 : std::sqrt(1 - x * x), 0};
    const double largest = round % 5 == 0 ? 0 : number(0, 0.1);
    const std::uint64_t expected = kernels::level_corners_reference({points.data(), stride}, p, d, largest);
    EXPECT_EQ(kernels::coplanar_vertices({points.data(), stride}, p, d, largest), expected);
    EXPECT_EQ(expected >> at & 1, 1U);
    some += static_cast<std::size_t>(std::popcount(expected));
  }
  EXPECT_GT(some, 600U);
}

TEST_P(Kernels, FeaturePairsAreThoseOfTheReference) {
  std::vector<kernels::FeaturePair> fast(kernels::max_features * kernels::max_features);
  std::vector<kernels::FeaturePair> slow(fast.size());
  std::size_t found = 0;
  const auto expect_same = [&](const kernels::FeatureCount& a, const kernels::FeatureCount& b) {
    EXPECT_EQ(list(fast.data(), a.pairs), list(slow.data(), b.pairs));
    EXPECT_EQ(a.adjacent, b.adjacent);
    found += a.pairs;
  };
  for (int round = 0; round < 300; ++round) {
    const RandomFeatures a = random_features(random_, static_cast<std::uint32_t>(integer(0, kernels::max_features)));
    const RandomFeatures b = random_features(random_, static_cast<std::uint32_t>(integer(0, kernels::max_features)));
    expect_same(kernels::edge_pairs(a.rows, a.hull, b.rows, b.hull, fast.data()),
                kernels::feature_pairs_reference(a.rows, 2, b.rows, 2, false, slow.data()));
    expect_same(kernels::edge_pairs(a.rows, fast.data()),
                kernels::feature_pairs_reference(a.rows, 2, a.rows, 2, true, slow.data()));
    expect_same(kernels::vertex_triangle_pairs(a.rows, a.hull, b.rows, b.hull, fast.data()),
                kernels::feature_pairs_reference(a.rows, 1, b.rows, 3, false, slow.data()));
    expect_same(kernels::box_pairs(a.rows, a.hull, b.rows, b.hull, fast.data()),
                kernels::feature_pairs_reference(a.rows, 0, b.rows, 0, false, slow.data()));
    expect_same(kernels::box_pairs(a.rows, fast.data()),
                kernels::feature_pairs_reference(a.rows, 0, a.rows, 0, true, slow.data()));
  }
  EXPECT_GT(found, 1000U);
}

TEST_P(Kernels, CommonNumbersAreFound) {
  int common = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<std::int32_t> a(static_cast<std::size_t>(integer(0, 48)));
    std::vector<std::int32_t> b(static_cast<std::size_t>(integer(0, 48)) + kernels::feature_lanes);
    const int largest = round % 2 == 0 ? 20'000 : 500;
    for (auto& x : a) x = integer(0, largest);
    for (auto& x : b) x = integer(0, largest);
    const std::span<const std::int32_t> list(b.data(), b.size() - kernels::feature_lanes);
    // What follows the list does not count.
    if (!a.empty()) b[list.size()] = a[0];
    const bool expected = std::find_first_of(a.begin(), a.end(), list.begin(), list.end()) != a.end();
    EXPECT_EQ(kernels::have_common(a, list), expected);
    common += expected ? 1 : 0;
  }
  EXPECT_GT(common, 50);
  EXPECT_LT(common, 450);
}

TEST_P(Kernels, NodePairsAreThoseOfTheReference) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::size_t found = 0;
  for (const std::size_t directions : {3U, 7U, 9U}) {
    constexpr std::size_t groups = 5;
    std::vector<float> level(groups * 2 * directions * kernels::node_children);
    std::vector<Index> objects(groups * kernels::node_children);
    for (std::size_t node = 0; node < objects.size(); ++node) {
      const bool empty = integer(0, 7) == 0;
      objects[node] = integer(-1, 2);
      for (std::size_t k = 0; k < directions; ++k) {
        float* lane = level.data() + (node / 8 * 2 * directions + k) * 8 + node % 8;
        const auto low = static_cast<float>(integer(0, 6));
        lane[0] = empty ? nan : low;
        lane[directions * 8] = empty ? nan : low + static_cast<float>(integer(2, 5));
      }
    }
    std::vector<kernels::NodePair> pairs;
    for (std::uint32_t a = 0; a < groups; ++a)
      for (std::uint32_t b = a; b < groups; ++b) pairs.push_back({a, b});
    std::vector<kernels::NodePair> fast(pairs.size() * 64);
    std::vector<kernels::NodePair> slow(fast.size());
    for (const auto scope : {kernels::NodeScope::all, kernels::NodeScope::self, kernels::NodeScope::between}) {
      const kernels::NodeLevel children{level.data(), directions, objects.data()};
      fast.resize(pairs.size() * 64);
      slow.resize(pairs.size() * 64);
      fast.resize(kernels::expand(pairs.data(), pairs.size(), children, scope, fast.data()));
      slow.resize(kernels::expand_reference(pairs.data(), pairs.size(), children, scope, slow.data()));
      EXPECT_EQ(fast, slow);
      found += fast.size();
    }
  }
  EXPECT_GT(found, 200U);
}

/// Four points of the kinds that hurt: on a grid, nearly parallel, slivers, coincident, far away, tiny.
std::array<Eigen::Vector3d, 4> four_points(std::mt19937_64& random, int kind) {
  std::array<Eigen::Vector3d, 4> p;
  const auto coordinate = [&] { return 2 * oracle::uniform(random) - 1; };
  for (Eigen::Vector3d& q : p) q = {coordinate(), coordinate(), coordinate()};
  if (kind == 1)
    for (Eigen::Vector3d& q : p) q = (3 * q).array().round();
  if (kind == 2) p[3] = p[2] + (p[1] - p[0]) + 1e-9 * p[3];
  if (kind == 3) p[2] = 0.5 * (p[1] + p[3]) + 1e-12 * p[2];
  if (kind == 4) p[static_cast<std::size_t>(4 * oracle::uniform(random))] = p[0];
  if (kind == 5)
    for (Eigen::Vector3d& q : p) q += Eigen::Vector3d(1e6, -3e5, 7e7);
  if (kind == 6)
    for (Eigen::Vector3d& q : p) q *= std::pow(10.0, 600 * oracle::uniform(random) - 300);
  return p;
}
constexpr int kinds = 7;

TEST_P(Kernels, ClosestPointsHaveTheBitsOfTheReference) {
  std::size_t valid = 0;
  for (int round = 0; round < 700; ++round) {
    kernels::ClosestBatch batch{};
    kernels::ClosestResults results{};
    std::vector<std::array<Eigen::Vector3d, 4>> points;
    const auto count = static_cast<std::size_t>(integer(1, kernels::closest_batch));
    for (std::size_t i = 0; i < count; ++i) {
      points.push_back(four_points(random_, round % kinds));
      for (std::size_t k = 0; k < 4; ++k) {
        batch.x[k][i] = points[i][k].x();
        batch.y[k][i] = points[i][k].y();
        batch.z[k][i] = points[i][k].z();
      }
    }
    for (const bool face : {true, false}) {
      (face ? kernels::closest_vertex_triangle : kernels::closest_edge_edge)(batch, count, results);
      for (std::size_t i = 0; i < count; ++i) {
        if (results.valid[i] == 0) continue;
        ++valid;
        const Contact contact =
            face ? narrow::vertex_face(points[i], 0, 0, {1, 2, 3}) : narrow::edge_edge(points[i], {0, 1}, {2, 3});
        const auto same = [](double a, double b) {
          return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
        };
        ASSERT_TRUE(same(results.distance[i], contact.distance)) << round << ' ' << face;
        for (std::size_t k = 0; k < 4; ++k) ASSERT_TRUE(same(results.weights[k][i], contact.weights[k])) << round;
        for (std::size_t k = 0; k < 3; ++k) {
          const auto e = static_cast<Eigen::Index>(k);
          ASSERT_TRUE(same(results.point_a[k][i], contact.point_a[e])) << round << ' ' << face;
          ASSERT_TRUE(same(results.point_b[k][i], contact.point_b[e])) << round << ' ' << face;
          ASSERT_TRUE(same(results.normal[k][i], contact.normal[e])) << round << ' ' << face;
        }
      }
    }
  }
  EXPECT_GT(valid, 20000U);
}

/// What the quick look calls sure is so, against rational arithmetic; and it is seldom unsure.
TEST_P(Kernels, ReachIsNeverWrong) {
  std::array<std::size_t, 3> verdicts{};
  for (int round = 0; round < 60; ++round) {
    kernels::DistanceBoundBatch batch{};
    std::array<kernels::DistanceBound, kernels::distance_bound_batch> verdict{};
    std::vector<std::array<Eigen::Vector3d, 4>> points;
    std::vector<double> reaches;
    const auto count = static_cast<std::size_t>(integer(1, 64));
    for (std::size_t i = 0; i < count; ++i) {
      const auto p = four_points(random_, round % kinds);
      const double size = (p[1] - p[0]).cwiseAbs().maxCoeff() + (p[2] - p[0]).cwiseAbs().maxCoeff();
      const double reach = size > 0 && std::isfinite(size) ? size * std::pow(10.0, number(-4, 1)) : 1.0;
      points.push_back(p);
      reaches.push_back(reach);
      for (std::size_t k = 0; k < 3; ++k) {
        batch.x[k][i] = static_cast<float>((p[k + 1].x() - p[0].x()) * (1 / reach));
        batch.y[k][i] = static_cast<float>((p[k + 1].y() - p[0].y()) * (1 / reach));
        batch.z[k][i] = static_cast<float>((p[k + 1].z() - p[0].z()) * (1 / reach));
      }
    }
    for (const bool face : {true, false}) {
      (face ? kernels::distance_bound_vertex_triangle : kernels::distance_bound_edge_edge)(batch, count,
                                                                                           verdict.data());
      for (std::size_t i = 0; i < count; ++i) {
        ++verdicts[static_cast<std::size_t>(verdict[i])];
        if (verdict[i] == kernels::DistanceBound::unsure) continue;
        const auto p = [&](std::size_t k) { return oracle::exact(points[i][k]); };
        const mpq_class squared = face ? oracle::point_triangle_squared(p(0), p(1), p(2), p(3))
                                       : oracle::segment_segment_squared(p(0), p(1), p(2), p(3));
        const mpq_class reach(reaches[i]);
        ASSERT_EQ(squared < reach * reach, verdict[i] == kernels::DistanceBound::within)
            << round << ' ' << i << ' ' << face;
      }
    }
  }
  EXPECT_GT(verdicts[0], 500U);
  EXPECT_GT(verdicts[1], 500U);
  EXPECT_LT(verdicts[2], (verdicts[0] + verdicts[1]) / 4);
}

}  // namespace
}  // namespace carom
