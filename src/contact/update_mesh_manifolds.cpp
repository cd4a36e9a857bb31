#include <algorithm>

#include "bounds/contact_margin.hpp"
#include "contact/update_manifolds.hpp"
#include "core/stage_timer.hpp"
#include "shapes/hull_data.hpp"

namespace carom::contact {
namespace {

/// An update with a mesh tests many triangles.
constexpr std::size_t mesh_pair_grain = 8;

/// Contacts beyond this fraction of the margin are left out: on a surface of small triangles each of them would be a
/// contact.
constexpr double far_fraction = 0.9;

/// Distance up to which a contact is matched with one of the last step, as a fraction of the size of the convex body.
constexpr double same_mesh_place = 0.1;

/// Mesh pairs by which prefetching runs ahead; their addresses are prefetched twice as far ahead.
constexpr std::size_t pairs_ahead = 2;

void prefetch_mesh_pair(const Bodies& bodies, const PairTable& s, std::size_t i) {
  if (i + 2 * pairs_ahead < s.mesh_pairs.size()) {
    const std::vector<ManifoldIndex>& parts = s.mesh_pairs[i + 2 * pairs_ahead].parts;
    prefetch(parts.data(), parts.data() + parts.size());
  }
  if (i + pairs_ahead >= s.mesh_pairs.size()) return;
  const MeshPair& entry = s.mesh_pairs[i + pairs_ahead];
  const shapes::HullData* hull = bodies.colliders[entry.convex].core->hull;
  if (hull != nullptr) prefetch(hull->rows.data(), hull->rows.data() + hull->rows.size());
  for (const ManifoldIndex part : entry.parts) prefetch_pair(s.manifolds[part], convex::max_manifold_points / 2);
}

/// The pairs of an entry become those that were found: as many as it has places for, the others are left in `found`.
void place_parts(const NarrowIn& in, PairTable& s, const MeshPair& entry, MeshFound& found) {
  thread_local std::vector<CachedManifold> old;
  thread_local std::vector<CachedManifold*> old_places;
  old.clear();
  old_places.clear();
  for (const ManifoldIndex part : entry.parts) old.push_back(s.manifolds[part]);
  for (CachedManifold& pair : old) old_places.push_back(&pair);
  const double size = in.bodies.colliders[entry.convex].size;
  found.unplaced_manifolds.clear();
  for (std::size_t i = 0; i < found.patches.size(); ++i) {
    const convex::ConvexManifold& patch = found.patches[i];
    CachedManifold& pair =
        i < entry.parts.size() ? s.manifolds[entry.parts[i]] : found.unplaced_manifolds.emplace_back();
    begin_pair(in.bodies, entry.mesh, entry.convex, pair);
    pair.normal = patch.normal;
    pair.count = patch.count;
    for (std::size_t k = 0; k < static_cast<std::size_t>(patch.count); ++k) {
      CachedPoint& point = pair.points[k] = {};
      point.middle = patch.points[k].middle;
      point.distance = patch.points[k].distance;
      point.feature = patch.points[k].feature;
    }
    store_local_points(pair, in.bodies, in.poses);
    inherit(pair, old_places, same_mesh_place * size);
  }
}

/// Entries give away the places that they do not need any more, and get those that they lack.
void exchange_places(PairTable& s, MeshPair& entry, const MeshFound& found) {
  while (entry.parts.size() > found.patches.size()) {
    s.free_manifolds.push_back(entry.parts.back());
    entry.parts.pop_back();
  }
  for (const CachedManifold& pair : found.unplaced_manifolds) {
    entry.parts.push_back(new_place(s));
    s.manifolds[entry.parts.back()] = pair;
  }
}

}  // namespace

void update_mesh_manifolds(Context& context, const NarrowIn& in, PairTable& s, NarrowScratch& scratch,
                           StageStats& stats) {
  const StageTimer timer(stats);
  const Bodies& bodies = in.bodies;
  if (scratch.mesh_found.size() < s.mesh_pairs.size()) scratch.mesh_found.resize(s.mesh_pairs.size());
  parallel_for(context.workers, s.mesh_pairs.size(), mesh_pair_grain, [&](std::size_t i) {
    prefetch_mesh_pair(bodies, s, i);
    MeshPair& entry = s.mesh_pairs[i];
    const Collider& m = bodies.colliders[entry.mesh];
    const Collider& c = bodies.colliders[entry.convex];
    MeshFound& found = scratch.mesh_found[i];
    found.what = MeshFound::What::nothing;
    const BodySlot mesh_body = m.body;
    const BodySlot convex_body = c.body;
    if (rigid::asleep_or_fixed(bodies, mesh_body) && rigid::asleep_or_fixed(bodies, convex_body)) return;
    const double ahead = bounds::margin_in_step(bodies, m, c, in.speculative_distance, in.dt);
    update_mesh_manifold(entry, bodies, in.poses,
                         ahead - far_fraction * bounds::margin_at_rest(c.size, in.speculative_distance),
                         keep_fraction * c.size, found);
    if (found.what == MeshFound::What::updated) {
      place_parts(in, s, entry, found);
    } else if (found.what == MeshFound::What::reused) {
      for (const ManifoldIndex part : entry.parts) advance_points(s.manifolds[part], bodies, in.poses);
    }
  });
  std::uint64_t updated = 0;
  for (std::size_t i = 0; i < s.mesh_pairs.size(); ++i) {
    if (scratch.mesh_found[i].what != MeshFound::What::updated) continue;
    exchange_places(s, s.mesh_pairs[i], scratch.mesh_found[i]);
    ++updated;
  }
  std::uint64_t apart = 0;
  for (const MeshPair& entry : s.mesh_pairs) apart += entry.parts.empty() ? 1 : 0;
  stats.in += s.mesh_pairs.size();
  stats.out += s.mesh_pairs.size() - apart;
  stats.add_culled("apart", apart);
  stats.add_counted("mesh manifolds updated", updated);
}

}  // namespace carom::contact
