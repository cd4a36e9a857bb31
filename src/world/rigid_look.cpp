#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>

#include "core/stage_timer.hpp"
#include "world/rigid_world.hpp"

namespace carom::rigid {
namespace {

constexpr std::size_t pair_grain = 128;
constexpr std::size_t touch_grain = 1024;  ///< where only the entries of pairs are read
/// So many pairs ahead their data is asked for: there are too many for a cache.
constexpr std::size_t early = 6;
/// The same of looks and the lists of their hulls; and once more, where these lists are.
constexpr std::size_t early_hulls = 2;

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

void note_apart(const World& world, const StepOptions& options, double size, double distance,
                WorldState::Entry& entry) {
  entry.count = 0;
  entry.fresh = false;
  entry.deep = false;
  entry.apart_until = world.watch[static_cast<std::size_t>(entry.key.a)].travel +
                      world.watch[static_cast<std::size_t>(entry.key.b)].travel + distance - base_reach(size, options);
}

/// Entries of a chunk, in rounds: those that matter, of these the ones that must be looked at, and the looks.
/// Each round has fetched what the next one reads.
class Chunk {
 public:
  Chunk(World& world, const StepOptions& options) : world_(world), s_(world.state), options_(options) {}

  World::Looked run(std::size_t begin, std::size_t end) {
    count_ = 0;
    for (std::size_t i = begin; i < end; ++i) {
      WorldState::Entry& entry = entry_at(i);
      if (!far_apart(world_, entry) && !idle(world_, entry)) list_[count_++] = &entry;
    }
    each_fetched([&](const WorldState::Entry& entry) { ask_for_balls(entry); },
                 [&](WorldState::Entry& entry) { return !balls_apart(entry); });
    each_fetched([&](const WorldState::Entry& entry) { ask_for(pair_of(entry), entry.count); },
                 [&](WorldState::Entry& entry) {
                   if (keeps(entry)) return false;
                   for (const std::int32_t c : {entry.key.a, entry.key.b}) ask_for_core(c);
                   return true;
                 });
    // A look reads some kilobytes of each hull. Those of the whole chunk would be too many at once.
    for (std::size_t k = 0; k < count_ + 2 * early_hulls; ++k) {
      if (k < count_) ask_for_hulls(*list_[k], [](const shapes::HullData& h) { fetch(&h, &h + 1); });
      if (k >= early_hulls && k - early_hulls < count_) ask_for_lists(*list_[k - early_hulls]);
      if (k >= 2 * early_hulls) look_at(*list_[k - 2 * early_hulls]);
    }
    World::Looked looked{.looks = static_cast<std::uint32_t>(count_)};
    for (std::size_t i = begin; i < end; ++i) {
      looked.apart += entry_at(i).count == 0 ? 1 : 0;
      looked.deep += entry_at(i).deep ? 1 : 0;
    }
    return looked;
  }

 private:
  WorldState::Entry& entry_at(std::size_t i) const { return s_.entries[world_.look_order.places()[i]]; }
  Pair& pair_of(const WorldState::Entry& entry) const { return s_.pairs[static_cast<std::size_t>(entry.pair)]; }
  const Collider& collider(std::int32_t c) const { return s_.bodies.colliders[static_cast<std::size_t>(c)]; }
  void ask_for_balls(const WorldState::Entry& entry) const {
    if (entry.count > 0) return;
    for (const std::int32_t c : {entry.key.a, entry.key.b}) {
      fetch(&collider(c).reach, &collider(c).inner);
      const Motion& m = s_.bodies.motion[static_cast<std::size_t>(world_.watch[static_cast<std::size_t>(c)].body)];
      fetch(&m, &m + 1);
    }
  }
  void ask_for_core(std::int32_t c) const { fetch(collider(c).core, collider(c).core + 1); }
  template <class Ask>
  void ask_for_hulls(const WorldState::Entry& entry, const Ask& ask) const {
    for (const std::int32_t c : {entry.key.a, entry.key.b}) {
      if (const shapes::HullData* hull = collider(c).core->hull; hull != nullptr) ask(*hull);
    }
  }
  void ask_for_lists(const WorldState::Entry& entry) const {
    const bool overlaps = pair_of(entry).gap < 0;
    ask_for_hulls(entry, [&](const shapes::HullData& h) {
      shapes::ask_for_corners(h);
      if (entry.count > 0) shapes::ask_for_faces(h);
      if (entry.count > 0 && overlaps) shapes::ask_for_fan(h);
    });
  }
  double size_of(const WorldState::Entry& entry) const {
    return std::min(collider(entry.key.a).size, collider(entry.key.b).size);
  }
  double within(const WorldState::Entry& entry) const {
    return reach_ahead(s_.bodies, collider(entry.key.a), collider(entry.key.b), options_);
  }

  /// Balls around the two are farther apart than what is of interest: true of many whose boxes overlap, and needs
  /// nothing of what is remembered of the pair.
  bool balls_apart(WorldState::Entry& entry) const {
    if (entry.count > 0) return false;
    const Collider& a = collider(entry.key.a);
    const Collider& b = collider(entry.key.b);
    const Vec3 between =
        s_.bodies.motion[static_cast<std::size_t>(a.body)].x - s_.bodies.motion[static_cast<std::size_t>(b.body)].x;
    const double distance = length(between) - a.reach - b.reach;
    if (!(distance > within(entry))) return false;
    note_apart(world_, options_, size_of(entry), distance, entry);
    return true;
  }

  /// Leaves those in the list for which visit() is true.
  template <class Fetch, class Visit>
  void each_fetched(const Fetch& fetch, const Visit& visit) {
    std::size_t left = 0;
    for (std::size_t k = 0; k < count_ + early; ++k) {
      if (k < count_) fetch(*list_[k]);
      if (k >= early && visit(*list_[k - early])) list_[left++] = list_[k - early];
    }
    count_ = left;
  }

  bool keeps(WorldState::Entry& entry) {
    const double size = size_of(entry);
    const Kept kept = keep(pair_of(entry), s_.bodies, world_.poses, within(entry), keep_share * size);
    if (kept.kept && entry.count == 0) note_apart(world_, options_, size, kept.apart, entry);
    if (kept.kept && entry.count > 0) note_depth(entry);
    return kept.kept;
  }

  void look_at(WorldState::Entry& entry) {
    Pair& pair = pair_of(entry);
    rigid::look(pair, s_.bodies, world_.poses, within(entry));
    entry.apart_until = -INFINITY;
    entry.count = static_cast<std::uint8_t>(pair.count);
    if (pair.count == 0) return note_apart(world_, options_, size_of(entry), pair.gap, entry);
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i)
      entry.fresh = entry.fresh || pair.points[i].id == 0;
    note_depth(entry);
  }

  void note_depth(WorldState::Entry& entry) const {
    const Pair& pair = pair_of(entry);
    double deepest = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i)
      deepest = std::min(deepest, pair.points[i].distance);
    entry.deep =
        deepest < 0 && -deepest > ccd::deep_share * ccd::thickness(collider(entry.key.a), collider(entry.key.b));
  }

  World& world_;
  WorldState& s_;
  const StepOptions& options_;
  std::array<WorldState::Entry*, pair_grain> list_;
  std::size_t count_ = 0;
};

}  // namespace

void follow(World& world, std::size_t i, double dt) {
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  const Motion& m = bodies.motion[i];
  const Info& info = bodies.info[i];
  WorldState::Track& track = s.tracks[i];
  const Quat t = detail::conjugate(track.q) * m.q;
  const double chord = 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
  // Half-spaces reach without end, which is no matter while they do not turn.
  track.travel += length(m.x - track.x) + (chord > 0 ? chord * info.reach : 0.0);
  track.x = m.x;
  track.q = m.q;
  const bool fixed = info.kind == RigidKind::static_body;
  const auto first = static_cast<std::size_t>(info.first_collider);
  for (std::size_t c = first; c < first + static_cast<std::size_t>(info.collider_count); ++c) {
    const double speed = fixed || bodies.asleep[i] != 0 ? 0 : fastest(bodies, i, bodies.colliders[c].reach);
    world.watch[c] = {track.travel, track.travel + speed * dt, static_cast<std::int32_t>(i), fixed};
  }
}

void look(Context& context, World& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  assert(world.look_order.places().size() == s.entries.size());
  world.looked.assign(chunk_count(s.entries.size(), pair_grain), {});
  parallel_chunks(context.workers, s.entries.size(), pair_grain,
                  [&](std::size_t begin, std::size_t end, std::size_t chunk) {
                    world.looked[chunk] = Chunk(world, options).run(begin, end);
                  });
  World::Looked all;
  for (const World::Looked& chunk : world.looked) {
    all.looks += chunk.looks;
    all.apart += chunk.apart;
    all.deep += chunk.deep;
  }
  stats.set_unit("pairs of colliders");
  world.some_deep = all.deep > 0;
  stats.in += s.entries.size();
  stats.out += s.entries.size() - all.apart;
  stats.add_culled("apart", all.apart);
  stats.add_counted("looked at", all.looks);
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
void wake_by_touch(World& world, const SolverOptions& options, const Pair& pair, bool fresh) {
  const Bodies& bodies = world.state.bodies;
  const bool a_sleeps = bodies.asleep[static_cast<std::size_t>(pair.body_a)] != 0;
  const bool b_sleeps = bodies.asleep[static_cast<std::size_t>(pair.body_b)] != 0;
  if (!a_sleeps && !b_sleeps) return;
  const auto moves = [&](std::int32_t body, std::int32_t collider) {
    const auto i = static_cast<std::size_t>(body);
    if (still_or_static(bodies, i)) return false;
    // What is kinematic goes on and on, however slowly.
    const double least = bodies.info[i].kind == RigidKind::kinematic ? 0 : options.sleep.speed;
    return fastest(bodies, i, bodies.colliders[static_cast<std::size_t>(collider)].reach) > least;
  };
  if (fresh || moves(pair.body_a, pair.collider_a) || moves(pair.body_b, pair.collider_b))
    wake(world.state, a_sleeps ? pair.body_a : pair.body_b);
}

/// Neither body of a pair or a touch moves by itself.
template <class Two>
bool idle(const Bodies& bodies, const Two& two) {
  return still_or_static(bodies, static_cast<std::size_t>(two.body_a)) &&
         still_or_static(bodies, static_cast<std::size_t>(two.body_b));
}

/// Entries that touch go to the list of touches, and those with something to settle to that of their chunk.
void list_touches(Workers& workers, World& world) {
  const WorldState& s = world.state;
  const std::size_t chunks = chunk_count(s.entries.size(), touch_grain);
  if (world.unsettled.size() < chunks) world.unsettled.resize(chunks);
  world.append_touches.run(
      workers, s.entries.size(), touch_grain, world.touches,
      [&](std::size_t begin, std::size_t end, std::vector<response::Touch>& out, std::size_t chunk) {
        World::Unsettled& unsettled = world.unsettled[chunk];
        unsettled.entries.clear();
        unsettled.some_idle = false;
        for (std::size_t i = begin; i < end; ++i) {
          const WorldState::Entry& entry = s.entries[i];
          if (entry.count == 0) continue;
          const World::Watch& a = world.watch[static_cast<std::size_t>(entry.key.a)];
          const World::Watch& b = world.watch[static_cast<std::size_t>(entry.key.b)];
          const bool a_sleeps = s.bodies.asleep[static_cast<std::size_t>(a.body)] != 0;
          const bool b_sleeps = s.bodies.asleep[static_cast<std::size_t>(b.body)] != 0;
          unsettled.some_idle |= (a.fixed || a_sleeps) && (b.fixed || b_sleeps);
          if (entry.fresh || a_sleeps || b_sleeps) unsettled.entries.push_back(static_cast<std::uint32_t>(i));
          out.push_back({entry.pair, a.body, b.body, entry.count});
        }
      });
}

/// One after the other: ids are given in the order of entries, and what wakes up is not idle any more for those that
/// follow.
void settle(World& world, const SolverOptions& options, std::span<const std::uint32_t> entries) {
  WorldState& s = world.state;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (k + early < entries.size()) {
      const WorldState::Entry& later = s.entries[entries[k + early]];
      ask_for(s.pairs[static_cast<std::size_t>(later.pair)], later.count);
    }
    WorldState::Entry& entry = s.entries[entries[k]];
    if (idle(world, entry)) continue;
    Pair& pair = s.pairs[static_cast<std::size_t>(entry.pair)];
    const bool fresh = entry.fresh && name_points(world, pair);
    entry.fresh = false;
    wake_by_touch(world, options, pair, fresh);
  }
}

}  // namespace

/// Ids for new points, and the list of pairs that have any. What is touched wakes up.
void identify(Context& context, World& world, const SolverOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  std::uint64_t asleep = 0;  // points
  const auto parts = [&](auto&& visit) {
    asleep = 0;
    for (const MeshPair& entry : s.mesh_pairs) {
      for (const std::int32_t part : entry.parts) {
        Pair& pair = s.pairs[static_cast<std::size_t>(part)];
        if (pair.count == 0) continue;
        if (idle(bodies, pair)) {
          asleep += static_cast<std::uint64_t>(pair.count);
        } else {
          visit(part, pair);
        }
      }
    }
  };
  list_touches(context.workers, world);
  world.fresh_points = 0;
  bool some_idle = false;
  for (std::size_t i = 0; i < chunk_count(s.entries.size(), touch_grain); ++i) {
    settle(world, options, world.unsettled[i].entries);
    some_idle = some_idle || world.unsettled[i].some_idle;
  }
  parts([&](std::int32_t, Pair& pair) { wake_by_touch(world, options, pair, name_points(world, pair)); });

  // Those of meshes come after the others.
  const std::size_t without_mesh = world.touches.size();
  parts([&](std::int32_t place, const Pair& pair) {
    world.touches.push_back({place, pair.body_a, pair.body_b, pair.count});
  });
  if (some_idle) {
    const auto end = world.touches.begin() + static_cast<std::ptrdiff_t>(without_mesh);
    const auto kept = std::remove_if(world.touches.begin(), end, [&](const response::Touch& touch) {
      if (!idle(bodies, touch)) return false;
      asleep += static_cast<std::uint64_t>(touch.count);
      return true;
    });
    world.touches.erase(kept, end);
  }
  s.touching.clear();
  world.points = 0;
  for (const response::Touch& touch : world.touches) {
    s.touching.push_back(touch.pair);
    world.points += static_cast<std::size_t>(touch.count);
  }
  stats.set_unit("contacts");
  stats.in += world.points + asleep;
  stats.out += world.points;
  if (asleep > 0) stats.add_culled("asleep", asleep);
}

}  // namespace carom::rigid
