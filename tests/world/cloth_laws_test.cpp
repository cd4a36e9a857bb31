#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

// Laws of cloth against formulas: damping of strips that swing, friction of cloth on cloth, restitution, energy.
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

/// Free swing, as far as its peaks tell.
struct Swing {
  double frequency = 0;  ///< rad/s
  double decay = 0;      ///< 1/s
};

/// Of a quantity that swings about zero, sampled every dt (s), between two of its peaks that are `periods` apart.
Swing swing_of(const std::vector<double>& x, double dt, std::size_t first, int periods) {
  struct Peak {
    double time = 0;
    double height = 0;
  };
  std::vector<Peak> peaks;
  for (std::size_t i = std::max<std::size_t>(first, 1); i + 1 < x.size(); ++i) {
    if (!(x[i] > x[i - 1] && x[i] >= x[i + 1] && x[i] > 0)) continue;
    // The parabola through three samples.
    const double curve = x[i - 1] - 2 * x[i] + x[i + 1];
    const double shift = 0.5 * (x[i - 1] - x[i + 1]) / curve;
    peaks.push_back({dt * (static_cast<double>(i) + shift), x[i] - 0.25 * (x[i - 1] - x[i + 1]) * shift});
  }
  if (peaks.size() <= static_cast<std::size_t>(periods)) return {};
  const Peak& a = peaks.front();
  const Peak& b = peaks[static_cast<std::size_t>(periods)];
  const double time = b.time - a.time;
  return {2 * std::numbers::pi * periods / time, std::log(a.height / b.height) / time};
}

/// Strip along x from 0 to `length`, held where x <= `held`, that flies along `velocity` at first.
ClothBody strip(double length, int along, double held, const Vector3d& velocity) {
  ClothBody body;
  body.name = "strip";
  body.mesh = make_sheet(length, 0.1 * length, along, 2);
  for (std::size_t v = 0; v < body.mesh.positions.size(); ++v) {
    body.mesh.positions[v].x() += 0.5 * length;
    if (body.mesh.positions[v].x() < held + 1e-9) body.pinned.push_back(static_cast<Index>(v));
  }
  body.velocity = velocity;
  body.filter.mask = 0;
  return body;
}

double mean_of(const World& world, BodyId id, const auto& value) {
  double sum = 0;
  for (std::size_t v = 0; v < world.positions(id).size(); ++v) sum += value(v);
  return sum;
}

/// The first mode along a strip that is held at one end has the frequency w = pi / 2L sqrt(k / rho), and decays by
/// w^2 c / 2k, with k in N/m and c in N s/m.
TEST(ClothLaws, StretchIsDampedInNewtonSecondsPerMeter) {
  const double dt = 1.0 / 240;
  ClothBody body = strip(1, 20, 0, {0.1, 0, 0});
  body.fabric = {.density = 0.2,
                 .warp_stiffness = 200,
                 .weft_stiffness = 200,
                 .shear_stiffness = 50,
                 .bend_stiffness = 0,
                 .warp_damping = 0.3};
  body.inner_steps = 256;  // far longer ones make damped cloth soft (docs/limits.md)
  WorldOptions o = options(dt);
  o.gravity.setZero();
  World world(o);
  const BodyId id = world.add(body);
  std::vector<double> mode;
  for (int k = 0; k < 240; ++k) {
    world.step();
    mode.push_back(mean_of(world, id, [&](std::size_t v) {
      const double rest = body.mesh.positions[v].x();
      return (world.positions(id)[v].x() - rest) * std::sin(0.5 * std::numbers::pi * rest);
    }));
  }
  const Swing swing = swing_of(mode, dt, 0, 5);
  const double frequency = 0.5 * std::numbers::pi * std::sqrt(200 / 0.2);
  EXPECT_NEAR(swing.frequency, frequency, 0.01 * frequency);
  const double decay = frequency * frequency * 0.3 / (2 * 200);
  EXPECT_NEAR(swing.decay, decay, 0.05 * decay);
}

/// The first mode of a strip that is clamped at one end has the frequency w = (1.8751 / L)^2 sqrt(B / rho), and decays
/// by w^2 d / 2B, with B in N m and d in N m s.
TEST(ClothLaws, BendingIsDampedInNewtonMeterSeconds) {
  const double dt = 1.0 / 240;
  const double length = 0.2;
  const double damping = 1e-5;
  const double edge = 0.025;
  // The edge after the column that is held turns freely, so two columns are.
  ClothBody body = strip(length + edge, 9, edge, {0, 0.05, 0});
  body.fabric = {.density = 0.2,
                 .warp_stiffness = 2000,
                 .weft_stiffness = 2000,
                 .shear_stiffness = 500,
                 .bend_stiffness = 0.01,
                 .bend_damping = damping};
  body.inner_steps = 400;
  WorldOptions o = options(dt);
  o.gravity.setZero();
  World world(o);
  const BodyId id = world.add(body);
  std::vector<double> tip;
  const auto end = static_cast<std::size_t>(
      std::ranges::max_element(body.mesh.positions, {}, [](const Vector3d& p) { return p.x(); }) -
      body.mesh.positions.begin());
  for (int k = 0; k < 480; ++k) {
    world.step();
    tip.push_back(world.positions(id)[end].y());
  }
  const Swing swing = swing_of(tip, dt, 40, 4);
  // Each hinge bends half an edge on both sides, also the one at the column that is held.
  const double frequency = std::pow(1.8751 / (length + 0.5 * edge), 2) * std::sqrt(0.01 / 0.2);
  EXPECT_NEAR(swing.frequency, frequency, 0.05 * frequency);
  const double decay = swing.frequency * swing.frequency * damping / (2 * 0.01);
  EXPECT_NEAR(swing.decay, decay, 0.05 * decay);
}

/// Slide of a sheet on another one that is held, m along x in a second, gravity turned by an angle.
double slide_on_cloth(double friction, double angle) {
  WorldOptions o = options(1.0 / 60);
  o.contact.distance = 0.005;
  o.gravity = 9.81 * Vector3d(std::sin(angle), -std::cos(angle), 0);
  World world(o);
  ClothBody below;
  below.name = "below";
  below.mesh = make_sheet(1.2, 0.8, 17, 11);
  for (std::size_t v = 0; v < below.mesh.positions.size(); ++v) below.pinned.push_back(static_cast<Index>(v));
  below.material.friction = friction;
  world.add(below);
  ClothBody above;
  above.name = "above";
  above.mesh = make_sheet(0.4, 0.4, 8, 8);
  for (Vector3d& p : above.mesh.positions) p.y() += 0.005;
  above.material.friction = friction;
  const BodyId id = world.add(above);
  for (int k = 0; k < 60; ++k) world.step();
  return mean_of(world, id, [&](std::size_t v) { return world.positions(id)[v].x() - above.mesh.positions[v].x(); }) /
         static_cast<double>(above.mesh.positions.size());
}

TEST(ClothLaws, ClothSlidesOnClothAboveTheAngleOfFrictionAndStaysBelow) {
  constexpr double degree = std::numbers::pi / 180;
  for (const double mu : {0.3, 0.8}) {
    const double steep = std::atan(mu) + 0.2 * degree;
    const double expected = 0.5 * 9.81 * (std::sin(steep) - mu * std::cos(steep));
    EXPECT_LT(std::abs(slide_on_cloth(mu, std::atan(mu) - 0.2 * degree)), 1e-3 * expected + 1e-5) << mu;
    EXPECT_NEAR(slide_on_cloth(mu, steep), expected, 0.05 * expected) << mu;
  }
}

/// From 0.3 m with e = 0.8: it comes back to e^2 of the height.
TEST(ClothLaws, FlatClothBouncesByItsRestitution) {
  const double height = 0.3;
  const double e = 0.8;
  WorldOptions o = options(1.0 / 240);
  o.contact.distance = 0.005;
  World world(o);
  RigidBody floor{.name = "floor", .shape = Shape::half_space({0, 1, 0}, 0)};
  floor.motion = MotionModel::fixed;
  world.add(floor);
  ClothBody body;
  body.name = "sheet";
  body.mesh = make_sheet(0.3, 0.3, 6, 6);
  for (Vector3d& p : body.mesh.positions) p.y() += 0.005 + height;
  body.material.restitution = e;
  const BodyId id = world.add(body);
  const double count = static_cast<double>(body.mesh.positions.size());
  bool down = false;
  double top = 0;
  for (int k = 0; k < 200; ++k) {
    world.step();
    const double speed = mean_of(world, id, [&](std::size_t v) { return world.velocities(id)[v].y(); }) / count;
    const double y = mean_of(world, id, [&](std::size_t v) { return world.positions(id)[v].y(); }) / count - 0.005;
    down = down || speed > 0;
    if (down) top = std::max(top, y);
  }
  EXPECT_NEAR(top, e * e * height, 0.03 * height);
}

/// Three layers that fall on a ball, with the inner steps that they take by themselves. What these leave of an impact
/// is strain beyond that of the fabric, whose energy comes on top (docs/limits.md): at most a tenth of that of the fall
/// in a step, and never beyond the start.
TEST(ClothLaws, EnergyNeverGrowsInContact) {
  World world(options(1.0 / 60));
  RigidBody ball{.name = "ball", .shape = Shape::sphere(0.3)};
  ball.motion = MotionModel::fixed;
  ball.material.friction = 0.4;
  world.add(ball);
  for (int layer = 0; layer < 3; ++layer) {
    ClothBody body;
    body.name = "layer " + std::to_string(layer);
    body.mesh = make_sheet(0.8, 0.8, 16, 16);
    for (Vector3d& p : body.mesh.positions) p += Vector3d(0.003 * layer, 0.36 + 0.02 * layer, 0.002 * layer);
    body.material.friction = 0.4;
    world.add(body);
  }
  const double start = world.balance().energy();
  double last = start;
  const double scale = 9.81 * world.balance().mass * 0.06;  // of the fall until they touch
  for (int k = 0; k < 60; ++k) {
    world.step();
    const double energy = world.balance().energy();
    EXPECT_LT(energy, last + 0.1 * scale) << k;
    EXPECT_LT(energy, start + 0.1 * scale) << k;
    last = energy;
  }
}

}  // namespace
}  // namespace carom
