#include <gtest/gtest.h>

#include "rigid_scene.hpp"
#include "scenes/rigid_parts.hpp"

// Rows of bodies of all kinds, needles among them, that run into each other between two walls: contacts give the row no
// energy, wherever in it a needle is squeezed and spun.
namespace carom {
namespace {

using Eigen::Vector3d;
using scenes::Chance;

RigidBody random_body(Chance& chance, double& half) {
  RigidBody body;
  body.name = "body";
  half = chance.number(0.05, 0.35);
  switch (chance.integer(0, 4)) {
    case 0:
      body.shape = Shape::sphere(half);
      return body;
    case 1:
      body.shape = Shape::box({0.05, 1, 1});
      half = 0.05;
      return body;
    case 2:
      body.shape = Shape::box({half, 0.5 * half, 0.7 * half});
      half *= 1.4;
      break;
    case 3:
      body.shape = Shape::capsule(0.01, half);
      half += 0.01;
      break;
    default:
      body.shape = Shape::box({0.002, 0.4, 0.002});
      half = 0.41;
      break;
  }
  body.pose.linear() = Eigen::AngleAxisd(chance.number(0, 3), chance.direction()).toRotationMatrix();
  return body;
}

class Squeezed : public testing::TestWithParam<std::string_view> {};

TEST_P(Squeezed, RowsBetweenWallsGainNoEnergy) {
  Chance chance(21);
  for (int row = 0; row < 12; ++row) {
    WorldOptions options = rigid_options(1.0 / 60);
    options.gravity.setZero();
    options.response = GetParam();
    World world(options);
    const double restitution = row % 2 == 0 ? 0 : 0.5;
    const double friction = row % 4 < 2 ? 0 : 0.5;
    std::vector<BodyId> ids;
    double x = 0;
    for (int k = 0; k < 6; ++k) {
      double half = 0;
      RigidBody body = random_body(chance, half);
      body.density = std::pow(10, chance.number(1, 4));
      body.material.restitution = restitution;
      body.material.friction = friction;
      x += half + 0.05;
      body.pose.translation() = Vector3d(x, chance.number(0, 0.05), chance.number(0, 0.05));
      x += half + chance.number(0, 0.2);
      body.velocity = {(k < 3 ? 1 : -1) * std::pow(10, chance.number(0, 3)), 0, 0};
      body.angular_velocity = chance.integer(0, 1) * 20 * chance.direction();
      ids.push_back(world.add(body));
    }
    for (const double place : {-1.0, x + 1}) {
      RigidBody wall = box_body("wall", {0.05, 4, 4}, at(place, 0, 0));
      wall.motion = MotionModel::fixed;
      wall.material.restitution = restitution;
      wall.material.friction = friction;
      world.add(wall);
    }
    const double before = energy(world, ids);
    for (int step = 0; step < 100; ++step) {
      world.step();
      ASSERT_LT(energy(world, ids), 1.01 * before) << "row " << row << ", step " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Responses, Squeezed, testing::Values("soft", "impulse", "lcp"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace carom
