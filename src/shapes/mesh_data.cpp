#include "shapes/mesh_data.hpp"

#include <algorithm>
#include <numeric>

#include "core/at.hpp"
#include "core/disjoint_sets.hpp"
#include "shapes/mesh_room.hpp"

namespace carom::shapes {
namespace {

std::vector<Index> first_at_place(const std::vector<Eigen::Vector3d>& positions) {
  std::vector<Index> order(positions.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto before = [&](const Eigen::Vector3d& p, const Eigen::Vector3d& q) {
    return std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3);
  };
  std::sort(order.begin(), order.end(), [&](Index i, Index j) {
    if (before(positions[at(i)], positions[at(j)])) return true;
    return !before(positions[at(j)], positions[at(i)]) && i < j;
  });
  std::vector<Index> first(positions.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && positions[at(order[k])] == positions[at(order[k - 1])];
    first[at(order[k])] = same ? first[at(order[k - 1])] : order[k];
  }
  return first;
}

void find_components(MeshData& data) {
  DisjointSets sets(data.mesh.positions.size());
  for (const Triangle& t : data.mesh.triangles) {
    sets.merge(data.vertex_at[at(t[0])], data.vertex_at[at(t[1])]);
    sets.merge(data.vertex_at[at(t[0])], data.vertex_at[at(t[2])]);
  }
  std::vector<Index> number(data.mesh.positions.size(), none);
  data.component.resize(data.mesh.triangles.size());
  for (std::size_t t = 0; t < data.mesh.triangles.size(); ++t) {
    Index& n = number[at(sets.find(data.vertex_at[at(data.mesh.triangles[t][0])]))];
    if (n == none) {
      n = static_cast<Index>(data.component_triangle.size());
      data.component_triangle.push_back(static_cast<Index>(t));
    }
    data.component[t] = n;
  }
}

void find_closed(MeshData& data) {
  struct Side {
    Index low, high, travel, component;
  };
  std::vector<Side> sides;
  sides.reserve(3 * data.mesh.triangles.size());
  for (std::size_t t = 0; t < data.mesh.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Index p = data.vertex_at[at(data.mesh.triangles[t][k])];
      const Index q = data.vertex_at[at(data.mesh.triangles[t][(k + 1) % 3])];
      if (p != q) sides.push_back({std::min(p, q), std::max(p, q), p < q ? 1 : -1, data.component[t]});
    }
  }
  std::sort(sides.begin(), sides.end(),
            [](const Side& a, const Side& b) { return a.low != b.low ? a.low < b.low : a.high < b.high; });
  data.closed.assign(data.component_triangle.size(), 1);
  for (std::size_t i = 0; i < sides.size();) {
    Index sum = 0;
    const Side& first = sides[i];
    for (; i < sides.size() && sides[i].low == first.low && sides[i].high == first.high; ++i) sum += sides[i].travel;
    if (sum != 0) data.closed[at(first.component)] = 0;
  }
  if (data.options.solid == MeshSolid::surface) data.closed.assign(data.closed.size(), 0);
  data.any_closed = std::find(data.closed.begin(), data.closed.end(), 1) != data.closed.end();
}

void find_vertex_triangles(MeshData& data) {
  IndexLists& lists = data.vertex_triangles;
  lists.offsets.assign(data.mesh.positions.size() + 1, 0);
  const auto each = [&](auto&& visit) {
    for (std::size_t t = 0; t < data.mesh.triangles.size(); ++t) {
      const Triangle& c = data.mesh.triangles[t];
      const Index p = data.vertex_at[at(c[0])];
      const Index q = data.vertex_at[at(c[1])];
      const Index r = data.vertex_at[at(c[2])];
      visit(p, static_cast<Index>(t));
      if (q != p) visit(q, static_cast<Index>(t));
      if (r != p && r != q) visit(r, static_cast<Index>(t));
    }
  };
  each([&](Index v, Index) { ++lists.offsets[at(v) + 1]; });
  std::partial_sum(lists.offsets.begin(), lists.offsets.end(), lists.offsets.begin());
  lists.items.resize(at(lists.offsets.back()));
  std::vector<Index> next(lists.offsets.begin(), lists.offsets.end() - 1);
  each([&](Index v, Index t) { lists.items[at(next[at(v)]++)] = t; });
}

/// Whether each edge that leaves a vertex has two triangles.
std::vector<std::uint8_t> find_inner_vertices(const MeshData& data) {
  std::vector<std::uint8_t> inner(data.mesh.positions.size(), 1);
  std::vector<Index> ends;
  for (std::size_t v = 0; v < inner.size(); ++v) {
    ends.clear();
    for (const Index t : data.vertex_triangles[v]) {
      for (const Index u : data.mesh.triangles[at(t)]) {
        if (const Index first = data.vertex_at[at(u)]; at(first) != v) ends.push_back(first);
      }
    }
    std::sort(ends.begin(), ends.end());
    for (std::size_t i = 0; i < ends.size();) {
      const std::size_t begin = i;
      while (i < ends.size() && ends[i] == ends[begin]) ++i;
      if (i - begin != 2) inner[v] = 0;
    }
  }
  return inner;
}

void find_sharp(MeshData& data) {
  const std::vector<std::uint8_t> inner = find_inner_vertices(data);
  data.sharp.assign(data.mesh.triangles.size(), 0);
  for (std::size_t t = 0; t < data.mesh.triangles.size(); ++t) {
    const auto corner = [&](std::size_t k) { return math::to_vec3(data.corner(static_cast<Index>(t), k)); };
    const Vec3 face = math::unit_or_zero(cross(corner(1) - corner(0), corner(2) - corner(0)));
    for (std::size_t k = 0; k < 3; ++k) {
      const Index v = data.vertex_at[at(data.mesh.triangles[t][k])];
      if (inner[at(v)] == 0) data.sharp[t] = 3;
      for (const Index other : data.vertex_triangles[at(v)]) {
        for (const Index u : data.mesh.triangles[at(other)]) {
          const Vec3 d = math::to_vec3(data.mesh.positions[at(u)]) - corner(k);
          const double rise = dot(face, d);
          const double flat = flat_tilt * math::length(d);
          if (!(rise >= -flat)) data.sharp[t] |= 1;
          if (!(rise <= flat)) data.sharp[t] |= 2;
        }
      }
    }
  }
}

}  // namespace

MeshData build_mesh_data(const TriangleMesh& mesh, const MeshOptions& options) {
  MeshData data;
  data.mesh = mesh;
  data.options = options;
  data.tree = build_mesh_tree(mesh, options);
  data.vertex_at = first_at_place(mesh.positions);
  find_components(data);
  find_closed(data);
  find_vertex_triangles(data);
  find_sharp(data);
  for (const TriangleCorners& t : data.tree.corners) {
    for (const Vec3& p : t) data.reach = std::max(data.reach, dot(p, p));
  }
  data.reach = std::sqrt(data.reach);
  data.room = options.solid == MeshSolid::by_normals && faces_inward(data);
  return data;
}

}  // namespace carom::shapes
