#include "contact/cached_manifold.hpp"

#include <algorithm>
#include <cmath>

namespace carom::contact {
namespace {

/// The smaller body as seen from the larger one.
struct Relative {
  Vec3 place;
  Quat turn;
  double reach;  ///< m, reach of the one that is seen
};

Relative relative(const CachedManifold& pair, const Bodies& bodies, const Poses& poses) {
  const Collider& ca = bodies.colliders[pair.collider_a];
  const Collider& cb = bodies.colliders[pair.collider_b];
  const bool from_a = ca.reach >= cb.reach;
  const BodySlot seen_from = from_a ? pair.body_a : pair.body_b;
  const Motion& from = bodies.motion[seen_from];
  const Motion& to = bodies.motion[from_a ? pair.body_b : pair.body_a];
  return {poses.rotation[seen_from].back(to.x - from.x), math::conjugate(from.q) * to.q, from_a ? cb.reach : ca.reach};
}

double moved(const Relative& now, const CachedManifold& pair) {
  const Vec3 d = now.place - pair.cached_offset;
  const Quat t = math::conjugate(pair.cached_rotation) * now.turn;
  // A point at distance r from the axis moves by 2 sin(angle / 2) r.
  const double chord = 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
  return std::sqrt(dot(d, d)) + chord * now.reach;
}

void store_points(CachedManifold& pair, const Motion& a, const Mat3& ra, const Motion& b, const Mat3& rb) {
  pair.local_normal = ra.back(pair.normal);
  for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
    CachedPoint& p = pair.points[i];
    const Vec3 half = (0.5 * p.distance) * pair.normal;
    p.local_a = ra.back(p.middle - half - a.x);
    p.local_b = rb.back(p.middle + half - b.x);
  }
}

void move_along(CachedManifold& pair, const Motion& a, const Mat3& ra, const Motion& b, const Mat3& rb) {
  pair.normal = ra * pair.local_normal;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
    CachedPoint& p = pair.points[i];
    const Vec3 pa = ra * p.local_a + a.x;
    const Vec3 pb = rb * p.local_b + b.x;
    p.distance = dot(pair.normal, pb - pa);
    p.middle = 0.5 * (pa + pb);
  }
}

/// Distance up to which a point of other features is matched with a cached one, as a fraction of the size of the
/// smaller body.
constexpr double same_place = 0.05;

/// The points of the patch, with what the old ones of the same features had, or else those of the same place: a corner
/// that goes from one face of the other body to the next is named again, but carries what it did. Its spring begins
/// again, though: loads that were learned for long and then moved elsewhere keep a heap in motion.
void take(const convex::ConvexManifold& patch, double size, CachedManifold& pair) {
  const std::array<CachedPoint, convex::max_manifold_points> old = pair.points;
  const auto old_count = static_cast<std::size_t>(pair.count);
  const auto count = static_cast<std::size_t>(patch.count);
  bool used[convex::max_manifold_points] = {};
  const auto continues = [&](CachedPoint& p, std::size_t k) {
    used[k] = true;
    p.id = old[k].id;
    p.age = old[k].age + 1;
    p.impulse = old[k].impulse;
    p.learned_load = old[k].learned_load;
  };
  pair.count = patch.count;
  for (std::size_t i = 0; i < count; ++i) {
    CachedPoint& p = pair.points[i] = {};
    p.middle = patch.points[i].middle;
    p.distance = patch.points[i].distance;
    p.feature = patch.points[i].feature;
    for (std::size_t k = 0; k < old_count; ++k) {
      if (used[k] || old[k].feature != p.feature) continue;
      continues(p, k);
      break;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    CachedPoint& p = pair.points[i];
    if (p.id != 0) continue;
    double nearest = same_place * size * (same_place * size);
    std::size_t best = old_count;
    for (std::size_t k = 0; k < old_count; ++k) {
      const Vec3 d = old[k].middle - p.middle;
      if (used[k] || !(dot(d, d) < nearest)) continue;
      nearest = dot(d, d);
      best = k;
    }
    if (best == old_count) continue;
    continues(p, best);
  }
  // New points take over the load of those that are gone: the bodies are where they were.
  float lost = 0;
  float lost_learned_load = 0;
  for (std::size_t k = 0; k < old_count; ++k) {
    if (used[k]) continue;
    lost += old[k].impulse;
    lost_learned_load += old[k].learned_load;
  }
  int fresh = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) fresh += pair.points[i].id == 0 ? 1 : 0;
  if (fresh == 0 || !(lost > 0)) return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
    if (pair.points[i].id != 0) continue;
    pair.points[i].impulse = lost / static_cast<float>(fresh);
    pair.points[i].learned_load = lost_learned_load / static_cast<float>(fresh);
  }
}

}  // namespace

Reuse try_reuse(CachedManifold& pair, const Bodies& bodies, const Poses& poses, double within, double tolerance) {
  if (!pair.valid) return {};
  const double distance = moved(relative(pair, bodies, poses), pair);
  // Nothing was near, and cannot have come near since.
  if (pair.count == 0) return {pair.cached_distance - distance > within, pair.cached_distance - distance};
  if (!(distance <= tolerance)) return {};
  advance_points(pair, bodies, poses);
  return {true, 0};
}

void update_manifold(CachedManifold& pair, const Bodies& bodies, const Poses& poses, double within) {
  const BodySlot a = pair.body_a;
  const BodySlot b = pair.body_b;
  const Relative now = relative(pair, bodies, poses);
  convex::ConvexManifold found;
  const ColliderIndex ca = pair.collider_a;
  const ColliderIndex cb = pair.collider_b;
  convex::find_manifold(*bodies.colliders[ca].core, poses.shape(bodies, ca), *bodies.colliders[cb].core,
                        poses.shape(bodies, cb), within, pair.cache, found);
  pair.valid = true;
  pair.cached_offset = now.place;
  pair.cached_rotation = now.turn;
  pair.cached_distance = found.distance;
  if (found.count == 0) {
    pair.count = 0;
    pair.friction_impulse = {};
    pair.torsion_impulse = 0;
    pair.stored = 0;
    pair.opening = false;
    return;
  }
  pair.normal = found.normal;
  take(found, std::min(bodies.colliders[ca].size, bodies.colliders[cb].size), pair);
  store_points(pair, bodies.motion[a], poses.rotation[a], bodies.motion[b], poses.rotation[b]);
}

void store_local_points(CachedManifold& pair, const Bodies& bodies, const Poses& poses) {
  const BodySlot a = pair.body_a;
  const BodySlot b = pair.body_b;
  store_points(pair, bodies.motion[a], poses.rotation[a], bodies.motion[b], poses.rotation[b]);
}

void advance_points(CachedManifold& pair, const Bodies& bodies, const Poses& poses) {
  const BodySlot a = pair.body_a;
  const BodySlot b = pair.body_b;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) ++pair.points[i].age;
  move_along(pair, bodies.motion[a], poses.rotation[a], bodies.motion[b], poses.rotation[b]);
}

}  // namespace carom::contact
