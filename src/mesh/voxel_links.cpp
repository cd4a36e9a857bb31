#include "mesh/voxel_links.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "carom/detect/continuous.hpp"
#include "core/at.hpp"
#include "core/disjoint_sets.hpp"

namespace carom::mesh {
namespace {

using LinkCell = std::array<std::int32_t, 3>;
using Eigen::Vector3d;

bool link_cell_before(const LinkCell& a, const LinkCell& b) {
  return std::array{a[2], a[1], a[0]} < std::array{b[2], b[1], b[0]};
}

/// Searches through links that are whole, from several voxels in turn, that become one where they meet.
class Floods {
 public:
  explicit Floods(const VoxelLinks& links) : links_(links) {}

  void begin(Index voxel) {
    if (!owner_.try_emplace(voxel, static_cast<Index>(fronts_.size())).second) return;
    fronts_.push_back({{voxel}, 0, true});
    parent_.push_back(static_cast<Index>(parent_.size()));
    ++active_;
  }

  /// Until all but one are exhausted.
  void run() {
    while (active_ > 1) {
      for (Index i = 0; i < static_cast<Index>(fronts_.size()) && active_ > 1; ++i) {
        if (find(i) == i && fronts_[at(i)].active) advance(i);
      }
    }
  }

  /// Voxels of those that are exhausted, ascending; if all are, but for the largest.
  std::vector<std::vector<Index>> exhausted() {
    std::map<Index, std::vector<Index>> parts;
    for (const auto& [voxel, owner] : owner_) {
      if (!fronts_[at(find(owner))].active) parts[find(owner)].push_back(voxel);
    }
    std::vector<std::vector<Index>> lists;
    for (auto& [owner, voxels] : parts) lists.push_back(std::move(voxels));
    std::sort(lists.begin(), lists.end());
    if (active_ == 0 && !lists.empty())
      lists.erase(std::max_element(lists.begin(), lists.end(),
                                   [](const auto& a, const auto& b) { return a.size() < b.size(); }));
    return lists;
  }

 private:
  struct Front {
    std::vector<Index> voxels;  ///< in the order in which they were reached
    std::size_t next = 0;
    bool active = true;
  };

  Index find(Index i) {
    while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
    return i;
  }

  /// Goes on by one voxel.
  void advance(Index i) {
    if (fronts_[at(i)].next == fronts_[at(i)].voxels.size()) {
      fronts_[at(i)].active = false;
      --active_;
      return;
    }
    const Index voxel = fronts_[at(i)].voxels[fronts_[at(i)].next++];
    for (int d = 0; d < direction_count; ++d) {
      if (!links_.joined(voxel, d)) continue;
      const Index other = links_.neighbor(voxel, d);
      const auto [entry, is_new] = owner_.try_emplace(other, i);
      if (is_new) {
        fronts_[at(find(i))].voxels.push_back(other);
      } else if (find(entry->second) != find(i)) {
        merge(find(i), find(entry->second));
      }
    }
  }

  /// What is left to search of b is left to a.
  void merge(Index a, Index b) {
    Front& to = fronts_[at(a)];
    Front& from = fronts_[at(b)];
    to.voxels.insert(to.voxels.end(), from.voxels.begin() + static_cast<std::ptrdiff_t>(from.next), from.voxels.end());
    from.voxels.clear();
    from.active = false;
    parent_[at(b)] = a;
    --active_;
  }

  const VoxelLinks& links_;
  std::map<Index, Index> owner_;  // front of each voxel that was reached
  std::vector<Front> fronts_;
  std::vector<Index> parent_;
  std::size_t active_ = 0;
};

}  // namespace

VoxelLinks::VoxelLinks(std::vector<LinkCell> cells) : cells_(std::move(cells)), cut_(cells_.size(), 0) {
  neighbors_.resize(cells_.size());
  for (std::size_t v = 0; v < cells_.size(); ++v) {
    for (int d = 0; d < direction_count; ++d) {
      LinkCell other = cells_[v];
      other[static_cast<std::size_t>(d / 2)] += d % 2 == 0 ? -1 : 1;
      neighbors_[v][static_cast<std::size_t>(d)] = find(other);
    }
  }
}

Index VoxelLinks::find(const LinkCell& cell) const {
  const auto found = std::lower_bound(cells_.begin(), cells_.end(), cell, link_cell_before);
  return found != cells_.end() && *found == cell ? static_cast<Index>(found - cells_.begin()) : none;
}

bool VoxelLinks::cut(Index voxel, int direction) {
  if (!joined(voxel, direction)) return false;
  const auto bit = [](int d) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(d)); };
  cut_[at(voxel)] |= bit(direction);
  cut_[at(neighbor(voxel, direction))] |= bit(direction ^ 1);
  return true;
}

std::vector<VoxelLink> crossed_links(const VoxelLinks& links, std::span<const Vector3d> start,
                                     std::span<const Vector3d> end, const BladeMotion& blade) {
  std::vector<Index> all(links.voxel_count());
  std::iota(all.begin(), all.end(), Index{0});
  std::vector<VoxelLink> crossed;
  for (const LinkCrossing& crossing : link_crossings(links, all, start, end, blade)) crossed.push_back(crossing.link);
  return crossed;
}

std::vector<LinkCrossing> link_crossings(const VoxelLinks& links, std::span<const Index> voxels,
                                         std::span<const Vector3d> start, std::span<const Vector3d> end,
                                         const BladeMotion& blade) {
  std::vector<LinkCrossing> crossed;
  std::vector<std::array<Vector3d, 2>> boxes;
  for (std::size_t k = 0; k + 1 < blade.start.size(); ++k) {
    const Vector3d& a = blade.start[k];
    const Vector3d& b = blade.start[k + 1];
    const Vector3d& c = blade.end[k];
    const Vector3d& d = blade.end[k + 1];
    boxes.push_back({a.cwiseMin(b).cwiseMin(c.cwiseMin(d)), a.cwiseMax(b).cwiseMax(c.cwiseMax(d))});
  }
  for (std::size_t v = 0; v < voxels.size(); ++v) {
    // Neighbors have higher numbers, so the search is short.
    auto from = voxels.begin() + static_cast<std::ptrdiff_t>(v);
    for (int d = 1; d < direction_count; d += 2) {
      if (!links.joined(voxels[v], d)) continue;
      from = std::lower_bound(from, voxels.end(), links.neighbor(voxels[v], d));
      if (from == voxels.end()) break;
      if (*from != links.neighbor(voxels[v], d)) continue;
      const auto w = static_cast<std::size_t>(from - voxels.begin());
      const Vector3d low = start[v].cwiseMin(start[w]).cwiseMin(end[v].cwiseMin(end[w]));
      const Vector3d high = start[v].cwiseMax(start[w]).cwiseMax(end[v].cwiseMax(end[w]));
      for (std::size_t k = 0; k < boxes.size(); ++k) {
        if ((low.array() > boxes[k][1].array()).any() || (boxes[k][0].array() > high.array()).any()) continue;
        const Impact impact = first_impact(ContactKind::edge_edge,
                                           {.start = {blade.start[k], blade.start[k + 1], start[v], start[w]},
                                            .end = {blade.end[k], blade.end[k + 1], end[v], end[w]}},
                                           {.exact = true});
        if (!impact.collides) continue;
        crossed.push_back({{voxels[v], d}, std::clamp(std::abs(impact.weights[3]), 0.0, 1.0)});
        break;
      }
    }
  }
  return crossed;
}

std::vector<Index> parts_of(const VoxelLinks& links) {
  DisjointSets sets(links.voxel_count());
  for (Index v = 0; v < static_cast<Index>(links.voxel_count()); ++v) {
    for (int d = 1; d < direction_count; d += 2) {
      if (links.joined(v, d)) sets.merge(v, links.neighbor(v, d));
    }
  }
  std::map<Index, Index> numbers;
  std::vector<Index> parts;
  for (Index v = 0; v < static_cast<Index>(links.voxel_count()); ++v)
    parts.push_back(numbers.try_emplace(sets.find(v), static_cast<Index>(numbers.size())).first->second);
  return parts;
}

std::vector<std::vector<Index>> parts_that_came_off(const VoxelLinks& links, std::span<const VoxelLink> cut) {
  Floods floods(links);
  for (const VoxelLink& link : cut) {
    floods.begin(link.voxel);
    floods.begin(links.neighbor(link.voxel, link.direction));
  }
  floods.run();
  return floods.exhausted();
}

}  // namespace carom::mesh
