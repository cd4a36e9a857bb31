#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "carom/mesh/generate.hpp"
#include "carom/query/cast.hpp"
#include "carom/query/clash.hpp"
#include "carom/query/mesh_contacts.hpp"
#include "carom/query/query.hpp"
#include "mesh/brute_mesh.hpp"
#include "shapes/shape_samples.hpp"

// What of a mesh is solid: outward, inward and nested shells, against the winding number by solid angles.
namespace carom {
namespace {

using Eigen::Vector3d;

Eigen::Isometry3d at(double x, double y, double z) {
  return Eigen::Isometry3d(Eigen::Translation3d(x, y, z));
}

Shape room() {
  return Shape::mesh(test::inside_out(make_box({4, 4, 4}, 2)));
}

struct Shells {
  const char* name;
  TriangleMesh mesh;
  bool room;
  bool solid = true;  ///< some of it
};

std::vector<Shells> shells() {
  const auto in = [](const TriangleMesh& mesh) { return test::inside_out(mesh); };
  const auto join = [](const TriangleMesh& a, const TriangleMesh& b, const Vector3d& offset = Vector3d::Zero()) {
    return test::joined(a, b, offset);
  };
  const TriangleMesh large = make_icosphere(1, 1);
  const TriangleMesh middle = make_icosphere(0.7, 1);
  const TriangleMesh small = make_icosphere(0.4, 1);
  const TriangleMesh pillar = make_box({0.4, 2, 0.3});
  const TriangleMesh hall = in(make_box({2, 2, 2}));
  return {
      {"outward", large, false},
      {"inward", in(large), true},
      {"torn, inward", test::torn(in(middle)), true},
      {"torus, inward", in(make_torus(0.7, 0.3, 14, 8)), true},
      {"hollow wall", join(large, in(middle)), false},
      {"ball in a hollow wall", join(join(large, in(middle)), small), false},
      {"room with a ball in it", join(in(large), small, {0.2, 0, 0}), true},
      {"room with a hollow ball in it", join(join(in(large), middle), in(small)), true},
      {"pillar from floor to ceiling", join(hall, pillar, {0.3, 0, 0.1}), true},
      {"beam through both walls", join(hall, make_box({3, 0.3, 0.3}), {0.1, 0.2, 0.3}), true},
      {"two rooms", join(in(small), in(small), {0.9, 0, 0}), true},
      {"two rooms in one", join(in(middle), in(middle), {0.4, 0, 0}), true},
      {"inward beside outward", join(in(small), small, {0.9, 0.1, 0}), false},
      {"inward under a box that stands on it", join(in(make_box({1, 0.5, 1})), make_box({0.3, 0.5, 0.3}), {0, 0.5, 0}),
       false},
      {"a sheet of two sides", join(make_sheet(1, 1, 3, 3), in(make_sheet(1, 1, 3, 3))), false, false},
      {"open", make_sheet(1, 1, 3, 3), false, false},
  };
}

bool is_solid(int winding, const Shells& of, MeshSolid solid) {
  if (solid == MeshSolid::surface) return false;
  return solid == MeshSolid::by_normals && of.room ? winding >= 0 : winding != 0;
}

TEST(MeshSolid, IsWhereTheWindingNumberSays) {
  std::mt19937_64 random(21);
  constexpr std::array<MeshSolid, 3> solids{MeshSolid::by_normals, MeshSolid::inside, MeshSolid::surface};
  const TriangleMesh tiny = make_box({0.02, 0.03, 0.04});
  const Shape tiny_mesh = Shape::mesh(tiny);
  const Shape tiny_box = Shape::box({0.01, 0.015, 0.02});
  const Shape point = Shape::hull(std::vector<Vector3d>{Vector3d::Zero()});
  for (const Shells& s : shells()) {
    std::vector<Shape> shapes;
    for (const MeshSolid solid : solids) shapes.push_back(Shape::mesh(s.mesh, {.solid = solid}));
    EXPECT_EQ(shapes[0].is_room(), s.room) << s.name;
    EXPECT_FALSE(shapes[1].is_room() || shapes[2].is_room()) << s.name;
    EXPECT_EQ(shapes[2].closed_pieces(), 0U) << s.name;
    std::array<int, 2> seen{};
    for (int i = 0; i < 50; ++i) {
      const Eigen::Isometry3d pose = test::random_pose(random, 3);
      const Vector3d& vertex = s.mesh.positions[random() % s.mesh.positions.size()];
      const Vector3d p = pose * (i % 10 == 9 ? Vector3d(20 * test::random_vector(random))
                                             : Vector3d(vertex + 0.4 * test::random_vector(random)));
      const Eigen::Isometry3d there = at(p.x(), p.y(), p.z());
      const int winding = static_cast<int>(std::lround(test::winding_number(s.mesh, pose, p)));
      const test::BrutePair brute = test::brute_pair(s.mesh, pose, tiny, there);
      for (std::size_t k = 0; k < solids.size(); ++k) {
        const std::string what = fmt::format("{}, {}, {}", s.name, to_string(solids[k]), i);
        const bool in = is_solid(winding, s, solids[k]);
        if (k == 0) ++seen[in ? 1 : 0];
        EXPECT_EQ(collide(shapes[k], pose, point, there), in) << what;
        for (const Shape* b : {&tiny_mesh, &tiny_box}) {
          EXPECT_EQ(collide(shapes[k], pose, *b, there), in || brute.meet) << what;
          const QueryResult r = distance(shapes[k], pose, *b, there);
          EXPECT_EQ(r.colliding(), in || brute.meet) << what;
          if (!r.colliding()) {
            EXPECT_NEAR(r.distance, brute.distance, 1e-9) << what;
          }
        }
      }
    }
    EXPECT_GE(seen[0], 3) << s.name;
    if (s.solid) {
      EXPECT_GE(seen[1], 3) << s.name;
    }
  }
}

TEST(MeshSolid, DepthInAWallOfARoomIsThatToItsInside) {
  const Shape walls = room();
  const Shape ball = Shape::sphere(0.5);
  const std::vector<Shape::Part> parts{{ball}};
  const std::vector<Shape> shapes{ball, Shape::mesh(make_icosphere(0.5, 4)), Shape::box({0.5, 0.5, 0.5}),
                                  Shape::mesh(make_box({1, 1, 1}, 2)), Shape::compound(parts)};
  for (const Shape& shape : shapes) {
    // In the room, half through the wall, its middle beyond, and all of it out there.
    for (const double x : {0.9, 1.7, 2.0, 2.25, 2.6, 7.0}) {
      const QueryResult r = distance(walls, at(0, 0, 0), shape, at(x, 0.1, -0.2));
      const double gap = 2 - (x + 0.5);
      EXPECT_NEAR(r.distance, gap, 0.003) << to_string(shape.kind()) << " " << x;
      EXPECT_EQ(r.colliding(), gap <= 0) << to_string(shape.kind()) << " " << x;
      EXPECT_EQ(collide(walls, at(0, 0, 0), shape, at(x, 0.1, -0.2)), gap <= 0) << to_string(shape.kind()) << " " << x;
      if (gap > 0) continue;
      EXPECT_NEAR((r.normal + Vector3d::UnitX()).norm(), 0, 0.01) << to_string(shape.kind()) << " " << x;
      EXPECT_FALSE(r.limited);
      // Moved back along the normal it is in the room.
      Eigen::Isometry3d moved = at(x, 0.1, -0.2);
      moved.translation() += (1e-6 - r.distance) * r.normal;
      EXPECT_FALSE(collide(walls, at(0, 0, 0), shape, moved)) << to_string(shape.kind()) << " " << x;
    }
  }
  // Margins of the walls take room away.
  EXPECT_NEAR(distance(walls.with_margin(0.25), at(0, 0, 0), ball, at(1, 0, 0)).distance, 0.25, 1e-9);
  EXPECT_NEAR(distance(walls.with_margin(0.25), at(0, 0, 0), ball, at(1.5, 0, 0)).distance, -0.25, 1e-9);
}

TEST(MeshSolid, ManifoldsPushBackIntoTheRoom) {
  std::vector<TriangleManifold> manifolds;
  for (const double x : {1.45, 1.6, 1.95}) {
    mesh_manifolds(room(), at(0, 0, 0), Shape::sphere(0.5), at(x, 0.1, -0.2), 0.1, manifolds);
    ASSERT_FALSE(manifolds.empty()) << x;
    double smallest = INFINITY;
    for (const TriangleManifold& m : manifolds) {
      EXPECT_NEAR((m.normal + Vector3d::UnitX()).norm(), 0, 1e-6) << x;
      smallest = std::min(smallest, m.points[0].distance);
    }
    EXPECT_NEAR(smallest, 1.5 - x, 1e-4 * 0.5) << x;
  }
}

TEST(MeshSolid, WhatFitsNowhereIsInfinitelyDeep) {
  const Shape walls = room();
  const Eigen::Isometry3d here = at(0, 0, 0);
  for (const Shape& other :
       {Shape::half_space({0, 0, 1}, -9), Shape::box({5, 5, 5}), Shape::mesh(make_box({9, 9, 9})), walls}) {
    const QueryResult r = distance(walls, here, other, at(0.1, 0.2, 0.3));
    EXPECT_TRUE(collide(walls, here, other, at(0.1, 0.2, 0.3)));
    EXPECT_EQ(r.distance, -INFINITY) << to_string(other.kind());
    EXPECT_TRUE(r.point_a.allFinite() && r.point_b.allFinite() && r.normal.allFinite()) << to_string(other.kind());
    const QueryResult mirror = distance(other, at(0.1, 0.2, 0.3), walls, here);
    EXPECT_EQ(mirror.point_b, r.point_a);
    EXPECT_EQ(mirror.distance, r.distance);
  }
}

TEST(MeshSolid, CastsAndClashes) {
  const Shape walls = room();
  const Shape ball = Shape::sphere(0.5);
  const CastResult hit = cast(ball, at(0, 0, 0), at(10, 0, 0), walls, at(0, 0, 0));
  ASSERT_TRUE(hit.hit);
  EXPECT_NEAR(hit.time, 0.15, 1e-5);
  EXPECT_FALSE(cast(ball, at(0, 0, 0), at(1, 1, 1), walls, at(0, 0, 0)).hit);
  EXPECT_EQ(cast(ball, at(10, 0, 0), at(9, 0, 0), walls, at(0, 0, 0)).time, 0);
  const std::vector<Shape::Part> parts{{walls}, {ball, at(0, 1, 0)}, {ball, at(0, -1.75, 0)}, {ball, at(100, 0, 0)}};
  const std::vector<Clash> clashes = find_clashes(parts, {.threads = 1});
  ASSERT_EQ(clashes.size(), 2U);
  EXPECT_EQ(clashes[0].b, 3);
  EXPECT_NEAR(clashes[0].distance, -98.5, 1e-6);
  EXPECT_EQ(clashes[1].b, 2);
  EXPECT_NEAR(clashes[1].distance, -0.25, 1e-9);
}

TEST(MeshSolid, MassIsThatOfWhatIsEnclosedAndOfARoomNone) {
  const TriangleMesh inward = test::inside_out(make_box({4, 2, 1}));
  const MassProperties none = Shape::mesh(inward).mass_properties();
  EXPECT_EQ(none.volume, 0);
  EXPECT_NEAR(none.center.norm(), 0, 1e-12);
  const MassProperties mass = Shape::mesh(inward, {.solid = MeshSolid::inside}).mass_properties();
  const MassProperties box = Shape::box({2, 1, 0.5}).mass_properties();
  EXPECT_NEAR(mass.volume, box.volume, 1e-12);
  EXPECT_NEAR((mass.inertia - box.inertia).norm(), 0, 1e-12);
  EXPECT_EQ(Shape::mesh(make_box({4, 2, 1}), {.solid = MeshSolid::surface}).mass_properties().volume, 0);
  EXPECT_TRUE(Shape::mesh(inward).scaled(2).is_room());
}

}  // namespace
}  // namespace carom
