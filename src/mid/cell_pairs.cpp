#include "mid/cell_pairs.hpp"

#include <algorithm>
#include <iterator>

namespace carom::mid {

namespace {

bool are_wanted(const Lattice& lattice, Index object_a, Index object_b) {
  return object_a == object_b ? lattice.same : lattice.different;
}

constexpr std::size_t largest = CellList::max_by_pairs;

/// A cell's triangles as columns, for a loop over pairs that the compiler turns into vector code: four
/// bytes in every column, no branch.
struct Columns {
  std::array<std::array<float, largest>, 3> min;
  std::array<std::array<float, largest>, 3> max;
  std::array<std::uint32_t, largest> begins;
  std::array<Index, largest> object;
  std::array<Index, largest> triangle;
};

// What a pair is, as numbers that add up over a row of up to 64 of them without running into each other.
constexpr std::uint32_t pair_bit = 1U;
constexpr std::uint32_t here_unit = 1U << 8U;
constexpr std::uint32_t wanted_unit = 1U << 16U;

/// results[j] for the pairs of entry i with the entries j after it.
template <bool by_object>
void test_row(const Columns& cell, std::size_t i, std::size_t size, bool same, std::uint32_t* __restrict results) {
  const float min_x = cell.min[0][i];
  const float min_y = cell.min[1][i];
  const float min_z = cell.min[2][i];
  const float max_x = cell.max[0][i];
  const float max_y = cell.max[1][i];
  const float max_z = cell.max[2][i];
  const std::uint32_t begins = cell.begins[i];
  const Index object = cell.object[i];
  const std::uint32_t wanted_if_same = same ? wanted_unit | pair_bit : 0;
  const std::uint32_t wanted_if_not = same ? 0 : wanted_unit | pair_bit;
  for (std::size_t j = i + 1; j < size; ++j) {
    std::uint32_t result = wanted_unit | pair_bit;
    if constexpr (by_object) result = cell.object[j] == object ? wanted_if_same : wanted_if_not;
    result |= here_unit;
    result = (begins | cell.begins[j]) == 7U ? result : 0;
    std::uint32_t apart = cell.min[0][j] > max_x ? pair_bit : 0;
    apart |= cell.max[0][j] < min_x ? pair_bit : 0;
    apart |= cell.min[1][j] > max_y ? pair_bit : 0;
    apart |= cell.max[1][j] < min_y ? pair_bit : 0;
    apart |= cell.min[2][j] > max_z ? pair_bit : 0;
    apart |= cell.max[2][j] < min_z ? pair_bit : 0;
    results[j] = result & ~apart;
  }
}

}  // namespace

void CellPairs::within(const Lattice& lattice, std::size_t cell_size, std::size_t begin, std::size_t row_end,
                       std::size_t end) {
  if (cell_size > largest) {
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

  Columns cell;
  const bool by_object = !lattice.same || !lattice.different;
  bool one_object = true;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t entry = list_.entries()[begin + i];
    const std::size_t triangle = list_.triangle(entry);
    cell.triangle[i] = static_cast<Index>(triangle);
    cell.begins[i] = CellList::begins(entry);
    cell.object[i] = by_object ? object_of_[triangle] : 0;
    one_object = one_object && cell.object[i] == cell.object[0];
  }
  if (one_object && !lattice.same) {
    counts_.object += met;
    return;
  }
  for (std::size_t i = 0; i < size; ++i) {
    const Box& box = triangles_[static_cast<std::size_t>(cell.triangle[i])];
    for (std::size_t k = 0; k < 3; ++k) {
      cell.min[k][i] = box.min[k];
      cell.max[k][i] = box.max[k];
    }
  }

  std::array<std::uint32_t, largest> results;
  std::size_t count = 0;
  std::size_t here = 0;
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (by_object) {
      test_row<true>(cell, i, size, lattice.same, results.data());
    } else {
      test_row<false>(cell, i, size, true, results.data());
    }
    // Every pair is written and the next one overwrites it unless it was good: whether it is cannot be
    // foreseen, and a branch guessed wrong costs more than a store. Entries of such a cell ascend.
    std::uint32_t sum = 0;
    for (std::size_t j = i + 1; j < size; ++j) {
      found_[count] = {cell.triangle[i], cell.triangle[j]};
      count += results[j] & pair_bit;
      sum += results[j];
    }
    here += sum / here_unit % 256U;
    wanted += sum / wanted_unit;
  }
  const auto found = std::span(found_).first(count);
  if (filter_ == nullptr) {
    pairs_.insert(pairs_.end(), found.begin(), found.end());
  } else {
    const std::size_t before = pairs_.size();
    std::remove_copy_if(found.begin(), found.end(), std::back_inserter(pairs_),
                        [this](const TrianglePair& pair) { return filtered(pair); });
    counts_.object += before + count - pairs_.size();
  }
  counts_.cell += met - here;
  counts_.object += here - wanted;
  counts_.box += wanted - count;
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

bool CellPairs::filtered(const TrianglePair& pair) const {
  return filter_->verdict(object_of_[static_cast<std::size_t>(pair.a)], object_of_[static_cast<std::size_t>(pair.b)]) !=
         broad::Verdict::allowed;
}

void CellPairs::test(const Lattice& lattice, std::size_t a, unsigned begins_a, std::uint64_t entry_b) {
  const std::size_t b = list_.triangle(entry_b);
  if ((begins_a | CellList::begins(entry_b)) != 7U) {
    ++counts_.cell;
  } else if (!are_wanted(lattice, object_of_[a], object_of_[b])) {
    ++counts_.object;
  } else if (!overlap(triangles_[a], triangles_[b])) {
    ++counts_.box;
  } else {
    const TrianglePair pair{static_cast<Index>(std::min(a, b)), static_cast<Index>(std::max(a, b))};
    if (filter_ != nullptr && filtered(pair)) {
      ++counts_.object;
    } else {
      pairs_.push_back(pair);
    }
  }
}

}  // namespace carom::mid
