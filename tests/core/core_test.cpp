#include <gtest/gtest.h>

#include <cstring>
#include <memory_resource>

#include "carom/core/stats.hpp"
#include "core/arena.hpp"
#include "core/slot_map.hpp"

namespace carom {
namespace {

TEST(SlotMapIds, AStaleIdIsNotTheBodyThatTookItsPlace) {
  SlotMap<int, BodyTag> map;
  const BodyId first = map.insert(1);
  const BodyId second = map.insert(2);
  EXPECT_TRUE(first);
  EXPECT_NE(first, second);
  map.erase(first);
  EXPECT_FALSE(map.contains(first));
  const BodyId third = map.insert(3);
  EXPECT_EQ(third.index, first.index);
  EXPECT_NE(third, first);
  EXPECT_FALSE(map.contains(first));
  EXPECT_EQ(map[third], 3);
  EXPECT_EQ(map[second], 2);
  EXPECT_FALSE(map.contains(BodyId{}));
  EXPECT_FALSE(BodyId{});
}

TEST(ArenaMemory, IsAlignedSeparateAndReused) {
  Arena arena;
  for (int round = 0; round < 3; ++round) {
    const auto bytes = arena.make<char>(3);
    const auto numbers = arena.make<double>(1000);
    const auto more = arena.make<std::uint16_t>(100'000);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % alignof(double), 0U);
    std::memset(bytes.data(), 1, bytes.size_bytes());
    std::memset(numbers.data(), 2, numbers.size_bytes());
    std::memset(more.data(), 3, more.size_bytes());
    EXPECT_EQ(bytes[2], 1);
    EXPECT_EQ(reinterpret_cast<const unsigned char*>(numbers.data())[7999], 2);
    arena.reset();
  }
  const std::size_t warm = arena.capacity();
  for (int round = 0; round < 10; ++round) {
    std::pmr::vector<int> list(&arena);
    for (int i = 0; i < 1000; ++i) list.push_back(i);
    EXPECT_EQ(list[999], 999);
    arena.reset();
  }
  EXPECT_EQ(arena.capacity(), warm);
}

TEST(Stats, CulledAddsUpByReason) {
  StageStats a;
  a.in = 10;
  a.add_culled("box", 3);
  a.add_culled("cone", 1);
  a.add_culled("box", 2);
  StageStats b = a;
  b.add(a);
  ASSERT_EQ(b.culled().size(), 2U);
  EXPECT_EQ(b.culled()[0].reason, "box");
  EXPECT_EQ(b.culled()[0].count, 10U);
  EXPECT_EQ(b.culled_total(), 12U);
  EXPECT_EQ(b.in, 20U);
  EXPECT_EQ(to_string(Stage::commit), "commit");
}

TEST(Stats, CountedAddsUpByName) {
  StageStats a;
  a.add_counted("cells", 3);
  a.add_counted("entries", 10);
  a.add_counted("cells", 4);
  StageStats b = a;
  b.add(a);
  ASSERT_EQ(b.counted().size(), 2U);
  EXPECT_EQ(b.counted()[0].name, "cells");
  EXPECT_EQ(b.counted()[0].count, 14U);
  EXPECT_EQ(b.counted()[1].count, 20U);
  EXPECT_EQ(b.culled_total(), 0U);
}

TEST(Stats, ReasonsAndNamesAreAsManyAsAreAdded) {
  constexpr std::array<std::string_view, 20> names{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
                                                   "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"};
  for (const std::size_t count : {std::size_t{7}, std::size_t{8}, std::size_t{9}, names.size()}) {
    StageStats stats;
    stats.in = 11;
    stats.limited = 12;
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < count; ++i) {
        stats.add_culled(names[i], i + 1);
        stats.add_counted(names[count - 1 - i], 10 * i);
      }
    }
    StageStats sum = stats;
    sum.add(stats);
    const StageStats moved = std::move(sum);
    EXPECT_EQ(moved.in, 22U);
    EXPECT_EQ(moved.limited, 24U);
    EXPECT_EQ(moved.culled_total(), 4 * count * (count + 1) / 2);
    ASSERT_EQ(moved.culled().size(), count);
    ASSERT_EQ(moved.counted().size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(moved.culled()[i].reason, names[i]);
      EXPECT_EQ(moved.culled()[i].count, 4 * (i + 1));
      EXPECT_EQ(moved.counted()[i].name, names[count - 1 - i]);
      EXPECT_EQ(moved.counted()[i].count, 40 * i);
    }
    stats = {};
    EXPECT_TRUE(stats.culled().empty());
    EXPECT_TRUE(stats.counted().empty());
  }
}

}  // namespace
}  // namespace carom
