#include "core/radix_sort.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "narrow/hit.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

struct Item {
  std::uint64_t key = 0;
  std::uint32_t value = 0;  ///< where it was: shows whether equal keys kept their order
  friend bool operator==(const Item&, const Item&) = default;
};

std::vector<Item> numbered(const std::vector<std::uint64_t>& keys) {
  std::vector<Item> items;
  for (const std::uint64_t key : keys) items.push_back({key, static_cast<std::uint32_t>(items.size())});
  return items;
}

std::vector<Item> twin(std::vector<Item> items, int bits) {
  const auto low = [bits](std::uint64_t key) { return bits == 64 ? key : key % (std::uint64_t{1} << bits); };
  std::stable_sort(items.begin(), items.end(), [&](const Item& a, const Item& b) { return low(a.key) < low(b.key); });
  return items;
}

class ParallelRadixSort : public testing::TestWithParam<int> {
 protected:
  void expect_sorted(std::vector<Item> items, int bits) {
    const std::vector<Item> expected = twin(items, bits);
    sort_.run(workers_, items, bits, [](const Item& item) { return item.key; });
    ASSERT_EQ(items, expected) << bits << " bits, " << items.size() << " items";
  }
  Workers workers_{GetParam()};
  RadixSort<Item> sort_;  // kept from list to list, as a caller would
};

TEST_P(ParallelRadixSort, EqualsTheStableSortForAnyListAndNumberOfBits) {
  EXPECT_TRUE(rc::check("radix sort is the stable sort", [&] {
    // A short list is sorted in another way than a long one, so lists of both kinds.
    const auto size = static_cast<std::size_t>(*rc::gen::inRange(0, 300));
    // Few different keys, keys close to each other, or any keys at all.
    const int kind = *rc::gen::inRange(0, 3);
    const auto key = kind == 0   ? rc::gen::inRange<std::uint64_t>(0, 4)
                     : kind == 1 ? rc::gen::inRange<std::uint64_t>(0x1234500, 0x1234800)
                                 : rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>());
    const auto keys = *rc::gen::container<std::vector<std::uint64_t>>(size, key);
    const int bits = *rc::gen::inRange(0, 65);
    const std::vector<Item> items = numbered(keys);
    std::vector<Item> sorted = items;
    sort_.run(workers_, sorted, bits, [](const Item& item) { return item.key; });
    RC_ASSERT(sorted == twin(items, bits));
  }));
}

TEST_P(ParallelRadixSort, EqualsTheStableSortOverManyChunks) {
  std::mt19937_64 random(7);
  for (const std::size_t count : {std::size_t{8191}, std::size_t{8193}, std::size_t{100'000}}) {
    for (const std::uint64_t mask : {~0ULL, 0xffULL, 0xf00f00f00f00f00fULL, 0x8000000000000001ULL}) {
      std::vector<std::uint64_t> keys(count);
      for (std::uint64_t& key : keys) key = random() & mask;
      expect_sorted(numbered(keys), 64);
      expect_sorted(numbered(keys), 37);
    }
  }
}

TEST_P(ParallelRadixSort, KeysThatAreAllTheSameStayWhereTheyAre) {
  expect_sorted(numbered(std::vector<std::uint64_t>(20'000, 0xfedcba9876543210ULL)), 64);
  expect_sorted({}, 64);
  expect_sorted({{5, 0}}, 64);
}

/// By the second number, then by the first: the order of the pairs, as the sort is stable.
TEST_P(ParallelRadixSort, TwoRunsPutHitsInCanonicalOrder) {
  std::mt19937_64 random(3);
  std::vector<narrow::Hit> hits;
  for (int i = 0; i < 30'000; ++i) {
    const auto index = [&] { return static_cast<Index>(random() % 1000); };
    hits.push_back(i % 2 == 0 ? narrow::pack_vertex_face(index(), index())
                              : narrow::pack_edge_edge({index(), index()}, {index(), index()}));
  }
  std::vector<narrow::Hit> expected = hits;
  std::sort(expected.begin(), expected.end());
  RadixSort<narrow::Hit> sort;
  sort.run(workers_, hits, 64, [](const narrow::Hit& hit) { return hit.b; });
  sort.run(workers_, hits, 64, [](const narrow::Hit& hit) { return hit.a; });
  EXPECT_EQ(hits, expected);
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelRadixSort, testing::Values(1, 2, 4));

}  // namespace
}  // namespace carom
