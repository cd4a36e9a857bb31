#include <gtest/gtest.h>

#include "oracle/brute_force.hpp"
#include "oracle/scene_frames.hpp"

namespace carom {
namespace {

/// Detection on frames of a built-in scene against the twin, for all pairs of features.
std::size_t compare_scene(const char* name, int first, int last, int every) {
  World world = build_world(find_scene(name));
  const double distance = world.options().contact.distance;
  std::size_t contacts = 0;
  for (int step = 0; step <= last; ++step) {
    if (step > 0) world.step();
    if (step < first || (step - first) % every != 0) continue;
    const oracle::Joined joined = oracle::join(world);
    const auto expected = oracle::brute_force(joined.positions.size(), joined.triangles, joined.object_of_triangle,
                                              joined.positions, distance, PairScope::all, true);
    const Surface surface(joined.positions.size(), joined.triangles, joined.object_of_triangle);
    for (const std::string_view method : detect_methods()) {
      const auto found = detect(surface, joined.positions, {.distance = distance, .method = std::string(method)});
      EXPECT_EQ(oracle::as_pairs(found), expected) << name << ", step " << step << ", " << method;
    }
    contacts += expected.size();
  }
  return contacts;
}

TEST(DetectScene, TwoToriEqualBruteForce) {
  EXPECT_GT(compare_scene("two-tori-1600", 40, 240, 20), 500U);
}
TEST(DetectScene, TwoToriOf12800TrianglesEqualBruteForce) {
  EXPECT_GT(compare_scene("two-tori-6400", 100, 100, 1), 500U);
}
TEST(DetectScene, KnotEqualsBruteForce) {
  EXPECT_GT(compare_scene("knot", 180, 280, 50), 50U);
}
TEST(DetectScene, ClothOnBallEqualsBruteForce) {
  EXPECT_GT(compare_scene("particles-on-ball", 100, 300, 100), 500U);
}

}  // namespace
}  // namespace carom
