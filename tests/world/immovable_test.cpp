#include <gtest/gtest.h>

#include <algorithm>

#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"
#include "oracle/placed.hpp"
#include "world/light_sheet.hpp"

namespace carom {
namespace {

/// Two fixed boxes and a scripted one that nearly touch, each with a contact distance larger than its triangles, and a
/// sheet that comes down on them.
struct Scenery {
  World world;
  std::vector<BodyId> held;
  BodyId sheet;

  Scenery(const std::string& method, bool immovable, PairScope pairs = PairScope::all)
      : world({.dt = 0.001,
               .contact = {.distance = 0.06, .stiffness = 5, .damping = 0.01, .pairs = pairs, .immovable = immovable},
               .method = method}) {
    const TriangleMesh box = make_box({0.4, 0.2, 0.4}, 6);
    held.push_back(world.add(FixedBody{"left", placed(box, {-0.22, 0, 0})}));
    held.push_back(world.add(FixedBody{"right", placed(box, {0.22, 0, 0})}));
    held.push_back(world.add(ScriptedBody{"third", box, [box](double time, std::span<Eigen::Vector3d> positions) {
                                            for (std::size_t i = 0; i < positions.size(); ++i)
                                              positions[i] = box.positions[i] + Eigen::Vector3d(0, -0.05 * time, 0.42);
                                          }}));
    sheet = world.add(light_sheet(8, 0.155, 0.05, 0.2));
  }

  bool moves(const WorldContact& c) const { return c.body_a == sheet || c.body_b == sheet; }
};

class Immovable : public testing::TestWithParam<std::string> {};

/// The same run with all contacts, of which those that can do something are left.
TEST_P(Immovable, BodiesThatNothingMovesMakeNoContactsWithThemselvesOrEachOther) {
  for (const PairScope pairs : {PairScope::all, PairScope::between, PairScope::self}) {
    Scenery all(GetParam(), true, pairs);
    Scenery movable(GetParam(), false, pairs);
    std::size_t wanted = 0;
    std::size_t unwanted = 0;
    for (int step = 0; step < 15; ++step) {
      all.world.step();
      movable.world.step();
      ASSERT_EQ(movable.world.state_hash(), all.world.state_hash()) << "nothing comes of them";
      std::vector<WorldContact> expected;
      std::copy_if(all.world.contacts().begin(), all.world.contacts().end(), std::back_inserter(expected),
                   [&](const WorldContact& c) { return all.moves(c); });
      unwanted += all.world.contacts().size() - expected.size();
      wanted += expected.size();
      ASSERT_EQ(movable.world.contacts().size(), expected.size()) << "step " << step;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const WorldContact& c = movable.world.contacts()[i];
        ASSERT_EQ(c.anchor_a, expected[i].anchor_a);
        ASSERT_EQ(c.anchor_b, expected[i].anchor_b);
        ASSERT_EQ(c.distance, expected[i].distance);
        ASSERT_EQ(c.age, expected[i].age);
      }
    }
    EXPECT_GT(wanted, pairs == PairScope::between ? 100U : 0U);
    EXPECT_GT(unwanted, 1000U);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Immovable, testing::Values("bvh", "bvh14", "sweep", "grid", "hgrid"));

/// Pairs that cannot do anything are not even looked for.
TEST(ImmovableCost, TheNarrowPhaseSeesNoneOfThem) {
  const auto tests = [](bool immovable) {
    Scenery scenery("bvh", immovable);
    std::uint64_t count = 0;
    for (int step = 0; step < 10; ++step) {
      scenery.world.step();
      count += scenery.world.stats()[Stage::narrow].in;
    }
    return count;
  };
  EXPECT_LT(3 * tests(false), tests(true));
}

TEST(ImmovableCost, AWorldThatNothingMovesHasNoContacts) {
  World world({.contact = {.distance = 0.05}});
  const TriangleMesh box = make_box({1, 1, 1}, 4);
  world.add(FixedBody{"a", box});
  world.add(FixedBody{"b", placed(box, {1.02, 0, 0})});
  for (int i = 0; i < 3; ++i) world.step();
  EXPECT_TRUE(world.contacts().empty());
  EXPECT_EQ(world.stats()[Stage::narrow].in, 0U);
}

}  // namespace
}  // namespace carom
