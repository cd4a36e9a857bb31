#pragma once

#include <cstddef>
#include <cstdint>

namespace carom::kernels {

/// Sorts runs of numbers below 2^63, all different, each in its place. Run i ends before `ends[i]`, where the next
/// begins; the first begins at 0. Made for runs of a few: the place of a number is how many are less, counted for a
/// vector of them at once, without a branch on any.
void sort_runs(std::uint64_t* numbers, const std::uint32_t* ends, std::size_t count);

}  // namespace carom::kernels
