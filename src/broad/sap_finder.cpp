#include "broad/sap_finder.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace carom::broad {

namespace {

/// Unsigned numbers in the order of the floats; -0 before 0 does no harm, for boxes are rounded outward to more than
/// that.
std::uint32_t key_of(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

/// Insertion is given up when more ends were passed than this many times the ends there are: sorting again is cheaper.
constexpr std::size_t max_passed = 8;

/// A strip is this many boxes of usual size wide.
constexpr double boxes_a_strip = 3;
constexpr std::size_t max_strips = 4096;

struct Strips {
  double low = 0;
  double scale = 0;
  std::size_t count = 1;

  std::uint32_t of(float x) const {
    if (count == 1) return 0;  // scale may be 0, and x infinite
    return static_cast<std::uint32_t>(
        std::clamp((static_cast<double>(x) - low) * scale, 0.0, static_cast<double>(count - 1)));
  }
};

/// Strips across the second axis, where boxes with a finite middle are.
Strips choose_strips(std::span<const Box> boxes, std::span<const std::uint32_t> indices, std::size_t axis) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double sizes = 0;
  std::size_t n = 0;
  for (const std::uint32_t i : indices) {
    const double a = static_cast<double>(boxes[i].min[axis]);
    const double b = static_cast<double>(boxes[i].max[axis]);
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    low = std::min(low, 0.5 * (a + b));
    high = std::max(high, 0.5 * (a + b));
    sizes += b - a;
    ++n;
  }
  if (n < 64) return {};
  const double width = boxes_a_strip * sizes / static_cast<double>(n);
  const double count = std::clamp((high - low) / width, 1.0, static_cast<double>(max_strips));
  const double scale = count / (high - low);
  if (!(scale > 0) || !std::isfinite(scale)) return {};
  return {low, scale, static_cast<std::size_t>(count)};
}

}  // namespace

template <std::size_t axes>
auto SapFinder<axes>::end_of(const Proxies& proxies, std::uint32_t i, std::size_t axis, bool upper) -> End {
  float x;
  if (axis < 3) {
    x = upper ? proxies.wide()[i].max[axis] : proxies.wide()[i].min[axis];
  } else {
    x = proxies.wide_dops()[i][axis - 3 + (upper ? 6 : 0)];
  }
  return {key_of(x), i & 0x7fffffffU, upper ? 1U : 0U};
}

template <std::size_t axes>
bool SapFinder<axes>::overlap_wide(const Proxies& proxies, std::uint32_t a, std::uint32_t b) {
  if (!overlap(proxies.wide()[a], proxies.wide()[b])) return false;
  if constexpr (axes == 9) {
    const WideDop& p = proxies.wide_dops()[a];
    const WideDop& q = proxies.wide_dops()[b];
    for (std::size_t k = 0; k < 6; ++k) {
      if (p[k] > q[k + 6] || q[k] > p[k + 6]) return false;
    }
  }
  return true;
}

template <std::size_t axes>
bool SapFinder<axes>::rebuild(Workers& workers, const Proxies& proxies, std::span<const std::uint32_t> indices,
                              std::vector<NodePair>& out) {
  known_.assign(proxies.size(), 0);
  for (const std::uint32_t i : indices) known_[i] = 1;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::vector<End>& ends = ends_[axis];
    ends.resize(2 * indices.size());
    parallel_for(workers, indices.size(), 2048, [&](std::size_t j) {
      ends[2 * j] = end_of(proxies, indices[j], axis, false);
      ends[2 * j + 1] = end_of(proxies, indices[j], axis, true);
    });
    sort_ends_.run(workers, ends, 33, [](const End& e) { return e.order(); });
  }
  sweep(workers, proxies, indices, out);
  return true;
}

/// Each strip by itself along the axis on which the boxes vary most. A pair is found in the strip in which the part
/// common to both begins.
template <std::size_t axes>
void SapFinder<axes>::sweep(Workers& workers, const Proxies& proxies, std::span<const std::uint32_t> indices,
                            std::vector<NodePair>& out) {
  const std::span<const Box> boxes = proxies.wide();
  const std::size_t first = widest_axis(indices, [&](std::uint32_t i) -> const Box& { return boxes[i]; }) % 3;
  const std::size_t second = (first + 1) % 3;
  const Strips strips = choose_strips(boxes, indices, second);
  entries_.clear();
  for (const std::uint32_t i : indices) {
    const std::uint32_t last = strips.of(boxes[i].max[second]);
    for (std::uint32_t s = strips.of(boxes[i].min[second]); s <= last; ++s) {
      entries_.push_back({s, key_of(boxes[i].min[first]), i});
    }
  }
  sort_entries_.run(workers, entries_, 64, [](const Entry& e) { return std::uint64_t{e.strip} << 32U | e.key; });
  starts_.assign(strips.count + 1, static_cast<std::uint32_t>(entries_.size()));
  for (std::size_t e = entries_.size(); e-- > 0;) starts_[entries_[e].strip] = static_cast<std::uint32_t>(e);
  for (std::size_t s = strips.count; s-- > 0;) starts_[s] = std::min(starts_[s], starts_[s + 1]);

  append_.run(workers, strips.count, 1, out,
              [&](std::size_t strip, std::size_t, std::vector<NodePair>& found, std::size_t) {
                for (std::size_t i = starts_[strip]; i < starts_[strip + 1]; ++i) {
                  const Box& box = boxes[entries_[i].item];
                  const std::uint32_t end = key_of(box.max[first]);
                  for (std::size_t j = i + 1; j < starts_[strip + 1] && entries_[j].key <= end; ++j) {
                    const Box& other = boxes[entries_[j].item];
                    if (!overlap(box, other)) continue;
                    if (strips.of(std::max(box.min[second], other.min[second])) != strip) continue;
                    if (axes == 9 && !overlap_wide(proxies, entries_[i].item, entries_[j].item)) continue;
                    found.push_back({entries_[i].item, entries_[j].item});
                  }
                }
              });
}

template <std::size_t axes>
bool SapFinder<axes>::follow(Workers& workers, const Proxies& proxies, std::vector<NodePair>& out) {
  known_.resize(proxies.size(), 0);
  // One whose group changed may overlap others already that were not reported: it goes and comes again.
  for (const std::uint32_t i : proxies.left()) {
    if ((proxies.flags()[i] & Proxies::refiltered_flag) != 0) known_[i] = 0;
  }
  std::size_t added = 0;
  for (const std::uint32_t i : proxies.left()) added += proxies[i].there && known_[i] == 0 ? 1 : 0;
  // Each comes from the end of the list.
  if (added > 16 + ends_[0].size() / 512) return false;

  gave_up_.fill(0);
  append_.run(workers, axes, 1, out, [&](std::size_t axis, std::size_t, std::vector<NodePair>& found, std::size_t) {
    std::vector<End>& ends = ends_[axis];
    std::size_t kept = 0;
    for (const End& end : ends) {
      End now = end;
      if ((proxies.flags()[end.owner] & Proxies::left_flag) != 0) {
        if (!proxies[end.owner].there || known_[end.owner] == 0) continue;
        now = end_of(proxies, end.owner, axis, end.upper != 0);
      }
      ends[kept++] = now;
    }
    ends.resize(kept);
    // Proxies that left count as if they had been beyond all others before.
    for (const std::uint32_t i : proxies.left()) {
      if (!proxies[i].there || known_[i] != 0) continue;
      ends.push_back(end_of(proxies, i, axis, false));
      ends.push_back(end_of(proxies, i, axis, true));
    }
    std::size_t left = max_passed * ends.size();
    for (std::size_t i = 1; i < ends.size(); ++i) {
      const End end = ends[i];
      std::size_t j = i;
      for (; j > 0 && end.order() < ends[j - 1].order(); --j) {
        const End& passed = ends[j - 1];
        if (end.upper == 0 && passed.upper != 0 && overlap_wide(proxies, end.owner, passed.owner)) {
          found.push_back({end.owner, passed.owner});
        }
        ends[j] = passed;
      }
      ends[j] = end;
      if (i - j > left) {
        gave_up_[axis] = 1;
        return;
      }
      left -= i - j;
    }
  });
  for (const std::uint32_t i : proxies.left()) known_[i] = proxies[i].there ? 1 : 0;
  return std::find(gave_up_.begin(), gave_up_.end(), 1) == gave_up_.end();
}

template class SapFinder<3>;
template class SapFinder<9>;

}  // namespace carom::broad
