#include "broad/cells_finder.hpp"

#include <cmath>

namespace carom::broad {

namespace {

/// Along an axis. The grid has its middle at the origin of the wide boxes; what is beyond counts to the outermost
/// cells.
constexpr double max_cells = 1 << 21;

/// A box that covers more cells is not put into them.
constexpr std::size_t max_covered = 64;

/// Tests for each box beyond which it gives up, if it may.
constexpr std::size_t max_tests = 256;

/// Flags of proxies that are not in the lists, or there but not any more.
constexpr std::uint8_t fresh = 1;
constexpr std::uint8_t gone = 2;

/// Cells are larger than most boxes by this: smaller ones hold the same box more often, larger ones more strangers.
constexpr double cell_in_boxes = 1.4;
constexpr double max_boxes = 0.8;  // the share of them

std::uint64_t cell_key(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return std::uint64_t{x} | std::uint64_t{y} << 21U | std::uint64_t{z} << 42U;
}

}  // namespace

void CellsFinder::choose_cell(std::span<const Box> boxes, std::span<const std::uint32_t> indices) {
  double cell = wanted_;
  if (cell == 0) {
    sizes_.clear();
    const std::size_t step = indices.size() / 1024 + 1;
    for (std::size_t j = 0; j < indices.size(); j += step) {
      const Box& box = boxes[indices[j]];
      double size = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        size = std::max(size, static_cast<double>(box.max[k]) - static_cast<double>(box.min[k]));
      }
      sizes_.push_back(size);
    }
    if (sizes_.empty()) return;
    const auto place = sizes_.begin() + static_cast<std::ptrdiff_t>(max_boxes * static_cast<double>(sizes_.size()));
    std::nth_element(sizes_.begin(), place, sizes_.end());
    cell = cell_in_boxes * *place;
    if (cell == 0) {
      // Mostly points: about one a cell.
      Box all;
      for (const std::uint32_t i : indices) all.grow(boxes[i]);
      for (std::size_t k = 0; k < 3; ++k) {
        cell = std::max(cell, static_cast<double>(all.max[k]) - static_cast<double>(all.min[k]));
      }
      cell /= std::cbrt(static_cast<double>(indices.size()));
    }
  }
  per_metre_ = 1 / std::clamp(cell, 1e-30, 1e30);
}

std::uint32_t CellsFinder::coordinate(float x) const {
  const double c = static_cast<double>(x) * per_metre_ + max_cells / 2;
  return static_cast<std::uint32_t>(std::clamp(c, 0.0, max_cells - 1));
}

CellsFinder::Range CellsFinder::range_of(const Box& box) const {
  Range range;
  for (std::size_t k = 0; k < 3; ++k) {
    range.low[k] = coordinate(box.min[k]);
    range.high[k] = coordinate(box.max[k]);
  }
  return range;
}

bool CellsFinder::large(const Range& range) const {
  std::size_t cells = 1;
  for (std::size_t k = 0; k < 3 && cells <= max_covered; ++k) cells *= range.high[k] - range.low[k] + 1;
  return cells > max_covered;
}

std::uint64_t CellsFinder::owner(const Box& a, const Box& b) const {
  return cell_key(coordinate(std::max(a.min[0], b.min[0])), coordinate(std::max(a.min[1], b.min[1])),
                  coordinate(std::max(a.min[2], b.min[2])));
}

void CellsFinder::pairs_of_cell(std::span<const Box> boxes, std::size_t cell, std::vector<NodePair>& out) const {
  const std::uint64_t key = entries_[starts_[cell]].cell;
  for (std::size_t i = starts_[cell]; i < starts_[cell + 1]; ++i) {
    const Box& box = boxes[entries_[i].item];
    for (std::size_t j = i + 1; j < starts_[cell + 1]; ++j) {
      const Box& other = boxes[entries_[j].item];
      if (overlap(box, other) && owner(box, other) == key) out.push_back({entries_[i].item, entries_[j].item});
    }
  }
}

bool CellsFinder::rebuild(Workers& workers, const Proxies& proxies, std::span<const std::uint32_t> indices,
                          std::vector<NodePair>& out) {
  const std::span<const Box> boxes = proxies.wide();
  choose_cell(boxes, indices);
  is_fresh_.assign(proxies.size(), 0);
  fresh_.clear();
  large_.clear();
  for (const std::uint32_t i : indices) {
    if (large(range_of(boxes[i]))) large_.push_back(i);
  }
  append_entries_.run(workers, indices.size(), 2048, entries_,
                      [&](std::size_t begin, std::size_t end, std::vector<Entry>& list, std::size_t) {
                        for (std::size_t j = begin; j < end; ++j) {
                          const Range range = range_of(boxes[indices[j]]);
                          if (large(range)) continue;
                          for (std::uint32_t z = range.low[2]; z <= range.high[2]; ++z) {
                            for (std::uint32_t y = range.low[1]; y <= range.high[1]; ++y) {
                              for (std::uint32_t x = range.low[0]; x <= range.high[0]; ++x) {
                                list.push_back({cell_key(x, y, z), indices[j]});
                              }
                            }
                          }
                        }
                      });
  sort_.run(workers, entries_, 63, [](const Entry& e) { return e.cell; });
  starts_.clear();
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    if (e == 0 || entries_[e].cell != entries_[e - 1].cell) starts_.push_back(static_cast<std::uint32_t>(e));
  }
  const std::size_t cells = starts_.size();
  starts_.push_back(static_cast<std::uint32_t>(entries_.size()));
  if (may_give_up_) {
    std::size_t tests = large_.size() * indices.size();
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const std::size_t n = starts_[cell + 1] - starts_[cell];
      tests += n * n / 2;
    }
    if (tests > max_tests * indices.size()) return false;
  }

  append_.run(workers, cells, 64, out,
              [&](std::size_t begin, std::size_t end, std::vector<NodePair>& found, std::size_t) {
                for (std::size_t cell = begin; cell < end; ++cell) pairs_of_cell(boxes, cell, found);
              });

  // The large ones with all others; of two large ones the earlier finds the later.
  for (const std::uint32_t i : large_) is_fresh_[i] = 1;
  append_.run(workers, large_.size(), 1, more_,
              [&](std::size_t l, std::size_t, std::vector<NodePair>& found, std::size_t) {
                const Box box = boxes[large_[l]];
                for (const std::uint32_t j : indices) {
                  if (overlap(box, boxes[j]) && (is_fresh_[j] == 0 || j > large_[l])) found.push_back({large_[l], j});
                }
              });
  for (const std::uint32_t i : large_) is_fresh_[i] = 0;
  out.insert(out.end(), more_.begin(), more_.end());
  return true;
}

bool CellsFinder::follow(Workers& workers, const Proxies& proxies, std::vector<NodePair>& out) {
  const std::span<const Box> boxes = proxies.wide();
  is_fresh_.resize(proxies.size(), 0);
  bool some_went = false;
  for (const std::uint32_t i : proxies.left()) {
    const bool there = proxies[i].there;
    if (there && is_fresh_[i] != fresh) fresh_.push_back(i);
    some_went = some_went || !there;
    is_fresh_[i] = there ? fresh : gone;
  }
  if (some_went) std::erase_if(fresh_, [&](std::uint32_t i) { return is_fresh_[i] != fresh; });
  // Each that left is compared with all that are in no cell.
  if (proxies.left().size() * (fresh_.size() + large_.size()) > 16 * proxies.count()) return false;

  const std::span<const std::uint32_t> left = proxies.left();
  append_.run(workers, left.size(), 64, out,
              [&](std::size_t begin, std::size_t end, std::vector<NodePair>& found, std::size_t) {
                for (std::size_t l = begin; l < end; ++l) {
                  const std::uint32_t i = left[l];
                  if (!proxies[i].there) continue;
                  const Box& box = boxes[i];
                  const auto visit = [&](std::uint32_t j) {
                    if (i != j && overlap(box, boxes[j])) found.push_back({i, j});
                  };
                  for (const std::uint32_t j : fresh_) visit(j);
                  const Range range = range_of(box);
                  if (large(range)) {
                    for (std::uint32_t j = 0; j < proxies.size(); ++j) {
                      if (proxies[j].there && is_fresh_[j] == 0) visit(j);
                    }
                    continue;
                  }
                  for (const std::uint32_t j : large_) {
                    if (is_fresh_[j] == 0) visit(j);
                  }
                  for (std::uint32_t z = range.low[2]; z <= range.high[2]; ++z) {
                    for (std::uint32_t y = range.low[1]; y <= range.high[1]; ++y) {
                      // The cells of a row follow each other in the list.
                      const std::uint64_t last = cell_key(range.high[0], y, z);
                      auto entry = std::lower_bound(entries_.begin(), entries_.end(), cell_key(range.low[0], y, z),
                                                    [](const Entry& e, std::uint64_t cell) { return e.cell < cell; });
                      for (; entry != entries_.end() && entry->cell <= last; ++entry) {
                        if (is_fresh_[entry->item] == 0) visit(entry->item);
                      }
                    }
                  }
                }
              });
  return true;
}

}  // namespace carom::broad
