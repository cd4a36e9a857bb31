#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"
#include "oracle/apart.hpp"

// Soft bodies in a world: contacts both ways with all kinds of bodies, what is kept, rest, sleep, snapshots.
namespace carom {
namespace {

using Eigen::Vector3d;

SoftBody soft(const std::string& name, TriangleMesh mesh, const Vector3d& at, double young_modulus = 3e4) {
  SoftBody body;
  body.name = name;
  body.mesh = std::move(mesh);
  for (Vector3d& p : body.mesh.positions) p += at;
  body.degrees_of_freedom = 600;
  body.elasticity = {.density = 500, .young_modulus = young_modulus, .poisson_ratio = 0.4, .damping = 0.01};
  body.material.friction = 0.4;
  return body;
}

WorldOptions options(double dt = 1.0 / 60, int threads = 1) {
  WorldOptions o;
  o.dt = dt;
  o.contact.distance = 0.005;
  o.threads = threads;
  return o;
}

BodyId add_ground(World& world) {
  RigidBody ground;
  ground.name = "ground";
  ground.shape = Shape::half_space({0, 1, 0}, 0);
  ground.motion = MotionModel::fixed;
  return world.add(ground);
}

double lowest(const World& world, BodyId id) {
  double y = INFINITY;
  for (const Vector3d& p : world.positions(id)) y = std::min(y, p.y());
  return y;
}

Vector3d center(const World& world, BodyId id) {
  Vector3d sum = Vector3d::Zero();
  for (const Vector3d& p : world.positions(id)) sum += p;
  return sum / static_cast<double>(world.positions(id).size());
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

/// Damping acts once in four inner steps: also where a step would have fewer, as with few `substeps`. A column that is
/// let go swings, with damping for a moment only.
TEST(SoftWorld, DampingActsForAnyNumberOfSubsteps) {
  for (const int substeps : {4, 1, 2, 3}) {
    double swing[2];
    for (const bool damped : {false, true}) {
      WorldOptions o = options(1.0 / 1000);
      o.solver.soft.substeps = substeps;
      World world(o);
      SoftBody column = soft("column", make_box({0.1, 0.3, 0.1}, 4), {0, 0, 0}, 1e4);
      column.degrees_of_freedom = 100;
      column.inner_steps = 1;
      column.elasticity.damping = damped ? 0.05 : 0;
      column.fixed = {{.min = {-1, 0.1, -1}, .max = {1, 1, 1}}};
      const BodyId id = world.add(column);
      double low = INFINITY;
      double high = -INFINITY;
      for (int k = 0; k < 1000; ++k) {
        world.step();
        if (k < 700) continue;
        low = std::min(low, lowest(world, id));
        high = std::max(high, lowest(world, id));
      }
      swing[damped ? 1 : 0] = high - low;
    }
    EXPECT_LT(swing[1], 0.2 * swing[0]) << substeps;
  }
}

TEST(SoftWorld, FreeBodyKeepsMomentumAngularMomentumAndFalls) {
  WorldOptions o = options();
  o.gravity = {0, -9.81, 0};
  World world(o);
  SoftBody body = soft("ball", make_icosphere(0.2, 2), {0, 5, 0});
  body.velocity = {1, 2, 0};
  const BodyId id = world.add(body);
  const WorldBalance before = world.balance();
  EXPECT_NEAR(before.mass, world.soft_state(id).mass, 1e-9);
  const double y = center(world, id).y();
  for (int i = 0; i < 30; ++i) world.step();
  const WorldBalance after = world.balance();
  EXPECT_LT((after.momentum - before.momentum - before.mass * 0.5 * Vector3d(0, -9.81, 0)).norm(), 1e-9 * before.mass);
  // Inner steps are semi-implicit: the fall is that of a parabola to the first order in them.
  EXPECT_NEAR(center(world, id).y() - y, 2 * 0.5 - 0.5 * 9.81 * 0.25, 0.01);
  EXPECT_NEAR(after.energy(), before.energy(), 1e-2 * std::abs(before.energy()));
}

TEST(SoftWorld, BallRestsOnTheGroundAndCarriesItsWeight) {
  World world(options());
  add_ground(world);
  const BodyId id = world.add(soft("ball", make_icosphere(0.2, 3), {0, 0.25, 0}));
  for (int i = 0; i < 150; ++i) {
    world.step();
    ASSERT_GT(lowest(world, id), 0) << i;
  }
  EXPECT_LT(lowest(world, id), 0.006) << "it lies on the ground";
  double impulse = 0;
  for (const WorldContact& c : world.contacts()) impulse += c.impulse * std::abs(c.normal.y());
  const double weight = 9.81 * world.balance().mass;
  EXPECT_NEAR(impulse * 60, weight, 0.1 * weight);
  EXPECT_NEAR(world.soft_state(id).volume, world.soft_state(id).rest_volume, 0.05 * world.soft_state(id).rest_volume);
}

TEST(SoftWorld, ComesToRestSleepsAndWakes) {
  World world(options());
  add_ground(world);
  const BodyId id = world.add(soft("cube", make_box({0.2, 0.2, 0.2}, 4), {0, 0.12, 0}));
  int step = 0;
  for (; step < 400 && !world.asleep(id); ++step) world.step();
  EXPECT_TRUE(world.asleep(id)) << "after " << step;
  const std::uint64_t hash = world.state_hash();
  for (int i = 0; i < 5; ++i) world.step();
  EXPECT_EQ(world.state_hash(), hash) << "nothing moves while it sleeps";
  RigidBody ball;
  ball.name = "ball";
  ball.shape = Shape::sphere(0.05);
  ball.pose.translation() = Vector3d(0, 0.4, 0);
  world.add(ball);
  for (int i = 0; i < 30 && world.asleep(id); ++i) world.step();
  EXPECT_FALSE(world.asleep(id));
}

/// Momentum of a closed world without gravity, with a soft body and one of each other kind that meets it.
TEST(SoftWorld, ContactsWithAllKindsKeepMomentum) {
  WorldOptions o = options();
  o.gravity.setZero();
  o.contact.distance = 0.01;
  World world(o);
  SoftBody body = soft("soft", make_icosphere(0.2, 3), {0, 0, 0});
  world.add(body);
  RigidBody ball;
  ball.name = "rigid";
  ball.shape = Shape::sphere(0.1);
  ball.density = 300;
  ball.pose.translation() = Vector3d(-0.4, 0.02, 0);
  ball.velocity = {2, 0, 0};
  world.add(ball);
  ClothBody cloth;
  cloth.name = "cloth";
  cloth.mesh = make_sheet(0.4, 0.4, 8, 8);
  for (Vector3d& p : cloth.mesh.positions) p.y() += 0.3;
  cloth.velocity = {0, -2, 0};
  world.add(cloth);
  SoftBody other = soft("other", make_icosphere(0.1, 2), {0.05, 0, 0.4});
  other.velocity = {0, 0, -2};
  world.add(other);
  ParticleBody particles;
  particles.name = "particles";
  particles.mesh = make_icosphere(0.1, 2);
  for (Vector3d& p : particles.mesh.positions) p += Vector3d(0.4, 0, 0);
  particles.mass = 0.5;
  particles.stretch_stiffness = 200;
  particles.velocity = {-2, 0, 0};
  particles.air_damping = 0;
  world.add(particles);
  const WorldBalance before = world.balance();
  std::size_t contacts = 0;
  for (int i = 0; i < 40; ++i) {
    world.step();
    contacts = std::max(contacts, world.contacts().size());
    ASSERT_EQ(oracle::count_intersections(world), 0U) << i;
  }
  EXPECT_GT(contacts, 10U);
  EXPECT_LT((world.balance().momentum - before.momentum).norm(), 1e-6 * before.mass);
  EXPECT_LT(world.balance().energy(), before.energy() * (1 + 1e-9));
}

TEST(SoftWorld, FastBodiesDoNotPassThroughEachOther) {
  WorldOptions o = options();
  o.gravity.setZero();
  World world(o);
  SoftBody left = soft("left", make_box({0.05, 0.3, 0.3}, 4), {-0.4, 0, 0});
  left.velocity = {40, 0, 0};
  SoftBody right = soft("right", make_box({0.05, 0.3, 0.3}, 4), {0.4, 0.01, 0.013});
  right.velocity = {-40, 0, 0};
  const BodyId a = world.add(left);
  const BodyId b = world.add(right);
  for (int i = 0; i < 12; ++i) {
    world.step();
    ASSERT_EQ(oracle::count_intersections(world), 0U) << i;
    ASSERT_LT(center(world, a).x(), center(world, b).x()) << i;
  }
}

TEST(SoftWorld, SameBitsForAnyNumberOfThreadsAndFromASnapshot) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    World world(options(1.0 / 60, threads));
    add_ground(world);
    world.add(soft("cube", make_box({0.2, 0.2, 0.2}, 5), {0, 0.12, 0}));
    world.add(soft("ball", make_icosphere(0.1, 3), {0.03, 0.35, 0.02}));
    for (int i = 0; i < 20; ++i) world.step();
    const World::Snapshot snapshot = world.snapshot();
    for (int i = 0; i < 10; ++i) world.step();
    hashes.push_back(world.state_hash());
    world.restore(snapshot);
    for (int i = 0; i < 10; ++i) world.step();
    hashes.push_back(world.state_hash());
  }
  for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes[0]);
}

TEST(SoftWorld, FixedPartsStayAndTheRestHangs) {
  World world(options());
  SoftBody bar = soft("bar", make_box({0.6, 0.1, 0.1}, 4), {0.3, 1, 0}, 2e5);
  bar.fixed = {{.min = {-0.1, 0, -1}, .max = {0.06, 2, 1}}};
  const BodyId id = world.add(bar);
  const std::vector<Vector3d> start(world.positions(id).begin(), world.positions(id).end());
  for (int i = 0; i < 60; ++i) world.step();
  double sag = 0;
  for (std::size_t v = 0; v < start.size(); ++v) {
    const double moved = (world.positions(id)[v] - start[v]).norm();
    if (start[v].x() < 1e-9) {
      EXPECT_LT(moved, 1e-9) << v;
    }
    sag = std::max(sag, start[v].y() - world.positions(id)[v].y());
  }
  EXPECT_GT(sag, 0.005);
}

TEST(SoftWorld, BodyThatIsFixedForMostOfItsLengthHangsAsOthersDo) {
  // All but the lowest fourth is fixed: elements that cannot move are no reason for long inner steps.
  const auto sag = [](int inner_steps) {
    World world(options(1.0 / 30));
    SoftBody column = soft("column", make_box({0.1, 0.6, 0.1}, 1), {0, 0, 0});
    column.degrees_of_freedom = 0;
    column.voxel_size = 0.05;
    column.inner_steps = inner_steps;
    column.fixed = {{.min = {-1, -0.151, -1}, .max = {1, 1, 1}}};
    const BodyId id = world.add(column);
    const double before = world.balance().energy();
    for (int i = 0; i < 150; ++i) {
      world.step();
      EXPECT_LE(world.balance().energy(), before + 1e-9) << "step " << i;
    }
    return -0.3 - lowest(world, id);
  };
  const double fine = sag(100);
  EXPECT_GT(fine, 1e-3);
  EXPECT_NEAR(sag(0), fine, 0.05 * fine);
}

/// Cube of 0.2 m with a slot of so many m, 0.15 m deep.
SoftBody slotted_cube(double width) {
  const double half = 0.5 * width;
  const std::vector<Eigen::Vector2d> outline{{-0.1, -0.1},  {0.1, -0.1},    {0.1, 0.1},   {half, 0.1},
                                             {half, -0.05}, {-half, -0.05}, {-half, 0.1}, {-0.1, 0.1}};
  SoftBody body = soft("slotted", make_extrusion(outline, 0.2), {0, 0, 0}, 1e5);
  body.degrees_of_freedom = 0;
  body.voxel_size = 0.0125;
  body.sleeping_allowed = false;
  return body;
}

/// Document 004, 5.2.2: neighbors along the surface never repel each other, also where the contact distance is several
/// edges long. A ball that nothing pulls stays as it is; one that falls on the ground has no energy from it.
TEST(SoftWorld, NeighborsAlongTheSurfaceDoNotRepelEachOtherAtADistanceOfSeveralEdges) {
  for (const bool falls : {false, true}) {
    WorldOptions o = options();
    o.contact.distance = 0.05;
    if (!falls) o.gravity.setZero();
    World world(o);
    SoftBody ball = soft("ball", make_icosphere(0.1, 3), {0, 0.2, 0});
    const double edge = (ball.mesh.positions[static_cast<std::size_t>(ball.mesh.triangles[0][0])] -
                         ball.mesh.positions[static_cast<std::size_t>(ball.mesh.triangles[0][1])])
                            .norm();
    ASSERT_GT(o.contact.distance, 3 * edge);
    const BodyId id = world.add(ball);
    if (falls) add_ground(world);
    const std::vector<Vector3d> start(world.positions(id).begin(), world.positions(id).end());
    const double energy = world.balance().energy();
    std::size_t contacts = 0;
    for (int i = 0; i < 60; ++i) {
      world.step();
      contacts = std::max(contacts, world.contacts().size());
      ASSERT_LE(world.balance().energy(), energy + 1e-9) << "step " << i;
    }
    if (falls) {
      EXPECT_GT(contacts, 0U) << "with the ground";
      EXPECT_GT(lowest(world, id), 0.03);
      continue;
    }
    for (std::size_t v = 0; v < start.size(); ++v) EXPECT_LT((world.positions(id)[v] - start[v]).norm(), 1e-9) << v;
    EXPECT_LT(world.soft_state(id).elastic_energy, 1e-9);
  }
}

TEST(SoftWorld, SidesOfASlotDoNotPushEachOtherApartFromNothing) {
  // The slot is narrower than the contact distance, so its sides are in contact at rest.
  for (const char* response : {"soft", "penalty"}) {
    WorldOptions o = options();
    o.gravity.setZero();
    o.contact.distance = 0.01;
    o.contact.stiffness = 4000;
    o.response = response;
    World world(o);
    const BodyId id = world.add(slotted_cube(0.006));
    std::size_t contacts = 0;
    for (int i = 0; i < 20; ++i) {
      world.step();
      contacts = std::max(contacts, world.contacts().size());
    }
    EXPECT_GT(contacts, 0U) << response;
    EXPECT_LT(world.soft_state(id).elastic_energy, 1e-9) << response;
    EXPECT_NEAR(world.balance().energy(), 0, 1e-9) << response;
  }
}

TEST(SoftWorld, SidesOfASlotThatArePressedTogetherStayApart) {
  WorldOptions o = options();
  o.gravity.setZero();
  o.contact.distance = 0.01;
  World world(o);
  const BodyId id = world.add(slotted_cube(0.006));
  for (const double side : {-1, 1}) {
    RigidBody plate;
    plate.name = side < 0 ? "left" : "right";
    plate.shape = Shape::box({0.02, 0.2, 0.2});
    plate.motion = MotionModel::scripted;
    plate.pose.translation() = Vector3d(0.131 * side, 0.05, 0);
    plate.velocity = {-0.1 * side, 0, 0};
    world.add(plate);
  }
  const auto width = [&] {
    double sum = 0;
    int count = 0;
    for (const Vector3d& p : world.positions(id)) {
      if (std::abs(p.x()) > 0.02 || p.y() < 0.05) continue;
      sum += std::abs(p.x());
      ++count;
    }
    EXPECT_GT(count, 0);
    return 2 * sum / count;
  };
  for (int i = 0; i < 18; ++i) {
    world.step();
    ASSERT_EQ(oracle::count_intersections(world), 0U) << i;
  }
  EXPECT_GT(world.soft_state(id).elastic_energy, 1e-2) << "pressed together";
  EXPECT_GT(width(), 0.8 * 0.006);
}

TEST(SoftWorld, WhatPushesBesideAFixedPartDoesNotPryItOpen) {
  // A small ball that nothing moves overlaps a side of a block: vertices next to fixed nodes can follow it only as far
  // as a tenth of the motion of free ones, so these would go ten times as far.
  const auto elastic_energy = [](double height) {
    WorldOptions o = options();
    o.gravity.setZero();
    World world(o);
    SoftBody block = soft("block", make_box({0.2, 0.2, 0.2}, 40), {0, 0, 0});
    block.degrees_of_freedom = 0;
    block.voxel_size = 0.05;
    block.fixed = {{.min = {-1, 0.04, -1}, .max = {1, 1, 1}}};  // nodes from y = 0.05 on
    const BodyId id = world.add(block);
    RigidBody ball;
    ball.name = "ball";
    ball.shape = Shape::sphere(0.003);
    ball.motion = MotionModel::fixed;
    ball.pose.translation() = Vector3d(0.101, height, 0.0);
    world.add(ball);
    double largest = 0;
    for (int i = 0; i < 5; ++i) {
      world.step();
      largest = std::max(largest, world.soft_state(id).elastic_energy);
    }
    return largest;
  };
  const double beside = elastic_energy(0.05);
  const double below = elastic_energy(-0.025);
  EXPECT_GT(below, 1e-5);  // where nodes are free contacts push
  EXPECT_LT(beside, below);
}

TEST(SoftWorld, AttachedVerticesHangOnARigidBodyThatFeelsTheWeight) {
  World world(options());
  RigidBody holder;
  holder.name = "holder";
  holder.shape = Shape::box({0.05, 0.05, 0.05});
  holder.pose.translation() = Vector3d(0, 1.16, 0);
  holder.motion = MotionModel::fixed;
  const BodyId fixed = world.add(holder);
  const BodyId id = world.add(soft("cube", make_box({0.2, 0.2, 0.2}, 4), {0, 1, 0}));
  std::vector<Index> top;
  for (std::size_t v = 0; v < world.positions(id).size(); ++v) {
    if (world.positions(id)[v].y() > 1.099 && std::hypot(world.positions(id)[v].x(), world.positions(id)[v].z()) < 0.08)
      top.push_back(static_cast<Index>(v));
  }
  ASSERT_GT(top.size(), 4U);
  world.attach(id, top, fixed);
  const Vector3d before = center(world, id);
  for (int i = 0; i < 90; ++i) world.step();
  EXPECT_NEAR(center(world, id).y(), before.y(), 0.05) << "it hangs";
  EXPECT_NEAR(world.positions(id)[static_cast<std::size_t>(top[0])].y(), 1.1, 0.01);
  world.detach(id, top);
  for (int i = 0; i < 30; ++i) world.step();
  EXPECT_LT(center(world, id).y(), before.y() - 0.5) << "it falls";
}

TEST(SoftWorld, PressureSwellsAndActuatorsPull) {
  WorldOptions o = options();
  o.gravity.setZero();
  for (const bool pressure : {true, false}) {
    World world(o);
    SoftBody body = soft("box", make_box({0.4, 0.1, 0.1}, 4), {0, 0, 0}, 1e4);
    body.air_damping = 5;
    if (pressure) {
      body.pressure = 1000;
    } else {
      body.actuators = {
          {.min = {-1, -1, -1}, .max = {1, 1, 1}, .stretch = {0.7, 1.2, 1.2}, .keys = {{0, 0}, {0.2, 1}}}};
    }
    const BodyId id = world.add(body);
    for (int i = 0; i < 90; ++i) world.step();
    Vector3d low = world.positions(id)[0];
    Vector3d high = low;
    for (const Vector3d& p : world.positions(id)) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    const Vector3d size = high - low;
    if (pressure) {
      EXPECT_GT(world.soft_state(id).volume, 1.005 * world.soft_state(id).rest_volume);
    } else {
      EXPECT_NEAR(size.x(), 0.7 * 0.4, 0.02 * 0.4);
      EXPECT_NEAR(size.y(), 1.2 * 0.1, 0.02 * 0.1);
      EXPECT_LT(world.soft_state(id).elastic_energy, 1e-3);
    }
  }
}

/// A cube that a plate has pressed flat keeps some of it if its material flows, and none of it if it does not.
TEST(SoftWorld, PlasticFlowStays) {
  for (const bool flows : {true, false}) {
    World world(options());
    add_ground(world);
    SoftBody cube = soft("cube", make_box({0.2, 0.2, 0.2}, 4), {0, 0.11, 0});
    cube.sleeping_allowed = false;
    if (flows) cube.plasticity = {.yield_strain = 0.05, .flow_rate = 20, .max_strain = 0.5};
    const BodyId id = world.add(cube);
    ScriptedBody plate;
    plate.name = "plate";
    plate.mesh = make_box({0.4, 0.02, 0.4}, 2);
    for (Vector3d& p : plate.mesh.positions) p.y() += 0.24;
    plate.motion = [rest = plate.mesh.positions](double time, std::span<Vector3d> positions) {
      const double down = 0.1 * std::sin(std::min(time, 1.0) * std::numbers::pi);
      for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = rest[v] - Vector3d(0, down, 0);
    };
    world.add(plate);
    for (int i = 0; i < 100; ++i) {
      world.step();
      ASSERT_EQ(oracle::count_intersections(world), 0U) << i;
    }
    double high = 0;
    for (const Vector3d& p : world.positions(id)) high = std::max(high, p.y());
    if (flows) {
      EXPECT_LT(high, 0.185);
    } else {
      EXPECT_GT(high, 0.19);
    }
  }
}

/// Bodies that are crushed between plates and turned inside out by them recover.
TEST(SoftWorld, CrushedBodiesRecover) {
  World world(options());
  add_ground(world);
  SoftBody ball = soft("ball", make_icosphere(0.1, 2), {0, 0.11, 0}, 2e4);
  ball.sleeping_allowed = false;
  const BodyId id = world.add(ball);
  ScriptedBody plate;
  plate.name = "plate";
  plate.mesh = make_box({0.5, 0.02, 0.5}, 2);
  for (Vector3d& p : plate.mesh.positions) p.y() += 0.24;
  plate.motion = [rest = plate.mesh.positions](double time, std::span<Vector3d> positions) {
    const double down = 0.2 * std::sin(std::min(time, 1.0) * std::numbers::pi);
    for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = rest[v] - Vector3d(0, down, 0);
  };
  world.add(plate);
  double flattest = 1;
  for (int i = 0; i < 150; ++i) {
    world.step();
    ASSERT_EQ(oracle::count_intersections(world), 0U) << i;
    double high = 0;
    for (const Vector3d& p : world.positions(id)) high = std::max(high, p.y());
    flattest = std::min(flattest, high);
  }
  EXPECT_LT(flattest, 0.05);
  EXPECT_NEAR(world.soft_state(id).volume, world.soft_state(id).rest_volume, 0.03 * world.soft_state(id).rest_volume);
  double high = 0;
  for (const Vector3d& p : world.positions(id)) high = std::max(high, p.y());
  EXPECT_GT(high, 0.18);
}

/// A cube of 0.2 m with its lowest corner at `at`: four layers of cubes, six tetrahedra along the diagonal of each
/// (Kuhn). The nodes at its border are the vertices of its surface.
SoftBody cube_of_tetrahedra(const Vector3d& at) {
  SoftBody body;
  body.name = "cube";
  constexpr int n = 4;
  for (int z = 0; z <= n; ++z)
    for (int y = 0; y <= n; ++y)
      for (int x = 0; x <= n; ++x) body.tetrahedra.positions.push_back(0.05 * Vector3d(x, y, z) + at);
  const auto node = [](int x, int y, int z) { return static_cast<Index>(x + (n + 1) * (y + (n + 1) * z)); };
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const std::array<Index, 8> c{node(x, y, z),         node(x + 1, y, z),        node(x, y + 1, z),
                                     node(x + 1, y + 1, z), node(x, y, z + 1),        node(x + 1, y, z + 1),
                                     node(x, y + 1, z + 1), node(x + 1, y + 1, z + 1)};
        for (const auto& [a, b] : {std::array{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}})
          body.tetrahedra.tetrahedra.push_back(
              {c[0], c[static_cast<std::size_t>(a)], c[static_cast<std::size_t>(b)], c[7]});
      }
  body.elasticity = {.density = 500, .young_modulus = 5e4, .poisson_ratio = 0.3, .damping = 0.01};
  return body;
}

TEST(SoftWorld, TetrahedraFallAndRest) {
  World world(options());
  add_ground(world);
  const BodyId id = world.add(cube_of_tetrahedra({-0.1, 0.02, -0.1}));
  EXPECT_EQ(world.soft_state(id).elements, 384U);
  EXPECT_NEAR(world.soft_state(id).mass, 500 * 0.008, 1e-9);
  for (int i = 0; i < 90; ++i) {
    world.step();
    ASSERT_GT(lowest(world, id), 0);
  }
  EXPECT_LT(lowest(world, id), 0.006);
}

/// Distance from a vertex of the surface to the nearest node, at most: 0 where vertices are nodes and in their places.
double farthest_off(const World& world, BodyId id) {
  double farthest = 0;
  for (const Vector3d& p : world.positions(id)) {
    double nearest = INFINITY;
    for (const Vector3d& node : world.nodes(id)) nearest = std::min(nearest, (node - p).norm());
    farthest = std::max(farthest, nearest);
  }
  return farthest;
}

/// An impact that contacts have not foreseen: continuous detection stops the surface, the lattice goes on, and contacts
/// push it back.
TEST(SoftWorld, LatticesComeBackToSurfacesThatWereStopped) {
  WorldOptions o = options();
  o.contact.distance = 0.001;
  World world(o);
  FixedBody plate;
  plate.name = "plate";
  plate.mesh = make_box({1, 0.1, 1}, 8);
  world.add(plate);
  SoftBody body = cube_of_tetrahedra({-0.1, 0.9, -0.1});
  body.velocity = {0, -15, 0};
  const BodyId id = world.add(body);
  EXPECT_EQ(farthest_off(world, id), 0);
  double farthest = 0;
  for (int i = 0; i < 60; ++i) {
    world.step();
    ASSERT_GT(lowest(world, id), 0.05) << "in front of the plate";
    farthest = std::max(farthest, farthest_off(world, id));
  }
  EXPECT_GT(farthest, o.contact.distance) << "some were stopped";
  EXPECT_LT(farthest_off(world, id), 0.1 * o.contact.distance);
  for (const Vector3d& node : world.nodes(id)) EXPECT_GT(node.y(), 0.05);
}

std::uint64_t counted(const StageStats& stage, std::string_view name) {
  for (const Counted& entry : stage.counted()) {
    if (entry.name == name) return entry.count;
  }
  return 0;
}

/// Two balls that fall on the ground and on each other, with a time budget (s).
World falling_balls(double time_budget) {
  WorldOptions o = options();
  o.time_budget = time_budget;
  o.solver.sleep.enabled = false;
  World world(o);
  add_ground(world);
  world.add(soft("lower", make_icosphere(0.1, 2), {0, 0.12, 0}));
  world.add(soft("upper", make_icosphere(0.1, 2), {0.02, 0.4, 0.01}));
  return world;
}

TEST(SoftWorld, TimeBudgetLeavesOutInnerStepsAndSaysSo) {
  // No step fits: all inner steps but the fewest that the response makes are left out as soon as it is known what one
  // costs, so the result does not depend on the clock.
  World hurried = falling_balls(1e-9);
  const double energy = hurried.balance().energy();
  std::uint64_t left_out = 0;
  for (int i = 0; i < 120; ++i) {
    hurried.step();
    const StageStats& respond = hurried.stats()[Stage::respond];
    left_out += counted(respond, "inner steps left out");
    EXPECT_EQ(respond.limited, counted(respond, "inner steps left out") + counted(respond, "rounds left out"));
    if (i > 0) {
      EXPECT_GT(respond.limited, 0U) << "step " << i;
    }
    ASSERT_EQ(oracle::count_intersections(hurried), 0U) << "step " << i;
    // Elements that inner steps are too long for would have energy from nothing.
    ASSERT_LE(hurried.balance().energy(), energy + 1e-9) << "step " << i;
  }
  EXPECT_GT(left_out, 120U);

  // Bodies with all their inner steps lie where these do.
  World whole = falling_balls(0);
  for (int i = 0; i < 120; ++i) {
    whole.step();
    ASSERT_EQ(whole.stats()[Stage::respond].limited, 0U);
  }
  for (const BodyId id : whole.bodies()) {
    if (whole.name(id) == "ground") continue;
    EXPECT_GT(lowest(hurried, id), 0);
    EXPECT_NEAR(center(hurried, id).y(), center(whole, id).y(), 0.02) << whole.name(id);
    EXPECT_LT(hurried.soft_state(id).elastic_energy, 2 * whole.soft_state(id).elastic_energy) << whole.name(id);
  }
}

TEST(SoftWorld, TimeBudgetThatSufficesChangesNothing) {
  World free = falling_balls(0);
  World bounded = falling_balls(1e4);
  for (int i = 0; i < 40; ++i) {
    free.step();
    bounded.step();
    ASSERT_EQ(bounded.stats()[Stage::respond].limited, 0U);
  }
  EXPECT_EQ(free.state_hash(), bounded.state_hash());
}

TEST(SoftWorld, ThePenaltyOfTheThesisHoldsABall) {
  WorldOptions o = options(0.002);
  o.response = "penalty";
  o.contact.distance = 0.01;
  o.contact.stiffness = 4000;
  o.contact.damping = 10;
  World world(o);
  FixedBody plate;
  plate.name = "plate";
  plate.mesh = make_box({1, 0.1, 1}, 8);
  for (Vector3d& p : plate.mesh.positions) p.y() -= 0.05;
  world.add(plate);
  SoftBody ball = soft("ball", make_icosphere(0.1, 2), {0.01, 0.13, 0.02});
  ball.detection = Detection::discrete;
  const BodyId id = world.add(ball);
  for (int i = 0; i < 400; ++i) world.step();
  EXPECT_GT(lowest(world, id), -0.01);
  EXPECT_LT(lowest(world, id), 0.012);
}

TEST(SoftWorld, DepthFollowsTheDeformation) {
  WorldOptions o = options();
  o.gravity.setZero();
  World world(o);
  SoftBody box = soft("box", make_box({0.4, 0.2, 0.2}, 4), {0, 0, 0}, 1e4);
  box.field = FieldOptions{.tolerance = 0.01, .band = 0.02};
  box.air_damping = 5;
  box.actuators = {{.min = {-1, -1, -1}, .max = {1, 1, 1}, .stretch = {1.5, 1, 1}, .keys = {{0, 0}, {0.2, 1}}}};
  const BodyId id = world.add(box);
  const auto at_rest = world.depth_in(id, {0.17, 0, 0});
  ASSERT_TRUE(at_rest.has_value());
  EXPECT_NEAR(at_rest->distance, -0.03, 0.002);
  EXPECT_NEAR(at_rest->normal.x(), 1, 0.01);
  EXPECT_FALSE(world.depth_in(id, {0.25, 0, 0}).has_value());
  for (int i = 0; i < 120; ++i) world.step();
  // Stretched by a half the end is at 0.3.
  const auto stretched = world.depth_in(id, {0.25, 0, 0});
  ASSERT_TRUE(stretched.has_value());
  EXPECT_NEAR(stretched->distance, -0.05, 0.006);
  EXPECT_NEAR(stretched->normal.x(), 1, 0.01);
}

TEST(SoftWorld, BodiesThatCanBeCutNeedNotBeCompact) {
  World world(options());
  SoftBody bar = soft("bar", make_box({0.4, 0.1, 0.1}), {0, 1, 0});
  SoftBody ring = soft("ring", make_torus(0.2, 0.05, 24, 12), {1, 1, 0});
  for (SoftBody* body : {&bar, &ring}) {
    body->cuttable = true;
    body->degrees_of_freedom = 0;  // as many as there are by default
    const BodyId id = world.add(*body);
    EXPECT_GT(world.nodes(id).size(), 500U) << body->name;
    EXPECT_LE(world.nodes(id).size(), 1000U) << body->name;
  }
  EXPECT_NEAR(world.soft_state(world.bodies()[0]).mass, 500 * 0.004, 1e-9);
  for (int i = 0; i < 5; ++i) world.step();
}

TEST(SoftWorld, WhatIsWrongIsNamed) {
  WorldOptions o = options();
  World world(o);
  const auto add = [&](auto&& change) {
    return error_of([&] {
      SoftBody body = soft("jelly", make_icosphere(0.1, 1), {0, 0, 0});
      change(body);
      world.add(body);
    });
  };
  EXPECT_EQ(add([](SoftBody& b) { b.elasticity.young_modulus = 0; }),
            "body 'jelly': young_modulus is 0; expected a positive number");
  EXPECT_EQ(add([](SoftBody& b) { b.mesh.triangles.pop_back(); }).substr(0, 14), "body 'jelly': ");
  EXPECT_EQ(add([](SoftBody& b) { b.voxel_size = 0.1; }),
            "body 'jelly': voxel_size is 0.1 and degrees_of_freedom is 600; expected one of them");
  EXPECT_EQ(add([](SoftBody& b) {
              b.fixed = {{.min = {5, 5, 5}, .max = {6, 6, 6}}};
            }),
            "body 'jelly': no node is in the box of fixed[0]");
  for (const bool cuttable : {false, true}) {
    EXPECT_EQ(add([&](SoftBody& b) {
                b.cuttable = cuttable;
                b.regions = {{.min = {-1, -1, -1}, .max = {1, 1, 1}, .stiffness = 2},
                             {.min = {0.3, 0, 0}, .max = {0.4, 1, 1}, .stiffness = 2}};
              }),
              "body 'jelly': no element has its center in the box of regions[1]");
  }
  EXPECT_EQ(add([](SoftBody& b) {
              b.actuators = {{.min = {-1, -1, -1}, .max = {1, 1, 1}}};
            }),
            "body 'jelly': actuators[0] has no keys");
  o.response = "lcp";
  World other(o);
  EXPECT_EQ(error_of([&] {
              other.add(soft("jelly", make_icosphere(0.1, 1), {0, 0, 0}));
            }),
            "body 'jelly': the response 'lcp' does not take soft bodies; 'soft' and 'penalty' do");
  const BodyId ground = add_ground(world);
  EXPECT_EQ(error_of([&] { world.nodes(ground); }), "body 'ground' is not soft, so it has no nodes");
}

TEST(SoftWorld, RoundsAreCountedInEveryStepAlsoWhereThereIsOne) {
  World world(options());
  world.add(soft("ball", make_icosphere(0.1, 2), {0, 1, 0}));
  for (int step = 0; step < 5; ++step) {
    world.step();
    std::vector<std::uint64_t> rounds;
    for (const Counted& entry : world.stats()[Stage::respond].counted()) {
      if (entry.name == "rounds") rounds.push_back(entry.count);
    }
    EXPECT_EQ(rounds, std::vector<std::uint64_t>{1});
  }
}

}  // namespace
}  // namespace carom
