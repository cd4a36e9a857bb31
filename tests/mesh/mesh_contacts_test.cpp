#include "carom/query/mesh_contacts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "mesh/brute_mesh.hpp"
#include "shapes/shape_samples.hpp"

// All contacts of a mesh: crossings, regions, manifolds.
namespace carom {
namespace {

Eigen::Isometry3d at(double x, double y, double z) {
  return Eigen::Isometry3d(Eigen::Translation3d(x, y, z));
}

/// A U in the x-y plane, from z = -0.5 to 0.5: a base to y = 1, prongs from x = 0 to 1 up to y = 3 and from x = 2 to 3
/// up to `right`.
TriangleMesh make_u(double right) {
  const std::vector<Eigen::Vector2d> support_polygon{{0, 0}, {3, 0}, {3, right}, {2, right},
                                                     {2, 1}, {1, 1}, {1, 3},     {0, 3}};
  const std::vector<Triangle> front{{0, 1, 4}, {0, 4, 5}, {0, 5, 7}, {5, 6, 7}, {1, 2, 4}, {2, 3, 4}};
  TriangleMesh mesh;
  for (const double z : {0.5, -0.5}) {
    for (const Eigen::Vector2d& p : support_polygon) mesh.positions.emplace_back(p.x(), p.y(), z);
  }
  for (const Triangle& t : front) {
    mesh.triangles.push_back(t);
    mesh.triangles.push_back({t[0] + 8, t[2] + 8, t[1] + 8});
  }
  for (Index i = 0; i < 8; ++i) {
    const Index j = (i + 1) % 8;
    mesh.triangles.push_back({i, i + 8, j});
    mesh.triangles.push_back({j, i + 8, j + 8});
  }
  return mesh;
}

TEST(MeshContacts, TheTestsUIsClosed) {
  const MeshReport report = inspect(make_u(3));
  EXPECT_TRUE(report.clean());
  EXPECT_NEAR(report.volume, 7, 1e-12);
}

TEST(MeshContacts, CrossingsAreThoseOfEveryPairOfTriangles) {
  std::mt19937_64 random(11);
  std::size_t found = 0;
  const std::vector<TriangleMesh> meshes{make_icosphere(0.7, 2), make_torus(0.6, 0.25, 14, 8), make_box({1, 1, 1}, 3),
                                         make_sheet(1.5, 1.5, 8, 8)};
  for (int i = 0; i < 24; ++i) {
    const TriangleMesh& a = meshes[static_cast<std::size_t>(i) % 4];
    const TriangleMesh& b = meshes[static_cast<std::size_t>(i) / 4 % 4];
    // Every third pair is axis-aligned, so that faces are coplanar and vertices on edges.
    Eigen::Isometry3d pose_a = at(0, 0, 0);
    Eigen::Isometry3d pose_b = at(0.5, 0.25, 0);
    if (i % 3 != 0) {
      pose_a = test::random_pose(random, 1);
      pose_b = test::random_pose(random, 1);
      pose_b.translation() = pose_a.translation() + 0.6 * test::random_vector(random);
    }
    const test::BrutePair brute = test::brute_pair(a, pose_a, b, pose_b);
    const std::vector<MeshCrossing> crossings = mesh_crossings(Shape::mesh(a), pose_a, Shape::mesh(b), pose_b);
    ASSERT_EQ(crossings.size(), brute.crossing.size()) << i;
    for (std::size_t k = 0; k < crossings.size(); ++k) {
      ASSERT_EQ(crossings[k].triangle_a, brute.crossing[k][0]) << i;
      ASSERT_EQ(crossings[k].triangle_b, brute.crossing[k][1]) << i;
      // The segment, as the exact function has it.
      const auto corners = [&](const TriangleMesh& mesh, Index t, const Eigen::Isometry3d& pose) {
        const Triangle& c = mesh.triangles[static_cast<std::size_t>(t)];
        return TrianglePoints{pose * mesh.positions[static_cast<std::size_t>(c[0])],
                              pose * mesh.positions[static_cast<std::size_t>(c[1])],
                              pose * mesh.positions[static_cast<std::size_t>(c[2])]};
      };
      const auto exact =
          intersection(corners(a, crossings[k].triangle_a, pose_a), corners(b, crossings[k].triangle_b, pose_b));
      if (i % 3 == 0) {
        ASSERT_EQ(crossings[k].kind, exact->kind) << i;
      }
      if (crossings[k].kind != IntersectionKind::segment) continue;
      const double straight = (crossings[k].start - exact->start).norm() + (crossings[k].end - exact->end).norm();
      const double crosswise = (crossings[k].start - exact->end).norm() + (crossings[k].end - exact->start).norm();
      ASSERT_LE(std::min(straight, crosswise), 1e-9) << i;
    }
    found += crossings.size();
    const std::vector<MeshCrossing> mirrored = mesh_crossings(Shape::mesh(b), pose_b, Shape::mesh(a), pose_a);
    ASSERT_EQ(mirrored.size(), crossings.size());
    // Every crossing is in one region, and regions have no others.
    std::size_t in_regions = 0;
    for (const OverlapRegion& r : overlap_regions(Shape::mesh(a), pose_a, Shape::mesh(b), pose_b)) {
      in_regions += r.crossings.size();
      EXPECT_NEAR((r.point_a - r.point_b - r.depth * r.normal).norm(), 0, 1e-9);
      EXPECT_LE(r.error, r.depth + 1e-12);
    }
    EXPECT_EQ(in_regions, crossings.size()) << i;
  }
  EXPECT_GE(found, 200U);
}

TEST(MeshContacts, AUPressedAgainstABoxHasTwoRegions) {
  const Shape u = Shape::mesh(make_u(3.1));
  const Shape mesh_box = Shape::mesh(make_box({6, 2, 2}));
  const Shape solid_box = Shape::box({3, 1, 1});
  for (const Shape* box : {&mesh_box, &solid_box}) {
    const auto regions = overlap_regions(u, at(0, 0, 0), *box, at(1.5, 3.95, 0.1));
    ASSERT_EQ(regions.size(), 2U);
    EXPECT_NEAR(regions[0].depth, 0.15, 1e-9);
    EXPECT_NEAR(regions[1].depth, 0.05, 1e-9);
    for (const OverlapRegion& r : regions) {
      EXPECT_NEAR((r.normal - Eigen::Vector3d::UnitY()).norm(), 0, 1e-6);
      EXPECT_FALSE(r.limited);
      EXPECT_FALSE(r.triangles_a.empty());
    }
    EXPECT_GE(regions[0].point_a.x(), 2 - 1e-9);
    EXPECT_LE(regions[1].point_a.x(), 1 + 1e-9);
    // The deepest of them is what the query tells.
    EXPECT_NEAR(distance(u, at(0, 0, 0), *box, at(1.5, 3.95, 0.1)).distance, -0.15, 1e-9);
    const auto mirrored = overlap_regions(*box, at(1.5, 3.95, 0.1), u, at(0, 0, 0));
    ASSERT_EQ(mirrored.size(), 2U);
    EXPECT_EQ(mirrored[0].normal, -regions[0].normal);
    EXPECT_EQ(mirrored[0].triangles_b, regions[0].triangles_a);
  }
}

TEST(MeshContacts, APegTooWideForItsSlotIsALittleDeepOnBothSides) {
  const Shape u = Shape::mesh(make_u(3));
  const Shape mesh_peg = Shape::mesh(make_box({1.02, 3, 0.8}, 3));
  const Shape solid_peg = Shape::box({0.51, 1.5, 0.4});
  for (const Shape* peg : {&mesh_peg, &solid_peg}) {
    const auto regions = overlap_regions(u, at(0, 0, 0), *peg, at(1.5, 2.7, 0));
    ASSERT_EQ(regions.size(), 2U);
    for (const OverlapRegion& r : regions) {
      EXPECT_NEAR(r.depth, 0.01, 1e-9);
      EXPECT_NEAR(std::abs(r.normal.x()), 1, 1e-6);
    }
    EXPECT_LT(regions[0].normal.x() * regions[1].normal.x(), 0);
  }
}

TEST(MeshContacts, LinkedToriTouchWhereTheyAreNear) {
  const Shape torus = Shape::mesh(make_torus(1, 0.3, 64, 32));
  Eigen::Isometry3d across = Eigen::Isometry3d::Identity();
  across.linear() = Eigen::AngleAxisd(1.5707963267948966, Eigen::Vector3d::UnitX()).toRotationMatrix();
  across.translation() = Eigen::Vector3d(1, 0, 0);
  EXPECT_FALSE(collide(torus, at(0, 0, 0), torus, across));
  EXPECT_NEAR(distance(torus, at(0, 0, 0), torus, across).distance, 0.4, 0.01);
  EXPECT_TRUE(overlap_regions(torus, at(0, 0, 0), torus, across).empty());
  across.translation().x() = 1.45;
  const auto regions = overlap_regions(torus, at(0, 0, 0), torus, across);
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_NEAR(regions[0].depth, 0.05, 0.01);
  EXPECT_LT(regions[0].normal.x(), -0.99);
  EXPECT_NEAR(regions[0].deepest.x(), 0.72, 0.05);
}

TEST(MeshContacts, ABoxInsideABoxIsARegionWithoutCrossings) {
  const TriangleMesh small = make_box({1, 1, 1});
  const auto regions = overlap_regions(Shape::mesh(make_box({4, 4, 4})), at(0, 0, 0), Shape::mesh(small), at(1, 0, 0));
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_NEAR(regions[0].depth, 1.5, 1e-9);
  EXPECT_TRUE(regions[0].crossings.empty());
  EXPECT_EQ(regions[0].triangles_b.size(), small.triangles.size());
  // No corner is deeper than 1.5 below the nearest face, so nothing shorter will do.
  EXPECT_NEAR(regions[0].error, 0, 1e-9);
}

TEST(MeshContacts, ABallThatTouchesWithItsRadiusOnlyIsAsDeepAsDistanceSays) {
  const Shape box = Shape::mesh(make_box({2, 2, 2}));
  for (const Shape& round : {Shape::sphere(0.5), Shape::capsule(0.5, 0.25).with_margin(0.125)}) {
    const double radius = round.kind() == ShapeKind::sphere ? 0.5 : 0.875;  // below its origin
    const Eigen::Isometry3d pose = at(0.25, 0.5, 1 + radius - 0.125);
    const std::vector<OverlapRegion> regions = overlap_regions(box, at(0, 0, 0), round, pose);
    ASSERT_EQ(regions.size(), 1U);
    EXPECT_NEAR(regions[0].depth, 0.125, 1e-12);
    EXPECT_NEAR((regions[0].normal - Eigen::Vector3d::UnitZ()).norm(), 0, 1e-9);
    EXPECT_EQ(regions[0].triangles_a.size(), 1U);
    EXPECT_EQ(overlap_regions(round, pose, box, at(0, 0, 0))[0].depth, regions[0].depth);
  }
}

TEST(MeshContacts, SurfacesThatAreApartByRoundingOnlyAreARegionIfTheirMarginsOverlap) {
  // A thousandth of what can be told from the sum of the margins.
  TriangleMesh sheet = make_sheet(1, 1, 2, 2);
  const Shape a = Shape::mesh(sheet).with_margin(0.125);
  for (auto& p : sheet.positions) p.z() += 1e-19;
  const Shape b = Shape::mesh(sheet).with_margin(0.125);
  ASSERT_TRUE(collide(a, at(0, 0, 0), b, at(0, 0, 0)));
  const std::vector<OverlapRegion> regions = overlap_regions(a, at(0, 0, 0), b, at(0, 0, 0));
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_NEAR(regions[0].depth, 0.25, 1e-15);
}

TEST(MeshContacts, ManifoldsOnAFlatFloor) {
  const Shape floor = Shape::mesh(make_box({10, 10, 2}, 7));
  std::vector<TriangleManifold> manifolds;
  mesh_manifolds(floor, at(0, 0, 0), Shape::box({0.5, 0.4, 0.5}), at(0.1, 0.2, 1.49), 0.02, manifolds);
  ASSERT_FALSE(manifolds.empty());
  double low_x = 10;
  double high_x = -10;
  for (const TriangleManifold& m : manifolds) {
    EXPECT_NEAR((m.normal - Eigen::Vector3d::UnitZ()).norm(), 0, 1e-9);
    ASSERT_GE(m.count, 1);
    for (int k = 0; k < m.count; ++k) {
      const ManifoldPoint& p = m.points[static_cast<std::size_t>(k)];
      EXPECT_NEAR(p.distance, -0.01, 1e-9);
      EXPECT_NEAR(p.point_a.z(), 1, 1e-9);
      EXPECT_NEAR(p.point_b.z(), 0.99, 1e-9);
      low_x = std::min(low_x, p.point_a.x());
      high_x = std::max(high_x, p.point_a.x());
    }
  }
  EXPECT_NEAR(low_x, -0.4, 1e-6);
  EXPECT_NEAR(high_x, 0.6, 1e-6);
  mesh_manifolds(floor, at(0, 0, 0), Shape::box({0.5, 0.4, 0.5}), at(0.1, 0.2, 1.53), 0.02, manifolds);
  EXPECT_TRUE(manifolds.empty());
}

TEST(MeshContacts, ABallThatSlidesFeelsNoInnerEdges) {
  const Shape floor = Shape::mesh(make_sheet(10, 10, 20, 20));
  const Shape ball = Shape::sphere(0.5);
  std::vector<TriangleManifold> manifolds;
  std::mt19937_64 random(12);
  for (int i = 0; i < 200; ++i) {
    const double x = test::number(random, -4, 4);
    mesh_manifolds(floor, at(0, 0, 0), ball, at(x, 0.49, i % 2 == 0 ? 0 : x), 0.1, manifolds);
    ASSERT_FALSE(manifolds.empty()) << x;
    for (const TriangleManifold& m : manifolds) {
      ASSERT_NEAR((m.normal - Eigen::Vector3d::UnitY()).norm(), 0, 1e-6) << x;
      ASSERT_NEAR(m.points[0].distance, -0.01, 1e-9) << x;
    }
  }
  // At the rim there is nothing beyond, and its edge counts.
  mesh_manifolds(floor, at(0, 0, 0), ball, at(5.3, 0.3, 0.1), 0.1, manifolds);
  ASSERT_FALSE(manifolds.empty());
  EXPECT_GT(manifolds[0].normal.x(), 0.5);
}

TEST(MeshContacts, TrianglesNearABoxAreNotForgotten) {
  std::mt19937_64 random(13);
  const TriangleMesh mesh = make_torus(0.7, 0.2, 20, 10);
  const Shape shape = Shape::mesh(mesh);
  std::vector<Index> near;
  for (int i = 0; i < 50; ++i) {
    const Eigen::Isometry3d pose = test::random_pose(random, 1);
    const Eigen::Vector3d middle = pose.translation() + test::random_vector(random);
    const AxisBox box{middle - Eigen::Vector3d(0.2, 0.3, 0.1), middle + Eigen::Vector3d(0.2, 0.3, 0.1)};
    triangles_near(shape, pose, box, near);
    EXPECT_TRUE(std::is_sorted(near.begin(), near.end()));
    const Shape solid = Shape::box(0.5 * (box.max - box.min));
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const auto corner = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(mesh.triangles[t][k])]; };
      const Shape triangle = Shape::triangle(corner(0), corner(1), corner(2));
      if (!collide(triangle, pose, solid, at(middle.x(), middle.y(), middle.z()))) continue;
      EXPECT_TRUE(std::binary_search(near.begin(), near.end(), static_cast<Index>(t))) << i;
    }
    EXPECT_LT(near.size(), mesh.triangles.size());
  }
}

TEST(MeshContacts, WhatIsWrongIsNamed) {
  const auto error_of = [](auto&& ask) -> std::string {
    try {
      ask();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  const Shape ball = Shape::sphere(1);
  const Shape mesh = Shape::mesh(make_box({1, 1, 1}));
  std::vector<TriangleManifold> manifolds;
  EXPECT_EQ(error_of([&] { overlap_regions(ball, at(0, 0, 0), ball, at(0, 0, 0)); }),
            "overlap_regions: a is a sphere and b a sphere, expected a mesh");
  EXPECT_EQ(error_of([&] { mesh_crossings(mesh, at(0, 0, 0), ball, at(0, 0, 0)); }),
            "mesh_crossings: b is a sphere, expected a mesh");
  EXPECT_EQ(error_of([&] { mesh_manifolds(mesh, at(0, 0, 0), mesh, at(0, 0, 0), 0, manifolds); }),
            "mesh_manifolds: the second shape is a mesh, expected a bounded convex shape");
  EXPECT_EQ(error_of([&] { mesh_manifolds(mesh, at(0, 0, 0), ball, at(0, 0, 0), -1, manifolds); }),
            "mesh_manifolds: within is -1, expected at least 0");
}

}  // namespace
}  // namespace carom
