#include <algorithm>
#include <cmath>

#include "core/stage_timer.hpp"
#include "world/rigid_world.hpp"

namespace carom::rigid {
namespace {

constexpr std::size_t body_grain = 256;
constexpr std::size_t pair_grain = 64;
/// So many pairs ahead their data is asked for: there are too many for a cache.
constexpr std::size_t early = 6;

/// Neither moves by itself: the points of the pair stay what they are.
bool idle(const World& world, const WorldState::Entry& entry) {
  const auto still = [&](std::int32_t c) {
    const World::Watch& w = world.watch[static_cast<std::size_t>(c)];
    return w.fixed || world.state.bodies.asleep[static_cast<std::size_t>(w.body)] != 0;
  };
  return still(entry.key.a) && still(entry.key.b);
}

bool far_apart(const World& world, const WorldState::Entry& entry) {
  return world.watch[static_cast<std::size_t>(entry.key.a)].ahead +
             world.watch[static_cast<std::size_t>(entry.key.b)].ahead <
         entry.apart_until;
}

/// Travels go on by what bodies have moved since the last step, for whatever reason.
void follow(Context& context, World& world, double dt) {
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  world.watch.resize(bodies.colliders.size());
  parallel_for(context.workers, bodies.size(), body_grain, [&](std::size_t i) {
    const Motion& m = bodies.motion[i];
    const Info& info = bodies.info[i];
    WorldState::Track& track = s.tracks[i];
    const auto first = static_cast<std::size_t>(info.first_collider);
    const std::size_t end = first + static_cast<std::size_t>(info.collider_count);
    double reach = 0;
    for (std::size_t c = first; c < end; ++c) reach = std::max(reach, bodies.colliders[c].reach);
    const Quat t = detail::conjugate(track.q) * m.q;
    const double chord = 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
    // Half-spaces reach without end, which is no matter while they do not turn.
    track.travel += length(m.x - track.x) + (chord > 0 ? chord * reach : 0.0);
    track.x = m.x;
    track.q = m.q;
    const bool fixed = info.kind == RigidKind::static_body;
    for (std::size_t c = first; c < end; ++c) {
      const double speed = fixed || bodies.asleep[i] != 0 ? 0 : fastest(bodies, i, bodies.colliders[c].reach);
      world.watch[c] = {track.travel, track.travel + speed * dt, static_cast<std::int32_t>(i), fixed};
    }
  });
}

bool look_at_entry(World& world, const StepOptions& options, WorldState::Entry& entry) {
  WorldState& s = world.state;
  const Collider& ca = s.bodies.colliders[static_cast<std::size_t>(entry.key.a)];
  const Collider& cb = s.bodies.colliders[static_cast<std::size_t>(entry.key.b)];
  const double size = std::min(ca.size, cb.size);
  Pair& pair = s.pairs[static_cast<std::size_t>(entry.pair)];
  const Updated updated =
      update(pair, s.bodies, world.poses, reach_ahead(s.bodies, ca, cb, options), keep_share * size);
  entry.count = static_cast<std::uint8_t>(pair.count);
  entry.apart_until = -INFINITY;
  if (pair.count == 0) {
    entry.fresh = false;
    entry.apart_until = world.watch[static_cast<std::size_t>(entry.key.a)].travel +
                        world.watch[static_cast<std::size_t>(entry.key.b)].travel + updated.apart -
                        base_reach(size, options);
  } else if (updated.looked) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i)
      entry.fresh = entry.fresh || pair.points[i].id == 0;
  }
  return updated.looked;
}

}  // namespace

void look(Context& context, World& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  follow(context, world, options.dt);
  world.looked.assign(chunk_count(s.entries.size(), pair_grain), 0);
  parallel_chunks(context.workers, s.entries.size(), pair_grain,
                  [&](std::size_t begin, std::size_t end, std::size_t chunk) {
                    std::array<std::uint32_t, pair_grain> near;
                    std::size_t count = 0;
                    for (std::size_t i = begin; i < end; ++i) {
                      if (!far_apart(world, s.entries[i]) && !idle(world, s.entries[i]))
                        near[count++] = static_cast<std::uint32_t>(i);
                    }
                    for (std::size_t k = 0; k < count + early; ++k) {
                      if (k < count) {
                        const WorldState::Entry& entry = s.entries[near[k]];
                        ask_for(s.pairs[static_cast<std::size_t>(entry.pair)], entry.count);
                      }
                      if (k >= early && look_at_entry(world, options, s.entries[near[k - early]]))
                        ++world.looked[chunk];
                    }
                  });
  std::uint64_t looked = 0;
  for (const std::uint32_t n : world.looked) looked += n;
  stats.in += s.entries.size();
  stats.add_counted("looked at", looked);
}

namespace {

/// Gives ids to the points of a pair that have none; true if there were any.
bool name_points(World& world, Pair& pair) {
  bool fresh = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
    if (pair.points[i].id != 0) continue;
    pair.points[i].id = world.state.next_contact++;
    ++world.fresh_points;
    fresh = true;
  }
  return fresh;
}

/// A body that sleeps wakes up if it is touched anew, or by what moves.
void wake_by_touch(World& world, const RigidOptions& options, const Pair& pair, bool fresh) {
  const Bodies& bodies = world.state.bodies;
  const bool a_sleeps = bodies.asleep[static_cast<std::size_t>(pair.body_a)] != 0;
  const bool b_sleeps = bodies.asleep[static_cast<std::size_t>(pair.body_b)] != 0;
  if (!a_sleeps && !b_sleeps) return;
  const auto moves = [&](std::int32_t body, std::int32_t collider) {
    const auto i = static_cast<std::size_t>(body);
    return !still_or_static(bodies, i) &&
           fastest(bodies, i, bodies.colliders[static_cast<std::size_t>(collider)].reach) > options.sleep_speed;
  };
  if (fresh || moves(pair.body_a, pair.collider_a) || moves(pair.body_b, pair.collider_b))
    wake(world.state, a_sleeps ? pair.body_a : pair.body_b);
}

bool idle(const Bodies& bodies, const Pair& pair) {
  return still_or_static(bodies, static_cast<std::size_t>(pair.body_a)) &&
         still_or_static(bodies, static_cast<std::size_t>(pair.body_b));
}

}  // namespace

/// Ids for new points, and the list of pairs that have any. What is touched wakes up.
void identify(World& world, const RigidOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  const auto sleeps = [&](std::int32_t c) {
    return bodies.asleep[static_cast<std::size_t>(world.watch[static_cast<std::size_t>(c)].body)] != 0;
  };
  const auto parts = [&](auto&& visit) {
    for (const MeshPair& entry : s.mesh_pairs) {
      for (const std::int32_t part : entry.parts) {
        Pair& pair = s.pairs[static_cast<std::size_t>(part)];
        if (pair.count > 0 && !idle(bodies, pair)) visit(part, pair);
      }
    }
  };
  world.fresh_points = 0;
  for (WorldState::Entry& entry : s.entries) {
    if (entry.count == 0 || idle(world, entry)) continue;
    if (!entry.fresh && !sleeps(entry.key.a) && !sleeps(entry.key.b)) continue;
    Pair& pair = s.pairs[static_cast<std::size_t>(entry.pair)];
    const bool fresh = entry.fresh && name_points(world, pair);
    entry.fresh = false;
    wake_by_touch(world, options, pair, fresh);
  }
  parts([&](std::int32_t, Pair& pair) { wake_by_touch(world, options, pair, name_points(world, pair)); });

  s.touching.clear();
  world.touches.clear();
  std::uint64_t points = 0;
  const auto add = [&](std::int32_t place, std::int32_t a, std::int32_t b, std::int32_t count) {
    s.touching.push_back(place);
    world.touches.push_back({place, a, b, count});
    points += static_cast<std::uint64_t>(count);
  };
  for (const WorldState::Entry& entry : s.entries) {
    if (entry.count == 0 || idle(world, entry)) continue;
    add(entry.pair, world.watch[static_cast<std::size_t>(entry.key.a)].body,
        world.watch[static_cast<std::size_t>(entry.key.b)].body, entry.count);
  }
  parts([&](std::int32_t place, const Pair& pair) { add(place, pair.body_a, pair.body_b, pair.count); });
  stats.in += s.touching.size();
  stats.out += points;
}

}  // namespace carom::rigid
