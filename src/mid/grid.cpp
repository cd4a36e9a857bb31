#include "mid/grid.hpp"

#include "mid/cell_search.hpp"

namespace carom::mid {

namespace {

constexpr std::size_t grid_member_grain = 4096;

void one_lattice(Context& context, const In& in, const Options& options, CellScratch& cells) {
  collect_members(context, in.surface, in.triangles, in.objects, in.object_pairs, options.pairs, cells.append_members,
                  cells.members);
  const double longest = parallel_reduce(
      context.workers, cells.members.size(), grid_member_grain, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double side = 0;
        for (std::size_t i = begin; i < end; ++i) {
          side = std::max(side, longest_side(in.triangles[static_cast<std::size_t>(cells.members[i].triangle)]));
        }
        return side;
      },
      [](double a, double b) { return std::max(a, b); }, cells.longest);
  // The overlap of two triangles is inside that of their objects, so what sticks out of the regions may
  // count to the cells at the rim.
  Lattice lattice =
      make_lattice(region_of(in.objects, in.object_pairs), longest, 0, CellList::max_cells(in.triangles.size()));
  lattice.same = options.pairs != PairScope::between;
  lattice.different = options.pairs != PairScope::self;
  cells.lattices.assign(1, lattice);
}

}  // namespace

void grid(Context& context, const In& in, const Options& options, Out& out, StageStats& stats) {
  CellScratch& cells = out.cells;
  one_lattice(context, in, options, cells);
  cells.list.build(context, in.triangles, cells.members, cells.lattices);
  search_cells(context, in, options, cells, out, stats, [](CellPairs&) { return [](std::uint64_t, std::size_t) {}; });
}

}  // namespace carom::mid
