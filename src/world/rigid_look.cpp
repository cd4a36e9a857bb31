#include <algorithm>

#include "core/stage_timer.hpp"
#include "world/rigid_world.hpp"

namespace carom::rigid {
namespace {

constexpr std::size_t pair_grain = 32;

/// Both do not move by themselves: the points of the pair stay what they are.
bool idle(const Bodies& bodies, const Pair& pair) {
  return still_or_static(bodies, static_cast<std::size_t>(pair.body_a)) &&
         still_or_static(bodies, static_cast<std::size_t>(pair.body_b));
}

}  // namespace

void look(Context& context, World& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  world.looked.assign(chunk_count(s.entries.size(), pair_grain), 0);
  parallel_chunks(context.workers, s.entries.size(), pair_grain,
                  [&](std::size_t begin, std::size_t end, std::size_t chunk) {
                    for (std::size_t i = begin; i < end; ++i) {
                      Pair& pair = s.pairs[static_cast<std::size_t>(s.entries[i].pair)];
                      if (idle(s.bodies, pair)) continue;
                      const Collider& ca = s.bodies.colliders[static_cast<std::size_t>(pair.collider_a)];
                      const Collider& cb = s.bodies.colliders[static_cast<std::size_t>(pair.collider_b)];
                      const double within = reach_ahead(s.bodies, ca, cb, options);
                      const double keep = keep_share * std::min(ca.size, cb.size);
                      if (update(pair, s.bodies, world.poses, within, keep)) ++world.looked[chunk];
                    }
                  });
  std::uint64_t looked = 0;
  for (const std::uint32_t n : world.looked) looked += n;
  stats.in += s.entries.size();
  stats.add_counted("looked at", looked);
}

/// Ids for new points, and the list of pairs that have any. What is touched wakes up.
void identify(World& world, const RigidOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  const auto moves = [&](std::int32_t body, double reach) {
    const auto i = static_cast<std::size_t>(body);
    return !still_or_static(bodies, i) && fastest(bodies, i, reach) > options.sleep_speed;
  };
  const auto all_pairs = [&](auto&& visit) {
    for (const WorldState::Entry& entry : s.entries) visit(entry.pair);
    for (const MeshPair& entry : s.mesh_pairs) {
      for (const std::int32_t part : entry.parts) visit(part);
    }
  };
  all_pairs([&](std::int32_t place) {
    Pair& pair = s.pairs[static_cast<std::size_t>(place)];
    if (pair.count == 0 || idle(bodies, pair)) return;
    bool fresh = false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
      if (pair.points[i].id != 0) continue;
      pair.points[i].id = s.next_contact++;
      fresh = true;
    }
    const bool a_sleeps = bodies.asleep[static_cast<std::size_t>(pair.body_a)] != 0;
    const bool b_sleeps = bodies.asleep[static_cast<std::size_t>(pair.body_b)] != 0;
    if (!a_sleeps && !b_sleeps) return;
    const double reach_a = bodies.colliders[static_cast<std::size_t>(pair.collider_a)].reach;
    const double reach_b = bodies.colliders[static_cast<std::size_t>(pair.collider_b)].reach;
    if (fresh || moves(pair.body_a, reach_a) || moves(pair.body_b, reach_b))
      wake(s, a_sleeps ? pair.body_a : pair.body_b);
  });
  s.touching.clear();
  std::uint64_t points = 0;
  all_pairs([&](std::int32_t place) {
    const Pair& pair = s.pairs[static_cast<std::size_t>(place)];
    if (pair.count == 0 || idle(bodies, pair)) return;
    s.touching.push_back(place);
    points += static_cast<std::uint64_t>(pair.count);
  });
  stats.in += s.touching.size();
  stats.out += points;
}

}  // namespace carom::rigid
