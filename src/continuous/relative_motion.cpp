#include "continuous/relative_motion.hpp"

#include <algorithm>
#include <cmath>

#include "math/safe_range.hpp"

namespace carom::continuous {
namespace {

using namespace math;

std::array<Vec3, 4> corners(ContactKind kind, const std::array<Vec3, 4>& p) {
  if (kind == ContactKind::vertex_face) return {p[0] - p[1], p[0] - p[2], p[0] - p[3], Vec3{}};
  return {p[0] - p[2], p[0] - p[3], p[1] - p[3], p[1] - p[2]};
}
Vec3 side_f(ContactKind kind, const std::array<Vec3, 4>& p) {
  return kind == ContactKind::vertex_face ? p[1] - p[2] : p[2] - p[3];
}
Vec3 side_g(ContactKind kind, const std::array<Vec3, 4>& p) {
  return kind == ContactKind::vertex_face ? p[2] - p[3] : p[1] - p[0];
}

void set_differences(RelativeMotion& m, ContactKind kind, const std::array<Vec3, 4>& start,
                     const std::array<Vec3, 4>& end) {
  m.start = corners(kind, start);
  m.end = corners(kind, end);
  m.side_f_start = side_f(kind, start);
  m.side_f_end = side_f(kind, end);
  m.side_g_start = side_g(kind, start);
  m.side_g_end = side_g(kind, end);
}

void set_sizes(RelativeMotion& m) {
  m.size = std::max(largest_coordinate(m.start), largest_coordinate(m.end));
  m.size_f = std::max(largest_coordinate(m.side_f_start), largest_coordinate(m.side_f_end));
  m.size_g = std::max(largest_coordinate(m.side_g_start), largest_coordinate(m.side_g_end));
}

std::array<Vec3, 4> scaled(const std::array<Eigen::Vector3d, 4>& points, double factor) {
  return {factor * to_vec3(points[0]), factor * to_vec3(points[1]), factor * to_vec3(points[2]),
          factor * to_vec3(points[3])};
}

Vec3 times_power_of_two(const Vec3& a, int exponent) {
  return {std::ldexp(a.x, exponent), std::ldexp(a.y, exponent), std::ldexp(a.z, exponent)};
}

/// Exact but for numbers that become subnormal, which are far below 2^-53 of the largest.
void scale(RelativeMotion& m, int exponent) {
  for (auto* list : {&m.start, &m.end}) {
    for (Vec3& v : *list) v = times_power_of_two(v, -exponent);
  }
  for (Vec3* v : {&m.side_f_start, &m.side_f_end, &m.side_g_start, &m.side_g_end}) {
    *v = times_power_of_two(*v, -exponent);
  }
  // Never smaller than it is: rounding a tiny separation to zero would let a contact pass.
  const double scaled_separation = std::ldexp(m.separation, -exponent);
  m.separation = m.separation > 0 ? std::max(scaled_separation, 1e-300) * (1 + 4 * unit_roundoff) : 0;
  m.exponent += exponent;
}

}  // namespace

RelativeMotion relative_motion(ContactKind kind, const FeatureMotion& motion, double separation) {
  RelativeMotion m;
  m.corners = kind == ContactKind::vertex_face ? 3 : 4;
  m.separation = separation;
  set_differences(m, kind, scaled(motion.start, 1), scaled(motion.end, 1));
  set_sizes(m);
  if (!in_safe_range(m.size)) {
    if (!(m.size <= differences_may_overflow)) {
      set_differences(m, kind, scaled(motion.start, 0.125), scaled(motion.end, 0.125));
      set_sizes(m);
      scale(m, 0);
      m.separation *= 0.125;
      m.exponent = 3;
    }
    if (m.size > 0) scale(m, std::ilogb(m.size));
    set_sizes(m);
  }
  double squared = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(m.corners); ++i) {
    const Vec3 path = m.end[i] - m.start[i];
    squared = std::max(squared, dot(path, path));
  }
  m.motion = std::sqrt(squared);
  return m;
}

}  // namespace carom::continuous
