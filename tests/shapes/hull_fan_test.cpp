#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "shapes/hull_data.hpp"
#include "shapes/shape_samples.hpp"

namespace carom::shapes {
namespace {

HullData draw(std::mt19937_64& random, int corners) {
  auto points = test::random_points(random, corners);
  for (auto& p : points) p = p.normalized() + Eigen::Vector3d(3, 0, -1);
  return build_hull(points);
}

TEST(HullFan, FacesAreThoseOfTheHullAndEdgesHaveTwo) {
  std::mt19937_64 random(41);
  for (const int corners : {4, 8, 37, 200}) {
    const HullData hull = draw(random, corners);
    const HullFan& fan = hull.fan;
    ASSERT_TRUE(fan.usable());
    ASSERT_EQ(fan.faces.size(), hull.faces.size());
    std::vector<int> seen(hull.faces.size());
    for (std::size_t f = 0; f < fan.faces.size(); ++f) {
      const HullFan::Face& face = fan.faces[f];
      ++seen[face.number];
      const auto list = hull.faces[face.number];
      ASSERT_EQ(face.count, list.size());
      for (std::size_t k = 0; k < list.size(); ++k) {
        const HullFan::Edge& edge = fan.edges[face.first + k];
        EXPECT_EQ(edge.from, list[k]);
        EXPECT_EQ(edge.to, list[(k + 1) % list.size()]);
        // The face beyond has the same edge the other way round, and it leads back.
        const HullFan::Face& beyond = fan.faces[edge.beyond];
        int back = 0;
        for (std::uint32_t m = beyond.first; m < beyond.first + beyond.count; ++m) {
          if (fan.edges[m].from == edge.to && fan.edges[m].to == edge.from && fan.edges[m].beyond == f) ++back;
        }
        EXPECT_EQ(back, 1);
      }
      double largest = -INFINITY;
      for (const Eigen::Vector3d& p : hull.points) largest = std::max(largest, dot(face.n, math::to_vec3(p)));
      EXPECT_NEAR(face.offset, largest, 1e-15 * 4);
    }
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
  }
}

TEST(HullFan, TheBallIsInsideAndNotMuchSmallerThanCanBe) {
  std::mt19937_64 random(42);
  for (const int corners : {4, 8, 37, 200}) {
    const HullData hull = draw(random, corners);
    double room = INFINITY;
    for (const HullFan::Face& face : hull.fan.faces) {
      room = std::min(room, face.offset - dot(face.n, hull.fan.centre));
    }
    EXPECT_LE(hull.fan.radius, room);
    EXPECT_GE(hull.fan.radius, 0.999999 * room);
    // No place found at random has much more room.
    for (int i = 0; i < 300; ++i) {
      const math::Vec3 p = math::to_vec3(Eigen::Vector3d(3, 0, -1) + 0.5 * test::random_vector(random));
      double there = INFINITY;
      for (const HullFan::Face& face : hull.fan.faces) there = std::min(there, face.offset - dot(face.n, p));
      EXPECT_GE(hull.fan.radius, 0.9 * there);
    }
  }
}

TEST(HullFan, FlatAndThinHullsHaveNone) {
  std::mt19937_64 random(43);
  auto points = test::random_points(random, 20);
  for (auto& p : points) p.y() *= 1e-5;
  EXPECT_FALSE(build_hull(points).fan.usable());
  for (auto& p : points) p.y() = 0;
  EXPECT_FALSE(build_hull(points).fan.usable());
}

}  // namespace
}  // namespace carom::shapes
