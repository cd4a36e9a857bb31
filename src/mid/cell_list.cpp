#include "mid/cell_list.hpp"

#include <algorithm>
#include <bit>

#include "core/check.hpp"

namespace carom::mid {

namespace {

constexpr std::size_t cell_member_grain = 4096;
constexpr std::size_t entry_grain = 16384;
constexpr std::size_t cell_grain = 4096;

unsigned index_bits_of(std::size_t triangles) {
  return static_cast<unsigned>(std::bit_width(triangles));
}

}  // namespace

std::size_t lattice_of(std::span<const Lattice> lattices, std::uint64_t cell) {
  const auto after = std::upper_bound(lattices.begin(), lattices.end(), cell,
                                      [](std::uint64_t c, const Lattice& lattice) { return c < lattice.first; });
  return static_cast<std::size_t>(after - lattices.begin()) - 1;
}

std::uint64_t CellList::max_cells(std::size_t triangles) {
  return std::uint64_t{1} << (64 - begins_bits - index_bits_of(triangles));
}

void CellList::build(Context& context, std::span<const Box> triangles, std::span<const Member> members,
                     std::span<const Lattice> lattices) {
  index_bits_ = index_bits_of(triangles.size());
  index_mask_ = (std::uint64_t{1} << index_bits_) - 1;
  fill(context, triangles, members, lattices);
  const unsigned low = index_bits_ + begins_bits;
  sort_.run(context.workers, entries_, static_cast<int>(64 - low), [low](std::uint64_t entry) { return entry >> low; });
  find_cells(context);
  order_crowded_cells(context, triangles, lattices);
}

// Each chunk counts its entries, then writes them where those of the chunks before it end: the list
// is as if one had filled it in order, and is held once only.
void CellList::fill(Context& context, std::span<const Box> triangles, std::span<const Member> members,
                    std::span<const Lattice> lattices) {
  const auto range_of = [&](const Member& member) {
    return covers(lattices[static_cast<std::size_t>(member.lattice)],
                  triangles[static_cast<std::size_t>(member.triangle)]);
  };
  offsets_.assign(chunk_count(members.size(), cell_member_grain) + 1, 0);
  parallel_chunks(context.workers, members.size(), cell_member_grain,
                  [&](std::size_t begin, std::size_t end, std::size_t chunk) {
                    std::size_t count = 0;
                    for (std::size_t i = begin; i < end; ++i) count += range_of(members[i]).count();
                    offsets_[chunk + 1] = count;
                  });
  for (std::size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
  require(offsets_.back() <= UINT32_MAX, ErrorCode::unsupported,
          "{} triangles cover {} cells of the grid in all; at most {} can be listed", members.size(), offsets_.back(),
          UINT32_MAX);
  entries_.resize(offsets_.back());
  parallel_chunks(context.workers, members.size(), cell_member_grain,
                  [&](std::size_t begin, std::size_t end, std::size_t chunk) {
                    std::uint64_t* next = entries_.data() + offsets_[chunk];
                    for (std::size_t i = begin; i < end; ++i) {
                      const auto index = static_cast<std::uint64_t>(members[i].triangle);
                      for_each_cell(lattices[static_cast<std::size_t>(members[i].lattice)], range_of(members[i]),
                                    [&](std::uint64_t cell, unsigned begins) {
                                      *next++ = (cell << index_bits_ | index) << begins_bits | begins;
                                    });
                    }
                  });
}

void CellList::find_cells(Context& context) {
  append_.run(context.workers, entries_.size(), entry_grain, starts_,
              [&](std::size_t begin, std::size_t end, std::vector<std::uint32_t>& out, std::size_t) {
                for (std::size_t i = begin; i < end; ++i) {
                  if (i == 0 || cell(entries_[i]) != cell(entries_[i - 1]))
                    out.push_back(static_cast<std::uint32_t>(i));
                }
              });
  starts_.push_back(static_cast<std::uint32_t>(entries_.size()));
}

void CellList::order_crowded_cells(Context& context, std::span<const Box> triangles,
                                   std::span<const Lattice> lattices) {
  parallel_for(context.workers, cell_count(), cell_grain, [&](std::size_t i) {
    if (start(i + 1) - start(i) <= max_by_pairs) return;
    const std::size_t axis = lattices[lattice_of(lattices, cell(entries_[start(i)]))].widest;
    std::sort(entries_.data() + start(i), entries_.data() + start(i + 1), [&](std::uint64_t a, std::uint64_t b) {
      const float a_min = triangles[triangle(a)].min[axis];
      const float b_min = triangles[triangle(b)].min[axis];
      return a_min != b_min ? a_min < b_min : a < b;
    });
  });
}

}  // namespace carom::mid
