#include <gtest/gtest.h>

#include <random>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/query/query.hpp"
#include "rigid_scene.hpp"

// Rigid bodies on meshes.
namespace carom {
namespace {

using Eigen::Vector3d;

RigidBody mesh_floor(const TriangleMesh& mesh, double friction = 0.6) {
  RigidBody body;
  body.name = "floor";
  body.shape = Shape::mesh(mesh);
  body.motion = MotionModel::fixed;
  body.material.friction = friction;
  return body;
}

TriangleMesh hills(int segments) {
  TriangleMesh mesh = make_sheet(12, 12, segments, segments);
  for (Vector3d& p : mesh.positions) p.y() = 0.3 * std::sin(1.3 * p.x()) * std::cos(1.1 * p.z());
  return mesh;
}

/// A flat floor of many triangles is the same as a half-space, to what slides on it.
TEST(RigidMesh, SlidesOverInnerEdgesAsOverAPlane) {
  for (const bool solid : {false, true}) {
    for (const bool round : {false, true}) {
      Vector3d place[2];
      for (const bool triangles : {false, true}) {
        World world(rigid_options(1.0 / 60));
        if (!triangles) {
          world.add(floor_body(0.2));
        } else if (solid) {
          RigidBody floor = mesh_floor(make_box({20, 2, 20}, 33), 0.2);
          floor.pose = at(0, -1, 0);
          world.add(floor);
        } else {
          world.add(mesh_floor(make_sheet(20, 20, 33, 33), 0.2));
        }
        RigidBody body =
            round ? ball_body("ball", 0.25, at(-3, 0.25, 0.1)) : box_body("box", {0.5, 0.25, 0.4}, at(-3, 0.25, 0.1));
        body.velocity = {4, 0, 1};
        body.material.friction = 0.2;
        const BodyId id = world.add(body);
        double highest = 0;
        for (int i = 0; i < 120; ++i) {
          world.step();
          highest = std::max(highest, std::abs(world.pose(id).translation().y() - 0.25));
          ASSERT_LT(std::abs(world.velocity(id).y()), 2e-3) << i;
        }
        EXPECT_LT(highest, 5e-4);
        place[triangles ? 1 : 0] = world.pose(id).translation();
      }
      EXPECT_LT((place[0] - place[1]).norm(), 0.01) << "solid " << solid << " round " << round;
    }
  }
}

TEST(RigidMesh, WhatRestsAtTheRimIsPushedUpNotAside) {
  World world(rigid_options(1.0 / 60));
  RigidBody slab = mesh_floor(make_box({2, 1, 2}, 2));
  slab.pose = at(0, -0.5, 0);
  world.add(slab);
  // Its middle is over the slab by little, and it is wider than what is left of the top.
  const BodyId id = world.add(box_body("box", {0.5, 0.2, 0.5}, at(0.95, 0.1995, 0)));
  for (int i = 0; i < 60; ++i) world.step();
  EXPECT_LT((world.pose(id).translation() - Vector3d(0.95, 0.2, 0)).norm(), 2e-3);
  for (const WorldContact& c : world.contacts()) EXPECT_GT(c.normal.y() * (c.body_b == id ? 1 : -1), 0.999);
}

/// An open mesh has no inside: what slides off a step must not meet the back of the riser.
TEST(RigidMesh, SlidesOffAStepOfAnOpenMesh) {
  TriangleMesh step;
  step.positions = {{0, 0, -2}, {4, 0, -2}, {4, 0, 2}, {0, 0, 2}, {0, -2, -2}, {0, -2, 2}};
  step.triangles = {{0, 2, 1}, {0, 3, 2}, {4, 5, 3}, {4, 3, 0}};
  // Of many speeds, as it matters where the box is just before the rim.
  std::vector<double> speeds{1.0, 4.0};
  for (int i = 0; i < 20; ++i) speeds.push_back(0.4 + 0.01 * i);
  for (const double speed : speeds) {
    World world(rigid_options(1.0 / 60));
    world.add(mesh_floor(step, 0));
    RigidBody box = box_body("box", {0.3, 0.2, 0.3}, at(0.8, 0.2, 0));
    box.velocity = {-speed, 0, 0};
    box.material.friction = 0;
    const BodyId id = world.add(box);
    // Until its middle is over the rim.
    while (world.pose(id).translation().x() > 0.02 && world.time() < 5) {
      world.step();
      ASSERT_NEAR(world.velocity(id).x(), -speed, 0.01 * speed) << speed << " at " << world.pose(id).translation().x();
    }
    EXPECT_LT(world.time(), 5);
  }
}

TEST(RigidMesh, RestsOnARidgeAndInAValley) {
  TriangleMesh roof;
  roof.positions = {{-2, 0, -2}, {0, 1, -2}, {2, 0, -2}, {-2, 0, 2}, {0, 1, 2}, {2, 0, 2}};
  roof.triangles = {{0, 3, 4}, {0, 4, 1}, {1, 4, 5}, {1, 5, 2}};
  for (const bool valley : {false, true}) {
    TriangleMesh mesh = roof;
    if (valley) {
      for (Vector3d& p : mesh.positions) p.y() = -p.y();
    }
    World world(rigid_options(1.0 / 60));
    world.add(mesh_floor(mesh));
    // On the ridge a wide box lies flat, in balance; in the valley a ball touches both sides.
    const double ball_height = -1 + 0.3 * std::sqrt(1.25);
    const BodyId id = world.add(valley ? ball_body("ball", 0.3, at(0, ball_height, 0.3))
                                       : box_body("box", {0.8, 0.1, 0.6}, at(0, 1.1, 0)));
    const Vector3d start = world.pose(id).translation();
    for (int i = 0; i < 60; ++i) world.step();
    EXPECT_LT((world.pose(id).translation() - start).norm(), 2e-3) << valley;
    EXPECT_GE(world.contacts().size(), 2U);
  }
}

/// Slow and obviously right: no body may be below the surface by more than a hundredth of its size when all is at rest.
TEST(RigidMesh, AHeapOnHillsComesToRestOnThem) {
  std::uint64_t hash = 0;
  for (const int threads : {1, 2, 4}) {
    World world(rigid_options(1.0 / 60, threads));
    const TriangleMesh mesh = hills(24);
    world.add(mesh_floor(mesh));
    const Shape surface = Shape::mesh(mesh);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> number(-1, 1);
    std::vector<BodyId> ids;
    for (int i = 0; i < 30; ++i) {
      std::vector<Vector3d> points;
      for (int k = 0; k < 14; ++k)
        points.push_back(0.35 * Vector3d(number(random), number(random), number(random)).normalized());
      RigidBody body;
      body.name = "hull";
      body.shape = Shape::hull(points);
      body.pose = at(3 * number(random), 0.9 + 0.1 * i, 3 * number(random));
      ids.push_back(world.add(body));
    }
    World::Snapshot middle = world.snapshot();
    for (int i = 0; i < 240; ++i) {
      if (i == 120) middle = world.snapshot();
      world.step();
    }
    for (const BodyId id : ids) {
      const Eigen::Isometry3d pose = world.pose(id);
      if (std::abs(pose.translation().x()) > 5.5 || std::abs(pose.translation().z()) > 5.5) continue;
      EXPECT_GT(pose.translation().y(), -0.3);
      EXPECT_GT(distance(surface, at(0, 0, 0), world.shape(id), pose).distance, -0.007);
    }
    if (hash == 0) hash = world.state_hash();
    EXPECT_EQ(world.state_hash(), hash) << threads;
    world.restore(middle);
    for (int i = 120; i < 240; ++i) world.step();
    EXPECT_EQ(world.state_hash(), hash) << "after restore";
  }
}

TEST(RigidMesh, FromInsideOfAClosedMeshTheWayIsOut) {
  World world(rigid_options(1.0 / 60));
  world.add(mesh_floor(make_icosphere(1, 3)));
  const BodyId id = world.add(ball_body("ball", 0.1, at(0, 0.6, 0)));
  for (int i = 0; i < 120; ++i) world.step();
  EXPECT_GT(world.pose(id).translation().norm(), 1.05);
}

TEST(RigidMesh, AKinematicMeshCarries) {
  World world(rigid_options(1.0 / 60));
  RigidBody lift = mesh_floor(make_box({2, 0.2, 2}, 5));
  lift.motion = MotionModel::scripted;
  lift.velocity = {0.5, 0.25, 0};
  world.add(lift);
  const BodyId id = world.add(box_body("box", {0.2, 0.2, 0.2}, at(0, 0.3, 0)));
  for (int i = 0; i < 120; ++i) world.step();
  EXPECT_NEAR(world.pose(id).translation().y(), 0.8, 2e-3);
  EXPECT_NEAR(world.pose(id).translation().x(), 1, 0.05);
}

TEST(RigidMesh, RemovingTheFloorLetsFall) {
  World world(rigid_options(1.0 / 60));
  world.add(ball_body("first", 0.1, at(5, 5, 5)));
  const BodyId floor = world.add(mesh_floor(make_sheet(4, 4, 4, 4)));
  const BodyId id = world.add(box_body("box", {0.2, 0.2, 0.2}, at(0, 0.2, 0)));
  for (int i = 0; i < 30; ++i) world.step();
  EXPECT_FALSE(world.contacts().empty());
  world.remove(floor);
  for (int i = 0; i < 30; ++i) world.step();
  EXPECT_TRUE(world.contacts().empty());
  EXPECT_LT(world.pose(id).translation().y(), -0.5);
}

TEST(RigidMesh, ADynamicMeshThatIsOpenIsRefused) {
  World world(rigid_options(1.0 / 60));
  RigidBody body = mesh_floor(make_sheet(1, 1, 2, 2));
  body.motion = MotionModel::rigid;
  try {
    world.add(body);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
    EXPECT_NE(std::string(error.what()).find("'floor' is a rigid mesh"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace carom
