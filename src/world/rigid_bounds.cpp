#include <algorithm>
#include <cmath>

#include "core/stage_timer.hpp"
#include "shapes/support.hpp"
#include "world/rigid_world.hpp"

namespace carom::rigid {
namespace {

constexpr std::size_t body_grain = 256;

/// Of the size of a body: how much larger its box is than it.
constexpr double box_share = 0.1;

Box box_of(const Collider& collider, const Eigen::Isometry3d& pose, double margin) {
  if (collider.core->kind == shapes::CoreKind::half_space)
    return {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  const double* m = pose.matrix().data();
  const double grow = collider.core->radius + margin;
  double low[3];
  double high[3];
  for (int k = 0; k < 3; ++k) {
    const Vec3 d{m[k], m[4 + k], m[8 + k]};
    low[k] = m[12 + k] + dot(d, shapes::support(*collider.core, -d).p) - grow;
    high[k] = m[12 + k] + dot(d, shapes::support(*collider.core, d).p) + grow;
  }
  return {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

}  // namespace

void bound(Context& context, World& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  world.left_box.assign(bodies.size(), 0);
  parallel_for(context.workers, bodies.size(), body_grain, [&](std::size_t i) {
    WorldState::Boxed& boxed = s.boxed[i];
    const Motion& m = bodies.motion[i];
    const Info& info = bodies.info[i];
    double reach = 0;
    double size = 0;
    for (std::int32_t k = 0; k < info.collider_count; ++k) {
      const Collider& c = bodies.colliders[static_cast<std::size_t>(info.first_collider) + static_cast<std::size_t>(k)];
      reach = std::max(reach, c.reach);
      size = std::max(size, c.size);
    }
    if (boxed.margin >= 0 && (still_or_static(bodies, i) || reach == INFINITY)) return;
    // No pair looks farther ahead than this, see look().
    const double ahead = std::min(fastest(bodies, i, reach) * options.dt, ahead_share * size);
    const double least = 0.5 * options.rigid.speculative_distance + ahead;
    if (boxed.margin >= 0) {
      const Quat t = detail::conjugate(boxed.q) * m.q;
      const double moved = length(m.x - boxed.x) + 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z) * reach;
      if (moved + least <= boxed.margin) return;
    }
    const bool fixed = info.kind == RigidKind::static_body;
    boxed = {m.x, m.q, fixed ? least : least + box_share * size};
    for (std::int32_t k = 0; k < info.collider_count; ++k) {
      const auto c = static_cast<std::size_t>(info.first_collider) + static_cast<std::size_t>(k);
      s.boxes[c] = box_of(bodies.colliders[c], world.poses.shape[c], boxed.margin);
    }
    world.left_box[i] = 1;
  });
  std::uint64_t left = 0;
  for (const std::uint8_t l : world.left_box) left += l;
  if (left > 0) s.pairs_stale = true;
  stats.in += bodies.size();
  stats.out += bodies.size();
  stats.add_counted("new boxes", left);
}

namespace {

bool may_touch(const WorldState& s, std::int32_t ca, std::int32_t cb) {
  const Bodies& bodies = s.bodies;
  std::int32_t a = bodies.colliders[static_cast<std::size_t>(ca)].body;
  std::int32_t b = bodies.colliders[static_cast<std::size_t>(cb)].body;
  if (a == b) return false;
  const Info& ia = bodies.info[static_cast<std::size_t>(a)];
  const Info& ib = bodies.info[static_cast<std::size_t>(b)];
  if (ia.kind != RigidKind::dynamic && ib.kind != RigidKind::dynamic) return false;
  if ((ia.group & ib.mask) == 0 || (ib.group & ia.mask) == 0) return false;
  if (s.excluded.empty()) return true;
  if (a > b) std::swap(a, b);
  return !std::binary_search(s.excluded.begin(), s.excluded.end(), std::array<std::int32_t, 2>{a, b});
}

Pair new_pair(const WorldState& s, const ColliderPair& key) {
  Pair pair;
  pair.collider_a = key.a;
  pair.collider_b = key.b;
  pair.body_a = s.bodies.colliders[static_cast<std::size_t>(key.a)].body;
  pair.body_b = s.bodies.colliders[static_cast<std::size_t>(key.b)].body;
  const Info& a = s.bodies.info[static_cast<std::size_t>(pair.body_a)];
  const Info& b = s.bodies.info[static_cast<std::size_t>(pair.body_b)];
  pair.friction = static_cast<float>(std::sqrt(a.friction * b.friction));
  pair.restitution = static_cast<float>(std::max(a.restitution, b.restitution));
  return pair;
}

}  // namespace

void find_pairs(World& world, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  if (s.pairs_stale) {
    overlapping_pairs(s.boxes, world.broad, world.found,
                      [&](std::int32_t a, std::int32_t b) { return may_touch(s, a, b); });
    // Both lists are sorted: what is in both stays where it is.
    world.next_entries.clear();
    std::size_t old = 0;
    const auto drop = [&] { s.free_pairs.push_back(s.entries[old++].pair); };
    for (const ColliderPair& key : world.found) {
      while (old < s.entries.size() && s.entries[old].key < key) drop();
      if (old < s.entries.size() && s.entries[old].key == key) {
        world.next_entries.push_back(s.entries[old++]);
        continue;
      }
      std::int32_t place;
      if (s.free_pairs.empty()) {
        place = static_cast<std::int32_t>(s.pairs.size());
        s.pairs.emplace_back();
      } else {
        place = s.free_pairs.back();
        s.free_pairs.pop_back();
      }
      s.pairs[static_cast<std::size_t>(place)] = new_pair(s, key);
      world.next_entries.push_back({key, place});
    }
    while (old < s.entries.size()) drop();
    std::swap(s.entries, world.next_entries);
    s.pairs_stale = false;
    stats.add_counted("sweeps", 1);
  }
  stats.in += s.bodies.colliders.size();
  stats.out += s.entries.size();
}

}  // namespace carom::rigid
