#include "narrow/pair_sort.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/short_sort.hpp"

namespace carom::narrow {

namespace {

constexpr std::size_t max_ranges = 512;
/// Pairs of one range: its buckets fit the first-level cache.
constexpr std::size_t range_size = 8192;
/// Pairs of a range that is not worth buckets.
constexpr std::size_t run_limit = 16;

}  // namespace

void PairSort::sort_range(const std::uint64_t* from, std::uint64_t* to, std::size_t count, std::uint64_t lowest,
                          unsigned range_bits, std::vector<std::uint32_t>& counts) const {
  if (count <= run_limit) {
    std::copy_n(from, count, to);
    const auto end = static_cast<std::uint32_t>(count);
    kernels::sort_runs(to, &end, 1);
    return;
  }
  const unsigned bucket_bits = std::min(range_bits, static_cast<unsigned>(std::bit_width(count)));
  const unsigned shift = 32 + range_bits - bucket_bits;
  const std::size_t buckets = std::size_t{1} << bucket_bits;
  counts.assign(buckets + 1, 0);
  const auto bucket = [&](std::uint64_t pair) { return static_cast<std::size_t>((pair - lowest) >> shift); };
  for (std::size_t i = 0; i < count; ++i) ++counts[bucket(from[i]) + 1];
  for (std::size_t b = 0; b < buckets; ++b) counts[b + 1] += counts[b];
  for (std::size_t i = 0; i < count; ++i) to[counts[bucket(from[i])]++] = from[i];
  kernels::sort_runs(to, counts.data(), buckets);
}

/// Features near each other mostly have numbers near each other: ranges cover those that occur, not all there are.
PairSort::Extent PairSort::extent_of_firsts(Workers& workers, std::span<kernels::PairList* const> lists) {
  extents_.resize(lists.size());
  parallel_for(workers, lists.size(), 1, [&](std::size_t l) {
    Extent& extent = extents_[l] = {};
    const std::uint64_t* pairs = lists[l]->data;
    for (std::size_t i = 0; i < lists[l]->size; ++i) {
      extent.low = std::min(extent.low, pairs[i]);
      extent.high = std::max(extent.high, pairs[i]);
    }
  });
  Extent all;
  for (const Extent& extent : extents_) {
    all.low = std::min(all.low, extent.low);
    all.high = std::max(all.high, extent.high);
  }
  return {all.low >> 32U, all.high >> 32U};
}

void PairSort::run(Workers& workers, std::span<kernels::PairList* const> lists, RawNumbers& out) {
  std::size_t count = 0;
  for (const kernels::PairList* list : lists) count += list->size;
  out.resize(count);
  if (count == 0) return;
  const Extent firsts = extent_of_firsts(workers, lists);
  const std::uint64_t lowest = firsts.low << 32U;
  const auto bits = static_cast<unsigned>(std::bit_width(firsts.high - firsts.low));
  const std::size_t wanted = std::min(max_ranges, std::bit_ceil(count / range_size + 1));
  const unsigned top_bits = std::min(bits, static_cast<unsigned>(std::bit_width(wanted) - 1));
  const unsigned range_bits = bits - top_bits;
  const std::size_t ranges = std::size_t{1} << top_bits;
  if (counts_.size() < ranges) counts_.resize(ranges);
  if (ranges == 1 && lists.size() == 1) {
    sort_range(lists[0]->data, out.data(), count, lowest, range_bits, counts_[0]);
    return;
  }
  RawNumbers& ranged = lists.size() == 1 ? out : ranged_;
  ranged.resize(count);
  places_.assign(lists.size() * ranges, 0);
  const auto range_of = [&](std::uint64_t pair) {
    return static_cast<std::size_t>((pair - lowest) >> (32 + range_bits));
  };
  parallel_for(workers, lists.size(), 1, [&](std::size_t l) {
    std::uint32_t* place = places_.data() + l * ranges;
    const std::uint64_t* pairs = lists[l]->data;
    for (std::size_t i = 0; i < lists[l]->size; ++i) ++place[range_of(pairs[i])];
  });
  ranges_.resize(ranges);
  std::size_t at = 0;
  for (std::size_t r = 0; r < ranges; ++r) {
    ranges_[r].begin = at;
    for (std::size_t l = 0; l < lists.size(); ++l) {
      const std::uint32_t here = places_[l * ranges + r];
      places_[l * ranges + r] = static_cast<std::uint32_t>(at);
      at += here;
    }
    ranges_[r].end = at;
  }
  parallel_for(workers, lists.size(), 1, [&](std::size_t l) {
    std::uint32_t* place = places_.data() + l * ranges;
    const std::uint64_t* pairs = lists[l]->data;
    for (std::size_t i = 0; i < lists[l]->size; ++i) ranged.data()[place[range_of(pairs[i])]++] = pairs[i];
  });
  // From the ranges into the other array of the two.
  std::uint64_t* const to = lists.size() == 1 ? lists[0]->data : out.data();
  parallel_for(workers, ranges, 1, [&](std::size_t r) {
    const auto [begin, end] = ranges_[r];
    sort_range(ranged.data() + begin, to + begin, end - begin, lowest + (std::uint64_t{r} << (32 + range_bits)),
               range_bits, counts_[r]);
  });
  if (lists.size() == 1) out.swap(*lists[0]);
}

}  // namespace carom::narrow
