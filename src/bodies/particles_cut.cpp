#include "bodies/particles_cut.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/at.hpp"

namespace carom::particles {
namespace {

using Eigen::Vector3d;

/// Springs of an edge, as one of its triangles has them.
struct EdgeSprings {
  bool taken = false;  ///< they left the lists of the body
  double length = 0;   ///< m, at rest, of the spring along it
  double stiffness = 0;
  double bend_length = NAN;  ///< m, at rest, of the spring across it; not a number: as long as it is now
  double bend_stiffness = 0;
  double part = 1;  ///< of them that goes with the triangle: one over the number of triangles that there were at it
};
using TriangleSprings = std::array<EdgeSprings, 3>;

Edge edge_of(const Triangle& t, std::size_t corner) {
  const Index a = t[corner];
  const Index b = t[(corner + 1) % 3];
  return {std::min(a, b), std::max(a, b)};
}

/// Set of edges that is asked for many others.
class EdgeSet {
 public:
  EdgeSet(std::size_t vertex_count, std::vector<Edge> edges) : flags_(vertex_count, 0), edges_(std::move(edges)) {
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    for (const Edge& edge : edges_) flags_[at(edge[0])] = flags_[at(edge[1])] = 1;
  }
  std::size_t count() const { return edges_.size(); }
  /// Number of an edge, or the count of all.
  std::size_t find(const Edge& edge) const {
    if (flags_[at(edge[0])] == 0 || flags_[at(edge[1])] == 0) return edges_.size();
    const auto found = std::lower_bound(edges_.begin(), edges_.end(), edge);
    return found != edges_.end() && *found == edge ? static_cast<std::size_t>(found - edges_.begin()) : edges_.size();
  }

 private:
  std::vector<std::uint8_t> flags_;  // of vertices at these edges
  std::vector<Edge> edges_;
};

class Follower {
 public:
  Follower(std::span<const Triangle> before, const sheet::CutOutcome& cut, Body& body)
      : before_(before), cut_(cut), body_(body) {}

  void run() {
    take_old();
    for (const sheet::CutOutcome::Bisection& bisection : cut_.bisections) bisect(bisection);
    add_new();
  }

 private:
  /// Springs of edges of triangles that are other than before leave the list.
  void take_old() {
    std::vector<Edge> of_changed;
    for (const Index t : cut_.triangles) {
      if (at(t) >= before_.size()) continue;
      for (std::size_t k = 0; k < 3; ++k) of_changed.push_back(edge_of(before_[at(t)], k));
    }
    const EdgeSet edges(body_.positions.size(), std::move(of_changed));
    std::vector<EdgeSprings> springs(edges.count(), EdgeSprings{.taken = true});
    const std::size_t across = body_.springs.size() - body_.net.bent.size();
    std::vector<Spring> along;
    std::vector<Spring> bends;
    std::vector<Edge> bent;
    for (std::size_t i = 0; i < body_.springs.size(); ++i) {
      const Spring& spring = body_.springs[i];
      const std::size_t edge = edges.find(i < across ? Edge{spring.a, spring.b} : body_.net.bent[i - across]);
      if (i < across && edge == edges.count()) {
        along.push_back(spring);
      } else if (i < across) {
        springs[edge].length = spring.rest_length;
        springs[edge].stiffness = spring.stiffness;
      } else if (edge == edges.count()) {
        bends.push_back(spring);
        bent.push_back(body_.net.bent[i - across]);
      } else {
        springs[edge].bend_length = spring.rest_length;
        springs[edge].bend_stiffness = spring.stiffness;
      }
    }
    body_.springs = std::move(along);
    bends_ = std::move(bends);
    body_.net.bent = std::move(bent);
    share_out(edges, springs);
  }

  /// Triangles at these edges get their parts of the springs.
  void share_out(const EdgeSet& edges, std::span<EdgeSprings> springs) {
    std::vector<std::size_t> count(springs.size(), 0);
    for (const bool counts : {true, false}) {
      for (std::size_t t = 0; t < before_.size(); ++t) {
        for (std::size_t k = 0; k < 3; ++k) {
          const std::size_t edge = edges.find(edge_of(before_[t], k));
          if (edge == edges.count()) continue;
          if (counts) {
            springs[edge].part = 1 / static_cast<double>(++count[edge]);
          } else {
            of_triangle_[static_cast<Index>(t)][k] = springs[edge];
          }
        }
      }
    }
    for (const auto& [t, of] : of_triangle_) corners_[t] = before_[at(t)];
  }

  void bisect(const sheet::CutOutcome::Bisection& by) {
    const auto first = static_cast<std::size_t>(by.corner);
    const std::size_t second = (first + 1) % 3;
    const std::size_t third = (first + 2) % 3;
    Triangle& corners = corners_[by.triangle];
    TriangleSprings& kept = of_triangle_[by.triangle];
    TriangleSprings other = kept;
    const auto shorten = [](double fraction, EdgeSprings& edge) {
      edge.length *= fraction;
      edge.stiffness /= fraction;
      edge.bend_stiffness *= fraction;
    };
    shorten(by.fraction, kept[first]);
    shorten(1 - by.fraction, other[first]);
    // Across the other edges there is another corner now.
    kept[third].bend_length = other[second].bend_length = NAN;
    // As strong, for its strain, as the mean of the edges beside it.
    EdgeSprings between{.taken = true, .bend_stiffness = body_.net.bend_stiffness, .part = 0.5};
    between.length = (body_.positions[at(by.vertex)] - body_.positions[at(corners[third])]).norm();
    const double strength = (1 - by.fraction) * kept[third].stiffness * kept[third].length +
                            by.fraction * other[second].stiffness * other[second].length;
    between.stiffness = between.length > 0 ? strength / between.length : 0;
    kept[second] = other[third] = between;
    corners_[by.fresh] = corners;
    corners_[by.fresh][first] = by.vertex;
    corners[second] = by.vertex;
    of_triangle_[by.fresh] = other;
  }

  /// Springs of the same edges as they are now.
  void add_new() {
    struct Side {
      Index opposite = none;
      const EdgeSprings* springs = nullptr;
    };
    std::map<Edge, std::vector<Side>> sides;
    for (const auto& [t, springs] : of_triangle_) {
      const Triangle& corners = body_.triangles[at(t)];
      for (std::size_t k = 0; k < 3; ++k) {
        if (springs[k].taken) sides[edge_of(corners, k)].push_back({corners[(k + 2) % 3], &springs[k]});
      }
    }
    for (const auto& [edge, of] : sides) {
      Spring along{.a = edge[0], .b = edge[1], .rest_length = of[0].springs->length, .stiffness = 0};
      for (const Side& side : of) along.stiffness += side.springs->part * side.springs->stiffness;
      if (along.stiffness > 0) body_.springs.push_back(along);
      if (of.size() != 2 || of[0].opposite == of[1].opposite) continue;
      const auto [a, b] = std::minmax(of[0].opposite, of[1].opposite);
      Spring across{.a = a, .b = b, .rest_length = NAN, .stiffness = 0};
      for (const Side& side : of) across.stiffness += side.springs->part * side.springs->bend_stiffness;
      if (!(across.stiffness > 0)) continue;
      // Not a number if either side has another corner than before.
      across.rest_length = 0.5 * (of[0].springs->bend_length + of[1].springs->bend_length);
      if (std::isnan(across.rest_length)) across.rest_length = (body_.positions[at(a)] - body_.positions[at(b)]).norm();
      bends_.push_back(across);
      body_.net.bent.push_back(edge);
    }
    body_.springs.insert(body_.springs.end(), bends_.begin(), bends_.end());
  }

  std::span<const Triangle> before_;
  const sheet::CutOutcome& cut_;
  Body& body_;
  std::vector<Spring> bends_;  // across edges, which come last
  std::map<Index, TriangleSprings> of_triangle_;
  std::map<Index, Triangle> corners_;  // before vertices became several
};

}  // namespace

void follow_cut(std::span<const Triangle> before, const sheet::CutOutcome& cut, Body& body) {
  Follower(before, cut, body).run();
}

void select_springs(std::span<const Index> number, Body& body) {
  const std::size_t across = body.springs.size() - body.net.bent.size();
  std::vector<Spring> springs;
  std::vector<Edge> bent;
  for (std::size_t i = 0; i < body.springs.size(); ++i) {
    Spring spring = body.springs[i];
    spring.a = number[at(spring.a)];
    spring.b = number[at(spring.b)];
    if (spring.a == none || spring.b == none) continue;
    springs.push_back(spring);
    if (i < across) continue;
    const Edge& edge = body.net.bent[i - across];
    bent.push_back({number[at(edge[0])], number[at(edge[1])]});
  }
  body.springs = std::move(springs);
  body.net.bent = std::move(bent);
}

}  // namespace carom::particles
