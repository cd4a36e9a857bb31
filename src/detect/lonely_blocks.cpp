#include "detect/lonely_blocks.hpp"

#include <algorithm>

#include "core/at.hpp"

namespace carom::detection {

namespace {

/// Boxes of partners that each block of an object is compared with: of more, one around all of them.
constexpr std::uint32_t max_partners = 32;

}  // namespace

void LonelyBlocks::leave_out(const In& in, std::vector<std::int32_t>& chosen) {
  const std::size_t count = in.self_wanted.size();
  // Where all objects touch themselves nothing is lonely.
  if (std::ranges::find(in.self_wanted, std::uint8_t{0}) == in.self_wanted.end()) return;
  objects_.assign(count, {});
  for (const std::int32_t b : chosen) objects_[at(in.blocks[at(b)].object)].include(in.boxes[at(b)]);

  begin_.assign(count + 2, 0);
  for (const auto& [a, b] : in.pairs) {
    if (a == b) continue;
    ++begin_[at(a) + 2];
    ++begin_[at(b) + 2];
  }
  for (std::size_t o = 0; o < count; ++o) begin_[o + 2] += begin_[o + 1];
  partners_.resize(begin_[count + 1]);
  for (const auto& [a, b] : in.pairs) {
    if (a == b) continue;
    partners_[begin_[at(a) + 1]++] = objects_[at(b)];
    partners_[begin_[at(b) + 1]++] = objects_[at(a)];
  }
  for (std::size_t o = 0; o < count; ++o) {
    if (begin_[o + 1] - begin_[o] <= max_partners) continue;
    kernels::UnitBox& all = partners_[begin_[o]];
    for (std::uint32_t p = begin_[o] + 1; p < begin_[o + 1]; ++p) all.include(partners_[p]);
  }

  std::erase_if(chosen, [&](std::int32_t b) {
    const std::size_t o = at(in.blocks[at(b)].object);
    if (in.self_wanted[o] != 0) return false;
    const std::uint32_t partners = begin_[o + 1] - begin_[o];
    const auto first = partners_.begin() + begin_[o];
    return std::none_of(first, first + (partners > max_partners ? 1 : partners),
                        [&](const kernels::UnitBox& box) { return in.boxes[at(b)].meets(box); });
  });
}

}  // namespace carom::detection
