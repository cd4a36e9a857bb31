#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "broad/collider_broad_phase.hpp"
#include "broad/pair_order.hpp"
#include "carom/core/stats.hpp"
#include "contact/cached_manifold.hpp"
#include "contact/mesh_pair.hpp"
#include "core/context.hpp"

/// Stage `broad` of colliders: the pairs whose boxes overlap, with all that is remembered of each from step to step.
namespace carom::contact {

using bounds::ColliderBox;

/// Pair of convex colliders. The record decides that there is nothing to do for a pair: most are apart, and the
/// hundreds of bytes of their manifolds are best left alone.
struct PairRecord {
  ColliderPair key;
  ManifoldIndex pair{};
  std::uint8_t count = 0;  ///< number of its points
  bool fresh = false;      ///< some of these have no id yet
  bool deep = false;       ///< they overlap by more than deep_fraction of their thickness
  /// m; the pair is skipped while the summed travel of its two bodies, this step included, is below this.
  double separation_budget = -INFINITY;
};

/// Convex collider and deforming surface whose bounds overlap.
struct SurfacePair {
  ColliderIndex convex{};
  ColliderIndex surface{};
};

/// Pair with contact points: the data that is read before its manifold.
struct ActivePair {
  ManifoldIndex pair{};
  BodySlot body_a{};
  BodySlot body_b{};
  std::int32_t count = 0;  ///< number of its points
};

/// Pairs of colliders. A copy of it continues bit for bit.
struct PairTable {
  std::vector<PairRecord> entries;                ///< pairs of two convex colliders, sorted
  std::vector<MeshPair> mesh_pairs;               ///< pairs with a rigid mesh, sorted
  std::vector<SurfacePair> surface_pairs;         ///< pairs of a convex collider and a surface, by surface
  ByManifold<CachedManifold> manifolds;           ///< manifolds of entries and mesh pairs; they stay at their places
  std::vector<ManifoldIndex> free_manifolds;      ///< places that no pair has
  std::vector<ManifoldIndex> active_indices;      ///< manifolds with contact points in the last step
  std::vector<std::array<BodySlot, 2>> excluded;  ///< bodies that make no contacts, the smaller first, sorted
  std::uint64_t next_contact = 1;                 ///< id that no contact has had
  bool stale = true;                              ///< filters or bodies have changed since the last search
};

/// Working memory of the search for pairs.
struct PairScratch {
  broad::ColliderBroadPhase broad;
  broad::PairOrder order;  ///< in which the records are visited
  OrderedAppend<PairRecord> merge;
  std::vector<PairRecord> next_entries;
  std::vector<std::uint32_t> new_entries;
  /// Results of a chunk of pairs besides records.
  struct Merged {
    std::vector<ManifoldIndex> dropped;   ///< manifolds of pairs that are gone
    std::vector<ColliderPair> with_mesh;  ///< ascending
    std::vector<ColliderPair> with_surface;
  };
  std::vector<Merged> merged;
  std::vector<MeshPair> next_mesh_pairs;
};

/// Whether two colliders make contacts at all.
bool may_touch(const Bodies& bodies, const PairTable& table, ColliderIndex a, ColliderIndex b);

/// Place for a manifold.
ManifoldIndex new_place(PairTable& table);
/// Resets a manifold for two colliders. Its points are not cleared: their number is 0, so none is read before it is
/// written.
void begin_pair(const Bodies& bodies, ColliderIndex collider_a, ColliderIndex collider_b, CachedManifold& pair);

/// Brings the pairs up to the boxes, of which those marked have changed.
void find_pairs(Context& context, const Bodies& bodies, ColliderSpan<const ColliderBox> boxes,
                ColliderSpan<const std::uint8_t> changed, PairTable& table, PairScratch& scratch, StageStats& stats);

/// Drops the pairs of a body, and wakes the bodies that it touched.
void drop_pairs(Bodies& bodies, BodySlot body, PairTable& table);

/// Visits every manifold that may have points: of pairs of convex colliders first, then of those with a mesh.
template <class Visit>
void each_manifold(const PairTable& table, const Visit& visit) {
  for (const PairRecord& entry : table.entries) visit(entry.pair);
  for (const MeshPair& entry : table.mesh_pairs) {
    for (const ManifoldIndex part : entry.parts) visit(part);
  }
}

/// Wakes a body and all that touch it.
void wake_neighbours(Bodies& bodies, BodySlot body, const PairTable& table);

}  // namespace carom::contact
