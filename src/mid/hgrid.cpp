#include "mid/hgrid.hpp"

#include <cmath>

#include "mid/cell_search.hpp"

namespace carom::mid {

namespace {

constexpr std::size_t hgrid_member_grain = 8192;

/// The power of two that is just above the longest side of a box: from -148 to 130.
std::size_t size_class(double side) {
  int exponent = 0;
  std::frexp(side, &exponent);
  return static_cast<std::size_t>(std::clamp(exponent + 150, 0, CellScratch::size_classes - 1));
}

CellScratch::Sizes sizes_of_members(Context& context, const In& in, CellScratch& cells) {
  return parallel_reduce(
      context.workers, cells.members.size(), hgrid_member_grain, CellScratch::Sizes{},
      [&](std::size_t begin, std::size_t end) {
        CellScratch::Sizes part{};
        for (std::size_t i = begin; i < end; ++i) {
          const double side = longest_side(in.triangles[static_cast<std::size_t>(cells.members[i].triangle)]);
          double& longest = part[size_class(side)];
          longest = std::max(longest, side);
        }
        return part;
      },
      [](CellScratch::Sizes a, const CellScratch::Sizes& b) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::max(a[i], b[i]);
        return a;
      },
      cells.sizes);
}

/// Levels from fine to coarse, each of two powers of two: with one, the triangles of a mesh of a
/// single resolution would fall on two or three levels and pay for looking each other up.
void make_levels(const CellScratch::Sizes& sizes, const Box& region, PairScope scope, std::uint64_t max_cells,
                 CellScratch& cells, std::array<Index, CellScratch::size_classes>& level_of_class) {
  level_of_class.fill(none);
  cells.longest.clear();
  for (std::size_t top = sizes.size(); top-- > 0;) {
    if (sizes[top] == 0) continue;
    const auto level = static_cast<Index>(cells.longest.size());
    cells.longest.push_back(sizes[top]);
    level_of_class[top] = level;
    if (top > 0) level_of_class[--top] = level;
  }
  const std::size_t levels = cells.longest.size();
  for (Index& level : level_of_class) {
    if (level != none) level = static_cast<Index>(levels) - 1 - level;
  }
  cells.lattices.clear();
  std::uint64_t first = 0;
  for (std::size_t i = levels; i-- > 0;) {
    Lattice lattice = make_lattice(region, cells.longest[i], first, max_cells / levels);
    lattice.same = scope != PairScope::between;
    lattice.different = scope != PairScope::self;
    first += lattice.cells;
    cells.lattices.push_back(lattice);
  }
}

/// The place in the list of the first cell whose number is not below this, among [from, to).
std::size_t first_cell_from(const CellList& list, std::uint64_t number, std::size_t from, std::size_t to) {
  while (from < to) {
    const std::size_t middle = from + (to - from) / 2;
    if (list.cell(list.entries()[list.start(middle)]) < number) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

/// Takes a triangle to the cells of all levels coarser than its own.
class CoarserLevels {
 public:
  CoarserLevels(const In& in, const CellScratch& cells, CellPairs& pairs) : in_(in), cells_(cells), pairs_(pairs) {
    cache_.fill({~std::uint64_t{0}, 0});
  }

  void operator()(std::uint64_t entry, std::size_t level) {
    // Of the entries of a triangle exactly one begins along all axes: it stands for the triangle.
    if (CellList::begins(entry) != 7U) return;
    const std::size_t triangle = cells_.list.triangle(entry);
    for (++level; level < cells_.lattices.size(); ++level) {
      const Lattice& lattice = cells_.lattices[level];
      for_each_cell(lattice, covers(lattice, in_.triangles[triangle]), [&](std::uint64_t cell, unsigned begins) {
        const std::size_t place = find(cell, level);
        if (place != absent) {
          pairs_.against(lattice, triangle, begins, cells_.list.start(place), cells_.list.start(place + 1));
        }
      });
    }
  }

 private:
  static constexpr std::size_t absent = ~std::size_t{0};

  /// Neighbouring triangles ask for the same few coarse cells again and again.
  std::size_t find(std::uint64_t cell, std::size_t level) {
    auto& [known, place] = cache_[cell % cache_.size()];
    if (known == cell) return place;
    const std::size_t end = cells_.level_starts[level + 1];
    known = cell;
    place = first_cell_from(cells_.list, cell, cells_.level_starts[level], end);
    if (place == end || cells_.list.cell(cells_.list.entries()[cells_.list.start(place)]) != cell) place = absent;
    return place;
  }

  const In& in_;
  const CellScratch& cells_;
  CellPairs& pairs_;
  std::array<std::pair<std::uint64_t, std::size_t>, 64> cache_;
};

}  // namespace

void hgrid(Context& context, const In& in, const Options& options, Out& out, StageStats& stats) {
  CellScratch& cells = out.cells;
  collect_members(context, in.surface, in.triangles, in.objects, in.object_pairs, options.pairs, cells.append_members,
                  cells.members);
  const CellScratch::Sizes sizes = sizes_of_members(context, in, cells);
  std::array<Index, CellScratch::size_classes> level_of_class;
  make_levels(sizes, region_of(in.objects, in.object_pairs), options.pairs, CellList::max_cells(in.triangles.size()),
              cells, level_of_class);
  parallel_for(context.workers, cells.members.size(), hgrid_member_grain, [&](std::size_t i) {
    Member& member = cells.members[i];
    member.lattice = level_of_class[size_class(longest_side(in.triangles[static_cast<std::size_t>(member.triangle)]))];
  });
  cells.list.build(context, in.triangles, cells.members, cells.lattices);

  cells.level_starts.clear();
  for (const Lattice& lattice : cells.lattices) {
    cells.level_starts.push_back(first_cell_from(cells.list, lattice.first, 0, cells.list.cell_count()));
  }
  cells.level_starts.push_back(cells.list.cell_count());
  search_cells(context, in, options, cells, out, stats,
               [&](CellPairs& pairs) { return CoarserLevels(in, cells, pairs); });
  stats.add_counted("levels", cells.lattices.size());
}

}  // namespace carom::mid
