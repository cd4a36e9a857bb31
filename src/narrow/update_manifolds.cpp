#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>

#include "core/stage_timer.hpp"
#include "world/rigid_pipeline.hpp"

namespace carom::rigid {
namespace {

constexpr std::size_t pair_grain = 128;
constexpr std::size_t entry_grain = 1024;  ///< where only the entries of pairs are read
/// Records by which prefetching runs ahead: there are too many for a cache.
constexpr std::size_t records_ahead = 6;
/// Updates by which prefetching of hulls runs ahead, and again for the lists of these hulls.
constexpr std::size_t hulls_ahead = 2;

/// Neither moves by itself: the points of the pair stay what they are.
bool idle(const RigidPipeline& world, const WorldState::PairRecord& entry) {
  const auto still = [&](std::int32_t c) {
    const RigidPipeline::ColliderTravel& w = world.collider_travel[static_cast<std::size_t>(c)];
    return w.fixed || world.state.bodies.asleep[static_cast<std::size_t>(w.body)] != 0;
  };
  return still(entry.key.a) && still(entry.key.b);
}

bool far_apart(const RigidPipeline& world, const WorldState::PairRecord& entry) {
  return world.collider_travel[static_cast<std::size_t>(entry.key.a)].ahead +
             world.collider_travel[static_cast<std::size_t>(entry.key.b)].ahead <
         entry.separation_budget;
}

void store_separation(const RigidPipeline& world, const StepOptions& options, double size, double distance,
                      WorldState::PairRecord& entry) {
  entry.count = 0;
  entry.fresh = false;
  entry.deep = false;
  entry.separation_budget = world.collider_travel[static_cast<std::size_t>(entry.key.a)].travel +
                            world.collider_travel[static_cast<std::size_t>(entry.key.b)].travel + distance -
                            base_reach(size, options);
}

/// Entries of a chunk, in rounds: those that matter, of these the ones that must be looked at, and the looks.
/// Each round has fetched what the next one reads.
class Chunk {
 public:
  Chunk(RigidPipeline& world, const StepOptions& options) : world_(world), s_(world.state), options_(options) {}

  RigidPipeline::NarrowCounts run(std::size_t begin, std::size_t end) {
    count_ = 0;
    for (std::size_t i = begin; i < end; ++i) {
      WorldState::PairRecord& entry = entry_at(i);
      if (!far_apart(world_, entry) && !idle(world_, entry)) list_[count_++] = &entry;
    }
    each_fetched([&](const WorldState::PairRecord& entry) { prefetch_balls(entry); },
                 [&](WorldState::PairRecord& entry) { return !balls_apart(entry); });
    each_fetched([&](const WorldState::PairRecord& entry) { prefetch_pair(pair_of(entry), entry.count); },
                 [&](WorldState::PairRecord& entry) {
                   if (reuses(entry)) return false;
                   for (const std::int32_t c : {entry.key.a, entry.key.b}) prefetch_core(c);
                   return true;
                 });
    // A look reads some kilobytes of each hull. Those of the whole chunk would be too many at once.
    for (std::size_t k = 0; k < count_ + 2 * hulls_ahead; ++k) {
      if (k < count_) prefetch_hulls(*list_[k], [](const shapes::HullData& h) { prefetch(&h, &h + 1); });
      if (k >= hulls_ahead && k - hulls_ahead < count_) prefetch_lists(*list_[k - hulls_ahead]);
      if (k >= 2 * hulls_ahead) update(*list_[k - 2 * hulls_ahead]);
    }
    RigidPipeline::NarrowCounts counts{.updates = static_cast<std::uint32_t>(count_)};
    for (std::size_t i = begin; i < end; ++i) {
      counts.apart += entry_at(i).count == 0 ? 1 : 0;
      counts.deep += entry_at(i).deep ? 1 : 0;
    }
    return counts;
  }

 private:
  WorldState::PairRecord& entry_at(std::size_t i) const { return s_.entries[world_.pair_order.places()[i]]; }
  CachedManifold& pair_of(const WorldState::PairRecord& entry) const {
    return s_.pairs[static_cast<std::size_t>(entry.pair)];
  }
  const Collider& collider(std::int32_t c) const { return s_.bodies.colliders[static_cast<std::size_t>(c)]; }
  void prefetch_balls(const WorldState::PairRecord& entry) const {
    if (entry.count > 0) return;
    for (const std::int32_t c : {entry.key.a, entry.key.b}) {
      prefetch(&collider(c).reach, &collider(c).inner);
      const Motion& m =
          s_.bodies.motion[static_cast<std::size_t>(world_.collider_travel[static_cast<std::size_t>(c)].body)];
      prefetch(&m, &m + 1);
    }
  }
  void prefetch_core(std::int32_t c) const { prefetch(collider(c).core, collider(c).core + 1); }
  template <class Ask>
  void prefetch_hulls(const WorldState::PairRecord& entry, const Ask& ask) const {
    for (const std::int32_t c : {entry.key.a, entry.key.b}) {
      if (const shapes::HullData* hull = collider(c).core->hull; hull != nullptr) ask(*hull);
    }
  }
  void prefetch_lists(const WorldState::PairRecord& entry) const {
    const bool overlaps = pair_of(entry).cached_distance < 0;
    prefetch_hulls(entry, [&](const shapes::HullData& h) {
      shapes::prefetch_corners(h);
      if (entry.count > 0) shapes::prefetch_faces(h);
      if (entry.count > 0 && overlaps) shapes::prefetch_fan(h);
    });
  }
  double size_of(const WorldState::PairRecord& entry) const {
    return std::min(collider(entry.key.a).size, collider(entry.key.b).size);
  }
  double within(const WorldState::PairRecord& entry) const {
    return reach_ahead(s_.bodies, collider(entry.key.a), collider(entry.key.b), options_);
  }

  /// Balls around the two are farther apart than what is of interest: true of many whose boxes overlap, and needs
  /// nothing of what is remembered of the pair.
  bool balls_apart(WorldState::PairRecord& entry) const {
    if (entry.count > 0) return false;
    const Collider& a = collider(entry.key.a);
    const Collider& b = collider(entry.key.b);
    const Vec3 between =
        s_.bodies.motion[static_cast<std::size_t>(a.body)].x - s_.bodies.motion[static_cast<std::size_t>(b.body)].x;
    const double distance = length(between) - a.reach - b.reach;
    if (!(distance > within(entry))) return false;
    store_separation(world_, options_, size_of(entry), distance, entry);
    return true;
  }

  /// Leaves those in the list for which visit() is true.
  template <class Fetch, class Visit>
  void each_fetched(const Fetch& prefetch, const Visit& visit) {
    std::size_t left = 0;
    for (std::size_t k = 0; k < count_ + records_ahead; ++k) {
      if (k < count_) prefetch(*list_[k]);
      if (k >= records_ahead && visit(*list_[k - records_ahead])) list_[left++] = list_[k - records_ahead];
    }
    count_ = left;
  }

  bool reuses(WorldState::PairRecord& entry) {
    const double size = size_of(entry);
    const Reuse reuse = try_reuse(pair_of(entry), s_.bodies, world_.poses, within(entry), keep_fraction * size);
    if (reuse.reused && entry.count == 0) store_separation(world_, options_, size, reuse.separation, entry);
    if (reuse.reused && entry.count > 0) note_depth(entry);
    return reuse.reused;
  }

  void update(WorldState::PairRecord& entry) {
    CachedManifold& pair = pair_of(entry);
    update_manifold(pair, s_.bodies, world_.poses, within(entry));
    entry.separation_budget = -INFINITY;
    entry.count = static_cast<std::uint8_t>(pair.count);
    if (pair.count == 0) return store_separation(world_, options_, size_of(entry), pair.cached_distance, entry);
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i)
      entry.fresh = entry.fresh || pair.points[i].id == 0;
    note_depth(entry);
  }

  void note_depth(WorldState::PairRecord& entry) const {
    const CachedManifold& pair = pair_of(entry);
    double deepest = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i)
      deepest = std::min(deepest, pair.points[i].distance);
    entry.deep =
        deepest < 0 && -deepest > ccd::deep_fraction * ccd::thickness(collider(entry.key.a), collider(entry.key.b));
  }

  RigidPipeline& world_;
  WorldState& s_;
  const StepOptions& options_;
  std::array<WorldState::PairRecord*, pair_grain> list_;
  std::size_t count_ = 0;
};

}  // namespace

void update_travel(RigidPipeline& world, std::size_t i, double dt) {
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  const Motion& m = bodies.motion[i];
  const Info& info = bodies.info[i];
  WorldState::TravelOdometer& odometer = s.odometers[i];
  const Quat t = math::conjugate(odometer.q) * m.q;
  const double chord = 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
  // Half-spaces reach without end, which is no matter while they do not turn.
  odometer.travel += length(m.x - odometer.x) + (chord > 0 ? chord * info.reach : 0.0);
  odometer.x = m.x;
  odometer.q = m.q;
  const bool fixed = info.motion == MotionModel::fixed;
  const auto first = static_cast<std::size_t>(info.first_collider);
  for (std::size_t c = first; c < first + static_cast<std::size_t>(info.collider_count); ++c) {
    const double speed = fixed || bodies.asleep[i] != 0 ? 0 : fastest(bodies, i, bodies.colliders[c].reach);
    world.collider_travel[c] = {odometer.travel, odometer.travel + speed * dt, static_cast<std::int32_t>(i), fixed};
  }
}

void update_manifolds(Context& context, RigidPipeline& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  assert(world.pair_order.places().size() == s.entries.size());
  world.narrow_counts.assign(chunk_count(s.entries.size(), pair_grain), {});
  parallel_chunks(context.workers, s.entries.size(), pair_grain,
                  [&](std::size_t begin, std::size_t end, std::size_t chunk) {
                    world.narrow_counts[chunk] = Chunk(world, options).run(begin, end);
                  });
  RigidPipeline::NarrowCounts all;
  for (const RigidPipeline::NarrowCounts& chunk : world.narrow_counts) {
    all.updates += chunk.updates;
    all.apart += chunk.apart;
    all.deep += chunk.deep;
  }
  stats.set_unit("pairs of colliders");
  world.some_deep = all.deep > 0;
  stats.in += s.entries.size();
  stats.out += s.entries.size() - all.apart;
  stats.add_culled("apart", all.apart);
  stats.add_counted("manifolds updated", all.updates);
}

namespace {

/// Assigns ids to the points of a pair that have none; true if there were any.
bool name_points(RigidPipeline& world, CachedManifold& pair) {
  bool fresh = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
    if (pair.points[i].id != 0) continue;
    pair.points[i].id = world.state.next_contact++;
    ++world.fresh_points;
    fresh = true;
  }
  return fresh;
}

/// A body that sleeps wakes up if it is touched again, or by what moves.
void wake_by_contact(RigidPipeline& world, const SolverOptions& options, const CachedManifold& pair, bool fresh) {
  const Bodies& bodies = world.state.bodies;
  const bool a_sleeps = bodies.asleep[static_cast<std::size_t>(pair.body_a)] != 0;
  const bool b_sleeps = bodies.asleep[static_cast<std::size_t>(pair.body_b)] != 0;
  if (!a_sleeps && !b_sleeps) return;
  const auto moves = [&](std::int32_t body, std::int32_t collider) {
    const auto i = static_cast<std::size_t>(body);
    if (asleep_or_fixed(bodies, i)) return false;
    // A scripted body keeps moving, however slowly.
    const double smallest = bodies.info[i].motion == MotionModel::scripted ? 0 : options.sleep.speed;
    return fastest(bodies, i, bodies.colliders[static_cast<std::size_t>(collider)].reach) > smallest;
  };
  if (fresh || moves(pair.body_a, pair.collider_a) || moves(pair.body_b, pair.collider_b))
    wake(world.state, a_sleeps ? pair.body_a : pair.body_b);
}

/// Neither body of a pair or a touch moves by itself.
template <class Two>
bool idle(const Bodies& bodies, const Two& two) {
  return asleep_or_fixed(bodies, static_cast<std::size_t>(two.body_a)) &&
         asleep_or_fixed(bodies, static_cast<std::size_t>(two.body_b));
}

/// Entries that touch go to the list of touches, and those with something to settle to that of their chunk.
void list_active_pairs(Workers& workers, RigidPipeline& world) {
  const WorldState& s = world.state;
  const std::size_t chunks = chunk_count(s.entries.size(), entry_grain);
  if (world.unsettled.size() < chunks) world.unsettled.resize(chunks);
  world.append_active_pairs.run(
      workers, s.entries.size(), entry_grain, world.active_pairs,
      [&](std::size_t begin, std::size_t end, std::vector<response::ActivePair>& out, std::size_t chunk) {
        RigidPipeline::Unsettled& unsettled = world.unsettled[chunk];
        unsettled.entries.clear();
        unsettled.some_idle = false;
        for (std::size_t i = begin; i < end; ++i) {
          const WorldState::PairRecord& entry = s.entries[i];
          if (entry.count == 0) continue;
          const RigidPipeline::ColliderTravel& a = world.collider_travel[static_cast<std::size_t>(entry.key.a)];
          const RigidPipeline::ColliderTravel& b = world.collider_travel[static_cast<std::size_t>(entry.key.b)];
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
void settle(RigidPipeline& world, const SolverOptions& options, std::span<const std::uint32_t> entries) {
  WorldState& s = world.state;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (k + records_ahead < entries.size()) {
      const WorldState::PairRecord& later = s.entries[entries[k + records_ahead]];
      prefetch_pair(s.pairs[static_cast<std::size_t>(later.pair)], later.count);
    }
    WorldState::PairRecord& entry = s.entries[entries[k]];
    if (idle(world, entry)) continue;
    CachedManifold& pair = s.pairs[static_cast<std::size_t>(entry.pair)];
    const bool fresh = entry.fresh && name_points(world, pair);
    entry.fresh = false;
    wake_by_contact(world, options, pair, fresh);
  }
}

}  // namespace

/// Ids for new points, and the list of pairs that have any. What is touched wakes up.
void match_contacts(Context& context, RigidPipeline& world, const SolverOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  std::uint64_t asleep = 0;  // points
  const auto parts = [&](auto&& visit) {
    asleep = 0;
    for (const MeshPair& entry : s.mesh_pairs) {
      for (const std::int32_t part : entry.parts) {
        CachedManifold& pair = s.pairs[static_cast<std::size_t>(part)];
        if (pair.count == 0) continue;
        if (idle(bodies, pair)) {
          asleep += static_cast<std::uint64_t>(pair.count);
        } else {
          visit(part, pair);
        }
      }
    }
  };
  list_active_pairs(context.workers, world);
  world.fresh_points = 0;
  bool some_idle = false;
  for (std::size_t i = 0; i < chunk_count(s.entries.size(), entry_grain); ++i) {
    settle(world, options, world.unsettled[i].entries);
    some_idle = some_idle || world.unsettled[i].some_idle;
  }
  parts([&](std::int32_t, CachedManifold& pair) { wake_by_contact(world, options, pair, name_points(world, pair)); });

  // Those of meshes come after the others.
  const std::size_t without_mesh = world.active_pairs.size();
  parts([&](std::int32_t place, const CachedManifold& pair) {
    world.active_pairs.push_back({place, pair.body_a, pair.body_b, pair.count});
  });
  if (some_idle) {
    const auto end = world.active_pairs.begin() + static_cast<std::ptrdiff_t>(without_mesh);
    const auto kept = std::remove_if(world.active_pairs.begin(), end, [&](const response::ActivePair& touch) {
      if (!idle(bodies, touch)) return false;
      asleep += static_cast<std::uint64_t>(touch.count);
      return true;
    });
    world.active_pairs.erase(kept, end);
  }
  s.active_indices.clear();
  world.points = 0;
  for (const response::ActivePair& touch : world.active_pairs) {
    s.active_indices.push_back(touch.pair);
    world.points += static_cast<std::size_t>(touch.count);
  }
  stats.set_unit("contacts");
  stats.in += world.points + asleep;
  stats.out += world.points;
  if (asleep > 0) stats.add_culled("asleep", asleep);
}

}  // namespace carom::rigid
