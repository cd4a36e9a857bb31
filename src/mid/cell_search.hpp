#pragma once

#include "mid/cell_scratch.hpp"
#include "mid/mid.hpp"

namespace carom::mid {

/// All pairs within the cells of the list, and what more finds besides: make_more(pairs) is called for
/// each chunk and its result, more(entry, lattice), for each entry. Fills out.pairs and the counts.
template <class MakeMore>
void search_cells(Context& context, const In& in, const Options& options, CellScratch& cells, Out& out,
                  StageStats& stats, MakeMore&& make_more) {
  constexpr std::size_t grain = 4096;
  const CellList& list = cells.list;
  const auto entries = list.entries();
  const std::span<const Lattice> lattices = cells.lattices;
  cells.counts.assign(chunk_count(entries.size(), grain), {});
  out.append.run(context.workers, entries.size(), grain, out.pairs,
                 [&](std::size_t begin, std::size_t end, std::vector<TrianglePair>& found, std::size_t chunk) {
                   CellPairs pairs(list, in.triangles, in.surface.object_index_of_triangle(), options.filter, found,
                                   cells.counts[chunk]);
                   auto more = make_more(pairs);
                   std::size_t lattice = lattice_of(lattices, list.cell(entries[begin]));
                   for_each_part(list, begin, end, [&](std::size_t cell, std::size_t row, std::size_t row_end) {
                     const std::uint64_t number = list.cell(entries[row]);
                     while (lattice + 1 < lattices.size() && number >= lattices[lattice + 1].first) ++lattice;
                     const std::size_t cell_end = list.start(cell + 1);
                     pairs.within(lattices[lattice], cell_end - list.start(cell), row, row_end, cell_end);
                     for (; row < row_end; ++row) more(entries[row], lattice);
                   });
                 });
  CellPairCounts total;
  for (const CellPairCounts& count : cells.counts) {
    total.met += count.met;
    total.cell += count.cell;
    total.object += count.object;
    total.box += count.box;
  }
  stats.in += total.met;
  stats.add_culled("cell", total.cell);
  stats.add_culled("object", total.object);
  stats.add_culled("box", total.box);
  stats.add_counted("triangles", cells.members.size());
  stats.add_counted("cells", list.cell_count());
  stats.add_counted("entries", entries.size());
}

}  // namespace carom::mid
