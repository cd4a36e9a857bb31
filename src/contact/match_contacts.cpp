#include "contact/match_contacts.hpp"

#include <algorithm>

#include "bodies/sleeping.hpp"
#include "contact/motion.hpp"
#include "core/stage_timer.hpp"

namespace carom::contact {
namespace {

constexpr std::size_t entry_grain = 1024;
/// Records by which prefetching runs ahead: there are too many for a cache.
constexpr std::size_t matched_ahead = 6;

/// Assigns ids to the points of a pair that have none; true if there were any.
bool name_points(PairTable& table, ActivePairs& active, CachedManifold& pair) {
  bool fresh = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
    if (pair.points[i].id != 0) continue;
    pair.points[i].id = table.next_contact++;
    ++active.fresh_points;
    fresh = true;
  }
  return fresh;
}

/// A body that sleeps wakes up if it is touched again, or by what moves.
void wake_by_contact(Bodies& bodies, double sleep_speed, const CachedManifold& pair, bool fresh) {
  const bool a_sleeps = bodies.asleep[pair.body_a] != 0;
  const bool b_sleeps = bodies.asleep[pair.body_b] != 0;
  if (!a_sleeps && !b_sleeps) return;
  const auto moves = [&](BodySlot body, ColliderIndex collider) {
    const BodySlot i = body;
    if (rigid::asleep_or_fixed(bodies, i)) return false;
    // A scripted body keeps moving, however slowly.
    const double smallest = bodies.info[i].motion == MotionModel::scripted ? 0 : sleep_speed;
    return rigid::fastest(bodies, i, bodies.colliders[collider].reach) > smallest;
  };
  if (fresh || moves(pair.body_a, pair.collider_a) || moves(pair.body_b, pair.collider_b))
    rigid::wake(bodies, a_sleeps ? pair.body_a : pair.body_b);
}

/// Neither moves by itself: the points of the pair stay what they are.
bool idle(const Bodies& bodies, ColliderSpan<const rigid::ColliderTravel> travel, const PairRecord& entry) {
  const auto still = [&](ColliderIndex c) {
    const rigid::ColliderTravel& w = travel[c];
    return w.fixed || bodies.asleep[w.body] != 0;
  };
  return still(entry.key.a) && still(entry.key.b);
}

/// Neither body of a pair or a touch moves by itself.
template <class Two>
bool idle(const Bodies& bodies, const Two& two) {
  return rigid::asleep_or_fixed(bodies, two.body_a) && rigid::asleep_or_fixed(bodies, two.body_b);
}

/// Entries that touch go to the list of touches, and those with something to settle to that of their chunk.
void list_active_pairs(Workers& workers, const Bodies& bodies, ColliderSpan<const rigid::ColliderTravel> travel,
                       const PairTable& s, ActivePairs& active) {
  const std::size_t chunks = chunk_count(s.entries.size(), entry_grain);
  if (active.unsettled.size() < chunks) active.unsettled.resize(chunks);
  active.append.run(workers, s.entries.size(), entry_grain, active.pairs,
                    [&](std::size_t begin, std::size_t end, std::vector<ActivePair>& out, std::size_t chunk) {
                      ActivePairs::Unsettled& unsettled = active.unsettled[chunk];
                      unsettled.entries.clear();
                      unsettled.some_idle = false;
                      for (std::size_t i = begin; i < end; ++i) {
                        const PairRecord& entry = s.entries[i];
                        if (entry.count == 0) continue;
                        const rigid::ColliderTravel& a = travel[entry.key.a];
                        const rigid::ColliderTravel& b = travel[entry.key.b];
                        const bool a_sleeps = bodies.asleep[a.body] != 0;
                        const bool b_sleeps = bodies.asleep[b.body] != 0;
                        unsettled.some_idle |= (a.fixed || a_sleeps) && (b.fixed || b_sleeps);
                        if (entry.fresh || a_sleeps || b_sleeps)
                          unsettled.entries.push_back(static_cast<std::uint32_t>(i));
                        out.push_back({entry.pair, a.body, b.body, entry.count});
                      }
                    });
}

/// One after the other: ids are given in the order of entries, and what wakes up is not idle any more for those that
/// follow.
void settle(Bodies& bodies, ColliderSpan<const rigid::ColliderTravel> travel, double sleep_speed, PairTable& s,
            ActivePairs& active, std::span<const std::uint32_t> entries) {
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (k + matched_ahead < entries.size()) {
      const PairRecord& later = s.entries[entries[k + matched_ahead]];
      prefetch_pair(s.manifolds[later.pair], later.count);
    }
    PairRecord& entry = s.entries[entries[k]];
    if (idle(bodies, travel, entry)) continue;
    CachedManifold& pair = s.manifolds[entry.pair];
    const bool fresh = entry.fresh && name_points(s, active, pair);
    entry.fresh = false;
    wake_by_contact(bodies, sleep_speed, pair, fresh);
  }
}

}  // namespace

void match_contacts(Context& context, Bodies& bodies, ColliderSpan<const rigid::ColliderTravel> travel,
                    double sleep_speed, PairTable& s, ActivePairs& active, StageStats& stats) {
  const StageTimer timer(stats);
  std::uint64_t asleep = 0;  // points
  const auto parts = [&](auto&& visit) {
    asleep = 0;
    for (const MeshPair& entry : s.mesh_pairs) {
      for (const ManifoldIndex part : entry.parts) {
        CachedManifold& pair = s.manifolds[part];
        if (pair.count == 0) continue;
        if (idle(bodies, pair)) {
          asleep += static_cast<std::uint64_t>(pair.count);
        } else {
          visit(part, pair);
        }
      }
    }
  };
  list_active_pairs(context.workers, bodies, travel, s, active);
  active.fresh_points = 0;
  bool some_idle = false;
  for (std::size_t i = 0; i < chunk_count(s.entries.size(), entry_grain); ++i) {
    settle(bodies, travel, sleep_speed, s, active, active.unsettled[i].entries);
    some_idle = some_idle || active.unsettled[i].some_idle;
  }
  parts([&](ManifoldIndex, CachedManifold& pair) {
    wake_by_contact(bodies, sleep_speed, pair, name_points(s, active, pair));
  });

  // Those of meshes come after the others.
  const std::size_t without_mesh = active.pairs.size();
  parts([&](ManifoldIndex place, const CachedManifold& pair) {
    active.pairs.push_back({place, pair.body_a, pair.body_b, pair.count});
  });
  if (some_idle) {
    const auto end = active.pairs.begin() + static_cast<std::ptrdiff_t>(without_mesh);
    const auto kept = std::remove_if(active.pairs.begin(), end, [&](const ActivePair& touch) {
      if (!idle(bodies, touch)) return false;
      asleep += static_cast<std::uint64_t>(touch.count);
      return true;
    });
    active.pairs.erase(kept, end);
  }
  s.active_indices.clear();
  active.points = 0;
  for (const ActivePair& touch : active.pairs) {
    s.active_indices.push_back(touch.pair);
    active.points += static_cast<std::size_t>(touch.count);
  }
  stats.set_unit("contacts");
  stats.in += active.points + asleep;
  stats.out += active.points;
  if (asleep > 0) stats.add_culled("asleep", asleep);
}

void add_contacts(const Bodies& bodies, const PairTable& table, double resting_speed, std::vector<WorldContact>& list) {
  each_manifold(table, [&](ManifoldIndex place) {
    const CachedManifold& pair = table.manifolds[place];
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
      const CachedPoint& point = pair.points[i];
      if (point.id == 0) continue;  // not seen by a step yet
      WorldContact& c = list.emplace_back();
      c.id = point.id;
      c.age = point.age;
      c.body_a = bodies.info[pair.body_a].id;
      c.body_b = bodies.info[pair.body_b].id;
      c.normal = math::to_eigen(pair.normal);
      c.distance = point.distance;
      c.point_a = math::to_eigen(point.middle) - 0.5 * point.distance * c.normal;
      c.point_b = math::to_eigen(point.middle) + 0.5 * point.distance * c.normal;
      c.normal_speed = point.speed;
      c.motion = motion_of(point.speed, resting_speed);
      c.impulse = point.total;
    }
  });
}

}  // namespace carom::contact
