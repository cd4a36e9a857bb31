#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

// The integrator `verlet`: springs, limited lengths, the longest stable step.
namespace carom {
namespace {

using Eigen::Vector3d;

ClothBody strip(double max_strain, int iterations) {
  ClothBody body;
  body.name = "strip";
  body.mesh = make_sheet(1, 0.2, 20, 4);
  for (Vector3d& p : body.mesh.positions) p = Vector3d(0, p.x() - 0.5, p.z());
  body.integrator = ClothIntegrator::verlet;
  body.verlet = {.iterations = iterations, .max_strain = max_strain};
  body.fabric = {.density = 0.5, .warp_stiffness = 30, .weft_stiffness = 30, .bend_stiffness = 1e-4};
  body.filter.mask = 0;
  for (std::size_t v = 0; v < body.mesh.positions.size(); ++v) {
    if (body.mesh.positions[v].y() > -1e-9) body.pinned.push_back(static_cast<Index>(v));
  }
  return body;
}

WorldOptions options(double dt) {
  WorldOptions o;
  o.dt = dt;
  o.threads = 1;
  o.solver.sleep.enabled = false;
  return o;
}

double largest_strain(const World& world, BodyId id, const ClothBody& body) {
  double largest = -1;
  for (const Triangle& t : body.mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = static_cast<std::size_t>(t[k]);
      const auto b = static_cast<std::size_t>(t[(k + 1) % 3]);
      largest = std::max(largest, (world.positions(id)[a] - world.positions(id)[b]).norm() /
                                          (body.mesh.positions[a] - body.mesh.positions[b]).norm() -
                                      1);
    }
  }
  return largest;
}

TEST(Verlet, LengthsAreLimitedWhereSpringsAreTooSoft) {
  // Weight over stiffness of these springs would be 0.16 at the top.
  const auto strain_of = [](double limit, int iterations) {
    ClothBody body = strip(limit, iterations);
    body.air_damping = 4;
    World world(options(1.0 / 100));
    const BodyId id = world.add(body);
    for (int k = 0; k < 200; ++k) world.step();
    return largest_strain(world, id, body);
  };
  EXPECT_GT(strain_of(10, 1), 0.1) << "springs alone";
  EXPECT_LT(strain_of(0.05, 40), 0.055);
  EXPECT_LT(strain_of(0, 60), 0.01) << "lengths at rest";
}

TEST(Verlet, LongestStableStepIsToldAndEnforced) {
  ClothBody body = strip(0.1, 15);
  body.fabric.warp_stiffness = body.fabric.weft_stiffness = 3000;
  World world(options(1.0 / 50));
  std::string message;
  try {
    world.add(body);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unstable);
    message = error.what();
  }
  EXPECT_NE(message.find("body 'strip': inner steps of 0.005 s are too long for 'verlet'"), std::string::npos)
      << message;
  body.inner_steps = 400;
  const BodyId id = world.add(body);
  const double longest = world.max_inner_step(id);
  EXPECT_GT(longest, 0);
  EXPECT_LT(longest, 0.005);
  // At the longest step nothing blows up; a longer one is refused.
  const auto farthest_after = [&](double h) {
    ClothBody hanging = strip(1e9, 0);
    hanging.fabric.warp_stiffness = hanging.fabric.weft_stiffness = 3000;
    World small(options(4 * h));
    const BodyId sheet = small.add(hanging);
    for (int k = 0; k < 500; ++k) small.step();
    double far = 0;
    for (const Vector3d& p : small.positions(sheet)) far = std::max(far, p.norm());
    return far;
  };
  EXPECT_LT(farthest_after(0.99 * longest), 1.1);
  EXPECT_THROW(farthest_after(1.01 * longest), Error);
}

TEST(Verlet, MomentumIsKeptToRounding) {
  for (const double limit : {0.0, 0.05}) {
    ClothBody body = strip(limit, 10);
    body.pinned.clear();
    body.velocity = {0.4, 0, 0.1};
    WorldOptions o = options(1.0 / 100);
    o.gravity.setZero();
    World world(o);
    RigidBody ball{.name = "ball", .shape = Shape::sphere(0.1)};
    ball.pose.translation() = Vector3d(0.3, -0.5, 0);
    ball.velocity = {-2, 0, 0};
    body.filter.mask = ~0U;
    world.add(body);
    world.add(ball);
    const Vector3d before = world.balance().momentum;
    for (int k = 0; k < 100; ++k) world.step();
    EXPECT_LT((world.balance().momentum - before).norm(), 1e-9 * before.norm()) << limit;
  }
}

}  // namespace
}  // namespace carom
