#include "carom/shape/decompose.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <thread>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/query/query.hpp"

namespace carom {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;

/// A prism over a polygon in the plane z = 0, counter-clockwise, cut in triangles as a fan around corner `hub`, from
/// which all other corners are seen.
TriangleMesh prism(const std::vector<Eigen::Vector2d>& outline, std::size_t hub, double height) {
  TriangleMesh mesh;
  const auto n = static_cast<Index>(outline.size());
  for (const double z : {0.0, height}) {
    for (const Eigen::Vector2d& p : outline) mesh.positions.emplace_back(p.x(), p.y(), z);
  }
  for (Index i = 0; i < n; ++i) {
    const Index j = (i + 1) % n;
    mesh.triangles.push_back({i, j, j + n});
    mesh.triangles.push_back({i, j + n, i + n});
    const auto h = static_cast<Index>(hub);
    if (i == h || j == h) continue;
    mesh.triangles.push_back({h, j, i});
    mesh.triangles.push_back({h + n, i + n, j + n});
  }
  return mesh;
}

TriangleMesh l_shape() {
  return prism({{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}}, 3, 1);
}

/// A hull of one point.
const Shape point_shape = Shape::hull(std::vector<Vector3d>{Vector3d::Zero()});

double solid_volume(const TriangleMesh& mesh) {
  return Shape::mesh(mesh).mass_properties().volume;
}

double sum_of_volumes(const Decomposition& d) {
  double sum = 0;
  for (const Shape& part : d.parts) sum += part.mass_properties().volume;
  return sum;
}

bool any_contains(const Decomposition& d, const Vector3d& p) {
  const Isometry3d at(Eigen::Translation3d{p});
  for (const Shape& part : d.parts) {
    if (distance(point_shape, at, part, Isometry3d::Identity()).distance <= 1e-9) return true;
  }
  return false;
}

/// The promise, at random points: every point of the solid is in a part, and every point of a part is within `error`
/// of the solid.
void expect_promise(const TriangleMesh& mesh, const Decomposition& d) {
  const Shape solid = Shape::mesh(mesh);
  const AxisBox box = solid.bounding_box(Isometry3d::Identity());
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  int inside = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vector3d p = box.min + Vector3d(unit(random), unit(random), unit(random)).cwiseProduct(box.max - box.min);
    const double away =
        distance(point_shape, Isometry3d(Eigen::Translation3d{p}), solid, Isometry3d::Identity()).distance;
    const bool covered = any_contains(d, p);
    if (away < 0) {
      EXPECT_TRUE(covered) << p.transpose();
      ++inside;
    } else if (covered) {
      EXPECT_LE(away, d.error + 1e-9) << p.transpose();
    }
  }
  EXPECT_GT(inside, 30);
}

TEST(Decompose, KeepsAConvexMeshAsOnePart) {
  for (const TriangleMesh& mesh : {make_box({1, 2, 3}, 4), make_icosphere(1, 2)}) {
    const Decomposition d = decompose(Shape::mesh(mesh));
    ASSERT_EQ(d.parts.size(), 1U);
    EXPECT_FALSE(d.limited);
    EXPECT_EQ(d.error, 0);
    EXPECT_NEAR(sum_of_volumes(d), solid_volume(mesh), 1e-9 * solid_volume(mesh));
    expect_promise(mesh, d);
  }
}

TEST(Decompose, CutsAnLInTwoWithoutRest) {
  const TriangleMesh mesh = l_shape();
  const Decomposition d = decompose(Shape::mesh(mesh));
  ASSERT_EQ(d.parts.size(), 2U);
  EXPECT_NEAR(sum_of_volumes(d), 5, 1e-9);
  EXPECT_EQ(d.error, 0);
  expect_promise(mesh, d);
}

TEST(Decompose, CutsAnLThatIsTurnedInTwoAsWell) {
  TriangleMesh mesh = l_shape();
  const Eigen::AngleAxisd turn(0.7, Vector3d(1, 2, 3).normalized());
  for (Vector3d& p : mesh.positions) p = turn * p + Vector3d(100, -50, 20);
  const Decomposition d = decompose(Shape::mesh(mesh));
  ASSERT_EQ(d.parts.size(), 2U);
  EXPECT_NEAR(sum_of_volumes(d), 5, 1e-7);
  EXPECT_EQ(d.error, 0);
  expect_promise(mesh, d);
}

TEST(Decompose, CutsAnLThatIsInsideOutInTwoIfItsInsideIsSolid) {
  TriangleMesh mesh = l_shape();
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  const Decomposition d = decompose(Shape::mesh(mesh, {.solid = MeshSolid::inside}));
  ASSERT_EQ(d.parts.size(), 2U);
  EXPECT_NEAR(sum_of_volumes(d), 5, 1e-9);
}

TEST(Decompose, KeepsTheHoleOfATorus) {
  const TriangleMesh mesh = make_torus(1, 0.3, 32, 16);
  const Decomposition d = decompose(Shape::mesh(mesh), {.tolerance = 0.02});
  EXPECT_GE(d.parts.size(), 6U);
  EXPECT_LE(d.parts.size(), 24U);
  EXPECT_FALSE(d.limited);
  EXPECT_LE(d.error, 0.02 * 2 * std::hypot(1.3 * std::sqrt(2.0), 0.3));
  EXPECT_FALSE(any_contains(d, Vector3d::Zero()));
  expect_promise(mesh, d);
}

TEST(Decompose, IsFinerWithASmallerTolerance) {
  const TriangleMesh mesh = make_torus(1, 0.3, 32, 16);
  const Decomposition coarse = decompose(Shape::mesh(mesh), {.tolerance = 0.05});
  const Decomposition fine = decompose(Shape::mesh(mesh), {.tolerance = 0.01});
  EXPECT_LT(coarse.parts.size(), fine.parts.size());
  EXPECT_GT(coarse.error, fine.error);
  EXPECT_GT(sum_of_volumes(coarse), sum_of_volumes(fine) * 0.99);
}

TEST(Decompose, SaysWhenTheNumberOfPartsDidNotSuffice) {
  const TriangleMesh mesh = make_torus(1, 0.3, 32, 16);
  const Decomposition d = decompose(Shape::mesh(mesh), {.tolerance = 0.01, .max_parts = 4});
  EXPECT_TRUE(d.limited);
  EXPECT_LE(d.parts.size(), 4U);
  EXPECT_GT(d.error, 0.01 * 2.6);
  expect_promise(mesh, d);
}

TEST(Decompose, FillsNoCavity) {
  // A hollow box: an inner box of half the size, facing inward.
  TriangleMesh mesh = make_box({2, 2, 2});
  const TriangleMesh inner = make_box({1, 1, 1});
  const auto first = static_cast<Index>(mesh.positions.size());
  mesh.positions.insert(mesh.positions.end(), inner.positions.begin(), inner.positions.end());
  for (const Triangle& t : inner.triangles) mesh.triangles.push_back({t[0] + first, t[2] + first, t[1] + first});
  const Decomposition d = decompose(Shape::mesh(mesh));
  EXPECT_FALSE(any_contains(d, Vector3d::Zero()));
  EXPECT_FALSE(d.limited);
  EXPECT_LE(d.error, 0.02 * std::sqrt(12.0));
  expect_promise(mesh, d);
}

/// Addresses of the parts tell one result from another.
std::vector<const void*> addresses(const Decomposition& d) {
  std::vector<const void*> list;
  for (const Shape& part : d.parts) list.push_back(&part.data());
  return list;
}

TEST(Decompose, IsKeptWithTheMeshForEachOptions) {
  const Shape mesh = Shape::mesh(l_shape());
  const auto first = addresses(decompose(mesh));
  const Shape copy = mesh;
  EXPECT_EQ(addresses(decompose(copy)), first);
  EXPECT_EQ(addresses(decompose(mesh.with_margin(0.1))), first);
  const auto others = addresses(decompose(mesh, {.tolerance = 0.03}));
  EXPECT_NE(others, first);
  EXPECT_NE(addresses(decompose(mesh, {.max_parts = 63})), first);
  EXPECT_EQ(addresses(decompose(mesh, {.tolerance = 0.03})), others);
  EXPECT_EQ(addresses(decompose(mesh)), first);
  EXPECT_NE(addresses(decompose(Shape::mesh(l_shape()))), first);
}

TEST(Decompose, IsDoneOnceIfSeveralThreadsAskAtATime) {
  const Shape mesh = Shape::mesh(l_shape());
  std::array<std::vector<const void*>, 4> found;
  std::vector<std::thread> threads;
  for (auto& list : found) threads.emplace_back([&mesh, &list] { list = addresses(decompose(mesh)); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& list : found) EXPECT_EQ(list, found[0]);
  EXPECT_EQ(found[0].size(), 2U);
}

TEST(Decompose, RefusesWhatIsNoSolid) {
  EXPECT_THROW(decompose(Shape::mesh(make_sheet(1, 1, 2, 2))), Error);
  EXPECT_THROW(decompose(Shape::box({1, 1, 1})), Error);
  TriangleMesh room = make_box({1, 1, 1});
  for (Triangle& t : room.triangles) std::swap(t[1], t[2]);
  EXPECT_THROW(decompose(Shape::mesh(room)), Error);
  EXPECT_EQ(decompose(Shape::mesh(room, {.solid = MeshSolid::inside})).parts.size(), 1U);
  EXPECT_THROW(decompose(Shape::mesh(make_box({1, 1, 1}), {.solid = MeshSolid::surface})), Error);
  EXPECT_THROW(decompose(Shape::mesh(make_box({1, 1, 1})), {.tolerance = 0}), Error);
  EXPECT_THROW(decompose(Shape::mesh(make_box({1, 1, 1})), {.max_parts = 0}), Error);
}

}  // namespace
}  // namespace carom
