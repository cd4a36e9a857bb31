#include "core/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

#include "carom/core/error.hpp"
#include "core/available_cores.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

class Parallel : public testing::TestWithParam<int> {};

TEST_P(Parallel, ForVisitsEachIndexOnce) {
  Workers workers(GetParam());
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{1000}}) {
    std::vector<int> visits(count, 0);
    parallel_for(workers, count, 64, [&](std::size_t i) { ++visits[i]; });
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), static_cast<std::ptrdiff_t>(count));
  }
}

TEST_P(Parallel, ReduceOfFloatsIsTheSumOfChunksInOrder) {
  std::mt19937_64 random(1);
  std::vector<double> values(100'000);
  for (double& value : values) value = oracle::uniform(random) * std::pow(10.0, oracle::uniform(random) * 20 - 10);
  constexpr std::size_t grain = 137;
  double expected = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += grain) {
    double chunk = 0;
    for (std::size_t i = begin; i < std::min(begin + grain, values.size()); ++i) chunk += values[i];
    expected += chunk;
  }
  Workers workers(GetParam());
  std::vector<double> partial;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const double sum = parallel_reduce(
        workers, values.size(), grain, 0.0,
        [&](std::size_t begin, std::size_t end) {
          return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                 values.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
        },
        [](double a, double b) { return a + b; }, partial);
    ASSERT_EQ(sum, expected);
  }
}

TEST_P(Parallel, OrderedAppendReadsAsIfOneHadFilledIt) {
  Workers workers(GetParam());
  OrderedAppend<std::size_t> append;
  std::vector<std::size_t> result;
  for (const std::size_t count : {std::size_t{5000}, std::size_t{10}, std::size_t{0}, std::size_t{7777}}) {
    append.run(workers, count, 16, result,
               [](std::size_t begin, std::size_t end, std::vector<std::size_t>& out, std::size_t) {
                 for (std::size_t i = begin; i < end; ++i) out.insert(out.end(), i % 4, i);
               });
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < count; ++i) expected.insert(expected.end(), i % 4, i);
    ASSERT_EQ(result, expected);
  }
}

TEST_P(Parallel, WritesOfChunksAreSeenAfterwards) {
  Workers workers(GetParam());
  std::vector<std::size_t> data(10'000);
  for (int round = 0; round < 50; ++round) {
    parallel_for(workers, data.size(), 100, [&](std::size_t i) { data[i] += i; });
    const std::size_t total = std::accumulate(data.begin(), data.end(), std::size_t{0});
    ASSERT_EQ(total, (static_cast<std::size_t>(round) + 1) * data.size() * (data.size() - 1) / 2);
  }
}

TEST_P(Parallel, AnExceptionReachesTheCaller) {
  Workers workers(GetParam());
  EXPECT_THROW(parallel_for(workers, 1000, 1,
                            [](std::size_t i) {
                              if (i == 500) throw std::runtime_error("500");
                            }),
               std::runtime_error);
}

TEST_P(Parallel, GatheredLoopsOfAllLengthsVisitEachIndexOnce) {
  Workers workers(GetParam());
  std::vector<std::size_t> visits(500, 0);
  for (std::size_t round = 1; round <= 30; ++round) {
    const Workers::Session session(workers);
    // A loop may begin before the one that came last to the one before has seen that it is over.
    for (std::size_t count = 0; count < visits.size(); ++count) {
      parallel_for(workers, count, 1 + count % 7, [&](std::size_t i) { ++visits[i]; });
    }
    for (std::size_t i = 0; i < visits.size(); ++i) ASSERT_EQ(visits[i], round * (visits.size() - 1 - i));
  }
}

TEST_P(Parallel, AnExceptionOfAGatheredLoopReachesTheCallerAndEndsNothingElse) {
  Workers workers(GetParam());
  const Workers::Session session(workers);
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(parallel_for(workers, 1000, 1,
                              [](std::size_t i) {
                                if (i % 300 == 200) throw std::runtime_error("200, 500 or 800");
                              }),
                 std::runtime_error);
    std::vector<int> visits(1000, 0);
    parallel_for(workers, visits.size(), 1, [&](std::size_t i) { ++visits[i]; });
    EXPECT_EQ(visits, std::vector<int>(1000, 1));
  }
}

TEST_P(Parallel, LoopsWithinGatheredLoopsAndGatheringsWithinGatheringsEnd) {
  Workers workers(GetParam());
  const Workers::Session session(workers);
  std::vector<std::atomic<int>> visits(64);
  for (int round = 0; round < 20; ++round) {
    const Workers::Session again(workers);
    parallel_for(workers, 8, 1,
                 [&](std::size_t i) { parallel_for(workers, 8, 1, [&](std::size_t k) { ++visits[8 * i + k]; }); });
  }
  for (const std::atomic<int>& n : visits) EXPECT_EQ(n, 20);
}

/// Longer than threads spin and yield before they sleep.
constexpr std::chrono::milliseconds long_wait{3};

TEST_P(Parallel, LoopsAfterALongWaitVisitEachIndexOnce) {
  Workers workers(GetParam());
  std::vector<int> visits(100, 0);
  for (int round = 0; round < 5; ++round) {
    const Workers::Session session(workers);
    for (int loop = 0; loop < 5; ++loop) {
      // The others wait for the loop, then the caller waits for the last chunk, in whose hands it may be.
      if (loop % 2 == 0) std::this_thread::sleep_for(long_wait);
      parallel_for(workers, visits.size(), 1, [&](std::size_t i) {
        if (i % 50 == 0) std::this_thread::sleep_for(long_wait);
        ++visits[i];
      });
    }
    std::this_thread::sleep_for(long_wait);
  }
  EXPECT_EQ(visits, std::vector<int>(100, 25));
}

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 4));

TEST(ParallelWorkers, UsesAsManyThreadsAsAsked) {
  Workers workers(3);
  EXPECT_EQ(workers.threads(), 3);
  // Three chunks that wait for each other end only if three threads run them, also on two cores.
  const auto meet = [&] {
    std::atomic<int> arrived{0};
    parallel_for(workers, 3, 1, [&](std::size_t) {
      ++arrived;
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (arrived < 3 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    });
    return arrived.load();
  };
  EXPECT_EQ(meet(), 3);
  {
    const Workers::Session session(workers);
    EXPECT_EQ(meet(), 3);
    std::this_thread::sleep_for(long_wait);
    EXPECT_EQ(meet(), 3) << "who has gone to sleep comes back";
  }
  workers.set_threads(1);
  EXPECT_EQ(workers.threads(), 1);
}

TEST(ParallelWorkers, UsesNoMoreThreadsThanThereAreCores) {
  set_thread_limit(0);
  Workers workers(max_threads);
  const Workers all(0);
  set_thread_limit(max_threads);  // as the other tests have it
  EXPECT_EQ(workers.threads(), available_cores());
  EXPECT_EQ(all.threads(), available_cores());
  std::mutex mutex;
  std::set<std::thread::id> ids;
  const auto run = [&] {
    parallel_for(workers, 5000, 1, [&](std::size_t i) {
      if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
    });
  };
  run();
  {
    const Workers::Session session(workers);
    run();
  }
  EXPECT_LE(ids.size(), static_cast<std::size_t>(available_cores()));
}

TEST(ParallelWorkers, ZeroMeansAllAndNonsenseIsRefused) {
  EXPECT_GE(Workers(0).threads(), 1);
  for (const int threads : {-1, max_threads + 1, 1'000'000}) {
    try {
      const Workers workers(threads);
      ADD_FAILURE() << "accepted " << threads;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_NE(std::string(error.what()).find(std::to_string(threads)), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace carom
