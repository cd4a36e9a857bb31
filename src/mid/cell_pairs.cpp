#include "mid/cell_pairs.hpp"

namespace carom::mid {

namespace {

bool wanted(const Lattice& lattice, Index object_a, Index object_b) {
  return object_a == object_b ? lattice.same : lattice.different;
}

constexpr std::size_t most = CellList::most_by_pairs;

/// A cell's triangles side by side, for the loop over their pairs.
struct Gathered {
  std::array<Box, most> box;
  std::array<Index, most> triangle;
  std::array<Index, most> object;
  std::array<unsigned, most> begins;
};

}  // namespace

void CellPairs::within(const Lattice& lattice, std::size_t cell_size, std::size_t begin, std::size_t row_end,
                       std::size_t end) {
  if (cell_size > most) {
    by_sweep(lattice, begin, row_end, end);
  } else {
    by_pairs(lattice, begin, row_end, end);
  }
}

void CellPairs::by_pairs(const Lattice& lattice, std::size_t begin, std::size_t row_end, std::size_t end) {
  const std::size_t size = end - begin;
  const std::size_t rows = row_end - begin;
  const std::size_t met = rows * (size - 1) - rows * (rows - 1) / 2;
  counts_.met += met;
  if (met == 0) return;

  Gathered cell;
  const bool all_wanted = lattice.same && lattice.different;
  bool one_object = true;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t entry = list_.entries()[begin + i];
    const std::size_t triangle = list_.triangle(entry);
    cell.triangle[i] = static_cast<Index>(triangle);
    cell.begins[i] = CellList::begins(entry);
    cell.object[i] = all_wanted ? 0 : object_of_[triangle];
    one_object = one_object && cell.object[i] == cell.object[0];
  }
  if (one_object && !lattice.same) {
    counts_.object += met;
    return;
  }
  for (std::size_t i = 0; i < size; ++i) cell.box[i] = triangles_[static_cast<std::size_t>(cell.triangle[i])];

  // Every pair is written and the next one overwrites it unless it was good: whether it is cannot be
  // foreseen, and a branch guessed wrong costs more than a store.
  std::array<TrianglePair, most*(most - 1) / 2> found;
  std::size_t count = 0;
  std::size_t elsewhere = 0;
  std::size_t unwanted = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const Box a = cell.box[i];
    const Index triangle = cell.triangle[i];
    const Index object = cell.object[i];
    const unsigned begins = cell.begins[i];
    for (std::size_t j = i + 1; j < size; ++j) {
      const Box& b = cell.box[j];
      const bool here = (begins | cell.begins[j]) == 7U;
      const bool want = object == cell.object[j] ? lattice.same : lattice.different;
      const auto near = static_cast<unsigned>(a.min[0] <= b.max[0]) & static_cast<unsigned>(b.min[0] <= a.max[0]) &
                        static_cast<unsigned>(a.min[1] <= b.max[1]) & static_cast<unsigned>(b.min[1] <= a.max[1]) &
                        static_cast<unsigned>(a.min[2] <= b.max[2]) & static_cast<unsigned>(b.min[2] <= a.max[2]);
      found[count] = {triangle, cell.triangle[j]};  // entries of such a cell ascend
      elsewhere += static_cast<std::size_t>(!here);
      unwanted += static_cast<std::size_t>(here) & static_cast<std::size_t>(!want);
      count += static_cast<std::size_t>(here) & static_cast<std::size_t>(want) & near;
    }
  }
  pairs_.insert(pairs_.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
  counts_.cell += elsewhere;
  counts_.object += unwanted;
  counts_.box += met - elsewhere - unwanted - count;
}

void CellPairs::by_sweep(const Lattice& lattice, std::size_t begin, std::size_t row_end, std::size_t end) {
  const auto entries = list_.entries();
  const std::size_t axis = lattice.widest;
  for (std::size_t i = begin; i < row_end; ++i) {
    const std::size_t a = list_.triangle(entries[i]);
    const float reach = triangles_[a].max[axis];
    std::size_t j = i + 1;
    for (; j < end && triangles_[list_.triangle(entries[j])].min[axis] <= reach; ++j) {
      test(lattice, a, CellList::begins(entries[i]), entries[j]);
    }
    counts_.met += end - i - 1;
    counts_.box += end - j;
  }
}

void CellPairs::against(const Lattice& lattice, std::size_t triangle, unsigned begins, std::size_t begin,
                        std::size_t end) {
  counts_.met += end - begin;
  for (std::size_t j = begin; j < end; ++j) test(lattice, triangle, begins, list_.entries()[j]);
}

void CellPairs::test(const Lattice& lattice, std::size_t a, unsigned begins_a, std::uint64_t entry_b) {
  const std::size_t b = list_.triangle(entry_b);
  if ((begins_a | CellList::begins(entry_b)) != 7U) {
    ++counts_.cell;
  } else if (!wanted(lattice, object_of_[a], object_of_[b])) {
    ++counts_.object;
  } else if (!overlap(triangles_[a], triangles_[b])) {
    ++counts_.box;
  } else {
    pairs_.push_back({static_cast<Index>(std::min(a, b)), static_cast<Index>(std::max(a, b))});
  }
}

}  // namespace carom::mid
