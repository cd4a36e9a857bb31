#include "broad/spatial_order.hpp"

#include <cmath>

namespace carom::broad {

namespace {

constexpr std::size_t order_grain = 512;
constexpr int axis_bits = 8;
constexpr int curve_bits = 3 * axis_bits;
constexpr int class_bits = 4;
constexpr std::uint32_t max_class = (1 << class_bits) - 1;
constexpr auto cells = static_cast<float>(1 << axis_bits);

/// Boxes of one cell of the curve are ordered by a finer one if there are more; outliers would else put all others
/// into one cell.
constexpr std::size_t crowd = 64;
constexpr int max_depth = 12;

/// Center of a box along an axis; some point if it is infinite to both sides, for the order is never wrong, only better
/// or worse.
float center(const Box& box, std::size_t k) {
  const float c = 0.5F * box.min[k] + 0.5F * box.max[k];
  return std::isfinite(c) ? c : 0;
}

float size_of(const Box& box) {
  return std::max({box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]});
}

/// A box makes the boxes of all nodes above it as large as itself, so large ones are kept apart from the others: 0 is
/// up to 4 times the usual size, then steps of 16.
std::uint32_t size_class(const Box& box, float usual) {
  float limit = 4 * usual;
  std::uint32_t result = 0;
  for (const float size = size_of(box); !(size <= limit) && result < max_class; ++result) limit *= 16;
  return result;
}

/// The middle one of some.
float usual_size(std::span<const Box> boxes, std::span<const std::uint32_t> items) {
  std::array<float, 256> sizes{};
  const std::size_t step = items.size() / sizes.size() + 1;
  std::size_t n = 0;
  for (std::size_t i = 0; i < items.size(); i += step) sizes[n++] = size_of(boxes[items[i]]);
  std::nth_element(sizes.begin(), sizes.begin() + n / 2, sizes.begin() + n);
  return std::max(sizes[n / 2], FLT_MIN);
}

/// Two zeros between each two bits.
std::uint32_t spread(std::uint32_t v) {
  v = (v | v << 8) & 0x00f00f;
  v = (v | v << 4) & 0x0c30c3;
  v = (v | v << 2) & 0x249249;
  return v;
}

constexpr std::size_t lanes = 16;
using Lanes = std::array<std::uint32_t, lanes>;

/// The number of a cell on Hilbert's curve. J. Skilling, "Programming the Hilbert curve", 2004: undo the turns of the
/// curve from the coarsest bit to the finest, then from Gray code to number.
/// Many at a time, for each step waits for the one before.
void hilbert(Lanes& x, Lanes& y, Lanes& z, Lanes& number) {
  for (unsigned bit = axis_bits - 1; bit > 0; --bit) {
    const std::uint32_t finer = (1U << bit) - 1;
    for (std::size_t i = 0; i < lanes; ++i) x[i] ^= finer & (0U - (x[i] >> bit & 1U));
    for (Lanes* other : {&y, &z}) {
      Lanes& o = *other;
      for (std::size_t i = 0; i < lanes; ++i) {
        const std::uint32_t set = 0U - (o[i] >> bit & 1U);
        const std::uint32_t swapped = (x[i] ^ o[i]) & finer & ~set;
        x[i] ^= (finer & set) | swapped;
        o[i] ^= swapped;
      }
    }
  }
  for (std::size_t i = 0; i < lanes; ++i) {
    const std::uint32_t second = y[i] ^ x[i];
    const std::uint32_t third = z[i] ^ second;
    std::uint32_t parity = third >> 1U;  // of all bits above each
    parity ^= parity >> 1U;
    parity ^= parity >> 2U;
    parity ^= parity >> 4U;
    number[i] = spread(x[i] ^ parity) << 2U | spread(second ^ parity) << 1U | spread(third ^ parity);
  }
}

struct Cells {
  std::array<float, 3> low, scale;

  Cells(const std::array<float, 3>& from, const std::array<float, 3>& to) : low(from), scale{} {
    for (std::size_t k = 0; k < 3; ++k) {
      const float factor = cells / (to[k] - from[k]);
      scale[k] = std::isfinite(factor) ? factor : 0;
    }
  }
  /// Group of the boxes box_of(0), box_of(1) and so on; `count` is at most `lanes`.
  template <class BoxOf>
  void number(std::size_t count, BoxOf&& box_of, Lanes& numbers) const {
    std::array<Lanes, 3> cell{};
    for (std::size_t i = 0; i < count; ++i) {
      const Box& box = box_of(i);
      for (std::size_t k = 0; k < 3; ++k) {
        const float x = (center(box, k) - low[k]) * scale[k];
        // Where the extent is infinite, x may be NaN.
        cell[k][i] = x > 0 ? static_cast<std::uint32_t>(std::min(x, cells - 1)) : 0;
      }
    }
    hilbert(cell[0], cell[1], cell[2], numbers);
  }
};

}  // namespace

void SpatialOrder::run(Workers& workers, std::span<const Box> boxes, std::span<const std::uint32_t> items,
                       std::vector<std::uint32_t>& order) {
  order.clear();
  if (items.empty()) return;
  const Extent none{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  const auto join = [](Extent a, const Extent& b) {
    for (std::size_t k = 0; k < 3; ++k) {
      a.low[k] = std::min(a.low[k], b.low[k]);
      a.high[k] = std::max(a.high[k], b.high[k]);
    }
    return a;
  };
  const Extent all = parallel_reduce(
      workers, items.size(), order_grain, none,
      [&](std::size_t begin, std::size_t end) {
        Extent extent = none;
        for (std::size_t i = begin; i < end; ++i) {
          for (std::size_t k = 0; k < 3; ++k) {
            const float c = center(boxes[items[i]], k);
            extent.low[k] = std::min(extent.low[k], c);
            extent.high[k] = std::max(extent.high[k], c);
          }
        }
        return extent;
      },
      join, partial_);
  const Cells grid(all.low, all.high);
  const float usual = usual_size(boxes, items);

  entries_.resize(items.size());
  parallel_chunks(workers, items.size(), order_grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    Lanes numbers;
    for (std::size_t first = begin; first < end; first += lanes) {
      const std::size_t count = std::min(lanes, end - first);
      grid.number(
          count, [&](std::size_t i) -> const Box& { return boxes[items[first + i]]; }, numbers);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t item = items[first + i];
        entries_[first + i] = {size_class(boxes[item], usual) << curve_bits | numbers[i], item};
      }
    }
  });
  sort_.run(workers, entries_, curve_bits + class_bits, [](const Entry& e) { return std::uint64_t{e.key}; });

  for (std::size_t begin = 0; begin < entries_.size();) {
    std::size_t end = begin + 1;
    while (end < entries_.size() && entries_[end].key == entries_[begin].key) ++end;
    if (end - begin > crowd) refine(boxes, std::span(entries_).subspan(begin, end - begin), 0);
    begin = end;
  }

  order.reserve(items.size() + 8 * 16);
  std::uint32_t current = 0;
  for (const Entry& entry : entries_) {
    const std::uint32_t here = entry.key >> curve_bits;
    if (here != current) {
      while (order.size() % 8 != 0) order.push_back(no_item);
      current = here;
    }
    order.push_back(entry.item);
  }
}

void SpatialOrder::refine(std::span<const Box> boxes, std::span<Entry> entries, int depth) {
  Extent extent{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (const Entry& entry : entries) {
    for (std::size_t k = 0; k < 3; ++k) {
      const float c = center(boxes[entry.item], k);
      extent.low[k] = std::min(extent.low[k], c);
      extent.high[k] = std::max(extent.high[k], c);
    }
  }
  if (extent.low == extent.high || depth == max_depth) return;
  const std::uint32_t size = entries.front().key >> curve_bits << curve_bits;
  const Cells grid(extent.low, extent.high);
  Lanes numbers;
  for (std::size_t first = 0; first < entries.size(); first += lanes) {
    const std::size_t count = std::min(lanes, entries.size() - first);
    grid.number(
        count, [&](std::size_t i) -> const Box& { return boxes[entries[first + i].item]; }, numbers);
    for (std::size_t i = 0; i < count; ++i) entries[first + i].key = size | numbers[i];
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.key != b.key ? a.key < b.key : a.item < b.item; });
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t end = begin + 1;
    while (end < entries.size() && entries[end].key == entries[begin].key) ++end;
    if (end - begin > crowd && end - begin < entries.size()) {
      refine(boxes, entries.subspan(begin, end - begin), depth + 1);
    }
    begin = end;
  }
}

}  // namespace carom::broad
