#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "carom/mesh/generate.hpp"
#include "carom/shape/shape_surface.hpp"
#include "core/check.hpp"
#include "shapes/shape_data.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

/// A point of a curve in the half plane x >= 0 that is turned about the z axis.
struct ProfilePoint {
  double radius = 0;  ///< 0 only at the two ends
  double z = 0;
};

/// Closed if the profile begins and ends on the axis; it goes up.
TriangleMesh revolve(std::span<const ProfilePoint> profile, int around) {
  TriangleMesh mesh;
  std::vector<Index> first;  // vertex of each ring
  for (const ProfilePoint& p : profile) {
    first.push_back(static_cast<Index>(mesh.positions.size()));
    const int count = p.radius > 0 ? around : 1;
    for (int i = 0; i < count; ++i) {
      const double angle = 2 * std::numbers::pi * i / around;
      mesh.positions.emplace_back(p.radius * std::cos(angle), p.radius * std::sin(angle), p.z);
    }
  }
  for (std::size_t ring = 0; ring + 1 < profile.size(); ++ring) {
    const bool tip = !(profile[ring].radius > 0);
    const bool top = !(profile[ring + 1].radius > 0);
    for (int i = 0; i < around; ++i) {
      const int next = (i + 1) % around;
      const Index a = first[ring] + (tip ? 0 : i);
      const Index b = first[ring] + (tip ? 0 : next);
      const Index c = first[ring + 1] + (top ? 0 : next);
      const Index d = first[ring + 1] + (top ? 0 : i);
      if (!tip) mesh.triangles.push_back({a, b, c});
      if (!top) mesh.triangles.push_back({a, c, d});
    }
  }
  return mesh;
}

TriangleMesh make_ball(double radius, int around) {
  // An icosahedron has about five edges around, and each subdivision doubles them.
  const int subdivisions = std::clamp(static_cast<int>(std::lround(std::log2(around / 5.0))), 0, 6);
  return make_icosphere(radius, subdivisions);
}

TriangleMesh make_capsule(double radius, double half_length, int around) {
  const int quarter = std::max(1, around / 4);
  std::vector<ProfilePoint> profile{{0, -half_length - radius}};
  for (const double side : {-1.0, 1.0}) {
    for (int i = 0; i < quarter; ++i) {
      const double angle = 0.5 * std::numbers::pi * (side < 0 ? i + 1 - quarter : i) / quarter;
      profile.push_back({radius * std::cos(angle), side * half_length + radius * std::sin(angle)});
    }
  }
  profile.push_back({0, half_length + radius});
  return revolve(profile, around);
}

TriangleMesh fans(std::span<const Vector3d> corners, const IndexLists& faces) {
  TriangleMesh mesh;
  mesh.positions.assign(corners.begin(), corners.end());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const std::span<const Index> face = faces[f];
    for (std::size_t i = 2; i < face.size(); ++i) mesh.triangles.push_back({face[0], face[i - 1], face[i]});
  }
  return mesh;
}

/// The hull of balls around all vertices of a convex surface.
TriangleMesh rounded(const TriangleMesh& core, double margin, int around) {
  std::vector<Vector3d> points;
  for (const Vector3d& p : core.positions)
    for (const Vector3d& q : make_ball(margin, std::min(around, 10)).positions) points.push_back(p + q);
  const Shape hull = Shape::hull(points);
  return fans(hull.vertices(), hull.faces());
}

TriangleMesh make_square(const shapes::Core& core, double margin, const SurfaceOptions& options) {
  const Vector3d normal(core.size.x, core.size.y, core.size.z);
  const Vector3d& near = options.half_space_centre;
  const Vector3d middle = near - (normal.dot(near) - core.offset - margin) * normal;
  const Vector3d u = normal.unitOrthogonal() * (0.5 * options.half_space_size);
  const Vector3d v = normal.cross(u);
  return {{middle - u - v, middle + u - v, middle + u + v, middle - u + v}, {{0, 1, 2}, {0, 2, 3}}};
}

/// Surface of a convex shape without its margin.
TriangleMesh core_surface(const Shape& shape, int around) {
  const shapes::ShapeData& data = shape.data();
  const shapes::Vec3& size = data.core.size;
  switch (shape.kind()) {
    case ShapeKind::box:
      return make_box(2 * Vector3d(size.x, size.y, size.z));
    case ShapeKind::cylinder:
      return revolve(std::array<ProfilePoint, 4>{{{0, -size.z}, {size.x, -size.z}, {size.x, size.z}, {0, size.z}}},
                     around);
    case ShapeKind::cone:
      return revolve(std::array<ProfilePoint, 3>{{{0, -size.z}, {size.x, -size.z}, {0, size.z}}}, around);
    case ShapeKind::ellipsoid: {
      TriangleMesh mesh = make_ball(1, around);
      for (Vector3d& p : mesh.positions) p = p.cwiseProduct(Vector3d(size.x, size.y, size.z));
      return mesh;
    }
    case ShapeKind::triangle:
      return {{shape.vertices().begin(), shape.vertices().end()}, {{0, 1, 2}}};
    default:
      return fans(shape.vertices(), shape.faces());
  }
}

}  // namespace

TriangleMesh make_surface(const Shape& shape, const SurfaceOptions& options) {
  require(options.around >= 3, ErrorCode::invalid_argument, "around is {}; expected 3 or more", options.around);
  require(std::isfinite(options.half_space_size) && options.half_space_size > 0, ErrorCode::invalid_argument,
          "half_space_size is {}; expected a positive number", options.half_space_size);
  const shapes::ShapeData& data = shape.data();
  switch (shape.kind()) {
    case ShapeKind::sphere:
      return make_ball(data.own_radius + data.margin, options.around);
    case ShapeKind::capsule:
      return make_capsule(data.own_radius + data.margin, data.core.size.z, options.around);
    case ShapeKind::half_space:
      return make_square(data.core, data.margin, options);
    case ShapeKind::mesh:
      return {{shape.vertices().begin(), shape.vertices().end()}, {shape.triangles().begin(), shape.triangles().end()}};
    case ShapeKind::compound: {
      TriangleMesh all;
      for (const Shape::Part& part : shape.parts()) {
        const TriangleMesh mesh = make_surface(part.shape, options);
        const auto offset = static_cast<Index>(all.positions.size());
        for (const Vector3d& p : mesh.positions) all.positions.push_back(part.pose * p);
        for (const Triangle& t : mesh.triangles) all.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
      }
      return all;
    }
    default: {
      const TriangleMesh core = core_surface(shape, options.around);
      return data.margin > 0 ? rounded(core, data.margin, options.around) : core;
    }
  }
}

}  // namespace carom
