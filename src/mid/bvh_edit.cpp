#include <algorithm>

#include "core/at.hpp"
#include "mid/bvh.hpp"

/// How the clusters of a tree follow an edit of the surface.
namespace carom::mid {

namespace {

/// Of all triangles: when that many have changed, cutting again makes better clusters.
constexpr double max_edited = 0.25;

constexpr std::size_t edit_grain = 256;

/// Returns the corners that the triangle had: its number may be another's by now.
Triangle take_out(Cluster& cluster, Index triangle) {
  const auto end = cluster.triangles.begin() + cluster.triangle_count;
  const auto found = std::find(cluster.triangles.begin(), end, triangle);
  const auto i = found - cluster.triangles.begin();
  const auto [a, b, c] = cluster.corners[static_cast<std::size_t>(i)];
  std::copy(found + 1, end, found);
  std::copy(cluster.corners.begin() + i + 1, cluster.corners.begin() + cluster.triangle_count,
            cluster.corners.begin() + i);
  --cluster.triangle_count;
  return {cluster.vertices[a], cluster.vertices[b], cluster.vertices[c]};
}

}  // namespace

void Bvh::index_triangles(Context& context, std::size_t triangles) {
  cluster_of_.assign(triangles, none);
  parallel_for(context.workers, clusters_.size(), edit_grain, [&](std::size_t p) {
    for (std::size_t i = 0; i < clusters_[p].triangle_count; ++i)
      cluster_of_[at(clusters_[p].triangles[i])] = static_cast<Index>(p);
  });
}

/// One with room for the triangle that already has a neighbour of it, or a new one.
std::size_t Bvh::cluster_for(const Surface& surface, Index triangle) {
  for (const Index vertex : surface.triangles()[at(triangle)]) {
    for (Index corner = surface.first_corner(vertex); corner != none; corner = surface.next_corner(corner)) {
      const Index p = cluster_of_[at(corner) / 3];
      if (p != none && clusters_[at(p)].triangle_count < cluster_triangles) return at(p);
    }
  }
  // Many loose triangles may follow each other: the last one may be new, too.
  const Index object = surface.object_index_of_triangle()[at(triangle)];
  if (clusters_.size() > cut_clusters_ && clusters_.back().object == object &&
      clusters_.back().triangle_count < cluster_triangles)
    return clusters_.size() - 1;
  clusters_.emplace_back();
  clusters_.back().object = object;
  return clusters_.size() - 1;
}

void Bvh::follow(const Surface& surface) {
  edited_from_ = 0;
  const AppliedEdit& edit = surface.last_edit();
  if (revision_ == surface.revision() || revision_ == 0 || edit.before != revision_ || edit.objects_renumbered) return;
  edited_triangles_ += edit.removed.size() + edit.added.size();
  if (static_cast<double>(edited_triangles_) > max_edited * static_cast<double>(surface.triangles().size())) return;
  const std::uint64_t before = revision_;
  revision_ = 0;  // of no surface, should memory run out on the way

  edited_vertices_.clear();
  dirty_.clear();
  is_dirty_.assign(clusters_.size(), 0);
  const auto soil = [&](std::size_t p) {
    if (p >= is_dirty_.size()) is_dirty_.resize(p + 1, 0);
    if (is_dirty_[p] == 0) dirty_.push_back(static_cast<Index>(p));
    is_dirty_[p] = 1;
  };
  for (const Index triangle : edit.removed) {
    const std::size_t p = at(cluster_of_[at(triangle)]);
    soil(p);
    for (const Index vertex : take_out(clusters_[p], triangle)) edited_vertices_.push_back(vertex);
    cluster_of_[at(triangle)] = none;
  }
  cluster_of_.resize(surface.triangles().size(), none);
  for (const Index triangle : edit.added) {
    const std::size_t p = cluster_for(surface, triangle);
    clusters_[p].triangles[clusters_[p].triangle_count++] = triangle;
    cluster_of_[at(triangle)] = static_cast<Index>(p);
    soil(p);
  }
  for (const Index triangle : edit.reowned) soil(at(cluster_of_[at(triangle)]));
  for (const std::vector<Index>* list : {&edit.added, &edit.reowned})
    for (const Index triangle : *list)
      for (const Index vertex : surface.triangles()[at(triangle)]) edited_vertices_.push_back(vertex);

  hulls_.resize(6 * clusters_.size());
  margin_.resize(clusters_.size());
  for (const Index p : dirty_) {
    Cluster& cluster = clusters_[at(p)];
    const std::array<Index, cluster_triangles> members = cluster.triangles;
    const Index object = cluster.object;
    cluster = make_cluster(surface, {members.data(), cluster.triangle_count});
    cluster.object = object;
    features_.replace(at(p), cluster);
  }
  count_used();
  shape_levels();
  if (levels_.size() != built_sizes_.size()) rebuilt_ = true;
  edited_from_ = before;
  revision_ = surface.revision();
}

}  // namespace carom::mid
