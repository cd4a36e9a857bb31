#include "oracle/brute_force.hpp"

#include <algorithm>
#include <set>

#include "carom/mesh/closest.hpp"

namespace carom::oracle {

namespace {

bool far_apart(std::initializer_list<Eigen::Vector3d> a, std::initializer_list<Eigen::Vector3d> b, double distance) {
  for (int k = 0; k < 3; ++k) {
    const auto less = [k](const Eigen::Vector3d& p, const Eigen::Vector3d& q) { return p[k] < q[k]; };
    const double a_min = std::min(a, less)[k];
    const double a_max = std::max(a, less)[k];
    const double b_min = std::min(b, less)[k];
    const double b_max = std::max(b, less)[k];
    if (a_min - b_max > 2 * distance || b_min - a_max > 2 * distance) return true;
  }
  return false;
}

}  // namespace

std::vector<Pair> brute_force(std::size_t vertex_count, std::span<const Triangle> triangles,
                              std::span<const Index> object_of_triangle, std::span<const Eigen::Vector3d> positions,
                              double distance, PairScope scope, bool skip_far) {
  std::vector<Index> object_of_vertex(vertex_count, none);
  std::vector<bool> used(vertex_count, false);
  std::set<Edge> edge_set;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Index i = triangles[t][k];
      const Index j = triangles[t][(k + 1) % 3];
      used[static_cast<std::size_t>(i)] = true;
      object_of_vertex[static_cast<std::size_t>(i)] = object_of_triangle[t];
      if (i != j) edge_set.insert({std::min(i, j), std::max(i, j)});
    }
  }
  const auto at = [&](Index i) -> const Eigen::Vector3d& { return positions[static_cast<std::size_t>(i)]; };
  const auto object = [&](Index vertex) { return object_of_vertex[static_cast<std::size_t>(vertex)]; };
  const auto wanted = [&](Index object_a, Index object_b) {
    return scope == PairScope::all || (object_a == object_b) == (scope == PairScope::self);
  };

  std::vector<Pair> pairs;
  for (Index v = 0; v < static_cast<Index>(vertex_count); ++v) {
    if (!used[static_cast<std::size_t>(v)]) continue;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      const auto& [a, b, c] = triangles[t];
      if (v == a || v == b || v == c || !wanted(object(v), object_of_triangle[t])) continue;
      if (skip_far && far_apart({at(v)}, {at(a), at(b), at(c)}, distance)) continue;
      const double d = closest_vertex_triangle(at(v), at(a), at(b), at(c)).distance;
      if (d < distance) pairs.push_back({ContactKind::vertex_face, {v, none}, {static_cast<Index>(t), none}, d});
    }
  }
  const std::vector<Edge> edges(edge_set.begin(), edge_set.end());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (std::size_t j = i + 1; j < edges.size(); ++j) {
      const auto& [a, b] = edges[i];
      const auto& [c, d] = edges[j];
      if (a == c || a == d || b == c || b == d || !wanted(object(a), object(c))) continue;
      if (skip_far && far_apart({at(a), at(b)}, {at(c), at(d)}, distance)) continue;
      const double gap = closest_edge_edge(at(a), at(b), at(c), at(d)).distance;
      if (gap < distance) pairs.push_back({ContactKind::edge_edge, edges[i], edges[j], gap});
    }
  }
  return pairs;
}

std::vector<Pair> as_pairs(std::span<const Contact> contacts) {
  std::vector<Pair> pairs;
  pairs.reserve(contacts.size());
  for (const Contact& c : contacts) pairs.push_back({c.kind, c.a, c.b, c.distance});
  return pairs;
}

}  // namespace carom::oracle
