#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "carom/mesh/generate.hpp"

namespace carom {
namespace {

using Groups = std::vector<std::vector<Index>>;
using List = std::vector<Index>;
using Edges = std::vector<Edge>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TriangleMesh tetrahedron() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

/// Empties one list that was looked at, so that the rest of the report can be asked whether it is clean.
template <class T>
T take(T& list) {
  return std::exchange(list, T{});
}

TEST(MeshReport, OfATetrahedronIsClean) {
  const MeshReport report = inspect(tetrahedron());
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.vertices, 4u);
  EXPECT_EQ(report.edges, 6u);
  EXPECT_EQ(report.triangles, 4u);
  EXPECT_EQ(report.components, 1u);
  EXPECT_EQ(report.boundary_loops, 0u);
  EXPECT_EQ(report.box_min, Eigen::Vector3d::Zero());
  EXPECT_EQ(report.box_max, Eigen::Vector3d::Ones());
  EXPECT_NEAR(report.area, 1.5 + std::sqrt(3.0) / 2, 1e-15);
  EXPECT_NEAR(report.volume, 1.0 / 6, 1e-16);
}

TEST(MeshReport, OfNothingIsNotWatertight) {
  const MeshReport report = inspect({});
  EXPECT_FALSE(report.watertight());
  EXPECT_FALSE(report.clean());
  EXPECT_EQ(report.area, 0);
  EXPECT_EQ(report.box_min, Eigen::Vector3d::Zero());
}

TEST(MeshReport, FindsVerticesThatAreNotFinite) {
  TriangleMesh mesh = tetrahedron();
  mesh.positions[1].y() = nan;
  mesh.positions[3].z() = -infinity;
  MeshReport report = inspect(mesh);
  EXPECT_FALSE(report.clean());
  EXPECT_EQ(take(report.not_finite_vertices), (List{1, 3}));
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.box_max, Eigen::Vector3d(0, 1, 0));  // of vertices 0 and 2
  EXPECT_EQ(report.area, 0);
  EXPECT_EQ(report.volume, 0);
}

TEST(MeshReport, FindsUnusedVertices) {
  TriangleMesh mesh = tetrahedron();
  mesh.positions.insert(mesh.positions.begin(), {9, 9, 9});
  mesh.positions.emplace_back(8, 8, 8);
  for (Triangle& t : mesh.triangles)
    for (Index& corner : t) ++corner;
  MeshReport report = inspect(mesh);
  EXPECT_EQ(report.box_max, Eigen::Vector3d::Ones());
  EXPECT_FALSE(report.clean());
  EXPECT_EQ(take(report.unused_vertices), (List{0, 5}));
  EXPECT_TRUE(report.clean());
}

TEST(MeshReport, FindsCoincidentVertices) {
  TriangleMesh mesh = tetrahedron();
  const TriangleMesh other = tetrahedron();
  mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
  for (Triangle t : other.triangles) {
    for (Index& corner : t) corner += 4;
    mesh.triangles.push_back(t);
  }
  mesh.positions[4] = {-0.0, 0.0, -0.0};             // still the same point
  mesh.positions[5] = {std::nextafter(1, 2), 0, 0};  // not quite
  MeshReport report = inspect(mesh);
  EXPECT_EQ(report.components, 2u);
  EXPECT_FALSE(report.clean());
  EXPECT_EQ(take(report.coincident_vertices), (Groups{{0, 4}, {2, 6}, {3, 7}}));
  EXPECT_TRUE(report.clean());
}

TEST(MeshReport, FindsRepeatedCorners) {
  TriangleMesh mesh = tetrahedron();
  mesh.triangles.push_back({2, 2, 2});
  MeshReport report = inspect(mesh);
  EXPECT_FALSE(report.clean());
  EXPECT_EQ(take(report.repeated_corner_triangles), (List{4}));
  // That triangle shares no edge with the others at vertex 2.
  EXPECT_EQ(take(report.nonmanifold_vertices), (List{2}));
  EXPECT_TRUE(report.clean());

  mesh.triangles.back() = {0, 1, 0};
  report = inspect(mesh);
  EXPECT_EQ(take(report.repeated_corner_triangles), (List{4}));
  EXPECT_EQ(take(report.nonmanifold_edges), (Edges{{0, 1}}));
  EXPECT_TRUE(report.clean());
}

TEST(MeshReport, FindsTrianglesOfExactlyZeroArea) {
  TriangleMesh mesh;
  mesh.positions = {{0.1, 0.1, 0.1}, {0.2, 0.2, 0.2}, {0.4, 0.4, 0.4}, {0.3, 0.3, std::nextafter(0.3, 1)}, {5, 0, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 1, 4}};
  const MeshReport report = inspect(mesh);
  EXPECT_EQ(report.zero_area_triangles, (List{0}));
}

TEST(MeshReport, FindsTrianglesOnThreeVerticesAtOnePlace) {
  TriangleMesh mesh;
  mesh.positions = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
  mesh.triangles = {{0, 1, 2}};
  const MeshReport report = inspect(mesh);
  EXPECT_EQ(report.zero_area_triangles, (List{0}));
  EXPECT_EQ(report.coincident_vertices, (Groups{{0, 1, 2}}));
}

TEST(MeshReport, FindsDuplicateTriangles) {
  TriangleMesh mesh = tetrahedron();
  mesh.triangles.push_back({3, 1, 2});  // triangle 3 again
  mesh.triangles.push_back({1, 2, 0});  // triangle 0 turned over
  const MeshReport report = inspect(mesh);
  EXPECT_EQ(report.duplicate_triangles, (Groups{{0, 5}, {3, 4}}));
  EXPECT_FALSE(report.clean());
}

TEST(MeshReport, FindsBoundaryEdges) {
  TriangleMesh mesh = tetrahedron();
  mesh.triangles.pop_back();
  MeshReport report = inspect(mesh);
  EXPECT_FALSE(report.watertight());
  EXPECT_TRUE(report.manifold());
  EXPECT_TRUE(report.oriented());
  EXPECT_EQ(report.boundary_loops, 1u);
  EXPECT_EQ(take(report.boundary_edges), (Edges{{1, 2}, {1, 3}, {2, 3}}));
  EXPECT_TRUE(report.clean());
}

TEST(MeshReport, FindsNonmanifoldEdges) {
  TriangleMesh mesh = tetrahedron();
  mesh.positions.emplace_back(2, 2, 2);
  mesh.triangles.push_back({1, 2, 4});
  MeshReport report = inspect(mesh);
  EXPECT_FALSE(report.manifold());
  EXPECT_FALSE(report.watertight());
  EXPECT_EQ(report.nonmanifold_edges, (Edges{{1, 2}}));
  EXPECT_EQ(report.boundary_edges, (Edges{{1, 4}, {2, 4}}));
  EXPECT_TRUE(report.inconsistent_edges.empty());
}

TEST(MeshReport, FindsInconsistentEdges) {
  TriangleMesh mesh = tetrahedron();
  std::swap(mesh.triangles[1][0], mesh.triangles[1][1]);  // (0, 1, 3) turned inside out
  MeshReport report = inspect(mesh);
  EXPECT_TRUE(report.watertight());
  EXPECT_FALSE(report.oriented());
  EXPECT_EQ(take(report.inconsistent_edges), (Edges{{0, 1}, {0, 3}, {1, 3}}));
  EXPECT_TRUE(report.clean());
}

TEST(MeshReport, FindsNonmanifoldVertices) {
  TriangleMesh mesh = tetrahedron();  // and a second one that touches its vertex 3
  mesh.positions.insert(mesh.positions.end(), {{1, 0, 2}, {0, 1, 2}, {0, 0, 2}});
  mesh.triangles.insert(mesh.triangles.end(), {{3, 4, 5}, {3, 5, 6}, {3, 6, 4}, {4, 6, 5}});
  MeshReport report = inspect(mesh);
  EXPECT_EQ(report.components, 1u);
  EXPECT_TRUE(report.watertight());
  EXPECT_FALSE(report.manifold());
  EXPECT_EQ(take(report.nonmanifold_vertices), (List{3}));
  EXPECT_TRUE(report.clean());
}

TEST(MeshReport, VolumeDoesNotDependOnThePlace) {
  TriangleMesh mesh = make_box({1, 2, 4}, 3);
  const Eigen::Vector3d far = {1 << 20, -(1 << 21), 1 << 22};  // a power of two keeps the coordinates nearly exact
  for (Eigen::Vector3d& p : mesh.positions) p += far;
  EXPECT_NEAR(inspect(mesh).volume, 8, 1e-8);
  EXPECT_NEAR(inspect(mesh).area, 28, 1e-8);
}

TEST(MeshReport, MeasuresTheSmallestAndTheLargest) {
  for (const double scale : {1e-100, 1e-80, 1e80, 1e100}) {
    const MeshReport report = inspect(make_box({scale, scale, scale}));
    EXPECT_TRUE(report.clean());
    EXPECT_NEAR(report.area / scale / scale, 6, 1e-14) << scale;
    EXPECT_NEAR(report.volume / scale / scale / scale, 1, 1e-14) << scale;
  }
  // The true values are not doubles; whatever comes must not be NaN.
  for (const double scale : {5e-324, 1e-310, 1e-200, 1e200, 1.7e308}) {
    const MeshReport report = inspect(make_box({scale, scale, scale}));
    EXPECT_GE(report.area, 0) << scale;
    EXPECT_GE(report.volume, 0) << scale;
  }
}

}  // namespace
}  // namespace carom
