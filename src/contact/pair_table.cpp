#include "contact/pair_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "bodies/sleeping.hpp"
#include "core/stage_timer.hpp"

namespace carom::contact {

using rigid::Info;

bool may_touch(const Bodies& bodies, const PairTable& table, ColliderIndex ca, ColliderIndex cb) {
  const Collider& collider_a = bodies.colliders[ca];
  const Collider& collider_b = bodies.colliders[cb];
  BodySlot a = collider_a.body;
  BodySlot b = collider_b.body;
  if (a == b || collider_a.vacant() || collider_b.vacant()) return false;
  const Info& ia = bodies.info[a];
  const Info& ib = bodies.info[b];
  const auto moves = [](const Info& info) { return info.motion == MotionModel::rigid || info.deforms; };
  if (!moves(ia) && !moves(ib)) return false;
  if (!may_collide(ia.filter, ib.filter)) return false;
  if (table.excluded.empty()) return true;
  if (a > b) std::swap(a, b);
  return !std::binary_search(table.excluded.begin(), table.excluded.end(), std::array<BodySlot, 2>{a, b});
}

ManifoldIndex new_place(PairTable& s) {
  if (s.free_manifolds.empty()) return s.manifolds.emplace_back();
  const ManifoldIndex place = s.free_manifolds.back();
  s.free_manifolds.pop_back();
  return place;
}

void begin_pair(const Bodies& bodies, ColliderIndex collider_a, ColliderIndex collider_b, CachedManifold& pair) {
  pair.body_a = bodies.colliders[collider_a].body;
  pair.body_b = bodies.colliders[collider_b].body;
  const Info& a = bodies.info[pair.body_a];
  const Info& b = bodies.info[pair.body_b];
  pair.friction = static_cast<float>(std::sqrt(a.friction * b.friction));
  pair.restitution = static_cast<float>(std::max(a.restitution, b.restitution));
  pair.normal = {};
  pair.local_normal = {};
  pair.count = 0;
  pair.torsion_impulse = 0;
  pair.friction_impulse = {};
  pair.cached_offset = {};
  pair.cached_rotation = {};
  pair.cached_distance = 0;
  pair.valid = false;
  pair.stored = 0;
  pair.collider_a = collider_a;
  pair.collider_b = collider_b;
  pair.cache = {};
}

namespace {

constexpr std::size_t merge_grain = 1024;
constexpr std::size_t new_pair_grain = 64;

/// Allocates manifolds for new pairs, and frees those of pairs that are gone.
void allocate_pairs(Workers& workers, const Bodies& bodies, PairTable& s, PairScratch& scratch, std::size_t chunks) {
  for (std::size_t i = 0; i < chunks; ++i) {
    const std::vector<ManifoldIndex>& dropped = scratch.merged[i].dropped;
    s.free_manifolds.insert(s.free_manifolds.end(), dropped.begin(), dropped.end());
  }
  scratch.new_entries.clear();
  for (std::size_t i = 0; i < s.entries.size(); ++i) {
    if (s.entries[i].pair.valid()) continue;
    s.entries[i].pair = new_place(s);
    scratch.new_entries.push_back(static_cast<std::uint32_t>(i));
  }
  parallel_for(workers, scratch.new_entries.size(), new_pair_grain, [&](std::size_t i) {
    const PairRecord& entry = s.entries[scratch.new_entries[i]];
    begin_pair(bodies, entry.key.a, entry.key.b, s.manifolds[entry.pair]);
  });
}

/// Merges pairs with a mesh: few, and not to be copied.
void merge_mesh_pairs(const Bodies& bodies, PairTable& s, PairScratch& scratch, std::size_t chunks) {
  scratch.next_mesh_pairs.clear();
  std::size_t old = 0;
  const auto drop_below = [&](const ColliderPair* key) {
    for (; old < s.mesh_pairs.size() && (key == nullptr || s.mesh_pairs[old].key < *key); ++old) {
      const std::vector<ManifoldIndex>& parts = s.mesh_pairs[old].parts;
      s.free_manifolds.insert(s.free_manifolds.end(), parts.begin(), parts.end());
    }
  };
  for (std::size_t i = 0; i < chunks; ++i) {
    for (const ColliderPair& key : scratch.merged[i].with_mesh) {
      drop_below(&key);
      if (old < s.mesh_pairs.size() && s.mesh_pairs[old].key == key) {
        scratch.next_mesh_pairs.push_back(std::move(s.mesh_pairs[old++]));
        continue;
      }
      const bool first = bodies.colliders[key.a].mesh != nullptr;
      MeshPair& entry = scratch.next_mesh_pairs.emplace_back();
      entry.key = key;
      entry.mesh = first ? key.a : key.b;
      entry.convex = first ? key.b : key.a;
    }
  }
  drop_below(nullptr);
  std::swap(s.mesh_pairs, scratch.next_mesh_pairs);
}

/// Pairs of a convex collider and a surface. Pairs of surfaces, and of a surface and a rigid mesh, are found feature by
/// feature in the joined surface.
void merge_surface_pairs(const Bodies& bodies, PairTable& s, PairScratch& scratch, std::size_t chunks) {
  s.surface_pairs.clear();
  const auto convex = [&](ColliderIndex c) { return bodies.colliders[c].core != nullptr; };
  for (std::size_t i = 0; i < chunks; ++i) {
    for (const ColliderPair& key : scratch.merged[i].with_surface) {
      if (convex(key.a)) s.surface_pairs.push_back({key.a, key.b});
      if (convex(key.b)) s.surface_pairs.push_back({key.b, key.a});
    }
  }
  std::sort(s.surface_pairs.begin(), s.surface_pairs.end(), [](const SurfacePair& a, const SurfacePair& b) {
    return std::pair(a.surface, a.convex) < std::pair(b.surface, b.convex);
  });
}

/// Entries for the pairs that were found. Both lists are ascending: each chunk of pairs has a part of the entries to
/// itself.
void merge_entries(Workers& workers, const Bodies& bodies, PairTable& s, PairScratch& scratch) {
  const std::span<const ProxyPair> pairs = scratch.broad.pairs();
  const auto is_surface = [&](ColliderIndex c) { return bodies.colliders[c].surface; };
  const auto is_mesh = [&](ColliderIndex c) { return bodies.colliders[c].mesh != nullptr; };
  const auto key_of = [&](std::size_t i) { return ColliderPair{ColliderIndex(pairs[i].a), ColliderIndex(pairs[i].b)}; };
  const auto first_entry = [&](std::size_t i) {
    if (i == 0) return s.entries.cbegin();
    if (i >= pairs.size()) return s.entries.cend();
    return std::lower_bound(s.entries.cbegin(), s.entries.cend(), key_of(i),
                            [](const PairRecord& entry, const ColliderPair& key) { return entry.key < key; });
  };
  const std::size_t count = std::max<std::size_t>(pairs.size(), 1);  // entries may be left where there is no pair
  const std::size_t chunks = chunk_count(count, merge_grain);
  if (scratch.merged.size() < chunks) scratch.merged.resize(chunks);
  scratch.merge.run(workers, count, merge_grain, scratch.next_entries,
                    [&](std::size_t begin, std::size_t end, std::vector<PairRecord>& out, std::size_t chunk) {
                      PairScratch::Merged& merged = scratch.merged[chunk];
                      merged.dropped.clear();
                      merged.with_mesh.clear();
                      merged.with_surface.clear();
                      auto old = first_entry(begin);
                      const auto last = first_entry(end);
                      for (std::size_t i = begin; i < std::min(end, pairs.size()); ++i) {
                        const ColliderPair key = key_of(i);
                        for (; old != last && old->key < key; ++old) merged.dropped.push_back(old->pair);
                        const bool known = old != last && old->key == key;
                        if ((!known || s.stale) && !may_touch(bodies, s, key.a, key.b)) continue;
                        if (known) {
                          out.push_back(*old++);
                        } else if (is_surface(key.a) || is_surface(key.b)) {
                          merged.with_surface.push_back(key);
                        } else if (is_mesh(key.a) || is_mesh(key.b)) {
                          merged.with_mesh.push_back(key);
                        } else {
                          out.push_back({key});
                        }
                      }
                      for (; old != last; ++old) merged.dropped.push_back(old->pair);
                    });
  std::swap(s.entries, scratch.next_entries);
  allocate_pairs(workers, bodies, s, scratch, chunks);
  merge_mesh_pairs(bodies, s, scratch, chunks);
  merge_surface_pairs(bodies, s, scratch, chunks);
}

}  // namespace

void find_pairs(Context& context, const Bodies& bodies, ColliderSpan<const ColliderBox> boxes,
                ColliderSpan<const std::uint8_t> changed, PairTable& s, PairScratch& scratch, StageStats& stats) {
  const StageTimer timer(stats);
  if (scratch.broad.update(context.workers, bodies.colliders, boxes, changed) || s.stale) {
    merge_entries(context.workers, bodies, s, scratch);
    s.stale = false;
    scratch.order.update(context.workers, boxes, s.entries, [](const PairRecord& entry) { return entry.key.a; });
    stats.add_counted("changes", 1);
  }
  stats.set_units("colliders", "pairs of colliders");
  stats.in += bodies.colliders.size();
  stats.out += s.entries.size() + s.mesh_pairs.size() + s.surface_pairs.size();
}

void drop_pairs(Bodies& bodies, BodySlot body, PairTable& table) {
  wake_neighbours(bodies, body, table);
  const auto of_body = [&](ColliderIndex collider) { return bodies.colliders[collider].body == body; };
  const auto touches_body = [&](const ColliderPair& key) { return of_body(key.a) || of_body(key.b); };
  const auto drop = [&](ManifoldIndex place) {
    table.manifolds[place].count = 0;
    table.free_manifolds.push_back(place);
  };
  std::erase_if(table.entries, [&](const PairRecord& entry) {
    if (!touches_body(entry.key)) return false;
    drop(entry.pair);
    return true;
  });
  std::erase_if(table.mesh_pairs, [&](const MeshPair& entry) {
    if (!touches_body(entry.key)) return false;
    for (const ManifoldIndex part : entry.parts) drop(part);
    return true;
  });
  std::erase_if(table.surface_pairs,
                [&](const SurfacePair& pair) { return of_body(pair.convex) || of_body(pair.surface); });
  std::erase_if(table.active_indices, [&](ManifoldIndex place) { return table.manifolds[place].count == 0; });
  std::erase_if(table.excluded, [&](const auto& pair) { return pair[0] == body || pair[1] == body; });
  table.stale = true;
}

void wake_neighbours(Bodies& bodies, BodySlot body, const PairTable& table) {
  each_manifold(table, [&](ManifoldIndex place) {
    const CachedManifold& pair = table.manifolds[place];
    if (pair.count > 0 && pair.body_a == body) rigid::wake(bodies, pair.body_b);
    if (pair.count > 0 && pair.body_b == body) rigid::wake(bodies, pair.body_a);
  });
  rigid::wake(bodies, body);
}

}  // namespace carom::contact
