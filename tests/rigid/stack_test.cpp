#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "rigid_scene.hpp"

// Tall stacks and uneven masses at 1/60 s, for 20 s.
namespace carom {
namespace {

using Eigen::Vector3d;

constexpr int twenty_seconds = 1200;

WorldOptions stack_options(const std::string& response) {
  WorldOptions options;
  options.dt = 1.0 / 60;
  options.threads = 1;
  options.response = response;
  return options;
}

RigidBody ground() {
  RigidBody body = box_body("ground", {50, 1, 50}, at(0, -1, 0));
  body.motion = MotionModel::fixed;
  return body;
}

RigidBody cube(double half, const Vector3d& place, double density = 1000) {
  RigidBody body = box_body("cube", Vector3d::Constant(half), at(place.x(), place.y(), place.z()));
  body.density = density;
  return body;
}

/// m, by which the body farthest from its place is off after 20 s, where cubes of 1 m are put down with these gaps.
double farthest_off(const WorldOptions& options, int count, double gap) {
  World world(options);
  world.add(ground());
  std::vector<BodyId> ids;
  for (int i = 0; i < count; ++i) ids.push_back(world.add(cube(0.5, {0, 0.5 + gap + (1 + gap) * i, 0})));
  for (int step = 0; step < twenty_seconds; ++step) world.step();
  double off = 0;
  for (int i = 0; i < count; ++i)
    off = std::max(off, (world.center_of_mass(ids[static_cast<std::size_t>(i)]) - Vector3d(0, 0.5 + i, 0)).norm());
  return off;
}

TEST(RigidStack, FortyCubesPutDownWithGapsStandWithSoft) {
  for (const int count : {10, 20, 30, 40}) {
    for (const double gap : {0.0, 0.05, 0.25})
      EXPECT_LT(farthest_off(stack_options("soft"), count, gap), 0.2) << count << " cubes, gap " << gap;
  }
}

TEST(RigidStack, ThirtyCubesPutDownWithGapsStandWithImpulseAndNeverSleep) {
  WorldOptions options = stack_options("impulse");
  options.solver.sleep.enabled = false;
  for (const double gap : {0.0, 0.05, 0.25}) EXPECT_LT(farthest_off(options, 30, gap), 0.1) << "gap " << gap;
}

/// The top of a pyramid of cubes of 2 m is 100 to 300 times as heavy as the others and falls onto them.
TEST(RigidStack, APyramidHoldsATopOfHundredsOfTimesTheMass) {
  constexpr int base = 10;
  for (const double ratio : {100.0, 200.0, 300.0}) {
    for (const double drop : {0.0, 0.5, 2.0}) {
      WorldOptions options = stack_options("soft");
      options.solver.sleep.enabled = false;
      World world(options);
      world.add(ground());
      std::vector<BodyId> ids;
      std::vector<Vector3d> places;
      for (int row = 0; row < base; ++row) {
        const int count = base - row;
        for (int i = 0; i < count; ++i) {
          places.emplace_back(2 * i - (count - 1), 1 + 2 * row, 0);
          const bool top = count == 1;
          ids.push_back(world.add(cube(1, places.back() + Vector3d(0, top ? drop : 0, 0), top ? ratio : 1)));
        }
      }
      for (int step = 0; step < twenty_seconds / 2; ++step) world.step();
      double off = 0;
      for (std::size_t i = 0; i < ids.size(); ++i)
        off = std::max(off, (world.center_of_mass(ids[i]) - places[i]).norm());
      EXPECT_LT(off, 1) << ratio << " times, from " << drop << " m";
    }
  }
}

TEST(RigidStack, ACubeHoldsTwoHundredTimesItsMassInEveryResponse) {
  for (const std::string_view response : response_names()) {
    WorldOptions options = stack_options(std::string(response));
    options.solver.sleep.enabled = false;
    World world(options);
    world.add(ground());
    const BodyId low = world.add(cube(0.5, {0, 0.5, 0}));
    const BodyId high = world.add(cube(0.5, {0, 1.5, 0}, 200e3));
    for (int step = 0; step < twenty_seconds; ++step) world.step();
    EXPECT_LT((world.center_of_mass(low) - Vector3d(0, 0.5, 0)).norm(), 0.15) << response;
    EXPECT_LT((world.center_of_mass(high) - Vector3d(0, 1.5, 0)).norm(), 0.15) << response;
  }
}

}  // namespace
}  // namespace carom
