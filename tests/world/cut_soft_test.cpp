#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "carom/core/error.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"
#include "oracle/apart.hpp"

// Soft bodies cut in a world: what is kept, pieces, contacts of fresh faces, determinism.
namespace carom {
namespace {

using Eigen::Vector3d;

WorldOptions soft_options(const Vector3d& gravity, double dt = 1.0 / 60, int threads = 1) {
  WorldOptions options;
  options.gravity = gravity;
  options.dt = dt;
  options.contact.distance = 0.004;
  options.threads = threads;
  return options;
}

SoftBody block(const Vector3d& size, const Vector3d& at) {
  SoftBody body;
  body.name = "block";
  body.mesh = make_box(size, 1);
  for (Vector3d& p : body.mesh.positions) p += at;
  body.voxel_size = 0.05;
  body.cuttable = true;
  body.elasticity = {.density = 500, .young_modulus = 3e4, .poisson_ratio = 0.4, .damping = 0.01};
  body.material.friction = 0.3;
  return body;
}

/// A blade along z, 0.1 m below `place`. The body that carries it is elsewhere: nothing is in the cut.
BodyId add_knife(World& world, const Vector3d& place, const Vector3d& velocity) {
  RigidBody body;
  body.name = "knife";
  body.shape = Shape::sphere(0.01);
  body.motion = MotionModel::scripted;
  body.pose.translation() = place + Vector3d(0, 0, 5);
  body.velocity = velocity;
  body.filter = {.group = 2, .mask = 0};
  const BodyId id = world.add(body);
  world.add_blade(id, {{{0, -0.1, -5.3}, {0, -0.1, -4.7}}});
  return id;
}

void add_floor(World& world) {
  RigidBody ground;
  ground.name = "ground";
  ground.shape = Shape::half_space({0, 1, 0}, 0);
  ground.motion = MotionModel::fixed;
  ground.material.friction = 0.3;
  world.add(ground);
}

/// Closed, manifold and oriented; vertices that went to pieces are left out.
void expect_solid(const World& world, BodyId id) {
  TriangleMesh mesh;
  std::vector<Index> number(world.positions(id).size(), none);
  for (Triangle t : world.triangles(id)) {
    for (Index& v : t) {
      Index& found = number[static_cast<std::size_t>(v)];
      if (found == none) {
        found = static_cast<Index>(mesh.positions.size());
        mesh.positions.push_back(world.positions(id)[static_cast<std::size_t>(v)]);
      }
      v = found;
    }
    mesh.triangles.push_back(t);
  }
  const MeshReport report = inspect(mesh);
  EXPECT_TRUE(report.watertight());
  EXPECT_TRUE(report.manifold());
  EXPECT_TRUE(report.oriented());
}

std::vector<BodyId> soft_bodies(const World& world) {
  std::vector<BodyId> list;
  for (const BodyId id : world.bodies()) {
    if (world.name(id).starts_with("block")) list.push_back(id);
  }
  return list;
}

double fastest_of(const World& world) {
  double fastest = 0;
  for (const BodyId id : soft_bodies(world)) {
    for (const Vector3d& v : world.velocities(id)) fastest = std::max(fastest, v.norm());
  }
  return fastest;
}

TEST(CutSoft, KnifeThroughABlockMakesTwoThatKeepMassAndMomentum) {
  World world(soft_options({0, 0, 0}));
  SoftBody body = block({0.4, 0.2, 0.2}, {0, 0, 0});
  body.velocity = {0.02, 0, 0.01};
  const BodyId id = world.add(body);
  const BodyId knife = add_knife(world, {0.053, 0.25, 0}, {0, -0.6, 0});
  const WorldBalance before = world.balance();
  std::vector<BodyId> pieces;
  std::size_t crossed = 0;
  double area = 0;
  for (int i = 0; i < 60; ++i) {
    world.step();
    for (const WorldCut& cut : world.cuts()) {
      EXPECT_EQ(cut.body, id);
      crossed += cut.crossed;
      area += cut.area;
      pieces.insert(pieces.end(), cut.pieces.begin(), cut.pieces.end());
    }
    EXPECT_EQ(oracle::count_intersections(world), 0U) << "step " << i;
    for (const BodyId each : soft_bodies(world)) expect_solid(world, each);
  }
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(world.name(pieces[0]), "block-1");
  EXPECT_EQ(crossed, 16U);
  EXPECT_NEAR(area, 0.04, 1e-12);
  const WorldBalance after = world.balance();
  EXPECT_NEAR(after.mass, before.mass, 1e-12);
  EXPECT_LT((after.momentum - before.momentum).norm(), 1e-12);
  EXPECT_NEAR(world.soft_state(id).mass + world.soft_state(pieces[0]).mass, 500 * 0.016, 1e-9);
  EXPECT_NEAR(world.soft_state(pieces[0]).rest_volume, 0.15 * 0.04, 1e-9);
  EXPECT_LT(fastest_of(world), 0.06) << "fresh faces do not push each other";
  const std::vector<std::uint8_t> made = world.cut_triangles(pieces[0]);
  EXPECT_EQ(std::count(made.begin(), made.end(), 1), 4 * 16);
  EXPECT_TRUE(world.cut_triangles(knife).empty());
}

TEST(CutSoft, KnifeThatStopsHalfWayLeavesOneBodyAndGoesOn) {
  World world(soft_options({0, 0, 0}));
  const BodyId id = world.add(block({0.4, 0.2, 0.2}, {0, 0, 0}));
  const BodyId knife = add_knife(world, {0.003, 0.25, 0}, {0, -0.6, 0});
  for (int i = 0; i < 40; ++i) {
    if (i == 15) world.set_velocity(knife, {0, 0, 0}, {0, 0, 0});  // edge at y = 0
    world.step();
    EXPECT_EQ(oracle::count_intersections(world), 0U) << "step " << i;
  }
  EXPECT_EQ(soft_bodies(world).size(), 1U);
  expect_solid(world, id);
  EXPECT_FALSE(world.cut_triangles(id).empty());
  world.set_velocity(knife, {0, -0.6, 0}, {0, 0, 0});
  for (int i = 0; i < 20; ++i) world.step();
  EXPECT_EQ(soft_bodies(world).size(), 2U);
}

TEST(CutSoft, ChopWithinOneStepMissesNothing) {
  World world(soft_options({0, 0, 0}));
  world.add(block({0.4, 0.2, 0.2}, {0, 0, 0}));
  add_knife(world, {0.003, 0.3, 0}, {0, -60, 0});
  world.step();
  EXPECT_EQ(soft_bodies(world).size(), 2U);
  EXPECT_EQ(world.cuts().size(), 1U);
  EXPECT_EQ(world.cuts()[0].crossed, 16U);
}

TEST(CutSoft, SlicesComeToRestOnEachOtherAndOnTheFloor) {
  World world(soft_options({0, -9.81, 0}));
  add_floor(world);
  world.add(block({0.3, 0.3, 0.2}, {0, 0.16, 0}));
  for (int i = 0; i < 60; ++i) world.step();
  // Level cuts: each part lies on the fresh face of the one below.
  for (const double y : {0.11, 0.21}) {
    for (const BodyId id : soft_bodies(world)) {
      world.cut(id, {{{{-0.5, y, -0.5}, {-0.5, y, 0.5}}, {{0.5, y, -0.5}, {0.5, y, 0.5}}}});
    }
  }
  ASSERT_EQ(soft_bodies(world).size(), 3U);
  for (int i = 0; i < 180; ++i) {
    world.step();
    if (i % 10 == 0) {
      EXPECT_EQ(oracle::count_intersections(world), 0U) << "step " << i;
    }
  }
  EXPECT_LT(fastest_of(world), 0.05);
  std::vector<double> heights;
  for (const BodyId id : soft_bodies(world)) {
    double high = -INFINITY;
    for (const Triangle& t : world.triangles(id)) {
      for (const Index v : t) high = std::max(high, world.positions(id)[static_cast<std::size_t>(v)].y());
    }
    heights.push_back(high);
  }
  std::sort(heights.begin(), heights.end());
  EXPECT_NEAR(heights[0], 0.1, 0.02);
  EXPECT_NEAR(heights[1], 0.2, 0.03);
  EXPECT_NEAR(heights[2], 0.3, 0.04);
}

TEST(CutSoft, EnergyRisesByNoMoreThanTheBladeDoes) {
  // A block hangs from its upper side, and a blade that collides with nothing, and so does no work, cuts it across.
  World world(soft_options({0, -9.81, 0}));
  SoftBody body = block({0.2, 0.3, 0.2}, {0, 0, 0});
  body.fixed = {{.min = {-1, 0.149, -1}, .max = {1, 1, 1}}};
  const BodyId id = world.add(body);
  for (int i = 0; i < 120; ++i) world.step();
  const BodyId knife = add_knife(world, {0.5, 0.1, 0}, {-0.6, 0, 0});  // at y = 0, along x
  double before = world.balance().energy();
  EXPECT_GT(world.soft_state(id).elastic_energy, 0.01);
  for (int i = 0; i < 80; ++i) {
    world.step();
    const double energy = world.balance().energy();
    EXPECT_LE(energy, before + 1e-6) << "step " << i;
    before = energy;
  }
  EXPECT_EQ(soft_bodies(world).size(), 2U);
  EXPECT_LT(world.pose(knife).translation().x(), -0.2);
}

TEST(CutSoft, SameBitsForAnyNumberOfThreadsAndFromASnapshotInTheMiddle) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    World world(soft_options({0, -9.81, 0}, 1.0 / 60, threads));
    add_floor(world);
    world.add(block({0.4, 0.2, 0.2}, {0, 0.105, 0}));
    add_knife(world, {0.003, 0.35, 0}, {0, -0.6, 0});
    for (int i = 0; i < 16; ++i) world.step();
    const World::Snapshot middle = world.snapshot();
    for (int i = 0; i < 30; ++i) world.step();
    hashes.push_back(world.state_hash());
    EXPECT_EQ(soft_bodies(world).size(), 2U);
    world.restore(middle);
    EXPECT_EQ(soft_bodies(world).size(), 1U);
    for (int i = 0; i < 30; ++i) world.step();
    hashes.push_back(world.state_hash());
  }
  for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes[0]);
}

TEST(CutSoft, OnlyWhatWasMadeToBeCutIsCut) {
  World world(soft_options({0, 0, 0}));
  SoftBody body = block({0.4, 0.2, 0.2}, {0, 0, 0});
  body.cuttable = false;
  const BodyId id = world.add(body);
  add_knife(world, {0.003, 0.3, 0}, {0, -60, 0});
  world.step();
  EXPECT_TRUE(world.cuts().empty());
  try {
    world.cut(id, {{{{0, 1, -1}, {0, 1, 1}}, {{0, -1, -1}, {0, -1, 1}}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("cuttable"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace carom
