#include "kernels/short_sort.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/short_sort.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<std::int64_t, 8>;
constexpr std::size_t lanes = hn::MaxLanes(D());

/// Runs of more are left to std::sort, those of fewer lanes than this to insertion.
constexpr std::size_t max_parts = 4;
constexpr std::size_t insertion_limit = 24;

[[maybe_unused]] void sort_by_insertion(std::uint64_t* first, std::size_t count) {
  for (std::size_t i = 1; i < count; ++i) {
    const std::uint64_t item = first[i];
    std::size_t j = i;
    for (; j > 0 && first[j - 1] > item; --j) first[j] = first[j - 1];
    first[j] = item;
  }
}

#if HWY_TARGET != HWY_SCALAR

template <std::size_t parts>
HWY_INLINE void sort_by_rank(std::uint64_t* first, std::size_t count) {
  const D d;
  const auto* numbers = reinterpret_cast<const std::int64_t*>(first);
  const auto one = hn::Set(d, 1);
  hn::Vec<D> values[parts];
  hn::Vec<D> ranks[parts];
  for (std::size_t p = 0; p < parts; ++p) {
    const std::size_t here = std::min(count - p * lanes, lanes);
    values[p] = hn::MaskedLoad(hn::FirstN(d, here), d, numbers + p * lanes);
    ranks[p] = hn::Zero(d);
  }
  for (std::size_t j = 0; j < count; ++j) {
    const auto other = hn::Set(d, numbers[j]);
    for (std::size_t p = 0; p < parts; ++p)
      ranks[p] = hn::IfThenElse(hn::Gt(values[p], other), hn::Add(ranks[p], one), ranks[p]);
  }
  alignas(64) std::int64_t value[parts * lanes];
  alignas(64) std::int64_t rank[parts * lanes];
  for (std::size_t p = 0; p < parts; ++p) {
    hn::Store(values[p], d, value + p * lanes);
    hn::Store(ranks[p], d, rank + p * lanes);
  }
  for (std::size_t i = 0; i < count; ++i) first[rank[i]] = static_cast<std::uint64_t>(value[i]);
}

#endif

HWY_INLINE void sort_run(std::uint64_t* first, std::size_t count) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (lanes >= 4) {
    if (count <= 2) {
      if (first[1] < first[0]) std::swap(first[0], first[1]);
    } else if (count <= lanes) {
      sort_by_rank<1>(first, count);
    } else if (count <= 2 * lanes) {
      sort_by_rank<2>(first, count);
    } else if (count <= 3 * lanes) {
      sort_by_rank<3>(first, count);
    } else if (count <= max_parts * lanes) {
      sort_by_rank<4>(first, count);
    } else {
      std::sort(first, first + count);
    }
    return;
  }
#endif
  if (count <= insertion_limit) {
    sort_by_insertion(first, count);
  } else {
    std::sort(first, first + count);
  }
}

void sort_runs_of(std::uint64_t* numbers, const std::uint32_t* ends, std::size_t count) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = ends[i];
    if (end - begin > 1) sort_run(numbers + begin, end - begin);
    begin = end;
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(sort_runs_of);

void sort_runs(std::uint64_t* numbers, const std::uint32_t* ends, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(sort_runs_of)(numbers, ends, count);
}

}  // namespace carom::kernels
#endif
