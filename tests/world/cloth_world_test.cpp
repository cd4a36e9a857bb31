#include <gtest/gtest.h>

#include "carom/core/error.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"
#include "oracle/apart.hpp"

// Cloth in a world: contacts, wind, what is kept, what is refused.
namespace carom {
namespace {

ClothBody sheet(const std::string& name, double size, int segments, const Eigen::Vector3d& at) {
  ClothBody body;
  body.name = name;
  body.mesh = make_sheet(size, size, segments, segments);
  for (Eigen::Vector3d& p : body.mesh.positions) p += at;
  body.material.friction = 0.4;
  return body;
}

BodyId add_ball(World& world, double radius) {
  RigidBody ball;
  ball.name = "ball";
  ball.shape = Shape::sphere(radius);
  ball.motion = MotionModel::fixed;
  ball.material.friction = 0.4;
  return world.add(ball);
}

WorldOptions options(double dt, int threads = 1) {
  WorldOptions o;
  o.dt = dt;
  o.contact.distance = 0.01;
  o.detection = Detection::continuous;
  o.threads = threads;
  return o;
}

/// All bodies with vertices, as one surface.
std::size_t intersecting_pairs(const World& world) {
  std::vector<Eigen::Vector3d> positions;
  std::vector<Triangle> triangles;
  std::vector<Index> objects;
  Index object = 0;
  for (const BodyId id : world.bodies()) {
    if (world.motion(id) != MotionModel::particles) continue;
    const auto first = static_cast<Index>(positions.size());
    const auto x = world.positions(id);
    positions.insert(positions.end(), x.begin(), x.end());
    for (const Triangle& t : world.triangles(id)) {
      triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      objects.push_back(object);
    }
    ++object;
  }
  const Surface surface(positions.size(), triangles, objects);
  return intersections(surface, positions, {.threads = 1}).size();
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

TEST(ClothWorld, LayersOnABallNeverIntersectAndComeToRest) {
  for (const double dt : {1.0 / 30, 1.0 / 60, 1.0 / 120}) {
    World world(options(dt));
    add_ball(world, 0.3);
    std::size_t vertices = 0;
    for (int layer = 0; layer < 3; ++layer) {
      const BodyId id = world.add(
          sheet("sheet " + std::to_string(layer), 0.8, 9, {0.003 * layer, 0.34 + 0.02 * layer, 0.002 * layer}));
      vertices += world.positions(id).size();
    }
    const double start = world.balance().energy();
    std::uint64_t limited_at_rest = 0;
    for (double t = 0; t < 0.8; t += dt) {
      world.step();
      ASSERT_EQ(intersecting_pairs(world), 0U) << dt << ' ' << t;
      if (t > 0.6) limited_at_rest = std::max(limited_at_rest, world.stats()[Stage::commit].limited);
    }
    EXPECT_LT(limited_at_rest, vertices / 100) << dt;
    EXPECT_LT(world.balance().energy(), start);
    for (const BodyId id : world.bodies()) {
      if (world.motion(id) != MotionModel::particles) continue;
      double top = -1;
      for (const Eigen::Vector3d& p : world.positions(id)) {
        EXPECT_GT(p.norm(), 0.3);
        top = std::max(top, p.y());
      }
      EXPECT_GT(top, 0.29) << "still on the ball";
    }
  }
}

TEST(ClothWorld, FastSheetDoesNotPassABall) {
  World world(options(1.0 / 60));
  add_ball(world, 0.2);
  ClothBody body = sheet("sheet", 0.6, 12, {0, 1, 0});
  body.velocity = {0, -30, 0};
  const BodyId id = world.add(body);
  for (int k = 0; k < 20; ++k) {
    world.step();
    ASSERT_EQ(intersecting_pairs(world), 0U) << k;
    for (const Eigen::Vector3d& p : world.positions(id)) ASSERT_GT(p.norm(), 0.2) << k;
  }
}

TEST(ClothWorld, BallAndLooseClothShareMomentum) {
  WorldOptions o = options(1.0 / 60);
  o.gravity.setZero();
  World world(o);
  const BodyId cloth = world.add(sheet("sheet", 0.6, 10, {0, 0, 0}));
  RigidBody ball;
  ball.name = "ball";
  ball.shape = Shape::sphere(0.1);
  ball.mass = MassOverride{.mass = 0.2, .inertia_from_shape = true};
  ball.pose.translation() = Eigen::Vector3d(0, 0.2, 0);
  ball.velocity = {0, -2, 0};
  const BodyId thrown = world.add(ball);
  const Eigen::Vector3d before = world.balance().momentum;
  for (int k = 0; k < 60; ++k) world.step();
  EXPECT_LT((world.balance().momentum - before).norm(), 1e-9 * before.norm());
  EXPECT_GT(world.velocity(thrown).y(), -1.9);
  double down = 0;
  for (const Eigen::Vector3d& v : world.velocities(cloth)) down = std::min(down, v.y());
  EXPECT_LT(down, -0.5);
}

TEST(ClothWorld, SameHashForAnyNumberOfThreadsAndAfterASnapshot) {
  const auto make = [](int threads) {
    World world(options(1.0 / 60, threads));
    add_ball(world, 0.3);
    world.add(sheet("sheet", 0.8, 18, {0.01, 0.33, 0}));
    return world;
  };
  World one = make(1);
  for (int k = 0; k < 12; ++k) one.step();
  const World::Snapshot middle = one.snapshot();
  for (int k = 0; k < 12; ++k) one.step();
  const std::uint64_t hash = one.state_hash();
  EXPECT_DOUBLE_EQ(one.time(), 24.0 / 60);
  EXPECT_EQ(one.steps(), 24U);
  for (const int threads : {2, 4}) {
    World many = make(threads);
    for (int k = 0; k < 24; ++k) many.step();
    EXPECT_EQ(many.state_hash(), hash) << threads;
  }
  one.restore(middle);
  for (int k = 0; k < 12; ++k) one.step();
  EXPECT_EQ(one.state_hash(), hash);
}

TEST(ClothWorld, WindCarriesALooseSheetAndNeverFasterThanItself) {
  WorldOptions o = options(1.0 / 60);
  o.gravity.setZero();
  World world(o);
  ClothBody body = sheet("sheet", 0.5, 8, {0, 0, 0});
  body.wind = {.velocity = {0, 3, 0}, .density = 1.2};
  const BodyId id = world.add(body);
  double last = 0;
  for (int k = 0; k < 300; ++k) {
    world.step();
    double mean = 0;
    for (const Eigen::Vector3d& v : world.velocities(id))
      mean += v.y() / static_cast<double>(world.velocities(id).size());
    ASSERT_LT(mean, 3);
    if (k < 5) {
      EXPECT_GT(mean, last) << k;
    }
    last = mean;
  }
  // m dv/dt = 1/2 rho A c (u - v)^2 of a plate: v = u - 1 / (1/u + a t).
  const double a = 0.5 * 1.2 * 1.2 / 0.15;
  EXPECT_NEAR(last, 3 - 1 / (1.0 / 3 + a * 5), 0.02 * 3);
}

TEST(ClothWorld, EachFabricHangs) {
  for (const std::string_view name : fabric_names()) {
    World world(options(1.0 / 60));
    ClothBody body = sheet(std::string(name), 0.5, 10, {0, 0, 0});
    body.fabric = fabric_by_name(name);
    for (Index v = 0; v < 11; ++v) body.pinned.push_back(v);
    const BodyId id = world.add(body);
    for (int k = 0; k < 60; ++k) world.step();
    double low = 0;
    for (const Eigen::Vector3d& p : world.positions(id)) low = std::min(low, p.y());
    EXPECT_LT(low, -0.2) << name;
    EXPECT_GT(low, -0.55) << name;
    EXPECT_LT(world.balance().energy(), 0) << name;
  }
  EXPECT_EQ(error_of([] { fabric_by_name("tin"); }), "unknown fabric 'tin'; expected silk, cotton, denim or leather");
}

TEST(ClothWorld, WhatItCannotDoIsRefusedByName) {
  WorldOptions o = options(1.0 / 60);
  o.response = "impulse";
  World world(o);
  EXPECT_EQ(error_of([&] {
              world.add(sheet("flag", 1, 2, {0, 0, 0}));
            }),
            "body 'flag': the response 'impulse' does not take cloth; 'soft' does");
  World soft(options(1.0 / 60));
  ClothBody body = sheet("flag", 1, 2, {0, 0, 0});
  body.pinned = {9};
  EXPECT_EQ(error_of([&] { soft.add(body); }), "body 'flag': pinned names vertex 9, but there are 9 vertices");
  body.pinned = {};
  body.wind.density = -1;
  EXPECT_EQ(error_of([&] { soft.add(body); }),
            "body 'flag': wind.density is -1; expected a number that is not negative");
}

/// Casts of such numbers were undefined, and steps did not end.
TEST(ClothWorld, WhatNoStepResolvesIsRefusedByName) {
  const auto step_of = [](auto body) {
    return error_of([&] {
      World world(options(1.0 / 60));
      world.add(body);
      world.step();
    });
  };
  const auto names = [](const std::string& error, const std::string& what) {
    return error.starts_with("body 'flag': ") && error.find(what) != std::string::npos;
  };
  const auto particles = [] {
    ParticleBody body;
    body.name = "flag";
    body.mesh = make_sheet(1, 1, 2, 2);
    return body;
  };
  for (const double stiffness : {1e18, 1e30, 1e300}) {
    ClothBody cloth = sheet("flag", 1, 2, {0, 0, 0});
    cloth.fabric.warp_stiffness = stiffness;
    EXPECT_TRUE(names(step_of(cloth), "lower warp_stiffness")) << step_of(cloth);
    ParticleBody springs = particles();
    springs.stretch_stiffness = stiffness;
    EXPECT_TRUE(names(step_of(springs), "lower stretch_stiffness")) << step_of(springs);
  }
  for (const double speed : {1e9, 1e20, 1e300}) {
    ClothBody cloth = sheet("flag", 1, 2, {0, 0, 0});
    cloth.velocity = {0, -speed, 0};
    EXPECT_TRUE(names(step_of(cloth), "")) << step_of(cloth);
    ParticleBody springs = particles();
    springs.velocity = {0, -speed, 0};
    EXPECT_TRUE(names(step_of(springs), "")) << step_of(springs);
  }
  ClothBody fast = sheet("flag", 1, 2, {0, 0, 0});
  fast.velocity = {0, -1e7, 0};
  EXPECT_EQ(step_of(fast), "accepted");
}

/// Pins go through a plate that is fixed, and back again. What they cannot reach they do not, and they are where they
/// are told once nothing is there.
TEST(ClothWorld, MovingPinsPullNothingThroughAnything) {
  for (const double dt : {1.0 / 30, 1.0 / 60}) {
    WorldOptions o = options(dt);
    o.contact.distance = 0.005;
    World world(o);
    FixedBody plate{.name = "plate", .mesh = make_sheet(2, 2, 5, 5)};
    for (Eigen::Vector3d& p : plate.mesh.positions) p += Eigen::Vector3d(0.013, -0.2, 0.017);
    world.add(plate);
    ClothBody body = sheet("sheet", 0.6, 8, {0, 0, 0});
    std::vector<Index> left;
    for (std::size_t v = 0; v < body.mesh.positions.size(); ++v) {
      if (body.mesh.positions[v].x() < -0.299) left.push_back(static_cast<Index>(v));
    }
    body.moving_pins = {{left, [](double time, std::span<Eigen::Vector3d> x) {
                           const double t = time < 0.4 ? time / 0.4 : std::max(0.0, 2 - time / 0.4);
                           for (Eigen::Vector3d& p : x) p -= Eigen::Vector3d(0, 0.5 * t, 0);
                         }}};
    const BodyId id = world.add(body);
    std::uint64_t behind = 0;
    for (int step = 1; step * dt < 1.5; ++step) {
      world.step();
      ASSERT_EQ(oracle::count_intersections(world), 0U) << "dt " << dt << ", step " << step;
      for (const Counted& entry : world.stats()[Stage::commit].counted()) {
        if (entry.name == "pins behind") behind += entry.count;
      }
    }
    EXPECT_GT(behind, 0U);
    for (const Index v : left) {
      const auto i = static_cast<std::size_t>(v);
      EXPECT_LT((world.positions(id)[i] - body.mesh.positions[i]).norm(), 1e-12) << "dt " << dt << ", vertex " << v;
    }
  }
}

}  // namespace
}  // namespace carom
