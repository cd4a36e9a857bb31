#include "broad/spatial_order.hpp"

#include <cmath>
#include <limits>

namespace carom::broad {

namespace {

constexpr std::size_t grain = 2048;
constexpr int axis_bits = 10;
constexpr int morton_bits = 3 * axis_bits;
constexpr auto cells = static_cast<float>(1 << axis_bits);

/// Boxes of one cell of the curve are ordered by a finer one if there are more; outliers would else put all others
/// into one cell.
constexpr std::size_t crowd = 64;
constexpr int most_depth = 12;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Of what is infinite to both sides, some point; the order is never wrong, only better or worse.
float center(const Box& box, std::size_t k) {
  const float c = 0.5F * box.min[k] + 0.5F * box.max[k];
  return std::isfinite(c) ? c : 0;
}

/// Steps of 16 in size: a box makes the boxes of all nodes above it as large as itself.
std::uint64_t size_class(const Box& box) {
  float size = 0;
  for (std::size_t k = 0; k < 3; ++k) size = std::max(size, box.max[k] - box.min[k]);
  if (!(size < FLT_MAX)) return 127;
  return size < FLT_MIN ? 0 : static_cast<std::uint64_t>((std::ilogb(size) + 128) / 4);
}

/// Two zeros between each two bits.
std::uint64_t spread(std::uint32_t x) {
  std::uint64_t v = x;
  v = (v | v << 16) & 0x030000ff;
  v = (v | v << 8) & 0x0300f00f;
  v = (v | v << 4) & 0x030c30c3;
  v = (v | v << 2) & 0x09249249;
  return v;
}

struct Cells {
  std::array<float, 3> low, scale;

  Cells(const std::array<float, 3>& from, const std::array<float, 3>& to) : low(from), scale{} {
    for (std::size_t k = 0; k < 3; ++k) {
      const float factor = cells / (to[k] - from[k]);
      scale[k] = std::isfinite(factor) ? factor : 0;
    }
  }
  std::uint64_t morton(const Box& box) const {
    std::uint64_t key = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const float x = (center(box, k) - low[k]) * scale[k];
      key |= spread(static_cast<std::uint32_t>(std::clamp(x, 0.0F, cells - 1))) << k;
    }
    return key;
  }
};

}  // namespace

void SpatialOrder::run(Workers& workers, std::span<const Box> boxes, std::span<const std::uint32_t> items,
                       std::vector<std::uint32_t>& order) {
  order.clear();
  if (items.empty()) return;
  const Extent none{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  const auto join = [](Extent a, const Extent& b) {
    for (std::size_t k = 0; k < 3; ++k) {
      a.low[k] = std::min(a.low[k], b.low[k]);
      a.high[k] = std::max(a.high[k], b.high[k]);
    }
    return a;
  };
  const Extent all = parallel_reduce(
      workers, items.size(), grain, none,
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

  entries_.resize(items.size());
  parallel_for(workers, items.size(), grain, [&](std::size_t i) {
    const Box& box = boxes[items[i]];
    entries_[i] = {size_class(box) << morton_bits | grid.morton(box), items[i]};
  });
  sort_.run(workers, entries_, morton_bits + 7, [](const Entry& e) { return e.key; });

  for (std::size_t begin = 0; begin < entries_.size();) {
    std::size_t end = begin + 1;
    while (end < entries_.size() && entries_[end].key == entries_[begin].key) ++end;
    if (end - begin > crowd) refine(boxes, std::span(entries_).subspan(begin, end - begin), 0);
    begin = end;
  }

  order.reserve(items.size() + 8 * 16);
  std::uint64_t current = 0;
  for (const Entry& entry : entries_) {
    const std::uint64_t here = entry.key >> morton_bits;
    if (here != current) {
      while (order.size() % 8 != 0) order.push_back(no_item);
      current = here;
    }
    order.push_back(entry.item);
  }
}

void SpatialOrder::refine(std::span<const Box> boxes, std::span<Entry> entries, int depth) {
  Extent extent{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  for (const Entry& entry : entries) {
    for (std::size_t k = 0; k < 3; ++k) {
      const float c = center(boxes[entry.item], k);
      extent.low[k] = std::min(extent.low[k], c);
      extent.high[k] = std::max(extent.high[k], c);
    }
  }
  if (extent.low == extent.high || depth == most_depth) return;
  const std::uint64_t size = entries.front().key >> morton_bits << morton_bits;
  const Cells grid(extent.low, extent.high);
  for (Entry& entry : entries) entry.key = size | grid.morton(boxes[entry.item]);
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
