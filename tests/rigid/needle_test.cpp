#include <gtest/gtest.h>

#include "rigid_scene.hpp"
#include "scenes/rigid_parts.hpp"

// Needles that are thrown at a thin wall while they spin: they never leave it with more energy than they came with.
namespace carom {
namespace {

using Eigen::Vector3d;
using scenes::Chance;

struct Throw {
  double half;  ///< m, width
  double speed;
  double restitution;
  double friction;
};

/// The largest energy at any time, as a multiple of that of the beginning.
double largest_energy(Chance& chance, std::string_view response, const Throw& t, const Vector3d& spin) {
  WorldOptions options = rigid_options(1.0 / 60);
  options.gravity.setZero();
  options.response = response;
  World world(options);
  RigidBody wall = box_body("wall", {0.05, 5, 5}, at(0, 0, 0));
  wall.motion = MotionModel::fixed;
  RigidBody needle = box_body("needle", {t.half, 0.4, t.half}, at(-1 - chance.number(0, 0.3) * t.speed / 60, 0, 0));
  needle.pose.linear() = Eigen::AngleAxisd(chance.number(0, 3), chance.direction()).toRotationMatrix();
  needle.velocity = t.speed * Vector3d(1, chance.number(-0.3, 0.3), 0);
  needle.angular_velocity = spin;
  wall.material.friction = needle.material.friction = t.friction;
  wall.material.restitution = needle.material.restitution = t.restitution;
  world.add(wall);
  const BodyId id = world.add(needle);
  const double before = energy(world, {id});
  double largest = 1;
  for (int i = 0; i < 60; ++i) {
    world.step();
    largest = std::max(largest, energy(world, {id}) / before);
  }
  return largest;
}

class Needles : public testing::TestWithParam<std::string_view> {};

TEST_P(Needles, GainNoEnergyAtAWall) {
  Chance chance(5);
  for (const double half : {0.001, 0.0003}) {
    for (const double speed : {20.0, 180.0, 1000.0, 5000.0}) {
      for (const double restitution : {0.0, 0.5, 1.0}) {
        for (int i = 0; i < 6; ++i) {
          const Throw t{half, speed, restitution, i % 2 == 0 ? 0.0 : 0.6};
          const Vector3d spin = i == 0 ? Vector3d(3, 0.5, 0.3) : Vector3d(chance.number(0, 30) * chance.direction());
          // Single precision of `soft`, and substeps of `penalty`.
          EXPECT_LT(largest_energy(chance, GetParam(), t, spin), 1.01)
              << half << " m wide, " << speed << " m/s, restitution " << restitution << ", throw " << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Responses, Needles, testing::Values("soft", "impulse", "lcp", "penalty"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace carom
