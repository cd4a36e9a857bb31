#include "kernels/cloth_constraints.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "every_target.hpp"
#include "oracle/soup.hpp"

// Constraints in vectors, on every instruction set this machine has, against one after the other, bit by bit.
namespace carom::kernels {
namespace {

class ClothConstraints : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
  std::mt19937_64 random_{19};

  double number(double low, double high) { return low + (high - low) * oracle::uniform(random_); }

  static constexpr std::size_t batches = 50;

  /// Some are pinned; some coincide, so that there are triangles and bends without a direction.
  std::vector<ClothPoint> points(std::size_t count) {
    std::vector<ClothPoint> all(count);
    for (std::size_t i = 0; i < count; ++i) {
      all[i] = {number(-1, 1), number(-1, 1), number(-1, 1), number(0, 1) < 0.2 ? 0 : number(1, 1e4)};
      if (i > 0 && number(0, 1) < 0.1) all[i] = all[i - 1];
    }
    return all;
  }

  /// Lane by lane vertices of their own, and at the end of the last batch lanes without a constraint, which all have
  /// the last point.
  template <class Batch, std::size_t corners>
  void number_vertices(std::vector<Batch>& all, std::int32_t (Batch::*vertices)[corners][cloth_lanes]) {
    std::int32_t next = 0;
    for (Batch& batch : all) {
      for (std::size_t lane = 0; lane < cloth_lanes; ++lane) {
        const bool spare = &batch == &all.back() && lane > 4;
        for (std::size_t k = 0; k < corners; ++k)
          (batch.*vertices)[k][lane] = spare ? static_cast<std::int32_t>(point_count(corners) - 1) : next++;
      }
    }
  }
  static std::size_t point_count(std::size_t corners) { return batches * cloth_lanes * corners + 1; }

  template <class Project, class Reference>
  void expect_same(std::size_t corners, bool damped, bool limited, const Project& project, const Reference& reference) {
    std::vector<ClothPoint> one = points(point_count(corners));
    one.back() = {};
    const std::vector<ClothPoint> before = points(point_count(corners));
    std::vector<ClothPoint> other = one;
    const std::vector<ClothPoint> start = one;
    project(ClothStep{.h = 1e-3,
                      .bend_interval = 4e-3,
                      .points = one.data(),
                      .before = before.data(),
                      .damped = damped,
                      .limited = limited});
    reference(ClothStep{.h = 1e-3,
                        .bend_interval = 4e-3,
                        .points = other.data(),
                        .before = before.data(),
                        .damped = damped,
                        .limited = limited});
    std::size_t moved = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      const double left[] = {one[i].x, one[i].y, one[i].z, one[i].inverse_mass};
      const double right[] = {other[i].x, other[i].y, other[i].z, other[i].inverse_mass};
      for (std::size_t k = 0; k < 4; ++k)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(left[k]), std::bit_cast<std::uint64_t>(right[k]))
            << i << ": " << left[k] << " and " << right[k];
      ASSERT_TRUE(std::isfinite(one[i].x + one[i].y + one[i].z)) << i;
      moved += one[i].x != start[i].x ? 1 : 0;
    }
    EXPECT_GT(moved, one.size() / 2);
  }
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, ClothConstraints, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

TEST_P(ClothConstraints, StretchHasTheBitsOfTheReference) {
  std::vector<StretchBatch> all(batches);
  for (StretchBatch& batch : all) {
    for (std::size_t lane = 0; lane < cloth_lanes; ++lane) {
      for (auto& axis : batch.gradient) {
        for (auto& g : axis) g[lane] = number(-3, 3);
      }
      for (auto& c : batch.compliance) c[lane] = number(0, 1) < 0.1 ? 1e60 : number(1e-6, 1e-2);
      for (auto& d : batch.damping) d[lane] = number(0, 1e-2);
      batch.limit[lane] = number(0, 1) < 0.5 ? INFINITY : number(0, 0.1);
    }
  }
  number_vertices(all, &StretchBatch::corners);
  for (const int option : {0, 1, 2, 3}) {
    expect_same(
        3, option % 2 != 0, option > 1, [&](const ClothStep& step) { project_stretch(all, step); },
        [&](const ClothStep& step) { project_stretch_reference(all, step); });
  }
}

TEST_P(ClothConstraints, BendingHasTheBitsOfTheReference) {
  std::vector<BendBatch> all(batches);
  for (BendBatch& batch : all) {
    for (std::size_t lane = 0; lane < cloth_lanes; ++lane) {
      for (auto& w : batch.weight) w[lane] = number(-3, 3);
      batch.compliance[lane] = number(1e-6, 1e-2);
      batch.damping[lane] = number(0, 1e-2);
      batch.rest[lane] = number(-0.1, 0.1);
    }
  }
  number_vertices(all, &BendBatch::vertices);
  for (const bool damped : {false, true}) {
    for (const bool flat : {false, true}) {
      expect_same(
          4, damped, false, [&](const ClothStep& step) { project_bending(all, step, flat); },
          [&](const ClothStep& step) { project_bending_reference(all, step, flat); });
    }
  }
}

/// A strain of a triangle that nothing else holds, after a step without compliance, is that of rest; the centre of
/// mass stays.
TEST(ClothTriangle, ProjectionOfOneTriangleEndsAtRest) {
  StretchBatch batch{};
  for (std::size_t lane = 0; lane < cloth_lanes; ++lane) {
    batch.gradient[0][0][lane] = 1;
    batch.gradient[1][1][lane] = 1;
    batch.limit[lane] = INFINITY;
    for (auto& c : batch.compliance) c[lane] = 1;  // of lanes without a constraint
    for (std::int32_t k = 0; k < 3; ++k) batch.corners[k][lane] = lane == 0 ? k : 3;
  }
  for (auto& c : batch.compliance) c[0] = 1e-20;
  std::vector<ClothPoint> p{{0, 0, 0, 1}, {1.1, 0, 0, 2}, {0.05, 0.9, 0, 3}, {}};
  const double x = p[0].x / 1 + p[1].x / 2 + p[2].x / 3;
  for (int sweep = 0; sweep < 60; ++sweep)
    project_stretch(std::span(&batch, 1), {.h = 1e-3, .points = p.data(), .before = nullptr, .damped = false});
  EXPECT_NEAR(std::hypot(p[1].x - p[0].x, p[1].y - p[0].y), 1, 1e-12);
  EXPECT_NEAR(std::hypot(p[2].x - p[0].x, p[2].y - p[0].y), 1, 1e-12);
  EXPECT_NEAR((p[1].x - p[0].x) * (p[2].x - p[0].x) + (p[1].y - p[0].y) * (p[2].y - p[0].y), 0, 1e-12);
  EXPECT_NEAR(p[0].x / 1 + p[1].x / 2 + p[2].x / 3, x, 1e-14);
}

}  // namespace
}  // namespace carom::kernels
