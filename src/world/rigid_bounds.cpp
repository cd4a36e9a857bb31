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
  if (collider.mesh != nullptr) {
    const shapes::BoxVolume& root = collider.mesh->tree.boxes[0];
    const Eigen::Vector3d middle = pose * detail::to_eigen(root.center);
    const Eigen::Vector3d half =
        pose.linear().cwiseAbs() * detail::to_eigen(root.half) + Eigen::Vector3d::Constant(collider.margin + margin);
    return {detail::to_vec3(middle - half), detail::to_vec3(middle + half)};
  }
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

Box swept(const Box& box, const Vec3& way) {
  const Vec3 zero;
  return {box.low + detail::lower(way, zero), box.high + detail::higher(way, zero)};
}

}  // namespace

bool WorldState::Boxed::holds(const Vec3& place, const Quat& turn, double reach, double least) const {
  const double squared = dot(sweep, sweep);
  const double along = squared > 0 ? std::clamp(dot(place - x, sweep) / squared, 0.0, 1.0) : 0;
  const Quat t = detail::conjugate(q) * turn;
  const double moved = length(place - x - along * sweep) + 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z) * reach;
  return moved + least <= margin;
}

void bound(Context& context, World& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  world.left_box.assign(bodies.colliders.size(), 0);
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
    // What goes farther than that must have its whole way in the box, see limit_motion().
    const Vec3 way = options.dt * world.free[i].v;
    const bool far = length(way) > ahead_share * size;
    if (boxed.margin >= 0 && boxed.holds(m.x, m.q, reach, least) && (!far || boxed.holds(m.x + way, m.q, reach, least)))
      return;
    const bool fixed = info.kind == RigidKind::static_body;
    boxed = {m.x, m.q, far ? way : Vec3{}, fixed ? least : least + box_share * size};
    for (std::int32_t k = 0; k < info.collider_count; ++k) {
      const auto c = static_cast<std::size_t>(info.first_collider) + static_cast<std::size_t>(k);
      s.boxes[c] = swept(box_of(bodies.colliders[c], world.poses.shape[c], boxed.margin), boxed.sweep);
      world.left_box[c] = 1;
    }
  });
  std::uint64_t left = 0;
  for (const std::uint8_t l : world.left_box) left += l;
  stats.in += bodies.size();
  stats.out += bodies.size();
  stats.add_counted("new boxes", left);
}

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

namespace {

/// Both lists are sorted: what is in both stays as it is, the rest is made, or dropped.
template <class Entry, class Make, class Drop>
void merge(std::vector<Entry>& entries, const ColliderPair& key, std::size_t& old, std::vector<Entry>& next,
           const Make& make, const Drop& drop) {
  while (old < entries.size() && entries[old].key < key) drop(entries[old++]);
  if (old < entries.size() && entries[old].key == key) {
    next.push_back(std::move(entries[old++]));
  } else {
    next.push_back(make(key));
  }
}

}  // namespace

std::int32_t new_place(WorldState& s) {
  if (s.free_pairs.empty()) {
    s.pairs.emplace_back();
    return static_cast<std::int32_t>(s.pairs.size()) - 1;
  }
  const std::int32_t place = s.free_pairs.back();
  s.free_pairs.pop_back();
  return place;
}

Pair new_pair(const Bodies& bodies, std::int32_t collider_a, std::int32_t collider_b) {
  Pair pair;
  pair.collider_a = collider_a;
  pair.collider_b = collider_b;
  pair.body_a = bodies.colliders[static_cast<std::size_t>(collider_a)].body;
  pair.body_b = bodies.colliders[static_cast<std::size_t>(collider_b)].body;
  const Info& a = bodies.info[static_cast<std::size_t>(pair.body_a)];
  const Info& b = bodies.info[static_cast<std::size_t>(pair.body_b)];
  pair.friction = static_cast<float>(std::sqrt(a.friction * b.friction));
  pair.restitution = static_cast<float>(std::max(a.restitution, b.restitution));
  return pair;
}

void find_pairs(World& world, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  if (world.broad.update(s.boxes, world.left_box) || s.pairs_stale) {
    const auto is_mesh = [&](std::int32_t c) { return bodies.colliders[static_cast<std::size_t>(c)].mesh != nullptr; };
    const auto make = [&](const ColliderPair& key) {
      const std::int32_t place = new_place(s);
      s.pairs[static_cast<std::size_t>(place)] = new_pair(bodies, key.a, key.b);
      return WorldState::Entry{key, place};
    };
    const auto drop = [&](const WorldState::Entry& entry) { s.free_pairs.push_back(entry.pair); };
    const auto make_mesh = [&](const ColliderPair& key) {
      const bool first = is_mesh(key.a);
      MeshPair entry;
      entry.key = key;
      entry.mesh = first ? key.a : key.b;
      entry.convex = first ? key.b : key.a;
      return entry;
    };
    const auto drop_mesh = [&](const MeshPair& entry) {
      for (const std::int32_t part : entry.parts) s.free_pairs.push_back(part);
    };
    world.next_entries.clear();
    world.next_mesh_pairs.clear();
    std::size_t old = 0;
    std::size_t old_mesh = 0;
    for (const ProxyPair& pair : world.broad.pairs()) {
      const ColliderPair key{static_cast<std::int32_t>(pair.a), static_cast<std::int32_t>(pair.b)};
      if (!may_touch(s, key.a, key.b)) continue;
      if (is_mesh(key.a) || is_mesh(key.b)) {
        merge(s.mesh_pairs, key, old_mesh, world.next_mesh_pairs, make_mesh, drop_mesh);
      } else {
        merge(s.entries, key, old, world.next_entries, make, drop);
      }
    }
    while (old < s.entries.size()) drop(s.entries[old++]);
    while (old_mesh < s.mesh_pairs.size()) drop_mesh(s.mesh_pairs[old_mesh++]);
    std::swap(s.entries, world.next_entries);
    std::swap(s.mesh_pairs, world.next_mesh_pairs);
    s.pairs_stale = false;
    stats.add_counted("changes", 1);
  }
  stats.in += bodies.colliders.size();
  stats.out += s.entries.size() + s.mesh_pairs.size();
}

}  // namespace carom::rigid
