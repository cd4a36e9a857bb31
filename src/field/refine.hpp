#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/radix_sort.hpp"
#include "field/cell_bounds.hpp"
#include "field/leaf.hpp"
#include "field/mesh_distance.hpp"

namespace carom::field {

/// Lengths of FieldOptions in meters.
struct RefineOptions {
  double tolerance = 0;
  double band = 0;
  double far_error = 0;
  std::size_t max_cells = 0;
};

/// Halves the cells of a grid until each has the error that is asked for. `Source` is an exact distance with a bound of
/// its interpolation: MeshDistance or ConvexDistance. Points are visited level by level; all work of a level is done in
/// parallel, and the number of each node and cell follows from the cells before it.
template <class Source>
class Refinement {
 public:
  Refinement(Workers& workers, const Source& source, const RefineOptions& options, FieldData& field)
      : workers_(workers), source_(source), options_(options), field_(field) {}

  void run() {
    std::vector<Leaf> cells = root_cells();
    cells_ = cells.size();
    halve_until_good(std::move(cells), false);
    constexpr int max_rounds = 24;
    for (int round = 0;; ++round) {
      const bool last = round == max_rounds || cells_ + 7 > options_.max_cells;
      const std::vector<std::uint32_t> coarse = join_values(workers_, field_, values_, leaves_, last);
      if (coarse.empty()) break;
      for (std::size_t level = 0; level < max_level; ++level) {
        std::vector<Leaf> forced;
        for (const std::uint32_t i : coarse) {
          if (leaves_[i].level != static_cast<int>(level)) continue;
          leaves_[i].halved = true;
          forced.push_back(leaves_[i]);
        }
        if (!forced.empty()) halve_until_good(std::move(forced), true);
      }
    }
    finish();
  }

 private:
  /// Error of a cell, as a fraction of the allowed one, above which it is halved: the rest is for corners that take the
  /// values of larger cells.
  static constexpr double own_part = 0.8;
  static constexpr std::size_t node_grain = 32;
  static constexpr std::size_t cell_grain = 32;

  /// Node of the grid to be computed, with nodes nearby that are known.
  struct NewNode {
    GridPoint place;
    std::array<std::uint32_t, 4> known;
  };

  std::uint32_t append_nodes(std::size_t count) {
    const std::size_t first = values_.size();
    values_.resize(first + count);
    nearest_.resize(first + count);
    places_.resize(first + count);
    return static_cast<std::uint32_t>(first);
  }

  void compute(std::uint32_t node, const NewNode& job, std::size_t known_count) {
    const Vec3 p = field_.position(job.place);
    double below = INFINITY;
    KnownSide side = 0;
    for (std::size_t k = 0; k < known_count; ++k) {
      const std::uint32_t other = job.known[k];
      const double apart = length(p - field_.position(places_[other]));
      const double from_other = std::abs(values_[other]);
      below = std::min(below, from_other + apart);
      // No surface between them.
      if (from_other > apart + 2 * source_.rounding(length(p))) side = values_[other] > 0 ? 1 : -1;
    }
    const ExactDistance exact = source_.at(p, below, side);
    values_[node] = exact.value;
    nearest_[node] = exact.nearest;
    places_[node] = job.place;
  }

  std::vector<Leaf> root_cells() {
    const std::array<std::uint32_t, 3> n = field_.roots;
    const auto number = [&](const GridPoint& p) { return p[0] + (n[0] + 1) * (p[1] + (n[1] + 1) * p[2]); };
    append_nodes(std::size_t{n[0] + 1} * (n[1] + 1) * (n[2] + 1));
    parallel_for(workers_, values_.size(), node_grain, [&](std::size_t i) {
      const auto index = static_cast<std::uint32_t>(i);
      const GridPoint p{index % (n[0] + 1), index / (n[0] + 1) % (n[1] + 1), index / ((n[0] + 1) * (n[1] + 1))};
      compute(index, {{p[0] * root_units, p[1] * root_units, p[2] * root_units}, {}}, 0);
    });
    std::vector<Leaf> cells;
    field_.tree.assign(std::size_t{n[0]} * n[1] * n[2], cell_bit);
    for (std::uint32_t z = 0; z < n[2]; ++z) {
      for (std::uint32_t y = 0; y < n[1]; ++y) {
        for (std::uint32_t x = 0; x < n[0]; ++x) {
          Leaf& cell = cells.emplace_back();
          cell.low = {x * root_units, y * root_units, z * root_units};
          cell.entry = static_cast<std::uint32_t>(field_.root_entry({x, y, z}));
          for (std::size_t k = 0; k < 8; ++k) cell.corners[k] = number(corner_at({x, y, z}, 1, k));
        }
      }
    }
    return cells;
  }

  CellSamples samples_of(const Leaf& cell) const {
    CellSamples s;
    const double h = field_.root_size / (1U << static_cast<unsigned>(cell.level));
    s.radius = 0.5 * std::sqrt(3.0) * h;
    s.middle = field_.position(places_[cell.middle]);
    s.middle_value = values_[cell.middle];
    s.middle_nearest = nearest_[cell.middle];
    for (std::size_t k = 0; k < 8; ++k) {
      s.corners[k] = field_.position(places_[cell.corners[k]]);
      s.values[k] = values_[cell.corners[k]];
      s.nearest[k] = nearest_[cell.corners[k]];
    }
    return s;
  }

  /// Halves cells that are too coarse, all of them the first time with `force`, and their halves; others become leaves.
  void halve_until_good(std::vector<Leaf> cells, bool force) {
    while (!cells.empty()) {
      if (!force) measure(cells);
      std::vector<Leaf> coarse;
      for (Leaf& cell : cells) {
        const bool halve = force || (cell.error > own_part * cell.allowed && cell.level < max_level);
        if (halve && cells_ + 7 * (coarse.size() + 1) <= options_.max_cells) {
          coarse.push_back(cell);
        } else {
          cell.halved = false;
          field_.tree[cell.entry] = cell_bit | static_cast<std::uint32_t>(leaves_.size());
          leaves_.push_back(cell);
        }
      }
      cells_ += 7 * coarse.size();
      cells = halves_of(coarse);
      force = false;
    }
  }

  /// Error of cells, and the error that is allowed.
  void measure(std::vector<Leaf>& cells) {
    const std::uint32_t first = append_nodes(cells.size());
    parallel_for(workers_, cells.size(), cell_grain, [&](std::size_t i) {
      Leaf& cell = cells[i];
      cell.middle = first + static_cast<std::uint32_t>(i);
      const std::uint32_t half = cell.size() / 2;
      const auto& c = cell.corners;
      std::array<std::uint32_t, 4> known{c[0], c[3], c[5], c[6]};
      // The farthest from the surface tells most of the side.
      for (const std::uint32_t k : c) {
        if (std::abs(values_[k]) > std::abs(values_[known[0]])) known[0] = k;
      }
      compute(cell.middle, {{cell.low[0] + half, cell.low[1] + half, cell.low[2] + half}, known}, 4);
      const CellSamples s = samples_of(cell);
      const double nearest = std::max(0.0, std::abs(s.middle_value) - s.radius);
      cell.allowed = options_.tolerance + options_.far_error * std::max(0.0, nearest - options_.band);
      const double slack = rounding_of(s);
      cell.error = source_.error_bound(s, own_part * cell.allowed - slack) + slack;
    });
  }

  /// Rounding of exact distances, and of values in single precision.
  double rounding_of(const CellSamples& s) const {
    double largest = 0;
    for (const double v : s.values) largest = std::max(largest, std::abs(v));
    return 2 * source_.rounding(length(s.middle) + s.radius) + 0x1p-23 * largest;
  }

  /// The eight halves of each cell; nodes on its edges and faces are computed, each once.
  std::vector<Leaf> halves_of(const std::vector<Leaf>& cells) {
    struct Wanted {
      std::uint64_t key;
      std::uint32_t cell;
      std::uint32_t place;  ///< 0 to 26, x fastest
    };
    std::vector<Wanted> wanted;
    wanted.reserve(18 * cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (std::uint32_t place = 0; place < 27; ++place) {
        if (is_known(place)) continue;
        const GridPoint p = lattice_point(cells[i], place);
        const std::uint64_t key = std::uint64_t{p[0]} | std::uint64_t{p[1]} << 21U | std::uint64_t{p[2]} << 42U;
        wanted.push_back({key, static_cast<std::uint32_t>(i), place});
      }
    }
    RadixSort<Wanted> sort;
    sort.run(workers_, wanted, 63, [](const Wanted& w) { return w.key; });
    std::vector<std::uint32_t> firsts;  // of each group of equal keys
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (i == 0 || wanted[i].key != wanted[i - 1].key) firsts.push_back(static_cast<std::uint32_t>(i));
    }
    const std::uint32_t first_node = append_nodes(firsts.size());
    parallel_for(workers_, firsts.size(), node_grain, [&](std::size_t i) {
      const Wanted& w = wanted[firsts[i]];
      compute(first_node + static_cast<std::uint32_t>(i), job_of(cells[w.cell], w.place), 3);
    });
    std::vector<std::array<std::uint32_t, 27>> lattice(cells.size());
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      const std::size_t end = i + 1 < firsts.size() ? firsts[i + 1] : wanted.size();
      for (std::size_t k = firsts[i]; k < end; ++k) {
        lattice[wanted[k].cell][wanted[k].place] = first_node + static_cast<std::uint32_t>(i);
      }
    }
    std::vector<Leaf> halves(8 * cells.size());
    const std::size_t first_entry = field_.tree.size();
    field_.tree.resize(first_entry + halves.size(), cell_bit);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Leaf& cell = cells[i];
      lattice[i][13] = cell.middle;
      for (std::size_t k = 0; k < 8; ++k) {
        lattice[i][(k & 1U) * 2 + (k >> 1U & 1U) * 6 + (k >> 2U & 1U) * 18] = cell.corners[k];
      }
      field_.tree[cell.entry] = static_cast<std::uint32_t>(first_entry + 8 * i);
      for (std::size_t k = 0; k < 8; ++k) {
        Leaf& half = halves[8 * i + k];
        half.level = cell.level + 1;
        half.low = corner_at(cell.low, cell.size() / 2, k);
        half.entry = static_cast<std::uint32_t>(first_entry + 8 * i + k);
        const std::size_t base = (k & 1U) + (k >> 1U & 1U) * 3 + (k >> 2U & 1U) * 9;
        for (std::size_t c = 0; c < 8; ++c) {
          half.corners[c] = lattice[i][base + (c & 1U) + (c >> 1U & 1U) * 3 + (c >> 2U & 1U) * 9];
        }
      }
    }
    return halves;
  }

  /// Corners and the middle of a cell, among the 27 nodes of its halves.
  static bool is_known(std::uint32_t place) {
    const std::uint32_t x = place % 3;
    const std::uint32_t y = place / 3 % 3;
    const std::uint32_t z = place / 9;
    return place == 13 || (x != 1 && y != 1 && z != 1);
  }

  static GridPoint lattice_point(const Leaf& cell, std::uint32_t place) {
    const std::uint32_t half = cell.size() / 2;
    return {cell.low[0] + half * (place % 3), cell.low[1] + half * (place / 3 % 3), cell.low[2] + half * (place / 9)};
  }

  /// Node on an edge or a face, with two corners on opposite sides of it and the middle of the cell.
  static NewNode job_of(const Leaf& cell, std::uint32_t place) {
    const std::array<std::uint32_t, 3> at{place % 3, place / 3 % 3, place / 9};
    std::size_t low = 0;
    std::size_t high = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (at[axis] == 2) low |= std::size_t{1} << axis;
      if (at[axis] >= 1) high |= std::size_t{1} << axis;
    }
    return {lattice_point(cell, place), {cell.corners[low], cell.corners[high], cell.middle, 0}};
  }

  /// Numbers the cells in the order of the tree, in which neighbors are near each other.
  void finish() {
    FieldReport& report = field_.report;
    report.nodes = values_.size();
    report.smallest_cell = INFINITY;
    std::vector<std::uint32_t> waiting;
    for (std::size_t root = std::size_t{field_.roots[0]} * field_.roots[1] * field_.roots[2]; root-- > 0;) {
      waiting.push_back(static_cast<std::uint32_t>(root));
    }
    while (!waiting.empty()) {
      const std::uint32_t entry = waiting.back();
      waiting.pop_back();
      const std::uint32_t content = field_.tree[entry];
      if ((content & cell_bit) == 0) {
        for (std::uint32_t k = 8; k-- > 0;) waiting.push_back(content + k);
        continue;
      }
      const Leaf& leaf = leaves_[content & ~cell_bit];
      field_.tree[entry] = cell_bit | static_cast<std::uint32_t>(field_.cells.size());
      field_.cells.push_back(leaf.values);
      const double error = leaf.error + leaf.joint;
      field_.errors.push_back(std::nextafter(static_cast<float>(error), std::numeric_limits<float>::infinity()));
      if (error > leaf.allowed) ++report.limited;
      const CellSamples s = samples_of(leaf);
      if (std::abs(s.middle_value) - s.radius < options_.band) {
        report.error = std::max(report.error, static_cast<double>(field_.errors.back()));
      }
      report.levels = std::max(report.levels, leaf.level + 1);
      report.smallest_cell = std::min(report.smallest_cell, s.radius / (0.5 * std::sqrt(3.0)));
    }
    report.cells = field_.cells.size();
    report.tolerance = options_.tolerance;
    report.band = options_.band;
    report.bytes = sizeof(FieldData) + field_.tree.size() * sizeof(std::uint32_t) +
                   field_.cells.size() * (sizeof(CornerValues) + sizeof(float));
  }

  Workers& workers_;
  const Source& source_;
  RefineOptions options_;
  FieldData& field_;
  std::size_t cells_ = 0;
  std::vector<double> values_;  ///< of nodes
  std::vector<Vec3> nearest_;
  std::vector<GridPoint> places_;
  std::vector<Leaf> leaves_;
};

}  // namespace carom::field
