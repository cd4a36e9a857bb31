#include "detect/flat_clusters.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "carom/mesh/surface.hpp"
#include "core/at.hpp"
#include "core/parallel.hpp"
#include "mesh/surface_clusters.hpp"

namespace carom::detection {

namespace {

using Eigen::Vector3d;
using kernels::SurfaceCluster;

/// Cosine of the angle of normals to the axis of a patch, at least: 40 degrees. A chord within the patch is then 50
/// degrees or more from the axis, and a contact that carries force is along it to 40 degrees and 0.6 more.
constexpr double min_cosine = 0.766044443118978;
/// Likewise over a motion, where triangles only have to face the axis: 85 degrees.
constexpr double min_moving_cosine = 0.0871557427476582;
/// Height over longest side, below which a triangle is in no patch: closer features could be told by rounding alone.
constexpr double min_height = 1e-6;
/// What rounding may do to a cosine, and to a length over the largest coordinate.
constexpr double cosine_slack = 1e-9;
constexpr double length_slack = 1e-12;
/// Patches are made for a longer reach than is asked for.
constexpr double reach_factor = 1.3;
/// Calls with the same triangles before patches are made.
constexpr int calls_to_wait = 2;
constexpr std::size_t max_members = 64;
/// Pairs of features from which on it is cheaper to find out whether a cluster is flat than to measure them.
constexpr std::uint32_t min_hits = 8;
/// Pairs of features of all clusters, for each of them, from which on patches are worth making.
constexpr std::uint64_t min_mean_hits = 16;
/// Calls: a flat cluster is not tested once in so many, to find out whether that still pays.
constexpr std::uint32_t recount_period = 32;
/// Likewise: one that was not flat is not tested in so many, at most.
constexpr std::uint8_t longest_wait = 31;
constexpr std::size_t flat_grain = 64;

bool dead(const SurfaceCluster& cluster) {
  return cluster.triangle_count == 0;
}

std::span<const Index> used_vertices(const SurfaceCluster& cluster) {
  return {cluster.vertices, cluster.vertex_count};
}

/// Cosine of the angle between an axis and the direction farthest from it in a cone, or less.
double farthest_cosine(const Vector3d& axis, const Vector3d& cone_axis, double cone_cosine) {
  const double between = std::clamp(axis.dot(cone_axis), -1.0, 1.0);
  if (!(cone_cosine > 0) || !(between > 0)) return -1;
  return between * cone_cosine - std::sqrt((1 - between * between) * (1 - cone_cosine * cone_cosine)) - cosine_slack;
}

struct SurfaceSide {
  std::uint64_t edge = 0;
  Index number = none;
};

/// A cluster seen along an axis: the box around it, grown.
class View {
 public:
  View(const SurfaceCluster& cluster, const Vector3d& axis, const std::array<std::uint8_t, 2>& ends,
       std::span<const Vector3d> positions, double grown)
      : origin_(positions[at(cluster.vertices[ends[0]])]), axis_(axis) {
    const Vector3d along = positions[at(cluster.vertices[ends[1]])] - origin_;
    u_ = along - along.dot(axis) * axis;
    valid_ = u_.norm() > 1e-3 * along.norm();
    if (!valid_) return;
    u_.normalize();
    v_ = axis.cross(u_);
    Eigen::AlignedBox2d box;
    for (const Index vertex : used_vertices(cluster)) box.extend(seen(positions[at(vertex)]));
    middle_ = box.center();
    half_ = 0.5 * box.sizes() + Eigen::Vector2d::Constant(grown + length_slack * origin_.cwiseAbs().maxCoeff());
  }

  bool valid() const { return valid_; }
  const Eigen::Vector2d& half() const { return half_; }
  Eigen::Vector2d from_middle(const Vector3d& p) const { return seen(p) - middle_; }

  /// Whether a triangle of another cluster may be over the box, and as near along the axis as the box is wide.
  bool holds_some(const SurfaceCluster& other, std::span<const Vector3d> positions) const {
    if (!valid_) return false;
    for (std::size_t t = 0; t < other.triangle_count; ++t) {
      Eigen::AlignedBox2d box;
      double height = INFINITY;
      for (std::size_t k = 0; k < 3; ++k) {
        const Vector3d& p = positions[at(other.vertices[other.corner[k][t]])];
        box.extend(from_middle(p));
        height = std::min(height, std::abs(axis_.dot(p - origin_)));
      }
      if ((box.min().array() <= half_.array()).all() && (box.max().array() >= -half_.array()).all() &&
          height <= half_.sum())
        return true;
    }
    return false;
  }

 private:
  Eigen::Vector2d seen(const Vector3d& p) const {
    const Vector3d d = p - origin_;
    return {d.dot(u_), d.dot(v_)};
  }

  Vector3d origin_;
  Vector3d axis_;
  Vector3d u_ = Vector3d::Zero();
  Vector3d v_ = Vector3d::Zero();
  Eigen::Vector2d middle_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d half_ = Eigen::Vector2d::Zero();
  bool valid_ = false;
};

}  // namespace

/// Pairs the sides of edges that have exactly two, in opposite directions.
void FlatClusters::glue() {
  const std::span<const Triangle> triangles = surface_->triangles();
  across_.assign(3 * triangles.size(), none);
  std::vector<SurfaceSide> sides;
  sides.reserve(across_.size());
  const auto begin_of = [&](Index side) { return triangles[at(side) / 3][at(side) % 3]; };
  const auto end_of = [&](Index side) {
    return triangles[at(side) / 3][(at(side) + 1) % 3 == 0 ? 0 : at(side) % 3 + 1];
  };
  for (Index t = 0; at(t) < triangles.size(); ++t) {
    if (is_dead(triangles[at(t)])) continue;
    for (Index n = 3 * t; n < 3 * t + 3; ++n) {
      const auto from = static_cast<std::uint32_t>(begin_of(n));
      const auto to = static_cast<std::uint32_t>(end_of(n));
      sides.push_back({static_cast<std::uint64_t>(std::min(from, to)) << 32U | std::max(from, to), n});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const SurfaceSide& a, const SurfaceSide& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.number < b.number;
  });
  for (std::size_t i = 0, end = 0; i < sides.size(); i = end) {
    while (end < sides.size() && sides[end].edge == sides[i].edge) ++end;
    if (end - i != 2) continue;
    const Index first = sides[i].number;
    const Index second = sides[i + 1].number;
    if (begin_of(first) == begin_of(second)) continue;
    across_[at(first)] = second;
    across_[at(second)] = first;
  }
}

/// The neighbors of each cluster, and from these on whatever is over its box.
void FlatClusters::list_members(const In& in, double within) {
  const std::size_t count = clusters_->clusters.size();
  const auto each_neighbor = [&](std::size_t c, const auto& visit) {
    for (std::uint32_t i = clusters_->around_begin[c]; i < clusters_->around_begin[c + 1]; ++i) {
      const kernels::BlockNeighbors& around = clusters_->around[i];
      for (std::uint32_t k = 0; k < kernels::cluster_lanes; ++k) {
        if ((around.clusters >> k & 1U) != 0) visit(clusters_->blocks[at(around.block)].first + static_cast<Index>(k));
      }
    }
  };
  std::vector<std::array<Index, 2>> pairs;
  std::vector<std::size_t> seen(count, count);
  std::vector<Index> list;
  for (std::size_t c = 0; c < count; ++c) {
    if (dead(clusters_->clusters[c])) continue;
    list.clear();
    const auto take = [&](Index other) {
      seen[at(other)] = c;
      list.push_back(other);
    };
    take(static_cast<Index>(c));
    const View view(clusters_->clusters[c], cone_of(c, in.positions).axis, ends_[c], in.positions, within);
    each_neighbor(c, [&](Index other) {
      if (seen[at(other)] != c) take(other);
    });
    for (std::size_t i = 1; i < list.size() && list.size() < max_members; ++i) {
      each_neighbor(at(list[i]), [&](Index other) {
        if (seen[at(other)] == c || list.size() >= max_members) return;
        seen[at(other)] = c;
        if (view.holds_some(clusters_->clusters[at(other)], in.positions)) list.push_back(other);
      });
    }
    for (const Index other : list) {
      pairs.push_back({static_cast<Index>(c), other});
      if (at(other) != c) pairs.push_back({other, static_cast<Index>(c)});
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  member_begin_.assign(count + 1, 0);
  members_.clear();
  for (const auto& [cluster, other] : pairs) {
    ++member_begin_[at(cluster) + 1];
    members_.push_back(other);
  }
  for (std::size_t c = 0; c < count; ++c) member_begin_[c + 1] += member_begin_[c];
}

/// Members that are no neighbors, by block.
void FlatClusters::list_far() {
  const std::size_t count = clusters_->clusters.size();
  const std::vector<Index> block_of = mesh::blocks_of_clusters(*clusters_);
  far_.clear();
  far_begin_.assign(1, 0);
  for (std::size_t c = 0; c < count; ++c) {
    const std::size_t first = far_.size();
    for (const Index other : patch(c)) {
      const Index block = block_of[at(other)];
      const std::uint32_t bit = std::uint32_t{1}
                                << static_cast<std::uint32_t>(other - clusters_->blocks[at(block)].first);
      bool neighbor = false;
      for (std::uint32_t i = clusters_->around_begin[c]; i < clusters_->around_begin[c + 1]; ++i)
        neighbor |= clusters_->around[i].block == block && (clusters_->around[i].clusters & bit) != 0;
      if (neighbor) continue;
      const auto known = std::find_if(far_.begin() + static_cast<std::ptrdiff_t>(first), far_.end(),
                                      [&](const kernels::BlockNeighbors& far) { return far.block == block; });
      if (known == far_.end())
        far_.push_back({block, bit});
      else
        known->clusters |= bit;
    }
    far_begin_.push_back(static_cast<std::uint32_t>(far_.size()));
  }
}

void FlatClusters::list_borders() {
  const std::span<const Triangle> triangles = surface_->triangles();
  const std::size_t count = clusters_->clusters.size();
  std::vector<std::size_t> in_patch(count, count);
  border_.clear();
  border_begin_.assign(1, 0);
  for (std::size_t c = 0; c < count; ++c) {
    for (const Index member : patch(c)) in_patch[at(member)] = c;
    for (const Index member : patch(c)) {
      const SurfaceCluster& cluster = clusters_->clusters[at(member)];
      for (std::size_t t = 0; t < cluster.triangle_count; ++t) {
        const Index triangle = cluster.triangles[t];
        for (std::size_t k = 0; k < 3; ++k) {
          const Index other = across_[3 * at(triangle) + k];
          if (other != none && in_patch[at(clusters_->cluster_of[at(other) / 3])] == c) continue;
          border_.push_back({triangles[at(triangle)][k], triangles[at(triangle)][k == 2 ? 0 : k + 1]});
        }
      }
    }
    border_begin_.push_back(static_cast<std::uint32_t>(border_.size()));
  }
}

void FlatClusters::make_patches(const In& in) {
  made_reach_ = reach_factor * in.reach;
  glue();
  ends_.assign(clusters_->clusters.size(), {0, 0});
  for (std::size_t c = 0; c < ends_.size(); ++c) {
    const std::span<const Index> vertices = used_vertices(clusters_->clusters[c]);
    double largest = -1;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      for (std::size_t k = i + 1; k < vertices.size(); ++k) {
        const double square = (in.positions[at(vertices[i])] - in.positions[at(vertices[k])]).squaredNorm();
        if (!(square > largest)) continue;
        largest = square;
        ends_[c] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(k)};
      }
    }
  }
  list_members(in, made_reach_);
  list_far();
  list_borders();
}

/// Whether there are patches.
bool FlatClusters::prepare(const In& in) {
  surface_ = &in.surface;
  if (revision_ != in.surface.revision()) {
    revision_ = in.surface.revision();
    calls_ = 0;
    made_reach_ = 0;
    pause_.clear();
    was_flat_.clear();
  }
  clusters_ = &in.surface.clusters();
  if (!clusters_->suitable || clusters_->loose || clusters_->hubs) return false;
  if (made_reach_ >= in.reach) return true;
  if (++calls_ <= calls_to_wait) return false;
  const std::size_t count = clusters_->clusters.size();
  if (in.hits.size() == count &&
      std::accumulate(in.hits.begin(), in.hits.end(), std::uint64_t{0}) < min_mean_hits * count)
    return false;
  make_patches(in);
  return true;
}

FlatClusters::Cone FlatClusters::cone_of(std::size_t number, std::span<const Vector3d> positions) const {
  const SurfaceCluster& cluster = clusters_->clusters[number];
  Cone cone;
  std::array<Vector3d, kernels::cluster_lanes> normals;
  Vector3d sum = Vector3d::Zero();
  for (std::size_t t = 0; t < cluster.triangle_count; ++t) {
    const Vector3d& a = positions[at(cluster.vertices[cluster.corner[0][t]])];
    const Vector3d u = positions[at(cluster.vertices[cluster.corner[1][t]])] - a;
    const Vector3d v = positions[at(cluster.vertices[cluster.corner[2][t]])] - a;
    Vector3d& normal = normals[t];
    normal = u.cross(v);
    const double length = normal.norm();
    const double longest = std::max({u.squaredNorm(), v.squaredNorm(), (v - u).squaredNorm()});
    if (!(length > min_height * longest) || !(longest > 1e-200)) return cone;
    sum += normal;
    normal /= length;
  }
  const double length = sum.norm();
  if (!(length > 0)) return cone;
  cone.axis = sum / length;
  cone.cosine = 1;
  for (std::size_t t = 0; t < cluster.triangle_count; ++t)
    cone.cosine = std::min(cone.cosine, cone.axis.dot(normals[t]) - cosine_slack);
  return cone;
}

bool FlatClusters::faces_one_way(std::size_t cluster, std::span<const double> cosines, double limit) const {
  const Vector3d& axis = cones_[cluster].axis;
  for (const Index member : patch(cluster)) {
    if (!(farthest_cosine(axis, cones_[at(member)].axis, cosines[at(member)]) >= limit)) return false;
  }
  return true;
}

/// Whether the border of a patch, seen along the axis of a cluster, stays out of the box of the cluster grown by the
/// reach, and goes around it once.
bool FlatClusters::border_is_away(std::size_t number, const In& in) const {
  const View view(clusters_->clusters[number], cones_[number].axis, ends_[number], in.positions,
                  in.reach * (1 + cosine_slack));
  if (!view.valid()) return false;
  const double half_u = view.half().x();
  const double half_v = view.half().y();
  int turns = 0;
  for (std::uint32_t i = border_begin_[number]; i < border_begin_[number + 1]; ++i) {
    const Eigen::Vector2d p = view.from_middle(in.positions[at(border_[i][0])]);
    const Eigen::Vector2d q = view.from_middle(in.positions[at(border_[i][1])]);
    const Eigen::Vector2d d = q - p;
    const double side = p.x() * d.y() - p.y() * d.x();
    const bool away = std::max(p.x(), q.x()) < -half_u || std::min(p.x(), q.x()) > half_u ||
                      std::max(p.y(), q.y()) < -half_v || std::min(p.y(), q.y()) > half_v ||
                      std::abs(side) > (1 + cosine_slack) * (half_u * std::abs(d.y()) + half_v * std::abs(d.x()));
    if (!away) return false;
    // Crossings of the ray from the middle along u.
    if (p.y() <= 0 && q.y() > 0 && side > 0) ++turns;
    if (p.y() > 0 && q.y() <= 0 && side < 0) --turns;
  }
  return turns == 1;
}

/// Clusters that are tested: those that were flat, and those with many pairs, unless they were tested in vain a
/// short while ago. What is flat is left alone every now and then, to see how many pairs there are. False: none.
bool FlatClusters::choose(const In& in) {
  const std::size_t count = clusters_->clusters.size();
  const bool all = in.hits.size() != count;
  if (was_flat_.size() != count) was_flat_.assign(count, 0);
  if (pause_.size() != count) {
    pause_.assign(count, 0);
    idle_.assign(count, 0);
  }
  chosen_.resize(count);
  ++call_;
  bool any = false;
  for (std::size_t c = 0; c < count; ++c) {
    const SurfaceCluster& cluster = clusters_->clusters[c];
    bool chosen = !dead(cluster) && in.wanted[at(cluster.object)] != 0;
    if (chosen && !all) {
      if (was_flat_[c] != 0) {
        chosen = (c + call_) % recount_period != 0;
      } else if (idle_[c] > 0) {
        --idle_[c];
        chosen = false;
      } else {
        chosen = in.hits[c] >= min_hits;
      }
    }
    chosen_[c] = chosen ? 1 : 0;
    any = any || chosen;
  }
  return any;
}

void FlatClusters::find(Context& context, const In& in) {
  flat_.clear();
  if (!(in.reach > 0) || !prepare(in)) return;
  reach_ = in.reach;
  const std::size_t count = clusters_->clusters.size();
  if (!choose(in)) {
    was_flat_.assign(count, 0);
    return;
  }
  cones_.resize(count);
  cosines_.resize(count);
  needed_.resize(count);
  parallel_for(context.workers, count, flat_grain, [&](std::size_t c) {
    const std::span<const Index> members = patch(c);
    needed_[c] = std::ranges::any_of(members, [&](Index member) { return chosen_[at(member)] != 0; }) ? 1 : 0;
    cones_[c] = needed_[c] != 0 ? cone_of(c, in.positions) : Cone{};
    cosines_[c] = cones_[c].cosine;
  });
  flat_.resize(count);
  parallel_for(context.workers, count, flat_grain, [&](std::size_t c) {
    flat_[c] = chosen_[c] != 0 && faces_one_way(c, cosines_, min_cosine) && border_is_away(c, in) ? 1 : 0;
  });
  bool any = false;
  for (std::size_t c = 0; c < count; ++c) {
    any = any || flat_[c] != 0;
    if (chosen_[c] == 0) continue;
    pause_[c] = flat_[c] != 0 ? std::uint8_t{0} : std::min<std::uint8_t>(longest_wait, 2 * pause_[c] + 1);
    idle_[c] = pause_[c];
  }
  was_flat_ = flat_;
  if (!any) {
    flat_.clear();
    return;
  }
  flat_of_block_.assign(clusters_->blocks.size(), 0);
  for (std::size_t b = 0; b < flat_of_block_.size(); ++b) {
    const kernels::ClusterBlock& block = clusters_->blocks[b];
    for (std::int32_t k = 0; k < block.count; ++k)
      flat_of_block_[b] |= static_cast<std::uint32_t>(flat_[at(block.first + k)]) << static_cast<std::uint32_t>(k);
  }
}

bool FlatClusters::leaves_out(std::size_t one, std::size_t other) const {
  if (flat_.empty() || (flat_[one] | flat_[other]) == 0) return false;
  const std::span<const Index> members = patch(one);
  return std::binary_search(members.begin(), members.end(), static_cast<Index>(other));
}

/// Cosine of the largest angle of a normal to the axis of a cluster over a motion, or less. The normal of a triangle
/// is a quadratic curve in time, and stays in the cone of its three control points.
double FlatClusters::cosine_over(std::size_t number, std::span<const Vector3d> start,
                                 std::span<const Vector3d> end) const {
  const SurfaceCluster& cluster = clusters_->clusters[number];
  const Vector3d& axis = cones_[number].axis;
  // Squares of cosines with their signs: their order is that of the cosines, and one root is enough.
  double least = 1;
  for (std::size_t t = 0; t < cluster.triangle_count; ++t) {
    const std::size_t a = at(cluster.vertices[cluster.corner[0][t]]);
    const std::size_t b = at(cluster.vertices[cluster.corner[1][t]]);
    const std::size_t c = at(cluster.vertices[cluster.corner[2][t]]);
    const Vector3d u = start[b] - start[a];
    const Vector3d v = start[c] - start[a];
    const Vector3d moved_u = end[b] - end[a];
    const Vector3d moved_v = end[c] - end[a];
    const double longest = std::max({u.squaredNorm(), v.squaredNorm(), moved_u.squaredNorm(), moved_v.squaredNorm()});
    for (const Vector3d& normal : {Vector3d(u.cross(v)), Vector3d(0.5 * (u.cross(moved_v) + moved_u.cross(v))),
                                   Vector3d(moved_u.cross(moved_v))}) {
      const double square = normal.squaredNorm();
      if (!(square > (min_height * min_height) * (longest * longest))) return -1;
      const double along = axis.dot(normal);
      least = std::min(least, along * std::abs(along) / square);
    }
  }
  return (least < 0 ? -std::sqrt(-least) : std::sqrt(least)) - cosine_slack;
}

void FlatClusters::follow(Context& context, std::span<const Vector3d> start, std::span<const Vector3d> end,
                          std::vector<std::uint8_t>& apart) {
  const std::size_t count = flat_.size();
  moving_cosines_.resize(count);
  parallel_for(context.workers, count, flat_grain, [&](std::size_t c) {
    const bool needed = std::ranges::any_of(patch(c), [&](Index member) { return flat_[at(member)] != 0; });
    moving_cosines_[c] = needed ? cosine_over(c, start, end) : -1;
  });
  apart.resize(count);
  parallel_for(context.workers, count, flat_grain, [&](std::size_t c) {
    apart[c] = flat_[c] != 0 && faces_one_way(c, moving_cosines_, min_moving_cosine) ? 1 : 0;
  });
}

}  // namespace carom::detection
