// Local depths against plain sampling: every sample is a lower bound, and the stated error must cover it.
#include <gtest/gtest.h>

#include <random>

#include "carom/mesh/closest.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/mesh/weld.hpp"
#include "oracle/placed.hpp"
#include "overlap/parts.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;
using namespace overlap_parts;

double distance_to(const TriangleMesh& mesh, const Vector3d& p) {
  double best = INFINITY;
  for (const Triangle& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
    best = std::min(best, closest_vertex_triangle(p, corner(0), corner(1), corner(2)).distance);
  }
  return best;
}

/// Winding number by the sum of solid angles.
bool is_inside(const TriangleMesh& mesh, const Vector3d& p) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vector3d a = mesh.positions[static_cast<std::size_t>(t[0])] - p;
    const Vector3d b = mesh.positions[static_cast<std::size_t>(t[1])] - p;
    const Vector3d c = mesh.positions[static_cast<std::size_t>(t[2])] - p;
    sum += 2 * std::atan2(a.dot(b.cross(c)), a.norm() * b.norm() * c.norm() + a.dot(b) * c.norm() +
                                                 b.dot(c) * a.norm() + c.dot(a) * b.norm());
  }
  return std::abs(sum) > 2 * std::numbers::pi;
}

/// The deepest of many points of a surface in a solid.
double sampled_depth(const TriangleMesh& surface, const TriangleMesh& solid) {
  double deepest = 0;
  constexpr int steps = 6;
  for (const Triangle& t : surface.triangles) {
    const auto corner = [&](std::size_t k) { return surface.positions[static_cast<std::size_t>(t[k])]; };
    for (int i = 0; i <= steps; ++i) {
      for (int j = 0; j <= steps - i; ++j) {
        const Vector3d p = corner(0) + (corner(1) - corner(0)) * i / steps + (corner(2) - corner(0)) * j / steps;
        const double d = distance_to(solid, p);
        if (d > deepest && is_inside(solid, p)) deepest = d;
      }
    }
  }
  return deepest;
}

TEST(OverlapDepth, NoSampleIsDeeperThanTheStatedError) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  const std::vector<TriangleMesh> parts{make_box({1, 0.7, 0.5}, 2), make_icosphere(0.5, 1),
                                        make_torus(0.5, 0.2, 12, 6)};
  for (int i = 0; i < 9; ++i) {
    const Eigen::Quaterniond turn =
        Eigen::Quaterniond(unit(random), unit(random), unit(random), unit(random)).normalized();
    const TriangleMesh& a = parts[static_cast<std::size_t>(i) % 3];
    const TriangleMesh b =
        placed(parts[static_cast<std::size_t>(i / 3)], 0.4 * Vector3d(unit(random), unit(random), 1), turn);
    const std::vector<Clash> found = check(a, b, {.tolerance = 0});
    if (found.empty()) continue;
    double in_a = 0;
    double in_b = 0;
    double upper_a = 0;
    double upper_b = 0;
    for (const ClashRegion& region : found[0].regions) {
      in_a = std::max(in_a, region.in_a.depth);
      in_b = std::max(in_b, region.in_b.depth);
      upper_a = std::max(upper_a, region.in_a.depth + region.in_a.error);
      upper_b = std::max(upper_b, region.in_b.depth + region.in_b.error);
    }
    const double sampled_a = sampled_depth(b, a);
    const double sampled_b = sampled_depth(a, b);
    EXPECT_LE(sampled_a, upper_a + 1e-12);
    EXPECT_LE(sampled_b, upper_b + 1e-12);
    // What was found is a point of the surface: samples a sixth of an edge apart come near it.
    EXPECT_LE(in_a, sampled_a + 0.1);
    EXPECT_LE(upper_a - in_a, 0.02 * in_a + 1e-9);
    EXPECT_LE(upper_b - in_b, 0.02 * in_b + 1e-9);
  }
}

TEST(OverlapDepth, TheSameForAnyNumberOfThreads) {
  const MeshOptions solid{.solid = MeshSolid::inside};
  std::vector<Shape::Part> parts;
  for (int i = 0; i < 12; ++i)
    parts.push_back(
        {Shape::mesh(placed(bumpy_ball(20, 10, 0.05, i), Vector3d(0.9 * (i % 4), 0.9 * (i / 4), 0)), solid)});
  const std::vector<Clash> one = find_clashes(parts, {.threads = 1});
  const std::vector<Clash> three = find_clashes(parts, {.threads = 3});
  ASSERT_EQ(one.size(), three.size());
  ASSERT_GT(one.size(), 10U);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].distance, three[i].distance);
    EXPECT_EQ(one[i].volume, three[i].volume);
    EXPECT_EQ(one[i].regions.size(), three[i].regions.size());
  }
}

TEST(OverlapDepth, AStopWithinAPairReturnsWhatWasFound) {
  const MeshOptions solid{.solid = MeshSolid::inside};
  const TriangleMesh large = bumpy_ball(200, 100, 0.003, 0);
  const std::vector<Shape::Part> parts{{Shape::mesh(make_box({1, 1, 1}), solid)},
                                       {Shape::mesh(placed(make_box({1, 1, 1}), Vector3d(0.9, 0, 5)), solid)},
                                       {Shape::mesh(large, solid)},
                                       {Shape::mesh(placed(large, Vector3d(1e-3, 0, 0)), solid)}};
  bool told_within = false;
  find_clashes(parts, {.threads = 1, .progress = [&](const ClashProgress& state) {
                         told_within = told_within || state.a != none;
                         return !told_within;
                       }});
  EXPECT_TRUE(told_within) << "a pair of large meshes takes longer than a tenth of a second, or the report is missing";
}

TEST(Weld, ChainsOfNearVerticesBecomeOne) {
  TriangleMesh mesh;
  for (int i = 0; i < 5; ++i) mesh.positions.emplace_back(0.9e-3 * i, 0, 0);
  mesh.positions.emplace_back(1, 0, 0);
  mesh.positions.emplace_back(0, 1, 0);
  mesh.triangles = {{0, 5, 6}, {4, 5, 6}, {1, 2, 5}};
  std::vector<Index> kept;
  const TriangleMesh near = weld(mesh, 1e-3, &kept);
  EXPECT_EQ(near.positions.size(), 3U);
  EXPECT_EQ(near.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 1, 2}}));
  EXPECT_EQ(kept, (std::vector<Index>{0, 1}));
  EXPECT_EQ(weld(mesh, 0.8e-3).positions.size(), 7U);
  EXPECT_EQ(weld(mesh, 0).positions.size(), 7U);
  mesh.positions[1] = mesh.positions[0];
  EXPECT_EQ(weld(mesh, 0).positions.size(), 6U);
  EXPECT_ANY_THROW(weld(mesh, -1));
}

}  // namespace
}  // namespace carom
