#include <algorithm>
#include <cmath>

#include "continuous/search.hpp"

namespace carom::continuous {
namespace {

using namespace math;

/// The normal of the polygon's plane, if it has one to speak of.
Vec3 plane_normal(const RelativeMotion& m, double t) {
  const Vec3 f = (1 - t) * m.side_f_start + t * m.side_f_end;
  const Vec3 g = (1 - t) * m.side_g_start + t * m.side_g_end;
  const Vec3 n = cross(f, g);
  const double length = std::sqrt(dot(n, n));
  if (!(length > 1e-8 * m.size_f * m.size_g) || length < 1e-140) return {};
  return (1 / length) * n;
}

int sign_of_value(const Coplanarity& p, double t) {
  const double c = value_at(p.c, t);
  return c > p.error ? 1 : c < -p.error ? -1 : 0;
}

/// How the contact point moves over the step.
Vec3 velocity(const RelativeMotion& m, const std::array<double, 4>& w) {
  const std::array<double, 4> shares = m.corners == 3
                                           ? std::array<double, 4>{w[1], w[2], w[3], 0}
                                           : std::array<double, 4>{w[0] * w[2], w[0] * w[3], w[1] * w[3], w[1] * w[2]};
  Vec3 v;
  for (std::size_t i = 0; i < 4; ++i) v = v + shares[i] * (m.end[i] - m.start[i]);
  return v;
}

}  // namespace

// At the time of the zero the corners are in one plane with the origin, so all W_i x W_i+1 are multiples of its normal.
// If they have positive products with one and the same direction, they are multiples of one sign: the origin is inside.
// A product is wrong by less than 128u size^2 and changes by less than 12 size^2 over the step.
bool surely_crosses(const RelativeMotion& m, const Coplanarity& p, double t, double half_width,
                    std::array<double, 4>& weights) {
  const int before = sign_of_value(p, std::max(t - half_width, 0.0));
  if (before == 0 || before * sign_of_value(p, std::min(t + half_width, 1.0)) >= 0) return false;
  const Vec3 n = plane_normal(m, t);
  const auto count = static_cast<std::size_t>(m.corners);
  std::array<Vec3, 4> w;
  for (std::size_t i = 0; i < count; ++i) w[i] = corner_at(m, static_cast<int>(i), t);
  std::array<double, 4> area{};  // twice that of the triangle of the origin and side i
  double smallest = INFINITY;
  for (std::size_t i = 0; i < count; ++i) {
    area[i] = dot(cross(w[i], w[i + 1 < count ? i + 1 : 0]), n);
    smallest = std::min(smallest, area[i]);
  }
  if (!(smallest > (128 * unit_roundoff + 16 * half_width) * m.size * m.size)) return false;
  if (count == 3) {
    const double sum = area[0] + area[1] + area[2];
    const double w0 = area[1] / sum, w1 = area[2] / sum;
    weights = {1, w0, w1, std::max(1 - w0 - w1, 0.0)};
  } else {
    const double s = area[0] / (area[0] + area[2]);
    const double u = area[3] / (area[1] + area[3]);
    weights = {1 - s, s, 1 - u, u};
  }
  return true;
}

Vec3 approach_direction(const RelativeMotion& m, const Coplanarity& p, double t, const std::array<double, 4>& weights,
                        const Vec3& last) {
  const Vec3 plane = plane_normal(m, t);
  const bool has_plane = dot(plane, plane) > 0;
  if (dot(last, last) > 0) {
    const double along = dot(plane, last);
    if (!has_plane || std::abs(along) < 0.5) return last;
    return along > 0 ? plane : -plane;
  }
  const Vec3 v = velocity(m, weights);
  if (has_plane) {
    const int side = sign_of_value(p, t);
    return side > 0 || (side == 0 && dot(plane, v) <= 0) ? plane : -plane;
  }
  const double speed = std::sqrt(dot(v, v));
  return speed > 1e-140 ? (-1 / speed) * v : Vec3{1, 0, 0};
}

}  // namespace carom::continuous
