#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "carom/core/error.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

// Cloth whose triangles change: seams that close, and tears.
namespace carom {
namespace {

using Eigen::Vector3d;

constexpr int segments = 6;

WorldOptions floating() {
  WorldOptions o;
  o.dt = 1.0 / 60;
  o.threads = 1;
  o.gravity.setZero();
  o.contact.distance = 0.004;
  return o;
}

/// Two panels of 0.3 m side by side with a gap between them, the second after the first.
TriangleMesh panels(double gap) {
  TriangleMesh mesh = make_sheet(0.3, 0.3, segments, segments);
  const TriangleMesh other = mesh;
  const auto first = static_cast<Index>(mesh.positions.size());
  for (const Vector3d& p : other.positions) mesh.positions.push_back(p + Vector3d(0.3 + gap, 0, 0));
  for (const Triangle& t : other.triangles) mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return mesh;
}

std::vector<Index> edge_at(const TriangleMesh& mesh, double x) {
  std::vector<Index> list;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (std::abs(mesh.positions[v].x() - x) < 1e-9) list.push_back(static_cast<Index>(v));
  }
  std::sort(list.begin(), list.end(), [&](Index a, Index b) {
    return mesh.positions[static_cast<std::size_t>(a)].z() < mesh.positions[static_cast<std::size_t>(b)].z();
  });
  return list;
}

std::size_t intersecting(const World& world, BodyId id) {
  const auto x = world.positions(id);
  const auto t = world.triangles(id);
  const Surface surface(x.size(), std::vector<Triangle>(t.begin(), t.end()));
  return intersections(surface, x, {.threads = 1}).size();
}

template <class Make>
std::string error_of(Make&& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Seam, PanelsOfOneBodyBecomeOneSurface) {
  ClothBody body;
  body.name = "panels";
  body.mesh = panels(0.05);
  const std::vector<Index> a = edge_at(body.mesh, 0.15);
  const std::vector<Index> b = edge_at(body.mesh, 0.2);
  ASSERT_EQ(a.size(), 7U);
  World world(floating());
  const BodyId id = world.add(body);
  world.sew({.a = id, .vertices_a = a, .b = id, .vertices_b = b, .duration = 0.5});
  EXPECT_EQ(world.joint_count(), 7U);
  const double mass = world.balance().mass;
  for (int k = 0; k < 45; ++k) {
    world.step();
    ASSERT_EQ(intersecting(world, id), 0U) << k;
  }
  EXPECT_EQ(world.joint_count(), 0U) << "what has met is one vertex";
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(world.positions(id)[static_cast<std::size_t>(a[i])], world.positions(id)[static_cast<std::size_t>(b[i])]);
  const auto t = world.triangles(id);
  const Topology topology = build_topology(world.positions(id).size(), std::vector<Triangle>(t.begin(), t.end()));
  EXPECT_EQ(topology.component_count, 1);
  EXPECT_NEAR(world.balance().mass, mass, 1e-12);
  EXPECT_LT(world.balance().momentum.norm(), 1e-10 * mass);
  // A snapshot goes on from here bit for bit.
  const World::Snapshot snapshot = world.snapshot();
  for (int k = 0; k < 5; ++k) world.step();
  const std::uint64_t hash = world.state_hash();
  world.restore(snapshot);
  for (int k = 0; k < 5; ++k) world.step();
  EXPECT_EQ(world.state_hash(), hash);
}

/// Each vertex is sewn to the one at the other end of the edge, so that the panels would have to cross to meet.
TEST(Seam, SidesDoNotPassThroughEachOtherWhileTheyClose) {
  ClothBody body;
  body.name = "panels";
  body.mesh = panels(0.05);
  const std::vector<Index> a = edge_at(body.mesh, 0.15);
  std::vector<Index> b = edge_at(body.mesh, 0.2);
  std::reverse(b.begin(), b.end());
  World world(floating());
  const BodyId id = world.add(body);
  world.sew({.a = id, .vertices_a = a, .b = id, .vertices_b = b, .duration = 0.4});
  for (int k = 0; k < 36; ++k) {
    world.step();
    ASSERT_EQ(intersecting(world, id), 0U) << k;
  }
  const auto apart = [&](std::span<const Vector3d> x) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += (x[static_cast<std::size_t>(a[i])] - x[static_cast<std::size_t>(b[i])]).norm();
    return sum;
  };
  EXPECT_LT(apart(world.positions(id)), 0.8 * apart(body.mesh.positions)) << "pulled together";
}

TEST(Seam, ChainsOfDifferentCountsAndBodiesMeetByLength) {
  ClothBody left;
  left.name = "left";
  left.mesh = make_sheet(0.3, 0.3, 6, 6);
  ClothBody right = left;
  right.name = "right";
  right.mesh = make_sheet(0.3, 0.3, 5, 4);
  for (Vector3d& p : right.mesh.positions) p.x() += 0.33;
  World world(floating());
  const BodyId a = world.add(left);
  const BodyId b = world.add(right);
  const std::vector<Index> chain_a = edge_at(left.mesh, 0.15);
  const std::vector<Index> chain_b = edge_at(right.mesh, 0.18);
  ASSERT_EQ(chain_a.size(), 7U);
  ASSERT_EQ(chain_b.size(), 5U);
  world.sew({.a = b, .vertices_a = chain_b, .b = a, .vertices_b = chain_a, .duration = 0.3});
  EXPECT_EQ(world.joint_count(), 7U);
  for (int k = 0; k < 40; ++k) world.step();
  EXPECT_LT(world.balance().momentum.norm(), 1e-10);
  // Every vertex of the longer chain is on the other: at the same fraction of its length.
  for (std::size_t i = 0; i < 7; ++i) {
    const double along = 4.0 * static_cast<double>(i) / 6;
    const auto k = std::min<std::size_t>(static_cast<std::size_t>(along), 3);
    const double u = along - static_cast<double>(k);
    const Vector3d there = (1 - u) * world.positions(b)[static_cast<std::size_t>(chain_b[k])] +
                           u * world.positions(b)[static_cast<std::size_t>(chain_b[k + 1])];
    EXPECT_LT((world.positions(a)[static_cast<std::size_t>(chain_a[i])] - there).norm(), 1e-4) << i;
  }
}

TEST(Seam, StitchesTearBeyondTheirForce) {
  // Panel of 18 g that hangs by a seam of seven stitches: 0.18 N, of which a stitch in the middle takes about a sixth.
  for (const double force : {0.01, 0.5}) {
    ClothBody body;
    body.name = "panels";
    body.mesh = panels(0);
    for (Vector3d& p : body.mesh.positions) p = Vector3d(0, -p.x(), p.z());
    // Apart by a hair: vertices at one position would be one.
    for (std::size_t v = body.mesh.positions.size() / 2; v < body.mesh.positions.size(); ++v)
      body.mesh.positions[v].y() -= 1e-3;
    body.warp = {0, 1, 0};
    body.fabric.density = 0.2;
    body.air_damping = 2;
    for (std::size_t v = 0; v < body.mesh.positions.size(); ++v) {
      if (body.mesh.positions[v].y() > 0.15 - 1e-9) body.pinned.push_back(static_cast<Index>(v));
    }
    WorldOptions o = floating();
    o.gravity = {0, -9.81, 0};
    World world(o);
    const BodyId id = world.add(body);
    const auto at_height = [&](double y) {
      std::vector<Index> list;
      for (std::size_t v = 0; v < body.mesh.positions.size(); ++v) {
        if (std::abs(body.mesh.positions[v].y() - y) < 1e-9) list.push_back(static_cast<Index>(v));
      }
      return list;
    };
    world.sew({.a = id,
               .vertices_a = at_height(-0.15),
               .b = id,
               .vertices_b = at_height(-0.151),
               .duration = 0,
               .tear_force = force});
    for (int k = 0; k < 60; ++k) world.step();
    double low = 0;
    for (const Vector3d& p : world.positions(id)) low = std::min(low, p.y());
    if (force < 0.1) {
      EXPECT_EQ(world.joint_count(), 0U);
      EXPECT_LT(low, -1) << "the lower panel fell";
    } else {
      EXPECT_EQ(world.joint_count(), 7U);
      EXPECT_GT(low, -0.5);
    }
  }
}

TEST(Seam, WhatCannotBeSewnIsNamed) {
  World world(floating());
  ClothBody body;
  body.name = "panels";
  body.mesh = panels(0.05);
  const BodyId id = world.add(body);
  const BodyId ball = world.add(RigidBody{.name = "ball", .shape = Shape::sphere(0.1)});
  EXPECT_EQ(error_of([&] { world.sew({.a = id, .vertices_a = {0}, .b = id, .vertices_b = {200}}); }),
            "sew: body 'panels' has no vertex 200, only 98 vertices");
  EXPECT_EQ(error_of([&] { world.sew({.a = id, .vertices_a = {0}, .b = ball, .vertices_b = {0}}); }),
            "sew: body 'ball' has no vertices that move by themselves; expected cloth or particles");
  EXPECT_EQ(error_of([&] {
              world.sew({.a = id, .vertices_a = {0, 1}, .b = id, .vertices_b = {60}});
            }),
            "sew: 2 vertices of body 'panels' and 1 of body 'panels'; chains need at least 2");
  EXPECT_EQ(error_of([&] { world.sew({.a = id, .vertices_a = {0}, .b = id, .vertices_b = {60}, .duration = -1}); }),
            "sew: duration is -1; expected a number that is not negative");
}

TEST(Tear, AStripTearsAndStaysASurface) {
  // Strip that is pulled apart at both ends.
  ClothBody body;
  body.name = "strip";
  body.mesh = make_sheet(0.4, 0.2, 8, 4);
  body.fabric = {.density = 0.2,
                 .warp_stiffness = 200,
                 .weft_stiffness = 200,
                 .shear_stiffness = 50,
                 .bend_stiffness = 1e-5,
                 .tear_strain = 0.2};
  const std::vector<Index> left = edge_at(body.mesh, -0.2);
  const std::vector<Index> right = edge_at(body.mesh, 0.2);
  const auto pull = [](double side) {
    return [side](double time, std::span<Vector3d> x) {
      for (Vector3d& p : x) p.x() += side * 0.1 * time;
    };
  };
  body.moving_pins = {{left, pull(-1)}, {right, pull(1)}};
  body.inner_steps = 200;  // even strain
  WorldOptions o = floating();
  World world(o);
  const BodyId id = world.add(body);
  const std::size_t vertices = body.mesh.positions.size();
  const std::size_t triangles = body.mesh.triangles.size();
  std::size_t torn_at = 0;
  for (std::size_t k = 1; k <= 150; ++k) {
    world.step();
    if (torn_at == 0 && world.positions(id).size() > vertices) torn_at = k;
    const auto t = world.triangles(id);
    const MeshReport report = inspect({{world.positions(id).begin(), world.positions(id).end()}, {t.begin(), t.end()}});
    ASSERT_TRUE(report.manifold()) << k;
    ASSERT_TRUE(report.oriented()) << k;
    ASSERT_EQ(report.triangles, triangles);
    ASSERT_TRUE(report.unused_vertices.empty());
  }
  // Strain 0.2 of 0.4 m needs 0.08 m at 0.2 m/s: after 24 steps, when it is even; not before.
  EXPECT_GE(torn_at, 22U);
  EXPECT_LT(torn_at, 60U);
  const auto t = world.triangles(id);
  const Topology topology = build_topology(world.positions(id).size(), std::vector<Triangle>(t.begin(), t.end()));
  EXPECT_GE(topology.component_count, 2) << "in two pieces";
  // Mass is what it was, but for what is pinned.
  double mass = world.balance().mass;
  EXPECT_NEAR(mass, 0.2 * 0.08 * 7 / 8, 1e-12);
}

TEST(Tear, MomentumOfFreeClothIsKeptAndSnapshotsGoOn) {
  ClothBody body;
  body.name = "sheet";
  body.mesh = make_sheet(0.4, 0.4, 8, 8);
  body.fabric = {.density = 0.2,
                 .warp_stiffness = 100,
                 .weft_stiffness = 100,
                 .shear_stiffness = 30,
                 .bend_stiffness = 1e-5,
                 .tear_strain = 0.15};
  WorldOptions o = floating();
  World world(o);
  const BodyId id = world.add(body);
  // A ball through the middle, fast enough to tear.
  RigidBody ball{.name = "ball", .shape = Shape::sphere(0.05)};
  ball.pose.translation() = Vector3d(0, 0.1, 0);
  ball.velocity = {0.1, -12, 0};
  world.add(ball);
  const Vector3d momentum = world.balance().momentum;
  std::uint64_t hash = 0;
  std::optional<World::Snapshot> snapshot;
  for (int k = 0; k < 30; ++k) {
    world.step();
    if (k == 10) snapshot = world.snapshot();
  }
  EXPECT_GT(world.positions(id).size(), body.mesh.positions.size()) << "torn";
  EXPECT_LT((world.balance().momentum - momentum).norm(), 1e-9 * momentum.norm());
  hash = world.state_hash();
  world.restore(*snapshot);
  for (int k = 11; k < 30; ++k) world.step();
  EXPECT_EQ(world.state_hash(), hash);
}

}  // namespace
}  // namespace carom
