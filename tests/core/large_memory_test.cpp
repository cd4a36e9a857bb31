#include "core/large_memory.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace carom {
namespace {

/// From small blocks to those that come in large pages, and from one of these to the next.
TEST(LargeMemory, KeepsWhatWasInUse) {
  std::size_t* numbers = nullptr;
  std::size_t used = 0;
  for (const std::size_t wanted :
       {std::size_t{10}, std::size_t{10'000}, std::size_t{1'100'000}, std::size_t{3'000'000}}) {
    void* memory = grow_memory(numbers, used * sizeof(std::size_t), wanted * sizeof(std::size_t));
    ASSERT_NE(memory, nullptr);
    numbers = static_cast<std::size_t*>(memory);
    for (std::size_t i = 0; i < used; ++i) ASSERT_EQ(numbers[i], i);
    std::iota(numbers, numbers + wanted, std::size_t{0});
    used = wanted;
  }
  std::free(numbers);
}

}  // namespace
}  // namespace carom
