#include "bodies/cloth_hierarchy.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace carom::cloth {

namespace {

using Eigen::Vector3d;

/// Fraction of its vertices that a level keeps of the one below.
constexpr double kept_fraction = 0.25;
/// Quality of triangles that a collapse may leave behind, tried one after the other.
constexpr std::array<double, 4> qualities{0.6, 0.45, 0.3, 0.2};
/// Steps in which sizes (to a factor of e) and qualities are compared: rounding shall not decide.
constexpr double size_steps = 4;
constexpr double quality_steps = 50;
/// Cosine of the angle by which the normal of a triangle may turn in a collapse.
constexpr double min_normal_cosine = 0.7;
/// Cosine of the angle by which the border may turn at a vertex that is taken away.
constexpr double min_border_cosine = 0.9;

/// The mesh while vertices are taken away from it.
class Collapser {
 public:
  Collapser(const RestShape& rest, std::span<const std::uint8_t> kept)
      : positions_(rest.positions),
        kept_(kept),
        triangles_(rest.triangles.begin(), rest.triangles.end()),
        at_vertex_(rest.positions.size()),
        gone_(rest.positions.size(), 0) {
    for (std::size_t t = 0; t < triangles_.size(); ++t)
      for (const Index v : triangles_[t]) at_vertex_[at(v)].push_back(static_cast<Index>(t));
    left_ = positions_.size();
  }

  std::size_t left() const { return left_; }

  /// Takes vertices away, no two neighbors in a pass, until `wanted` are left or no collapse is good enough.
  void reduce(std::size_t wanted, std::vector<Index>& parent) {
    std::vector<std::uint8_t> locked(positions_.size());
    for (const double quality : qualities) {
      bool any = true;
      while (any && left_ > wanted) {
        any = false;
        std::ranges::fill(locked, std::uint8_t{0});
        list_candidates(quality);
        for (const Candidate& candidate : candidates_) {
          if (left_ <= wanted) break;
          const Index v = candidate.vertex;
          if (locked[at(v)] != 0) continue;
          const std::optional<Target> onto = target(v, quality);
          if (!onto) continue;
          for (const Neighbor& n : around_) locked[at(n.vertex)] = 1;
          collapse(v, onto->vertex);
          parent[at(v)] = onto->vertex;
          any = true;
        }
      }
    }
  }

 private:
  struct Neighbor {
    Index vertex = none;
    int triangles = 0;  ///< with the edge to it
  };
  struct Target {
    Index vertex = none;
    double quality = 0;  ///< of the worst triangle after the collapse
  };
  struct Candidate {
    double size = 0;     ///< m^2, of the triangles around the vertex
    double quality = 0;  ///< as in Target
    Index vertex = none;
  };

  /// Vertices that may go, those among the smallest triangles first, so that sizes stay alike; then the best.
  void list_candidates(double quality) {
    candidates_.clear();
    for (std::size_t v = 0; v < positions_.size(); ++v) {
      if (gone_[v] != 0 || kept_[v] != 0) continue;
      const std::optional<Target> onto = target(static_cast<Index>(v), quality);
      if (!onto) continue;
      double area = 0;
      for (const Index t : at_vertex_[v]) area += normal(triangles_[at(t)]).norm();
      const double border = std::ranges::any_of(around_, [](const Neighbor& n) { return n.triangles == 1; }) ? 2 : 1;
      // In steps of a tenth: rounding does not decide.
      const double size = std::round(size_steps * std::log(border * area));
      candidates_.push_back({size, std::round(quality_steps * onto->quality), static_cast<Index>(v)});
    }
    std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
      if (a.size != b.size) return a.size < b.size;
      return a.quality != b.quality ? a.quality > b.quality : a.vertex < b.vertex;
    });
  }

  void list_neighbors(Index v, std::vector<Neighbor>& list) const {
    list.clear();
    for (const Index t : at_vertex_[at(v)]) {
      for (const Index w : triangles_[at(t)]) {
        if (w == v) continue;
        const auto found = std::ranges::find_if(list, [&](const Neighbor& n) { return n.vertex == w; });
        found == list.end() ? list.push_back({w, 1}) : static_cast<void>(++found->triangles);
      }
    }
  }

  /// Whether the triangles at v, whose neighbors are in `around_`, are one fan.
  bool is_fan(Index v) const {
    const std::size_t borders =
        static_cast<std::size_t>(std::ranges::count_if(around_, [](const Neighbor& n) { return n.triangles == 1; }));
    if (std::ranges::any_of(around_, [](const Neighbor& n) { return n.triangles > 2; })) return false;
    if (borders != 0 && borders != 2) return false;
    const std::vector<Index>& fan = at_vertex_[at(v)];
    if (around_.size() != fan.size() + borders / 2) return false;
    // From triangle to triangle over common edges: a second fan would not be reached.
    std::vector<std::uint8_t> reached(fan.size(), 0);
    std::vector<std::size_t> open{0};
    reached[0] = 1;
    std::size_t count = 1;
    while (!open.empty()) {
      const Triangle& t = triangles_[at(fan[open.back()])];
      open.pop_back();
      for (std::size_t i = 0; i < fan.size(); ++i) {
        if (reached[i] != 0) continue;
        const Triangle& u = triangles_[at(fan[i])];
        int common = 0;
        for (const Index w : u) common += std::ranges::find(t, w) != t.end() ? 1 : 0;
        if (common < 2) continue;
        reached[i] = 1;
        ++count;
        open.push_back(i);
      }
    }
    return count == fan.size();
  }

  /// Best neighbor to collapse v onto; `around_` has the neighbors of v afterwards.
  std::optional<Target> target(Index v, double quality) {
    list_neighbors(v, around_);
    if (around_.size() < 2 || !is_fan(v)) return {};
    std::array<Index, 2> border{none, none};
    for (const Neighbor& n : around_) {
      if (n.triangles == 1) (border[0] == none ? border[0] : border[1]) = n.vertex;
    }
    if (border[0] != none) {
      const Vector3d in = (positions_[at(v)] - positions_[at(border[0])]).normalized();
      const Vector3d out = (positions_[at(border[1])] - positions_[at(v)]).normalized();
      if (!(in.dot(out) > min_border_cosine)) return {};
    }
    std::optional<Target> best;
    for (const Neighbor& n : around_) {
      if (border[0] != none && n.triangles != 1) continue;
      const double q = quality_after(v, n);
      if (q > quality && (!best || q > best->quality)) best = Target{n.vertex, q};
    }
    return best;
  }

  /// Quality of the worst triangle that a collapse of v onto its neighbor changes; 0 if it may not be.
  double quality_after(Index v, const Neighbor& onto) {
    list_neighbors(onto.vertex, beyond_);
    int common = 0;
    for (const Neighbor& a : around_)
      for (const Neighbor& b : beyond_) common += a.vertex == b.vertex ? 1 : 0;
    if (common != onto.triangles) return 0;  // two sheets would become one
    double worst = 1;
    for (const Index t : at_vertex_[at(v)]) {
      const Triangle& before = triangles_[at(t)];
      if (std::ranges::find(before, onto.vertex) != before.end()) continue;
      Triangle after = before;
      std::ranges::replace(after, v, onto.vertex);
      const Vector3d old_normal = normal(before);
      const Vector3d new_normal = normal(after);
      if (!(old_normal.dot(new_normal) > min_normal_cosine * old_normal.norm() * new_normal.norm())) return 0;
      worst = std::min(worst,
                       triangle_quality(positions_[at(after[0])], positions_[at(after[1])], positions_[at(after[2])]));
    }
    return worst;
  }

  Vector3d normal(const Triangle& t) const {
    return (positions_[at(t[1])] - positions_[at(t[0])]).cross(positions_[at(t[2])] - positions_[at(t[0])]);
  }

  void collapse(Index v, Index onto) {
    for (const Index t : at_vertex_[at(v)]) {
      Triangle& triangle = triangles_[at(t)];
      if (std::ranges::find(triangle, onto) != triangle.end()) {
        for (const Index w : triangle) {
          if (w != v) std::erase(at_vertex_[at(w)], t);
        }
      } else {
        std::ranges::replace(triangle, v, onto);
        at_vertex_[at(onto)].push_back(t);
      }
    }
    at_vertex_[at(v)].clear();
    gone_[at(v)] = 1;
    --left_;
  }

  std::span<const Vector3d> positions_;
  std::span<const std::uint8_t> kept_;
  std::vector<Triangle> triangles_;
  std::vector<std::vector<Index>> at_vertex_;  ///< triangles
  std::vector<std::uint8_t> gone_;
  std::size_t left_ = 0;
  std::vector<Neighbor> around_, beyond_;
  std::vector<Candidate> candidates_;
};

}  // namespace

double triangle_quality(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const double squares = (b - a).squaredNorm() + (c - b).squaredNorm() + (a - c).squaredNorm();
  return squares > 0 ? 2 * std::sqrt(3.0) * (b - a).cross(c - a).norm() / squares : 0;
}

Hierarchy::Hierarchy(const RestShape& rest, std::span<const std::uint8_t> kept, int levels)
    : levels_(levels), level_(rest.positions.size(), 0), parent_(rest.positions.size(), none) {
  Collapser collapser(rest, kept);
  for (int level = 1; level < levels; ++level) {
    collapser.reduce(static_cast<std::size_t>(kept_fraction * static_cast<double>(collapser.left())), parent_);
    for (std::size_t v = 0; v < level_.size(); ++v) {
      if (parent_[v] == none) level_[v] = static_cast<std::uint8_t>(level);
    }
  }
  find_patches(rest.triangles);
}

void Hierarchy::find_patches(std::span<const Triangle> triangles) {
  patch_.assign(level_.size(), none);
  Index count = 0;
  for (std::size_t v = 0; v < patch_.size(); ++v)
    if (parent_[v] == none) patch_[v] = count++;
  for (std::size_t v = 0; v < patch_.size(); ++v) {
    Index root = static_cast<Index>(v);
    while (patch_[at(root)] == none) root = parent_[at(root)];
    // Along the same chain, so that no vertex is walked over again.
    for (Index w = static_cast<Index>(v); patch_[at(w)] == none; w = parent_[at(w)]) patch_[at(w)] = patch_[at(root)];
  }
  std::vector<std::array<Index, 2>> pairs;
  for (const Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = patch_[at(t[k])];
      const Index b = patch_[at(t[(k + 1) % 3])];
      if (a == b) continue;
      pairs.push_back({a, b});
      pairs.push_back({b, a});
    }
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  neighbor_begin_.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const auto& [a, b] : pairs) {
    ++neighbor_begin_[at(a) + 1];
    neighbors_.push_back(b);
  }
  for (std::size_t p = 0; p + 1 < neighbor_begin_.size(); ++p) neighbor_begin_[p + 1] += neighbor_begin_[p];
}

std::size_t Hierarchy::vertex_count(int level) const {
  return static_cast<std::size_t>(std::ranges::count_if(level_, [&](std::uint8_t l) { return l >= level; }));
}

}  // namespace carom::cloth
