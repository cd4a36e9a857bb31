#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "carom/core/error.hpp"
#include "carom/shape/shape_surface.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

/// By the divergence theorem: positive if the triangles face outward.
double enclosed_volume(const TriangleMesh& mesh) {
  double volume = 0;
  for (const Triangle& t : mesh.triangles) {
    const auto at = [&](int k) { return mesh.positions[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])]; };
    volume += at(0).dot(at(1).cross(at(2))) / 6;
  }
  return volume;
}

const std::vector<Vector3d> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};

struct Solid {
  const char* name;
  Shape shape;
  bool flat;  ///< all its faces are
};

std::vector<Solid> solids() {
  const std::vector<Shape::Part> parts{{Shape::sphere(0.4), Eigen::Isometry3d(Eigen::Translation3d(2, 0, 0))},
                                       {Shape::box({0.5, 1, 0.25}), Eigen::Isometry3d::Identity()}};
  return {{"sphere", Shape::sphere(0.7), false},      {"box", Shape::box({1, 2, 3}), true},
          {"capsule", Shape::capsule(0.5, 1), false}, {"cylinder", Shape::cylinder(0.5, 1), false},
          {"cone", Shape::cone(0.5, 1), false},       {"ellipsoid", Shape::ellipsoid({0.5, 1, 2}), false},
          {"hull", Shape::hull(corners), true},       {"compound", Shape::compound(parts), false}};
}

TEST(ShapeSurface, IsClosedOutwardAndHasTheVolumeOfTheShape) {
  for (const Solid& solid : solids()) {
    const TriangleMesh mesh = make_surface(solid.shape, {.around = 64});
    const Topology topology = build_topology(mesh.positions.size(), mesh.triangles);
    EXPECT_TRUE(topology.boundary_loops.empty()) << solid.name;
    for (std::size_t e = 0; e < topology.edges.size(); ++e)
      EXPECT_EQ(topology.edge_triangles[e].size(), 2U) << solid.name;
    const double volume = solid.shape.mass_properties().volume;
    const double tolerance = solid.flat ? 1e-12 : 0.03;
    EXPECT_NEAR(enclosed_volume(mesh) / volume, 1, tolerance) << solid.name;
    EXPECT_LT(enclosed_volume(mesh), volume * (1 + 1e-12)) << solid.name << " is inscribed";
  }
}

TEST(ShapeSurface, ItsVerticesAreOnTheShape) {
  for (const Solid& solid : solids()) {
    const TriangleMesh mesh = make_surface(solid.shape);
    for (const Vector3d& direction : {Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, 1), Vector3d(0, 0, -1)}) {
      double farthest = -1e9;
      for (const Vector3d& p : mesh.positions) farthest = std::max(farthest, p.dot(direction));
      const double reach = solid.shape.support(direction).dot(direction);
      EXPECT_LE(farthest, reach + 1e-12) << solid.name;
      EXPECT_GE(farthest, reach - (solid.flat ? 1e-12 : 0.05)) << solid.name;
    }
  }
}

TEST(ShapeSurface, MarginsAreDrawn) {
  const Shape die = Shape::box({0.5, 0.5, 0.5}).with_margin(0.1);
  const TriangleMesh mesh = make_surface(die, {.around = 10});
  double farthest = 0;
  for (const Vector3d& p : mesh.positions) farthest = std::max(farthest, p.x());
  EXPECT_NEAR(farthest, 0.6, 0.02);
  EXPECT_LE(farthest, 0.6 + 1e-12);
  // 1 + 6 faces times 0.1, twelve quarter cylinders, a ball.
  const double rounded = 1 + 6 * 0.1 + 3 * std::numbers::pi * 0.01 + 4.0 / 3 * std::numbers::pi * 0.001;
  EXPECT_NEAR(enclosed_volume(mesh), rounded, 0.03);
  EXPECT_LT(enclosed_volume(mesh), rounded);
}

TEST(ShapeSurface, AHalfSpaceIsASquareThatFacesOutward) {
  const TriangleMesh mesh =
      make_surface(Shape::half_space({0, 0, 2}, 3), {.half_space_size = 10, .half_space_centre = {7, 8, 9}});
  ASSERT_EQ(mesh.triangles.size(), 2U);
  Vector3d middle = Vector3d::Zero();
  for (const Vector3d& p : mesh.positions) {
    EXPECT_NEAR(p.z(), 1.5, 1e-12);
    middle += 0.25 * p;
  }
  EXPECT_LT((middle - Vector3d(7, 8, 1.5)).norm(), 1e-12);
  const auto& [a, b, c] = mesh.triangles[0];
  const auto at = [&](Index i) { return mesh.positions[static_cast<std::size_t>(i)]; };
  const Vector3d normal = (at(b) - at(a)).cross(at(c) - at(a));
  EXPECT_NEAR(normal.z(), 100, 1e-9);
  EXPECT_THROW(make_surface(Shape::sphere(1), {.around = 2}), Error);
}

}  // namespace
}  // namespace carom
