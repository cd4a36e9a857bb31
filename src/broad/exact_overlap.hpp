#pragma once

#include "bounds/moving_box.hpp"
#include "broad/proxies.hpp"

/// Whether the bounds of two proxies, as they were given, overlap.
namespace carom::broad {

enum class Outcome : std::uint8_t { boxes_apart, dops_apart, never_close, overlap };

inline bool boxes_overlap(const ProxyRecord& a, const ProxyRecord& b) {
  // Without branches: which side is apart cannot be foreseen.
  return (static_cast<int>(a.min[0] <= b.max[0]) & static_cast<int>(b.min[0] <= a.max[0]) &
          static_cast<int>(a.min[1] <= b.max[1]) & static_cast<int>(b.min[1] <= a.max[1]) &
          static_cast<int>(a.min[2] <= b.max[2]) & static_cast<int>(b.min[2] <= a.max[2])) != 0;
}

/// The sides of a box at the start and at the end of a step.
struct MovingSides {
  std::array<const double*, 2> min, max;
};

inline MovingSides moving_sides(const Proxies& proxies, std::uint32_t i) {
  const ProxyRecord& r = proxies[i];
  if (r.kind != BoundsKind::swept) return {{r.min.data(), r.min.data()}, {r.max.data(), r.max.data()}};
  const double* more = proxies.more(i).data();
  return {{more, more + 6}, {more + 3, more + 9}};
}

/// Six inequalities, each linear in time.
inline bounds::Interval overlap_interval(const MovingSides& a, const MovingSides& b) {
  bounds::Interval part;
  for (std::size_t k = 0; k < 3; ++k) {
    bounds::cut_where_apart(a.min[0][k] - b.max[0][k], a.min[1][k] - b.max[1][k], part);
    bounds::cut_where_apart(b.min[0][k] - a.max[0][k], b.min[1][k] - a.max[1][k], part);
  }
  return part;
}

inline bounds::Interval overlap_interval(const Proxies& proxies, std::uint32_t a, std::uint32_t b) {
  if (proxies[a].kind != BoundsKind::swept && proxies[b].kind != BoundsKind::swept) return {};
  return overlap_interval(moving_sides(proxies, a), moving_sides(proxies, b));
}

inline Outcome outcome(const Proxies& proxies, std::uint32_t a, std::uint32_t b) {
  const ProxyRecord& first = proxies[a];
  const ProxyRecord& second = proxies[b];
  if (!boxes_overlap(first, second)) return Outcome::boxes_apart;
  if (first.kind == BoundsKind::box && second.kind == BoundsKind::box) return Outcome::overlap;
  if (first.kind == BoundsKind::dop && second.kind == BoundsKind::dop) {
    const MoreBounds& p = proxies.more(a);
    const MoreBounds& q = proxies.more(b);
    for (std::size_t k = 0; k < 6; ++k) {
      if (p[k] > q[k + 6] || q[k] > p[k + 6]) return Outcome::dops_apart;
    }
    return Outcome::overlap;
  }
  return overlap_interval(proxies, a, b).empty() ? Outcome::never_close : Outcome::overlap;
}

}  // namespace carom::broad
