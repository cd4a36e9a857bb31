#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "carom/mesh/closest.hpp"
#include "oracle/brute_force.hpp"

namespace carom::oracle {

/// brute_force() for meshes of many triangles: all features in the order in which they begin along the longest axis,
/// each against those that begin before it ends, and those left out whose extents along an axis are apart. What is
/// measured, and how, is the same; no grid, no tree, no clusters.
inline std::vector<Pair> sorted_brute_force(const std::vector<Triangle>& triangles,
                                            const std::vector<Index>& object_of_triangle,
                                            const std::vector<Eigen::Vector3d>& positions, double distance,
                                            PairScope scope) {
  struct Feature {
    Eigen::Array3d low, high;
    std::array<Index, 3> vertices;  // an edge has its second twice, a vertex its only one three times
    Index number;
    Index object;
  };
  const auto at = [&](Index i) -> const Eigen::Vector3d& { return positions[static_cast<std::size_t>(i)]; };
  const auto feature = [&](std::array<Index, 3> v, Index number, Index object) -> Feature {
    const Eigen::Array3d a = at(v[0]);
    const Eigen::Array3d b = at(v[1]);
    const Eigen::Array3d c = at(v[2]);
    return {a.min(b).min(c), a.max(b).max(c), v, number, object};
  };
  std::vector<Feature> vertices;
  std::vector<Feature> faces;
  std::vector<Feature> edges;
  std::vector<Index> vertex_object(positions.size(), none);
  std::vector<std::pair<Edge, Index>> sides;
  Eigen::Array3d low = Eigen::Array3d::Constant(INFINITY);
  Eigen::Array3d high = -low;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Index object = object_of_triangle[t];
    faces.push_back(feature(triangles[t], static_cast<Index>(t), object));
    for (std::size_t k = 0; k < 3; ++k) {
      const Index i = triangles[t][k];
      const auto [first, second] = std::minmax(i, triangles[t][(k + 1) % 3]);
      if (vertex_object[static_cast<std::size_t>(i)] == none) vertices.push_back(feature({i, i, i}, i, object));
      vertex_object[static_cast<std::size_t>(i)] = object;
      if (first != second) sides.push_back({{first, second}, object});
      low = low.min(at(i).array());
      high = high.max(at(i).array());
    }
  }
  // Triangles with a side in common are of one object.
  std::sort(sides.begin(), sides.end());
  sides.erase(std::unique(sides.begin(), sides.end()), sides.end());
  for (const auto& [edge, object] : sides) edges.push_back(feature({edge[0], edge[1], edge[1]}, 0, object));
  Eigen::Index axis = 0;
  (high - low).maxCoeff(&axis);
  const auto begins_before = [&](const Feature& a, const Feature& b) { return a.low[axis] < b.low[axis]; };
  const double reach = 2 * distance;  // more than it need be, for rounding
  const auto compare = [&](const Feature& a, const Feature& b, const auto& visit) {
    if (scope != PairScope::all && (a.object == b.object) != (scope == PairScope::self)) return;
    if ((a.low > b.high + reach).any() || (b.low > a.high + reach).any()) return;
    for (const Index i : a.vertices)
      if (std::find(b.vertices.begin(), b.vertices.end(), i) != b.vertices.end()) return;
    visit(a, b);
  };
  std::vector<Pair> pairs;
  for (std::vector<Feature>* list : {&vertices, &faces, &edges}) std::sort(list->begin(), list->end(), begins_before);
  const auto measure_face = [&](const Feature& v, const Feature& f) {
    const double d =
        closest_vertex_triangle(at(v.number), at(f.vertices[0]), at(f.vertices[1]), at(f.vertices[2])).distance;
    if (d < distance) pairs.push_back({ContactKind::vertex_face, {v.number, none}, {f.number, none}, d});
  };
  // Whichever begins later meets the other while that has not ended.
  const auto sweep = [&](const std::vector<Feature>& first, const std::vector<Feature>& second, const auto& visit) {
    for (const Feature& a : first)
      for (auto b = std::lower_bound(second.begin(), second.end(), a, begins_before);
           b != second.end() && b->low[axis] <= a.high[axis] + reach; ++b)
        compare(a, *b, visit);
  };
  sweep(vertices, faces, measure_face);
  for (const Feature& f : faces) {
    for (auto v = std::upper_bound(vertices.begin(), vertices.end(), f, begins_before);
         v != vertices.end() && v->low[axis] <= f.high[axis] + reach; ++v)
      compare(*v, f, measure_face);
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (std::size_t j = i + 1; j < edges.size() && edges[j].low[axis] <= edges[i].high[axis] + reach; ++j) {
      compare(edges[i], edges[j], [&](const Feature& one, const Feature& other) {
        Edge a{one.vertices[0], one.vertices[1]};
        Edge b{other.vertices[0], other.vertices[1]};
        if (b < a) std::swap(a, b);
        const double d = closest_edge_edge(at(a[0]), at(a[1]), at(b[0]), at(b[1])).distance;
        if (d < distance) pairs.push_back({ContactKind::edge_edge, a, b, d});
      });
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const Pair& p, const Pair& q) {
    if (p.kind != q.kind) return p.kind == ContactKind::vertex_face;
    return p.a != q.a ? p.a < q.a : p.b < q.b;
  });
  return pairs;
}

}  // namespace carom::oracle
