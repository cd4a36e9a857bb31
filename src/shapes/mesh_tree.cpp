#include "shapes/mesh_tree.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace carom::shapes {
namespace {

/// Where halves by place make no progress, or the tree is this deep already, halves are made by number: with at most
/// 2^32 triangles the rest is at most 32 deep.
constexpr int deepest_by_place = 60;
constexpr int bins = 16;

struct Bounds {
  Vec3 low{INFINITY, INFINITY, INFINITY};
  Vec3 high{-INFINITY, -INFINITY, -INFINITY};
  void add(const Vec3& p) {
    low = math::lower(low, p);
    high = math::higher(high, p);
  }
  void add(const Bounds& other) {
    low = math::lower(low, other.low);
    high = math::higher(high, other.high);
  }
  /// Half the surface of the box.
  double area() const {
    const Vec3 d = high - low;
    return d.x * d.y + d.y * d.z + d.z * d.x;
  }
};

double coordinate(const Vec3& p, int axis) {
  return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

Vec3 middle_of(const TriangleCorners& t) {
  return (1.0 / 3) * (t[0] + t[1] + t[2]);
}

class Builder {
 public:
  Builder(const TriangleMesh& mesh, const MeshOptions& options, MeshTree& tree) : options_(options), tree_(tree) {
    const std::size_t n = mesh.triangles.size();
    tree.triangles.resize(n);
    all_.resize(n);
    middles_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      tree.triangles[i] = static_cast<Index>(i);
      for (std::size_t k = 0; k < 3; ++k) {
        all_[i][k] = math::to_vec3(mesh.positions[static_cast<std::size_t>(mesh.triangles[i][k])]);
      }
      middles_[i] = middle_of(all_[i]);
    }
  }

  void run() {
    tree_.nodes.reserve(2 * all_.size());
    tree_.nodes.emplace_back();
    struct Task {
      std::uint32_t node, begin, end;
      int depth;
    };
    std::vector<Task> tasks{{0, 0, static_cast<std::uint32_t>(all_.size()), 1}};
    while (!tasks.empty()) {
      const Task task = tasks.back();
      tasks.pop_back();
      tree_.depth = std::max(tree_.depth, task.depth);
      if (task.end - task.begin == 1) {
        tree_.nodes[task.node] = {task.begin, 1, 0};
        continue;
      }
      const std::uint32_t middle = split(task.begin, task.end, task.depth);
      const auto child = static_cast<std::uint32_t>(tree_.nodes.size());
      tree_.nodes[task.node] = {child, 0, 0};
      tree_.nodes.resize(tree_.nodes.size() + 2);
      tasks.push_back({child + 1, middle, task.end, task.depth + 1});
      tasks.push_back({child, task.begin, middle, task.depth + 1});
      ranges_.resize(tree_.nodes.size());
      ranges_[child] = {task.begin, middle};
      ranges_[child + 1] = {middle, task.end};
    }
    assert(tree_.depth <= max_tree_depth);
    tree_.corners.resize(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) tree_.corners[i] = of(static_cast<std::uint32_t>(i));
    ranges_.resize(tree_.nodes.size());
    ranges_[0] = {0, static_cast<std::uint32_t>(all_.size())};
    fit_boxes();
    if (options_.volume == MeshVolume::sphere) fit_each(tree_.spheres, [](auto corners) { return sphere(corners); });
    if (options_.volume == MeshVolume::oriented_box) {
      fit_each(tree_.oriented, [](auto corners) { return oriented(corners); });
    }
    if (options_.volume == MeshVolume::dop18) fit_each(tree_.dops, [](auto corners) { return dop(corners); });
  }

 private:
  using Corners = std::span<const TriangleCorners>;

  const TriangleCorners& of(std::uint32_t i) const { return all_[static_cast<std::size_t>(tree_.triangles[i])]; }
  const Vec3& middle(Index triangle) const { return middles_[static_cast<std::size_t>(triangle)]; }

  std::uint32_t split(std::uint32_t begin, std::uint32_t end, int depth) {
    if (depth < deepest_by_place) {
      const std::uint32_t at = options_.split == MeshSplit::cost ? by_cost(begin, end) : by_variance(begin, end);
      if (at > begin && at < end) return at;
    }
    return by_number(begin, end);
  }

  /// At the mean of the middles, along the axis on which they vary most.
  std::uint32_t by_variance(std::uint32_t begin, std::uint32_t end) {
    const double inverse = 1.0 / (end - begin);
    Vec3 mean;
    for (std::uint32_t i = begin; i < end; ++i) mean = mean + inverse * middle(tree_.triangles[i]);
    Vec3 variance;
    for (std::uint32_t i = begin; i < end; ++i) {
      const Vec3 d = middle(tree_.triangles[i]) - mean;
      variance = variance + Vec3{d.x * d.x, d.y * d.y, d.z * d.z};
    }
    const int axis = variance.x >= variance.y && variance.x >= variance.z ? 0 : variance.y >= variance.z ? 1 : 2;
    return part(begin, end, [&](Index t) { return coordinate(middle(t), axis) < coordinate(mean, axis); });
  }

  /// Where the sum over both halves of surface times number is least: that is the number of visits to expect.
  std::uint32_t by_cost(std::uint32_t begin, std::uint32_t end) {
    Bounds middles;
    for (std::uint32_t i = begin; i < end; ++i) middles.add(middle(tree_.triangles[i]));
    double best = INFINITY;
    int best_axis = -1;
    int best_bin = 0;
    const auto bin_of = [&](const Vec3& p, int axis) {
      const double low = coordinate(middles.low, axis);
      const double width = coordinate(middles.high, axis) - low;
      return std::min(static_cast<int>(bins * ((coordinate(p, axis) - low) / width)), bins - 1);
    };
    for (int axis = 0; axis < 3; ++axis) {
      if (!(coordinate(middles.high, axis) > coordinate(middles.low, axis))) continue;
      std::array<Bounds, bins> bounds;
      std::array<std::uint32_t, bins> counts{};
      for (std::uint32_t i = begin; i < end; ++i) {
        const auto bin = static_cast<std::size_t>(bin_of(middle(tree_.triangles[i]), axis));
        for (const Vec3& p : of(i)) bounds[bin].add(p);
        ++counts[bin];
      }
      std::array<double, bins> right{};
      Bounds sum;
      std::uint32_t count = 0;
      for (std::size_t bin = bins - 1; bin > 0; --bin) {
        sum.add(bounds[bin]);
        count += counts[bin];
        right[bin] = count == 0 ? 0 : count * sum.area();
      }
      sum = {};
      count = 0;
      for (std::size_t bin = 0; bin + 1 < bins; ++bin) {
        sum.add(bounds[bin]);
        count += counts[bin];
        if (count == 0 || count == end - begin) continue;
        const double cost = count * sum.area() + right[bin + 1];
        if (cost >= best) continue;
        best = cost;
        best_axis = axis;
        best_bin = static_cast<int>(bin);
      }
    }
    if (best_axis < 0) return begin;
    return part(begin, end, [&](Index t) { return bin_of(middle(t), best_axis) <= best_bin; });
  }

  std::uint32_t by_number(std::uint32_t begin, std::uint32_t end) {
    Bounds middles;
    for (std::uint32_t i = begin; i < end; ++i) middles.add(middle(tree_.triangles[i]));
    const Vec3 d = middles.high - middles.low;
    const int axis = d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
    const std::uint32_t half = begin + (end - begin) / 2;
    const auto at = [&](std::uint32_t i) { return tree_.triangles.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(half), at(end), [&](Index p, Index q) {
      const double cp = coordinate(middle(p), axis);
      const double cq = coordinate(middle(q), axis);
      return cp != cq ? cp < cq : p < q;
    });
    return half;
  }

  template <class Left>
  std::uint32_t part(std::uint32_t begin, std::uint32_t end, Left&& left) {
    const auto first = tree_.triangles.begin();
    const auto at = std::partition(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end),
                                   std::forward<Left>(left));
    return static_cast<std::uint32_t>(at - first);
  }

  void fit_boxes() {
    std::vector<Bounds> bounds(tree_.nodes.size());
    tree_.boxes.resize(tree_.nodes.size());
    // Children come after their parents.
    for (std::size_t n = tree_.nodes.size(); n-- > 0;) {
      TreeNode& node = tree_.nodes[n];
      if (node.leaf()) {
        for (std::uint32_t i = 0; i < node.count; ++i) {
          for (const Vec3& p : tree_.corners[node.first + i]) bounds[n].add(p);
        }
      } else {
        bounds[n].add(bounds[node.first]);
        bounds[n].add(bounds[node.first + 1]);
      }
      const Vec3 center = 0.5 * (bounds[n].low + bounds[n].high);
      // Half the difference could be short of one end by a rounding of the centre.
      const Vec3 half = math::higher(bounds[n].high - center, center - bounds[n].low);
      tree_.boxes[n] = {center, half};
      node.size = std::sqrt(dot(half, half));
    }
  }

  template <class Volume, class Fit>
  void fit_each(std::vector<Volume>& volumes, Fit&& fit) {
    volumes.resize(tree_.nodes.size());
    for (std::size_t n = 0; n < volumes.size(); ++n) {
      const auto [begin, end] = ranges_[n];
      volumes[n] = fit(Corners(tree_.corners).subspan(begin, end - begin));
    }
  }

  static SphereVolume sphere(Corners corners) {
    Bounds bounds;
    for (const TriangleCorners& t : corners) {
      for (const Vec3& p : t) bounds.add(p);
    }
    SphereVolume s{0.5 * (bounds.low + bounds.high), 0};
    for (const TriangleCorners& t : corners) {
      for (const Vec3& p : t) s.radius = std::max(s.radius, dot(p - s.center, p - s.center));
    }
    s.radius = std::sqrt(s.radius);
    return s;
  }

  static OrientedVolume oriented(Corners corners) {
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    for (const TriangleCorners& t : corners) mean += math::to_eigen(middle_of(t)) / static_cast<double>(corners.size());
    Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
    for (const TriangleCorners& t : corners) {
      for (const Vec3& p : t) {
        const Eigen::Vector3d d = math::to_eigen(p) - mean;
        covariance += d * d.transpose();
      }
    }
    Eigen::Matrix3d axes = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(covariance).eigenvectors();
    if (!axes.allFinite()) axes.setIdentity();
    axes.col(2) = axes.col(0).cross(axes.col(1));
    OrientedVolume o;
    o.x = math::to_vec3(axes.col(0));
    o.y = math::to_vec3(axes.col(1));
    o.z = math::to_vec3(axes.col(2));
    Bounds bounds;
    for (const TriangleCorners& t : corners) {
      for (const Vec3& p : t) bounds.add(Vec3{dot(o.x, p), dot(o.y, p), dot(o.z, p)});
    }
    const Vec3 m = 0.5 * (bounds.low + bounds.high);
    o.half = math::higher(bounds.high - m, m - bounds.low);
    o.center = m.x * o.x + m.y * o.y + m.z * o.z;
    o.radius = std::sqrt(dot(o.half, o.half));
    return o;
  }

  static DopVolume dop(Corners corners) {
    DopVolume d;
    d.low.fill(INFINITY);
    d.high.fill(-INFINITY);
    for (const TriangleCorners& t : corners) {
      for (const Vec3& p : t) {
        const std::array<double, 9> along{p.x,       p.y,       p.z,       p.x + p.y, p.x + p.z,
                                          p.y + p.z, p.x - p.y, p.x - p.z, p.y - p.z};
        for (std::size_t k = 0; k < 9; ++k) {
          d.low[k] = std::min(d.low[k], along[k]);
          d.high[k] = std::max(d.high[k], along[k]);
        }
      }
    }
    return d;
  }

  const MeshOptions options_;
  MeshTree& tree_;
  std::vector<TriangleCorners> all_;
  std::vector<Vec3> middles_;
  std::vector<std::array<std::uint32_t, 2>> ranges_;  ///< of triangles below each node
};

}  // namespace

MeshTree build_mesh_tree(const TriangleMesh& mesh, const MeshOptions& options) {
  MeshTree tree;
  Builder(mesh, options, tree).run();
  return tree;
}

}  // namespace carom::shapes
