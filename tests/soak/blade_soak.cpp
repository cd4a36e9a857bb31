#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>

#include "carom/core/error.hpp"
#include "oracle/blade_story.hpp"

namespace carom {
namespace {

/// Thousands of random blades and paths; the seeds are others than those of tests/world/blade_story_test.cpp.
TEST(BladeSoak, StoriesHoldWhateverBladesDo) {
  constexpr unsigned count = 4000;
  std::size_t crossed = 0;
  std::size_t pieces = 0;
  std::size_t overflows = 0;
  for (unsigned seed = 1000; seed < 1000 + count; ++seed) {
    std::mt19937_64 random(seed);
    oracle::BladeStory story([&] { return static_cast<std::uint8_t>(random()); },
                             {.max_steps = 20, .other_threads = seed % 8 == 0 ? (seed % 16 == 0 ? 2 : 4) : 1});
    try {
      EXPECT_EQ(story.run(), "") << "seed " << seed;
    } catch (const Error& error) {
      ADD_FAILURE() << "seed " << seed << ": " << error.what();
      ++overflows;
    }
    crossed += story.crossed();
    pieces += story.pieces();
  }
  EXPECT_GT(crossed, 10 * count);
  EXPECT_GT(pieces, count);
  std::printf("%u stories: %zu links and edges cut, %zu pieces came off, %zu overflows\n", count, crossed, pieces,
              overflows);
}

/// The same of plain surfaces, a thousand of each motion.
TEST(BladeSoak, StoriesOfPlainSurfacesHold) {
  constexpr unsigned count = 1000;
  for (const MotionModel motion : {MotionModel::particles, MotionModel::fixed, MotionModel::scripted}) {
    std::size_t pieces = 0;
    double rise = -INFINITY;
    for (unsigned seed = 40000; seed < 40000 + count; ++seed) {
      std::mt19937_64 random(seed);
      oracle::BladeStory story(
          [&] { return static_cast<std::uint8_t>(random()); },
          {.max_steps = 20, .other_threads = seed % 8 == 0 ? (seed % 16 == 0 ? 2 : 4) : 1, .surface = motion});
      EXPECT_EQ(story.run(), "") << to_string(motion) << ", seed " << seed;
      pieces += story.pieces();
      rise = std::max(rise, story.rise());
    }
    EXPECT_GT(pieces, count);
    const std::string name(to_string(motion));
    std::printf("%u stories of %s: %zu pieces came off, energy rose by %.3g J/kg at most\n", count, name.c_str(),
                pieces, rise);
  }
}

/// Hundreds of free plates whose edges cut soft bodies of any fracture energy, and whose sides collide with them.
TEST(BladeSoak, FreeBladesThatCollideAddNoEnergy) {
  constexpr unsigned count = 400;
  std::size_t crossed = 0;
  for (unsigned seed = 1000; seed < 1000 + count; ++seed) {
    std::mt19937_64 random(seed);
    oracle::BladeStory story([&] { return static_cast<std::uint8_t>(random()); },
                             {.max_steps = 80, .rigid_blades = true});
    EXPECT_EQ(story.run(), "") << "seed " << seed;
    crossed += story.crossed();
  }
  EXPECT_GT(crossed, count / 2);
}

}  // namespace
}  // namespace carom
