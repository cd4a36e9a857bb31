#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <random>
#include <set>

#include "carom/core/error.hpp"
#include "world/blade_world.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

/// A sheet of 1 m in the x-z plane.
ClothBody sheet(int segments) {
  ClothBody body;
  body.name = "sheet";
  body.mesh = make_sheet(1, 1, segments, segments);
  body.fabric = fabric_by_name("cotton");
  return body;
}

double kilograms(const World& world) {
  return world.balance().mass;
}

TEST(CutCloth, KnifeThroughASheetMakesTwo) {
  World world(weightless());
  const BodyId id = world.add(sheet(10));
  add_knife(world, {-0.7, 0, 0.03}, {1.5, 0, 0});
  world.step();
  const double mass = kilograms(world);
  std::vector<BodyId> pieces;
  for (int i = 0; i < 60; ++i) {
    world.step();
    for (const WorldCut& cut : world.cuts()) {
      EXPECT_EQ(cut.body, id);
      pieces.insert(pieces.end(), cut.pieces.begin(), cut.pieces.end());
    }
  }
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(world.name(pieces[0]), "sheet-1");
  EXPECT_EQ(world.bodies().size(), 3U);
  EXPECT_NEAR(area_of(world, id) + area_of(world, pieces[0]), 1, 1e-3);
  EXPECT_NEAR(area_of(world, pieces[0]), 0.47, 0.03);
  EXPECT_NEAR(kilograms(world), mass, 1e-12);
  for (const BodyId body : {id, pieces[0]}) EXPECT_TRUE(inspect(mesh_of(world, body)).manifold());
}

TEST(CutCloth, KnifeThatStopsHalfWayLeavesOneSheetWithASlit) {
  World world(weightless());
  const BodyId id = world.add(sheet(10));
  const BodyId knife = add_knife(world, {-0.7, 0, 0.03}, {1.5, 0, 0});
  double length = 0;
  for (int i = 0; i < 90; ++i) {
    if (i == 30) world.set_velocity(knife, {0, 0, 0}, {0, 0, 0});  // at x = 0.05
    world.step();
    for (const WorldCut& cut : world.cuts()) {
      EXPECT_TRUE(cut.pieces.empty());
      length += cut.length;
    }
  }
  EXPECT_NEAR(length, 0.55, 0.11);  // within an edge of the mesh
  const MeshReport report = inspect(mesh_of(world, id));
  EXPECT_EQ(report.components - report.unused_vertices.size(), 1U);
  EXPECT_TRUE(report.manifold());
  EXPECT_EQ(report.boundary_loops, 1U);
  // It goes on from where it stopped, and out.
  world.set_velocity(knife, {1.5, 0, 0}, {0, 0, 0});
  for (int i = 0; i < 40; ++i) world.step();
  EXPECT_EQ(world.bodies().size(), 3U);
}

TEST(CutCloth, ChopAcrossTheWholeSheetWithinOneStep) {
  World world(weightless());
  const BodyId id = world.add(sheet(12));
  RigidBody body;
  body.name = "guillotine";
  body.shape = Shape::box({0.7, 0.1, 0.001});
  body.motion = MotionModel::scripted;
  body.pose.translation() = Vector3d(0, 0.5, 0.02);
  body.velocity = {0, -60, 0};  // one meter a step
  body.filter = {.group = 2, .mask = 0};
  const BodyId blade = world.add(body);
  world.add_blade(blade, {{{-0.7, 0, 0}, {0.7, 0, 0}}});
  world.step();
  ASSERT_EQ(world.cuts().size(), 1U);
  EXPECT_EQ(world.cuts()[0].pieces.size(), 1U);
  EXPECT_NEAR(world.cuts()[0].length, 1, 0.1);
  EXPECT_NEAR(area_of(world, id) + area_of(world, world.cuts()[0].pieces[0]), 1, 1e-9);
}

TEST(CutCloth, AnyWayOfABladeLeavesManifoldsWithMassAndMomentum) {
  EXPECT_TRUE(rc::check("paths at random, crossing each other", [] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::uniform_real_distribution<double> place(-0.7, 0.7);
    std::uniform_real_distribution<double> tilt(-0.3, 0.3);
    World world(weightless());
    ClothBody body = sheet(4 + static_cast<int>(random() % 4));
    body.velocity = {0.3, 0.2, -0.1};
    const BodyId id = world.add(body);
    world.step();  // masses are known
    const WorldBalance before = world.balance();
    // 0.16 of the mean before the first cut; the sheet has not been strained yet.
    const double lowest = 0.16 * heights_of(body.mesh).mean;
    std::set<BodyId> bodies{id};
    for (int path = 0; path < 3; ++path) {
      BladePath blade;
      for (int pose = 0; pose < 4; ++pose) {
        const double x = place(random);
        const double z = place(random);
        blade.poses.push_back({{x + tilt(random), -0.3, z + tilt(random)}, {x, 0.3, z}});
      }
      const std::set<BodyId> now = bodies;
      for (const BodyId b : now) {
        const WorldCut cut = world.cut(b, blade);
        bodies.insert(cut.pieces.begin(), cut.pieces.end());
      }
      std::size_t components = 0;
      for (const BodyId b : bodies) {
        expect_surface(world, b);
        const TriangleMesh mesh = mesh_of(world, b);
        RC_ASSERT(heights_of(mesh).least >= lowest * (1 - 1e-9));
        components += static_cast<std::size_t>(build_topology(mesh.positions.size(), mesh.triangles).component_count);
      }
      RC_ASSERT(components == bodies.size());  // every piece is a body of its own
      const WorldBalance after = world.balance();
      RC_ASSERT(std::abs(after.mass - before.mass) < 1e-12 * before.mass);
      RC_ASSERT((after.momentum - before.momentum).norm() < 1e-12 * before.mass);
    }
    world.step();
    for (const BodyId b : bodies) expect_surface(world, b);
  }));
}

/// Triangles of cloth may be long: a knife across their long edges splits these where it passes, and does not go along
/// vertices up to half of an edge away.
TEST(CutCloth, LongTrianglesAreCutWhereTheKnifePasses) {
  for (const int columns : {20, 5, 2}) {
    World world(weightless());
    ClothBody body = sheet(10);
    body.mesh = make_sheet(1, 1, columns, 20);
    const BodyId id = world.add(body);
    world.step();
    // Two fifths along the first edges.
    const double width = 0.4 / columns;
    const double x = width - 0.5;
    const WorldCut cut = world.cut(id, {{{{x, -0.3, -0.7}, {x, 0.3, -0.7}}, {{x, -0.3, 0.7}, {x, 0.3, 0.7}}}});
    ASSERT_EQ(cut.pieces.size(), 1U) << columns;
    world.step();
    EXPECT_NEAR(std::min(area_of(world, id), area_of(world, cut.pieces[0])), width, 0.01 * width) << columns;
  }
}

TEST(CutCloth, NothingIsMissedAtAnySpeed) {
  // Straight across; the pieces are those of a slow blade.
  for (const double speed : {0.5, 5.0, 50.0, 500.0}) {
    World world(weightless());
    world.add(sheet(9));
    add_knife(world, {-0.7, 0, 0.021}, {speed, 0, 0});
    const int steps = static_cast<int>(std::ceil(1.5 / (speed / 60))) + 1;
    for (int i = 0; i < steps; ++i) world.step();
    EXPECT_EQ(world.bodies().size(), 3U) << speed;
  }
}

TEST(CutCloth, FreshEdgesTouchAtBirthAndNothingIntersectsOnceTheyAreOpen) {
  // A level sheet, held along one side, is cut across: one half falls off, the other swings down.
  WorldOptions options = weightless();
  options.gravity = {0, -9.81, 0};
  World world(options);
  ClothBody body = sheet(10);
  for (Index v = 0; v < 11; ++v) body.pinned.push_back(11 * v);
  const BodyId id = world.add(body);
  world.step();
  EXPECT_EQ(touching(world).pairs, 0U);
  const WorldCut cut =
      world.cut(id, {{{{-0.013, -0.3, -0.7}, {-0.013, 0.3, -0.7}}, {{0.021, -0.3, 0.7}, {0.021, 0.3, 0.7}}}});
  ASSERT_EQ(cut.pieces.size(), 1U);
  // Lips are at one place where they were one: each vertex and its copy. Nothing else touches.
  const Touching born = touching(world);
  EXPECT_GT(born.pairs, 10U);
  EXPECT_EQ(born.elsewhere, 0U);
  for (int i = 0; i < 40; ++i) world.step();
  EXPECT_EQ(touching(world).pairs, 0U);
}

TEST(CutCloth, EightCrossingCuts) {
  World world(weightless());
  const BodyId id = world.add(sheet(16));
  std::vector<BodyId> bodies{id};
  for (int i = 0; i < 4; ++i) {
    for (const bool along : {true, false}) {
      const double at = -0.31 + 0.2 * i;
      BladePath blade;
      for (const double u : {-0.7, 0.7}) {
        const Vector3d p = along ? Vector3d(u, 0, at) : Vector3d(at, 0, u);
        blade.poses.push_back({p - Vector3d(0, 0.3, 0), p + Vector3d(0, 0.3, 0)});
      }
      const std::vector<BodyId> now = bodies;
      for (const BodyId b : now) {
        const WorldCut cut = world.cut(b, blade);
        bodies.insert(bodies.end(), cut.pieces.begin(), cut.pieces.end());
      }
    }
  }
  EXPECT_EQ(bodies.size(), 25U);
  double area = 0;
  for (const BodyId b : bodies) area += area_of(world, b);
  EXPECT_NEAR(area, 1, 1e-12);
  for (int i = 0; i < 20; ++i) world.step();
  EXPECT_LT(world.balance().kinetic_energy, 1e-6);  // fresh edges do not push each other
}

TEST(CutCloth, SameBitsForAnyNumberOfThreadsAndFromASnapshotInTheMiddle) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    World world(weightless(threads));
    world.add(sheet(10));
    add_knife(world, {-0.7, 0, 0.03}, {1.5, 0, 0});
    for (int i = 0; i < 30; ++i) world.step();
    const World::Snapshot middle = world.snapshot();
    for (int i = 0; i < 40; ++i) world.step();
    hashes.push_back(world.state_hash());
    world.restore(middle);
    for (int i = 0; i < 40; ++i) world.step();
    EXPECT_EQ(world.state_hash(), hashes.back());
    EXPECT_EQ(world.bodies().size(), 3U);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(CutCloth, ModelsThatSnapshotsHaveAreCopiedAndCutAsThoseThatNobodyHas) {
  World alone(weightless());
  World held(weightless());
  for (World* world : {&alone, &held}) {
    world->add(sheet(12));
    add_knife(*world, {0.013, 0, -0.7}, {0, 0, 3});
  }
  std::vector<World::Snapshot> snapshots;
  std::vector<std::uint64_t> hashes;
  std::size_t crossed = 0;
  for (int i = 0; i < 40; ++i) {
    snapshots.push_back(held.snapshot());
    hashes.push_back(held.state_hash());
    alone.step();
    held.step();
    for (const WorldCut& cut : held.cuts()) crossed += cut.crossed;
    ASSERT_EQ(alone.state_hash(), held.state_hash()) << "step " << i;
  }
  EXPECT_GT(crossed, 12U);
  // Each goes on from where it was.
  const std::uint64_t last = held.state_hash();
  for (const std::size_t i : {std::size_t{30}, std::size_t{15}, std::size_t{0}}) {
    held.restore(snapshots[i]);
    EXPECT_EQ(held.state_hash(), hashes[i]);
    for (std::size_t k = i; k < 40; ++k) held.step();
    EXPECT_EQ(held.state_hash(), last) << "from step " << i;
  }
}

TEST(CutCloth, AWorldThatTakesOverASnapshotGoesOnBitForBit) {
  // A sheet swings from a corner, so fast that contacts are found several times in a step.
  WorldOptions options = weightless();
  options.gravity = {0, -9.81, 0};
  options.dt = 1.0 / 30;
  World world(options);
  ClothBody body = sheet(8);
  body.pinned = {0};
  const BodyId id = world.add(body);
  world.step();
  world.cut(id, {{{{0.1, -0.3, -0.7}, {0.1, 0.3, -0.7}}, {{0.1, -0.3, 0.2}, {0.1, 0.3, 0.2}}}});
  for (int i = 0; i < 12; ++i) {
    World other(options);
    other.restore(world.snapshot());
    world.step();
    other.step();
    EXPECT_EQ(world.state_hash(), other.state_hash()) << "step " << i;
  }
}

TEST(CutCloth, PressesUntilTheForceSuffices) {
  // A bar with its blade on its edge is pushed down on a sheet in a frame. Whatever the energy, it dents the sheet;
  // the more a cut takes, the deeper.
  const auto depth_at_cut = [](double energy) {
    WorldOptions options = weightless();
    World world(options);
    ClothBody cloth = sheet(12);
    for (Index v = 0; v < 13; ++v) {
      for (const Index border : {v, 12 * 13 + v, 13 * v, 13 * v + 12}) cloth.pinned.push_back(border);
    }
    const BodyId id = world.add(cloth);
    if (energy > 0) world.set_fracture_energy(id, energy);
    RigidBody bar;
    bar.name = "bar";
    bar.shape = Shape::box({0.2, 0.05, 0.002});
    bar.motion = MotionModel::scripted;
    bar.pose.translation() = Vector3d(0.02, 0.07, 0.03);
    bar.velocity = {0, -0.1, 0};
    const BodyId blade = world.add(bar);
    world.add_blade(blade, {{{-0.2, -0.05, 0}, {0.2, -0.05, 0}}});
    for (int i = 0; i < 150; ++i) {
      world.step();
      if (!world.cuts().empty() && world.cuts()[0].length > 0) return 0.05 - world.pose(blade).translation().y();
    }
    return 1.0;
  };
  const double at_touch = depth_at_cut(0);
  const double soft = depth_at_cut(20);
  const double tough = depth_at_cut(200);
  EXPECT_LT(at_touch, 0.006);  // within a thickness and a step of the sheet
  EXPECT_GT(soft, at_touch);
  EXPECT_GT(tough, soft);
  EXPECT_LT(tough, 0.3);
}

TEST(CutCloth, WhatCannotBeIsNamed) {
  World world(weightless());
  const BodyId id = world.add(sheet(4));
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_NE(message([&] { world.add_blade(id, {{{0, 0, 0}, {1, 0, 0}}}); }).find("'sheet' deforms"), std::string::npos);
  RigidBody ball;
  ball.name = "ball";
  const BodyId rigid = world.add(ball);
  EXPECT_NE(message([&] { world.add_blade(rigid, {{{0, 0, 0}}}); }).find("1 points"), std::string::npos);
  EXPECT_NE(message([&] { world.set_fracture_energy(rigid, 1); }).find("'ball' is rigid and not cuttable"),
            std::string::npos);
  EXPECT_NE(message([&] { world.set_fracture_energy(id, -1); }).find("fracture_energy is -1"), std::string::npos);
  EXPECT_NE(message([&] { world.cut(rigid, {}); }).find("'ball' is rigid and not cuttable"), std::string::npos);
  EXPECT_NE(message([&] { world.cut(id, {}); }).find("0 poses"), std::string::npos);
}

TEST(CutCloth, WhatNothingCutsIsNamed) {
  World world(weightless());
  const BodyId cut = world.add(sheet(10));
  SoftBody soft{.name = "jelly", .mesh = make_box({0.5, 0.1, 0.5}, 2), .voxel_size = 0.1};
  for (Vector3d& p : soft.mesh.positions) p.z() += 2;
  const BodyId jelly = world.add(soft);
  ClothBody levels = sheet(16);
  levels.name = "levels";
  levels.levels = 2;
  for (Vector3d& p : levels.mesh.positions) p.z() -= 2;
  const BodyId coarse = world.add(levels);
  SoftBody beside = soft;
  beside.name = "beside";
  for (Vector3d& p : beside.mesh.positions) p.x() += 3;
  world.add(beside);
  for (const double z : {0.0, 2.0, -2.0}) add_knife(world, {0.013, 0, z - 0.6}, {0, 0, 1.2 * 60});
  world.step();
  ASSERT_EQ(world.cuts().size(), 1U);
  EXPECT_EQ(world.cuts()[0].body, cut);
  EXPECT_EQ(world.not_cut(), (std::vector{jelly, coarse}));
}

}  // namespace
}  // namespace carom
