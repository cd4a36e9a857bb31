#pragma once

#include <array>

#include "math/double_double.hpp"
#include "narrow/ray/span.hpp"

/// A line against triangles, without gaps between neighbours (Woop, Benthin and Wald 2013): corners are seen along the
/// line, and the sign of each edge depends on its two corners alone.
namespace carom::rays {

class TriangleTest {
 public:
  explicit TriangleTest(const Line& line) : line_(line) {
    const std::array<double, 3> d{std::abs(line.direction.x), std::abs(line.direction.y), std::abs(line.direction.z)};
    along_ = d[0] >= d[1] && d[0] >= d[2] ? 0 : d[1] >= d[2] ? 1 : 2;
    const Vec3 turned = turn(line.direction);
    shear_x_ = turned.x / turned.z;
    shear_y_ = turned.y / turned.z;
    scale_ = 1 / turned.z;
  }

  const Line& line() const { return line_; }

  struct Crossing {
    bool hit = false;
    bool edge_on = false;  ///< seen from the side, or without area
    double time = 0;
  };

  Crossing operator()(const Vec3& p, const Vec3& q, const Vec3& r) const {
    const Vec3 a = seen(p);
    const Vec3 b = seen(q);
    const Vec3 c = seen(r);
    const double u = difference_of_products(c.x, b.y, c.y, b.x);
    const double v = difference_of_products(a.x, c.y, a.y, c.x);
    const double w = difference_of_products(b.x, a.y, b.y, a.x);
    Crossing crossing;
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return crossing;
    const double sum = u + v + w;
    crossing.edge_on = sum == 0;
    crossing.hit = sum != 0;
    // Weights first: they are between 0 and 1, whatever the triangle.
    if (crossing.hit) crossing.time = scale_ * (u / sum * a.z + v / sum * b.z + w / sum * c.z);
    return crossing;
  }

 private:
  /// To twice the digits, and with the sign turned round exactly if the two products are swapped.
  static double difference_of_products(double a, double b, double c, double d) {
    const math::DoubleDouble p = math::two_product(a, b);
    const math::DoubleDouble q = math::two_product(c, d);
    return (p.high - q.high) + (p.low - q.low);
  }
  Vec3 turn(const Vec3& v) const { return along_ == 0 ? Vec3{v.y, v.z, v.x} : along_ == 1 ? Vec3{v.z, v.x, v.y} : v; }
  Vec3 seen(const Vec3& p) const {
    const Vec3 v = turn(p - line_.origin);
    return {v.x - shear_x_ * v.z, v.y - shear_y_ * v.z, v.z};
  }

  const Line& line_;
  int along_ = 0;
  double shear_x_ = 0;
  double shear_y_ = 0;
  double scale_ = 1;
};

/// Normal of unit length and against the line; zero if the triangle has no area.
inline Vec3 facing_normal(const Line& line, const Vec3& p, const Vec3& q, const Vec3& r) {
  const Vec3 n = math::unit_or_zero(cross(q - p, r - p));
  return dot(n, line.direction) > 0 ? -n : n;
}

}  // namespace carom::rays
