#include "core/stages.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace carom {
namespace {

/// Each stage reads what all blocks of the one before wrote.
TEST(ParallelStages, EachBeginsWhenTheOneBeforeIsDone) {
  const std::vector<std::uint32_t> blocks{7, 1, 0, 40, 3, 40, 2};
  for (const int threads : {1, 2, 4}) {
    Workers workers(threads);
    StageRunner runner;
    for (int round = 0; round < 50; ++round) {
      std::vector<std::vector<std::uint64_t>> sums;
      for (const std::uint32_t n : blocks) sums.emplace_back(n, 0);
      runner.run(workers, blocks, [&](std::size_t stage, std::uint32_t block) {
        std::uint64_t sum = block + 1;
        for (std::size_t s = 0; s < stage; ++s) {
          for (const std::uint64_t value : sums[s]) sum += value;
        }
        sums[stage][block] = sum;
      });
      std::uint64_t before = 0;
      for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
        std::uint64_t all = 0;
        for (std::uint32_t block = 0; block < blocks[stage]; ++block) {
          EXPECT_EQ(sums[stage][block], before + block + 1);
          all += before + block + 1;
        }
        before += all;
      }
    }
  }
}

/// The others must not wait for a block that will never be done, and the next run is as good as any.
TEST(ParallelStages, AnExceptionEndsAll) {
  const std::vector<std::uint32_t> blocks{8, 8, 8};
  for (const int threads : {1, 2, 4}) {
    Workers workers(threads);
    StageRunner runner;
    for (int round = 0; round < 20; ++round) {
      std::vector<std::uint8_t> last(8, 0);
      const auto body = [&](std::size_t stage, std::uint32_t block) {
        if (stage == 1 && block == 5) throw std::runtime_error("block 5");
        if (stage == 2) last[block] = 1;
      };
      EXPECT_THROW(runner.run(workers, blocks, body), std::runtime_error);
      EXPECT_EQ(last, std::vector<std::uint8_t>(8, 0));
      std::vector<std::uint8_t> done(8, 0);
      runner.run(workers, blocks, [&](std::size_t, std::uint32_t block) { done[block] = 1; });
      EXPECT_EQ(done, std::vector<std::uint8_t>(8, 1));
    }
  }
}

}  // namespace
}  // namespace carom
