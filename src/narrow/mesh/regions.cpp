#include "narrow/mesh/regions.hpp"

#include <algorithm>

#include "core/at.hpp"
#include "core/disjoint_sets.hpp"
#include "geometry/triangle_triangle.hpp"
#include "narrow/mesh/dispatch_volume.hpp"
#include "narrow/mesh/point_queries.hpp"
#include "narrow/mesh/triangle_pair.hpp"

namespace carom::mesh {
namespace {

/// Flood over triangles that cross the other mesh and vertices inside it.
struct FloodSide {
  const MeshData& mesh;
  std::vector<std::uint8_t> crosses;      ///< of each triangle
  std::vector<std::int8_t> state;         ///< of each vertex: -1 not known, 0 outside, 1 inside
  std::vector<Index> inside_vertices;     ///< in the order found
  std::vector<Index> inside_triangles;    ///< that do not cross, in the order found
  std::vector<Index> crossing_triangles;  ///< ascending
  std::vector<std::uint8_t> taken;        ///< of each triangle: in inside_triangles
  std::vector<Index> node;                ///< of each vertex inside

  explicit FloodSide(const MeshData& m)
      : mesh(m),
        crosses(m.mesh.triangles.size(), 0),
        state(m.mesh.positions.size(), -1),
        taken(m.mesh.triangles.size(), 0),
        node(m.mesh.positions.size(), none) {}

  Index vertex(Index triangle, std::size_t k) const { return mesh.vertex_at[at(mesh.mesh.triangles[at(triangle)][k])]; }
  Vec3 place(Index v) const { return math::to_vec3(mesh.mesh.positions[at(v)]); }
};

/// Everything connected to a vertex inside without crossing the other surface is inside.
void flood(FloodSide& side, Index from) {
  std::vector<Index> waiting{from};
  side.state[at(from)] = 1;
  side.inside_vertices.push_back(from);
  while (!waiting.empty()) {
    const Index v = waiting.back();
    waiting.pop_back();
    for (const Index t : side.mesh.vertex_triangles[at(v)]) {
      if (side.crosses[at(t)] != 0 || side.taken[at(t)] != 0) continue;
      side.taken[at(t)] = 1;
      side.inside_triangles.push_back(t);
      for (std::size_t k = 0; k < 3; ++k) {
        const Index w = side.vertex(t, k);
        if (side.state[at(w)] == 1) continue;
        side.state[at(w)] = 1;
        side.inside_vertices.push_back(w);
        waiting.push_back(w);
      }
    }
  }
}

template <class Inside>
void find_inside(FloodSide& side, Inside&& is_inside) {
  const auto ask = [&](Index v) {
    if (side.state[at(v)] >= 0) return;
    side.state[at(v)] = 0;
    if (is_inside(side.place(v))) flood(side, v);
  };
  std::vector<std::uint8_t> crossed(side.mesh.component_triangle.size(), 0);
  for (const Index t : side.crossing_triangles) {
    crossed[at(side.mesh.component[at(t)])] = 1;
    for (std::size_t k = 0; k < 3; ++k) ask(side.vertex(t, k));
  }
  for (std::size_t c = 0; c < crossed.size(); ++c) {
    if (crossed[c] == 0) ask(side.vertex(side.mesh.component_triangle[c], 0));
  }
}

void list_crossing(FloodSide& side, const std::vector<TriangleCrossing>& crossings, Index TriangleCrossing::*which) {
  for (const TriangleCrossing& c : crossings) {
    if (side.crosses[at(c.*which)]++ == 0) side.crossing_triangles.push_back(c.*which);
    side.crosses[at(c.*which)] = 1;
  }
  std::sort(side.crossing_triangles.begin(), side.crossing_triangles.end());
}

/// Triangles that share an edge with t, or more.
template <class Visit>
void each_neighbour(const FloodSide& side, Index t, Visit&& visit) {
  const std::array<Index, 3> v{side.vertex(t, 0), side.vertex(t, 1), side.vertex(t, 2)};
  for (std::size_t k = 0; k < 3; ++k) {
    for (const Index other : side.mesh.vertex_triangles[at(v[k])]) {
      if (other == t || side.crosses[at(other)] == 0) continue;
      for (std::size_t j = 0; j < 3; ++j) {
        if (side.vertex(other, j) == v[(k + 1) % 3]) visit(other);
      }
    }
  }
}

class Joiner {
 public:
  Joiner(std::vector<TriangleCrossing>& crossings, FloodSide& a, FloodSide& b) : crossings_(crossings), a_(a), b_(b) {}

  std::vector<Region> run() {
    Index count = static_cast<Index>(crossings_.size());
    for (FloodSide* side : {&a_, &b_}) {
      for (const Index v : side->inside_vertices) side->node[at(v)] = count++;
    }
    DisjointSets sets(at(count));
    join_curves(sets);
    join_sides(sets, a_, &TriangleCrossing::a);
    join_sides(sets, b_, &TriangleCrossing::b);
    return collect(sets, count);
  }

 private:
  Index find(Index ta, Index tb) const {
    const auto it = std::lower_bound(
        crossings_.begin(), crossings_.end(), std::pair(ta, tb),
        [](const TriangleCrossing& c, const std::pair<Index, Index>& p) { return std::pair(c.a, c.b) < p; });
    if (it == crossings_.end() || it->a != ta || it->b != tb) return none;
    return static_cast<Index>(it - crossings_.begin());
  }

  void join_curves(DisjointSets& sets) {
    for (std::size_t i = 0; i < crossings_.size(); ++i) {
      const TriangleCrossing& c = crossings_[i];
      const auto join = [&](Index other) {
        if (other != none) sets.merge(static_cast<Index>(i), other);
      };
      each_neighbour(a_, c.a, [&](Index t) { join(find(t, c.b)); });
      each_neighbour(b_, c.b, [&](Index t) { join(find(c.a, t)); });
    }
  }

  void join_sides(DisjointSets& sets, FloodSide& side, Index TriangleCrossing::*which) {
    for (const Index t : side.inside_triangles) {
      sets.merge(side.node[at(side.vertex(t, 0))], side.node[at(side.vertex(t, 1))]);
      sets.merge(side.node[at(side.vertex(t, 0))], side.node[at(side.vertex(t, 2))]);
    }
    for (std::size_t i = 0; i < crossings_.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        const Index n = side.node[at(side.vertex(crossings_[i].*which, k))];
        if (n != none) sets.merge(static_cast<Index>(i), n);
      }
    }
  }

  std::vector<Region> collect(DisjointSets& sets, Index count) {
    std::vector<Index> number(at(count), none);
    std::vector<Region> regions;
    const auto region_of = [&](Index element) -> Region& {
      Index& n = number[at(sets.find(element))];
      if (n == none) {
        n = static_cast<Index>(regions.size());
        regions.emplace_back();
      }
      return regions[at(n)];
    };
    for (std::size_t i = 0; i < crossings_.size(); ++i) {
      Region& r = region_of(static_cast<Index>(i));
      r.crossings.push_back(crossings_[i]);
      r.a.triangles.push_back(crossings_[i].a);
      r.b.triangles.push_back(crossings_[i].b);
    }
    const auto share = [&](const FloodSide& side, RegionSide Region::*which) {
      for (const Index v : side.inside_vertices) (region_of(side.node[at(v)]).*which).vertices.push_back(v);
      for (const Index t : side.inside_triangles) {
        (region_of(side.node[at(side.vertex(t, 0))]).*which).triangles.push_back(t);
      }
    };
    share(a_, &Region::a);
    share(b_, &Region::b);
    for (Region& r : regions) {
      for (RegionSide* side : {&r.a, &r.b}) {
        std::sort(side->vertices.begin(), side->vertices.end());
        std::sort(side->triangles.begin(), side->triangles.end());
        side->triangles.erase(std::unique(side->triangles.begin(), side->triangles.end()), side->triangles.end());
      }
    }
    std::sort(regions.begin(), regions.end(), [](const Region& p, const Region& q) {
      return std::tie(p.a.triangles, p.b.triangles) < std::tie(q.a.triangles, q.b.triangles);
    });
    return regions;
  }

  std::vector<TriangleCrossing>& crossings_;
  FloodSide& a_;
  FloodSide& b_;
};

}  // namespace

std::vector<TriangleCrossing> find_crossings(const MeshData& a, const MeshData& b, const RelativePose& pose) {
  std::vector<TriangleCrossing> crossings;
  const double reach = rounding(a, b, pose);
  dispatch_volume(a, b, pose, [&](const auto& view) {
    return traverse_near(a.tree, b.tree, view, reach, [&](std::uint32_t i, std::uint32_t j) {
      const TriangleCorners tb = moved(b.tree.corners[j], pose);
      if (!meet(a.tree.corners[i], tb)) return false;
      crossings.push_back({a.tree.triangles[i], b.tree.triangles[j], intersection(a.tree.corners[i], tb)});
      return false;
    });
  });
  std::sort(crossings.begin(), crossings.end(), [](const TriangleCrossing& p, const TriangleCrossing& q) {
    return std::pair(p.a, p.b) < std::pair(q.a, q.b);
  });
  return crossings;
}

std::vector<Region> find_regions(const MeshData& a, const MeshData& b, const RelativePose& pose) {
  std::vector<TriangleCrossing> crossings = find_crossings(a, b, pose);
  FloodSide side_a(a);
  FloodSide side_b(b);
  list_crossing(side_a, crossings, &TriangleCrossing::a);
  list_crossing(side_b, crossings, &TriangleCrossing::b);
  if (b.any_closed) find_inside(side_a, [&](const Vec3& p) { return inside(b, pose.rotate_back(p - pose.t)); });
  if (a.any_closed) find_inside(side_b, [&](const Vec3& p) { return inside(a, pose.rotate(p) + pose.t); });
  return Joiner(crossings, side_a, side_b).run();
}

}  // namespace carom::mesh
