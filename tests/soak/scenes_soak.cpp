#include <gtest/gtest.h>

#include "core/parallel.hpp"
#include "oracle/brute_force.hpp"
#include "oracle/scene_frames.hpp"
#include "oracle/sorted_brute_force.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

/// Every frame of a scene against the twin, for 1 and 2 threads. Minutes, not seconds.
void compare_every_frame(const char* name, int every) {
  World world = build_world(find_scene(name));
  const double distance = world.options().contact.distance;
  const int steps = find_scene(name).steps;
  std::vector<oracle::Joined> frames;
  for (int step = 0; step <= steps; ++step) {
    if (step > 0) world.step();
    if (step % every == 0) frames.push_back(oracle::join(world));
  }
  Workers workers;
  std::vector<std::vector<oracle::Pair>> expected(frames.size());
  parallel_for(workers, frames.size(), 1, [&](std::size_t i) {
    const oracle::Joined& f = frames[i];
    expected[i] = oracle::brute_force(f.positions.size(), f.triangles, f.object_of_triangle, f.positions, distance,
                                      PairScope::all, true);
  });
  std::size_t contacts = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const oracle::Joined& f = frames[i];
    const Surface surface(f.positions.size(), f.triangles, f.object_of_triangle);
    for (const int threads : {1, 2}) {
      const auto found = detect(surface, f.positions, {.distance = distance, .threads = threads});
      ASSERT_EQ(oracle::as_pairs(found), expected[i]) << name << ", frame " << i * static_cast<std::size_t>(every);
    }
    contacts += expected[i].size();
  }
  std::printf("%s: %zu frames, %zu contacts, all as brute force\n", name, frames.size(), contacts);
  EXPECT_GT(contacts, 0U);
}

/// Every frame of a scene of many triangles, one after the other with what a scratch keeps, for 1 and 2 threads.
void compare_large_frames(const char* name) {
  World world = build_world(find_scene(name));
  const double distance = world.options().contact.distance;
  const int steps = find_scene(name).steps;
  std::vector<oracle::Joined> frames;
  for (int step = 0; step <= steps; ++step) {
    if (step > 0) world.step();
    frames.push_back(oracle::join(world));
  }
  Workers workers;
  std::vector<std::vector<oracle::Pair>> expected(frames.size());
  parallel_for(workers, frames.size(), 1, [&](std::size_t i) {
    const oracle::Joined& f = frames[i];
    expected[i] = oracle::sorted_brute_force(f.triangles, f.object_of_triangle, f.positions, distance, PairScope::all);
  });
  const Surface surface(frames[0].positions.size(), frames[0].triangles, frames[0].object_of_triangle);
  DetectScratch one;
  DetectScratch two;
  std::vector<Contact> found;
  PipelineStats stats;
  std::size_t contacts = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    detect(surface, frames[i].positions, {.distance = distance, .threads = 1}, one, found, stats);
    ASSERT_EQ(oracle::as_pairs(found), expected[i]) << name << ", frame " << i;
    detect(surface, frames[i].positions, {.distance = distance, .threads = 2}, two, found, stats);
    ASSERT_EQ(oracle::as_pairs(found), expected[i]) << name << ", frame " << i << ", two threads";
    contacts += expected[i].size();
  }
  std::printf("%s: %zu frames, %zu contacts, all as brute force\n", name, frames.size(), contacts);
  EXPECT_GT(contacts, 0U);
}

TEST(Soak, SortedBruteForceIsBruteForce) {
  std::size_t contacts = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const oracle::Soup soup = oracle::make_soup(
        seed, {.on_grid = seed % 2 == 0, .repeated_corners = seed % 4 == 1, .outlier = seed % 5 == 0 ? 1e3 : 0});
    for (const PairScope scope : {PairScope::all, PairScope::self, PairScope::between}) {
      const auto expected = oracle::brute_force(soup.positions.size(), soup.triangles, soup.object_of_triangle,
                                                soup.positions, 0.07, scope);
      ASSERT_EQ(oracle::sorted_brute_force(soup.triangles, soup.object_of_triangle, soup.positions, 0.07, scope),
                expected)
          << seed;
      contacts += expected.size();
    }
  }
  EXPECT_GT(contacts, 1000U);
}

TEST(Soak, EveryFrameOfTwoTori51200) {
  compare_large_frames("two-tori-25600");
}
TEST(Soak, EveryFrameOfTheRolledSheet) {
  compare_large_frames("rolled-sheet-20000");
}
TEST(Soak, EveryFrameOfTheSoftBalls) {
  compare_large_frames("soft-balls");
}
TEST(Soak, EveryFrameOfThePassingSheets) {
  compare_large_frames("passing-sheets");
}
TEST(Soak, TwoTori3200) {
  compare_every_frame("two-tori-1600", 1);
}
TEST(Soak, TwoTori12800) {
  compare_every_frame("two-tori-6400", 1);
}
TEST(Soak, TwoTori51200) {
  compare_every_frame("two-tori-25600", 60);
}
TEST(Soak, Knot) {
  compare_every_frame("knot", 1);
}
TEST(Soak, ClothOnBall) {
  compare_every_frame("particles-on-ball", 10);
}

}  // namespace
}  // namespace carom
