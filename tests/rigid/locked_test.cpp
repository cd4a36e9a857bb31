#include <gtest/gtest.h>

#include <cmath>

#include "rigid_scene.hpp"
#include "scenes/rigid_parts.hpp"

// Locked axes are constraints: what holds them takes any force and torque, and the free axes move as if the inertia
// were the block of it that belongs to them.
namespace carom {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using scenes::Chance;
using Locks = std::array<bool, 3>;

Locks locks_of(int bits) {
  return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
}

Vector3d without(const Vector3d& v, const Locks& locked) {
  Vector3d result = v;
  for (std::size_t k = 0; k < 3; ++k) {
    if (locked[k]) result[static_cast<Eigen::Index>(k)] = 0;
  }
  return result;
}

/// The inverse of the block of the free axes, by the general inverse of its own size.
Vector3d answer(const Matrix3d& inertia, const Vector3d& moment, const Locks& locked) {
  std::vector<Eigen::Index> axes;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!locked[k]) axes.push_back(static_cast<Eigen::Index>(k));
  }
  if (axes.empty()) return Vector3d::Zero();
  const Eigen::MatrixXd block = inertia(axes, axes);
  const Eigen::VectorXd w = block.fullPivLu().solve(Eigen::VectorXd(moment(axes)));
  Vector3d all = Vector3d::Zero();
  for (std::size_t k = 0; k < axes.size(); ++k) all[axes[k]] = w[static_cast<Eigen::Index>(k)];
  return all;
}

bool holds(const Vector3d& v, const Locks& locked) {
  return without(v, locked) == v;
}

RigidBody random_box(Chance& chance, const Eigen::Isometry3d& pose) {
  RigidBody box = box_body("box", {chance.number(0.05, 0.7), chance.number(0.05, 0.7), chance.number(0.05, 0.7)}, pose);
  box.pose.linear() = Eigen::AngleAxisd(chance.number(0, 3), chance.direction()).toRotationMatrix();
  return box;
}

class Locked : public testing::TestWithParam<std::string_view> {
 protected:
  World world(double dt, const Vector3d& gravity = Vector3d::Zero()) const {
    WorldOptions options = rigid_options(dt);
    options.gravity = gravity;
    options.response = GetParam();
    return World(options);
  }
};
INSTANTIATE_TEST_SUITE_P(Responses, Locked, testing::Values("soft", "impulse", "lcp", "penalty"),
                         [](const auto& test) { return std::string(test.param); });

/// A torque about a locked axis turns a body about no other one.
TEST_P(Locked, ATorqueAboutALockedAxisDoesNothing) {
  World w = world(1.0 / 60);
  RigidBody box = box_body("box", {0.3, 0.5, 0.7}, at(0, 0, 0));
  box.pose.linear() = Eigen::AngleAxisd(0.35, Vector3d(1, 1, 1).normalized()).toRotationMatrix();
  box.locked_rotation = {false, true, true};
  const BodyId id = w.add(box);
  for (int i = 0; i < 60; ++i) {
    w.apply_torque(id, {0, 1000, 0});
    w.step();
  }
  EXPECT_EQ(w.angular_velocity(id), Vector3d::Zero());
  w.apply_impulse(id, {0, 0, 100}, {1, 0, 0});
  EXPECT_EQ(w.angular_velocity(id), Vector3d::Zero());
}

TEST_P(Locked, FreeAxesAnswerWithTheirOwnInertia) {
  Chance chance(11);
  for (int i = 0; i < 64; ++i) {
    World w = world(1e-4);
    RigidBody box = random_box(chance, at(0, 0, 0));
    box.locked_translation = locks_of(i);
    box.locked_rotation = locks_of(i >> 3);
    const BodyId id = w.add(box);
    const Matrix3d inertia = w.inertia(id);
    const Vector3d impulse = 100 * chance.direction();
    const Vector3d point = chance.direction();
    w.apply_impulse(id, impulse, point);
    const Vector3d spin = answer(inertia, point.cross(impulse), box.locked_rotation);
    EXPECT_TRUE(holds(w.velocity(id), box.locked_translation)) << i;
    EXPECT_TRUE(holds(w.angular_velocity(id), box.locked_rotation)) << i;
    EXPECT_LT((w.angular_velocity(id) - spin).norm(), 1e-12 * (1 + spin.norm())) << i;
    EXPECT_LT((w.velocity(id) - without(impulse / w.mass(id), box.locked_translation)).norm(), 1e-12) << i;

    w.set_velocity(id, Vector3d::Zero(), Vector3d::Zero());
    const Vector3d torque = 100 * chance.direction();
    w.apply_torque(id, torque);
    w.apply_force(id, impulse);
    w.step();
    const Vector3d turned = answer(inertia, 1e-4 * torque, box.locked_rotation);
    EXPECT_TRUE(holds(w.velocity(id), box.locked_translation)) << i;
    EXPECT_TRUE(holds(w.angular_velocity(id), box.locked_rotation)) << i;
    EXPECT_LE((w.angular_velocity(id) - turned).norm(), 1e-5 * turned.norm()) << i;
  }
}

/// A body that turns freely about some axes keeps its energy, and the momentum about these.
TEST_P(Locked, FreeTurnsKeepEnergyAndMomentum) {
  Chance chance(12);
  for (int i = 0; i < 32; ++i) {
    World w = world(1.0 / 60);
    RigidBody box = random_box(chance, at(0, 0, 0));
    if (i >= 24) box.shape = Shape::box({0.01, 0.4, 0.01});
    box.locked_rotation = locks_of(i % 8);
    box.locked_translation = locks_of(i / 8);
    box.angular_velocity = std::exp(chance.number(0, 4)) * chance.direction();
    const BodyId id = w.add(box);
    const auto momentum = [&] { return without(w.inertia(id) * w.angular_velocity(id), box.locked_rotation); };
    const Vector3d begin = momentum();
    const double before = energy(w, {id});
    for (int step = 0; step < 300; ++step) w.step();
    EXPECT_TRUE(holds(w.angular_velocity(id), box.locked_rotation)) << i;
    EXPECT_NEAR(energy(w, {id}), before, 1e-6 * before) << i;
    EXPECT_LE((momentum() - begin).norm(), 1e-6 * begin.norm()) << i;
  }
}

/// What is held in its place turns as what is not.
TEST_P(Locked, LocksOfTheTranslationDoNotChangeTheSpin) {
  World w = world(1.0 / 60);
  RigidBody box = box_body("box", {0.1, 0.15, 0.2}, at(0, 0, 0));
  box.angular_velocity = {1, 9, -2};
  const BodyId free = w.add(box);
  box.pose = at(5, 0, 0);
  box.locked_translation = {true, true, true};
  const BodyId held = w.add(box);
  for (int step = 0; step < 200; ++step) w.step();
  EXPECT_EQ(w.angular_velocity(held), w.angular_velocity(free));
  EXPECT_EQ(w.center_of_mass(held), Vector3d(5, 0, 0));
}

/// Boxes with any locks are thrown at a wall, and at each other: locked velocities stay exactly 0, and nothing gains
/// energy.
TEST_P(Locked, ContactsGiveNoEnergyAndKeepTheLocks) {
  Chance chance(13);
  for (int i = 0; i < 64; ++i) {
    World w = world(1.0 / 60);
    RigidBody wall = box_body("wall", {0.5, 5, 5}, at(4, 0, 0));
    wall.motion = MotionModel::fixed;
    wall.pose.linear() = Eigen::AngleAxisd(chance.number(-0.5, 0.5), chance.direction()).toRotationMatrix();
    w.add(wall);
    std::vector<BodyId> ids;
    std::vector<RigidBody> bodies;
    for (int k = 0; k < 2; ++k) {
      RigidBody box = random_box(chance, at(-3.0 * k - 0.5, 0, 0));
      box.locked_translation = locks_of(k == 0 ? i : chance.integer(0, 7));
      box.locked_rotation = locks_of(k == 0 ? i >> 3 : chance.integer(0, 7));
      box.velocity = Vector3d(chance.number(1, 10) * (1 + 2 * k), 0, 0) + chance.direction();
      box.angular_velocity = chance.number(0, 10) * chance.direction();
      box.material.friction = 0.5 * chance.integer(0, 1);
      box.material.restitution = 0.5 * chance.integer(0, 1);
      ids.push_back(w.add(box));
      bodies.push_back(box);
    }
    const double before = energy(w, ids);
    for (int step = 0; step < 60; ++step) {
      w.step();
      for (std::size_t k = 0; k < 2; ++k) {
        ASSERT_TRUE(holds(w.velocity(ids[k]), bodies[k].locked_translation)) << i << ", step " << step;
        ASSERT_TRUE(holds(w.angular_velocity(ids[k]), bodies[k].locked_rotation)) << i << ", step " << step;
      }
      ASSERT_LT(energy(w, ids), 1.01 * before) << i << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace carom
