#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "carom/world/world.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

/// Heights of the first bounces of a body whose lowest point falls from `height`, on a floor.
std::vector<double> bounces(const std::string& response, double restitution, double height, bool box, double dt) {
  constexpr double half = 0.25;
  WorldOptions options;
  options.response = response;
  options.dt = dt;
  options.gravity = {0, -9.81, 0};
  World world(options);
  RigidBody floor;
  floor.shape = Shape::half_space({0, 1, 0}, 0);
  floor.motion = MotionModel::fixed;
  world.add(floor);
  RigidBody body;
  body.shape = box ? Shape::box(Vector3d::Constant(half)) : Shape::sphere(half);
  body.pose.translation() = Vector3d(0, height + half, 0);
  body.material.restitution = restitution;
  body.sleeping_allowed = false;
  const BodyId id = world.add(body);
  std::vector<double> peaks;
  double highest = 0;
  for (int step = 0; step < 20 / dt && peaks.size() < 4; ++step) {
    world.step();
    if (world.velocity(id).y() > 0) {
      highest = std::max(highest, world.pose(id).translation().y() - half);
    } else if (highest > 0) {
      peaks.push_back(std::max(highest, world.pose(id).translation().y() - half));
      highest = 0;
    }
  }
  return peaks;
}

/// Bounce k rises to e^(2 k) of the height. A bounce that starts the fall too slow for `bounce_speed`, or is so low
/// that the steps of its picture are coarse, is not judged.
void expect_closed_form(const std::string& response, double restitution, double tolerance) {
  constexpr double min_height = 0.15;
  for (const double height : {1.0, 4.0, 8.0}) {
    for (const bool box : {false, true}) {
      for (const double dt : {1.0 / 60, 1.0 / 120}) {
        const std::vector<double> peaks = bounces(response, restitution, height, box, dt);
        double expected = height;
        for (std::size_t k = 0; k < 4; ++k) {
          expected *= restitution * restitution;
          if (expected < min_height) break;
          ASSERT_LT(k, peaks.size()) << response << " " << restitution << " " << height;
          EXPECT_NEAR(peaks[k], expected, tolerance * expected)
              << response << ", restitution " << restitution << ", from " << height << " m, " << (box ? "box" : "ball")
              << ", dt " << dt << ", bounce " << k + 1;
        }
      }
    }
  }
}

TEST(Restitution, FourBouncesOfSoftRiseAsTheClosedFormSays) {
  for (const double restitution : {0.5, 0.7, 0.9, 1.0}) expect_closed_form("soft", restitution, 0.02);
}

TEST(Restitution, FourBouncesOfImpulseRiseAsTheClosedFormSays) {
  for (const double restitution : {0.5, 0.7, 0.9, 1.0}) expect_closed_form("impulse", restitution, 0.02);
}

TEST(Restitution, FourBouncesOfPenaltyRiseAsTheClosedFormSays) {
  for (const double restitution : {0.9, 1.0}) expect_closed_form("penalty", restitution, 0.02);
}

/// Of strong damping the springs of `penalty` have too few substeps for more.
TEST(Restitution, FourBouncesOfPenaltyWithStrongDampingAreNear) {
  for (const double restitution : {0.5, 0.7}) expect_closed_form("penalty", restitution, 0.05);
}

}  // namespace
}  // namespace carom
