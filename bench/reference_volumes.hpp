#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace carom::reference {

using Eigen::Vector3d;

struct Box {
  Vector3d min = Vector3d::Constant(INFINITY);
  Vector3d max = Vector3d::Constant(-INFINITY);

  void include(const Vector3d& p) {
    min = min.cwiseMin(p);
    max = max.cwiseMax(p);
  }
  void grow(double by) {
    min.array() -= by;
    max.array() += by;
  }

  static Box of(const Vector3d& p, double grown_by) {
    Box box{p, p};
    box.grow(grown_by);
    return box;
  }
  static Box of(const Vector3d& a, const Vector3d& b, double grown_by) {
    Box box{a.cwiseMin(b), a.cwiseMax(b)};
    box.grow(grown_by);
    return box;
  }
  static Box of(const Vector3d& a, const Vector3d& b, const Vector3d& c, double grown_by) {
    Box box{a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)};
    box.grow(grown_by);
    return box;
  }

  const Vector3d& low() const { return min; }
  const Vector3d& high() const { return max; }
  double size() const { return (max - min).maxCoeff(); }

  bool overlaps(const Box& other) const {
    return min.x() <= other.max.x() && max.x() >= other.min.x() && min.y() <= other.max.y() &&
           max.y() >= other.min.y() && min.z() <= other.max.z() && max.z() >= other.min.z();
  }
};

struct Sphere {
  Vector3d centre = Vector3d::Zero();
  double radius = 0;

  static Sphere of(const Vector3d& p, double grown_by) { return {p, grown_by}; }
  static Sphere of(const Vector3d& a, const Vector3d& b, double grown_by) {
    return {0.5 * (a + b), 0.5 * (b - a).norm() + grown_by};
  }
  /// The smallest: that of the longest edge if the triangle is obtuse, else the circumscribed one.
  static Sphere of(const Vector3d& a, const Vector3d& b, const Vector3d& c, double grown_by) {
    const Vector3d ab = b - a;
    const Vector3d ac = c - a;
    const Vector3d bc = c - b;
    if (ab.dot(ac) <= 0) return of(b, c, grown_by);
    if (ab.dot(bc) >= 0) return of(a, c, grown_by);
    if (ac.dot(bc) <= 0) return of(a, b, grown_by);
    const Vector3d normal = ab.cross(ac);
    const Vector3d to_centre =
        (normal.cross(ab) * ac.squaredNorm() + ac.cross(normal) * ab.squaredNorm()) / (2 * normal.squaredNorm());
    return {a + to_centre, to_centre.norm() + grown_by};
  }

  Vector3d low() const { return centre.array() - radius; }
  Vector3d high() const { return centre.array() + radius; }
  double size() const { return 2 * radius; }

  bool overlaps(const Sphere& other) const {
    const double reach = radius + other.radius;
    return (centre - other.centre).squaredNorm() <= reach * reach;
  }
  bool overlaps(const Box& box) const {
    const Vector3d nearest = centre.cwiseMax(box.min).cwiseMin(box.max);
    return (centre - nearest).squaredNorm() <= radius * radius;
  }
};

}  // namespace carom::reference
