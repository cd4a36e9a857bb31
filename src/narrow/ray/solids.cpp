#include "narrow/ray/solids.hpp"

#include <algorithm>
#include <array>

#include "narrow/ray/rounded.hpp"

namespace carom::rays {
namespace {

using shapes::CoreKind;

Vec3 unit_of(const Vec3& v) {
  return math::unit_or_zero(v);
}

/// |offset + t slope| <= radius. The nearest point of the line is found first, so that no digits are lost where the
/// line is far off or grazes.
Span within(const Vec3& offset, const Vec3& slope, double radius) {
  const double squared = dot(slope, slope);
  if (!(squared > 0)) return dot(offset, offset) <= radius * radius ? Span::whole() : Span{};
  const double nearest = -dot(offset, slope) / squared;
  const double off = length(offset + nearest * slope);
  if (off > radius) return {};
  const double half = std::sqrt((radius - off) * (radius + off) / squared);
  return {nearest - half, nearest + half, {}};
}

/// low <= offset + t slope <= high along one axis with the unit vector `axis`.
Span slab(double offset, double slope, double low, double high, const Vec3& axis) {
  if (slope == 0) return offset >= low && offset <= high ? Span::whole() : Span{};
  const double first = (low - offset) / slope;
  const double second = (high - offset) / slope;
  return slope > 0 ? Span{first, second, -axis} : Span{second, first, axis};
}

Span box(const Line& line, const Vec3& half) {
  Span span = slab(line.origin.x, line.direction.x, -half.x, half.x, {1, 0, 0});
  cut(span, slab(line.origin.y, line.direction.y, -half.y, half.y, {0, 1, 0}));
  cut(span, slab(line.origin.z, line.direction.z, -half.z, half.z, {0, 0, 1}));
  return span;
}

Span cylinder(const Line& line, double radius, double half_length) {
  Span span = within({line.origin.x, line.origin.y, 0}, {line.direction.x, line.direction.y, 0}, radius);
  if (span.empty()) return span;
  if (std::isfinite(span.enter)) {
    const Vec3 p = line.at(span.enter);
    span.normal = unit_of({p.x, p.y, 0});
  }
  cut(span, slab(line.origin.z, line.direction.z, -half_length, half_length, {0, 0, 1}));
  return span;
}

/// Apex up. Above the base and below the apex there is one half of the double cone, in which f <= 0.
Span cone(const Line& line, double radius, double half_length) {
  Span span = slab(line.origin.z, line.direction.z, -half_length, half_length, {0, 0, 1});
  if (span.empty()) return span;
  const double slope = radius / (2 * half_length);
  const Vec3& o = line.origin;
  const Vec3& d = line.direction;
  // Distances from the axis are compared with widths of the cone.
  const double width = slope * (half_length - o.z);
  const double narrows = -slope * d.z;
  const double a = d.x * d.x + d.y * d.y - narrows * narrows;
  const double b = o.x * d.x + o.y * d.y - width * narrows;
  const double c = o.x * o.x + o.y * o.y - width * width;
  // b^2 - a c, from products that are small where the line grazes.
  const double across = o.x * d.y - o.y * d.x;
  const double ux = o.x * narrows - d.x * width;
  const double uy = o.y * narrows - d.y * width;
  const double root_of = ux * ux + uy * uy - across * across;
  const auto f = [&](double t) {
    const double x = o.x + t * d.x;
    const double y = o.y + t * d.y;
    const double w = width + t * narrows;
    return x * x + y * y - w * w;
  };
  const auto side = [&](double t) {
    const Vec3 p = line.at(t);
    const double across_axis = std::sqrt(p.x * p.x + p.y * p.y);
    return across_axis > 0 ? unit_of({p.x, p.y, slope * across_axis}) : Vec3{0, 0, 1};
  };
  std::array<double, 2> roots{INFINITY, INFINITY};
  if (root_of >= 0) {
    const double q = -(b + std::copysign(std::sqrt(root_of), b));
    if (q != 0) roots = {a != 0 ? q / a : INFINITY, c / q};
    if (q == 0 && a != 0) roots = {0, 0};
    if (roots[0] > roots[1]) std::swap(roots[0], roots[1]);
  } else if (a >= 0) {
    return {};
  }
  // The part between two roots, or between a root and an end, in which f is negative. A cone is convex, so there is
  // one.
  const double low = span.enter;
  const double high = span.leave;
  const auto negative = [&](double from, double to) { return from < to && f(0.5 * (from + to)) < 0; };
  const double first = std::clamp(roots[0], low, high);
  const double second = std::clamp(roots[1], low, high);
  Span found;
  const auto add = [&](double from, double to) {
    if (!negative(from, to)) return;
    if (from < found.enter) {
      found.enter = from;
      found.normal = from == low ? span.normal : side(from);
    }
    found.leave = std::max(found.leave, to);
  };
  add(low, first);
  add(first, second);
  add(second, high);
  return found;
}

Span ellipsoid(const Line& line, const Vec3& radii) {
  const auto scaled = [&](const Vec3& v) { return Vec3{v.x / radii.x, v.y / radii.y, v.z / radii.z}; };
  Span span = within(scaled(line.origin), scaled(line.direction), 1);
  if (!span.empty()) span.normal = unit_of(scaled(scaled(line.at(span.enter))));
  return span;
}

}  // namespace

Span ball(const Line& line, const Vec3& center, double radius) {
  Span span = within(line.origin - center, line.direction, radius);
  if (!span.empty()) span.normal = unit_of(line.at(span.enter) - center);
  return span;
}

Span capsule(const Line& line, const Vec3& p, const Vec3& q, double radius) {
  Span all = ball(line, p, radius);
  join(all, ball(line, q, radius));
  const Vec3 axis = unit_of(q - p);
  if (!(dot(axis, axis) > 0)) return all;
  const auto across = [&](const Vec3& v) { return v - dot(v, axis) * axis; };
  const Vec3 from_p = line.origin - p;
  Span side = within(across(from_p), across(line.direction), radius);
  if (side.empty()) return all;
  if (std::isfinite(side.enter)) side.normal = unit_of(across(line.at(side.enter) - p));
  cut(side, slab(dot(from_p, axis), dot(line.direction, axis), 0, length(q - p), axis));
  join(all, side);
  return all;
}

Span solid(const Line& line, const shapes::Core& core) {
  const Vec3& s = core.size;
  if (core.kind == CoreKind::point) return ball(line, {}, core.radius);
  if (core.kind == CoreKind::segment) return capsule(line, {0, 0, -s.z}, {0, 0, s.z}, core.radius);
  if (core.radius > 0) return rounded(line, core);
  switch (core.kind) {
    case CoreKind::box:
      return box(line, s);
    case CoreKind::cylinder:
      return cylinder(line, s.x, s.z);
    case CoreKind::cone:
      return cone(line, s.x, s.z);
    case CoreKind::ellipsoid:
      return ellipsoid(line, s);
    default:
      return {};
  }
}

}  // namespace carom::rays
