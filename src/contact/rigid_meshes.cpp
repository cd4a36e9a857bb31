#include "contact/rigid_meshes.hpp"

#include "core/at.hpp"
#include "core/stage_timer.hpp"

namespace carom::contact {

void place(const rigid::Bodies& table, const rigid::StepMotion& motion, double dt, RigidMeshes& meshes) {
  for (std::size_t i = 0; i < meshes.ids.size(); ++i) {
    const BodySlot slot = slot_of(meshes.ids[i]);
    const rigid::Info& info = table.info[slot];
    // A fixed body with vertices has them where they are.
    if (table.colliders[info.first_collider].surface && !info.field) continue;
    const rigid::Motion& from = table.motion[slot];
    meshes.start[i].pose = meshes.end[i].pose = rigid::shape_pose(from, info);
    rigid::Motion to = from;
    if (info.motion != MotionModel::fixed) {
      to = rigid::predicted(from, motion.free[slot], dt);
    } else {
      // Scripted bodies that carry a field have a velocity over the step, all others none.
      to.x = from.x + dt * from.v;
      to.q = math::normalized(math::rotation_by(dt * from.w) * from.q);
    }
    meshes.end[i].pose = rigid::shape_pose(to, info);
  }
}

void find_sides(Context& context, const SideIn& in, RigidMeshes& meshes, std::vector<Contact>& features,
                StageStats& stats) {
  meshes.limited.clear();
  if (meshes.start.empty()) return;
  const StageTimer timer(stats);
  const auto still = [&](std::size_t part) { return in.still[in.vertices.parts[part].body] != 0; };
  const auto part_of_mesh = [&](std::uint32_t mesh) {
    return static_cast<std::size_t>(
        std::find_if(in.vertices.parts.begin(), in.vertices.parts.end(),
                     [&](const bodies::SurfacePart& part) { return part.id == meshes.ids[mesh]; }) -
        in.vertices.parts.begin());
  };
  meshes.moving_pairs.clear();
  for (const narrow::surface::SidedPair& pair : meshes.pairs) {
    if (!still(pair.part) || !still(part_of_mesh(pair.mesh))) meshes.moving_pairs.push_back(pair);
  }
  const auto sides_in = [&](const std::vector<narrow::surface::SidedMesh>& placed,
                            std::span<const Eigen::Vector3d> positions) {
    return narrow::surface::SidesIn{.triangles = in.vertices.surface().triangles(),
                                    .positions = positions,
                                    .meshes = placed,
                                    .parts = meshes.parts,
                                    .pairs = meshes.moving_pairs,
                                    .excluded_vertices = in.excluded_vertices};
  };
  const auto at_start = [&] { return sides_in(meshes.start, in.vertices.start); };
  const narrow::surface::MeshSides::Changes changes = meshes.contact_sides.apply(
      context.workers, in.at_end ? sides_in(meshes.end, in.vertices.positions) : at_start(), in.within, features);
  stats.add_culled("inside of a mesh", changes.dropped);
  stats.in += changes.added;
  stats.out += changes.added;
  stats.out -= changes.dropped;
  if (!in.continuous) return;
  if (in.at_end) meshes.start_sides.classify(context.workers, at_start());
  const std::span<const Index> inside = (in.at_end ? meshes.start_sides : meshes.contact_sides).inside();
  if (inside.empty()) return;
  meshes.limited.assign(in.vertices.start.size(), 1);
  for (const Index v : inside) meshes.limited[at(v)] = 0;
}

}  // namespace carom::contact
