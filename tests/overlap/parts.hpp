#pragma once

#include <cmath>
#include <numbers>
#include <utility>

#include "carom/mesh/mesh.hpp"
#include "carom/query/clash.hpp"

/// Parts with known overlaps.
namespace carom::overlap_parts {

/// Ring of `sides` sides around z from `inner` to `outer` (the radii of the corners), z from low to high. No inner
/// radius: a solid cylinder.
inline TriangleMesh ring(double inner, double outer, double low, double high, int sides, double turn = 0) {
  TriangleMesh mesh;
  const auto rim = [&](double radius, double z) {
    const auto first = static_cast<Index>(mesh.positions.size());
    for (int i = 0; i < sides; ++i) {
      const double angle = 2 * std::numbers::pi * i / sides + turn;
      mesh.positions.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
    return first;
  };
  const auto band = [&](Index p, Index q) {  // facing away from the axis if p is the lower rim of q
    for (int i = 0; i < sides; ++i) {
      const Index a = i;
      const Index b = (i + 1) % sides;
      mesh.triangles.push_back({p + a, p + b, q + b});
      mesh.triangles.push_back({p + a, q + b, q + a});
    }
  };
  const Index outer_low = rim(outer, low);
  const Index outer_high = rim(outer, high);
  band(outer_low, outer_high);
  if (inner > 0) {
    const Index inner_low = rim(inner, low);
    const Index inner_high = rim(inner, high);
    band(outer_high, inner_high);
    band(inner_high, inner_low);
    band(inner_low, outer_low);
    return mesh;
  }
  for (int i = 1; i + 1 < sides; ++i) {
    mesh.triangles.push_back({outer_low, outer_low + i + 1, outer_low + i});
    mesh.triangles.push_back({outer_high, outer_high + i, outer_high + i + 1});
  }
  return mesh;
}

/// Area of a regular polygon with its corners on a circle.
inline double polygon_area(double radius, int sides) {
  return 0.5 * sides * radius * radius * std::sin(2 * std::numbers::pi / sides);
}

/// Ball with bumps, of (about) 2 * around * across triangles.
inline TriangleMesh bumpy_ball(int around, int across, double height, double phase) {
  TriangleMesh mesh;
  const auto radius = [&](double u, double v) {
    return 1 + 0.15 * std::sin(3 * u) * std::sin(2 * v) + 0.05 * std::cos(7 * u + 1) * std::sin(5 * v) +
           height * std::sin(9 * u + phase) * std::sin(11 * v + phase);
  };
  const auto add = [&](double u, double v) {
    mesh.positions.push_back(radius(u, v) *
                             Eigen::Vector3d(std::cos(u) * std::sin(v), std::sin(u) * std::sin(v), std::cos(v)));
    return static_cast<Index>(mesh.positions.size() - 1);
  };
  const Index top = add(0, 0);
  const Index bottom = add(0, std::numbers::pi);
  std::vector<Index> last;
  for (int j = 1; j < across; ++j) {
    std::vector<Index> row;
    for (int i = 0; i < around; ++i)
      row.push_back(add(2 * std::numbers::pi * i / around, std::numbers::pi * j / across));
    for (int i = 0; i < around; ++i) {
      const auto a = static_cast<std::size_t>(i);
      const auto b = static_cast<std::size_t>((i + 1) % around);
      if (last.empty()) {
        mesh.triangles.push_back({top, row[a], row[b]});
      } else {
        mesh.triangles.push_back({last[a], row[a], row[b]});
        mesh.triangles.push_back({last[a], row[b], last[b]});
      }
      if (j + 1 == across) mesh.triangles.push_back({row[a], bottom, row[b]});
    }
    last = std::move(row);
  }
  return mesh;
}

inline TriangleMesh joined(TriangleMesh mesh, const TriangleMesh& other) {
  const auto first = static_cast<Index>(mesh.positions.size());
  mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
  for (const Triangle& t : other.triangles) mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return mesh;
}

inline TriangleMesh inside_out(TriangleMesh mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

inline std::vector<Clash> check(const TriangleMesh& a, const TriangleMesh& b, const ClashOptions& options = {}) {
  const MeshOptions solid{.solid = MeshSolid::inside};
  const std::vector<Shape::Part> parts{{Shape::mesh(a, solid)}, {Shape::mesh(b, solid)}};
  return find_clashes(parts, options);
}

}  // namespace carom::overlap_parts
