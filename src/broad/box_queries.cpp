#include "broad/box_queries.hpp"

#include <cmath>
#include <optional>

#include "broad/exact_overlap.hpp"

namespace carom::broad {

namespace {

using kernels::group_floats;
using kernels::node_children;

bool left(const Proxies& proxies, std::uint32_t i) {
  return (proxies.flags()[i] & Proxies::left_flag) != 0;
}

/// Calls back for proxies that trees do not know about.
template <class Call>
void for_each_other(const Proxies& proxies, const TreeFinder* trees, Call&& call) {
  if (trees == nullptr) {
    for (std::uint32_t i = 0; i < proxies.size(); ++i) {
      if (proxies[i].there) call(i);
    }
    return;
  }
  for (const std::uint32_t i : proxies.left()) {
    if (proxies[i].there) call(i);
  }
}

/// Where the ray enters the box, in the plain way; nothing if it misses.
std::optional<double> entry(const ProxyRecord& box, const Ray& ray, double limit) {
  double begin = 0;
  double end = limit;
  for (std::size_t k = 0; k < 3; ++k) {
    const double o = ray.origin[static_cast<Eigen::Index>(k)];
    const double d = ray.direction[static_cast<Eigen::Index>(k)];
    if (d == 0) {
      if (o < box.min[k] || o > box.max[k]) return {};
      continue;
    }
    const double near = ((d > 0 ? box.min[k] : box.max[k]) - o) / d;
    const double far = ((d > 0 ? box.max[k] : box.min[k]) - o) / d;
    begin = std::max(begin, near);
    end = std::min(end, far);
  }
  if (begin > end) return {};
  return begin;
}

/// Next stop on the ray: nodes before proxies at the same t, for they may hold proxies at that t.
struct Step {
  double t;
  std::uint32_t level;  ///< of the group; 0 with `proxy`
  std::uint32_t which;  ///< group, or index of the proxy
  bool proxy;
  bool fresh;

  friend bool operator>(const Step& a, const Step& b) {
    if (a.t != b.t) return a.t > b.t;
    if (a.proxy != b.proxy) return a.proxy;
    return a.which > b.which;
  }
};

/// The ray as seen by boxes of nodes. Nothing it meets may be missed and no entry told late: the boxes are larger by
/// 2^-23 of their coordinates, which covers the rounding of these, and `pad` covers that of the ray's own.
class NodeRay {
 public:
  NodeRay(const Proxies& proxies, const Ray& ray) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double o = ray.origin[static_cast<Eigen::Index>(k)];
      origin_[k] = o - proxies.origin()[k];
      pad_[k] = 0x1p-50 * (std::abs(o) + std::abs(proxies.origin()[k]));
      direction_[k] = ray.direction[static_cast<Eigen::Index>(k)];
    }
  }

  std::optional<double> entry(const float* place, double limit) const {
    double begin = 0;
    double end = limit;
    for (std::size_t k = 0; k < 3; ++k) {
      const float low = place[k * node_children];
      const float high = place[(k + 3) * node_children];
      if (!(low <= high)) return {};  // nothing there
      const double to_low = (static_cast<double>(low) - origin_[k]) - pad_[k];
      const double to_high = (static_cast<double>(high) - origin_[k]) + pad_[k];
      if (direction_[k] == 0) {
        if (to_low > 0 || to_high < 0) return {};
        continue;
      }
      begin = std::max(begin, (direction_[k] > 0 ? to_low : to_high) / direction_[k]);
      end = std::min(end, (direction_[k] > 0 ? to_high : to_low) / direction_[k]);
    }
    if (begin > end) return {};
    return begin;
  }

 private:
  std::array<double, 3> origin_{}, pad_{}, direction_{};
};

}  // namespace

void find_overlapping(const Proxies& proxies, const TreeFinder* trees, const AxisBox& box, std::vector<ProxyId>& out) {
  ProxyRecord asked;
  std::array<float, 6> wide{};
  for (std::size_t k = 0; k < 3; ++k) {
    asked.min[k] = box.min[static_cast<Eigen::Index>(k)];
    asked.max[k] = box.max[static_cast<Eigen::Index>(k)];
    wide[k] = round_down(asked.min[k] - proxies.origin()[k]);
    wide[k + 3] = round_up(asked.max[k] - proxies.origin()[k]);
  }
  const auto visit = [&](std::uint32_t i) {
    if (boxes_overlap(proxies[i], asked)) out.push_back({i, proxies[i].generation});
  };
  if (trees != nullptr) {
    BoxTree::Walk walk;
    std::vector<NodePair> found;
    trees->main().search(wide, 0, walk, found);
    trees->fresh().search(wide, 0, walk, found);
    for (const NodePair& pair : found) {
      if (!left(proxies, pair.b)) visit(pair.b);
    }
  }
  for_each_other(proxies, trees, visit);
  std::sort(out.begin(), out.end());
}

void walk_ray(const Proxies& proxies, const TreeFinder* trees, const Ray& ray, const RayVisit& visit) {
  double limit = ray.limit;
  std::vector<Step> heap;
  const auto push = [&](const Step& step) {
    heap.push_back(step);
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
  };
  const auto push_proxy = [&](std::uint32_t i) {
    if (const auto t = entry(proxies[i], ray, limit)) push({*t, 0, i, true, false});
  };
  const NodeRay node_ray(proxies, ray);
  if (trees != nullptr) {
    for (const bool fresh : {false, true}) {
      const BoxTree& tree = fresh ? trees->fresh() : trees->main();
      if (tree.depth() > 0) push({0, static_cast<std::uint32_t>(tree.depth() - 1), 0, false, fresh});
    }
  }
  for_each_other(proxies, trees, push_proxy);

  while (!heap.empty() && heap.front().t <= limit) {
    const Step step = heap.front();
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.pop_back();
    if (step.proxy) {
      limit = std::min(limit, visit({step.which, proxies[step.which].generation}, step.t));
      continue;
    }
    const BoxTree& tree = step.fresh ? trees->fresh() : trees->main();
    const float* group = tree.groups(step.level).data() + step.which * group_floats;
    for (std::uint32_t i = 0; i < node_children; ++i) {
      const auto t = node_ray.entry(group + i, limit);
      if (!t) continue;
      const auto child = static_cast<std::uint32_t>(step.which * node_children + i);
      if (step.level > 0) {
        push({*t, step.level - 1, child, false, step.fresh});
      } else if (const std::uint32_t item = tree.items()[child]; !left(proxies, item)) {
        push_proxy(item);
      }
    }
  }
}

}  // namespace carom::broad
