#include <algorithm>

#include "core/at.hpp"
#include "mesh/cluster_grouping.hpp"
#include "mesh/cluster_growth.hpp"

namespace carom::mesh {

namespace {

/// Triangles of a part: what is smaller is one, so that its clusters are the best that growth can give.
constexpr std::size_t part_size = 32768;

/// Clusters of a block: with fewer, more of them need not be placed; with more, fewer pairs of blocks are asked.
constexpr std::size_t block_clusters = 8;

/// Blocks grow over the clusters of a part as clusters do over triangles.
class BlockGrowth {
 public:
  BlockGrowth(const EdgeNumbers& edges, const SurfacePart& part, const ClusterGrowth& growth,
              std::span<const Index> cluster_of, ClusterGrouping& out)
      : edges_(edges), part_(part), growth_(growth), cluster_of_(cluster_of), out_(out), taken_(growth.count(), 0) {}

  void run() {
    SeedQueue queue;
    const auto is_free = [&](Index cluster) { return taken_[at(cluster)] == 0; };
    for (std::size_t c = 0; c < growth_.count(); ++c) {
      if (growth_.members(c).empty() || !is_free(static_cast<Index>(c))) continue;
      for (Index seed = static_cast<Index>(c); seed != none; seed = queue.pop(is_free)) grow_from(seed, queue);
    }
  }

 private:
  struct Waiting {
    Index cluster;
    int links;
  };

  template <class Visit>
  void each_neighbor(Index cluster, const Visit& visit) const {
    for (const Index triangle : growth_.members(at(cluster)))
      for (std::size_t k = 0; k < 3; ++k)
        if (const Index other = edges_.beyond[3 * at(triangle) + k];
            other != none && part_.has(other) && cluster_of_[at(other)] != cluster)
          visit(cluster_of_[at(other)]);
  }

  void take(Index cluster) {
    taken_[at(cluster)] = 1;
    const std::span<const Index> members = growth_.members(at(cluster));
    out_.members.insert(out_.members.end(), members.begin(), members.end());
    out_.ends.push_back(static_cast<std::uint32_t>(out_.members.size()));
    ++out_.block_counts.back();
    each_neighbor(cluster, [&](Index other) {
      if (taken_[at(other)] != 0) return;
      const auto found =
          std::find_if(front_.begin(), front_.end(), [&](const Waiting& waiting) { return waiting.cluster == other; });
      if (found == front_.end()) {
        front_.push_back({other, 1});
      } else {
        ++found->links;
      }
    });
  }

  void grow_from(Index seed, SeedQueue& queue) {
    out_.block_counts.push_back(0);
    front_.clear();
    take(seed);
    while (out_.block_counts.back() < block_clusters && !front_.empty()) {
      const auto best = std::max_element(front_.begin(), front_.end(),
                                         [](const Waiting& a, const Waiting& b) { return a.links < b.links; });
      const Index cluster = best->cluster;
      front_.erase(best);
      take(cluster);
    }
    // Those most enclosed first, so that few are left over.
    for (const Waiting& waiting : front_) {
      std::size_t open = 0;
      each_neighbor(waiting.cluster, [&](Index other) { open += taken_[at(other)] == 0 ? 1U : 0U; });
      queue.push(waiting.cluster, open / 4);
    }
  }

  const EdgeNumbers& edges_;
  const SurfacePart& part_;
  const ClusterGrowth& growth_;
  std::span<const Index> cluster_of_;
  ClusterGrouping& out_;
  std::vector<std::uint8_t> taken_;
  std::vector<Waiting> front_;
};

/// Live triangles, those of a part together. Parts of a large component are bands of triangles that are as far from its
/// first one.
struct Parts {
  std::vector<Index> order;
  std::vector<std::size_t> ends;
  std::vector<Index> part_of;  ///< empty if there is one
};

Parts cut_into_parts(const Surface& surface, const EdgeNumbers& edges) {
  const std::span<const Triangle> triangles = surface.triangles();
  Parts parts;
  parts.order.reserve(triangles.size());
  if (triangles.size() <= part_size) {
    for (std::size_t t = 0; t < triangles.size(); ++t)
      if (!is_dead(triangles[t])) parts.order.push_back(static_cast<Index>(t));
    parts.ends.push_back(parts.order.size());
    return parts;
  }
  parts.part_of.assign(triangles.size(), none);
  const auto visit = [&](Index triangle) {
    const std::size_t begun = parts.ends.empty() ? 0 : parts.ends.back();
    if (parts.order.size() - begun == part_size) parts.ends.push_back(parts.order.size());
    parts.part_of[at(triangle)] = static_cast<Index>(parts.ends.size());
    parts.order.push_back(triangle);
  };
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (is_dead(triangles[t]) || parts.part_of[t] != none) continue;
    std::size_t next = parts.order.size();
    visit(static_cast<Index>(t));
    for (; next < parts.order.size(); ++next)
      for (std::size_t k = 0; k < 3; ++k)
        if (const Index other = edges.beyond[3 * at(parts.order[next]) + k];
            other != none && parts.part_of[at(other)] == none)
          visit(other);
  }
  parts.ends.push_back(parts.order.size());
  return parts;
}

}  // namespace

ClusterGrouping group_by_edges(Workers& workers, const Surface& surface, const EdgeNumbers& edges) {
  const Parts parts = cut_into_parts(surface, edges);
  std::vector<Index> cluster_of(surface.triangles().size(), none);
  std::vector<ClusterGrouping> groupings(parts.ends.size());
  parallel_for(workers, parts.ends.size(), 1, [&](std::size_t p) {
    const std::size_t begin = p == 0 ? 0 : parts.ends[p - 1];
    const SurfacePart part{std::span(parts.order).subspan(begin, parts.ends[p] - begin), parts.part_of,
                           static_cast<Index>(p)};
    ClusterGrowth growth(surface.triangles(), edges, part, cluster_of);
    growth.run();
    groupings[p].members.reserve(part.order.size());
    BlockGrowth(edges, part, growth, cluster_of, groupings[p]).run();
  });
  ClusterGrouping out = std::move(groupings.front());
  for (std::size_t p = 1; p < groupings.size(); ++p) {
    const auto first = static_cast<std::uint32_t>(out.members.size());
    out.members.insert(out.members.end(), groupings[p].members.begin(), groupings[p].members.end());
    for (const std::uint32_t end : groupings[p].ends) out.ends.push_back(first + end);
    out.block_counts.insert(out.block_counts.end(), groupings[p].block_counts.begin(), groupings[p].block_counts.end());
  }
  return out;
}

}  // namespace carom::mesh
