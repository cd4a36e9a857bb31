#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

namespace carom {
namespace {

constexpr double dt = 0.001;
constexpr double mass = 0.3;  // kg, of the falling triangle

TriangleMesh triangle(double size, double height) {
  return {{{0, height, 0}, {0, height, size}, {size, height, 0}}, {{0, 1, 2}}};
}

/// A free triangle above a large one that stays; no force but that of contacts acts on it.
struct Falling {
  World world;
  BodyId floor;
  BodyId body;

  explicit Falling(double speed)
      : world({.gravity = {0, 0, 0},
               .dt = dt,
               .contact = {.distance = 0.01, .stiffness = 100, .damping = 0, .pairs = PairScope::between},
               .response = "penalty"}) {
    TriangleMesh ground = triangle(4, 0);
    for (Eigen::Vector3d& p : ground.positions) p -= Eigen::Vector3d(1, 0, 1);
    floor = world.add(FixedBody{.name = "floor", .mesh = ground});
    body = world.add(ParticleBody{.name = "body",
                                  .mesh = triangle(0.3, 0.006),
                                  .mass = mass,
                                  .air_damping = 0,
                                  .velocity = {0, speed, 0},
                                  .material = {.friction = 0}});
  }
};

TEST(ContactList, ResultsStartWithoutValues) {
  const WorldContact contact;
  EXPECT_TRUE(std::isnan(contact.distance));
  EXPECT_TRUE(std::isnan(contact.normal_speed));
  EXPECT_TRUE(contact.normal.array().isNaN().all());
  EXPECT_TRUE(contact.point_a.array().isNaN().all());
  EXPECT_TRUE(Contact{}.point_b.array().isNaN().all());
  EXPECT_EQ(contact.anchor_a.feature, FeatureKind::point);
}

TEST(ContactList, ImpulsesAreTheMomentumThatContactsExchange) {
  Falling scene(-1);
  const Eigen::Vector3d before(0, -1, 0);
  scene.world.step();
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();  // on the body
  for (const WorldContact& c : scene.world.contacts()) {
    ASSERT_TRUE(c.body_a == scene.body || c.body_b == scene.body);
    impulse += (c.body_b == scene.body ? 1 : -1) * c.impulse * c.normal;
    EXPECT_GT(c.impulse, 0);
  }
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& v : scene.world.velocities(scene.body)) momentum += mass / 3 * (v - before);
  EXPECT_LT((momentum - impulse).norm(), 1e-15);
  // Each vertex is 6 mm - 1 m/s dt above the floor at the predicted end.
  EXPECT_NEAR(scene.world.contacts()[0].impulse, 100 * (0.01 - 0.005) * dt, 1e-15);
}

TEST(ContactList, AnchorsAreWhereTheContactActs) {
  Falling scene(-1);
  scene.world.step();
  ASSERT_GE(scene.world.contacts().size(), 3U);
  for (const WorldContact& c : scene.world.contacts()) {
    const auto at = [&](BodyId id, const ContactAnchor& anchor) {
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      double weights = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        if (anchor.vertices[k] == none) continue;
        const auto v = static_cast<std::size_t>(anchor.vertices[k]);
        // The velocity has changed since: the predicted end is that of the first one.
        const TriangleMesh start = triangle(0.3, 0.006 - dt);
        sum += anchor.weights[k] * (id == scene.body ? start.positions[v] : scene.world.positions(id)[v]);
        weights += anchor.weights[k];
      }
      EXPECT_NEAR(weights, 1, 1e-15);
      return sum;
    };
    EXPECT_LT((at(c.body_a, c.anchor_a) - c.point_a).norm(), 1e-15);
    EXPECT_LT((at(c.body_b, c.anchor_b) - c.point_b).norm(), 1e-15);
    EXPECT_NEAR((c.point_b - c.point_a).dot(c.normal), c.distance, 1e-15);
    if (c.anchor_a.feature == FeatureKind::vertex) {
      EXPECT_EQ(c.anchor_a.index, c.anchor_a.vertices[0]);
      EXPECT_EQ(c.anchor_b.feature, FeatureKind::face);
      EXPECT_EQ(c.anchor_b.index, 0);
    }
  }
}

TEST(ContactList, MotionIsThatBeforeTheResponse) {
  const auto motion = [](double speed) {
    Falling scene(speed);
    scene.world.step();
    EXPECT_FALSE(scene.world.contacts().empty());
    for (const WorldContact& c : scene.world.contacts()) EXPECT_NEAR(c.normal_speed, speed, 1e-15);
    return scene.world.contacts()[0].motion;
  };
  EXPECT_EQ(motion(-0.06), ContactMotion::colliding);
  EXPECT_EQ(motion(-0.04), ContactMotion::resting);
  EXPECT_EQ(motion(0.04), ContactMotion::resting);
  EXPECT_EQ(motion(0.06), ContactMotion::separating);
}

/// Its speed is that of the step that it makes, even the first.
TEST(ContactList, AScriptedBodyCollides) {
  World world({.gravity = {0, 0, 0}, .dt = dt, .contact = {.distance = 0.01, .pairs = PairScope::between}});
  TriangleMesh ground = triangle(4, 0);
  for (Eigen::Vector3d& p : ground.positions) p -= Eigen::Vector3d(1, 0, 1);
  world.add(ScriptedBody{.name = "floor", .mesh = ground, .motion = [ground](double time, auto positions) {
                           for (std::size_t i = 0; i < positions.size(); ++i)
                             positions[i] = ground.positions[i] + Eigen::Vector3d(0, 2 * time, 0);
                         }});
  world.add(ParticleBody{.name = "body", .mesh = triangle(0.3, 0.006)});
  world.step();
  ASSERT_FALSE(world.contacts().empty());
  EXPECT_NEAR(world.contacts()[0].normal_speed, -2, 1e-12);
  EXPECT_EQ(world.contacts()[0].motion, ContactMotion::colliding);
}

TEST(ContactList, RigidBodiesTouchInPoints) {
  World world({.dt = 0.01});
  const BodyId floor =
      world.add(RigidBody{.name = "floor", .shape = Shape::box({1, 0.5, 1}), .motion = MotionModel::fixed});
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation().y() = 1;
  const BodyId box = world.add(RigidBody{.name = "box", .shape = Shape::box({0.5, 0.5, 0.5}), .pose = pose});
  for (int i = 0; i < 3; ++i) world.step();
  ASSERT_EQ(world.contacts().size(), 4U);
  double impulse = 0;
  for (const WorldContact& c : world.contacts()) {
    EXPECT_EQ(c.anchor_a, ContactAnchor{});
    EXPECT_EQ(c.anchor_b, ContactAnchor{});
    EXPECT_EQ(c.body_a, floor);
    EXPECT_EQ(c.body_b, box);
    EXPECT_EQ(c.motion, ContactMotion::resting);
    EXPECT_EQ(c.age, 2U);
    impulse += c.impulse;
  }
  EXPECT_NEAR(impulse, 1000 * 9.81 * 0.01, 1) << "they carry its weight";

  const WorldContact* list = world.contacts().data();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_EQ(world.contacts().data(), list); });
  for (std::thread& thread : threads) thread.join();
  world.step();
  EXPECT_EQ(world.contacts()[0].age, 3U) << "the list of another step";
  world.remove(box);
  EXPECT_TRUE(world.contacts().empty());
}

/// So a recording need not write them again.
TEST(ContactList, ContactsOfBodiesAsleepDoNotChange) {
  World world({.dt = 0.01});
  world.add(RigidBody{.name = "floor", .shape = Shape::box({9, 0.5, 9}), .motion = MotionModel::fixed});
  std::vector<BodyId> boxes;
  for (int i = 0; i < 3; ++i) {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translation().y() = 1 + i;
    boxes.push_back(world.add(RigidBody{.name = "box", .shape = Shape::box({0.5, 0.5, 0.5}), .pose = pose}));
  }
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = Eigen::Vector3d(3, 1, 0);
  world.add(RigidBody{.name = "spinning", .shape = Shape::sphere(0.5), .pose = pose, .angular_velocity = {0, 5, 0}});
  for (int i = 0; i < 200 && !world.asleep(boxes[0]); ++i) world.step();
  ASSERT_TRUE(world.asleep(boxes[0]) && world.asleep(boxes[2]));
  world.step();
  const auto asleep = [&] {
    std::vector<WorldContact> list(world.contacts().begin(), world.contacts().end());
    std::erase_if(list, [&](const WorldContact& c) { return !world.asleep(c.body_b); });
    return list;
  };
  const std::vector<WorldContact> before = asleep();
  ASSERT_EQ(before.size(), 12U);
  for (int step = 0; step < 5; ++step) {
    world.step();
    const std::vector<WorldContact> now = asleep();
    ASSERT_EQ(now.size(), before.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      EXPECT_EQ(now[i].id, before[i].id);
      EXPECT_EQ(now[i].distance, before[i].distance);
      EXPECT_EQ(now[i].point_a, before[i].point_a);
      EXPECT_EQ(now[i].normal, before[i].normal);
      EXPECT_EQ(now[i].normal_speed, before[i].normal_speed);
      EXPECT_EQ(now[i].impulse, before[i].impulse);
      EXPECT_GT(now[i].impulse, 0);
    }
  }
}

TEST(ContactList, IsTheSameAfterARestore) {
  Falling scene(-1);
  scene.world.step();
  const std::vector<WorldContact> before(scene.world.contacts().begin(), scene.world.contacts().end());
  const World::Snapshot snapshot = scene.world.snapshot();
  for (int i = 0; i < 30; ++i) scene.world.step();
  EXPECT_TRUE(scene.world.contacts().empty());
  scene.world.restore(snapshot);
  ASSERT_EQ(scene.world.contacts().size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(scene.world.contacts()[i].id, before[i].id);
    EXPECT_EQ(scene.world.contacts()[i].impulse, before[i].impulse);
    EXPECT_EQ(scene.world.contacts()[i].normal_speed, before[i].normal_speed);
  }
}

}  // namespace
}  // namespace carom
