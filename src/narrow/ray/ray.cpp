#include "narrow/ray/ray.hpp"

#include <algorithm>

#include "narrow/mesh/point_queries.hpp"
#include "narrow/ray/mesh.hpp"
#include "narrow/ray/polytope.hpp"
#include "narrow/ray/solids.hpp"
#include "shapes/shape_data.hpp"

namespace carom::rays {
namespace {

using math::to_eigen;
using math::to_vec3;
using shapes::CoreKind;

/// A ray as seen from a shape. Times on the line begin where it is nearest to the origin of the shape: `start` is the
/// time of the origin of the ray.
struct LocalRay {
  Line line;
  double start = 0;
  double limit = 0;     ///< in the time of the line
  double rounding = 0;  ///< m, of points near the shape

  LocalRay(const Eigen::Isometry3d& pose, const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double to,
           double size) {
    const Eigen::Vector3d from = origin - pose.translation();
    start = from.dot(direction);
    line.origin = to_vec3(pose.linear().transpose() * (from - start * direction));
    line.direction = to_vec3(pose.linear().transpose() * direction);
    limit = start + to;
    rounding = 1e-15 * (size + from.norm());
  }
};

struct LocalHit {
  double time = 0;  ///< of the line
  Vec3 normal;
};

/// Hit of a convex shape: where the line enters, or at the start.
std::optional<LocalHit> from_span(const Span& span, const LocalRay& ray) {
  if (span.empty() || span.leave < ray.start - ray.rounding || span.enter > ray.limit) return std::nullopt;
  if (span.enter < ray.start - ray.rounding) return LocalHit{ray.start, -ray.line.direction};
  return LocalHit{std::max(span.enter, ray.start), span.normal};
}

std::optional<LocalHit> half_space_hit(const shapes::Core& core, const LocalRay& ray) {
  const Vec3& n = core.size;
  const double height = dot(n, ray.line.origin) - core.offset - core.radius;
  const double slope = dot(n, ray.line.direction);
  if (slope == 0) return from_span(height <= 0 ? Span::whole() : Span{}, ray);
  const double t = -height / slope;
  return from_span(slope < 0 ? Span{t, INFINITY, n} : Span{-INFINITY, t, {}}, ray);
}

std::optional<LocalHit> mesh_hit(const shapes::ShapeData& data, const LocalRay& ray) {
  const shapes::MeshData& m = *data.mesh;
  const Vec3 start = ray.line.at(ray.start);
  const bool near = data.margin > 0 && mesh::nearest(m, start, data.margin).triangle != none;
  if (near || mesh::inside(m, start)) {
    // On the surface it is the triangle there that is met.
    const Span here = mesh(TriangleTest(ray.line), m, data.margin, ray.start, ray.start, ray.rounding);
    return LocalHit{ray.start, near || here.empty() ? -ray.line.direction : here.normal};
  }
  const Span span = mesh(TriangleTest(ray.line), m, data.margin, ray.start, ray.limit, ray.rounding);
  if (span.empty()) return std::nullopt;
  return LocalHit{span.enter, span.normal};
}

std::optional<LocalHit> hit_of(const shapes::ShapeData& data, const LocalRay& ray) {
  if (data.mesh) return mesh_hit(data, ray);
  const shapes::Core& core = data.core;
  if (core.kind == CoreKind::half_space) return half_space_hit(core, ray);
  if (core.kind == CoreKind::hull) {
    return from_span(hull(TriangleTest(ray.line), *core.hull, core.radius, ray.rounding), ray);
  }
  return from_span(solid(ray.line, core), ray);
}

std::optional<Hit> hit_in_world(const shapes::ShapeData& data, const Eigen::Isometry3d& pose,
                                const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double limit) {
  const double size = data.mesh ? data.mesh->reach : data.core.reach + data.core.radius + std::abs(data.core.offset);
  const LocalRay ray(pose, origin, direction, limit, size);
  const std::optional<LocalHit> hit = hit_of(data, ray);
  if (!hit) return std::nullopt;
  return Hit{std::clamp(hit->time - ray.start, 0.0, limit), pose.linear() * to_eigen(hit->normal)};
}

}  // namespace

std::optional<Hit> first_hit(const Shape& shape, const Eigen::Isometry3d& pose, const Eigen::Vector3d& origin,
                             const Eigen::Vector3d& direction, double limit) {
  if (shape.kind() != ShapeKind::compound) return hit_in_world(shape.data(), pose, origin, direction, limit);
  std::optional<Hit> first;
  for (const Shape::Part& part : shape.parts()) {
    const std::optional<Hit> hit =
        hit_in_world(part.shape.data(), pose * part.pose, origin, direction, first ? first->time : limit);
    if (hit && (!first || hit->time < first->time)) first = hit;
  }
  return first;
}

}  // namespace carom::rays
