#pragma once

#include <Eigen/Geometry>
#include <random>
#include <string>
#include <vector>

#include "carom/shape/shape.hpp"
#include "oracle/soup.hpp"

/// Shapes of every convex kind, for tests that must forget none.
namespace carom::test {

/// As the makers take them: x for radii, z for half lengths.
struct Dimensions {
  double x = 1;
  double y = 1;
  double z = 1;
};

struct Sample {
  std::string name;
  Shape shape;
  Dimensions dimensions;
  bool flat = false;
};

inline double number(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * oracle::uniform(random);
}

/// In the cube from -1 to 1.
inline Eigen::Vector3d random_vector(std::mt19937_64& random) {
  const double x = number(random, -1, 1);
  const double y = number(random, -1, 1);
  return {x, y, number(random, -1, 1)};
}

inline Eigen::Isometry3d random_pose(std::mt19937_64& random, double place) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  const Eigen::Vector3d v = random_vector(random);
  pose.linear() = Eigen::Quaterniond(number(random, -1, 1), v.x(), v.y(), v.z()).normalized().toRotationMatrix();
  pose.translation() = place * random_vector(random);
  return pose;
}

inline std::vector<Eigen::Vector3d> random_points(std::mt19937_64& random, int count) {
  std::vector<Eigen::Vector3d> points;
  while (static_cast<int>(points.size()) < count) {
    const Eigen::Vector3d p = random_vector(random);
    if (p.norm() <= 1 && p.norm() > 0.1) points.push_back(p.normalized());
  }
  return points;
}

/// At least one of each convex kind, about 1 in size.
inline std::vector<Sample> convex_samples() {
  std::mt19937_64 random(3);
  const Eigen::Vector3d a(0.7, -0.2, 0.1);
  const Eigen::Vector3d b(-0.5, 0.8, 0.3);
  const Eigen::Vector3d c(-0.1, -0.6, -0.4);
  return {{"sphere", Shape::sphere(0.8), {0.8, 0.8, 0.8}},
          {"box", Shape::box({0.5, 0.9, 0.3}), {0.5, 0.9, 0.3}},
          {"capsule", Shape::capsule(0.4, 0.7), {0.4, 0.4, 0.7}},
          {"cylinder", Shape::cylinder(0.6, 0.5), {0.6, 0.6, 0.5}},
          {"cone", Shape::cone(0.7, 0.8), {0.7, 0.7, 0.8}},
          {"ellipsoid", Shape::ellipsoid({0.4, 0.7, 1.0}), {0.4, 0.7, 1.0}},
          {"half-space", Shape::half_space({0.3, -0.5, 2}, 0.2), {}},
          {"hull 8", Shape::hull(random_points(random, 8)), {}},
          {"hull 30", Shape::hull(random_points(random, 30)), {}},
          {"hull 200", Shape::hull(random_points(random, 200)), {}},
          {"triangle", Shape::triangle(a, b, c), {}},
          {"polygon", Shape::hull(std::vector<Eigen::Vector3d>{a, b, c, a + b - c}), {}, true},
          {"segment", Shape::hull(std::vector<Eigen::Vector3d>{a, b}), {}, true},
          {"point", Shape::hull(std::vector<Eigen::Vector3d>{a}), {}, true}};
}

/// By definition of the kind.
inline bool holds(const Shape& shape, const Dimensions& d, const Eigen::Vector3d& p) {
  const double rho = std::hypot(p.x(), p.y());
  switch (shape.kind()) {
    case ShapeKind::sphere:
      return p.norm() <= d.x;
    case ShapeKind::box:
      return std::abs(p.x()) <= d.x && std::abs(p.y()) <= d.y && std::abs(p.z()) <= d.z;
    case ShapeKind::capsule:
      return (p - Eigen::Vector3d(0, 0, std::clamp(p.z(), -d.z, d.z))).norm() <= d.x;
    case ShapeKind::cylinder:
      return rho <= d.x && std::abs(p.z()) <= d.z;
    case ShapeKind::cone:
      return std::abs(p.z()) <= d.z && rho <= d.x * (d.z - p.z()) / (2 * d.z);
    case ShapeKind::ellipsoid:
      return Eigen::Vector3d(p.x() / d.x, p.y() / d.y, p.z() / d.z).norm() <= 1;
    case ShapeKind::hull: {
      const IndexLists faces = shape.faces();
      for (std::size_t f = 0; f < faces.size(); ++f) {
        const auto at = [&](std::size_t k) { return shape.vertices()[static_cast<std::size_t>(faces[f][k])]; };
        if ((at(1) - at(0)).cross(at(2) - at(0)).dot(p - at(0)) > 0) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

}  // namespace carom::test
