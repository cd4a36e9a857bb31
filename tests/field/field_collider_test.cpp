#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "carom/body/cloth.hpp"
#include "carom/core/error.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/mesh/surface_builder.hpp"
#include "world/mixed.hpp"

/// Particles and cloth against rigid meshes that collide as distance fields.
namespace carom {
namespace {

using Eigen::Vector3d;

constexpr double thickness = 0.01;

WorldOptions field_options(Detection detection) {
  WorldOptions options;
  options.dt = 0.005;
  options.detection = detection;
  options.contact.distance = thickness;
  options.contact.stiffness = 100;
  options.contact.damping = 0.2;
  return options;
}

RigidBody torus(MotionModel motion, bool field) {
  RigidBody body{.name = "torus", .shape = Shape::mesh(make_torus(0.4, 0.15, 32, 16)), .motion = motion};
  if (field) body.field = DistanceField(body.shape, {.tolerance = 0.004});
  return body;
}

ParticleBody loose_sheet(const Vector3d& place, double size, int cells) {
  ParticleBody sheet{.name = "sheet", .mesh = mixed::level_sheet(cells, size, place), .mass = 2 * size * size};
  sheet.stretch_stiffness = 20;
  sheet.bend_stiffness = 0.1;
  sheet.spring_damping = 0.02;
  sheet.air_damping = 1;
  return sheet;
}

ClothBody cloth_at(const Vector3d& place, double size, int cells) {
  ClothBody cloth;
  cloth.name = "cloth";
  cloth.mesh = mixed::level_sheet(cells, size, place);
  return cloth;
}

/// Triangles of a body with vertices that cut the mesh of another, where they are now.
std::size_t cuts(const World& world, BodyId body, BodyId mesh_body, const TriangleMesh& mesh) {
  SurfaceBuilder both;
  TriangleMesh soft{std::vector<Vector3d>(world.positions(body).begin(), world.positions(body).end()), {}};
  const auto triangles = world.triangles(body);
  soft.triangles.assign(triangles.begin(), triangles.end());
  both.add(soft);
  both.add(mesh, world.pose(mesh_body));
  return intersections(both.surface(), both.positions(), {.pairs = PairScope::between}).size();
}

TEST(FieldCollider, WhatBeginsDeepInsideComesOutByTheShortestPath) {
  for (const MotionModel motion : {MotionModel::fixed, MotionModel::scripted}) {
    for (const Detection detection : {Detection::discrete, Detection::continuous}) {
      WorldOptions options = field_options(detection);
      options.gravity.setZero();
      World world(options);
      world.add(torus(motion, true));
      // Above the middle circle of the tube, by a little: up is the shortest.
      const BodyId sheet = world.add(loose_sheet({0.4, 0.05, 0}, 0.06, 3));
      world.step();
      std::size_t vertices = 0;
      for (const WorldContact& c : world.contacts()) {
        EXPECT_NEAR(c.distance, -0.1, 0.03);
        EXPECT_GT(std::abs(c.normal.y()), 0.75);  // 0.86 at the corners of the sheet
        ++vertices;
      }
      EXPECT_GE(vertices, 16U);
      for (int i = 0; i < 300; ++i) world.step();
      for (const Vector3d& p : world.positions(sheet)) {
        EXPECT_GT(p.y(), 0.14) << to_string(motion);
        EXPECT_LT(std::hypot(p.x() - 0.4, p.z()), 0.4 * p.y()) << to_string(motion);
      }
    }
  }
}

TEST(FieldCollider, AClothRestsAsFarFromAFieldAsFromTheMesh) {
  for (const bool field : {false, true}) {
    World world(field_options(Detection::discrete));
    world.add(torus(MotionModel::fixed, field));
    const BodyId cloth = world.add(cloth_at({0, 0.17, 0}, 1.2, 20));
    for (int i = 0; i < 200; ++i) world.step();
    double nearest = INFINITY;
    std::size_t near = 0;
    for (const Vector3d& p : world.positions(cloth)) {
      const double distance = std::hypot(std::hypot(p.x(), p.z()) - 0.4, p.y()) - 0.15;
      nearest = std::min(nearest, distance);
      if (distance < 2 * thickness) ++near;
    }
    // The mesh is up to 3 mm inside of the torus, and the field up to 5 mm off the mesh.
    EXPECT_GT(nearest, thickness - 0.008) << field;
    EXPECT_LT(nearest, 2 * thickness) << field;
    EXPECT_GT(near, 20U) << field;
  }
}

SoftBody soft_ball(const Vector3d& place, double radius) {
  SoftBody body;
  body.name = "ball";
  body.mesh = make_icosphere(radius, 3);
  for (Vector3d& p : body.mesh.positions) p += place;
  body.degrees_of_freedom = 600;
  body.elasticity = {.density = 300, .young_modulus = 3e4, .poisson_ratio = 0.4, .damping = 0.02};
  return body;
}

TEST(FieldCollider, ASoftBallRestsAsFarFromAFieldAsFromTheMesh) {
  std::array<double, 2> heights{};
  for (const bool field : {false, true}) {
    World world(field_options(Detection::continuous));
    world.add(torus(MotionModel::fixed, field));
    // In the hole of the ring, which is narrower.
    const BodyId ball = world.add(soft_ball({0, 0.25, 0}, 0.3));
    for (int i = 0; i < 300; ++i) world.step();
    double nearest = INFINITY;
    Vector3d center = Vector3d::Zero();
    for (const Vector3d& p : world.positions(ball)) {
      nearest = std::min(nearest, std::hypot(std::hypot(p.x(), p.z()) - 0.4, p.y()) - 0.15);
      center += p / static_cast<double>(world.positions(ball).size());
    }
    // The mesh is up to 3 mm inside of the torus, and the field up to 5 mm off the mesh.
    EXPECT_GT(nearest, thickness - 0.008) << field;
    EXPECT_LT(nearest, 2 * thickness) << field;
    EXPECT_GT(world.contacts().size(), 10U) << field;
    heights[field ? 1 : 0] = center.y();
  }
  EXPECT_NEAR(heights[0], heights[1], 0.01);
}

TEST(FieldCollider, ASoftBallThatBeginsDeepInsideComesOut) {
  WorldOptions options = field_options(Detection::discrete);
  options.gravity.setZero();
  World world(options);
  world.add(torus(MotionModel::fixed, true));
  // Its lower half is in the tube, and up is the shortest way.
  SoftBody inside = soft_ball({0.4, 0.14, 0}, 0.06);
  inside.air_damping = 2;
  const BodyId ball = world.add(inside);
  world.step();
  double deepest = 0;
  for (const WorldContact& c : world.contacts()) deepest = std::min(deepest, c.distance);
  EXPECT_LT(deepest, -0.04);
  for (int i = 0; i < 300; ++i) world.step();
  for (const Vector3d& p : world.positions(ball))
    EXPECT_GT(std::hypot(std::hypot(p.x(), p.z()) - 0.4, p.y()) - 0.15, 0);
  EXPECT_NEAR(world.soft_state(ball).elastic_energy, 0, 1e-3) << "a ball again";
}

/// A cloth thrown at the mesh never cuts it: the net is the mesh itself.
TEST(FieldCollider, NothingPassesThroughTheMeshOfAField) {
  for (const MotionModel motion : {MotionModel::fixed, MotionModel::scripted, MotionModel::rigid}) {
    WorldOptions options = field_options(Detection::continuous);
    options.gravity.setZero();
    World world(options);
    RigidBody body = torus(motion, true);
    if (motion != MotionModel::fixed) body.velocity = {0, 4, 0};
    const TriangleMesh mesh = make_torus(0.4, 0.15, 32, 16);
    const BodyId tool = world.add(body);
    ClothBody cloth = cloth_at({0.05, 0.3, 0.02}, 1.2, 16);
    cloth.velocity = {0, -8, 0};
    const BodyId sheet = world.add(cloth);
    std::size_t contacts = 0;
    for (int i = 0; i < 80; ++i) {
      world.step();
      ASSERT_EQ(cuts(world, sheet, tool, mesh), 0U) << to_string(motion) << " step " << i;
      contacts = std::max(contacts, world.contacts().size());
    }
    EXPECT_GT(contacts, 50U) << to_string(motion);
  }
}

/// A rigid ring that falls on a free sheet gives it exactly the momentum that it loses.
TEST(FieldCollider, MomentumIsKeptBetweenARigidToolAndASheet) {
  WorldOptions options = field_options(Detection::discrete);
  options.gravity.setZero();
  World world(options);
  RigidBody ring = torus(MotionModel::rigid, true);
  ring.velocity = {0, -1, 0};
  ring.density = 20;
  ring.pose.translation() = Vector3d(0, 0.2, 0);
  const BodyId tool = world.add(ring);
  ParticleBody sheet = loose_sheet({0.1, 0, 0.05}, 1.2, 14);
  sheet.air_damping = 0;
  const std::vector<double> mass = mixed::masses(sheet.mesh, sheet.mass);
  const BodyId id = world.add(sheet);
  const auto totals = [&] {
    mixed::Totals t;
    mixed::add_rigid(world, tool, t);
    mixed::add_particles(world, id, mass, t);
    return t;
  };
  const mixed::Totals before = totals();
  std::size_t contacts = 0;
  for (int i = 0; i < 100; ++i) {
    world.step();
    contacts = std::max(contacts, world.contacts().size());
  }
  const mixed::Totals after = totals();
  EXPECT_GT(contacts, 20U);
  EXPECT_LT((after.momentum - before.momentum).norm(), 1e-9 * before.momentum.norm());
  EXPECT_LT(after.kinetic, before.kinetic * (1 + 1e-9));
  EXPECT_GT(std::abs(world.velocity(tool).y() + 1), 0.01) << "the ring was slowed down";
}

TEST(FieldCollider, IsTheSameForAnyNumberOfThreadsAndAfterRestore) {
  std::vector<std::vector<Vector3d>> ends;
  for (const int threads : {1, 2, 4}) {
    WorldOptions options = field_options(Detection::continuous);
    options.threads = threads;
    World world(options);
    world.add(torus(MotionModel::fixed, true));
    const BodyId cloth = world.add(cloth_at({0.02, 0.2, 0}, 0.9, 20));
    for (int i = 0; i < 40; ++i) world.step();
    const World::Snapshot snapshot = world.snapshot();
    for (int i = 0; i < 10; ++i) world.step();
    const std::vector<Vector3d> end(world.positions(cloth).begin(), world.positions(cloth).end());
    world.restore(snapshot);
    for (int i = 0; i < 10; ++i) world.step();
    ends.push_back(end);
    ends.emplace_back(world.positions(cloth).begin(), world.positions(cloth).end());
  }
  for (const auto& end : ends) EXPECT_EQ(end, ends[0]);
}

TEST(FieldCollider, BodiesThatCanHaveNoFieldAreRefusedByName) {
  const auto message = [](const RigidBody& body) -> std::string {
    World world(WorldOptions{});
    try {
      world.add(body);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  RigidBody ball{.name = "ball", .shape = Shape::sphere(1)};
  ball.field = DistanceField(ball.shape, {.tolerance = 0.1});
  EXPECT_EQ(message(ball), "body 'ball' is a sphere; a distance field is for meshes, leave it out");
  RigidBody ring = torus(MotionModel::fixed, true);
  ring.shape = Shape::mesh(make_icosphere(1, 1));
  EXPECT_EQ(message(ring), "body 'torus': its distance field is that of another shape; expected that of its own");
}

}  // namespace
}  // namespace carom
