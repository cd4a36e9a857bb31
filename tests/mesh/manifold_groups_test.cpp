#include "narrow/mesh/manifold_groups.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <random>

namespace carom {
namespace {

using Eigen::Vector3d;

/// A point that was given, named by its feature.
struct Given {
  Vector3d place;
  Vector3d normal;
  double gap;
};

struct Problem {
  std::vector<mesh::FaceManifold> triangles;
  std::vector<Given> points;
  Vector3d up;  ///< the normal of the nearest triangle, along which the group is seen
};

/// Points under a body on triangles that are tilted by up to `tilt` (rad) each: as random gaps, or as those over a
/// bump or a hollow.
Problem random_problem(std::mt19937& random, double tilt) {
  std::uniform_real_distribution<double> number(-1, 1);
  const Vector3d up = Vector3d(number(random), number(random), number(random)).normalized();
  const Vector3d u = up.unitOrthogonal();
  const Vector3d v = up.cross(u);
  const double bend = 2e-3 * number(random);
  const double noise = random() % 2 == 0 ? 0 : 1e-3;
  Problem problem;
  double nearest = INFINITY;
  const int count = 1 + static_cast<int>(random() % 8);
  for (int i = 0; i < count; ++i) {
    mesh::FaceManifold& t = problem.triangles.emplace_back();
    t.triangle = i;
    const Vector3d normal = (up + 0.7 * tilt * (number(random) * u + number(random) * v)).normalized();
    t.patch.normal = math::to_vec3(normal);
    t.patch.count = 1 + static_cast<int>(random() % 4);
    t.patch.distance = INFINITY;
    for (std::size_t k = 0; k < static_cast<std::size_t>(t.patch.count); ++k) {
      const double x = number(random);
      const double y = number(random);
      const double gap = bend * (x * x + y * y) + noise * number(random);
      const Vector3d place = x * u + y * v;
      t.patch.points[k] = {math::to_vec3(place), gap, static_cast<std::uint32_t>(problem.points.size())};
      t.patch.distance = std::min(t.patch.distance, gap);
      problem.points.push_back({place, normal, gap});
    }
    if (t.patch.distance < nearest) {
      nearest = t.patch.distance;
      problem.up = normal;
    }
  }
  return problem;
}

/// Any three of those that were kept that have the point between them, or nearly, and no lower.
bool is_held(const Problem& problem, const std::vector<std::uint32_t>& kept, const Given& p, double tolerance) {
  const Vector3d u = problem.up.unitOrthogonal();
  const Vector3d v = problem.up.cross(u);
  const auto column = [&](std::uint32_t i) {
    const Given& g = problem.points[i];
    return Vector3d(u.dot(g.place), v.dot(g.place), 1);
  };
  const Vector3d place(u.dot(p.place), v.dot(p.place), 1);
  for (const std::uint32_t a : kept) {
    for (const std::uint32_t b : kept) {
      for (const std::uint32_t c : kept) {
        if (!(a < b && b < c)) continue;
        Eigen::Matrix3d m;
        m << column(a), column(b), column(c);
        if (std::abs(m.determinant()) < 1e-9) continue;
        const Vector3d fraction = m.inverse() * place;
        const Vector3d gaps(problem.points[a].gap, problem.points[b].gap, problem.points[c].gap);
        if (fraction.minCoeff() >= -0.1 - 1e-9 && fraction.dot(gaps) <= p.gap + tolerance + 1e-12) return true;
      }
    }
  }
  return false;
}

TEST(MeshGroups, WhatIsLeftOutIsHeldByWhatIsKept) {
  constexpr double tolerance = 1e-5;
  std::mt19937 random(11);
  mesh::GroupScratch scratch;
  std::vector<convex::ConvexManifold> patches;
  std::size_t given = 0;
  std::size_t left = 0;
  for (int round = 0; round < 2000; ++round) {
    Problem problem = random_problem(random, 0.02);
    mesh::gather(problem.triangles, tolerance, scratch, patches);
    std::vector<std::uint32_t> kept;
    for (const convex::ConvexManifold& patch : patches) {
      ASSERT_GE(patch.count, 1);
      double deepest = INFINITY;
      for (std::size_t k = 0; k < static_cast<std::size_t>(patch.count); ++k) {
        const convex::ConvexManifoldPoint& p = patch.points[k];
        ASSERT_LT(p.feature, problem.points.size());
        const Given& from = problem.points[p.feature];
        EXPECT_EQ(p.distance, from.gap);
        EXPECT_EQ(math::to_eigen(p.middle), from.place);
        // Those of a patch are within 0.8 degrees of one of them, so no more than this from their mean.
        EXPECT_GT(math::to_eigen(patch.normal).dot(from.normal), 1 - 4e-4);
        deepest = std::min(deepest, p.distance);
        kept.push_back(p.feature);
      }
      EXPECT_EQ(patch.distance, deepest);
    }
    std::sort(kept.begin(), kept.end());
    ASSERT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end());
    for (std::size_t i = 0; i < problem.points.size(); ++i) {
      if (std::binary_search(kept.begin(), kept.end(), static_cast<std::uint32_t>(i))) continue;
      ASSERT_TRUE(is_held(problem, kept, problem.points[i], tolerance)) << "round " << round << " point " << i;
    }
    given += problem.points.size();
    left += problem.points.size() - kept.size();
  }
  EXPECT_GT(left, given / 10);
}

/// Triangles that face other ways are groups of their own.
TEST(MeshGroups, AllOfAValleyIsKept) {
  std::vector<mesh::FaceManifold> triangles(2);
  for (std::size_t i = 0; i < 2; ++i) {
    convex::ConvexManifold& patch = triangles[i].patch;
    triangles[i].triangle = static_cast<Index>(i);
    patch.normal = math::to_vec3(Vector3d(i == 0 ? 0.1 : -0.1, 1, 0).normalized());
    patch.count = 2;
    patch.points[0] = {{0, 0, i == 0 ? 0.2 : -0.2}, 0, 0};
    patch.points[1] = {{i == 0 ? -1.0 : 1.0, 0, 0}, 0, 1};
  }
  mesh::GroupScratch scratch;
  std::vector<convex::ConvexManifold> patches;
  mesh::gather(triangles, 1e-5, scratch, patches);
  ASSERT_EQ(patches.size(), 2U);
  EXPECT_EQ(patches[0].count, 2);
  EXPECT_EQ(patches[1].count, 2);
}

}  // namespace
}  // namespace carom
