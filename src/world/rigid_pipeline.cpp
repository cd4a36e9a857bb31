#include "world/rigid_pipeline.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "contact/motion.hpp"

namespace carom::rigid {
namespace {

bool is_dynamic(const Bodies& bodies, std::int32_t body) {
  return bodies.info[static_cast<std::size_t>(body)].motion == MotionModel::rigid;
}

bool pressed(const CachedManifold& pair) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
    if (pair.points[i].total > 0) return true;
  }
  return false;
}

}  // namespace

void wake(WorldState& state, std::int32_t body) {
  Bodies& bodies = state.bodies;
  const std::int32_t island = bodies.island[static_cast<std::size_t>(body)];
  if (island < 0) {
    bodies.time_at_rest[static_cast<std::size_t>(body)] = 0;
    return;
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.island[i] != island) continue;
    bodies.island[i] = -1;
    bodies.asleep[i] = 0;
    bodies.time_at_rest[i] = 0;
  }
}

void wake_neighbours(WorldState& s, std::int32_t body) {
  const auto visit = [&](std::int32_t place) {
    const CachedManifold& pair = s.pairs[static_cast<std::size_t>(place)];
    if (pair.count > 0 && pair.body_a == body) wake(s, pair.body_b);
    if (pair.count > 0 && pair.body_b == body) wake(s, pair.body_a);
  };
  for (const WorldState::PairRecord& entry : s.entries) visit(entry.pair);
  for (const MeshPair& entry : s.mesh_pairs) {
    for (const std::int32_t part : entry.parts) visit(part);
  }
  wake(s, body);
}

void sleep(RigidPipeline& world, const SolverOptions& options, double dt, StageStats& stats) {
  if (!options.sleep.enabled) return;
  WorldState& s = world.state;
  Bodies& bodies = s.bodies;
  const std::size_t count = bodies.size();
  world.parent.resize(count);
  world.island_time_at_rest.assign(count, INFINITY);
  world.held.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    world.parent[i] = static_cast<std::int32_t>(i);
    if (!is_dynamic(bodies, static_cast<std::int32_t>(i)) || bodies.asleep[i] != 0) continue;
    const Motion& m = bodies.motion[i];
    double reach = 0;
    for (std::int32_t k = 0; k < bodies.info[i].collider_count; ++k)
      reach = std::max(
          reach, bodies.colliders[static_cast<std::size_t>(bodies.info[i].first_collider) + static_cast<std::size_t>(k)]
                     .reach);
    // A body that is pushed out of another moves without a velocity.
    const Motion& before = world.next[i];
    const Quat turn = m.q * math::conjugate(before.q);
    const double turned = 2 * std::sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    const double speed = std::max(length(m.v) + length(m.w) * reach, (length(m.x - before.x) + turned * reach) / dt);
    bodies.time_at_rest[i] =
        speed < options.sleep.speed && bodies.info[i].sleeping_allowed ? bodies.time_at_rest[i] + dt : 0;
  }
  for (const std::int32_t p : s.active_indices) {
    const CachedManifold& pair = s.pairs[static_cast<std::size_t>(p)];
    const bool a = is_dynamic(bodies, pair.body_a);
    const bool b = is_dynamic(bodies, pair.body_b);
    const auto rests = [&](std::int32_t body) { return asleep_or_fixed(bodies, static_cast<std::size_t>(body)); };
    if (pressed(pair)) {
      if (rests(pair.body_b) || !b) world.held[static_cast<std::size_t>(pair.body_a)] = 1;
      if (rests(pair.body_a) || !a) world.held[static_cast<std::size_t>(pair.body_b)] = 1;
    }
    if (pair.opening) {
      for (const std::int32_t body : {pair.body_a, pair.body_b})
        bodies.time_at_rest[static_cast<std::size_t>(body)] = 0;
    }
    if (a && b) {
      // The smaller number is the root, whatever the order.
      const std::int32_t ra = root(world.parent, pair.body_a);
      const std::int32_t rb = root(world.parent, pair.body_b);
      world.parent[static_cast<std::size_t>(std::max(ra, rb))] = std::min(ra, rb);
    } else {
      // On something that moves by itself nothing sleeps.
      const Motion& other = bodies.motion[static_cast<std::size_t>(a ? pair.body_b : pair.body_a)];
      if (dot(other.v, other.v) + dot(other.w, other.w) > 0)
        bodies.time_at_rest[static_cast<std::size_t>(a ? pair.body_a : pair.body_b)] = 0;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (world.held[i] != 0) world.held[static_cast<std::size_t>(root(world.parent, static_cast<std::int32_t>(i)))] = 1;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_dynamic(bodies, static_cast<std::int32_t>(i)) || bodies.asleep[i] != 0) continue;
    // A body that nothing supports is in flight, however slow.
    const Motion& m = bodies.motion[i];
    if (world.held[static_cast<std::size_t>(root(world.parent, static_cast<std::int32_t>(i)))] == 0 &&
        dot(m.v, m.v) + dot(m.w, m.w) > 0)
      bodies.time_at_rest[i] = 0;
    double& smallest =
        world.island_time_at_rest[static_cast<std::size_t>(root(world.parent, static_cast<std::int32_t>(i)))];
    smallest = std::min(smallest, bodies.time_at_rest[i]);
  }
  std::uint64_t sleeping = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_dynamic(bodies, static_cast<std::int32_t>(i))) continue;
    if (bodies.asleep[i] == 0) {
      const std::int32_t r = root(world.parent, static_cast<std::int32_t>(i));
      const double still = world.island_time_at_rest[static_cast<std::size_t>(r)];
      // Not even with a sleep_after of 0 what has not been still at all.
      if (!(still > 0 && still >= options.sleep.after)) continue;
      bodies.asleep[i] = 1;
      bodies.island[i] = r;
      bodies.motion[i].v = {};
      bodies.motion[i].w = {};
    }
    ++sleeping;
  }
  stats.add_counted("asleep", sleeping);
}

void forget(RigidPipeline& world) {
  world.broad.forget();
  world.state.pairs_stale = true;
  world.ccd.inner.clear();
}

void remove(RigidPipeline& world, std::int32_t body) {
  WorldState& s = world.state;
  Bodies& bodies = s.bodies;
  wake_neighbours(s, body);
  const auto at = static_cast<std::size_t>(body);
  const std::int32_t first = bodies.info[at].first_collider;
  const std::int32_t gone = bodies.info[at].collider_count;
  std::erase_if(s.entries, [&](const WorldState::PairRecord& entry) {
    const CachedManifold& pair = s.pairs[static_cast<std::size_t>(entry.pair)];
    if (pair.body_a != body && pair.body_b != body) return false;
    s.free_pairs.push_back(entry.pair);
    std::erase(s.active_indices, entry.pair);
    return true;
  });
  std::erase_if(s.mesh_pairs, [&](const MeshPair& entry) {
    const auto of_body = [&](std::int32_t c) { return bodies.colliders[static_cast<std::size_t>(c)].body == body; };
    if (!of_body(entry.mesh) && !of_body(entry.convex)) return false;
    for (const std::int32_t part : entry.parts) {
      s.free_pairs.push_back(part);
      std::erase(s.active_indices, part);
    }
    return true;
  });
  forget(world);
  std::erase_if(s.excluded, [&](const auto& pair) { return pair[0] == body || pair[1] == body; });

  const auto erase = [&](auto& list) { list.erase(list.begin() + body); };
  erase(bodies.motion);
  erase(bodies.mass);
  erase(bodies.force);
  erase(bodies.torque);
  erase(bodies.info);
  erase(bodies.asleep);
  erase(bodies.time_at_rest);
  erase(bodies.island);
  erase(s.fat_bounds);
  erase(s.odometers);
  bodies.colliders.erase(bodies.colliders.begin() + first, bodies.colliders.begin() + first + gone);
  s.boxes.erase(s.boxes.begin() + first, s.boxes.begin() + first + gone);

  // The numbers behind it move up; the order of pairs stays.
  const auto lower_body = [&](std::int32_t& b) { b -= b > body ? 1 : 0; };
  const auto lower_collider = [&](std::int32_t& c) { c -= c > first ? gone : 0; };
  for (Collider& c : bodies.colliders) lower_body(c.body);
  for (Info& info : bodies.info) lower_collider(info.first_collider);
  for (std::int32_t& island : bodies.island) lower_body(island);
  const auto lower_pair = [&](std::int32_t place) {
    CachedManifold& pair = s.pairs[static_cast<std::size_t>(place)];
    lower_collider(pair.collider_a);
    lower_collider(pair.collider_b);
    lower_body(pair.body_a);
    lower_body(pair.body_b);
  };
  for (WorldState::PairRecord& entry : s.entries) {
    lower_collider(entry.key.a);
    lower_collider(entry.key.b);
    lower_pair(entry.pair);
  }
  for (MeshPair& entry : s.mesh_pairs) {
    lower_collider(entry.key.a);
    lower_collider(entry.key.b);
    lower_collider(entry.mesh);
    lower_collider(entry.convex);
    for (const std::int32_t part : entry.parts) lower_pair(part);
  }
  for (auto& pair : s.excluded) {
    lower_body(pair[0]);
    lower_body(pair[1]);
  }
}

void add_contacts(const WorldState& s, const SolverOptions& options, std::vector<WorldContact>& list) {
  const auto add = [&](std::int32_t place) {
    const CachedManifold& pair = s.pairs[static_cast<std::size_t>(place)];
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
      const CachedPoint& point = pair.points[i];
      if (point.id == 0) continue;  // not seen by a step yet
      WorldContact& c = list.emplace_back();
      c.id = point.id;
      c.age = point.age;
      c.body_a = s.bodies.info[static_cast<std::size_t>(pair.body_a)].id;
      c.body_b = s.bodies.info[static_cast<std::size_t>(pair.body_b)].id;
      c.normal = math::to_eigen(pair.normal);
      c.distance = point.distance;
      c.point_a = math::to_eigen(point.middle) - 0.5 * point.distance * c.normal;
      c.point_b = math::to_eigen(point.middle) + 0.5 * point.distance * c.normal;
      c.normal_speed = point.speed;
      c.motion = contact::motion_of(point.speed, options.resting_speed);
      c.impulse = point.total;
    }
  };
  for (const WorldState::PairRecord& entry : s.entries) add(entry.pair);
  for (const MeshPair& entry : s.mesh_pairs) {
    for (const std::int32_t part : entry.parts) add(part);
  }
}

std::uint64_t hash(const WorldState& state, std::uint64_t seed) {
  const auto mix = [&](double value) { seed = (seed ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3ULL; };
  const auto mix_vector = [&](const Vec3& v) {
    mix(v.x);
    mix(v.y);
    mix(v.z);
  };
  for (const Motion& m : state.bodies.motion) {
    mix_vector(m.x);
    mix(m.q.w);
    mix(m.q.x);
    mix(m.q.y);
    mix(m.q.z);
    mix_vector(m.v);
    mix_vector(m.w);
  }
  return seed;
}

}  // namespace carom::rigid
