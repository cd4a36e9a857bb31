#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/parallel.hpp"

namespace carom {

namespace radix {

// 256 counters and the 256 places that a pass writes to fit the first-level cache. Digits of 11 bits won
// on lists of ten thousand and lost on lists of a million.
inline constexpr int digit_bits = 8;
inline constexpr std::size_t digits = std::size_t{1} << digit_bits;
using Histogram = std::array<std::uint32_t, digits>;

/// Items of a chunk: by the number of items alone, at most 256 chunks, so that adding up their
/// histograms stays a small part of a pass.
std::size_t grain_of(std::size_t count);

/// counts[chunk][digit] becomes the place of the first item of that chunk with that digit. False if all
/// items have one and the same digit: the pass would change nothing.
bool counts_to_places(std::vector<Histogram>& counts, std::size_t count);

}  // namespace radix

/// Stable sort by an unsigned key, least significant digit first: two passes over the items for each
/// byte of the key in which they differ. A stable order is unique, so it is the same for any number of
/// threads; every chunk counts for itself and writes to places of its own. Keep one: a warm call
/// allocates nothing.
template <class Item>
class RadixSort {
  static_assert(std::is_trivially_copyable_v<Item>);

 public:
  /// key(item) gives a std::uint64_t, of which the lowest `bits` (0 to 64) count.
  template <class Key>
  void run(Workers& workers, std::vector<Item>& items, int bits, Key&& key) {
    assert(bits >= 0 && bits <= 64);
    if (items.size() < 2 || bits == 0) return;
    assert(items.size() <= UINT32_MAX);
    const std::uint64_t counted =
        bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << static_cast<unsigned>(bits)) - 1;
    const auto masked = [&](const Item& item) { return static_cast<std::uint64_t>(key(item)) & counted; };
    if (items.size() <= insertion_limit) {
      insertion_sort(items, masked);
      return;
    }
    const std::size_t grain = radix::grain_of(items.size());
    std::uint64_t open = varying_bits(workers, items, grain, masked);
    while (open != 0) {
      const int shift = std::countr_zero(open);  // a digit begins at the lowest bit that differs
      pass(workers, items, grain, [&](const Item& item) { return masked(item) >> shift & (radix::digits - 1); });
      open = shift + radix::digit_bits >= 64 ? 0 : open >> (shift + radix::digit_bits) << (shift + radix::digit_bits);
    }
  }

 private:
  static constexpr std::size_t insertion_limit = 48;

  template <class Key>
  static void insertion_sort(std::vector<Item>& items, const Key& key) {
    for (std::size_t i = 1; i < items.size(); ++i) {
      const Item item = items[i];
      const std::uint64_t k = key(item);
      std::size_t j = i;
      for (; j > 0 && key(items[j - 1]) > k; --j) items[j] = items[j - 1];
      items[j] = item;
    }
  }

  /// The bits in which not all keys are the same.
  template <class Key>
  std::uint64_t varying_bits(Workers& workers, const std::vector<Item>& items, std::size_t grain, const Key& key) {
    const std::uint64_t first = key(items.front());
    return parallel_reduce(
        workers, items.size(), grain, std::uint64_t{0},
        [&](std::size_t begin, std::size_t end) {
          std::uint64_t different = 0;
          for (std::size_t i = begin; i < end; ++i) different |= key(items[i]) ^ first;
          return different;
        },
        [](std::uint64_t a, std::uint64_t b) { return a | b; }, different_);
  }

  template <class Digit>
  void pass(Workers& workers, std::vector<Item>& items, std::size_t grain, const Digit& digit) {
    counts_.resize(chunk_count(items.size(), grain));
    parallel_chunks(workers, items.size(), grain, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
      radix::Histogram& count = counts_[chunk];
      count.fill(0);
      for (std::size_t i = begin; i < end; ++i) ++count[digit(items[i])];
    });
    if (!radix::counts_to_places(counts_, items.size())) return;
    other_.resize(items.size());
    parallel_chunks(workers, items.size(), grain, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
      radix::Histogram& place = counts_[chunk];
      for (std::size_t i = begin; i < end; ++i) other_[place[digit(items[i])]++] = items[i];
    });
    std::swap(items, other_);
  }

  std::vector<Item> other_;
  std::vector<radix::Histogram> counts_;
  std::vector<std::uint64_t> different_;
};

}  // namespace carom
