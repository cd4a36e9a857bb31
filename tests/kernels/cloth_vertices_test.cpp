#include "kernels/cloth_vertices.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "every_target.hpp"
#include "oracle/soup.hpp"

// Loops over vertices in vectors, on every instruction set this machine has, against one after the other, bit by bit.
namespace carom::kernels {
namespace {

/// A third of the vertices does not move.
struct SomeVertices {
  explicit SomeVertices(std::size_t count) {
    std::mt19937_64 random(7);
    const auto fill = [&](std::vector<double>& list, double size) {
      list.resize(3 * count);
      for (double& value : list) value = size * (2 * oracle::uniform(random) - 1);
    };
    fill(start, 2);
    fill(displacements, 1e-3);
    fill(velocities, 3);
    fill(wind, 40);
    for (std::size_t i = 0; i < count; ++i)
      inverse_mass.push_back(oracle::uniform(random) < 0.3 ? 0 : 1 + 1e4 * oracle::uniform(random));
    points.resize(count);
  }
  ClothVertices view(bool displaced) {
    return {start.data(), displaced ? displacements.data() : nullptr, inverse_mass.data(), velocities.data()};
  }
  std::vector<double> start, displacements, velocities, wind, inverse_mass;
  std::vector<ClothOffset> points;
};

void expect_same(const ClothImpulse& one, const ClothImpulse& other) {
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(one.linear[k], other.linear[k]) << k;
    EXPECT_EQ(one.angular[k], other.angular[k]) << k;
  }
}

void expect_same(const SomeVertices& one, const SomeVertices& other) {
  for (std::size_t i = 0; i < one.velocities.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(one.velocities[i]), std::bit_cast<std::uint64_t>(other.velocities[i])) << i;
  }
  for (std::size_t i = 0; i < one.points.size(); ++i) {
    const ClothOffset& p = one.points[i];
    const ClothOffset& q = other.points[i];
    const float left[] = {p.x, p.y, p.z, p.inverse_mass};
    const float right[] = {q.x, q.y, q.z, q.inverse_mass};
    for (std::size_t k = 0; k < 4; ++k)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(left[k]), std::bit_cast<std::uint32_t>(right[k])) << i;
  }
}

class ClothVerticesKernel : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, ClothVerticesKernel, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

TEST_P(ClothVerticesKernel, HasTheBitsOfTheReference) {
  // Whole groups, groups and some left over, fewer than a group, none.
  for (const std::size_t end : {64U, 61U, 10U, 3U}) {
    for (int variant = 0; variant < 32; ++variant) {
      const bool any = (variant & 1) != 0;
      const bool noted = (variant & 2) != 0;
      const bool blown = (variant & 4) != 0;
      const bool displaced = (variant & 8) != 0;
      const bool wanted = (variant & 16) != 0;
      SCOPED_TRACE(std::to_string(end) + ", variant " + std::to_string(variant));
      SomeVertices one(64);
      SomeVertices other(64);
      const std::size_t begin = 3;
      const auto loads = [&](const SomeVertices& of) {
        return ClothLoads{.interval = 4e-4,
                          .gravity = {0.5, -9.81, 0.2},
                          .air_damping = 0.7,
                          .wind = blown ? of.wind.data() : nullptr,
                          .any = any,
                          .noted = noted};
      };
      const auto ends = [&](SomeVertices& of) {
        return ClothEnds{.h = 4e-4, .common = {1e-4, -2e-3, 0}, .points = wanted ? of.points.data() : nullptr};
      };
      expect_same(begin_cloth_step(loads(one), ends(one), one.view(displaced), begin, end),
                  begin_cloth_step_reference(loads(other), ends(other), other.view(displaced), begin, end));
      expect_same(one, other);
      if (!wanted) continue;
      for (SomeVertices* of : {&one, &other}) {
        for (std::size_t i = 0; i < of->points.size(); ++i) {
          if (of->inverse_mass[i] > 0) of->points[i].x += 1e-5F * static_cast<float>(i), of->points[i].z -= 3e-6F;
        }
      }
      expect_same(end_cloth_step(ends(one), noted, one.view(displaced), begin, end),
                  end_cloth_step_reference(ends(other), noted, other.view(displaced), begin, end));
      expect_same(one, other);
    }
  }
}

/// What the air takes is what the vertices lose beside gravity; what does not move keeps its velocity, and the points
/// lead to where velocities do.
TEST_P(ClothVerticesKernel, TellsTheImpulseThatVerticesGet) {
  SomeVertices cloth(61);
  const std::vector<double> before = cloth.velocities;
  const ClothLoads loads{.interval = 1e-2,
                         .gravity = {0, -9.81, 0},
                         .air_damping = 2,
                         .wind = cloth.wind.data(),
                         .any = true,
                         .noted = true};
  const ClothEnds ends{.h = 1e-3, .common = {1e-3, 0, 0}, .points = cloth.points.data()};
  const ClothImpulse air = begin_cloth_step(loads, ends, cloth.view(true), 0, 61);
  double linear[3] = {};
  double turning = 0;  // about z
  for (std::size_t i = 0; i < 61; ++i) {
    double got[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const double change = cloth.velocities[3 * i + k] - before[3 * i + k];
      EXPECT_TRUE(cloth.inverse_mass[i] > 0 || change == 0) << i;
      got[k] = cloth.inverse_mass[i] > 0 ? (change - 1e-2 * loads.gravity[k]) / cloth.inverse_mass[i] : 0;
      linear[k] += got[k];
    }
    const double x = cloth.start[3 * i] + cloth.displacements[3 * i];
    const double y = cloth.start[3 * i + 1] + cloth.displacements[3 * i + 1];
    turning += x * got[1] - y * got[0];
    EXPECT_NEAR(static_cast<double>(cloth.points[i].x),
                cloth.displacements[3 * i] + 1e-3 * cloth.velocities[3 * i] - 1e-3, 1e-8);
  }
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(air.linear[k], linear[k], 1e-12 * (1 + std::abs(linear[k])));
  EXPECT_NEAR(air.angular[2], turning, 1e-12 * (1 + std::abs(turning)));
}

}  // namespace
}  // namespace carom::kernels
