#include "core/strong_index.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "bodies/rigid.hpp"
#include "core/indices.hpp"

// Most of this file is tested by the compiler: a body slot where a collider is expected does not compile.
namespace carom {
namespace {

template <class Table, class Key>
concept Finds = requires(Table table, Key key) {
  table[key];
};

template <class To, class From>
concept Becomes = requires(From from) {
  To(from);
};

template <class A, class B>
concept Comparable = requires(A a, B b) {
  a == b;
};

// An index finds its own kind of things, and no number finds any.
static_assert(Finds<BySlot<int>, BodySlot>);
static_assert(Finds<const BySlot<int>, BodySlot>);
static_assert(Finds<SlotSpan<const int>, BodySlot>);
static_assert(!Finds<BySlot<int>, ColliderIndex>);
static_assert(!Finds<const BySlot<int>, ColliderIndex>);
static_assert(!Finds<SlotSpan<const int>, ColliderIndex>);
static_assert(!Finds<ByCollider<int>, BodySlot>);
static_assert(!Finds<ByManifold<int>, ColliderIndex>);
static_assert(!Finds<BySlot<int>, std::size_t>);
static_assert(!Finds<ColliderSpan<int>, int>);
static_assert(!Finds<std::vector<int>, BodySlot>);

// No kind becomes another, and none is compared with another or with a number.
static_assert(!Becomes<BodySlot, ColliderIndex>);
static_assert(!Becomes<std::int32_t, BodySlot>);
static_assert(!Becomes<std::size_t, ColliderIndex>);
static_assert(!std::is_convertible_v<std::int32_t, BodySlot>);
static_assert(!std::is_convertible_v<std::size_t, ColliderIndex>);
static_assert(!std::is_convertible_v<bool, BodySlot> && !Becomes<BodySlot, bool>);
static_assert(!Comparable<BodySlot, ColliderIndex>);
static_assert(!Comparable<BodySlot, std::int32_t>);
static_assert(Comparable<BodySlot, BodySlot>);

// A table by one kind of index is no table by another.
static_assert(std::is_convertible_v<BySlot<int>&, SlotSpan<int>>);
static_assert(std::is_convertible_v<const BySlot<int>&, SlotSpan<const int>>);
static_assert(std::is_convertible_v<SlotSpan<int>, SlotSpan<const int>>);
static_assert(!std::is_convertible_v<SlotSpan<const int>, SlotSpan<int>>);
static_assert(!std::is_convertible_v<const BySlot<int>&, SlotSpan<int>>);
static_assert(!std::is_convertible_v<BySlot<int>&, ColliderSpan<int>>);
static_assert(!std::is_convertible_v<SlotSpan<int>, ColliderSpan<const int>>);

// The tables of bodies and the list of colliders are such tables.
static_assert(Finds<decltype(rigid::Bodies::motion), BodySlot> &&
              !Finds<decltype(rigid::Bodies::motion), ColliderIndex>);
static_assert(Finds<decltype(rigid::Bodies::colliders), ColliderIndex> &&
              !Finds<decltype(rigid::Bodies::colliders), BodySlot>);

// At run time an index is a number and nothing more.
static_assert(sizeof(BodySlot) == 4 && alignof(BodySlot) == 4);
static_assert(std::is_trivially_copyable_v<BodySlot> && std::is_standard_layout_v<BodySlot>);
static_assert(sizeof(SlotSpan<int>) == sizeof(std::span<int>));
static_assert(sizeof(BySlot<int>) == sizeof(std::vector<int>));

TEST(StrongIndex, IsNoneUntilItIsSet) {
  EXPECT_FALSE(BodySlot().valid());
  EXPECT_EQ(BodySlot(), BodySlot::none);
  EXPECT_LT(BodySlot::none, BodySlot(0));
  EXPECT_TRUE(BodySlot(0).valid());
  EXPECT_EQ(BodySlot(std::size_t{7}).value(), 7);
  EXPECT_EQ(BodySlot(7U).offset(), 7U);
  EXPECT_EQ(BodySlot(7) - BodySlot(4), 3);
}

TEST(StrongIndex, VectorsAreWalkedByTheirOwnIndices) {
  ByCollider<int> list;
  EXPECT_EQ(list.push_back(10), ColliderIndex(0));
  EXPECT_EQ(list.push_back(11), ColliderIndex(1));
  EXPECT_EQ(list.emplace_back(), ColliderIndex(2));
  list[ColliderIndex(2)] = 12;
  int expected = 10;
  for (const ColliderIndex i : list.indices()) EXPECT_EQ(list[i], expected++);
  EXPECT_EQ(expected, 13);
  const ColliderSpan<int> span = list;
  span[ColliderIndex(1)] = 5;
  EXPECT_EQ(list[ColliderIndex(1)], 5);
  const ColliderSpan<const int> seen = span;
  EXPECT_EQ(&seen[ColliderIndex(1)], &list[ColliderIndex(1)]);
}

TEST(StrongIndex, RangesMayBeEmpty) {
  int count = 0;
  for (const ColliderIndex i : IndexRange<ColliderIndex>(ColliderIndex(3), 2)) count += i.value();
  EXPECT_EQ(count, 7);
  // Colliders of a slot without a body.
  for (const ColliderIndex i : rigid::Info().colliders()) count += 100 + i.value();
  EXPECT_EQ(count, 7);
}

}  // namespace
}  // namespace carom
