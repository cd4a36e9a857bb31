#include "core/phased_loop.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace carom {
namespace {

/// Each stage reads what all blocks of the one before wrote.
TEST(ParallelStages, EachBeginsWhenTheOneBeforeIsDone) {
  const std::vector<std::uint32_t> blocks{7, 1, 0, 40, 3, 40, 2};
  for (const int threads : {1, 2, 4}) {
    Workers workers(threads);
    PhasedLoop runner;
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

/// Longer than threads spin and yield before they sleep.
TEST(ParallelStages, ALongBlockIsWaitedFor) {
  const std::vector<std::uint32_t> blocks{4, 1, 4};
  for (const int threads : {1, 2, 4}) {
    Workers workers(threads);
    PhasedLoop runner;
    std::vector<int> done(3, 0);
    for (int round = 1; round <= 5; ++round) {
      runner.run(workers, blocks, [&](std::size_t stage, std::uint32_t block) {
        if (block != 0) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        if (stage > 0) {
          EXPECT_EQ(done[stage - 1], round);
        }
        ++done[stage];
      });
      EXPECT_EQ(done, std::vector<int>(3, round));
    }
  }
}

/// The others must not wait for a block that will never be done, and the next run is as good as any.
TEST(ParallelStages, AnExceptionEndsAll) {
  const std::vector<std::uint32_t> blocks{8, 8, 8};
  for (const int threads : {1, 2, 4}) {
    Workers workers(threads);
    PhasedLoop runner;
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
