#include "kernels/cloth_constraints.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
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

  float number(double low, double high) { return static_cast<float>(low + (high - low) * oracle::uniform(random_)); }

  static constexpr std::size_t batches = 50;

  /// Some are pinned; some coincide, so that there are triangles and bends without a direction.
  std::vector<ClothOffset> points(std::size_t count) {
    std::vector<ClothOffset> all(count);
    for (std::size_t i = 0; i < count; ++i) {
      all[i] = {number(-1, 1), number(-1, 1), number(-1, 1), number(0, 1) < 0.2 ? 0.0F : number(1, 1e4)};
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
    std::vector<ClothOffset> one = points(point_count(corners));
    one.back() = {};
    const std::vector<ClothOffset> before = points(point_count(corners));
    std::vector<ClothOffset> other = one;
    const std::vector<ClothOffset> start = one;
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
      const float left[] = {one[i].x, one[i].y, one[i].z, one[i].inverse_mass};
      const float right[] = {other[i].x, other[i].y, other[i].z, other[i].inverse_mass};
      for (std::size_t k = 0; k < 4; ++k)
        ASSERT_EQ(std::bit_cast<std::uint32_t>(left[k]), std::bit_cast<std::uint32_t>(right[k]))
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
      for (auto& c : batch.compliance) c[lane] = number(0, 1) < 0.1 ? 1e20F : number(1e-6, 1e-2);
      for (auto& d : batch.damping) d[lane] = number(0, 1e-2);
      batch.limit[lane] = number(0, 1) < 0.5 ? INFINITY : number(0, 0.1);
    }
  }
  number_vertices(all, &StretchBatch::corners);
  // Weights as of three inverse masses, some of them of triangles that nothing moves.
  std::vector<StretchBase> bases(batches);
  for (StretchBase& base : bases) {
    for (std::size_t lane = 0; lane < cloth_lanes; ++lane) {
      float columns[2][3];
      for (std::size_t axis = 0; axis < 2; ++axis) {
        for (std::size_t k = 0; k < 3; ++k) base.column[axis][k][lane] = columns[axis][k] = number(-1, 1);
      }
      const auto product = [&](int i, int j) {
        return columns[i][0] * columns[j][0] + columns[i][1] * columns[j][1] + columns[i][2] * columns[j][2];
      };
      base.excess[0][lane] = product(0, 0) - 1;
      base.excess[1][lane] = product(1, 1) - 1;
      base.excess[2][lane] = product(0, 1);
      const bool held = number(0, 1) < 0.1;
      base.weight[0][lane] = held ? 0 : number(1, 1e5);
      base.weight[1][lane] = held ? 0 : number(-1, 1);
      base.weight[2][lane] = held ? 0 : number(1, 1e5);
    }
  }
  for (const int option : {0, 1, 2, 3}) {
    expect_same(
        3, option % 2 != 0, option > 1, [&](const ClothStep& step) { project_stretch(all, bases.data(), step); },
        [&](const ClothStep& step) { project_stretch_reference(all, bases.data(), step); });
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
  std::vector<BendBase> bases(batches);
  std::vector<BendEdges> edges(batches);
  for (std::size_t i = 0; i < batches; ++i) {
    for (std::size_t lane = 0; lane < cloth_lanes; ++lane) {
      for (auto& b : bases[i].bend) b[lane] = number(-0.1, 0.1);
      for (auto& edge : edges[i].edge) {
        for (auto& e : edge) e[lane] = number(-1, 1);
      }
    }
  }
  for (const bool damped : {false, true}) {
    for (const bool flat : {false, true}) {
      const BendEdges* const noted = flat ? nullptr : edges.data();
      expect_same(
          4, damped, false, [&](const ClothStep& step) { project_bending(all, bases.data(), noted, step); },
          [&](const ClothStep& step) { project_bending_reference(all, bases.data(), noted, step); });
    }
  }
}

TEST_P(ClothConstraints, StartsHaveTheBitsOfTheReference) {
  const std::size_t count = point_count(4);
  std::vector<ClothPoint> start(count);
  for (ClothPoint& p : start) p = {oracle::uniform(random_), oracle::uniform(random_), oracle::uniform(random_), 3};
  start.back() = {};
  const auto draw = [&] { return 6 * oracle::uniform(random_) - 3; };
  std::vector<StretchBatch> triangles(batches);
  std::vector<StretchGradient> gradients(batches);
  for (StretchGradient& g : gradients) {
    for (double* value = &g.gradient[0][0][0]; value != &g.gradient[0][0][0] + 4 * cloth_lanes; ++value)
      *value = draw();
  }
  number_vertices(triangles, &StretchBatch::corners);
  std::vector<StretchBase> one(batches);
  std::vector<StretchBase> other(batches);
  note_stretch(triangles, gradients.data(), start.data(), one.data());
  note_stretch_reference(triangles, gradients.data(), start.data(), other.data());
  EXPECT_EQ(std::memcmp(one.data(), other.data(), batches * sizeof(StretchBase)), 0);
  EXPECT_NE(one[0].column[0][0][0], 0.0F);

  std::vector<BendBatch> edges(batches);
  std::vector<BendWeight> weights(batches);
  for (BendWeight& w : weights) {
    for (double* value = &w.weight[0][0]; value != &w.weight[0][0] + 3 * cloth_lanes; ++value) *value = draw();
  }
  number_vertices(edges, &BendBatch::vertices);
  for (const bool flat : {false, true}) {
    std::vector<BendBase> bends(batches);
    std::vector<BendBase> same(batches);
    std::vector<BendEdges> noted(batches);
    std::vector<BendEdges> noted_same(batches);
    note_bending(edges, weights.data(), start.data(), bends.data(), flat ? nullptr : noted.data());
    note_bending_reference(edges, weights.data(), start.data(), same.data(), flat ? nullptr : noted_same.data());
    EXPECT_EQ(std::memcmp(bends.data(), same.data(), batches * sizeof(BendBase)), 0);
    EXPECT_EQ(std::memcmp(noted.data(), noted_same.data(), batches * sizeof(BendEdges)), 0);
    EXPECT_NE(bends[0].bend[0][0], 0.0F);
    EXPECT_EQ(noted[0].edge[0][0][0] == 0.0F, flat);
  }
}

/// A strain of a triangle that nothing else holds, after steps without compliance, each from where the last one ended,
/// is that of rest, in double precision; the centre of mass stays, in single precision of what it has moved.
TEST(ClothTriangle, ProjectionOfOneTriangleEndsAtRest) {
  StretchBatch batch{};
  for (std::size_t lane = 0; lane < cloth_lanes; ++lane) {
    batch.gradient[0][0][lane] = 1;
    batch.gradient[1][1][lane] = 1;
    batch.limit[lane] = INFINITY;
    for (auto& c : batch.compliance) c[lane] = 1;  // of lanes without a constraint
    for (std::int32_t k = 0; k < 3; ++k) batch.corners[k][lane] = lane == 0 ? k : 3;
  }
  for (auto& c : batch.compliance) c[0] = 1e-20F;
  double p[3][3] = {{0, 0, 0}, {1.1, 0, 0}, {0.05, 0.9, 0}};
  const double inverse_mass[3] = {1, 2, 3};
  const double x = p[0][0] / 1 + p[1][0] / 2 + p[2][0] / 3;
  for (int sweep = 0; sweep < 60; ++sweep) {
    StretchBase base{};
    const double u[2] = {p[1][0] - p[0][0], p[1][1] - p[0][1]};
    const double v[2] = {p[2][0] - p[0][0], p[2][1] - p[0][1]};
    for (std::size_t k = 0; k < 2; ++k) {
      base.column[0][k][0] = static_cast<float>(u[k]);
      base.column[1][k][0] = static_cast<float>(v[k]);
    }
    base.excess[0][0] = static_cast<float>(u[0] * u[0] + u[1] * u[1] - 1);
    base.excess[1][0] = static_cast<float>(v[0] * v[0] + v[1] * v[1] - 1);
    base.excess[2][0] = static_cast<float>(u[0] * v[0] + u[1] * v[1]);
    base.weight[0][0] = 1 + 2;
    base.weight[1][0] = 1;
    base.weight[2][0] = 1 + 3;
    std::vector<ClothOffset> points(4);
    for (std::size_t k = 0; k < 3; ++k) points[k].inverse_mass = static_cast<float>(inverse_mass[k]);
    project_stretch(std::span(&batch, 1), &base, {.h = 1e-3, .points = points.data()});
    for (std::size_t k = 0; k < 3; ++k) {
      p[k][0] += static_cast<double>(points[k].x);
      p[k][1] += static_cast<double>(points[k].y);
    }
  }
  EXPECT_NEAR(std::hypot(p[1][0] - p[0][0], p[1][1] - p[0][1]), 1, 1e-12);
  EXPECT_NEAR(std::hypot(p[2][0] - p[0][0], p[2][1] - p[0][1]), 1, 1e-12);
  EXPECT_NEAR((p[1][0] - p[0][0]) * (p[2][0] - p[0][0]) + (p[1][1] - p[0][1]) * (p[2][1] - p[0][1]), 0, 1e-12);
  EXPECT_NEAR(p[0][0] / 1 + p[1][0] / 2 + p[2][0] / 3, x, 1e-8);
}

/// In single precision of offsets a vertex that is pushed through a whole step is where double precision has it: the
/// strain that is left is that of the offsets and not of the positions.
TEST(ClothTriangle, SmallStrainsAreNotLostInRounding) {
  StretchBatch batch{};
  for (std::size_t lane = 0; lane < cloth_lanes; ++lane) {
    batch.gradient[0][0][lane] = 30;  // edges of 3 cm
    batch.gradient[1][1][lane] = 30;
    batch.limit[lane] = INFINITY;
    for (auto& c : batch.compliance) c[lane] = 1e-20F;
    for (std::int32_t k = 0; k < 3; ++k) batch.corners[k][lane] = lane == 0 ? k : 3;
    if (lane > 0) {
      for (auto& c : batch.compliance) c[lane] = 1;
    }
  }
  // A strain of 1e-9 along the warp, which in single precision is that of rest.
  StretchBase base{};
  base.column[0][0][0] = 1;
  base.column[1][1][0] = 1;
  base.excess[0][0] = 2e-9F;
  base.weight[0][0] = base.weight[2][0] = 2 * 900.0F;
  base.weight[1][0] = 900.0F;
  std::vector<ClothOffset> points(4);
  for (std::size_t k = 0; k < 3; ++k) points[k].inverse_mass = 1;
  project_stretch(std::span(&batch, 1), &base, {.h = 1e-3, .points = points.data()});
  EXPECT_NEAR(points[1].x - points[0].x, -1e-9 / 30, 1e-3 * 1e-9 / 30);
}

}  // namespace
}  // namespace carom::kernels
