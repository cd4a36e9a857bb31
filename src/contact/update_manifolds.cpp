#include "contact/update_manifolds.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>

#include "bounds/contact_margin.hpp"
#include "contact/thickness.hpp"
#include "core/stage_timer.hpp"

namespace carom::contact {
namespace {

constexpr std::size_t pair_grain = 128;
/// Records by which prefetching runs ahead: there are too many for a cache.
constexpr std::size_t records_ahead = 6;
/// Updates by which prefetching of hulls runs ahead, and again for the lists of these hulls.
constexpr std::size_t hulls_ahead = 2;

/// Neither moves by itself: the points of the pair stay what they are.
bool idle(const NarrowIn& in, const PairRecord& entry) {
  const auto still = [&](ColliderIndex c) {
    const rigid::ColliderTravel& w = in.travel[c];
    return w.fixed || in.bodies.asleep[w.body] != 0;
  };
  return still(entry.key.a) && still(entry.key.b);
}

bool far_apart(const NarrowIn& in, const PairRecord& entry) {
  return in.travel[entry.key.a].ahead + in.travel[entry.key.b].ahead < entry.separation_budget;
}

void store_separation(const NarrowIn& in, double size, double distance, PairRecord& entry) {
  entry.count = 0;
  entry.fresh = false;
  entry.deep = false;
  entry.separation_budget = in.travel[entry.key.a].travel + in.travel[entry.key.b].travel + distance -
                            bounds::margin_at_rest(size, in.speculative_distance);
}

/// Entries of a chunk, in rounds: those that matter, of these the ones that must be looked at, and the looks.
/// Each round has fetched what the next one reads.
class Chunk {
 public:
  Chunk(const NarrowIn& in, std::span<const std::uint32_t> places, PairTable& table)
      : in_(in), places_(places), s_(table) {}

  NarrowScratch::Counts run(std::size_t begin, std::size_t end) {
    count_ = 0;
    for (std::size_t i = begin; i < end; ++i) {
      PairRecord& entry = entry_at(i);
      if (!far_apart(in_, entry) && !idle(in_, entry)) list_[count_++] = &entry;
    }
    each_fetched([&](const PairRecord& entry) { prefetch_balls(entry); },
                 [&](PairRecord& entry) { return !balls_apart(entry); });
    each_fetched([&](const PairRecord& entry) { prefetch_pair(pair_of(entry), entry.count); },
                 [&](PairRecord& entry) {
                   if (reuses(entry)) return false;
                   for (const ColliderIndex c : {entry.key.a, entry.key.b}) prefetch_core(c);
                   return true;
                 });
    // A look reads some kilobytes of each hull. Those of the whole chunk would be too many at once.
    for (std::size_t k = 0; k < count_ + 2 * hulls_ahead; ++k) {
      if (k < count_) prefetch_hulls(*list_[k], [](const shapes::HullData& h) { prefetch(&h, &h + 1); });
      if (k >= hulls_ahead && k - hulls_ahead < count_) prefetch_lists(*list_[k - hulls_ahead]);
      if (k >= 2 * hulls_ahead) update(*list_[k - 2 * hulls_ahead]);
    }
    NarrowScratch::Counts counts{.updates = static_cast<std::uint32_t>(count_)};
    for (std::size_t i = begin; i < end; ++i) {
      counts.apart += entry_at(i).count == 0 ? 1 : 0;
      counts.deep += entry_at(i).deep ? 1 : 0;
    }
    return counts;
  }

 private:
  PairRecord& entry_at(std::size_t i) const { return s_.entries[places_[i]]; }
  CachedManifold& pair_of(const PairRecord& entry) const { return s_.manifolds[entry.pair]; }
  const Collider& collider(ColliderIndex c) const { return in_.bodies.colliders[c]; }
  void prefetch_balls(const PairRecord& entry) const {
    if (entry.count > 0) return;
    for (const ColliderIndex c : {entry.key.a, entry.key.b}) {
      prefetch(&collider(c).reach, &collider(c).inner);
      const Motion& m = in_.bodies.motion[in_.travel[c].body];
      prefetch(&m, &m + 1);
    }
  }
  void prefetch_core(ColliderIndex c) const { prefetch(collider(c).core, collider(c).core + 1); }
  template <class Ask>
  void prefetch_hulls(const PairRecord& entry, const Ask& ask) const {
    for (const ColliderIndex c : {entry.key.a, entry.key.b}) {
      if (const shapes::HullData* hull = collider(c).core->hull; hull != nullptr) ask(*hull);
    }
  }
  void prefetch_lists(const PairRecord& entry) const {
    const bool overlaps = pair_of(entry).cached_distance < 0;
    prefetch_hulls(entry, [&](const shapes::HullData& h) {
      shapes::prefetch_corners(h);
      if (entry.count > 0) shapes::prefetch_faces(h);
      if (entry.count > 0 && overlaps) shapes::prefetch_fan(h);
    });
  }
  double size_of(const PairRecord& entry) const {
    return std::min(collider(entry.key.a).size, collider(entry.key.b).size);
  }
  double within(const PairRecord& entry) const {
    return bounds::margin_in_step(in_.bodies, collider(entry.key.a), collider(entry.key.b), in_.speculative_distance,
                                  in_.dt);
  }

  /// Balls around the two are farther apart than what is of interest: true of many whose boxes overlap, and needs
  /// nothing of what is remembered of the pair.
  bool balls_apart(PairRecord& entry) const {
    if (entry.count > 0) return false;
    const Collider& a = collider(entry.key.a);
    const Collider& b = collider(entry.key.b);
    const Vec3 between = in_.bodies.motion[a.body].x - in_.bodies.motion[b.body].x;
    const double distance = length(between) - a.reach - b.reach;
    if (!(distance > within(entry))) return false;
    store_separation(in_, size_of(entry), distance, entry);
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

  bool reuses(PairRecord& entry) {
    const double size = size_of(entry);
    const Reuse reuse = try_reuse(pair_of(entry), in_.bodies, in_.poses, within(entry), keep_fraction * size);
    if (reuse.reused && entry.count == 0) store_separation(in_, size, reuse.separation, entry);
    if (reuse.reused && entry.count > 0) note_depth(entry);
    return reuse.reused;
  }

  void update(PairRecord& entry) {
    CachedManifold& pair = pair_of(entry);
    update_manifold(pair, in_.bodies, in_.poses, within(entry));
    entry.separation_budget = -INFINITY;
    entry.count = static_cast<std::uint8_t>(pair.count);
    if (pair.count == 0) return store_separation(in_, size_of(entry), pair.cached_distance, entry);
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i)
      entry.fresh = entry.fresh || pair.points[i].id == 0;
    note_depth(entry);
  }

  void note_depth(PairRecord& entry) const {
    const CachedManifold& pair = pair_of(entry);
    double deepest = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i)
      deepest = std::min(deepest, pair.points[i].distance);
    entry.deep = deepest < 0 && -deepest > deep_fraction * thickness(collider(entry.key.a), collider(entry.key.b));
  }

  const NarrowIn& in_;
  std::span<const std::uint32_t> places_;
  PairTable& s_;
  std::array<PairRecord*, pair_grain> list_;
  std::size_t count_ = 0;
};

}  // namespace

void update_manifolds(Context& context, const NarrowIn& in, std::span<const std::uint32_t> places, PairTable& s,
                      NarrowScratch& scratch, StageStats& stats) {
  const StageTimer timer(stats);
  assert(places.size() == s.entries.size());
  scratch.counts.assign(chunk_count(s.entries.size(), pair_grain), {});
  parallel_chunks(context.workers, s.entries.size(), pair_grain,
                  [&](std::size_t begin, std::size_t end, std::size_t chunk) {
                    scratch.counts[chunk] = Chunk(in, places, s).run(begin, end);
                  });
  NarrowScratch::Counts all;
  for (const NarrowScratch::Counts& chunk : scratch.counts) {
    all.updates += chunk.updates;
    all.apart += chunk.apart;
    all.deep += chunk.deep;
  }
  stats.set_unit("pairs of colliders");
  scratch.some_deep = all.deep > 0;
  stats.in += s.entries.size();
  stats.out += s.entries.size() - all.apart;
  stats.add_culled("apart", all.apart);
  stats.add_counted("manifolds updated", all.updates);
}

}  // namespace carom::contact
