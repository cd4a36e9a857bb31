#include <gtest/gtest.h>

#include <numbers>

#include "carom/core/error.hpp"
#include "world/mixed.hpp"

namespace carom {
namespace {

using namespace mixed;

constexpr double degree = std::numbers::pi / 180;

/// Slide of a sheet down a fixed slope in one second, m. The slope is a box or a half-space.
double slide(const std::string& response, bool half_space, double friction, double angle) {
  World world({.dt = 1.0 / 240,
               .contact = {.distance = 0.01, .pairs = PairScope::between},
               .response = response,
               .solver = {.sleep = {.enabled = false}},
               .threads = 1});
  const Eigen::AngleAxisd tilt(angle, Vector3d::UnitZ());
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = tilt.toRotationMatrix();
  if (half_space) {
    world.add(RigidBody{.name = "slope",
                        .shape = Shape::half_space({0, 1, 0}, 0),
                        .pose = pose,
                        .motion = MotionModel::fixed,
                        .material = {.friction = friction}});
  } else {
    pose.translation() = pose.linear() * Vector3d(0, -1, 0);
    world.add(RigidBody{.name = "slope",
                        .shape = Shape::box({5, 1, 5}),
                        .pose = pose,
                        .motion = MotionModel::fixed,
                        .material = {.friction = friction}});
  }
  const TriangleMesh mesh = placed(make_sheet(0.4, 0.4, 4, 4), tilt * Vector3d(0, 0.01, 0), Eigen::Quaterniond(tilt));
  const BodyId sheet = world.add(ParticleBody{.name = "sheet",
                                              .mesh = mesh,
                                              .mass = 0.2,
                                              .stretch_stiffness = 50,
                                              .bend_stiffness = 1,
                                              .spring_damping = 0.1,
                                              .air_damping = 0,
                                              .material = {.friction = friction}});
  for (int i = 0; i < 240; ++i) world.step();
  double sum = 0;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v)
    sum += (world.positions(sheet)[v] - mesh.positions[v]).dot(tilt * -Vector3d::UnitX());
  return sum / static_cast<double>(mesh.positions.size());
}

TEST(MixedFriction, ASheetSlidesAboveTheAngleOfFrictionAndStaysBelow) {
  for (const std::string response : {"soft", "impulse"}) {
    for (const bool half_space : {false, true}) {
      for (const double mu : {0.3, 0.8}) {
        const double limit = std::atan(mu);
        const double below = slide(response, half_space, mu, limit - 0.2 * degree);
        const double steep = limit + 0.2 * degree;
        const double above = slide(response, half_space, mu, steep);
        const double expected = 0.5 * 9.81 * (std::sin(steep) - mu * std::cos(steep));
        EXPECT_LT(std::abs(below), 1e-4) << response << half_space << mu;
        EXPECT_NEAR(above, expected, 0.05 * expected) << response << half_space << mu;
      }
    }
  }
}

/// Stiff sheet dropped flat on a fixed box: the plate that it resembles leaves with e times its speed.
TEST(MixedBounce, AStiffSheetBouncesLikeAPlate) {
  for (const std::string response : {"soft", "impulse"}) {
    for (const double e : {0.4, 0.8}) {
      World world({.dt = 0.0005,
                   .contact = {.distance = 0.01, .pairs = PairScope::between},
                   .response = response,
                   .solver = {.sleep = {.enabled = false}},
                   .threads = 1});
      world.add(RigidBody{
          .name = "floor", .shape = Shape::box({1, 0.5, 1}), .pose = at({0, -0.5, 0}), .motion = MotionModel::fixed});
      const double drop = 0.3;
      const BodyId sheet = world.add(ParticleBody{.name = "sheet",
                                                  .mesh = level_sheet(3, 0.3, {0, 0.01 + drop, 0}),
                                                  .mass = 1,
                                                  .stretch_stiffness = 5000,
                                                  .bend_stiffness = 500,
                                                  .spring_damping = 0.1,
                                                  .air_damping = 0,
                                                  .material = {.restitution = e}});
      const auto height = [&] {
        double sum = 0;
        for (const Vector3d& p : world.positions(sheet)) sum += p.y();
        return sum / static_cast<double>(world.positions(sheet).size()) - 0.01;
      };
      bool left = false;
      double top = 0;
      const int steps = static_cast<int>((1 + 2 * e) * std::sqrt(2 * drop / 9.81) / 0.0005);
      for (int i = 0; i < steps; ++i) {
        world.step();
        left = left || world.velocities(sheet)[0].y() > 0;
        if (left) top = std::max(top, height());
      }
      EXPECT_NEAR(top / drop, e * e, 0.04 * e * e) << response << ' ' << e;
    }
  }
}

TEST(MixedRest, ASheetRestsAtTheContactDistance) {
  for (const std::string response : {"soft", "impulse"}) {
    for (const bool half_space : {false, true}) {
      World world({.dt = 0.005, .contact = {.distance = 0.02, .pairs = PairScope::between}, .response = response});
      world.add(RigidBody{.name = "floor",
                          .shape = half_space ? Shape::half_space({0, 1, 0}, 0) : Shape::box({1, 0.5, 1}),
                          .pose = at({0, half_space ? 0 : -0.5, 0}),
                          .motion = MotionModel::fixed});
      const BodyId sheet = world.add(ParticleBody{.name = "sheet",
                                                  .mesh = level_sheet(6, 0.5, {0, 0.1, 0}),
                                                  .mass = 0.2,
                                                  .stretch_stiffness = 20,
                                                  .bend_stiffness = 1});
      for (int i = 0; i < 400; ++i) world.step();
      for (const Vector3d& p : world.positions(sheet)) EXPECT_NEAR(p.y(), 0.02, 1e-6) << response << half_space;
      for (const Vector3d& v : world.velocities(sheet)) EXPECT_LT(v.norm(), 1e-6) << response << half_space;
    }
  }
}

/// Vertices of a fixed sheet of particles just inside each side of a box: each contact has the nearest side.
TEST(MixedContact, AVertexInABoxIsPushedOutOfTheNearestSide) {
  World world({.gravity = {0, 0, 0}, .dt = 0.001, .contact = {.distance = 0.001, .pairs = PairScope::between}});
  const Vector3d half(0.3, 0.2, 0.4);
  const BodyId box = world.add(RigidBody{.name = "box", .shape = Shape::box(half), .motion = MotionModel::fixed});
  for (int axis = 0; axis < 3; ++axis) {
    for (const int side : {-1, 1}) {
      // Triangle outside but for one corner, 5 mm below the middle of the side.
      const Vector3d n = side * Vector3d::Unit(axis);
      const Vector3d t = Vector3d::Unit((axis + 1) % 3);
      const Vector3d b = Vector3d::Unit((axis + 2) % 3);
      const Vector3d tip = n * (half[axis] - 0.005) + 0.01 * t - 0.02 * b;
      TriangleMesh mesh{{tip, tip + 0.1 * n + 0.05 * t, tip + 0.1 * n + 0.05 * b}, {{0, 1, 2}}};
      const BodyId spike = world.add(ParticleBody{.name = "spike", .mesh = mesh});
      world.step();
      bool found = false;
      for (const WorldContact& c : world.contacts()) {
        if (c.body_b != spike || c.anchor_b.feature != FeatureKind::vertex || c.anchor_b.index != 0) continue;
        found = true;
        EXPECT_EQ(c.body_a, box);
        EXPECT_LT((c.normal - n).norm(), 1e-12) << axis << side;
        EXPECT_NEAR(c.distance, -0.005, 1e-12) << axis << side;
        EXPECT_LT((c.point_b - tip).norm(), 1e-12);
        EXPECT_LT((c.point_a - (tip + 0.005 * n)).norm(), 1e-12);
      }
      EXPECT_TRUE(found) << axis << side;
      world.remove(spike);
    }
  }
}

TEST(MixedWorld, TheResponseLcpRefusesParticlesByName) {
  World world({.response = "lcp"});
  try {
    world.add(ParticleBody{.name = "flag", .mesh = level_sheet(2, 1)});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("body 'flag'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("'lcp'"), std::string::npos) << error.what();
  }
}

/// Ball that falls through a pinned sheet which it is not to touch, by exclusion, group or mask, and not otherwise.
TEST(MixedWorld, FiltersHoldBetweenRigidBodiesAndSurfaces) {
  enum class Filter { none, excluded, group, mask };
  for (const std::string response : {"soft", "impulse", "penalty"}) {
    for (const Filter filter : {Filter::none, Filter::excluded, Filter::group, Filter::mask}) {
      World world({.dt = 0.005,
                   .contact = {.distance = 0.01, .pairs = PairScope::between},
                   .detection = Detection::continuous,
                   .response = response,
                   .threads = 1});
      const TriangleMesh mesh = level_sheet(6, 1);
      const BodyId sheet = world.add(
          ParticleBody{.name = "sheet",
                       .mesh = mesh,
                       .mass = 1,
                       .stretch_stiffness = 100,
                       .pinned = vertices_where(mesh, [](const Vector3d& p) { return std::abs(p.x()) > 0.49; }),
                       .filter = {.group = 2, .mask = filter == Filter::mask ? 4U : 0xffffffffU}});
      const BodyId ball =
          world.add(RigidBody{.name = "ball",
                              .shape = Shape::sphere(0.1),
                              .pose = at({0.05, 0.15, 0.02}),
                              .density = 20,
                              .velocity = {0, -2, 0},
                              .filter = {.group = 1, .mask = filter == Filter::group ? 1U : 0xffffffffU}});
      if (filter == Filter::excluded) world.exclude(ball, sheet);
      std::size_t contacts = 0;
      for (int i = 0; i < 60; ++i) {
        world.step();
        contacts += contacts_between(world, ball, sheet);
      }
      const double fallen = 0.15 - 2 * 0.3 - 0.5 * 9.81 * 0.3 * 0.3;
      if (filter == Filter::none) {
        EXPECT_GT(contacts, 0U) << response;
        EXPECT_GT(world.pose(ball).translation().y(), fallen + 0.1) << response;
      } else {
        EXPECT_EQ(contacts, 0U) << response << static_cast<int>(filter);
        EXPECT_NEAR(world.pose(ball).translation().y(), fallen, 0.01) << response << static_cast<int>(filter);
      }
    }
  }
}

TEST(MixedWorld, FixedAndScriptedBodiesMakeNoContactsWithEachOther) {
  World world({.dt = 0.01, .contact = {.distance = 0.05}});
  const TriangleMesh mesh = make_box({0.4, 0.4, 0.4}, 2);
  world.add(RigidBody{.name = "fixed", .shape = Shape::box({1, 0.5, 1}), .motion = MotionModel::fixed});
  world.add(RigidBody{.name = "lift",
                      .shape = Shape::box({0.2, 0.2, 0.2}),
                      .pose = at({0.5, 0.7, 0}),
                      .motion = MotionModel::scripted});
  world.add(FixedBody{.name = "mesh", .mesh = placed(mesh, {0, 0.71, 0})});
  world.add(ScriptedBody{.name = "scripted", .mesh = mesh, .motion = [mesh](double time, auto positions) {
                           for (std::size_t i = 0; i < positions.size(); ++i)
                             positions[i] = (1 + 0.1 * time) * mesh.positions[i] + Vector3d(-0.3, 0.7, 0);
                         }});
  for (int i = 0; i < 5; ++i) {
    world.step();
    EXPECT_TRUE(world.contacts().empty());
  }
}

}  // namespace
}  // namespace carom
