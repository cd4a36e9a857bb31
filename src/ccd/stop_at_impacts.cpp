#include "ccd/stop_at_impacts.hpp"

#include <cmath>

#include "core/at.hpp"
#include "response/anchor_solver.hpp"

namespace carom::ccd {
namespace {

using contact::Anchor;
using contact::AnchorContact;
using contact::CoupledBody;

/// Sweeps over the impacts at which motion was cut short.
constexpr int stop_sweeps = 8;

AnchorContact contact_of(const MovingContact& impact, const bodies::Vertices& vertices) {
  AnchorContact c;
  const auto split = static_cast<std::size_t>(side_a_size(impact.kind));
  for (std::size_t k = 0; k < 4; ++k) {
    Anchor& side = k < split ? c.a : c.b;
    side.vertices[side.count] = impact.vertices[k];
    side.weights[side.count++] = impact.impact.weights[k];
  }
  c.normal = math::to_vec3(impact.impact.normal);
  const bodies::SurfacePart& a = contact::part_of_vertex(vertices.parts, impact.vertices[0]);
  const bodies::SurfacePart& b = contact::part_of_vertex(vertices.parts, impact.vertices[3]);
  c.friction = std::sqrt(a.friction * b.friction);
  return c;
}

AnchorContact contact_of(const SurfaceLimitScratch::Hit& hit, const BodiesIn& in, const bodies::Vertices& vertices) {
  AnchorContact c;
  const rigid::Bodies& table = in.rigid.bodies;
  const contact::ShapeContacts& pair = in.shapes.contacts[hit.pair];
  const BodySlot body = table.colliders[pair.collider].body;
  c.a.rigid = pair.coupled;
  c.a.arm = math::to_vec3(hit.point) - table.motion[body].x;
  for (const Index v : vertices.surface().triangles()[at(hit.triangle)]) {
    c.b.vertices[c.b.count] = v;
    c.b.weights[c.b.count] = hit.weights[c.b.count];
    ++c.b.count;
  }
  c.normal = math::to_vec3(hit.normal);
  c.friction = std::sqrt(table.info[body].friction * vertices.parts[in.shapes.parts[hit.pair]].friction);
  return c;
}

/// Weight that some vertex that can be moved has at least in a stop that is answered: one with less would have to take
/// the speed over its weight, where pins and bodies that nothing moves have the rest.
constexpr double min_weight = 0.2;

/// Whether impulses can answer a stop.
bool answerable(const AnchorContact& stop, const bodies::Vertices& vertices) {
  for (const Anchor* side : {&stop.a, &stop.b}) {
    for (std::size_t k = 0; k < side->count; ++k) {
      if (vertices.awake_inverse_mass[at(side->vertices[k])] > 0 && std::abs(side->weights[k]) >= min_weight)
        return true;
    }
  }
  return false;
}

/// Whether the stop of two surfaces is one of cloth, and changes velocities that last.
bool of_cloth(const MovingContact& impact, const BodyMap& bodies, const bodies::Vertices& vertices) {
  const Body& a = bodies[contact::part_of_vertex(vertices.parts, impact.vertices[0]).id];
  const Body& b = bodies[contact::part_of_vertex(vertices.parts, impact.vertices[3]).id];
  return !a.is_soft() && !b.is_soft() && (a.cloth != nullptr || b.cloth != nullptr);
}

}  // namespace

void stop_at_impacts(const BodiesIn& in, const BodiesScratch& scratch, const BodyMap* cloth,
                     contact::CoupledBodies& coupled, bodies::Vertices& vertices, SlotSpan<rigid::Motion> next) {
  std::vector<AnchorContact> stops;
  for (const MovingContact& impact : scratch.features.stops) {
    if (cloth == nullptr || of_cloth(impact, *cloth, vertices)) stops.push_back(contact_of(impact, vertices));
  }
  for (const SurfaceLimitScratch::Hit& hit : scratch.surfaces.stops) {
    if (cloth == nullptr || (*cloth)[vertices.parts[in.shapes.parts[hit.pair]].id].cloth != nullptr)
      stops.push_back(contact_of(hit, in, vertices));
  }
  if (cloth != nullptr) std::erase_if(stops, [&](const AnchorContact& stop) { return !answerable(stop, vertices); });
  if (stops.empty()) return;
  for (CoupledBody& body : coupled.list) {
    body.v = next[body.body].v;
    body.w = next[body.body].w;
  }
  const contact::AnchorState state{.bodies = coupled.list,
                                   .velocities = vertices.velocities,
                                   .displacements = vertices.displacements,
                                   .inverse_mass = vertices.awake_inverse_mass};
  response::prepare(stops, state);
  // The impulses noted with the bodies are those of penalty forces.
  const std::vector<CoupledBody> forces = coupled.list;
  for (int k = 0; k < stop_sweeps; ++k) response::sweep(stops, state, {}, in.rigid.dt, false);
  const rigid::Bodies& table = in.rigid.bodies;
  for (std::size_t k = 0; k < coupled.list.size(); ++k) {
    CoupledBody& body = coupled.list[k];
    body.impulse = forces[k].impulse;
    body.moment = forces[k].moment;
    const BodySlot i = body.body;
    if (table.mass[i].inverse == 0 || table.asleep[i] != 0) continue;
    next[i].v = body.v;
    next[i].w = body.w;
  }
}

}  // namespace carom::ccd
