#include "response/colours.hpp"

#include <bit>

namespace carom::colours {

void assign(std::span<const std::int32_t> a, std::span<const std::int32_t> b, std::size_t bodies,
            std::vector<std::uint64_t>& used, std::vector<std::int32_t>& colour) {
  used.assign(bodies, 0);
  colour.resize(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::uint64_t nothing = 0;
    std::uint64_t& of_a = a[i] >= 0 ? used[static_cast<std::size_t>(a[i])] : nothing;
    std::uint64_t nothing_else = 0;
    std::uint64_t& of_b = b[i] >= 0 ? used[static_cast<std::size_t>(b[i])] : nothing_else;
    const int free = std::countr_one(of_a | of_b);
    if (free >= max_colours) {
      colour[i] = leftover;
      continue;
    }
    of_a |= std::uint64_t{1} << static_cast<unsigned>(free);
    of_b |= std::uint64_t{1} << static_cast<unsigned>(free);
    colour[i] = free;
  }
}

}  // namespace carom::colours
