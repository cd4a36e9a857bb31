#include <algorithm>
#include <limits>

#include "carom/mesh/mesh.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "core/disjoint_sets.hpp"
#include "mesh/boundary_loops.hpp"

// All of it in time linear in vertices and triangles: the edges are sorted by counting, not comparing.
namespace carom {
namespace {

void check(std::size_t vertex_count, std::span<const Triangle> triangles) {
  constexpr std::size_t largest = std::numeric_limits<Index>::max();
  require(vertex_count < largest, ErrorCode::bad_mesh, "build_topology: {} vertices; expected at most {}", vertex_count,
          largest - 1);
  require(triangles.size() <= largest / 3, ErrorCode::bad_mesh, "build_topology: {} triangles; expected at most {}",
          triangles.size(), largest / 3);
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (const Index corner : triangles[t])
      require(corner >= 0 && at(corner) < vertex_count, ErrorCode::bad_index,
              "triangle {} has corner {}; expected an index of one of the {} vertices", t, corner, vertex_count);
}

/// Side k of triangle t, from corner k to corner k + 1, is number 3 t + k.
struct Side {
  Index from;
  Index to;
};

Side side(std::span<const Triangle> triangles, Index number) {
  const Triangle& t = triangles[at(number) / 3];
  const std::size_t k = at(number) % 3;
  return {t[k], t[k == 2 ? 0 : k + 1]};
}

/// Reorders the numbers by key, a vertex, and keeps the order of those with the same key.
template <class Key>
std::vector<Index> sort_by(const std::vector<Index>& numbers, std::size_t vertex_count, Key key) {
  std::vector<Index> start(vertex_count + 1, 0);
  for (const Index n : numbers) ++start[at(key(n)) + 1];
  for (std::size_t v = 0; v < vertex_count; ++v) start[v + 1] += start[v];
  std::vector<Index> sorted(numbers.size());
  for (const Index n : numbers) sorted[at(start[at(key(n))]++)] = n;
  return sorted;
}

/// Sides between two different vertices, those of the same edge together, then by triangle.
std::vector<Index> sides_by_edge(std::size_t vertex_count, std::span<const Triangle> triangles) {
  std::vector<Index> sides;
  sides.reserve(3 * triangles.size());
  for (Index n = 0; at(n) < 3 * triangles.size(); ++n) {
    const Side s = side(triangles, n);
    if (s.from != s.to) sides.push_back(n);
  }
  const auto high = [&](Index n) { return std::max(side(triangles, n).from, side(triangles, n).to); };
  const auto low = [&](Index n) { return std::min(side(triangles, n).from, side(triangles, n).to); };
  return sort_by(sort_by(sides, vertex_count, high), vertex_count, low);
}

void add_edges(std::size_t vertex_count, std::span<const Triangle> triangles, Topology& topology) {
  topology.triangle_edges.assign(triangles.size(), {none, none, none});
  for (const Index n : sides_by_edge(vertex_count, triangles)) {
    const auto [from, to] = side(triangles, n);
    const Edge edge = {std::min(from, to), std::max(from, to)};
    const Index triangle = n / 3;
    if (topology.edges.empty() || topology.edges.back() != edge) {
      topology.edge_triangles.offsets.push_back(static_cast<Index>(topology.edge_triangles.items.size()));
      topology.edges.push_back(edge);
      topology.edge_owner.push_back(triangle);
      topology.edge_triangles.items.push_back(triangle);
    } else if (topology.edge_triangles.items.back() != triangle) {  // (a, b, a) has the edge twice
      topology.edge_triangles.items.push_back(triangle);
    }
    topology.triangle_edges[at(triangle)][at(n) % 3] = static_cast<Index>(topology.edges.size()) - 1;
  }
  topology.edge_triangles.offsets.push_back(static_cast<Index>(topology.edge_triangles.items.size()));
}

void add_vertex_triangles(std::size_t vertex_count, std::span<const Triangle> triangles, Topology& topology) {
  const auto first_time = [](const Triangle& t, std::size_t k) {
    return (k < 1 || t[k] != t[0]) && (k < 2 || t[k] != t[1]);
  };
  std::vector<Index>& offsets = topology.vertex_triangles.offsets;
  offsets.assign(vertex_count + 1, 0);
  for (const Triangle& t : triangles)
    for (std::size_t k = 0; k < 3; ++k)
      if (first_time(t, k)) ++offsets[at(t[k]) + 1];
  for (std::size_t v = 0; v < vertex_count; ++v) offsets[v + 1] += offsets[v];

  topology.vertex_owner.assign(vertex_count, none);
  topology.vertex_triangles.items.resize(at(offsets.back()));
  std::vector<Index> next(offsets.begin(), offsets.end() - 1);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Triangle& t = triangles[i];
    for (std::size_t k = 0; k < 3; ++k) {
      if (!first_time(t, k)) continue;
      topology.vertex_triangles.items[at(next[at(t[k])]++)] = static_cast<Index>(i);
      if (topology.vertex_owner[at(t[k])] == none) topology.vertex_owner[at(t[k])] = static_cast<Index>(i);
    }
  }
}

void add_components(std::size_t vertex_count, std::span<const Triangle> triangles, Topology& topology) {
  DisjointSets sets(vertex_count);
  for (const Triangle& t : triangles) {
    sets.merge(t[0], t[1]);
    sets.merge(t[0], t[2]);
  }
  std::vector<Index> number(vertex_count, none);
  topology.component.reserve(triangles.size());
  for (const Triangle& t : triangles) {
    Index& component = number[at(sets.find(t[0]))];
    if (component == none) component = topology.component_count++;
    topology.component.push_back(component);
  }
}

void add_boundary_loops(std::size_t vertex_count, std::span<const Triangle> triangles, Topology& topology) {
  std::vector<Edge> boundary;
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    if (topology.edge_triangles[e].size() != 1) continue;
    const Index triangle = topology.edge_owner[e];
    const auto& edges_of_triangle = topology.triangle_edges[at(triangle)];
    const auto k = std::find(edges_of_triangle.begin(), edges_of_triangle.end(), static_cast<Index>(e)) -
                   edges_of_triangle.begin();
    const auto [from, to] = side(triangles, 3 * triangle + static_cast<Index>(k));
    boundary.push_back({from, to});
  }
  topology.boundary_loops = mesh::string_together(vertex_count, boundary);
}

}  // namespace

Topology build_topology(std::size_t vertex_count, std::span<const Triangle> triangles) {
  check(vertex_count, triangles);
  Topology topology;
  add_edges(vertex_count, triangles, topology);
  add_vertex_triangles(vertex_count, triangles, topology);
  add_components(vertex_count, triangles, topology);
  add_boundary_loops(vertex_count, triangles, topology);
  return topology;
}

}  // namespace carom
