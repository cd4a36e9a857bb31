#include "kernels/compact_contacts.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <limits>
#include <random>

#include "carom/mesh/closest.hpp"
#include "every_target.hpp"
#include "kernels/point_bounds.hpp"
#include "oracle/soup.hpp"

// Kernels that read positions by number, on every instruction set this machine has, against scalar functions.
namespace carom {
namespace {

class PointKernels : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
  std::mt19937_64 random_{23};

  std::size_t below(std::size_t count) { return static_cast<std::size_t>(oracle::uniform(random_) * count) % count; }
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, PointKernels, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Any number of pairs, so that the last group is of any size; the last vertex, behind which there is nothing.
TEST_P(PointKernels, CompactRecordsHaveTheBitsOfTheScalarFunctions) {
  constexpr std::size_t vertices = 40;
  for (int round = 0; round < 60; ++round) {
    // Every few rounds positions on a small grid, so that features touch, are parallel, or are points.
    std::vector<Eigen::Vector3d> positions(vertices);
    for (Eigen::Vector3d& p : positions)
      for (int k = 0; k < 3; ++k)
        p[k] = round % 3 == 0 ? static_cast<double>(below(3)) : oracle::uniform(random_) * (round % 5 == 0 ? 1e-70 : 1);
    const auto vertex = [&] { return static_cast<std::int32_t>(below(vertices)); };
    std::vector<std::array<std::int32_t, 3>> triangles(30);
    for (auto& t : triangles) t = {vertex(), vertex(), vertex()};
    triangles[0][2] = vertices - 1;
    std::vector<std::array<std::int32_t, 2>> edges(30);
    for (auto& e : edges) e = {vertex(), vertex()};
    edges[0][1] = vertices - 1;
    const std::size_t count = 1 + below(kernels::compact_batch);
    std::vector<std::uint64_t> faces(count);
    std::vector<std::uint64_t> crossings(count);
    for (std::size_t i = 0; i < count; ++i) {
      faces[i] = static_cast<std::uint64_t>(below(vertices)) << 32U | below(triangles.size());
      crossings[i] = static_cast<std::uint64_t>(below(edges.size())) << 32U | below(edges.size());
    }
    std::vector<kernels::CompactRecord> records(count + 1, {-7, -7, {-7, -7}, -7});
    const double* numbers = positions[0].data();
    const std::uint64_t unsafe_faces = kernels::compact_vertex_triangle(
        numbers, vertices, reinterpret_cast<const std::int32_t(*)[3]>(triangles.data()), faces.data(), count,
        records.data());
    std::size_t compared = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if ((unsafe_faces >> i & 1U) != 0) continue;
      ++compared;
      const auto& t = triangles[faces[i] & 0xffffffffU];
      const auto at = [&](std::int32_t v) { return positions[static_cast<std::size_t>(v)]; };
      const VertexTriangleClosest closest =
          closest_vertex_triangle(positions[faces[i] >> 32U], at(t[0]), at(t[1]), at(t[2]));
      ASSERT_EQ(records[i].a, static_cast<std::int32_t>(faces[i] >> 32U));
      ASSERT_EQ(records[i].b, static_cast<std::int32_t>(faces[i] & 0xffffffffU));
      ASSERT_TRUE(same_bits(records[i].weights[0], closest.weights[1]));
      ASSERT_TRUE(same_bits(records[i].weights[1], closest.weights[2]));
      ASSERT_TRUE(same_bits(records[i].distance, closest.distance));
    }
    ASSERT_EQ(records[count].a, -7) << "written behind the end";
    const std::uint64_t unsafe_edges =
        kernels::compact_edge_edge(numbers, vertices, reinterpret_cast<const std::int32_t(*)[2]>(edges.data()),
                                   crossings.data(), count, records.data());
    for (std::size_t i = 0; i < count; ++i) {
      if ((unsafe_edges >> i & 1U) != 0) continue;
      ++compared;
      const auto& a = edges[crossings[i] >> 32U];
      const auto& b = edges[crossings[i] & 0xffffffffU];
      const auto at = [&](std::int32_t v) { return positions[static_cast<std::size_t>(v)]; };
      const EdgeEdgeClosest closest = closest_edge_edge(at(a[0]), at(a[1]), at(b[0]), at(b[1]));
      ASSERT_EQ(records[i].a, static_cast<std::int32_t>(crossings[i] >> 32U));
      ASSERT_EQ(records[i].b, static_cast<std::int32_t>(crossings[i] & 0xffffffffU));
      ASSERT_TRUE(same_bits(records[i].weights[0], closest.s));
      ASSERT_TRUE(same_bits(records[i].weights[1], closest.t));
      ASSERT_TRUE(same_bits(records[i].distance, closest.distance));
    }
    ASSERT_EQ(records[count].a, -7) << "written behind the end";
    // Lengths of 1e-70 have to be scaled first, and only these, and pairs of features that are one point.
    if (round % 3 != 0) {
      ASSERT_EQ(compared, round % 5 == 0 ? 0 : 2 * count);
    }
  }
}

TEST_P(PointKernels, BoundsArePlainMinimaAndMaxima) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t count = 0; count < 70; ++count) {
    std::vector<double> numbers(3 * count + 1);
    for (double& x : numbers) x = oracle::uniform(random_) - 0.5;
    double low[3] = {infinity, infinity, infinity};
    double high[3] = {-infinity, -infinity, -infinity};
    for (std::size_t i = 0; i < 3 * count; ++i) {
      low[i % 3] = std::min(low[i % 3], numbers[i]);
      high[i % 3] = std::max(high[i % 3], numbers[i]);
    }
    numbers[3 * count] = infinity;  // behind the end
    const kernels::PointBounds bounds = kernels::bound_points(numbers.data(), count);
    ASSERT_TRUE(bounds.finite);
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_EQ(bounds.low[k], low[k]);
      ASSERT_EQ(bounds.high[k], high[k]);
    }
    if (count == 0) continue;
    for (const double odd : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
      std::vector<double> spoiled = numbers;
      spoiled[below(3 * count)] = odd;
      ASSERT_FALSE(kernels::bound_points(spoiled.data(), count).finite);
    }
  }
}

}  // namespace
}  // namespace carom
