#include <algorithm>

#include "core/stage_timer.hpp"
#include "shapes/hull_data.hpp"
#include "world/rigid_world.hpp"

namespace carom::rigid {
namespace {

/// A look at a mesh is many looks at triangles.
constexpr std::size_t mesh_pair_grain = 8;

/// Of what reaches ahead of a body at rest: left out, as on a surface of small triangles every one of them is a
/// contact.
constexpr double far_share = 0.9;

/// Of the size of the convex body: contacts nearer than this to one of the step before are that one.
constexpr double same_place = 0.1;

/// So many entries ahead their data is asked for, and where that is twice as many: it is all over the memory.
constexpr std::size_t pairs_ahead = 2;

void ask_for(const WorldState& s, std::size_t i) {
  if (i + 2 * pairs_ahead < s.mesh_pairs.size()) {
    const std::vector<std::int32_t>& parts = s.mesh_pairs[i + 2 * pairs_ahead].parts;
    fetch(parts.data(), parts.data() + parts.size());
  }
  if (i + pairs_ahead >= s.mesh_pairs.size()) return;
  const MeshPair& entry = s.mesh_pairs[i + pairs_ahead];
  const shapes::HullData* hull = s.bodies.colliders[static_cast<std::size_t>(entry.convex)].core->hull;
  if (hull != nullptr) fetch(hull->rows.data(), hull->rows.data() + hull->rows.size());
  for (const std::int32_t part : entry.parts)
    rigid::ask_for(s.pairs[static_cast<std::size_t>(part)], convex::patch_points / 2);
}

/// The pairs of an entry become those that were found: as many as it has places for, the others are left in `found`.
void place_parts(World& world, const MeshPair& entry, MeshFound& found) {
  WorldState& s = world.state;
  thread_local std::vector<Pair> old;
  thread_local std::vector<Pair*> old_places;
  old.clear();
  old_places.clear();
  for (const std::int32_t part : entry.parts) old.push_back(s.pairs[static_cast<std::size_t>(part)]);
  for (Pair& pair : old) old_places.push_back(&pair);
  const double size = s.bodies.colliders[static_cast<std::size_t>(entry.convex)].size;
  found.homeless.clear();
  for (std::size_t i = 0; i < found.patches.size(); ++i) {
    const convex::Patch& patch = found.patches[i];
    Pair& pair =
        i < entry.parts.size() ? s.pairs[static_cast<std::size_t>(entry.parts[i])] : found.homeless.emplace_back();
    begin_pair(s.bodies, entry.mesh, entry.convex, pair);
    pair.normal = patch.normal;
    pair.count = patch.count;
    for (std::size_t k = 0; k < static_cast<std::size_t>(patch.count); ++k) {
      PairPoint& point = pair.points[k] = {};
      point.middle = patch.points[k].middle;
      point.distance = patch.points[k].distance;
      point.feature = patch.points[k].feature;
    }
    remember(pair, s.bodies, world.poses);
    inherit(pair, old_places, same_place * size);
  }
}

/// Entries give away the places that they do not need any more, and get those that they lack.
void share_places(WorldState& s, MeshPair& entry, const MeshFound& found) {
  while (entry.parts.size() > found.patches.size()) {
    s.free_pairs.push_back(entry.parts.back());
    entry.parts.pop_back();
  }
  for (const Pair& pair : found.homeless) {
    entry.parts.push_back(new_place(s));
    s.pairs[static_cast<std::size_t>(entry.parts.back())] = pair;
  }
}

}  // namespace

void look_at_meshes(Context& context, World& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  if (world.mesh_found.size() < s.mesh_pairs.size()) world.mesh_found.resize(s.mesh_pairs.size());
  parallel_for(context.workers, s.mesh_pairs.size(), mesh_pair_grain, [&](std::size_t i) {
    ask_for(s, i);
    MeshPair& entry = s.mesh_pairs[i];
    const Collider& m = bodies.colliders[static_cast<std::size_t>(entry.mesh)];
    const Collider& c = bodies.colliders[static_cast<std::size_t>(entry.convex)];
    MeshFound& found = world.mesh_found[i];
    found.what = MeshFound::What::nothing;
    const auto mesh_body = static_cast<std::size_t>(m.body);
    const auto convex_body = static_cast<std::size_t>(c.body);
    if (still_or_static(bodies, mesh_body) && still_or_static(bodies, convex_body)) return;
    const double ahead = reach_ahead(bodies, m, c, options);
    look_at(entry, bodies, world.poses, ahead - far_share * std::min(options.solver.speculative_distance, 0.1 * c.size),
            keep_share * c.size, found);
    if (found.what == MeshFound::What::looked) {
      place_parts(world, entry, found);
    } else if (found.what == MeshFound::What::kept) {
      for (const std::int32_t part : entry.parts) carry(s.pairs[static_cast<std::size_t>(part)], bodies, world.poses);
    }
  });
  std::uint64_t looked = 0;
  for (std::size_t i = 0; i < s.mesh_pairs.size(); ++i) {
    if (world.mesh_found[i].what != MeshFound::What::looked) continue;
    share_places(s, s.mesh_pairs[i], world.mesh_found[i]);
    ++looked;
  }
  std::uint64_t apart = 0;
  for (const MeshPair& entry : s.mesh_pairs) apart += entry.parts.empty() ? 1 : 0;
  stats.in += s.mesh_pairs.size();
  stats.out += s.mesh_pairs.size() - apart;
  stats.add_culled("apart", apart);
  stats.add_counted("looked at meshes", looked);
}

}  // namespace carom::rigid
