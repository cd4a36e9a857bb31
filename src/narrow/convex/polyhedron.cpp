#include "narrow/convex/polyhedron.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/check.hpp"
#include "mesh/index_lists.hpp"
#include "narrow/convex/simplex.hpp"
#include "shapes/shape_data.hpp"
#include "shapes/support.hpp"

namespace carom::convex {
namespace {

/// Bit k of a corner is set where coordinate k is negative.
std::vector<std::vector<Index>> box_faces() {
  std::vector<std::vector<Index>> faces;
  for (int k = 0; k < 3; ++k) {
    const Index u = 1 << (k + 1) % 3;
    const Index v = 1 << (k + 2) % 3;
    const Index low = 1 << k;
    faces.push_back({0, u, u + v, v});
    faces.push_back({low, low + v, low + u + v, low + u});
  }
  return faces;
}

/// Along Newell's polygon: for a face that is not quite flat the normal of its shadow that is largest.
Vec3 area_vector(const Polyhedron& p, std::span<const Index> face) {
  Vec3 sum;
  const Vec3 origin = p.corner(face[0]);
  for (std::size_t k = 1; k + 1 < face.size(); ++k) {
    sum = sum + cross(p.corner(face[k]) - origin, p.corner(face[k + 1]) - origin);
  }
  return sum;
}

void add_corners_and_faces(Polyhedron& p) {
  if (p.core->kind == shapes::CoreKind::box) {
    for (std::uint32_t i = 0; i < 8; ++i) p.corners.push_back(math::to_eigen(shapes::box_corner(p.core->size, i).p));
    p.faces = mesh::lists_of(box_faces());
  } else {
    const shapes::HullData& hull = *p.core->hull;
    p.corners = hull.points;
    p.faces = hull.faces;
    if (p.faces.offsets.empty()) p.faces.offsets.push_back(0);
    p.dimension = hull.dimension;
  }
  for (const Eigen::Vector3d& corner : p.corners) p.size = std::max(p.size, corner.norm());
}

void add_edges(Polyhedron& p) {
  std::map<Edge, Index> numbers;
  std::vector<std::vector<Index>> face_edges(p.faces.size());
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const auto face = p.faces[f];
    for (std::size_t k = 0; k < face.size(); ++k) {
      const Index u = face[k];
      const Index v = face[(k + 1) % face.size()];
      const Edge key{std::min(u, v), std::max(u, v)};
      const auto [at, fresh] = numbers.emplace(key, static_cast<Index>(p.edges.size()));
      if (fresh) {
        p.edges.push_back(key);
        p.edge_faces.push_back({none, none});
      }
      p.edge_faces[static_cast<std::size_t>(at->second)][u < v ? 0 : 1] = static_cast<Index>(f);
      face_edges[f].push_back(at->second);
    }
  }
  if (p.faces.size() == 0 && p.corners.size() == 2) {
    p.edges.push_back({0, 1});
    p.edge_faces.push_back({none, none});
  }
  p.face_edges = mesh::lists_of(face_edges);
  std::vector<std::vector<Index>> vertex_edges(p.corners.size());
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    for (const Index v : p.edges[e]) vertex_edges[static_cast<std::size_t>(v)].push_back(static_cast<Index>(e));
  }
  p.vertex_edges = mesh::lists_of(vertex_edges);
}

void add_edge_planes(Polyhedron& p) {
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    const Vec3 d = unit(p.along(e));
    p.edge_units.push_back(d);
    auto& outs = p.edge_outs.emplace_back();
    for (std::size_t side = 0; side < 2; ++side) {
      const Index f = p.edge_faces[e][side];
      if (f == none) continue;
      // Faces run counter-clockwise, so their inside is on the left of their edges.
      const Vec3 n = p.units[static_cast<std::size_t>(f)];
      outs[side] = unit(side == 0 ? cross(d, n) : cross(n, d));
    }
  }
}

/// Some direction at right angles.
Vec3 perpendicular_to(const Vec3& d) {
  const double x = std::abs(d.x);
  const double y = std::abs(d.y);
  const double z = std::abs(d.z);
  if (x <= y && x <= z) return cross(d, {1, 0, 0});
  return y <= z ? cross(d, {0, 1, 0}) : cross(d, {0, 0, 1});
}

void add_flat_axes(Polyhedron& p) {
  if (p.dimension == 3) return;
  if (p.dimension == 2) {
    const Vec3 n = p.normals[0];
    p.flat_normals.push_back(n);
    p.flat_edges.push_back(n);
    for (std::size_t e = 0; e < p.edges.size(); ++e) {
      p.flat_edges.push_back(p.along(e));
      p.flat_normals.push_back(cross(p.along(e), n));
    }
    return;
  }
  const Vec3 d = p.dimension == 1 ? p.corner(1) - p.corner(0) : Vec3{1, 0, 0};
  p.flat_normals = {d, perpendicular_to(d), cross(d, perpendicular_to(d))};
  p.flat_edges = p.flat_normals;
}

}  // namespace

Polyhedron::Polyhedron(const Shape& solid) : shape(solid) {
  const ShapeKind kind = shape.kind();
  require(kind == ShapeKind::box || kind == ShapeKind::hull || kind == ShapeKind::triangle, ErrorCode::unsupported,
          "separating axes: the shape is a {}; expected a box, a hull or a triangle", to_string(kind));
  require(shape.margin() == 0, ErrorCode::unsupported, "separating axes: the {} has a margin of {}; expected 0",
          to_string(kind), shape.margin());
  core = &shape.data().core;
  add_corners_and_faces(*this);
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const Vec3 n = area_vector(*this, faces[f]);
    normals.push_back(n);
    const double length = std::sqrt(dot(n, n));
    inverse_lengths.push_back(length > 0 ? 1 / length : 0);
    units.push_back(inverse_lengths.back() * n);
  }
  add_edges(*this);
  add_edge_planes(*this);
  closed = dimension == 3;
  for (const auto& [left, right] : edge_faces) closed = closed && left != none && right != none;
  add_flat_axes(*this);
}

}  // namespace carom::convex
