#include "core/radix_sort.hpp"

namespace carom::radix {

std::size_t grain_of(std::size_t count) {
  constexpr std::size_t smallest = 2048;
  constexpr std::size_t max_chunks = 256;
  return std::max(smallest, chunk_count(count, max_chunks));
}

bool counts_to_places(std::vector<Histogram>& counts, std::size_t count) {
  std::uint32_t place = 0;
  for (std::size_t digit = 0; digit < digits; ++digit) {
    const std::uint32_t before = place;
    for (Histogram& chunk : counts) place += std::exchange(chunk[digit], place);
    if (place - before == count) return false;
  }
  return true;
}

}  // namespace carom::radix
