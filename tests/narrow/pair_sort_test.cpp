#include "narrow/pair_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace carom {
namespace {

TEST(PairSort, SortsAsTheStandardLibraryDoes) {
  std::mt19937_64 random(3);
  narrow::PairSort sort;
  narrow::RawNumbers out;
  for (const int threads : {1, 2}) {
    Workers workers(threads);
    for (const std::size_t count : {0, 1, 2, 39, 41, 500, 9000, 70000}) {
      for (const std::size_t first_count : {1U, 7U, 1000U, 3000000U}) {
        std::vector<kernels::PairList> lists(count > 100 && first_count != 1000 ? 5 : 1);
        std::vector<std::uint64_t> expected;
        std::set<std::uint64_t> drawn;
        while (expected.size() < count) {
          // Some firsts come often.
          const std::uint64_t first = (random() % 4 == 0 ? 0 : random()) % first_count;
          const std::uint64_t pair = first << 32U | random() % 1000000007U;
          if (!drawn.insert(pair).second) continue;  // no pair comes twice
          expected.push_back(pair);
          kernels::PairList& list = lists[random() % lists.size()];
          list.reserve_more(1);
          list.data[list.size++] = pair;
        }
        std::sort(expected.begin(), expected.end());
        std::vector<kernels::PairList*> pointers;
        for (kernels::PairList& list : lists) pointers.push_back(&list);
        sort.run(workers, pointers, out);
        ASSERT_EQ(std::vector<std::uint64_t>(out.span().begin(), out.span().end()), expected)
            << count << ' ' << first_count;
      }
    }
  }
}

}  // namespace
}  // namespace carom
