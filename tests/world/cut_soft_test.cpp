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

TEST(CutSoft, HalvesOfASymmetricCutMoveAsMirrorImages) {
  // A block lies on a narrow pedestal and is cut in its plane of symmetry: both halves fall off it.
  World world(soft_options({0, -9.81, 0}));
  RigidBody pedestal;
  pedestal.name = "pedestal";
  pedestal.shape = Shape::box({0.06, 0.1, 0.3});
  pedestal.pose.translation() = Vector3d(0, -0.1, 0);
  pedestal.motion = MotionModel::fixed;
  world.add(pedestal);
  const BodyId id = world.add(block({0.4, 0.2, 0.2}, {0, 0.104, 0}));
  for (int i = 0; i < 20; ++i) world.step();
  const WorldCut cut = world.cut(id, {{{{0, 1, -1}, {0, 1, 1}}, {{0, -1, -1}, {0, -1, 1}}}});
  ASSERT_EQ(cut.pieces.size(), 1U);
  // Distance from each vertex of one half, mirrored, to the nearest of the other.
  const auto asymmetry = [&] {
    double worst = 0;
    const auto used = [&](BodyId body) {
      std::vector<Vector3d> points;
      for (const Triangle& t : world.triangles(body)) {
        for (const Index v : t) points.push_back(world.positions(body)[static_cast<std::size_t>(v)]);
      }
      return points;
    };
    const std::vector<Vector3d> one = used(id);
    const std::vector<Vector3d> other = used(cut.pieces[0]);
    for (const Vector3d& p : one) {
      double nearest = INFINITY;
      for (const Vector3d& q : other) nearest = std::min(nearest, (p - Vector3d(-q.x(), q.y(), q.z())).norm());
      worst = std::max(worst, nearest);
    }
    return worst;
  };
  const auto height = [&](BodyId body) {
    double sum = 0;
    for (const Triangle& t : world.triangles(body)) {
      for (const Index v : t) sum += world.positions(body)[static_cast<std::size_t>(v)].y();
    }
    return sum / static_cast<double>(3 * world.triangles(body).size());
  };
  const double before = height(id);
  for (int i = 0; i < 15; ++i) world.step();
  const double fallen = before - height(id);
  EXPECT_GT(fallen, 0.02);
  // Contacts are solved one after the other, in an order that has no symmetry: a fiftieth of how far they went.
  EXPECT_LT(asymmetry(), 0.02 * fallen);
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

TEST(CutSoft, HangingBallGetsNoEnergyFromItsCuts) {
  // Cuts with steps beside nodes that are fixed: their faces are nearer than the contact distance, and some can move by
  // small shares of free nodes only.
  for (const Vector3d& edge : {Vector3d(0.5, 0.1, 0.3), Vector3d(0.4, -0.2, 0.4), Vector3d(0.1, 0.3, 0.5)}) {
    World world(soft_options({0, -9.81, 0}));
    SoftBody body = block({0.1, 0.1, 0.1}, {0, 0, 0});
    body.mesh = make_icosphere(0.1, 2);
    body.fixed = {{.min = {-1, 0.04, -1}, .max = {1, 1, 1}}};
    world.add(body);
    for (int i = 0; i < 60; ++i) world.step();
    RigidBody knife;
    knife.name = "knife";
    knife.shape = Shape::sphere(0.001);
    knife.motion = MotionModel::scripted;
    knife.pose.translation() = Vector3d(0.03, 0.4, 0);
    knife.filter = {.group = 2, .mask = 0};
    const BodyId id = world.add(knife);
    world.add_blade(id, {{-edge, edge}});
    world.set_velocity(id, {-3, -24, 0}, {0, 0, 0});
    const double before = world.balance().energy();
    std::size_t crossed = 0;
    for (int i = 0; i < 40; ++i) {
      world.step();
      for (const WorldCut& cut : world.cuts()) crossed += cut.crossed;
      EXPECT_LE(world.balance().energy(), before + 1e-6) << "step " << i;
    }
    EXPECT_GT(crossed, 5U);
  }
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

/// A bar of 4 mm with its blade along z, which is its lower end, comes down on the middle of a block that is fixed
/// below. Force (N) on the block in the last step before the first cut, and the depth of the edge (m) below its upper
/// side then.
struct PressedCut {
  double force = 0;
  double depth = NAN;
};
PressedCut press_until_cut(double energy) {
  World world(soft_options({0, 0, 0}, 1.0 / 240));
  SoftBody body = block({0.4, 0.2, 0.2}, {0, 0, 0});
  body.fixed = {{.min = {-1, -1, -1}, .max = {1, -0.099, 1}}};
  const BodyId id = world.add(body);
  world.set_fracture_energy(id, energy);
  RigidBody bar;
  bar.name = "bar";
  bar.shape = Shape::box({0.002, 0.2, 0.15});
  bar.motion = MotionModel::scripted;
  bar.pose.translation() = Vector3d(0.003, 0.31, 0);
  bar.velocity = {0, -0.05, 0};
  const BodyId blade = world.add(bar);
  world.add_blade(blade, {{{0, -0.2, -0.15}, {0, -0.2, 0.15}}});
  PressedCut result;
  for (int i = 0; i < 1200; ++i) {
    world.step();
    double force = 0;
    for (const WorldContact& c : world.contacts()) {
      if (c.body_a == id || c.body_b == id) force += c.impulse * std::abs(c.normal.y()) / world.options().dt;
    }
    if (!world.cuts().empty()) {
      result.force = std::max(result.force, force);
      result.depth = 0.1 - (world.pose(blade).translation().y() - 0.2);
      return result;
    }
    result.force = force;
  }
  return result;
}

TEST(CutSoft, BladePressesUntilItsForceIsThatOfTheCut) {
  // Force of a cut: fracture energy times the width of the block under the blade (Mahvash and Hayward 2001).
  const double width = 0.2;
  double depth = press_until_cut(0).depth;
  EXPECT_GT(depth, 0.02);  // at the centers of the first voxels
  EXPECT_LT(depth, 0.03);
  for (const double energy : {30.0, 100.0}) {
    const PressedCut cut = press_until_cut(energy);
    EXPECT_GE(cut.force, 0.98 * energy * width);
    EXPECT_LE(cut.force, 1.1 * energy * width) << "as soon as it suffices";
    EXPECT_GT(cut.depth, -0.0035) << "dented: contacts begin 4 mm above it";
  }
  EXPECT_GT(press_until_cut(100).depth, press_until_cut(30).depth);
}

TEST(CutSoft, BladeThatCollidesCutsWithoutPushingAndItsSidesCollide) {
  // A plate of 2 mm, a mesh, is drawn through a block as a knife is; nothing holds the block but the floor under it.
  World world(soft_options({0, -9.81, 0}));
  add_floor(world);
  const BodyId id = world.add(block({0.4, 0.2, 0.2}, {0, 0.105, 0}));
  ScriptedBody plate;
  plate.name = "plate";
  plate.mesh = make_box({0.002, 0.4, 0.3}, 1);
  for (Vector3d& p : plate.mesh.positions) p += Vector3d(0.011, 0.21, 0.45);
  plate.motion = [mesh = plate.mesh](double time, std::span<Vector3d> positions) {
    const double along = -std::min(0.45, 0.4 * time);
    const double across = time < 3 ? 0 : 0.1 * std::min(1.0, time - 3);
    for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = mesh.positions[v] + Vector3d(across, 0, along);
  };
  const BodyId blade = world.add(plate);
  world.add_blade(blade, {{{0.011, 0.01, 0.3}, {0.011, 0.41, 0.3}}});
  const auto center_of = [&](BodyId each) {
    Vector3d sum(0, 0, 0);
    for (const Triangle& t : world.triangles(each)) {
      for (const Index v : t) sum += world.positions(each)[static_cast<std::size_t>(v)];
    }
    return Vector3d(sum / static_cast<double>(3 * world.triangles(each).size()));
  };
  double moved = 0;
  for (int i = 0; i < 170; ++i) {
    world.step();
    for (const BodyId each : soft_bodies(world)) {
      moved = std::max(moved, std::abs(center_of(each).z()));
      expect_solid(world, each);
    }
  }
  ASSERT_EQ(soft_bodies(world).size(), 2U);
  EXPECT_LT(moved, 0.01) << "not pushed along";
  EXPECT_EQ(oracle::count_intersections(world), 0U);
  // Then it goes sideways, and takes one half along.
  const BodyId other = soft_bodies(world)[1];
  const BodyId ahead = center_of(id).x() > center_of(other).x() ? id : other;
  const double before = center_of(ahead).x();
  for (int i = 0; i < 120; ++i) world.step();
  EXPECT_GT(center_of(ahead).x() - before, 0.05);
}

TEST(CutSoft, CutsAtOnceAreToldUntilTheNextStepIsOver) {
  World world(soft_options({0, 0, 0}));
  const BodyId id = world.add(block({0.4, 0.2, 0.2}, {0, 0, 0}));
  world.step();
  const WorldCut cut = world.cut(id, {{{{0.003, 1, -1}, {0.003, 1, 1}}, {{0.003, -1, -1}, {0.003, -1, 1}}}});
  ASSERT_EQ(cut.pieces.size(), 1U);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(world.cuts().size(), 1U) << "who looks after each step sees it, too";
    EXPECT_EQ(world.cuts()[0].body, id);
    EXPECT_EQ(world.cuts()[0].crossed, cut.crossed);
    EXPECT_EQ(world.cuts()[0].pieces, cut.pieces);
    world.step();
  }
  EXPECT_TRUE(world.cuts().empty());
  EXPECT_EQ(world.cut(id, {{{{9, 1, -1}, {9, 1, 1}}, {{9, -1, -1}, {9, -1, 1}}}}).crossed, 0U);
  EXPECT_TRUE(world.cuts().empty()) << "nothing was there";
}

TEST(CutSoft, AStepThatThrowsTellsTheCutsOfTheOneBefore) {
  // Two blocks that fall fast near each other, so that steps have several rounds; the lift fails in the middle of one.
  for (const double end : {1.0, 1.5 / 60, 1.0 / 60}) {
    World world(soft_options({0, -1000, 0}));
    world.add(block({0.4, 0.2, 0.2}, {0, 0, 0}));
    world.add(block({0.4, 0.2, 0.2}, {0, 0.206, 0}));
    const TriangleMesh mesh = make_box({1, 1, 1});
    world.add(ScriptedBody{"lift", mesh, [mesh, end](double time, std::span<Vector3d> positions) {
                             for (std::size_t v = 0; v < positions.size(); ++v)
                               positions[v] = mesh.positions[v] + Vector3d(time > end + 1e-9 ? std::nan("") : 9, 0, 0);
                           }});
    add_knife(world, {0.003, 0.5, 0}, {0, -60, 0});
    world.step();
    ASSERT_EQ(world.cuts().size(), 2U);
    const std::vector<WorldCut> cuts = world.cuts();
    if (end == 1.0) {
      world.step();
      EXPECT_TRUE(world.cuts().empty());
      const auto counted = world.stats()[Stage::respond].counted();
      ASSERT_TRUE(std::any_of(counted.begin(), counted.end(),
                              [](const Counted& c) { return c.name == "rounds" && c.count > 1; }));
      continue;
    }
    EXPECT_THROW(world.step(), Error);
    ASSERT_EQ(world.cuts().size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(world.cuts()[i].crossed, cuts[i].crossed);
      EXPECT_EQ(world.cuts()[i].pieces, cuts[i].pieces);
    }
  }
}

TEST(CutSoft, OnlyWhatWasMadeToBeCutIsCut) {
  World world(soft_options({0, 0, 0}));
  SoftBody body = block({0.4, 0.2, 0.2}, {0, 0, 0});
  body.cuttable = false;
  const BodyId id = world.add(body);
  add_knife(world, {0.003, 0.3, 0}, {0, -60, 0});
  world.step();
  EXPECT_TRUE(world.cuts().empty());
  EXPECT_EQ(world.not_cut(), std::vector{id});
  const auto counted = world.stats()[Stage::edits].counted();
  EXPECT_TRUE(std::any_of(counted.begin(), counted.end(),
                          [](const Counted& c) { return c.name == "not cuttable" && c.count == 1; }));
  world.step();
  EXPECT_TRUE(world.not_cut().empty()) << "the knife is past it";
  try {
    world.cut(id, {{{{0, 1, -1}, {0, 1, 1}}, {{0, -1, -1}, {0, -1, 1}}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("cuttable"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace carom
