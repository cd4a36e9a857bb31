#include "bodies/sheet_cut.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "bodies/sheet_parts.hpp"
#include "core/at.hpp"
#include "core/writable.hpp"

namespace carom::sheet {
namespace {

using Eigen::Vector3d;

Index corner_of(const Triangle& t, Index vertex) {
  return static_cast<Index>(std::find(t.begin(), t.end(), vertex) - t.begin());
}

class Cutter {
 public:
  Cutter(Body& body, CutMarks& marks, const JoinedTriangles* joined)
      : body_(body),
        marks_(marks),
        rest_(body.cloth_rest ? writable(body.cloth_rest) : nullptr),
        neighbors_(body, joined) {}

  CutOutcome run(std::vector<EdgeCrossing> crossings) {
    if (!(marks_.shortest > 0)) {
      marks_.shortest = shortest_fraction * mean_rest_edge();
      marks_.lowest = lowest_fraction * mean_rest_height();
    }
    std::sort(crossings.begin(), crossings.end(), [](const EdgeCrossing& a, const EdgeCrossing& b) {
      return std::tuple(a.time, a.edge, a.blade) < std::tuple(b.time, b.edge, b.blade);
    });
    for (const EdgeCrossing& crossing : crossings) pass(crossing);
    for (const auto& [triangle, path] : paths_) join(path);
    separate();
    if (outcome_.changed) {
      if (!body_.whole) body_.whole = body_.serial;
      if (rest_) body_.cloth_rest = rest_;
    }
    outcome_.triangles.assign(changed_.begin(), changed_.end());
    outcome_.around = triangles_near(triangles_near(outcome_.triangles));
    list_vertices();
    return std::move(outcome_);
  }

 private:
  /// Vertices through which blades passed in a triangle as it was before the cut, in the order of time.
  struct Path {
    std::vector<Index> vertices;
    std::vector<Index> tips;  ///< corners at which a cut ended before
  };
  /// Vertex that an edge was split at.
  struct Split {
    Index vertex = none;
    double fraction = 0;
  };

  /// All triangles that have a vertex in common with these, ascending.
  std::vector<Index> triangles_near(const std::vector<Index>& triangles) const {
    std::set<Index> vertices;
    for (const Index t : triangles) vertices.insert(body_.triangles[at(t)].begin(), body_.triangles[at(t)].end());
    std::vector<Index> near;
    for (const Index v : vertices) near.insert(near.end(), neighbors_[v].begin(), neighbors_[v].end());
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    return near;
  }

  void list_vertices() {
    std::set<Index> twins;
    for (const auto& [a, b] : outcome_.twins) twins.insert({a, b});
    std::set<Index> vertices = twins;
    for (const Index t : changed_) vertices.insert(body_.triangles[at(t)].begin(), body_.triangles[at(t)].end());
    std::vector<Index>& around = outcome_.at_vertices;
    for (const Index v : vertices) around.insert(around.end(), neighbors_[v].begin(), neighbors_[v].end());
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    outcome_.vertices.assign(vertices.begin(), vertices.end());
    outcome_.separates = are_apart(neighbors_, body_.triangles, twins);
  }

  /// Corners of a triangle in Body::rest_positions. Only cloth, where it is sewn or was cut, has others than now.
  const Triangle& rest_triangle(Index triangle) const {
    return rest_ ? rest_->triangles[at(triangle)] : body_.triangles[at(triangle)];
  }

  double mean_rest_edge() const {
    double sum = 0;
    for (std::size_t t = 0; t < body_.triangles.size(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) sum += rest_length(static_cast<Index>(t), static_cast<Index>(k));
    }
    return sum / (3.0 * static_cast<double>(body_.triangles.size()));
  }
  /// Mean of the least heights of all triangles.
  double mean_rest_height() const {
    double sum = 0;
    for (std::size_t number = 0; number < body_.triangles.size(); ++number) {
      const Triangle& t = rest_triangle(static_cast<Index>(number));
      const auto corner = [&](std::size_t k) -> const Vector3d& { return body_.rest_positions[at(t[k % 3])]; };
      double longest = 0;
      for (std::size_t k = 0; k < 3; ++k) longest = std::max(longest, (corner(k + 1) - corner(k)).norm());
      if (longest > 0) sum += (corner(1) - corner(0)).cross(corner(2) - corner(0)).norm() / longest;
    }
    return sum / static_cast<double>(body_.triangles.size());
  }
  double rest_length(Index triangle, Index corner) const {
    const Triangle& t = rest_triangle(triangle);
    return (body_.rest_positions[at(t[at(corner)])] - body_.rest_positions[at(t[at((corner + 1) % 3)])]).norm();
  }

  /// Whether no part of the triangles at an edge would be lower than the least height, if it was split.
  bool leaves_no_sliver(const std::vector<Index>& both, Index a, Index b, double s) const {
    return std::all_of(both.begin(), both.end(), [&](Index t) {
      const Triangle& rest = rest_triangle(t);
      const Index k = edge_corner(t, a, b);
      const bool from_a = body_.triangles[at(t)][at(k)] == a;
      const auto corner = [&](Index i) -> const Vector3d& { return body_.rest_positions[at(rest[at(i % 3)])]; };
      const Vector3d edge = corner(k + 1) - corner(k);
      const Vector3d middle = corner(k) + (from_a ? s : 1 - s) * edge;
      for (const Vector3d& end : {corner(k), corner(k + 1)}) {
        const Vector3d& across = corner(k + 2);
        const double longest = std::max({(middle - end).norm(), (across - end).norm(), (across - middle).norm()});
        if ((middle - end).cross(across - end).norm() < marks_.lowest * longest) return false;
      }
      return true;
    });
  }

  /// Triangles at the edge of two vertices.
  std::vector<Index> triangles_at(Index a, Index b) const {
    std::vector<Index> both;
    std::set_intersection(neighbors_[a].begin(), neighbors_[a].end(), neighbors_[b].begin(), neighbors_[b].end(),
                          std::back_inserter(both));
    return both;
  }
  /// Corner from which a triangle's edge of two vertices runs.
  Index edge_corner(Index triangle, Index a, Index b) const {
    const Triangle& t = body_.triangles[at(triangle)];
    const Index k = corner_of(t, a);
    return t[at((k + 1) % 3)] == b ? k : (k + 2) % 3;
  }

  bool is_cut(Index a, Index b) const {
    const std::vector<Index> both = triangles_at(a, b);
    return std::any_of(both.begin(), both.end(), [&](Index t) {
      return marks_.edges.contains({t, edge_corner(t, a, b)});
    });
  }

  Path& path_of(Index triangle) {
    const auto [entry, is_new] = paths_.try_emplace(origin_of(triangle));
    if (is_new) {
      for (const Index v : body_.triangles[at(triangle)]) {
        if (marks_.tips.contains(v)) entry->second.tips.push_back(v);
      }
    }
    return entry->second;
  }
  Index origin_of(Index part) const {
    const auto found = origins_.find(part);
    return found == origins_.end() ? part : found->second;
  }

  /// Crossing of an edge that was split before, as one of the part that has it.
  EdgeCrossing in_part(EdgeCrossing crossing) const {
    for (auto found = splits_.find(crossing.edge); found != splits_.end(); found = splits_.find(crossing.edge)) {
      const auto [vertex, fraction] = found->second;
      const bool before = crossing.fraction < fraction;
      const Index end = crossing.edge[before ? 0 : 1];
      const double s = before ? crossing.fraction / fraction : (1 - crossing.fraction) / (1 - fraction);
      // New vertices have higher numbers than all before, so the end that was there comes first.
      crossing.edge = {end, vertex};
      crossing.fraction = s;
    }
    return crossing;
  }

  void pass(const EdgeCrossing& given) {
    const EdgeCrossing crossing = in_part(given);
    const auto [a, b] = crossing.edge;
    const std::vector<Index> both = triangles_at(a, b);
    if (both.empty()) return;
    ++outcome_.crossed;
    std::vector<Path*> paths;
    for (const Index t : both) paths.push_back(&path_of(t));
    const double length = rest_length(both[0], edge_corner(both[0], a, b));
    Index vertex = crossing.fraction < 0.5 ? a : b;
    const bool inside = crossing.fraction > cut_snap && crossing.fraction < 1 - cut_snap;
    if (inside && length > marks_.shortest && leaves_no_sliver(both, a, b, crossing.fraction))
      vertex = split_edge(a, b, crossing.fraction);
    for (Path* path : paths) {
      if (path->vertices.empty() || path->vertices.back() != vertex) path->vertices.push_back(vertex);
    }
    passed_.insert(vertex);
  }

  Index add_vertex(const Vector3d& position, const Vector3d& velocity, const Vector3d& rest, double inverse_mass) {
    const auto vertex = static_cast<Index>(body_.positions.size());
    body_.positions.push_back(position);
    body_.velocities.push_back(velocity);
    body_.rest_positions.push_back(rest);
    body_.inverse_mass.push_back(inverse_mass);
    if (!body_.leader.empty()) body_.leader.push_back(vertex);
    return vertex;
  }

  /// Vertex in an edge; each triangle there becomes two.
  Index split_edge(Index a, Index b, double s) {
    const auto mean = [&](const std::vector<Vector3d>& of, Index i, Index k) {
      return Vector3d((1 - s) * of[at(i)] + s * of[at(k)]);
    };
    const std::vector<Index> both = triangles_at(a, b);
    const auto rest_ends = [&](Index t) {
      const Triangle& corners = body_.triangles[at(t)];
      const Triangle& rest = rest_triangle(t);
      return std::pair(rest[at(corner_of(corners, a))], rest[at(corner_of(corners, b))]);
    };
    const auto first = rest_ends(both[0]);
    const Index vertex = add_vertex(mean(body_.positions, a, b), mean(body_.velocities, a, b),
                                    mean(body_.rest_positions, first.first, first.second),
                                    body_.motion == MotionModel::particles ? 1 : 0);
    for (const Index t : both) {
      const auto ends = rest_ends(t);
      Index rest = vertex;
      // Panels that were sewn together have shapes of their own at rest.
      if (ends != first) {
        rest = add_vertex(body_.positions[at(vertex)], Vector3d::Zero(),
                          mean(body_.rest_positions, ends.first, ends.second), 0);
        if (body_.leader.empty()) {
          for (Index v = 0; v <= rest; ++v) body_.leader.push_back(v);
        }
        body_.leader[at(rest)] = vertex;
      }
      bisect(t, a, b, vertex, rest, s);
    }
    splits_[{a, b}] = {vertex, s};
    outcome_.inserted.push_back({vertex, {a, b}, s});
    outcome_.changed = true;
    return vertex;
  }

  void bisect(Index t, Index a, Index b, Index vertex, Index rest, double s) {
    const Index k = edge_corner(t, a, b);  // the edge runs from corner k to the next
    const Index second = (k + 1) % 3;
    const auto fresh = static_cast<Index>(body_.triangles.size());
    const bool from_a = body_.triangles[at(t)][at(k)] == a;
    outcome_.bisections.push_back({t, fresh, k, vertex, from_a ? s : 1 - s});
    Triangle other = body_.triangles[at(t)];
    other[at(k)] = vertex;
    const Index moved = body_.triangles[at(t)][at(second)];
    body_.triangles[at(t)][at(second)] = vertex;
    body_.triangles.push_back(other);
    if (rest_) {
      Triangle other_rest = rest_->triangles[at(t)];
      other_rest[at(k)] = rest;
      rest_->triangles[at(t)][at(second)] = rest;
      rest_->triangles.push_back(other_rest);
      if (!rest_->fabric_of_triangle.empty())
        rest_->fabric_of_triangle.push_back(Index(rest_->fabric_of_triangle[at(t)]));
    }
    neighbors_.remove(moved, t);
    neighbors_.add(vertex, t);
    for (const Index v : other) neighbors_.add(v, fresh);
    // The edge from the second corner to the third went to the new triangle; the split edge is in both.
    if (marks_.edges.contains({t, k})) marks_.edges.insert({fresh, k});
    if (marks_.edges.erase({t, second}) > 0) marks_.edges.insert({fresh, second});
    origins_[fresh] = origin_of(t);
    changed_.insert({t, fresh});
  }

  /// Cuts the edges along the path of the blades through what was one triangle.
  void join(const Path& path) {
    const std::vector<Index>& chain = path.vertices;
    if (chain.empty()) return;
    // Cuts that ended at a corner go on to where the blade leaves: all of them, so that none is left behind.
    for (const Index tip : path.tips) {
      if (std::find(chain.begin(), chain.end(), tip) == chain.end()) mark(tip, chain.front());
    }
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) mark(chain[i], chain[i + 1]);
  }

  void mark(Index a, Index b) {
    if (a == b) return;
    const std::vector<Index> both = triangles_at(a, b);
    if (both.size() < 2 || is_cut(a, b)) return;  // no edge, one of the border, or cut already
    const Index k = edge_corner(both[0], a, b);
    marks_.edges.insert({both[0], k});
    outcome_.length += rest_length(both[0], k);
    outcome_.changed = true;
    passed_.insert(a);
    passed_.insert(b);
  }

  /// Triangles around a vertex in groups that edges join which are not cut.
  std::vector<std::vector<Index>> fans(Index vertex) const {
    const std::span<const Index> around = neighbors_[vertex];
    std::vector<std::vector<Index>> groups;
    std::set<Index> left(around.begin(), around.end());
    while (!left.empty()) {
      std::vector<Index> group{*left.begin()};
      left.erase(left.begin());
      for (std::size_t i = 0; i < group.size(); ++i) {
        for (const Index other : body_.triangles[at(group[i])]) {
          if (other == vertex || is_cut(vertex, other)) continue;
          for (const Index t : triangles_at(vertex, other)) {
            if (left.erase(t) > 0) group.push_back(t);
          }
        }
      }
      groups.push_back(std::move(group));
    }
    return groups;
  }

  void separate() {
    for (const Index vertex : passed_) {
      const auto groups = fans(vertex);
      if (groups.size() < 2) {
        marks_.tips.insert(vertex);
        continue;
      }
      marks_.tips.erase(vertex);
      ++outcome_.separated;
      outcome_.changed = true;
      std::vector<Index> parts{vertex};
      for (std::size_t g = 1; g < groups.size(); ++g) {
        const double inverse_mass = body_.inverse_mass[at(vertex)] > 0 ? 1 : 0;
        const Vector3d position = body_.positions[at(vertex)];
        const Vector3d velocity = body_.velocities[at(vertex)];
        const Vector3d rest = body_.rest_positions[at(vertex)];
        const Index fresh = add_vertex(position, velocity, rest, inverse_mass);
        outcome_.copies.emplace_back(fresh, vertex);
        for (const Index t : groups[g]) {
          body_.triangles[at(t)][at(corner_of(body_.triangles[at(t)], vertex))] = fresh;
          neighbors_.remove(vertex, t);
          neighbors_.add(fresh, t);
          changed_.insert(t);
        }
        for (const Index other : parts) outcome_.twins.emplace_back(other, fresh);
        parts.push_back(fresh);
      }
    }
    // Edges that have opened are edges of the border.
    std::erase_if(marks_.edges, [&](const std::pair<Index, Index>& mark) {
      const Triangle& t = body_.triangles[at(mark.first)];
      return triangles_at(t[at(mark.second)], t[at((mark.second + 1) % 3)]).size() < 2;
    });
  }

  Body& body_;
  CutMarks& marks_;
  std::shared_ptr<ClothRest> rest_;  // none of what is no cloth
  Neighbors neighbors_;
  std::map<Index, Path> paths_;
  std::map<Index, Index> origins_;  // of parts of triangles: the triangle before the cut
  std::map<Edge, Split> splits_;
  std::set<Index> passed_;
  std::set<Index> changed_;  // triangles
  CutOutcome outcome_;
};

}  // namespace

CutOutcome cut(Body& body, std::vector<EdgeCrossing> crossings, CutMarks& marks, const JoinedTriangles* joined) {
  return Cutter(body, marks, joined).run(std::move(crossings));
}

}  // namespace carom::sheet
