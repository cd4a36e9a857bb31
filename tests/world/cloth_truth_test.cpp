#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

// Cloth in a world against the continuum, and how results depend on steps and edges.
namespace carom {
namespace {

using Eigen::Vector3d;

WorldOptions options(double dt) {
  WorldOptions o;
  o.dt = dt;
  o.threads = 1;
  o.solver.sleep.enabled = false;
  return o;
}

/// Sag of a catenary of length 1 over a span.
double sag_of_catenary(double span) {
  double low = 1e-3;
  double high = 100;
  for (int k = 0; k < 200; ++k) {  // length is 2 a sinh(span / 2a), falling in a
    const double a = 0.5 * (low + high);
    (2 * a * std::sinh(span / (2 * a)) > 1 ? low : high) = a;
  }
  return low * (std::cosh(span / (2 * low)) - 1);
}

TEST(ClothTruth, StripBetweenTwoPinsIsACatenary) {
  const double span = 0.8;
  const double truth = sag_of_catenary(span);
  double last = INFINITY;
  for (const int along : {5, 10, 20}) {
    ClothBody body;
    body.name = "strip";
    body.mesh = make_sheet(1, 0.1, along, 2);
    // Stiff enough not to stretch: weight of 1 N/m, tension below 2 N/m.
    body.fabric = {
        .density = 0.1, .warp_stiffness = 2000, .weft_stiffness = 2000, .shear_stiffness = 500, .bend_stiffness = 0};
    body.air_damping = 3;
    body.filter.mask = 0;
    std::vector<Index> left;
    std::vector<Index> right;
    for (std::size_t v = 0; v < body.mesh.positions.size(); ++v) {
      if (body.mesh.positions[v].x() < -0.4999) left.push_back(static_cast<Index>(v));
      if (body.mesh.positions[v].x() > 0.4999) right.push_back(static_cast<Index>(v));
    }
    // Both ends come together in half a second, and stay.
    const auto move = [&](double side) {
      return [=](double time, std::span<Vector3d> x) {
        for (Vector3d& p : x) p.x() += side * 0.5 * (1 - span) * std::min(1.0, 2 * time);
      };
    };
    body.moving_pins = {{left, move(1)}, {right, move(-1)}};
    World world(options(1.0 / 60));
    const BodyId id = world.add(body);
    for (int k = 0; k < 240; ++k) world.step();
    double low = 0;
    for (const Vector3d& p : world.positions(id)) low = std::min(low, p.y());
    const double error = std::abs(-low - truth) / truth;
    EXPECT_LT(error, 0.6 * last) << along;
    last = std::max(error, 0.005);
    if (along == 20) {
      EXPECT_LT(error, 0.01);
    }
  }
}

/// Mean height of a sheet held at two corners after 0.3 s of falling.
double height_after(int segments, double dt, int inner_steps) {
  ClothBody body;
  body.name = "sheet";
  body.mesh = make_sheet(1, 1, segments, segments);
  body.fabric = {.density = 0.15};
  body.inner_steps = inner_steps;
  body.filter.mask = 0;
  for (std::size_t v = 0; v < body.mesh.positions.size(); ++v) {
    const Vector3d& p = body.mesh.positions[v];
    if (p.z() < -0.4999 && std::abs(p.x()) > 0.4999) body.pinned.push_back(static_cast<Index>(v));
  }
  World world(options(dt));
  world.add(body);
  for (int k = 0; k < static_cast<int>(std::lround(0.3 / dt)); ++k) world.step();
  const WorldBalance balance = world.balance();
  return balance.potential_energy / (9.81 * balance.mass);
}

/// A body of 1e5 times the mass of the vertices that it hangs from, by a strip of default inner steps.
TEST(ClothTruth, HeavyWeightStretchesAStripAsItsFabricSays) {
  const double width = 0.1;
  const double stretch = 0.1;
  const double damping = 8;
  ClothBody body;
  body.name = "strip";
  body.mesh = make_sheet(1, width, 20, 2);
  for (Vector3d& p : body.mesh.positions) p = Vector3d(0, p.x(), p.z());
  body.warp = {0, 1, 0};
  body.fabric.density = 0.1;
  body.air_damping = 5;
  const double mass = 1e5 * body.fabric.density * width * 0.5 / 20;  // of half a row of triangles
  // Damping acts on what gravity gives in a step, so it carries a part of the weight (docs/limits.md).
  const double weight = 9.81 * mass / (1 + damping / 60);
  body.fabric.warp_stiffness = body.fabric.weft_stiffness = weight / (width * stretch);
  body.fabric.shear_stiffness = 0.25 * body.fabric.warp_stiffness;
  body.fabric.bend_stiffness = 0;
  std::vector<Index> low;
  for (std::size_t v = 0; v < body.mesh.positions.size(); ++v) {
    const double y = body.mesh.positions[v].y();
    if (y > 0.4999) body.pinned.push_back(static_cast<Index>(v));
    if (y < -0.4999) low.push_back(static_cast<Index>(v));
  }
  WorldOptions o = options(1.0 / 60);
  o.contact.distance = 0.004;
  World world(o);
  const BodyId strip = world.add(body);
  RigidBody box{.name = "box", .shape = Shape::box({0.05, 0.05, 0.05})};
  box.mass = MassOverride{.mass = mass, .inertia_from_shape = true};
  box.pose.translation() = Vector3d(0, -0.56, 0);
  box.linear_damping = damping;
  box.locked_rotation = {true, true, true};
  const BodyId id = world.add(box);
  world.attach(strip, low, id);
  for (int k = 0; k < 120; ++k) {
    world.step();
    ASSERT_LT(std::abs(world.center_of_mass(id).y() + 0.56), 2 * stretch) << "step " << k;
  }
  EXPECT_NEAR(-0.56 - world.center_of_mass(id).y(), stretch, 0.05 * stretch);
}

TEST(ClothTruth, ResultsConvergeInStepsAndEdges) {
  const double truth = height_after(24, 1.0 / 120, 80);
  EXPECT_LT(truth, -0.1);
  // Independent of the number of inner steps beyond 2%, of dt at the same inner steps, and the finer the edges the
  // less.
  EXPECT_NEAR(height_after(24, 1.0 / 120, 40), truth, 0.02 * std::abs(truth));
  EXPECT_NEAR(height_after(24, 1.0 / 60, 80), truth, 0.02 * std::abs(truth));
  EXPECT_NEAR(height_after(24, 1.0 / 30, 160), truth, 0.02 * std::abs(truth));
  const double coarse = std::abs(height_after(6, 1.0 / 60, 80) - truth);
  const double middle = std::abs(height_after(12, 1.0 / 60, 80) - truth);
  EXPECT_LT(middle, 0.7 * coarse);
  EXPECT_LT(coarse, 0.1 * std::abs(truth));
}

TEST(ClothTruth, MomentumOfFreeClothIsKept) {
  ClothBody body;
  body.name = "ring";
  body.mesh = make_torus(0.3, 0.1, 20, 8);
  body.fabric.bend_stiffness = 1e-4;
  body.velocity = {1, 2, 3};
  WorldOptions o = options(1.0 / 60);
  o.gravity.setZero();
  World world(o);
  world.add(body);
  RigidBody ball{.name = "ball", .shape = Shape::sphere(0.1)};
  ball.pose.translation() = Vector3d(0.3, 0.6, 0.5);
  ball.velocity = {0, -4, 0};
  world.add(ball);
  const Vector3d before = world.balance().momentum;
  for (int k = 0; k < 60; ++k) world.step();
  EXPECT_LT((world.balance().momentum - before).norm(), 1e-9 * before.norm());
}

/// Slide of a sheet of cloth down a slope in a second, m, from rest: on a half-space, or on another sheet that is
/// fixed.
double slide_down(double friction, double angle, bool on_mesh) {
  WorldOptions o = options(1.0 / 60);
  o.contact.distance = 0.005;
  World world(o);
  const Eigen::AngleAxisd tilt(angle, Vector3d::UnitZ());
  const auto placed = [&](TriangleMesh mesh, double above) {
    for (Vector3d& p : mesh.positions) p = tilt * Vector3d(p + Vector3d(0, above, 0));
    return mesh;
  };
  if (on_mesh) {
    FixedBody slope{.name = "slope", .mesh = placed(make_sheet(2, 2, 7, 7), 0)};
    slope.material.friction = friction;
    world.add(slope);
  } else {
    RigidBody slope{.name = "slope", .shape = Shape::half_space({0, 1, 0}, 0)};
    slope.pose.linear() = tilt.toRotationMatrix();
    slope.motion = MotionModel::fixed;
    slope.material.friction = friction;
    world.add(slope);
  }
  ClothBody body;
  body.name = "sheet";
  body.mesh = placed(make_sheet(0.4, 0.4, 8, 8), 0.005);
  body.material.friction = friction;
  const BodyId id = world.add(body);
  for (int k = 0; k < 60; ++k) world.step();
  double sum = 0;
  for (std::size_t v = 0; v < body.mesh.positions.size(); ++v)
    sum -= (world.positions(id)[v] - body.mesh.positions[v]).dot(tilt * Vector3d::UnitX());
  return sum / static_cast<double>(body.mesh.positions.size());
}

TEST(ClothTruth, SlidesAboveTheAngleOfFrictionAndStaysBelow) {
  constexpr double degree = std::numbers::pi / 180;
  for (const bool on_mesh : {false, true}) {
    for (const double mu : {0.3, 0.8}) {
      const double steep = std::atan(mu) + 0.2 * degree;
      const double expected = 0.5 * 9.81 * (std::sin(steep) - mu * std::cos(steep));
      EXPECT_LT(std::abs(slide_down(mu, std::atan(mu) - 0.2 * degree, on_mesh)), 1e-3 * expected + 1e-5)
          << on_mesh << ' ' << mu;
      EXPECT_NEAR(slide_down(mu, steep, on_mesh), expected, 0.05 * expected) << on_mesh << ' ' << mu;
    }
  }
}

}  // namespace
}  // namespace carom
