#include "island/sleep.hpp"

#include <algorithm>
#include <cmath>

#include "bodies/sleeping.hpp"

namespace carom::island {
namespace {

using rigid::Bodies;
using rigid::Motion;

bool pressed(const contact::CachedManifold& pair) {
  return std::any_of(pair.points.begin(), pair.points.begin() + pair.count,
                     [](const contact::CachedPoint& point) { return point.total > 0; });
}

/// Speed that no point of a body exceeded in the step, m/s. A body that is pushed out of another moves without a
/// velocity.
double fastest_point(const SleepIn& in, const Bodies& bodies, BodySlot i) {
  if (bodies.info[i].deforms) return in.vertex_speeds[i];
  const Motion& m = bodies.motion[i];
  const Motion& before = in.before[i];
  const double reach = bodies.info[i].reach;
  const math::Quat turn = m.q * math::conjugate(before.q);
  const double chord = 2 * std::sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
  return std::max(length(m.v) + length(m.w) * reach, (length(m.x - before.x) + chord * reach) / in.dt);
}

bool moves_at_all(const SleepIn& in, const Bodies& bodies, BodySlot i) {
  const Motion& m = bodies.motion[i];
  return dot(m.v, m.v) + dot(m.w, m.w) > 0 || in.vertex_speeds[i] > 0;
}

/// Bodies that touch a body which contacts cannot move rest on it, or are kept awake by its motion.
class Supports {
 public:
  Supports(const SleepIn& in, Bodies& bodies, BySlot<std::uint8_t>& supported)
      : in_(in), bodies_(bodies), supported_(supported) {}

  void touch(BodySlot a, BodySlot b, bool is_pressed) {
    touch_one(a, b, is_pressed);
    touch_one(b, a, is_pressed);
  }

 private:
  void touch_one(BodySlot body, BodySlot by, bool is_pressed) {
    if (!movable(bodies_, body) || movable(bodies_, by)) return;
    if (is_pressed) supported_[in_.islands.root(body)] = 1;
    if (moves_at_all(in_, bodies_, by)) bodies_.time_at_rest[body] = 0;
  }

  const SleepIn& in_;
  Bodies& bodies_;
  BySlot<std::uint8_t>& supported_;
};

}  // namespace

void update_sleep(const SleepIn& in, Bodies& bodies, SleepScratch& scratch, std::vector<BodySlot>& fallen,
                  StageStats& stats) {
  fallen.clear();
  if (!in.options.enabled) return;
  scratch.supported.assign(bodies.size(), 0);
  scratch.time_at_rest.assign(bodies.size(), INFINITY);
  for (const BodySlot i : bodies.slots()) {
    if (!movable(bodies, i)) continue;
    const bool slow = fastest_point(in, bodies, i) < in.options.speed && bodies.info[i].sleeping_allowed;
    bodies.time_at_rest[i] = slow ? bodies.time_at_rest[i] + in.dt : 0;
    if (bodies.info[i].pinned) scratch.supported[in.islands.root(i)] = 1;
  }
  Supports supports(in, bodies, scratch.supported);
  for (const ManifoldIndex place : in.pairs.active_indices) {
    const contact::CachedManifold& pair = in.pairs.manifolds[place];
    supports.touch(pair.body_a, pair.body_b, pressed(pair));
    if (!pair.opening) continue;
    for (const BodySlot body : {pair.body_a, pair.body_b}) bodies.time_at_rest[body] = 0;
  }
  for (std::size_t k = 0; k < in.anchor_touches.size(); ++k)
    supports.touch(in.anchor_touches[k].a, in.anchor_touches[k].b, in.anchors.contacts[k].total > 0);

  for (const BodySlot i : bodies.slots()) {
    if (!movable(bodies, i)) continue;
    // A body that nothing supports is in flight, however slow.
    const BodySlot r = in.islands.root(i);
    if (scratch.supported[r] == 0 && moves_at_all(in, bodies, i)) bodies.time_at_rest[i] = 0;
    scratch.time_at_rest[r] = std::min(scratch.time_at_rest[r], bodies.time_at_rest[i]);
  }
  for (const BodySlot i : bodies.slots()) {
    if (!movable(bodies, i)) continue;
    const BodySlot r = in.islands.root(i);
    const double rested = scratch.time_at_rest[r];
    // Not even with options.after = 0 does a body sleep that has not been at rest at all.
    if (rested > 0 && rested >= in.options.after) fallen.push_back(i);
  }
  for (const BodySlot body : fallen) rigid::fall_asleep(bodies, body, in.islands.root(body));
  stats.add_counted("asleep", static_cast<std::uint64_t>(std::count(bodies.asleep.begin(), bodies.asleep.end(), 1)));
}

}  // namespace carom::island
