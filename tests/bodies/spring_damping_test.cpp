#include <gtest/gtest.h>

#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

TEST(SpringDamping, StrongDampersCalmASheetAndNeverFeedIt) {
  for (const double damping : {0.1, 1.0, 5.0, 100.0, 1e6}) {
    World world({.gravity = {0, 0, 0}, .dt = 1.0 / 60, .contact = {.pairs = PairScope::between}});
    world.add(ParticleBody{.name = "sheet",
                           .mesh = make_sheet(1.2, 1.2, 12, 12),
                           .mass = 0.1,
                           .stretch_stiffness = 600,
                           .bend_stiffness = 2,
                           .spring_damping = damping,
                           .air_damping = 0,
                           .pinned = {0},
                           .velocity = {3, 1, 2}});
    const double start = world.balance().kinetic_energy;
    for (int i = 0; i < 120; ++i) {
      world.step();
      // Energy of explicit springs swings about its true value; a sweep that is not symmetric gains 15% in each of the
      // tens of inner steps of a step.
      ASSERT_LT(world.balance().energy(), 2 * start) << damping << ", step " << i;
    }
  }
}

TEST(SpringDamping, KeepsMomentum) {
  World world({.gravity = {0, 0, 0}, .dt = 1.0 / 60});
  world.add(ParticleBody{.name = "ball",
                         .mesh = make_icosphere(0.2, 2),
                         .mass = 0.5,
                         .spring_damping = 20,
                         .air_damping = 0,
                         .velocity = {1, 2, 3},
                         .pressure = 500});
  for (int i = 0; i < 60; ++i) world.step();
  EXPECT_LT((world.balance().momentum - 0.5 * Vector3d(1, 2, 3)).norm(), 1e-12);
}

}  // namespace
}  // namespace carom
