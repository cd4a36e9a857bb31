#include "contact/surface_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "contact/field_pairs.hpp"
#include "core/at.hpp"
#include "core/parallel.hpp"
#include "core/stage_timer.hpp"

namespace carom::contact {
namespace {

/// Distance of the detection beyond the thickness, as a fraction of it, where nothing moves fast.
constexpr double slow_margin = 0.25;
/// Likewise, at most.
constexpr double fast_margin = 1;
constexpr std::size_t shape_chunk = 2;

std::size_t part_of_body(std::span<const SurfacePart> parts, BodySlot body) {
  return static_cast<std::size_t>(
      std::find_if(parts.begin(), parts.end(), [&](const SurfacePart& part) { return part.body == body; }) -
      parts.begin());
}

/// Pairs in which something moves, with the distance up to which contacts matter in this step.
void list_shape_pairs(const SurfaceIn& in, std::span<const double> fastest, ShapeFound& shapes,
                      CoupledBodies& coupled) {
  std::size_t count = 0;
  for (const SurfacePair& pair : in.pairs) {
    const Collider& collider = in.table.colliders[pair.convex];
    const BodySlot surface = in.table.colliders[pair.surface].body;
    if (in.still[collider.body] != 0 && in.still[surface] != 0) continue;
    if (in.table.info[collider.body].field) continue;
    const std::size_t part = part_of_body(in.vertices.parts, surface);
    const double speed =
        rigid::fastest(in.table, collider.body, collider.reach) + fastest[part] + in.dt * in.gravity.norm();
    const double limit = std::max(in.thickness, std::isfinite(collider.size) ? 0.5 * collider.size : in.thickness);
    if (shapes.contacts.size() <= count) shapes.contacts.emplace_back();
    shapes.parts.push_back(part);
    shapes.within.push_back(in.thickness + std::min(in.dt * speed, limit));
    ShapeContacts& found = shapes.contacts[count++];
    found.contacts.clear();
    found.collider = pair.convex;
    found.coupled = coupled.couple(in.table, collider.body);
    found.serial = in.bodies[in.table.info[collider.body].id].serial;
  }
  shapes.contacts.resize(count);
  shapes.convex_count = count;
}

void find_shape_contacts(Context& context, const SurfaceIn& in, SurfaceScratch& scratch, ShapeFound& shapes,
                         CoupledBodies& coupled, StageStats& stats) {
  const StageTimer timer(stats);
  coupled.clear(in.table.size());
  shapes.parts.clear();
  shapes.within.clear();
  list_shape_pairs(in, scratch.fastest, shapes, coupled);
  const std::size_t count = shapes.contacts.size();
  if (count == 0) return;
  const bodies::Vertices& vertices = in.vertices;
  scratch.tree.update(context.workers, vertices.surface(), vertices.start);
  const std::size_t chunks = chunk_count(count, shape_chunk);
  if (scratch.chunks.size() < chunks) scratch.chunks.resize(chunks);
  const std::span<const Triangle> triangles = vertices.surface().triangles();
  parallel_chunks(context.workers, count, shape_chunk, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
    SurfaceScratch::Chunk& own = scratch.chunks[chunk];
    for (std::size_t i = begin; i < end; ++i) {
      ShapeContacts& found = shapes.contacts[i];
      const SurfacePart& part = vertices.parts[shapes.parts[i]];
      const Collider& collider = in.table.colliders[found.collider];
      const Eigen::Isometry3d pose = in.poses.shape(in.table, found.collider);
      const double within = shapes.within[i];
      scratch.tree.find(narrow::surface::shape_box(*collider.core, pose, within), own.tree, own.candidates);
      const Index last = part.first_vertex + part.vertex_count;
      std::erase_if(own.candidates, [&](Index t) {
        const Index v = triangles[at(t)][0];
        return v < part.first_vertex || v >= last;
      });
      narrow::surface::find_shape_contacts(*collider.core, pose, vertices.surface(), vertices.start, own.candidates,
                                           {.within = within, .resolution = resolution_fraction * in.thickness},
                                           own.contacts, found.contacts);
      if (vertices.attached.empty()) continue;
      std::erase_if(found.contacts, [&](const narrow::surface::ShapeContact& c) {
        return std::any_of(c.vertices.begin(), c.vertices.end(),
                           [&](Index v) { return vertices.is_attached(v, collider.body); });
      });
    }
  });
  stats.in += count;
  for (const ShapeContacts& found : shapes.contacts) stats.out += found.contacts.size();
}

/// Pairs of clusters of one surface that carry no force, as they are flat. They would be left out again by
/// ThinContacts, which keeps what is of no cloth.
void find_flat(Context& context, const SurfaceIn& in, const bounds::In& place, double reach, SurfaceScratch& scratch,
               StageStats& stats) {
  scratch.flat.clear();
  if (!in.thin || in.at_end || in.method != mid::Method::clusters || in.scope == PairScope::between) return;
  const StageTimer timer(stats);
  scratch.may_thin.clear();
  for (const SurfacePart& part : in.vertices.parts) scratch.may_thin.push_back(part.cloth ? 1 : 0);
  scratch.flat.find(context, {.surface = place.surface,
                              .positions = place.positions,
                              .reach = reach,
                              .wanted = scratch.may_thin,
                              .hits = scratch.detection.candidates.search.self_hits()});
}

/// Contacts of vertices with the inside of rigid meshes come from another search, which does not know what is tangled.
void drop_tangled(const broad::Tangled& tangled, std::span<const SurfacePart> parts, std::vector<Contact>& features) {
  const auto object_of = [&](Index vertex) {
    return static_cast<Index>(&part_of_vertex(parts, vertex) - parts.data());
  };
  std::erase_if(features, [&](const Contact& c) {
    const std::span<const Index> vertices = c.vertices;
    const auto split = static_cast<std::size_t>(side_a_size(c.kind));
    return tangled.lets_through(vertices.first(split), object_of(vertices.front()), vertices.subspan(split),
                                object_of(vertices.back()));
  });
}

/// Contacts between features at vertices that are sewn together, which would hold a seam open.
std::size_t drop_sewn(std::span<const std::array<Index, 2>> sewn, std::vector<Contact>& features) {
  if (sewn.empty()) return 0;
  return std::erase_if(features, [&](const Contact& c) {
    const auto split = static_cast<std::size_t>(side_a_size(c.kind));
    for (std::size_t i = 0; i < split; ++i) {
      for (std::size_t k = split; k < 4; ++k) {
        const auto [low, high] = std::minmax(c.vertices[i], c.vertices[k]);
        if (std::binary_search(sewn.begin(), sewn.end(), std::array<Index, 2>{low, high})) return true;
      }
    }
    return false;
  });
}

}  // namespace

void CoupledBodies::clear(std::size_t slots) {
  list.clear();
  number.assign(slots, -1);
}

std::int32_t CoupledBodies::couple(const Bodies& table, BodySlot body) {
  std::int32_t& n = number[body];
  if (n < 0) {
    n = static_cast<std::int32_t>(list.size());
    CoupledBody& coupled = list.emplace_back();
    coupled.body = body;
    coupled.v = table.motion[body].v;
    coupled.w = table.motion[body].w;
  }
  return n;
}

void find_surface_contacts(Context& context, const SurfaceIn& in, SurfaceScratch& scratch, RigidMeshes& meshes,
                           std::vector<Contact>& features, ShapeFound& shapes, CoupledBodies& coupled,
                           PipelineStats& stats) {
  features.clear();
  scratch.fastest.clear();
  double fastest = 0;
  for (const SurfacePart& part : in.vertices.parts) {
    scratch.fastest.push_back(bodies::fastest_vertex(in.vertices, part));
    fastest = std::max(fastest, scratch.fastest.back());
  }
  // What comes closer by more than the margin is left to the continuous stage.
  const auto margin_for = [&](double known_motion) {
    if (in.at_end) return 0.0;
    if (known_motion >= 0) return std::clamp(known_motion, slow_margin * in.thickness, fast_margin * in.thickness);
    return (2 * in.dt * fastest > slow_margin * in.thickness ? 1 : slow_margin) * in.thickness;
  };
  // Pairs of a fine surface with itself grow with the square of the distance, and bodies that approach each other are
  // no reason to look for them farther away.
  const double self_margin = margin_for(in.self_motion < 0 ? in.near_motion : in.self_motion);
  const double margin =
      in.at_end ? 0 : std::max(margin_for(in.near_motion), std::min(in.soft_approach, approach_margin * in.thickness));
  const bounds::In place{.surface = in.vertices.surface(),
                         .positions = in.at_end ? in.vertices.positions : in.vertices.start};
  detection::Options options{.distance = in.thickness + margin + meshes.largest_margin(),
                             .pairs = in.scope,
                             .method = in.method,
                             .filters = in.filters,
                             .choice = {.marks = in.marks, .tangled = in.tangled},
                             .sphere_depth = in.sphere_depth,
                             .follow_stretch = true,
                             .flat = &scratch.flat};
  const bool complete = !in.at_end && meshes.start.empty() && in.filters.surface_factor == 0;
  const bool by_pairs = complete && in.thin;
  if (by_pairs) options.self_distance = std::min(options.distance, in.thickness + self_margin);
  find_flat(context, in, place, std::min(options.distance, options.self_distance), scratch, stats[Stage::mid]);
  scratch.complete_within = complete ? in.thickness + margin : 0;
  scratch.self_complete_within = std::min(scratch.complete_within, options.self_distance);
  scratch.left_out = 0;
  if (by_pairs) {
    detection::find_pairs(context, place, options, scratch.detection, stats);
    const StageTimer timer(stats[Stage::narrow]);
    const std::span<const narrow::Hit> found = scratch.detection.narrow.hits;
    scratch.thin.run(context.workers, in.vertices, found, options.self_distance, features, scratch.near);
    scratch.left_out = found.size() - features.size();
  } else {
    detection::run(context, place, options, scratch.detection, features, stats);
  }
  find_sides(context,
             {.vertices = in.vertices,
              .still = in.still,
              .excluded_vertices = in.filters.excluded_vertices,
              .within = in.thickness + margin,
              .at_end = in.at_end,
              .continuous = in.continuous},
             meshes, features, stats[Stage::narrow]);
  if (in.tangled != nullptr && !in.tangled->empty()) drop_tangled(*in.tangled, in.vertices.parts, features);
  if (complete && !by_pairs) {
    scratch.near.clear();
    for (const Contact& c : features) scratch.near.push_back(near_pair_of(c));
  }
  if (in.thin && !by_pairs) {
    const StageTimer timer(stats[Stage::contacts]);
    scratch.thin.run(context.workers, in.vertices, features, scratch.carrying);
    scratch.left_out = features.size() - scratch.carrying.size();
    features.swap(scratch.carrying);
  }
  scratch.sewn = drop_sewn(in.sewn, features);
  find_shape_contacts(context, in, scratch, shapes, coupled, stats[Stage::narrow]);
  find_field_contacts(context, in, scratch, shapes, coupled, stats[Stage::narrow]);
}

}  // namespace carom::contact
