#include "narrow/ray/rounded.hpp"

#include <algorithm>

#include "narrow/ray/solids.hpp"

namespace carom::rays {
namespace {

using shapes::CoreKind;

/// Steps of the iteration: a line that grazes halves its distance in each, down to rounding.
constexpr int newton_steps = 200;

Vec3 nearest_in_box(const Vec3& half, const Vec3& p) {
  return {std::clamp(p.x, -half.x, half.x), std::clamp(p.y, -half.y, half.y), std::clamp(p.z, -half.z, half.z)};
}

/// From a distance from the axis and a height to a point beside p.
Vec3 around_axis(const Vec3& p, double off, double r, double z) {
  const double k = off > 0 ? r / off : 0;
  return {k * p.x, k * p.y, z};
}

Vec3 nearest_in_cylinder(const Vec3& size, const Vec3& p) {
  const double off = std::sqrt(p.x * p.x + p.y * p.y);
  return around_axis(p, off, std::min(off, size.x), std::clamp(p.z, -size.z, size.z));
}

Vec3 nearest_in_cone(const Vec3& size, const Vec3& p) {
  const double off = std::sqrt(p.x * p.x + p.y * p.y);
  // In the half-plane of p: the base is from (0, -z) to (x, -z), the side from there to (0, z).
  const double across = off - size.x;
  const double up = p.z + size.z;
  const double height = 2 * size.z;
  const double along = (-across * size.x + up * height) / (size.x * size.x + height * height);
  const double outside = across * height + up * size.x;
  if (up <= 0 && off <= size.x) return {p.x, p.y, -size.z};
  if (outside <= 0 && up > 0) return p;
  const double t = std::clamp(along, 0.0, 1.0);
  return around_axis(p, off, (1 - t) * size.x, -size.z + t * height);
}

/// The foot is radii^2 p / (t + radii^2) for the t at which that is on the surface; the sum is convex and falls, and
/// the iteration begins to the left of its root.
Vec3 nearest_in_ellipsoid(const Vec3& radii, const Vec3& p) {
  const Vec3 r2{radii.x * radii.x, radii.y * radii.y, radii.z * radii.z};
  const auto term = [](double r, double x, double rr, double t) {
    const double k = r * x / (t + rr);
    return k * k;
  };
  const auto sum = [&](double t) {
    return term(radii.x, p.x, r2.x, t) + term(radii.y, p.y, r2.y, t) + term(radii.z, p.z, r2.z, t) - 1;
  };
  if (sum(0) <= 0) return p;
  double t =
      std::max({0.0, radii.x * std::abs(p.x) - r2.x, radii.y * std::abs(p.y) - r2.y, radii.z * std::abs(p.z) - r2.z});
  for (int i = 0; i < newton_steps; ++i) {
    const double slope = -2 * (term(radii.x, p.x, r2.x, t) / (t + r2.x) + term(radii.y, p.y, r2.y, t) / (t + r2.y) +
                               term(radii.z, p.z, r2.z, t) / (t + r2.z));
    const double next = t - sum(t) / slope;
    if (!(next > t)) break;
    t = next;
  }
  return {r2.x * p.x / (t + r2.x), r2.y * p.y / (t + r2.y), r2.z * p.z / (t + r2.z)};
}

Vec3 nearest_in_core(const shapes::Core& core, const Vec3& p) {
  switch (core.kind) {
    case CoreKind::box:
      return nearest_in_box(core.size, p);
    case CoreKind::cylinder:
      return nearest_in_cylinder(core.size, p);
    case CoreKind::cone:
      return nearest_in_cone(core.size, p);
    default:
      return nearest_in_ellipsoid(core.size, p);
  }
}

/// The first time at which the line is within the radius, from `t` on, which is outside; infinite if there is none.
double advance_to(const Line& line, const shapes::Core& core, double t, Vec3& normal) {
  for (int i = 0; i < newton_steps; ++i) {
    const Vec3 p = line.at(t);
    const Vec3 gap = p - nearest_in_core(core, p);
    const double distance = length(gap);
    const double beyond = distance - core.radius;
    if (!(distance > 0)) return t;
    normal = (1 / distance) * gap;
    if (!(beyond > 0)) return t;
    const double falls = -dot(normal, line.direction);
    if (!(falls > 0)) return INFINITY;
    const double next = t + beyond / falls;
    if (!(next > t)) return t;
    t = next;
  }
  return t;
}

}  // namespace

Span rounded(const Line& line, const shapes::Core& core) {
  const Span around = ball(line, {}, (1 + 1e-12) * (core.reach + core.radius));
  if (around.empty()) return {};
  Span span;
  span.enter = advance_to(line, core, around.enter, span.normal);
  if (!(span.enter < INFINITY)) return {};
  Vec3 unused;
  const Line back{line.origin, -line.direction};
  span.leave = std::max(-advance_to(back, core, -around.leave, unused), span.enter);
  return span;
}

}  // namespace carom::rays
