#include <gtest/gtest.h>

#include "world/mixed.hpp"

/// Small scenes of rigid bodies and deforming ones, each with something that must hold.
namespace carom {
namespace {

using namespace mixed;

WorldOptions options(const std::string& response, int threads = 1) {
  return {.dt = 0.0025,
          .contact = {.distance = 0.01, .pairs = PairScope::between},
          .detection = Detection::continuous,
          .response = response,
          .threads = threads};
}

const std::vector<std::string> responses{"soft", "impulse"};

double mean(std::span<const Vector3d> points, int axis) {
  double sum = 0;
  for (const Vector3d& p : points) sum += p[axis];
  return sum / static_cast<double>(points.size());
}

/// Sheet that hangs from its upper edge in the plane z = 0, and a ball thrown along z.
TEST(MixedScenes, AHangingSheetCatchesABallAndSwings) {
  for (const std::string& response : responses) {
    World world(options(response));
    const Eigen::Quaterniond upright(Eigen::AngleAxisd(std::acos(0.0), Vector3d::UnitX()));
    const TriangleMesh mesh = placed(make_sheet(1, 1, 8, 8), {0, 0, 0}, upright);
    const BodyId sheet =
        world.add(ParticleBody{.name = "sheet",
                               .mesh = mesh,
                               .mass = 1,
                               .stretch_stiffness = 200,
                               .bend_stiffness = 1,
                               .pinned = vertices_where(mesh, [](const Vector3d& p) { return p.y() > 0.49; })});
    const double speed = 3;
    const BodyId ball = world.add(RigidBody{.name = "ball",
                                            .shape = Shape::sphere(0.08),
                                            .pose = at({0.02, -0.1, -0.12}),
                                            .density = 200,
                                            .velocity = {0, 0, speed}});
    double furthest = 0;
    for (int i = 0; i < 160; ++i) {
      world.step();
      furthest = std::max(furthest, mean(world.positions(sheet), 2));
      ASSERT_GE(smallest_shape_distance(world), 0) << response << i;
    }
    EXPECT_GT(furthest, 0.02) << response << ": it swings";
    EXPECT_LT(world.velocity(ball).z(), 0.5 * speed) << response << ": the sheet has taken momentum from the ball";
    // On the side it came from: the sheet is ahead of it.
    EXPECT_LT(world.center_of_mass(ball).z(), 0.08 + 1.0);
  }
}

/// Weight of a pile on a pinned sheet is carried by the contacts with it, once all is at rest.
TEST(MixedScenes, APileOfBoxesRestsOnAPinnedSheet) {
  for (const std::string& response : responses) {
    World world(options(response));
    const TriangleMesh mesh = level_sheet(8, 1);
    const BodyId sheet = world.add(ParticleBody{
        .name = "sheet",
        .mesh = mesh,
        .mass = 1,
        .stretch_stiffness = 300,
        .bend_stiffness = 1,
        .spring_damping = 2,
        .air_damping = 2,
        .pinned =
            vertices_where(mesh, [](const Vector3d& p) { return std::max(std::abs(p.x()), std::abs(p.z())) > 0.49; }),
        .sleeping_allowed = false});
    std::vector<BodyId> boxes;
    double weight = 0;
    for (int i = 0; i < 4; ++i) {
      boxes.push_back(world.add(RigidBody{.name = "box",
                                          .shape = Shape::box({0.06, 0.06, 0.06}),
                                          .pose = at({0.14 * (i % 2) - 0.07, 0.08 + 0.13 * (i / 2), 0}),
                                          .density = 200,
                                          .sleeping_allowed = false}));
      weight += world.mass(boxes.back()) * 9.81;
    }
    for (int i = 0; i < 1600; ++i) {
      world.step();
      ASSERT_GE(smallest_shape_distance(world), 0) << response << i;
    }
    double carried = 0;
    for (const WorldContact& c : world.contacts()) {
      if (c.body_b == sheet) carried -= c.impulse * c.normal.y() / world.options().dt;
    }
    // Friction carries the rest where the sheet is inclined.
    EXPECT_NEAR(carried, weight, 0.15 * weight) << response;
    for (const BodyId box : boxes) {
      EXPECT_LT(world.velocity(box).norm(), 0.05) << response;
      EXPECT_GT(world.center_of_mass(box).y(), -0.5) << response;
    }
  }
}

/// Balloon that is blown up between a wall and a box pushes the box away from the wall.
TEST(MixedScenes, AClosedSheetWithPressurePushesABox) {
  for (const std::string& response : responses) {
    WorldOptions o = options(response);
    o.gravity = {0, 0, 0};
    World world(o);
    world.add(RigidBody{.name = "wall",
                        .shape = Shape::half_space({1, 0, 0}, 0),
                        .pose = at({-0.22, 0, 0}),
                        .motion = MotionModel::fixed});
    world.add(ParticleBody{.name = "balloon",
                           .mesh = make_icosphere(0.2, 2),
                           .mass = 0.5,
                           .stretch_stiffness = 30,
                           .bend_stiffness = 0.1,
                           .pressure = 100});
    const BodyId box = world.add(
        RigidBody{.name = "box", .shape = Shape::box({0.1, 0.2, 0.2}), .pose = at({0.32, 0, 0}), .density = 20});
    for (int i = 0; i < 240; ++i) {
      world.step();
      ASSERT_GE(smallest_shape_distance(world), 0) << response << i;
    }
    EXPECT_GT(world.velocity(box).x(), 0.01) << response;
    EXPECT_GT(world.center_of_mass(box).x(), 0.33) << response;
  }
}

/// Ball of a scripted mesh that grows at 0.25 m/s: what lies on it is lifted.
TEST(MixedScenes, AScriptedMeshThatGrowsPushesARigidBoxAndASheet) {
  for (const std::string& response : responses) {
    WorldOptions o = options(response);
    o.gravity = {0, 0, 0};
    World world(o);
    const TriangleMesh ball = make_icosphere(0.5, 2);
    world.add(ScriptedBody{.name = "growing", .mesh = ball, .motion = [ball](double time, auto positions) {
                             for (std::size_t i = 0; i < positions.size(); ++i)
                               positions[i] = (1 + 0.5 * time) * ball.positions[i];
                           }});
    const BodyId box = world.add(
        RigidBody{.name = "box", .shape = Shape::box({0.1, 0.1, 0.1}), .pose = at({0, 0.63, 0}), .density = 100});
    const BodyId sheet = world.add(ParticleBody{
        .name = "sheet", .mesh = level_sheet(5, 0.5, {0, -0.52, 0}), .stretch_stiffness = 50, .bend_stiffness = 1});
    for (int i = 0; i < 320; ++i) {
      world.step();
      ASSERT_GE(smallest_shape_distance(world), 0) << response << i;
    }
    const double radius = 0.5 * (1 + 0.5 * world.time());  // its faces are inside by less than 3 %
    EXPECT_GT(world.center_of_mass(box).y(), 0.96 * radius + 0.1) << response;
    for (const Vector3d& p : world.positions(sheet)) EXPECT_GT(p.norm(), 0.96 * radius) << response;
    EXPECT_LT(mean(world.positions(sheet), 1), -0.52) << response;
  }
}

TEST(MixedScenes, CompoundsAndHullsLieUnderASheet) {
  for (const std::string& response : responses) {
    World world(options(response));
    world.add(RigidBody{.name = "ground", .shape = Shape::half_space({0, 1, 0}, 0), .motion = MotionModel::fixed});
    const std::vector<Shape::Part> parts{{Shape::box({0.2, 0.05, 0.05}), at({0, 0, 0})},
                                         {Shape::box({0.05, 0.15, 0.05}), at({0.1, 0.1, 0})}};
    const Shape compound = Shape::compound(parts);
    std::vector<Vector3d> points;
    for (const int x : {-1, 1}) {
      for (const int z : {-1, 1}) points.push_back({0.1 * x, 0, 0.1 * z});
    }
    points.push_back({0, 0.2, 0});
    const Shape hull = Shape::hull(points);
    const BodyId a = world.add(RigidBody{.name = "compound", .shape = compound, .pose = at({-0.2, 0.06, 0})});
    const BodyId b = world.add(RigidBody{.name = "hull", .shape = hull, .pose = at({0.25, 0.01, 0})});
    const BodyId sheet = world.add(ParticleBody{.name = "sheet",
                                                .mesh = level_sheet(10, 1, {0, 0.4, 0}),
                                                .mass = 0.3,
                                                .stretch_stiffness = 20,
                                                .bend_stiffness = 0.1});
    std::size_t touched_a = 0;
    std::size_t touched_b = 0;
    for (int i = 0; i < 240; ++i) {
      world.step();
      ASSERT_GE(smallest_shape_distance(world), 0) << response << i;
      touched_a += contacts_between(world, a, sheet);
      touched_b += contacts_between(world, b, sheet);
    }
    EXPECT_GT(touched_a, 0U) << response;
    EXPECT_GT(touched_b, 0U) << response;
    for (const Vector3d& p : world.positions(sheet)) EXPECT_GT(p.y(), 0) << response;
  }
}

/// Fixed mesh beside a sheet in the same world: a box comes to rest on it, at its height.
TEST(MixedScenes, ARigidBoxRestsOnAFixedMesh) {
  for (const std::string& response : responses) {
    World world(options(response));
    world.add(FixedBody{.name = "floor", .mesh = make_box({2, 0.2, 2}, 4)});
    const BodyId box = world.add(
        RigidBody{.name = "box", .shape = Shape::box({0.1, 0.1, 0.1}), .pose = at({0.03, 0.25, 0.02}), .density = 100});
    const BodyId sheet = world.add(ParticleBody{.name = "sheet",
                                                .mesh = level_sheet(4, 0.4, {0.6, 0.15, 0}),
                                                .mass = 0.2,
                                                .stretch_stiffness = 20,
                                                .bend_stiffness = 1});
    for (int i = 0; i < 640; ++i) world.step();
    EXPECT_NEAR(world.center_of_mass(box).y(), 0.2, 2e-3) << response;
    for (const Vector3d& p : world.positions(sheet)) EXPECT_NEAR(p.y(), 0.11, 1e-3) << response;
  }
}

/// Sheet over boxes on the ground, a scripted mesh and a fixed one: some of everything.
World everything(const std::string& response, int threads) {
  World world(options(response, threads));
  world.add(FixedBody{.name = "floor", .mesh = make_box({3, 0.2, 3}, 3)});
  for (int i = 0; i < 4; ++i) {
    world.add(RigidBody{.name = "box",
                        .shape = i % 2 == 0 ? Shape::box({0.1, 0.1, 0.1}) : Shape::sphere(0.1),
                        .pose = at({0.25 * i - 0.4, 0.21, 0.05 * i}),
                        .density = 100});
  }
  world.add(ParticleBody{.name = "sheet",
                         .mesh = level_sheet(8, 1, {0, 0.4, 0}),
                         .mass = 0.4,
                         .stretch_stiffness = 50,
                         .bend_stiffness = 0.5});
  const TriangleMesh ball = make_icosphere(0.15, 1);
  world.add(ScriptedBody{.name = "scripted", .mesh = ball, .motion = [ball](double time, auto positions) {
                           for (std::size_t i = 0; i < positions.size(); ++i)
                             positions[i] = ball.positions[i] + Vector3d(0.5 - time, 0.3, -0.3);
                         }});
  return world;
}

TEST(MixedDeterminism, TheSameBitsForAnyNumberOfThreadsAndAfterARestore) {
  for (const std::string response : {"soft", "impulse", "penalty"}) {
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2, 4}) {
      World world = everything(response, threads);
      for (int i = 0; i < 80; ++i) world.step();
      const World::Snapshot snapshot = world.snapshot();
      for (int i = 0; i < 40; ++i) world.step();
      hashes.push_back(world.state_hash());
      EXPECT_FALSE(world.contacts().empty());
      world.restore(snapshot);
      for (int i = 0; i < 40; ++i) world.step();
      EXPECT_EQ(world.state_hash(), hashes.back()) << response << threads;
    }
    EXPECT_EQ(hashes[1], hashes[0]) << response;
    EXPECT_EQ(hashes[2], hashes[0]) << response;
  }
}

TEST(MixedWorld, RemovingABodyLeavesTheContactsOfTheOthers) {
  for (const bool rigid : {true, false}) {
    World world(options("soft"));
    const auto remove = [&] {
      if (rigid) return world.add(RigidBody{.name = "gone", .shape = Shape::sphere(0.1), .pose = at({5, 5, 5})});
      return world.add(ParticleBody{.name = "gone", .mesh = level_sheet(3, 0.5, {5, 5, 5}), .stretch_stiffness = 20});
    }();
    const BodyId box =
        world.add(RigidBody{.name = "box", .shape = Shape::box({0.3, 0.1, 0.3}), .motion = MotionModel::fixed});
    const BodyId sheet = world.add(ParticleBody{
        .name = "sheet", .mesh = level_sheet(4, 0.4, {0, 0.111, 0}), .mass = 0.2, .stretch_stiffness = 20});
    for (int i = 0; i < 30; ++i) world.step();
    const std::vector<WorldContact> before(world.contacts().begin(), world.contacts().end());
    ASSERT_FALSE(before.empty());
    world.remove(remove);
    ASSERT_EQ(world.contacts().size(), before.size());
    world.step();
    std::size_t kept = 0;
    for (const WorldContact& c : world.contacts()) {
      EXPECT_EQ(c.body_a, box);
      EXPECT_EQ(c.body_b, sheet);
      for (const WorldContact& old : before) {
        if (old.id != c.id) continue;
        ++kept;
        EXPECT_EQ(c.age, old.age + 1);
        EXPECT_EQ(c.anchor_b.vertices, old.anchor_b.vertices);
      }
    }
    EXPECT_EQ(kept, before.size());
  }
}

}  // namespace
}  // namespace carom
