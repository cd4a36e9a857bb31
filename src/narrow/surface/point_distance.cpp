#include "narrow/surface/point_distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "narrow/convex/convex.hpp"
#include "shapes/hull_data.hpp"

namespace carom::narrow::surface {
namespace {

using shapes::CoreKind;

/// Hulls with no more faces than this are searched face by face before GJK: cheaper than one GJK query.
constexpr std::size_t max_searched_faces = 128;
/// Newton's iteration for ellipsoids takes 5 iterations as a rule, and 45 next to the largest principal section.
constexpr int max_newton_iterations = 100;

/// Distance from a point at `offset` from the closest point of the core; `fallback` is the normal if they coincide.
PointDistance from_offset(const Vec3& offset, const Vec3& fallback) {
  const double largest = std::max({std::abs(offset.x), std::abs(offset.y), std::abs(offset.z)});
  if (!(largest > 0)) return {0, fallback};
  const Vec3 n = convex::unit(offset);
  return {dot(n, offset), n};
}

PointDistance from_box(const Vec3& half, const Vec3& p) {
  const Vec3 beyond{std::abs(p.x) - half.x, std::abs(p.y) - half.y, std::abs(p.z) - half.z};
  if (beyond.x > 0 || beyond.y > 0 || beyond.z > 0) {
    const auto outside = [](double b, double x) { return b > 0 ? std::copysign(b, x) : 0.0; };
    return from_offset({outside(beyond.x, p.x), outside(beyond.y, p.y), outside(beyond.z, p.z)}, {});
  }
  if (beyond.x >= beyond.y && beyond.x >= beyond.z) return {beyond.x, {std::copysign(1.0, p.x), 0, 0}};
  if (beyond.y >= beyond.z) return {beyond.y, {0, std::copysign(1.0, p.y), 0}};
  return {beyond.z, {0, 0, std::copysign(1.0, p.z)}};
}

/// A point of the half-plane through the axis of a solid of revolution, and back.
struct Profile {
  double rho;
  double x, y;  ///< unit direction of rho

  explicit Profile(const Vec3& p) : rho(std::hypot(p.x, p.y)), x(rho > 0 ? p.x / rho : 1), y(rho > 0 ? p.y / rho : 0) {}
  Vec3 direction(double along_rho, double along_z) const { return {along_rho * x, along_rho * y, along_z}; }
};

PointDistance from_cylinder(const Vec3& size, const Vec3& p) {
  const Profile profile(p);
  const double side = profile.rho - size.x;
  const double cap = std::abs(p.z) - size.z;
  const double up = std::copysign(1.0, p.z);
  if (side > 0 && cap > 0) return from_offset(profile.direction(side, up * cap), {});
  if (side >= cap) return {side, profile.direction(1, 0)};
  return {cap, {0, 0, up}};
}

PointDistance from_cone(const Vec3& size, const Vec3& p) {
  const Profile profile(p);
  const double radius = size.x;
  const double height = 2 * size.z;
  const double slant = std::hypot(height, radius);
  const double base = -size.z - p.z;
  const double side = (height * profile.rho + radius * (p.z - size.z)) / slant;
  const auto to_side = [&] { return PointDistance{side, profile.direction(height / slant, radius / slant)}; };
  const auto to_base = [&] { return PointDistance{base, {0, 0, -1}}; };
  if (side <= 0 && base <= 0) return side >= base ? to_side() : to_base();
  // From 0 at the rim to 1 at the apex.
  const double along = (radius * (radius - profile.rho) + height * (p.z + size.z)) / (slant * slant);
  if (side > 0 && along >= 0 && along <= 1) return to_side();
  if (base > 0 && profile.rho <= radius) return to_base();
  if (along > 1) return from_offset(profile.direction(profile.rho, p.z - size.z), {0, 0, 1});
  return from_offset(profile.direction(profile.rho - radius, p.z + size.z), {0, 0, -1});
}

/// The closest point y of the ellipsoid satisfies p = y + t (y_i / r_i^2) for one t, the largest zero of
///
///     F(t) = sum (r_i p_i / (t + r_i^2))^2 - 1,
///
/// convex and decreasing beyond -r_m^2, with r_m the smallest radius; Newton's iteration from the left of the zero is
/// monotone. With s = t + r_m^2 no denominator cancels. The normal is along g_i = p_i / (t + r_i^2), and the distance
/// is t |g|, which keeps its digits next to the ellipsoid.
PointDistance from_ellipsoid(const Vec3& radii, const Vec3& point) {
  const std::array<double, 3> r{radii.x, radii.y, radii.z};
  const std::array<double, 3> p{point.x, point.y, point.z};
  const auto m = static_cast<std::size_t>(std::min_element(r.begin(), r.end()) - r.begin());
  std::array<double, 3> excess{};  // r_i^2 - r_m^2
  double s = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    excess[i] = (r[i] - r[m]) * (r[i] + r[m]);
    s = std::max(s, r[i] * std::abs(p[i]) - excess[i]);
  }
  double value = 0;
  double slope = 0;
  const auto evaluate = [&] {
    value = -1;
    slope = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      if (p[i] == 0) continue;
      const double d = s + excess[i];
      const double term = r[i] * p[i] / d;
      value += term * term;
      slope += 2 * term * term / d;
    }
  };
  evaluate();
  // Never true on the principal section across the shortest axis near the center, where s is 0: there are two closest
  // points, one on either side.
  const bool one_closest = s > 0 || value > 0;
  for (int i = 0; one_closest && i < max_newton_iterations; ++i) {
    const double next = s + value / slope;
    if (!(next > s)) break;
    s = next;
    evaluate();
  }
  std::array<double, 3> g{};
  for (std::size_t i = 0; i < 3; ++i) g[i] = p[i] == 0 ? 0 : p[i] / (s + excess[i]);
  if (!one_closest) g[m] = std::sqrt(-value) / r[m];
  const Vec3 gradient{g[0], g[1], g[2]};
  const double size = std::sqrt(dot(gradient, gradient));
  return {(s - r[m] * r[m]) * size, (1 / size) * gradient};
}

/// Largest signed distance from the planes of the faces: the distance itself for a point inside.
PointDistance from_faces(const shapes::HullData& hull, const Vec3& p) {
  PointDistance best{-INFINITY, {}};
  for (std::size_t f = 0; f < hull.face_normals.size(); ++f) {
    const Vec3& n = hull.face_normals[f];
    const auto corner = static_cast<std::size_t>(hull.faces.items[static_cast<std::size_t>(hull.faces.offsets[f])]);
    const double distance = dot(n, p - math::to_vec3(hull.points[corner]));
    if (distance > best.distance) best = {distance, n};
  }
  return best;
}

PointDistance from_hull(const Core& core, const Vec3& p, double within) {
  const shapes::HullData& hull = *core.hull;
  const bool solid = hull.dimension == 3;
  if (solid && hull.face_normals.size() <= max_searched_faces) {
    PointDistance planes = from_faces(hull, p);
    if (planes.distance <= 0) return planes;
    planes.exact = false;
    if (planes.distance > within) return planes;
  }
  Core sharp = core;
  sharp.radius = 0;
  Core point;
  Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
  at.translation() = math::to_eigen(p);
  QueryResult result;
  convex::query(solid ? convex::Question::gap : convex::Question::distance, sharp, Eigen::Isometry3d::Identity(), point,
                at, nullptr, result);
  if (solid && !(result.distance > 0)) return from_faces(hull, p);
  return {result.distance, math::to_vec3(result.normal)};
}

PointDistance from_core(const Core& core, const Vec3& p, double within) {
  switch (core.kind) {
    case CoreKind::point:
      return from_offset(p, {0, 0, 1});
    case CoreKind::segment:
      return from_offset({p.x, p.y, p.z - std::clamp(p.z, -core.size.z, core.size.z)}, {1, 0, 0});
    case CoreKind::box:
      return from_box(core.size, p);
    case CoreKind::cylinder:
      return from_cylinder(core.size, p);
    case CoreKind::cone:
      return from_cone(core.size, p);
    case CoreKind::ellipsoid:
      return from_ellipsoid(core.size, p);
    case CoreKind::hull:
      return from_hull(core, p, within);
    case CoreKind::half_space:
      break;
  }
  return {dot(core.size, p) - core.offset, core.size};
}

}  // namespace

PointDistance point_distance(const Core& core, const Vec3& p, double within) {
  // Rounding a convex shape by a radius lowers its signed distance by the radius, inside as well as outside.
  PointDistance result = from_core(core, p, within + core.radius);
  result.distance -= core.radius;
  return result;
}

}  // namespace carom::narrow::surface
