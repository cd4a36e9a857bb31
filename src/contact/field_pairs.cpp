#include "contact/field_pairs.hpp"

#include <algorithm>

#include "core/at.hpp"
#include "core/stage_timer.hpp"

namespace carom::contact {
namespace {

/// Part of the joined surface with its triangles.
field::FieldSurface surface_of(const bodies::Vertices& vertices, std::size_t number) {
  const SurfacePart& part = vertices.parts[number];
  const auto next = number + 1 < vertices.parts.size() ? vertices.parts[number + 1].first_triangle
                                                       : static_cast<Index>(vertices.surface().triangles().size());
  return {.surface = vertices.surface(),
          .positions = vertices.start,
          .first_vertex = part.first_vertex,
          .vertex_count = part.vertex_count,
          .first_triangle = part.first_triangle,
          .triangle_count = next - part.first_triangle};
}

}  // namespace

void find_field_contacts(Context& context, const SurfaceIn& in, SurfaceScratch& scratch, ShapeFound& shapes,
                         CoupledBodies& coupled, StageStats& stats) {
  if (in.field_pairs.empty()) return;
  const StageTimer timer(stats);
  for (const FieldPair& pair : in.field_pairs) {
    const rigid::Info& info = in.table.info[pair.body];
    if (in.still[pair.body] != 0 && in.still[in.vertices.parts[pair.part].body] != 0) continue;
    const double speed =
        rigid::fastest(in.table, pair.body, info.reach) + scratch.fastest[pair.part] + in.dt * in.gravity.norm();
    const double within = in.thickness + std::min(in.dt * speed, std::max(in.thickness, 0.5 * info.size));
    shapes.parts.push_back(pair.part);
    shapes.within.push_back(within);
    ShapeContacts& found = shapes.contacts.emplace_back();
    found.collider = info.first_collider;
    found.coupled = coupled.couple(in.table, pair.body);
    found.serial = in.bodies[info.id].serial;
    field::find_field_contacts(context.workers, *info.field, rigid::shape_pose(in.table.motion[pair.body], info),
                               surface_of(in.vertices, pair.part),
                               {.within = within, .resolution = resolution_fraction * in.thickness}, scratch.field,
                               found.contacts);
    if (!in.vertices.attached.empty()) {
      std::erase_if(found.contacts, [&](const narrow::surface::ShapeContact& c) {
        return std::any_of(c.vertices.begin(), c.vertices.end(),
                           [&](Index v) { return in.vertices.is_attached(v, pair.body); });
      });
    }
    stats.out += found.contacts.size();
  }
}

}  // namespace carom::contact
