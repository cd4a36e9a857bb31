#include <gtest/gtest.h>

#include <random>

#include "world/mixed.hpp"

/// Nothing passes through anything: balls thrown at sheets, and sheets dropped on what is sharp.
namespace carom {
namespace {

using namespace mixed;

WorldOptions continuous(const std::string& response, double dt) {
  return {.dt = dt,
          .contact = {.distance = 0.01, .pairs = PairScope::between},
          .detection = Detection::continuous,
          .response = response,
          .threads = 1};
}

std::uint64_t unresolved(const World& world) {
  for (const Counted& entry : world.stats()[Stage::commit].counted()) {
    if (entry.name == "unresolved") return entry.count;
  }
  return 0;
}

/// Signed distance of the nearest triangle of a body to a shape.
double clearance(const World& world, BodyId body, const Shape& shape, const Eigen::Isometry3d& pose) {
  double nearest = INFINITY;
  for (const Triangle& t : world.triangles(body)) {
    const auto p = [&](std::size_t k) { return world.positions(body)[static_cast<std::size_t>(t[k])]; };
    nearest = std::min(
        nearest, distance(shape, pose, Shape::triangle(p(0), p(1), p(2)), Eigen::Isometry3d::Identity()).distance);
  }
  return nearest;
}

/// Sheet pinned at its whole border and a ball at 200 m/s: it never is on the far side, whatever the sizes and masses.
TEST(MixedPassing, BallsAt200MetresASecondDoNotPassHangingSheets) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(0, 1);
  for (const std::string response : {"soft", "impulse", "penalty"}) {
    for (int n = 0; n < 34; ++n) {
      World world(continuous(response, 0.003));
      const TriangleMesh mesh = level_sheet(5, 1);
      const BodyId sheet = world.add(ParticleBody{.name = "sheet",
                                                  .mesh = mesh,
                                                  .mass = 0.2 + number(random),
                                                  .stretch_stiffness = 50,
                                                  .bend_stiffness = 1,
                                                  .pinned = vertices_where(mesh, [](const Vector3d& p) {
                                                    return std::max(std::abs(p.x()), std::abs(p.z())) > 0.49;
                                                  })});
      const double radius = 0.02 + 0.08 * number(random);
      const Vector3d place(0.6 * (number(random) - 0.5), radius + 0.02 + 0.5 * number(random),
                           0.6 * (number(random) - 0.5));
      const BodyId ball = world.add(RigidBody{.name = "ball",
                                              .shape = Shape::sphere(radius),
                                              .pose = at(place),
                                              .density = std::pow(10, 1 + 2 * number(random)),
                                              .velocity = {10 * (number(random) - 0.5), -200, 0}});
      for (int i = 0; i < 12; ++i) {
        world.step();
        ASSERT_EQ(unresolved(world), 0U) << response << n << " step " << i;
        ASSERT_GT(clearance(world, sheet, Shape::sphere(radius), world.pose(ball)), 0)
            << response << n << " step " << i;
        // The sheet, closed over its border, is between the ball and where it must not be.
        const Vector3d center = world.center_of_mass(ball);
        if (std::max(std::abs(center.x()), std::abs(center.z())) > 0.45) break;
        const std::vector<WorldHit> below = world.ray(center, {0, -1, 0}, 100, {.excluded = {ball}});
        ASSERT_FALSE(below.empty()) << response << n << " step " << i;
        ASSERT_GE(smallest_shape_distance(world), 0) << response << n << " step " << i;
      }
    }
  }
}

/// Sheets at 30 m/s onto a needle, a cone, the edge of a box.
TEST(MixedPassing, SheetsDroppedOnNeedlesAndEdgesStayAboveThem) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> number(0, 1);
  const std::vector<Vector3d> needle{{0, 0.5, 0}, {0.01, -0.5, 0.01}, {-0.01, -0.5, 0.01}, {0, -0.5, -0.01}};
  const std::vector<Shape> shapes{Shape::hull(needle), Shape::cone(0.02, 0.5), Shape::box({0.3, 0.3, 0.3})};
  for (const std::string response : {"soft", "impulse", "penalty"}) {
    for (int n = 0; n < 34; ++n) {
      World world(continuous(response, 0.003));
      const Shape& shape = shapes[static_cast<std::size_t>(n) % shapes.size()];
      Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
      if (shape.kind() == ShapeKind::box)
        pose.linear() = Eigen::AngleAxisd(0.8 + 0.1 * number(random), Vector3d::UnitZ()).toRotationMatrix();
      world.add(RigidBody{.name = "sharp", .shape = shape, .pose = pose, .motion = MotionModel::fixed});
      const BodyId sheet = world.add(
          ParticleBody{.name = "sheet",
                       .mesh = level_sheet(6, 0.8, {0.1 * number(random), 0.65 + 0.2 * number(random), 0.013}),
                       .mass = 0.1 + number(random),
                       .stretch_stiffness = 30,
                       .bend_stiffness = 1,
                       .velocity = {0, -30, 0}});
      for (int i = 0; i < 12; ++i) {
        world.step();
        ASSERT_EQ(unresolved(world), 0U) << response << n << " step " << i;
        ASSERT_GT(clearance(world, sheet, shape, pose), 0) << response << n << " step " << i;
        ASSERT_GE(smallest_shape_distance(world), 0) << response << n << " step " << i;
      }
    }
  }
}

}  // namespace
}  // namespace carom
