#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "carom/detect/broad_phase.hpp"

/// The slow, obviously right twin of BroadPhase: every pair, every time.
namespace carom::test {

using AnyBounds = std::variant<AxisBox, Dop<18>, SweptBox>;

inline AxisBox box_of(const AnyBounds& bounds) {
  if (const auto* box = std::get_if<AxisBox>(&bounds)) return *box;
  if (const auto* dop = std::get_if<Dop<18>>(&bounds)) {
    return {{dop->low[0], dop->low[1], dop->low[2]}, {dop->high[0], dop->high[1], dop->high[2]}};
  }
  const auto& swept = std::get<SweptBox>(bounds);
  return {swept.start.min.cwiseMin(swept.end.min), swept.start.max.cwiseMax(swept.end.max)};
}

inline bool overlap(const AxisBox& a, const AxisBox& b) {
  for (int k = 0; k < 3; ++k) {
    if (a.max[k] < b.min[k] || b.max[k] < a.min[k]) return false;
  }
  return true;
}

/// When two boxes that move overlap: the last time at which a gap was still open before, and the first after, by
/// halving. Nothing if they never do.
inline std::optional<StepInterval> overlap_interval(const SweptBox& a, const SweptBox& b) {
  StepInterval when;
  for (int k = 0; k < 3; ++k) {
    for (const bool other : {false, true}) {
      const SweptBox& low = other ? b : a;
      const SweptBox& high = other ? a : b;
      const auto open = [&](double t) {
        const auto gap = [&](const AxisBox& x, const AxisBox& y) {
          return static_cast<long double>(x.min[k]) - static_cast<long double>(y.max[k]);
        };
        const long double from = gap(low.start, high.start);
        const long double to = gap(low.end, high.end);
        if (from == to) return from > 0;
        return from * (1 - static_cast<long double>(t)) + to * static_cast<long double>(t) > 0;
      };
      if (open(0) && open(1)) return {};
      if (open(0) == open(1)) continue;
      double before = 0;
      double after = 1;
      for (int i = 0; i < 80; ++i) {
        const double middle = 0.5 * (before + after);
        (open(middle) == open(0) ? before : after) = middle;
      }
      if (open(0)) {
        when.begin = std::max(when.begin, after);
      } else {
        when.end = std::min(when.end, before);
      }
    }
  }
  if (when.begin > when.end) return {};
  return when;
}

struct ModelProxy {
  ProxyId id;
  AnyBounds bounds;
  CollisionFilter filter;
  std::uint64_t value = 0;
};

class Model {
 public:
  std::map<std::uint32_t, ModelProxy> proxies;  ///< by index
  std::set<std::pair<std::uint32_t, std::uint32_t>> excluded;

  void remove(std::uint32_t index) {
    proxies.erase(index);
    std::erase_if(excluded, [&](const auto& pair) { return pair.first == index || pair.second == index; });
  }

  /// Where rounding decides whether boxes that move meet, either answer is right: such pairs are in `unsure`.
  void find(std::vector<ProxyPair>& sure, std::vector<ProxyPair>& unsure) const {
    sure.clear();
    unsure.clear();
    for (auto p = proxies.begin(); p != proxies.end(); ++p) {
      for (auto q = std::next(p); q != proxies.end(); ++q) {
        const ModelProxy& a = p->second;
        const ModelProxy& b = q->second;
        if ((a.filter.group & b.filter.mask) == 0 || (b.filter.group & a.filter.mask) == 0) continue;
        if (excluded.count({p->first, q->first}) != 0) continue;
        if (!overlap(box_of(a.bounds), box_of(b.bounds))) continue;
        const auto* dop_a = std::get_if<Dop<18>>(&a.bounds);
        const auto* dop_b = std::get_if<Dop<18>>(&b.bounds);
        bool apart = false;
        for (std::size_t k = 0; k < 9 && dop_a != nullptr && dop_b != nullptr; ++k) {
          apart = apart || dop_a->low[k] > dop_b->high[k] || dop_b->low[k] > dop_a->high[k];
        }
        if (apart) continue;
        const ProxyPair pair{p->first, q->first};
        if (swept(a) || swept(b)) {
          const auto when = overlap_interval(as_swept(a), as_swept(b));
          if (!when && overlap_interval(grown(as_swept(a)), as_swept(b))) {
            unsure.push_back(pair);
            continue;
          }
          if (!when) continue;
        }
        sure.push_back(pair);
      }
    }
  }

  static bool swept(const ModelProxy& p) { return std::holds_alternative<SweptBox>(p.bounds); }
  static SweptBox as_swept(const ModelProxy& p) {
    if (const auto* s = std::get_if<SweptBox>(&p.bounds)) return *s;
    return {box_of(p.bounds), box_of(p.bounds)};
  }

 private:
  static SweptBox grown(SweptBox s) {
    for (AxisBox* box : {&s.start, &s.end}) {
      box->min.array() -= 1e-7;
      box->max.array() += 1e-7;
    }
    return s;
  }
};

/// Where the ray enters the box, by the definition.
inline std::optional<double> ray_entry(const AxisBox& box, const Eigen::Vector3d& o, const Eigen::Vector3d& d,
                                       double limit) {
  double begin = 0;
  double end = limit;
  for (int k = 0; k < 3; ++k) {
    if (d[k] == 0 && (o[k] < box.min[k] || o[k] > box.max[k])) return {};
    if (d[k] == 0) continue;
    const double t = (box.min[k] - o[k]) / d[k];
    const double u = (box.max[k] - o[k]) / d[k];
    begin = std::max(begin, std::min(t, u));
    end = std::min(end, std::max(t, u));
  }
  if (begin > end) return {};
  return begin;
}

}  // namespace carom::test
