#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "geometry/check_pose.hpp"
#include "narrow/ray/ray.hpp"
#include "query/check_cast.hpp"
#include "query/query_tree.hpp"
#include "world/state.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

class Asked {
 public:
  Asked(const World::State& state, const QueryFilter& filter)
      : bodies_(state.table),
        filter_(filter),
        proxies_(state.query_tree.of(state.order, state.bodies, state.table)),
        tree_(state.query_tree) {
    for (const BodyId id : filter.excluded) {
      require(state.bodies.contains(id), ErrorCode::bad_index,
              "no body has the id {}.{}: it was removed, or is of another world", id.index, id.generation);
    }
  }

  // Bodies by the numbers of their proxies, which are in the order of adding.
  const BroadPhase& tree() const { return proxies_; }
  const rigid::Info& info(std::size_t i) const { return bodies_.info[tree_.slot(i)]; }
  const Shape& shape(std::size_t i) const {
    const Shape* surface = tree_.surface(i);
    return surface != nullptr ? *surface : info(i).shape;
  }
  Eigen::Isometry3d pose(std::size_t i) const {
    if (tree_.surface(i) != nullptr) return Eigen::Isometry3d::Identity();
    return rigid::shape_pose(bodies_.motion[tree_.slot(i)], info(i));
  }

  bool wanted(std::size_t i) const {
    const rigid::Info& body = info(i);
    return may_collide(filter_.filter, body.filter) &&
           std::find(filter_.excluded.begin(), filter_.excluded.end(), body.id) == filter_.excluded.end();
  }

 private:
  const rigid::Bodies& bodies_;
  const QueryFilter& filter_;
  const BroadPhase& proxies_;
  const query::QueryTree& tree_;
};

/// A ray with a unit direction, whatever the one that was given: no square of it is too large or too small.
struct Ray {
  Vector3d origin;
  Vector3d direction;
  double limit;  ///< m
  double unit;   ///< m, the length of the direction that was given

  Ray(const Vector3d& from, const Vector3d& along, double largest) : origin(from), unit(along.stableNorm()) {
    require(is_finite(origin), ErrorCode::not_finite, "ray: the origin is ({}, {}, {}); expected finite", origin.x(),
            origin.y(), origin.z());
    require(unit >= 1e-150 && unit <= 1e150, ErrorCode::invalid_argument,
            "ray: the direction is ({}, {}, {}); expected a length from 1e-150 to 1e150", along.x(), along.y(),
            along.z());
    require(largest >= 0, ErrorCode::invalid_argument, "ray: limit is {}; expected a number that is not negative",
            largest);
    direction = along / unit;
    limit = largest * unit;
  }
};

/// The time is in metres.
std::optional<WorldHit> hit_by(const Ray& ray, const Shape& shape, const Eigen::Isometry3d& pose, double limit) {
  const std::optional<rays::Hit> hit = rays::first_hit(shape, pose, ray.origin, ray.direction, limit);
  if (!hit) return std::nullopt;
  return WorldHit{
      .body = {}, .time = hit->time, .point = ray.origin + hit->time * ray.direction, .normal = hit->normal};
}

void sort(std::vector<WorldHit>& hits, const std::vector<std::size_t>& numbers) {
  std::vector<std::size_t> order(hits.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t k) {
    return hits[i].time != hits[k].time ? hits[i].time < hits[k].time : numbers[i] < numbers[k];
  });
  std::vector<WorldHit> sorted;
  for (const std::size_t i : order) sorted.push_back(hits[i]);
  hits = std::move(sorted);
}

AxisBox grown(const AxisBox& box, double by) {
  return {box.min - Vector3d::Constant(by), box.max + Vector3d::Constant(by)};
}

}  // namespace

std::vector<WorldHit> World::ray(const Vector3d& origin, const Vector3d& direction, double limit,
                                 const QueryFilter& filter) const {
  const Ray ray(origin, direction, limit);
  const Asked asked(*state_, filter);
  std::vector<WorldHit> hits;
  std::vector<std::size_t> numbers;
  for (const ProxyHit& near : asked.tree().ray(ray.origin, ray.direction, ray.limit)) {
    const std::size_t i = near.proxy.index;
    if (!asked.wanted(i)) continue;
    std::optional<WorldHit> hit = hit_by(ray, asked.shape(i), asked.pose(i), ray.limit);
    if (!hit) continue;
    hit->body = asked.info(i).id;
    hits.push_back(*hit);
    numbers.push_back(i);
  }
  sort(hits, numbers);
  for (WorldHit& hit : hits) hit.time = std::min(hit.time / ray.unit, limit);
  return hits;
}

std::optional<WorldHit> World::closest_ray_hit(const Vector3d& origin, const Vector3d& direction, double limit,
                                               const QueryFilter& filter) const {
  const Ray ray(origin, direction, limit);
  const Asked asked(*state_, filter);
  std::optional<WorldHit> first;
  std::size_t number = 0;
  asked.tree().ray(ray.origin, ray.direction, ray.limit, [&](ProxyId proxy, double) {
    const std::size_t i = proxy.index;
    const double before = first ? first->time : ray.limit;
    if (!asked.wanted(i)) return before;
    std::optional<WorldHit> hit = hit_by(ray, asked.shape(i), asked.pose(i), before);
    if (!hit || (first && (hit->time > before || (hit->time == before && i > number)))) return before;
    hit->body = asked.info(i).id;
    first = hit;
    number = i;
    return hit->time;
  });
  if (first) first->time = std::min(first->time / ray.unit, limit);
  return first;
}

std::vector<WorldHit> World::cast(const Shape& shape, const ShapeMotion& motion, const CastOptions& options,
                                  const QueryFilter& filter) const {
  const Asked asked(*state_, filter);
  require(shape.kind() != ShapeKind::half_space, ErrorCode::invalid_argument,
          "cast: the shape is a half-space; expected a bounded shape");
  check_cast_options(options);
  check_pose(motion.from, "cast", "motion.from");
  check_pose(motion.to, "cast", "motion.to");
  // Whatever the turn, it stays within a ball about its origin.
  const BoundingSphere ball = shape.bounding_sphere();
  const double reach = ball.center.norm() + ball.radius + options.separation;
  const AxisBox travel = shape.is_room() ? query::bounding_box(shape, motion.from)
                                         : grown({motion.from.translation().cwiseMin(motion.to.translation()),
                                                  motion.from.translation().cwiseMax(motion.to.translation())},
                                                 reach);
  std::vector<WorldHit> hits;
  std::vector<std::size_t> numbers;
  for (const ProxyId near : asked.tree().overlapping(travel)) {
    const std::size_t i = near.index;
    if (!asked.wanted(i)) continue;
    const Eigen::Isometry3d pose = asked.pose(i);
    const CastResult r = carom::cast(shape, motion, asked.shape(i), {pose, pose}, options);
    if (!r.hit) continue;
    hits.push_back({.body = asked.info(i).id, .time = r.time, .point = r.closest.point_b, .normal = -r.closest.normal});
    numbers.push_back(i);
  }
  sort(hits, numbers);
  return hits;
}

std::vector<BodyId> World::overlapping(const Shape& shape, const Eigen::Isometry3d& pose,
                                       const QueryFilter& filter) const {
  const Asked asked(*state_, filter);
  check_pose(pose, "overlapping", "pose");
  std::vector<BodyId> found;
  for (const ProxyId near : asked.tree().overlapping(query::bounding_box(shape, pose))) {
    const std::size_t i = near.index;
    if (asked.wanted(i) && collide(shape, pose, asked.shape(i), asked.pose(i))) found.push_back(asked.info(i).id);
  }
  return found;
}

std::optional<WorldClosest> World::closest(const Shape& shape, const Eigen::Isometry3d& pose, double within,
                                           const QueryFilter& filter) const {
  require(within >= 0, ErrorCode::invalid_argument, "closest: within is {}; expected a number that is not negative",
          within);
  const Asked asked(*state_, filter);
  check_pose(pose, "closest", "pose");
  const AxisBox box = query::bounding_box(shape, pose);
  const double size = (box.max - box.min).norm();
  // Boxes that grow until the nearest body is nearer than the box is large. Of the last one everything is in it.
  double reach = std::isfinite(size) && size > 0 ? size : 1;
  for (;; reach *= 4) {
    const bool all = reach >= within || !(reach < 1e100);
    const AxisBox around = all && !(within < 1e100)
                               ? AxisBox{Vector3d::Constant(-INFINITY), Vector3d::Constant(INFINITY)}
                               : grown(box, std::min(reach, within));
    std::optional<WorldClosest> best;
    for (const ProxyId near : asked.tree().overlapping(around)) {
      const std::size_t i = near.index;
      if (!asked.wanted(i)) continue;
      const QueryResult r = distance(shape, pose, asked.shape(i), asked.pose(i));
      if (r.distance <= within && (!best || r.distance < best->closest.distance)) best = {asked.info(i).id, r};
    }
    if (all || (best && best->closest.distance <= reach)) return best;
  }
}

}  // namespace carom
