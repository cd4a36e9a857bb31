#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "carom/mesh/closest.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/query/clash.hpp"
#include "carom/query/mesh_contacts.hpp"
#include "carom/query/query.hpp"
#include "shapes/shape_samples.hpp"

// Shapes that touch exactly: the points are on both, and the normal takes them apart.
namespace carom {
namespace {

using Eigen::Vector3d;

TriangleMesh box_mesh(const Vector3d& low, const Vector3d& high, int subdivisions = 1) {
  TriangleMesh mesh = make_box(high - low, subdivisions);
  for (Vector3d& p : mesh.positions) {
    // Bit for bit, whatever the generator rounds.
    for (Eigen::Index k = 0; k < 3; ++k) {
      const double fraction = (p[k] + 0.5 * (high - low)[k]) / (high - low)[k];
      p[k] = fraction < 1e-9 ? low[k] : fraction > 1 - 1e-9 ? high[k] : low[k] + fraction * (high - low)[k];
    }
  }
  return mesh;
}

/// Two solids that touch at the origin, as vertices.
struct Touch {
  const char* name;
  TriangleMesh a;
  TriangleMesh b;
  Vector3d normal;  ///< zero if there are many
};

/// A box of edge 1 on its edge along z, the edge at the origin, above the plane x = 0.
TriangleMesh on_edge() {
  TriangleMesh mesh = make_box({1, 1, 1});
  for (Vector3d& p : mesh.positions) {
    const Vector3d q = p + Vector3d(0.5, 0.5, 0);
    p = {q.x() + q.y(), q.y() - q.x(), q.z()};
  }
  return mesh;
}

/// A tetrahedron that stands on its apex at the origin, above the plane x = 0.
TriangleMesh on_apex() {
  return {{{0, 0, 0}, {1, 0.5, 0}, {1, -0.3, 0.4}, {1, -0.3, -0.4}}, {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}}};
}

TriangleMesh mirrored_edge() {
  TriangleMesh mesh = on_edge();
  // Turned by half a turn about y, and by a quarter about x: its edge along y, below the plane x = 0.
  for (Vector3d& p : mesh.positions) p = {-p.x(), p.z(), p.y()};
  return mesh;
}

std::vector<Touch> touches() {
  const TriangleMesh left = box_mesh({-1, -0.5, -0.5}, {0, 0.5, 0.5});
  const TriangleMesh right = box_mesh({0, -0.5, -0.5}, {1, 0.5, 0.5});
  return {
      {"face on the same face", left, right, Vector3d::UnitX()},
      {"face on part of a face", left, box_mesh({0, -0.25, -2}, {3, 4, 0.25}, 3), Vector3d::UnitX()},
      {"face on a smaller face", left, box_mesh({0, -0.25, -0.125}, {0.5, 0.25, 0.25}), Vector3d::UnitX()},
      {"edge on a face", left, on_edge(), Vector3d::UnitX()},
      {"edge across an edge", mirrored_edge(), on_edge(), Vector3d::UnitX()},
      {"edge along an edge", box_mesh({-1, -1, -0.5}, {0, 0, 0.5}), box_mesh({0, 0, -0.5}, {1, 1, 0.5}),
       Vector3d::Zero()},
      {"vertex on a face", left, on_apex(), Vector3d::UnitX()},
      {"vertex on a vertex", box_mesh({-1, -1, -1}, {0, 0, 0}), box_mesh({0, 0, 0}, {1, 1, 1}), Vector3d::Zero()},
      {"vertex on an edge", mirrored_edge(), on_apex(), Vector3d::Zero()},
  };
}

double distance_to(const TriangleMesh& surface, const Eigen::Isometry3d& pose, const Vector3d& p) {
  double smallest = INFINITY;
  for (const Triangle& t : surface.triangles) {
    const auto corner = [&](std::size_t k) {
      return Vector3d(pose * surface.positions[static_cast<std::size_t>(t[k])]);
    };
    smallest = std::min(smallest, closest_vertex_triangle(p, corner(0), corner(1), corner(2)).distance);
  }
  return smallest;
}

/// Of two solids with one pose, with the surfaces of `touch`.
void expect_touch(const Touch& touch, const Shape& a, const Shape& b, const Eigen::Isometry3d& pose, double rounding,
                  const std::string& what) {
  const QueryResult r = distance(a, pose, b, pose);
  EXPECT_NEAR(r.distance, 0, rounding) << what;
  EXPECT_NEAR((r.point_a - r.point_b).norm(), 0, rounding) << what;
  EXPECT_NEAR(distance_to(touch.a, pose, r.point_a), 0, rounding) << what;
  EXPECT_NEAR(distance_to(touch.b, pose, r.point_b), 0, rounding) << what;
  EXPECT_NEAR(r.normal.norm(), 1, 1e-12) << what;
  if (touch.normal.norm() > 0.5) {
    EXPECT_NEAR((r.normal - pose.linear() * touch.normal).norm(), 0, 1e-5) << what;
  }
  // From a to b: a motion along the normal opens a gap, and no wider than the motion.
  const double step = std::max(1e-3, 1e4 * rounding);
  Eigen::Isometry3d moved = pose;
  moved.translation() += step * r.normal;
  EXPECT_GT(distance(a, pose, b, moved).distance, 0.5 * step) << what;
}

TEST(MeshTouch, PointsAreOnBothAndTheNormalTakesThemApart) {
  for (const Touch& touch : touches()) {
    // The poses move both alike by whole numbers, so that the touch stays exact.
    for (const Vector3d& place : {Vector3d(0, 0, 0), Vector3d(11, 10, 10), Vector3d(-4096, 65536, 1 << 20)}) {
      const Eigen::Isometry3d pose(Eigen::Translation3d(place.x(), place.y(), place.z()));
      const double rounding = 1e-14 * (10 + place.norm());
      const std::string what = touch.name + std::string(", at x = ") + std::to_string(place.x());
      const Shape a = Shape::mesh(touch.a);
      const Shape b = Shape::mesh(touch.b);
      const QueryResult r = distance(a, pose, b, pose);
      EXPECT_EQ(r.distance, 0) << what;
      EXPECT_EQ(r.point_a, r.point_b) << what;
      expect_touch(touch, a, b, pose, rounding, what);
      const QueryResult mirror = distance(b, pose, a, pose);
      EXPECT_EQ(mirror.point_a, r.point_b) << what;
      EXPECT_EQ(mirror.normal, -r.normal) << what;
      // With the coordinates in the mesh instead of the pose.
      Touch far = touch;
      for (TriangleMesh* mesh : {&far.a, &far.b})
        for (Vector3d& p : mesh->positions) p += place;
      expect_touch(far, Shape::mesh(far.a), Shape::mesh(far.b), Eigen::Isometry3d::Identity(), rounding,
                   what + ", in the mesh");
    }
  }
}

TEST(MeshTouch, TurnedTouchesAreTouchesToRounding) {
  std::mt19937_64 random(12);
  for (const Touch& touch : touches()) {
    for (int i = 0; i < 10; ++i) {
      const Eigen::Isometry3d pose = test::random_pose(random, i < 5 ? 3 : 3000);
      const double rounding = 1e-13 * (10 + pose.translation().norm());
      const Shape a = Shape::mesh(touch.a);
      const Shape b = Shape::mesh(touch.b);
      expect_touch(touch, a, b, pose, rounding, touch.name + std::string(", turned ") + std::to_string(i));
    }
  }
}

TEST(MeshTouch, OfAConvexShapeAndOfACompound) {
  for (const Touch& touch : touches()) {
    for (const Vector3d& place : {Vector3d(0, 0, 0), Vector3d(11, 10, 10), Vector3d(-4096, 65536, 1 << 20)}) {
      const Eigen::Isometry3d pose(Eigen::Translation3d(place.x(), place.y(), place.z()));
      const double rounding = 1e-11 * (10 + place.norm());
      const std::string what = touch.name + std::string(", at x = ") + std::to_string(place.x());
      const Shape a = Shape::mesh(touch.a);
      const Shape hull = Shape::hull(touch.b.positions);
      const std::vector<Shape::Part> parts{{Shape::sphere(0.1), Eigen::Isometry3d(Eigen::Translation3d(9, 9, 9))},
                                           {hull}};
      const Shape compound = Shape::compound(parts);
      expect_touch(touch, a, hull, pose, rounding, what + ", convex");
      expect_touch(touch, a, compound, pose, rounding, what + ", compound");
    }
  }
}

TEST(MeshTouch, IsWhereAClashCheckSaysItIs) {
  const Eigen::Isometry3d here = Eigen::Isometry3d::Identity();
  const std::vector<Shape::Part> parts{{Shape::mesh(box_mesh({10, 10, 10}, {11, 11, 11}))},
                                       {Shape::mesh(box_mesh({11, 10, 10}, {12, 11, 11}))}};
  const std::vector<Clash> clashes = find_clashes(parts, {.threads = 1});
  ASSERT_EQ(clashes.size(), 1U);
  EXPECT_EQ(clashes[0].kind, ClashKind::touch);
  EXPECT_EQ(clashes[0].point_a, Vector3d(11, 10.5, 10.5));
  EXPECT_EQ(clashes[0].point_b, Vector3d(11, 10.5, 10.5));
  EXPECT_EQ(clashes[0].normal, Vector3d::UnitX());
  const std::vector<OverlapRegion> regions = overlap_regions(parts[0].shape, here, parts[1].shape, here);
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_EQ(regions[0].point_a, Vector3d(11, 10.5, 10.5));
  EXPECT_EQ(regions[0].depth, 0);
}

}  // namespace
}  // namespace carom
