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
      make_lattice(region_of(in.objects, in.object_pairs), longest, 0, CellList::most_cells(in.triangles.size()));
  lattice.same = options.pairs != PairScope::between;
  lattice.different = options.pairs != PairScope::self;
  cells.lattices.assign(1, lattice);
}

void lattice_of_each_pair(Context& context, const In& in, CellScratch& cells) {
  collect_members_of_pairs(context, in.surface, in.triangles, in.objects, in.object_pairs, cells.append_members,
                           cells.members);
  cells.sort_members.run(context.workers, cells.members, 32,
                         [](const Member& member) { return static_cast<std::uint64_t>(member.lattice); });
  // Members of a pair stand together now, so a chunk has few runs to report.
  cells.append_sides.run(context.workers, cells.members.size(), grid_member_grain, cells.sides,
                         [&](std::size_t begin, std::size_t end, std::vector<CellScratch::Side>& out, std::size_t) {
                           for (std::size_t i = begin; i < end; ++i) {
                             const auto& [triangle, lattice] = cells.members[i];
                             if (i == begin || out.back().lattice != lattice) out.push_back({lattice, 0});
                             out.back().longest = std::max(
                                 out.back().longest, longest_side(in.triangles[static_cast<std::size_t>(triangle)]));
                           }
                         });
  cells.longest.assign(in.object_pairs.size(), 0);
  for (const auto& [lattice, longest] : cells.sides) {
    double& side = cells.longest[static_cast<std::size_t>(lattice)];
    side = std::max(side, longest);
  }
  cells.lattices.clear();
  const std::uint64_t most_cells =
      CellList::most_cells(in.triangles.size()) / std::max<std::size_t>(in.object_pairs.size(), 1);
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < in.object_pairs.size(); ++i) {
    const auto& [a, b] = in.object_pairs[i];
    const Box region = region_of(in.objects, in.object_pairs[i]);
    const double side = cells.longest[i] > 0 ? cells.longest[i] : longest_side(region);  // nothing in it: few cells
    Lattice lattice = make_lattice(region, side, first, most_cells);
    lattice.same = a == b;
    lattice.different = a != b;
    first += lattice.cells;
    cells.lattices.push_back(lattice);
  }
}

}  // namespace

void grid(Context& context, const In& in, const Options& options, Out& out, StageStats& stats) {
  CellScratch& cells = out.cells;
  if (options.grid_scope == GridScope::scene) {
    one_lattice(context, in, options, cells);
  } else {
    lattice_of_each_pair(context, in, cells);
  }
  cells.list.build(context, in.triangles, cells.members, cells.lattices);
  search_cells(context, in, options, cells, out, stats, [](CellPairs&) { return [](std::uint64_t, std::size_t) {}; });
}

}  // namespace carom::mid
