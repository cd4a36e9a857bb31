#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check.hpp"
#include "shapes/shape_data.hpp"
#include "shapes/surface_moments.hpp"

namespace carom {
namespace shapes {

std::vector<std::array<Eigen::Vector3d, 3>> surface_triangles(const Shape& shape) {
  std::vector<std::array<Eigen::Vector3d, 3>> triangles;
  const ShapeData& data = shape.data();
  if (data.hull) {
    const auto& points = data.hull->points;
    for (std::size_t f = 0; f < data.hull->faces.size(); ++f) {
      const auto face = data.hull->faces[f];
      for (std::size_t k = 1; k + 1 < face.size(); ++k) {
        triangles.push_back({points[static_cast<std::size_t>(face[0])], points[static_cast<std::size_t>(face[k])],
                             points[static_cast<std::size_t>(face[k + 1])]});
      }
    }
  }
  if (!data.mesh) return triangles;
  for (const Triangle& t : data.mesh->mesh.triangles) {
    const auto& p = data.mesh->mesh.positions;
    triangles.push_back(
        {p[static_cast<std::size_t>(t[0])], p[static_cast<std::size_t>(t[1])], p[static_cast<std::size_t>(t[2])]});
  }
  return triangles;
}

Eigen::Matrix3d surface_covariance(const Shape& shape) {
  const auto triangles = surface_triangles(shape);
  double area = 0;
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  const auto area_of = [](const auto& t) { return 0.5 * (t[1] - t[0]).cross(t[2] - t[0]).norm(); };
  for (const auto& t : triangles) {
    area += area_of(t);
    middle += area_of(t) / 3 * (t[0] + t[1] + t[2]);
  }
  Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
  const auto add = [&](const Eigen::Vector3d& p, double weight) { sum += weight * p * p.transpose(); };
  if (!(area > 0)) {
    // No surface: round shapes, whose frame has their axes already, and points and segments.
    const auto points = shape.vertices();
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    for (const Eigen::Vector3d& p : points) mean += p / static_cast<double>(points.size());
    for (const Eigen::Vector3d& p : points) add(p - mean, 1);
    for (const Shape::Part& part : shape.parts()) add(part.pose.translation(), 1);
    return sum;
  }
  middle /= area;
  // The integral of x x^T over a triangle: a twelfth of its area times the corners' and nine times the middle's.
  for (const auto& t : triangles) {
    for (const Eigen::Vector3d& p : t) add(p - middle, area_of(t) / 12);
    add((t[0] + t[1] + t[2]) / 3 - middle, area_of(t) * 9 / 12);
  }
  return sum;
}

namespace {

/// Inertia from the integral of x x^T over the solid.
Eigen::Matrix3d inertia_of(const Eigen::Matrix3d& second) {
  return second.trace() * Eigen::Matrix3d::Identity() - second;
}

MassProperties symmetric(double volume, const Eigen::Vector3d& second, const Eigen::Vector3d& center) {
  return {volume, center, inertia_of(second.asDiagonal())};
}

/// Signed tetrahedra from a corner to each triangle of a closed surface.
MassProperties of_closed_surface(const std::vector<std::array<Eigen::Vector3d, 3>>& triangles) {
  MassProperties mass;
  const Eigen::Vector3d o = triangles[0][0];
  double volume = 0;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (const auto& t : triangles) {
    const Eigen::Vector3d a = t[0] - o;
    const Eigen::Vector3d b = t[1] - o;
    const Eigen::Vector3d c = t[2] - o;
    const double v = a.dot(b.cross(c)) / 6;
    const Eigen::Vector3d s = a + b + c;
    volume += v;
    first += v / 4 * s;
    second += v / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  if (volume == 0) return mass;
  mass.volume = std::abs(volume);
  const Eigen::Vector3d center = first / volume;
  mass.center = o + center;
  // Negative throughout where the triangles face inward.
  mass.inertia = (volume < 0 ? -1 : 1) * inertia_of(second - volume * center * center.transpose());
  return mass;
}

MassProperties of_compound(const Shape& shape) {
  MassProperties mass;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  std::vector<MassProperties> parts;
  for (const Shape::Part& part : shape.parts()) {
    MassProperties m = part.shape.mass_properties();
    const Eigen::Matrix3d r = part.pose.linear();
    m.center = part.pose * m.center;
    m.inertia = r * m.inertia * r.transpose();
    mass.volume += m.volume;
    first += m.volume * m.center;
    parts.push_back(m);
  }
  mass.center = mass.volume > 0 ? Eigen::Vector3d(first / mass.volume) : parts[0].center;
  for (const MassProperties& m : parts) {
    const Eigen::Vector3d d = m.center - mass.center;
    mass.inertia += m.inertia + inertia_of(m.volume * d * d.transpose());
  }
  return mass;
}

MassProperties of_triangles(const Shape& shape) {
  const auto triangles = surface_triangles(shape);
  const ShapeData& data = shape.data();
  const bool closed = data.mesh
                          ? std::find(data.mesh->closed.begin(), data.mesh->closed.end(), 0) == data.mesh->closed.end()
                          : data.hull->dimension == 3;
  const bool endless = data.mesh && data.mesh->room;
  if (closed && !endless) return of_closed_surface(triangles);
  MassProperties mass;
  double area = 0;
  for (const auto& t : triangles) {
    const double a = (t[1] - t[0]).cross(t[2] - t[0]).norm();
    area += a;
    mass.center += a / 3 * (t[0] + t[1] + t[2]);
  }
  if (area > 0) {
    mass.center /= area;
  } else {
    mass.center.setZero();
    const auto points = shape.vertices();
    for (const Eigen::Vector3d& p : points) mass.center += p / static_cast<double>(points.size());
  }
  return mass;
}

}  // namespace
}  // namespace shapes

MassProperties Shape::mass_properties() const {
  constexpr double pi = std::numbers::pi;
  const Eigen::Vector3d s = math::to_eigen(data_->core.size);
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
  const double r = s.x();
  const double h = 2 * s.z();
  switch (data_->kind) {
    case ShapeKind::sphere: {
      const double radius = data_->own_radius;
      const double volume = 4.0 / 3 * pi * radius * radius * radius;
      return shapes::symmetric(volume, Eigen::Vector3d::Constant(volume * radius * radius / 5), zero);
    }
    case ShapeKind::box: {
      const double volume = 8 * s.prod();
      return shapes::symmetric(volume, volume / 3 * s.cwiseAbs2(), zero);
    }
    case ShapeKind::ellipsoid: {
      const double volume = 4.0 / 3 * pi * s.prod();
      return shapes::symmetric(volume, volume / 5 * s.cwiseAbs2(), zero);
    }
    case ShapeKind::cylinder: {
      const double volume = pi * r * r * h;
      return shapes::symmetric(volume, volume * Eigen::Vector3d(r * r / 4, r * r / 4, h * h / 12), zero);
    }
    case ShapeKind::cone: {
      const double volume = pi * r * r * h / 3;
      return shapes::symmetric(volume, volume * 3 / 80 * Eigen::Vector3d(4 * r * r, 4 * r * r, h * h),
                               {0, 0, -s.z() / 2});
    }
    case ShapeKind::capsule: {
      const double radius = data_->own_radius;
      const double tube = pi * radius * radius * h;
      const double ball = 4.0 / 3 * pi * radius * radius * radius;
      const double across = radius * radius * (tube / 4 + ball / 5);
      // A hemisphere's middle is 3/8 of the radius beyond the end of the tube.
      const double along = tube * h * h / 12 + ball * (radius * radius / 5 + s.z() * s.z() + 0.75 * s.z() * radius);
      return shapes::symmetric(tube + ball, {across, across, along}, zero);
    }
    case ShapeKind::hull:
    case ShapeKind::triangle:
    case ShapeKind::mesh:
      return shapes::of_triangles(*this);
    case ShapeKind::compound:
      return shapes::of_compound(*this);
    case ShapeKind::half_space:
      break;
  }
  fail(ErrorCode::invalid_argument, "a half-space has no mass properties");
}

}  // namespace carom
