#include <gtest/gtest.h>

#include <random>

#include "bodies/rigid.hpp"
#include "mixed.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;
using mixed::at;

RigidBody box(const Vector3d& place, double size = 0.2) {
  return {.name = "box", .shape = Shape::box(Vector3d::Constant(size / 2)), .pose = at(place)};
}

RigidBody dumbbell(const Vector3d& place) {
  const std::vector<Shape::Part> parts{{Shape::sphere(0.1), at({-0.15, 0, 0})}, {Shape::sphere(0.1), at({0.15, 0, 0})}};
  return {.name = "dumbbell", .shape = Shape::compound(parts), .pose = at(place)};
}

RigidBody floor_body() {
  return {.name = "floor", .shape = Shape::half_space({0, 1, 0}, 0), .motion = MotionModel::fixed};
}

TEST(BodySlots, CollidersOfRemovedBodiesAreUsedAgain) {
  rigid::Bodies bodies;
  std::uint32_t generation = 1;
  for (std::uint32_t i = 0; i < 10; ++i) rigid::add(bodies, i % 2 == 0 ? box({0, 0, 0}) : dumbbell({0, 0, 0}), {i, 1});
  const std::size_t colliders = bodies.colliders.size();
  EXPECT_EQ(colliders, 15U);
  for (int round = 0; round < 1000; ++round) {
    const std::uint32_t a = static_cast<std::uint32_t>(round) % 10;
    const std::uint32_t b = (a + 1) % 10;
    rigid::remove(bodies, BodySlot(a));
    rigid::remove(bodies, BodySlot(b));
    EXPECT_EQ(bodies.count, 8U);
    EXPECT_TRUE(bodies.colliders[ColliderIndex(0)].body.valid());
    ++generation;
    rigid::add(bodies, b % 2 == 0 ? box({0, 0, 0}) : dumbbell({0, 0, 0}), {b, generation});
    rigid::add(bodies, a % 2 == 0 ? box({0, 0, 0}) : dumbbell({0, 0, 0}), {a, generation});
  }
  EXPECT_EQ(bodies.size(), 10U);
  EXPECT_EQ(bodies.count, 10U);
  EXPECT_EQ(bodies.colliders.size(), colliders);
  // Every collider belongs to the body whose range it is in.
  ByCollider<int> owners;
  owners.assign(colliders, 0);
  for (const BodySlot i : bodies.slots()) {
    for (const ColliderIndex c : bodies.info[i].colliders()) {
      EXPECT_EQ(bodies.colliders[c].body, i);
      EXPECT_FALSE(bodies.colliders[c].vacant());
      ++owners[c];
    }
  }
  for (const int owner : owners) EXPECT_EQ(owner, 1);
}

/// Stack of boxes whose motion is to stay what it is, bit for bit, whatever happens to bodies far away.
std::vector<BodyId> add_stack(World& world) {
  std::vector<BodyId> stack;
  for (int i = 0; i < 5; ++i) stack.push_back(world.add(box({0.01 * i, 0.12 + 0.22 * i, 0})));
  return stack;
}

TEST(BodySlots, RemovingAndAddingElsewhereChangesNoBit) {
  for (const char* response : {"soft", "impulse", "lcp", "penalty"}) {
    World plain({.response = response, .threads = 1});
    World edited({.response = response, .threads = 1});
    for (World* world : {&plain, &edited}) world->add(floor_body());
    const std::vector<BodyId> first = add_stack(plain);
    const std::vector<BodyId> second = add_stack(edited);
    std::vector<BodyId> visitors;
    std::mt19937 random(3);
    for (int step = 0; step < 120; ++step) {
      if (step % 7 == 3) visitors.push_back(edited.add(step % 2 == 0 ? box({50, 0.5, 0}) : dumbbell({50, 0.5, 3})));
      if (step % 14 == 6 && !visitors.empty()) {
        const std::size_t k = random() % visitors.size();
        edited.remove(visitors[k]);
        visitors.erase(visitors.begin() + static_cast<std::ptrdiff_t>(k));
      }
      plain.step();
      edited.step();
      for (std::size_t i = 0; i < first.size(); ++i)
        ASSERT_TRUE((plain.pose(first[i]).matrix().array() == edited.pose(second[i]).matrix().array()).all())
            << response << ", step " << step << ", box " << i;
    }
    ASSERT_GT(visitors.size(), 3U);
  }
}

/// Random edits of a world with bodies of all kinds; `after` is called after each step.
template <class After>
void random_edits(int threads, std::uint32_t seed, const After& after) {
  std::mt19937 random(seed);
  const auto number = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() % 10000) / 10000;
  };
  World world({.dt = 1.0 / 60, .contact = {.distance = 0.02}, .threads = threads});
  world.add(floor_body());
  std::vector<BodyId> bodies;
  for (int step = 0; step < 90; ++step) {
    const unsigned what = random() % 8;
    const Vector3d place(number(-0.5, 0.5), number(0.3, 1.2), number(-0.5, 0.5));
    if (what < 2) bodies.push_back(world.add(box(place, number(0.1, 0.3))));
    if (what == 2) bodies.push_back(world.add(dumbbell(place)));
    if (what == 3 && step % 3 == 0) {
      bodies.push_back(world.add(ParticleBody{
          .name = "sheet", .mesh = mixed::level_sheet(4, 0.5, place), .mass = 0.1, .stretch_stiffness = 50}));
    }
    if (what > 5 && !bodies.empty()) {
      const std::size_t k = random() % bodies.size();
      world.remove(bodies[k]);
      bodies.erase(bodies.begin() + static_cast<std::ptrdiff_t>(k));
    }
    world.step();
    after(world, bodies);
  }
}

TEST(BodySlots, RandomEditsLeaveNoTraceOfRemovedBodies) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    random_edits(1, seed, [&](const World& world, const std::vector<BodyId>& bodies) {
      ASSERT_EQ(world.bodies().size(), bodies.size() + 1);
      const std::vector<BodyId> all = world.bodies();
      for (const WorldContact& c : world.contacts()) {
        EXPECT_TRUE(std::find(all.begin(), all.end(), c.body_a) != all.end());
        EXPECT_TRUE(std::find(all.begin(), all.end(), c.body_b) != all.end());
      }
      for (const BodyId hit : world.overlapping(Shape::sphere(100), Eigen::Isometry3d::Identity()))
        EXPECT_TRUE(std::find(all.begin(), all.end(), hit) != all.end());
      // Nothing falls through the floor.
      for (const BodyId id : bodies) {
        if (world.motion(id) == MotionModel::rigid) {
          EXPECT_GT(world.center_of_mass(id).y(), 0) << "seed " << seed;
        }
      }
    });
  }
}

TEST(BodySlots, RandomEditsGiveTheSameBitsForAnyNumberOfThreads) {
  std::vector<std::uint64_t> hashes[3];
  for (int k = 0; k < 3; ++k)
    random_edits(1 << k, 11, [&](const World& world, const auto&) { hashes[k].push_back(world.state_hash()); });
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(BodySlots, ASnapshotBetweenEditsGoesOnBitForBit) {
  World world({.dt = 1.0 / 60, .threads = 1});
  world.add(floor_body());
  std::vector<BodyId> bodies;
  for (int i = 0; i < 6; ++i) bodies.push_back(world.add(box({0.05 * i, 0.2 + 0.25 * i, 0})));
  for (int i = 0; i < 20; ++i) world.step();
  world.remove(bodies[2]);
  world.remove(bodies[4]);
  const World::Snapshot snapshot = world.snapshot();
  std::uint64_t hashes[2];
  for (std::uint64_t& hash : hashes) {
    world.restore(snapshot);
    world.add(dumbbell({0.3, 0.4, 0}));
    for (int i = 0; i < 40; ++i) world.step();
    hash = world.state_hash();
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace carom
