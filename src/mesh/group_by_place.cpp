#include <algorithm>
#include <array>

#include "core/at.hpp"
#include "core/radix_sort.hpp"
#include "kernels/surface_cluster.hpp"
#include "mesh/cluster_grouping.hpp"

namespace carom::mesh {

namespace {

constexpr std::size_t triangle_grain = 4096;

/// Sixteen bits with two zeros after each.
std::uint64_t spread_bits(std::uint64_t x) {
  x = (x | x << 16U) & 0x0000ff0000ffULL;
  x = (x | x << 8U) & 0x00f00f00f00fULL;
  x = (x | x << 4U) & 0x0c30c30c30c3ULL;
  return (x | x << 2U) & 0x249249249249ULL;
}

struct Keyed {
  std::uint64_t key;
  Index triangle;
};

/// Takes triangles one after the other until the tables of a cluster are full.
class Packer {
 public:
  Packer(const Surface& surface, ClusterGrouping& out) : surface_(surface), out_(out) {}

  void add(Index triangle) {
    const Triangle& corners = surface_.triangles()[at(triangle)];
    const Index object = surface_.object_index_of_triangle()[at(triangle)];
    // Three edges for each triangle are as many as there can be.
    const bool fits = count_ > 0 && object == object_ && count_ < kernels::cluster_lanes &&
                      3 * (count_ + 1) <= kernels::cluster_edge_lanes &&
                      vertices_ + missing(corners) <= kernels::cluster_lanes;
    if (!fits) begin(object);
    for (const Index v : corners)
      if (!has(v)) list_[vertices_++] = v;
    ++count_;
    out_.members.push_back(triangle);
    out_.ends.back() = static_cast<std::uint32_t>(out_.members.size());
  }

 private:
  bool has(Index vertex) const {
    return std::find(list_.begin(), list_.begin() + static_cast<std::ptrdiff_t>(vertices_), vertex) !=
           list_.begin() + static_cast<std::ptrdiff_t>(vertices_);
  }
  std::size_t missing(const Triangle& c) const {
    return std::size_t{!has(c[0])} + std::size_t{c[1] != c[0] && !has(c[1])} +
           std::size_t{c[2] != c[0] && c[2] != c[1] && !has(c[2])};
  }
  void begin(Index object) {
    if (out_.block_counts.empty() || object != object_ || out_.block_counts.back() == kernels::cluster_lanes)
      out_.block_counts.push_back(0);
    ++out_.block_counts.back();
    out_.ends.push_back(0);
    object_ = object;
    count_ = vertices_ = 0;
  }

  const Surface& surface_;
  ClusterGrouping& out_;
  Index object_ = none;
  std::size_t count_ = 0, vertices_ = 0;  ///< of the cluster at hand
  std::array<Index, kernels::cluster_lanes> list_{};
};

}  // namespace

ClusterGrouping group_by_place(Workers& workers, const Surface& surface, std::span<const Eigen::Vector3d> positions) {
  const std::span<const Triangle> triangles = surface.triangles();
  const std::size_t objects = surface.objects().size();
  // Halves, as sums may be infinite.
  std::vector<Eigen::Array3d> low(objects, Eigen::Array3d::Constant(INFINITY));
  std::vector<Eigen::Array3d> high(objects, Eigen::Array3d::Constant(-INFINITY));
  const auto middle = [&](const Triangle& t) -> Eigen::Array3d {
    const Eigen::Array3d a = positions[at(t[0])];
    const Eigen::Array3d b = positions[at(t[1])];
    const Eigen::Array3d c = positions[at(t[2])];
    return 0.5 * a.min(b).min(c) + 0.5 * a.max(b).max(c);
  };
  std::vector<Keyed> keyed;
  keyed.reserve(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (is_dead(triangles[t])) continue;
    const std::size_t object = at(surface.object_index_of_triangle()[t]);
    const Eigen::Array3d half = 0.5 * middle(triangles[t]);
    low[object] = low[object].min(half);
    high[object] = high[object].max(half);
    keyed.push_back({0, static_cast<Index>(t)});
  }
  parallel_for(workers, keyed.size(), triangle_grain, [&](std::size_t i) {
    const std::size_t t = at(keyed[i].triangle);
    const std::size_t object = at(surface.object_index_of_triangle()[t]);
    const double size = (high[object] - low[object]).maxCoeff();
    const Eigen::Array3d half = 0.5 * middle(triangles[t]) - low[object];
    for (int k = 0; k < 3; ++k) {
      const double share = size > 0 ? half[k] / size : 0;
      keyed[i].key |= spread_bits(static_cast<std::uint64_t>(std::clamp(share * 65536, 0.0, 65535.0))) << k;
    }
  });
  RadixSort<Keyed> sort;
  sort.run(workers, keyed, 48, [](const Keyed& item) { return item.key; });
  sort.run(workers, keyed, 32, [&](const Keyed& item) {
    return static_cast<std::uint64_t>(surface.object_index_of_triangle()[at(item.triangle)]);
  });
  ClusterGrouping out;
  out.members.reserve(keyed.size());
  Packer packer(surface, out);
  for (const Keyed& item : keyed) packer.add(item.triangle);
  return out;
}

}  // namespace carom::mesh
