#include "oracle/surface_filter.hpp"

#include <algorithm>
#include <cmath>

namespace carom::oracle {

std::vector<std::vector<double>> path_lengths(const Surface& surface, std::span<const Eigen::Vector3d> positions) {
  const std::size_t n = surface.vertex_count();
  std::vector<std::vector<double>> length(n, std::vector<double>(n, INFINITY));
  for (std::size_t v = 0; v < n; ++v) length[v][v] = 0;
  for (const Triangle& t : live(surface).triangles) {
    for (const Index i : t) {
      for (const Index j : t) {
        const auto a = static_cast<std::size_t>(i);
        const auto b = static_cast<std::size_t>(j);
        length[a][b] = (positions[a] - positions[b]).norm();
      }
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) length[i][j] = std::min(length[i][j], length[i][k] + length[k][j]);
    }
  }
  return length;
}

std::vector<Pair> filtered(const std::vector<Pair>& pairs, const Surface& surface,
                           std::span<const Eigen::Vector3d> positions, double distance, const ContactFilters& filters) {
  std::vector<std::vector<double>> length;
  if (filters.surface_factor > 0)
    length = path_lengths(surface, filters.rest_positions.empty() ? positions : filters.rest_positions);
  std::map<Index, Index> object;
  for (std::size_t t = 0; t < surface.triangles().size(); ++t) {
    for (const Index v : surface.triangles()[t]) object[v] = surface.object_of_triangle()[t];
  }
  const auto filter_of = [&](Index o) {
    CollisionFilter filter;
    for (const ObjectGroup& g : filters.groups) filter = g.object == o ? g.filter : filter;
    return filter;
  };
  const auto in = [](const auto& list, Index i, Index j) {
    return std::any_of(list.begin(), list.end(), [&](const std::array<Index, 2>& e) {
      return (e[0] == i && e[1] == j) || (e[0] == j && e[1] == i);
    });
  };

  std::vector<Pair> left;
  for (const Pair& pair : pairs) {
    std::vector<Index> a{pair.a[0]};
    std::vector<Index> b;
    if (pair.kind == ContactKind::vertex_face) {
      const Triangle& t = surface.triangles()[static_cast<std::size_t>(pair.b[0])];
      b.assign(t.begin(), t.end());
    } else {
      a.push_back(pair.a[1]);
      b.assign(pair.b.begin(), pair.b.end());
    }
    const CollisionFilter ga = filter_of(object[a[0]]);
    const CollisionFilter gb = filter_of(object[b[0]]);
    bool out = (ga.group & gb.mask) == 0 || (gb.group & ga.mask) == 0;
    out = out || in(filters.excluded_objects, object[a[0]], object[b[0]]);
    for (const Index i : a) {
      for (const Index j : b) {
        out = out || in(filters.excluded_vertices, i, j);
        if (!filters.vertex_enabled.empty()) {
          out = out || filters.vertex_enabled[static_cast<std::size_t>(i)] == 0 ||
                filters.vertex_enabled[static_cast<std::size_t>(j)] == 0;
        }
        if (filters.surface_factor > 0) {
          out = out ||
                length[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] < filters.surface_factor * distance;
        }
      }
    }
    if (!out) left.push_back(pair);
  }
  return left;
}

}  // namespace carom::oracle
