#include <algorithm>

#include "core/stage_timer.hpp"
#include "world/rigid_world.hpp"

namespace carom::rigid {
namespace {

/// A look at a mesh is many looks at triangles.
constexpr std::size_t mesh_pair_grain = 4;

/// Of what reaches ahead of a body at rest: left out, as on a surface of small triangles every one of them is a
/// contact.
constexpr double far_share = 0.9;

/// Of the size of the convex body: contacts nearer than this to one of the step before are that one.
constexpr double same_place = 0.1;

/// The pairs of an entry become those that were found.
void place_parts(World& world, MeshPair& entry, const MeshFound& found) {
  WorldState& s = world.state;
  world.old_parts.clear();
  for (const std::int32_t part : entry.parts) world.old_parts.push_back(s.pairs[static_cast<std::size_t>(part)]);
  world.old_part_places.clear();
  for (Pair& old : world.old_parts) world.old_part_places.push_back(&old);
  while (entry.parts.size() > found.patches.size()) {
    s.free_pairs.push_back(entry.parts.back());
    entry.parts.pop_back();
  }
  while (entry.parts.size() < found.patches.size()) entry.parts.push_back(new_place(s));
  const double size = s.bodies.colliders[static_cast<std::size_t>(entry.convex)].size;
  for (std::size_t i = 0; i < found.patches.size(); ++i) {
    const convex::Patch& patch = found.patches[i];
    Pair pair = new_pair(s.bodies, entry.mesh, entry.convex);
    pair.normal = patch.normal;
    pair.count = patch.count;
    for (std::size_t k = 0; k < static_cast<std::size_t>(patch.count); ++k) {
      pair.points[k].middle = patch.points[k].middle;
      pair.points[k].distance = patch.points[k].distance;
      pair.points[k].feature = patch.points[k].feature;
    }
    remember(pair, s.bodies, world.poses);
    inherit(pair, world.old_part_places, same_place * size);
    s.pairs[static_cast<std::size_t>(entry.parts[i])] = pair;
  }
}

}  // namespace

void look_at_meshes(Context& context, World& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  if (world.mesh_found.size() < s.mesh_pairs.size()) world.mesh_found.resize(s.mesh_pairs.size());
  parallel_for(context.workers, s.mesh_pairs.size(), mesh_pair_grain, [&](std::size_t i) {
    MeshPair& entry = s.mesh_pairs[i];
    const Collider& m = bodies.colliders[static_cast<std::size_t>(entry.mesh)];
    const Collider& c = bodies.colliders[static_cast<std::size_t>(entry.convex)];
    MeshFound& found = world.mesh_found[i];
    found.what = MeshFound::What::nothing;
    const auto mesh_body = static_cast<std::size_t>(m.body);
    const auto convex_body = static_cast<std::size_t>(c.body);
    if (still_or_static(bodies, mesh_body) && still_or_static(bodies, convex_body)) return;
    const double ahead = reach_ahead(bodies, m, c, options);
    look_at(entry, bodies, world.poses, ahead - far_share * std::min(options.rigid.speculative_distance, 0.1 * c.size),
            keep_share * c.size, found);
    if (found.what == MeshFound::What::kept) {
      for (const std::int32_t part : entry.parts) carry(s.pairs[static_cast<std::size_t>(part)], bodies, world.poses);
    }
  });
  std::uint64_t looked = 0;
  for (std::size_t i = 0; i < s.mesh_pairs.size(); ++i) {
    if (world.mesh_found[i].what != MeshFound::What::looked) continue;
    place_parts(world, s.mesh_pairs[i], world.mesh_found[i]);
    ++looked;
  }
  stats.in += s.mesh_pairs.size();
  stats.add_counted("looked at meshes", looked);
}

}  // namespace carom::rigid
