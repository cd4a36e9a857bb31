#include "broad/broad.hpp"

#include <gtest/gtest.h>

#include "oracle/soup.hpp"

namespace carom {
namespace {

std::vector<Box> random_boxes(std::uint64_t seed, std::size_t count, double size) {
  std::mt19937_64 random(seed);
  std::vector<Box> boxes(count);
  for (Box& box : boxes) {
    for (std::size_t k = 0; k < 3; ++k) {
      // On a grid, so that many boxes just touch.
      box.min[k] = static_cast<float>(std::floor(oracle::uniform(random) * 20) / 20);
      box.max[k] = box.min[k] + static_cast<float>(std::floor(oracle::uniform(random) * 20 * size) / 20);
    }
  }
  return boxes;
}

TEST(Broad, FindsExactlyThePairsThatOverlap) {
  Workers workers(1);
  Arena arena;
  Context context{workers, arena};
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::vector<Box> boxes = random_boxes(seed, seed, 0.3);
    for (const PairScope scope : {PairScope::all, PairScope::between, PairScope::self}) {
      std::vector<broad::ObjectPair> expected;
      for (Index i = 0; i < static_cast<Index>(boxes.size()); ++i) {
        for (Index j = i; j < static_cast<Index>(boxes.size()); ++j) {
          const bool wanted = scope == PairScope::all || (i == j) == (scope == PairScope::self);
          const Box& a = boxes[static_cast<std::size_t>(i)];
          const Box& b = boxes[static_cast<std::size_t>(j)];
          bool apart = false;
          for (std::size_t k = 0; k < 3; ++k) apart = apart || a.min[k] > b.max[k] || b.min[k] > a.max[k];
          if (wanted && !apart) expected.push_back({i, j});
        }
      }
      broad::Out out;
      StageStats stats;
      broad::run(context, {boxes}, {scope}, out, stats);
      ASSERT_EQ(out.pairs, expected);
      EXPECT_EQ(stats.out, expected.size());
      EXPECT_EQ(stats.in - stats.culled_total(), stats.out);
    }
  }
}

}  // namespace
}  // namespace carom
