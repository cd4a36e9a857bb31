#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <random>
#include <set>

#include "carom/core/error.hpp"
#include "world/blade_world.hpp"

// Particles that blades cut.
namespace carom {
namespace {

/// A net of 1 m in the x-z plane.
ParticleBody net(int along, int across) {
  return {.name = "net", .mesh = make_sheet(1, 1, along, across), .mass = 0.4};
}

TEST(CutParticles, KnifeThroughANetMakesTwo) {
  World world(weightless());
  const BodyId id = world.add(net(10, 10));
  add_knife(world, {-0.7, 0, 0.03}, {1.5, 0, 0});
  std::vector<BodyId> pieces;
  double length = 0;
  for (int i = 0; i < 60; ++i) {
    world.step();
    for (const WorldCut& cut : world.cuts()) {
      EXPECT_EQ(cut.body, id);
      length += cut.length;
      pieces.insert(pieces.end(), cut.pieces.begin(), cut.pieces.end());
    }
  }
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(world.name(pieces[0]), "net-1");
  EXPECT_EQ(world.bodies().size(), 3U);
  EXPECT_TRUE(world.not_cut().empty());
  EXPECT_NEAR(length, 1, 0.1);
  EXPECT_NEAR(area_of(world, id) + area_of(world, pieces[0]), 1, 1e-3);
  EXPECT_NEAR(area_of(world, pieces[0]), 0.47, 0.03);
  EXPECT_NEAR(world.balance().mass, 0.4, 1e-12);
  for (const BodyId body : {id, pieces[0]}) EXPECT_TRUE(inspect(mesh_of(world, body)).manifold());
  // Each of the two has a mass for its area.
  double mass = 0;
  for (Index v = 0; v < static_cast<Index>(world.positions(pieces[0]).size()); ++v) {
    const double inverse = world.inverse_mass(pieces[0], v);
    if (inverse > 0) mass += 1 / inverse;
  }
  EXPECT_NEAR(mass, 0.4 * area_of(world, pieces[0]), 1e-4);
}

TEST(CutParticles, KnifeThatStopsComesBackAndGoesOn) {
  World world(weightless());
  const BodyId id = world.add(net(10, 10));
  const BodyId knife = add_knife(world, {-0.7, 0, 0.03}, {1.5, 0, 0});
  const auto run = [&](double speed, int steps) {
    world.set_velocity(knife, {speed, 0, 0}, {0, 0, 0});
    double length = 0;
    for (int i = 0; i < steps; ++i) {
      world.step();
      for (const WorldCut& cut : world.cuts()) length += cut.length;
    }
    return length;
  };
  EXPECT_NEAR(run(1.5, 30), 0.55, 0.11);  // to x = 0.05; within an edge of the mesh
  EXPECT_EQ(run(0, 20), 0);
  EXPECT_EQ(world.bodies().size(), 2U);
  MeshReport report = inspect(mesh_of(world, id));
  EXPECT_EQ(report.components - report.unused_vertices.size(), 1U);
  EXPECT_TRUE(report.manifold());
  EXPECT_EQ(report.boundary_loops, 1U);
  // Back through its own cut, and in again: there is nothing more to cut.
  EXPECT_NEAR(run(-1.5, 30) + run(1.5, 28), 0, 1e-12);
  EXPECT_NEAR(run(1.5, 42), 0.45, 0.11);
  EXPECT_EQ(world.bodies().size(), 3U);
}

TEST(CutParticles, NothingIsMissedAtAnySpeed) {
  for (const double speed : {0.5, 5.0, 50.0, 500.0}) {
    World world(weightless());
    world.add(net(9, 9));
    add_knife(world, {-0.7, 0, 0.021}, {speed, 0, 0});
    const int steps = static_cast<int>(std::ceil(1.5 / (speed / 60))) + 1;
    for (int i = 0; i < steps; ++i) world.step();
    EXPECT_EQ(world.bodies().size(), 3U) << speed;
  }
}

TEST(CutParticles, TwoBladesAtOnceAndCutsThatCross) {
  World world(weightless());
  world.add(net(12, 12));
  // Both within one step, at right angles, and two more in the next.
  for (const double z : {-0.22, 0.19}) add_knife(world, {-0.9, 0, z}, {120, 0, 0});
  world.step();
  EXPECT_EQ(world.bodies().size(), 2U + 3U);
  BladePath across = straight({0.017, 0, -0.7}, {0.017, 0, 0.7});
  std::set<BodyId> sheets;
  for (const BodyId id : world.bodies()) {
    if (world.motion(id) == MotionModel::particles) sheets.insert(id);
  }
  cut_all(world, across, sheets);
  EXPECT_EQ(sheets.size(), 6U);
  double area = 0;
  for (const BodyId id : sheets) {
    expect_surface(world, id);
    area += area_of(world, id);
  }
  EXPECT_NEAR(area, 1, 1e-12);
  for (int i = 0; i < 20; ++i) world.step();
  EXPECT_LT(world.balance().kinetic_energy, 1e-9);  // fresh edges do not push each other
}

TEST(CutParticles, StripOfOneSquareIsCutAcrossAndAlong) {
  World world(weightless());
  const BodyId id = world.add(net(10, 1));
  std::set<BodyId> bodies{id};
  cut_all(world, straight({0.03, 0, -0.7}, {0.03, 0, 0.7}), bodies);
  EXPECT_EQ(bodies.size(), 2U);
  cut_all(world, straight({-0.7, 0, 0.1}, {0.7, 0, 0.1}), bodies);
  EXPECT_EQ(bodies.size(), 4U);
  double area = 0;
  for (const BodyId b : bodies) {
    expect_surface(world, b);
    area += area_of(world, b);
  }
  EXPECT_NEAR(area, 1, 1e-12);
  EXPECT_NEAR(world.balance().mass, 0.4, 1e-12);
  for (int i = 0; i < 20; ++i) world.step();
  EXPECT_LT(world.balance().kinetic_energy, 1e-9);
}

TEST(CutParticles, AnyPathLeavesManifoldsWithMassMomentumAndNoMoreEnergy) {
  EXPECT_TRUE(rc::check("paths at random, crossing each other", [] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::uniform_real_distribution<double> place(-0.7, 0.7);
    std::uniform_real_distribution<double> tilt(-0.3, 0.3);
    World world(weightless());
    ParticleBody body = net(4 + static_cast<int>(random() % 4), 4 + static_cast<int>(random() % 4));
    body.velocity = {0.3, 0.2, -0.1};
    const BodyId id = world.add(body);
    // Strained, and with vertices that move against each other.
    const auto corner = static_cast<Index>(random() % body.mesh.positions.size());
    for (int i = 0; i < 6; ++i) {
      world.pull(id, corner, {.target = {0.3, 0.4, 0.1}, .stiffness = 200, .damping = 1});
      world.step();
    }
    WorldBalance before = world.balance();
    const double area = area_of(world, id);
    const double lowest = 0.16 * heights_of(body.mesh).mean;
    std::set<BodyId> bodies{id};
    for (int path = 0; path < 3; ++path) {
      BladePath blade;
      for (int pose = 0; pose < 4; ++pose) {
        const double x = place(random);
        const double z = place(random);
        blade.poses.push_back({{x + tilt(random), -0.5, z + tilt(random)}, {x, 0.5, z}});
      }
      cut_all(world, blade, bodies);
      std::size_t components = 0;
      double area_now = 0;
      for (const BodyId b : bodies) {
        expect_surface(world, b);
        const TriangleMesh mesh = mesh_of(world, b);
        components += static_cast<std::size_t>(build_topology(mesh.positions.size(), mesh.triangles).component_count);
        area_now += area_of(world, b);
      }
      RC_ASSERT(components == bodies.size());  // every piece is a body of its own
      RC_ASSERT(std::abs(area_now - area) < 1e-12 * area);
      const WorldBalance after = world.balance();
      RC_ASSERT(std::abs(after.mass - before.mass) < 1e-12 * before.mass);
      RC_ASSERT((after.momentum - before.momentum).norm() < 1e-12 * before.mass);
      RC_ASSERT(after.elastic_energy <= before.elastic_energy * (1 + 1e-12));
      RC_ASSERT(after.kinetic_energy <= before.kinetic_energy * (1 + 1e-12));
      before = after;
    }
    // Triangles have kept their least heights at rest; strains are below a half.
    for (const BodyId b : bodies) RC_ASSERT(heights_of(mesh_of(world, b)).least >= 0.5 * lowest);
    for (int i = 0; i < 3; ++i) world.step();
    for (const BodyId b : bodies) expect_surface(world, b);
  }));
}

TEST(CutParticles, WhatHangsOnPiecesAfterCutsFallsAsItWeighs) {
  // A net in gravity, held along one side, is cut across: what comes off falls freely, the rest stays.
  WorldOptions options = weightless();
  options.gravity = {0, -9.81, 0};
  World world(options);
  ParticleBody body = net(10, 10);
  body.air_damping = 0;
  body.stretch_stiffness = 2000;
  for (Index v = 0; v < 11; ++v) body.pinned.push_back(11 * v);
  const BodyId id = world.add(body);
  const WorldCut cut = world.cut(id, straight({0.013, 0, -0.7}, {0.021, 0, 0.7}));
  ASSERT_EQ(cut.pieces.size(), 1U);
  const Vector3d start = world.positions(cut.pieces[0])[0];
  const int steps = 20;
  for (int i = 0; i < steps; ++i) world.step();
  Vector3d mean(0, 0, 0);
  for (const Vector3d& p : world.positions(cut.pieces[0])) mean += p;
  mean /= static_cast<double>(world.positions(cut.pieces[0]).size());
  // Semi-implicit steps fall by g dt^2 n (n + 1) / 2; inner steps by no less than the half of g t^2.
  const double t = steps * options.dt;
  EXPECT_NEAR(start.y() - mean.y(), 0.5 * 9.81 * t * t, 9.81 * t * options.dt);
  for (Index v = 0; v < 11; ++v)
    EXPECT_EQ(world.positions(id)[static_cast<std::size_t>(11 * v)],
              body.mesh.positions[static_cast<std::size_t>(11 * v)]);
}

TEST(CutParticles, SameBitsForAnyNumberOfThreadsAndFromASnapshotInTheMiddle) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    WorldOptions options = weightless(threads);
    options.gravity = {0, -9.81, 0};
    World world(options);
    ParticleBody body = net(10, 10);
    for (Index v = 0; v < 11; ++v) {
      for (const Index border : {11 * v, 11 * v + 10}) body.pinned.push_back(border);
    }
    world.add(body);
    add_knife(world, {-0.7, 0, 0.03}, {1.5, 0, 0});
    for (int i = 0; i < 30; ++i) world.step();
    const World::Snapshot middle = world.snapshot();
    World other(options);
    for (int i = 0; i < 40; ++i) world.step();
    hashes.push_back(world.state_hash());
    EXPECT_EQ(world.bodies().size(), 3U);
    world.restore(middle);
    other.restore(middle);
    for (int i = 0; i < 40; ++i) {
      world.step();
      other.step();
    }
    EXPECT_EQ(world.state_hash(), hashes.back());
    EXPECT_EQ(other.state_hash(), hashes.back());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(CutParticles, PressesUntilTheForceSuffices) {
  const auto depth_at_cut = [](double energy) {
    World world(weightless());
    ParticleBody body = net(12, 12);
    for (Index v = 0; v < 13; ++v) {
      for (const Index border : {v, 12 * 13 + v, 13 * v, 13 * v + 12}) body.pinned.push_back(border);
    }
    const BodyId id = world.add(body);
    if (energy > 0) world.set_fracture_energy(id, energy);
    RigidBody bar;
    bar.name = "bar";
    bar.shape = Shape::box({0.2, 0.05, 0.002});
    bar.motion = MotionModel::scripted;
    bar.pose.translation() = Vector3d(0.02, 0.07, 0.03);
    bar.velocity = {0, -0.1, 0};
    const BodyId blade = world.add(bar);
    world.add_blade(blade, {{{-0.2, -0.05, 0}, {0.2, -0.05, 0}}});
    for (int i = 0; i < 200; ++i) {
      world.step();
      if (!world.cuts().empty() && world.cuts()[0].length > 0) return 0.05 - world.pose(blade).translation().y();
    }
    return 1.0;
  };
  const double at_touch = depth_at_cut(0);
  const double soft = depth_at_cut(5);
  const double tough = depth_at_cut(50);
  EXPECT_LT(at_touch, 0.006);  // within a thickness and a step of the net
  EXPECT_GT(soft, at_touch);
  EXPECT_GT(tough, soft);
  EXPECT_LT(tough, 0.3);
}

TEST(CutParticles, PullOfAVertexGoesOnWithItsPiece) {
  World world(weightless());
  const BodyId id = world.add(net(10, 10));
  const auto count = static_cast<Index>(world.positions(id).size());
  // One of the corners on either side of the cut is on the piece.
  const std::array<Index, 2> corners{0, count - 1};
  for (const Index corner : corners) {
    const Vector3d above = world.positions(id)[static_cast<std::size_t>(corner)] + Vector3d(0, corner == 0 ? 1 : -1, 0);
    world.pull(id, corner, {.target = above, .stiffness = 10});
  }
  const WorldCut cut = world.cut(id, straight({-0.7, 0, 0.021}, {0.7, 0, 0.021}));
  ASSERT_EQ(cut.pieces.size(), 1U);
  world.step();
  for (const BodyId body : {id, cut.pieces[0]}) {
    Vector3d momentum(0, 0, 0);
    Vector3d middle(0, 0, 0);
    for (Index v = 0; v < static_cast<Index>(world.positions(body).size()); ++v) {
      const double inverse = world.inverse_mass(body, v);
      if (!(inverse > 0)) continue;
      momentum += world.velocities(body)[static_cast<std::size_t>(v)] / inverse;
      middle += world.positions(body)[static_cast<std::size_t>(v)] / inverse;
    }
    // One is pulled up, the other down, each by 10 N at most over the step.
    EXPECT_GT(momentum.y() * (middle.z() < 0 ? 1 : -1), 0.01) << world.name(body);
  }
}

TEST(CutParticles, BalloonThatIsCutLosesItsGas) {
  World world(weightless());
  ParticleBody balloon{.name = "balloon", .mesh = make_icosphere(0.3, 2), .mass = 0.1, .pressure = 100};
  const BodyId id = world.add(balloon);
  for (int i = 0; i < 5; ++i) world.step();
  const WorldCut cut = world.cut(id, straight({-0.7, 0.1, 0.01}, {0.7, 0.1, 0.01}));
  EXPECT_GT(cut.length, 0.3);
  for (int i = 0; i < 5; ++i) world.step();
  std::set<BodyId> bodies{id};
  bodies.insert(cut.pieces.begin(), cut.pieces.end());
  for (const BodyId b : bodies) EXPECT_TRUE(inspect(mesh_of(world, b)).manifold());
  EXPECT_NEAR(world.balance().mass, 0.1, 1e-13);
}

TEST(CutParticles, ResponsesWithoutInnerStepsDoNotCutThem) {
  WorldOptions options = weightless();
  options.response = "impulse";
  World world(options);
  ParticleBody body = net(6, 6);
  body.stretch_stiffness = 1;
  body.bend_stiffness = 0.01;
  const BodyId id = world.add(body);
  add_knife(world, {-0.7, 0, 0.03}, {120, 0, 0});
  world.step();
  EXPECT_TRUE(world.cuts().empty());
  EXPECT_EQ(world.not_cut(), std::vector{id});
  try {
    world.cut(id, straight({-0.7, 0, 0}, {0.7, 0, 0}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "cut: body 'net' is of particles, which the response 'impulse' does not cut; 'soft' does");
  }
}

}  // namespace
}  // namespace carom
