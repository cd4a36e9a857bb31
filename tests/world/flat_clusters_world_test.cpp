#include <gtest/gtest.h>

#include <cmath>

#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

// What is left out of a flat surface changes no bit of a world.
namespace carom {
namespace {

using Eigen::Vector3d;

/// A soft ball with triangles as fine as the contact distance falls on another and both deform; then a sheet falls on
/// them.
World make_world(const std::string& method, int threads) {
  WorldOptions o;
  o.dt = 0.02;
  o.method = method;
  o.threads = threads;
  o.contact.distance = 0.02;
  World world(o);
  const auto ball = [&](const std::string& name, const Vector3d& at, const Vector3d& velocity) {
    SoftBody body;
    body.name = name;
    body.mesh = make_icosphere(0.5, 4);
    for (Vector3d& p : body.mesh.positions) p += at;
    body.degrees_of_freedom = 600;
    body.velocity = velocity;
    body.elasticity = {.density = 500, .young_modulus = 2e4, .poisson_ratio = 0.4, .damping = 0.01};
    return body;
  };
  SoftBody below = ball("below", {0, 0, 0}, {0, 0, 0});
  below.fixed = {{.min = {-1, -1, -1}, .max = {1, -0.2, 1}}};
  world.add(below);
  world.add(ball("above", {0.2, 1.08, 0.1}, {0, -4, 0}));
  ClothBody sheet;
  sheet.name = "sheet";
  sheet.mesh = make_sheet(1, 1, 30, 30);
  for (Vector3d& p : sheet.mesh.positions) p += Vector3d(0.1, 1.7, 0.1);
  sheet.velocity = {0, -5, 0};
  world.add(sheet);
  return world;
}

std::uint64_t left_out(const World& world) {
  std::uint64_t count = 0;
  for (const auto& culled : world.stats()[Stage::mid].culled()) {
    if (culled.reason == "flat") count += culled.count;
  }
  return count;
}

/// The trees have another search, which leaves nothing out.
TEST(FlatClustersWorld, SameStateWithAndWithoutThem) {
  constexpr int steps = 14;
  std::vector<std::uint64_t> hashes;
  std::size_t contacts = 0;
  World full = make_world("bvh14", 1);
  for (int i = 0; i < steps; ++i) {
    full.step();
    hashes.push_back(full.state_hash());
    contacts += full.contacts().size();
    EXPECT_EQ(left_out(full), 0u);
  }
  EXPECT_GT(contacts, 1000u);
  for (const int threads : {3}) {
    World world = make_world("auto", threads);
    std::uint64_t flat = 0;
    for (int i = 0; i < steps; ++i) {
      world.step();
      ASSERT_EQ(world.state_hash(), hashes[static_cast<std::size_t>(i)]) << "step " << i;
      flat += left_out(world);
    }
    EXPECT_GT(flat, 1000u);
  }
}

}  // namespace
}  // namespace carom
