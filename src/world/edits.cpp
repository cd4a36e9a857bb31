#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "contact/resting_contacts.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "core/stage_timer.hpp"
#include "core/writable.hpp"
#include "shapes/shape_data.hpp"
#include "world/blades.hpp"

namespace carom {

namespace {

/// Whether the collider of a body is a mesh that keeps its shape.
bool is_rigid_mesh(const World::State& s, const Body& body) {
  return s.table.colliders[s.table.info[body.slot].first_collider].mesh != nullptr;
}

/// Whether deforming bodies touch the distance field of a body, whatever its colliders are.
bool has_field(const World::State& s, const Body& body) {
  return s.table.info[body.slot].field.has_value();
}

/// Rigid meshes are parts of the joined surface where vertices may touch them.
bool joins(const World::State& s, const Body& body) {
  return body.has_vertices() || (s.deforming && (is_rigid_mesh(s, body) || has_field(s, body)));
}

/// Vertices of the part of a body, and its triangles.
std::size_t vertex_count_of(const World::State& s, const Body& body) {
  if (body.has_vertices()) return body.positions.size();
  return s.table.info[body.slot].shape.vertices().size();
}
std::span<const Triangle> triangles_of(const World::State& s, const Body& body) {
  if (body.has_vertices()) return body.triangles;
  return s.table.info[body.slot].shape.triangles();
}

/// 0 of bodies that keep their shape.
double thickness_of(const World::State& s, const Body& body) {
  if (body.motion != MotionModel::particles) return 0;
  return body.thickness > 0 ? body.thickness : s.options.contact.distance;
}

/// Where bodies were cut, the joined surface is changed where it differs: so is all that follows it (Surface::update).
void join_triangles(World::State& s, std::size_t vertex_count, std::vector<Triangle>&& triangles,
                    std::vector<Index>&& object_of_triangle) {
  const std::span<const Index> objects = s.vertices.surface().objects();
  // Objects of bodies that have gone would stay in it.
  const bool same_objects =
      !objects.empty() && !object_of_triangle.empty() && objects.back() <= object_of_triangle.back();
  if (!same_objects && std::none_of(triangles.begin(), triangles.end(), is_dead)) {
    s.vertices.joined = std::make_shared<Surface>(vertex_count, std::move(triangles), std::move(object_of_triangle));
    return;
  }
  const std::shared_ptr<Surface> surface =
      same_objects ? writable(s.vertices.joined) : std::make_shared<Surface>(0, std::vector<Triangle>{});
  surface->update(vertex_count, triangles, object_of_triangle);
  s.vertices.joined = surface;
}

/// First numbers of the parts of bodies in the joined surface. A body that is cut gets vertices and triangles: there is
/// room behind it, so that the bodies after it keep their numbers, and all that follows the surface changes near the
/// cut only. Vertices there are in no triangle, and triangles are dead.
class PartPlaces {
 public:
  explicit PartPlaces(const World::State& s) : s_(s), before_(s.vertices.parts) {
    std::vector<BodyId> now;
    for (const BodyId id : s.order) {
      if (joins(s, s.bodies[id])) now.push_back(id);
    }
    const auto same = [](const bodies::SurfacePart& part, BodyId id) { return part.id == id; };
    follows_ = before_.size() <= now.size() && std::equal(before_.begin(), before_.end(), now.begin(), same);
  }

  /// Of the next part, after those that end here.
  void place(BodyId id, std::size_t vertex_end, std::size_t triangle_end) {
    const Body& body = s_.bodies[id];
    const std::size_t number = count_++;
    first_vertex = vertex_end;
    first_triangle = triangle_end;
    if (follows_ && number < before_.size() && first_vertex <= at(before_[number].first_vertex) &&
        first_triangle <= at(before_[number].first_triangle)) {
      first_vertex = at(before_[number].first_vertex);
      first_triangle = at(before_[number].first_triangle);
    } else if (number > 0) {
      first_vertex += vertex_room_;
      first_triangle += triangle_room_;
    }
    const bool may_grow =
        body.soft.lattice || (!s_.blades.empty() && world::is_cut_as_sheet(s_, body)) || s_.cut_marks.contains(id);
    constexpr std::size_t smallest_room = 64;
    vertex_room_ = may_grow ? body.positions.size() / 8 + smallest_room : 0;
    triangle_room_ = may_grow ? body.triangles.size() / 8 + smallest_room : 0;
  }

  std::size_t first_vertex = 0;
  std::size_t first_triangle = 0;

 private:
  const World::State& s_;
  std::vector<bodies::SurfacePart> before_;
  bool follows_ = false;
  std::size_t count_ = 0;
  std::size_t vertex_room_ = 0;
  std::size_t triangle_room_ = 0;
};

void join_surfaces(World::State& s) {
  s.deforming = s.options.contact.immovable;
  s.any_rigid = false;
  s.any_particles = false;
  s.any_cloth = false;
  bool any_dynamic = false;
  for (const BodyId id : s.order) {
    const Body& body = s.bodies[id];
    s.deforming |= body.motion == MotionModel::particles || static_cast<bool>(body.script) || body.cuttable;
    any_dynamic |= body.motion == MotionModel::rigid;
    s.any_rigid |= !body.has_vertices();
    s.any_particles |= body.motion == MotionModel::particles;
    s.any_cloth |= sheet::collides_as_cloth(body) || body.is_soft();
  }
  std::size_t vertex_count = 0;
  std::size_t triangle_count = 0;
  for (const BodyId id : s.order) {
    Body& body = s.bodies[id];
    // A fixed mesh collides with rigid bodies as a rigid mesh, unless blades cut it.
    const BodySlot slot = body.slot;
    const bool is_surface = s.table.colliders[s.table.info[slot].first_collider].surface;
    if (any_dynamic && body.motion == MotionModel::fixed && is_surface && !body.cuttable) {
      rigid::set_mesh(s.table, slot,
                      has_field(s, body) ? s.table.info[slot].shape : Shape::mesh({body.positions, body.triangles}));
      s.bounds.fat[slot].margin = -1;
      s.pairs.stale = true;
    }
    if (!joins(s, body)) continue;
    vertex_count += vertex_count_of(s, body);
    triangle_count += triangles_of(s, body).size();
  }
  constexpr std::size_t largest = 0x7fffffff / 3;  // the corners of all triangles are numbered, too
  require(vertex_count <= largest && triangle_count <= largest, ErrorCode::unsupported,
          "the bodies of this world have {} vertices and {} triangles; at most {} of each can be numbered",
          vertex_count, triangle_count, largest);

  PartPlaces places(s);
  std::vector<Index>& names = s.vertices.triangle_names;
  names.clear();
  const bool named =
      std::any_of(s.order.begin(), s.order.end(), [&](BodyId id) { return !s.bodies[id].triangle_names.empty(); });
  std::vector<Triangle> triangles;
  std::vector<Index> object_of_triangle;
  triangles.reserve(triangle_count);
  object_of_triangle.reserve(triangle_count);
  s.vertices.parts.clear();
  s.vertices.inverse_mass.clear();
  for (const BodyId id : s.order) {
    Body& body = s.bodies[id];
    if (!joins(s, body)) continue;
    const rigid::Info& info = s.table.info[body.slot];
    places.place(id, s.vertices.inverse_mass.size(), triangles.size());
    const auto first = static_cast<Index>(places.first_vertex);
    s.vertices.inverse_mass.resize(places.first_vertex, 0.0);
    triangles.resize(places.first_triangle, Triangle{none, none, none});
    object_of_triangle.resize(triangles.size(), static_cast<Index>(s.vertices.parts.size()));
    s.vertices.parts.push_back({.id = id,
                                .serial = body.serial,
                                .first_vertex = first,
                                .vertex_count = static_cast<Index>(vertex_count_of(s, body)),
                                .first_triangle = static_cast<Index>(triangles.size()),
                                .body = body.slot,
                                .friction = info.friction,
                                .restitution = info.restitution,
                                .cloth = sheet::collides_as_cloth(body) || body.is_soft(),
                                .thickness = thickness_of(s, body)});
    for (const Triangle& t : triangles_of(s, body)) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    object_of_triangle.resize(triangles.size(), static_cast<Index>(s.vertices.parts.size() - 1));
    if (named) {
      names.resize(places.first_triangle, none);
      if (!body.triangle_names.empty()) name_new_triangles(body.triangles.size(), body);
      const std::size_t count = triangles.size() - places.first_triangle;
      for (std::size_t t = 0; t < count; ++t)
        names.push_back(body.triangle_names.empty() ? static_cast<Index>(t) : body.triangle_names[t]);
    }
    if (body.has_vertices()) {
      s.vertices.inverse_mass.insert(s.vertices.inverse_mass.end(), body.inverse_mass.begin(), body.inverse_mass.end());
    } else {
      s.vertices.inverse_mass.resize(s.vertices.inverse_mass.size() + vertex_count_of(s, body), 0.0);
    }
  }
  vertex_count = s.vertices.inverse_mass.size();
  join_triangles(s, vertex_count, std::move(triangles), std::move(object_of_triangle));
  for (auto* list : {&s.vertices.positions, &s.vertices.velocities, &s.vertices.start, &s.vertices.start_velocities,
                     &s.vertices.forces})
    list->resize(vertex_count, Eigen::Vector3d::Zero());
  contact::renumber(s.vertices.parts, s.resting);
  s.thickness = s.min_thickness = s.options.contact.distance;
  for (const bodies::SurfacePart& part : s.vertices.parts) {
    if (part.thickness == 0) continue;
    s.thickness = std::max(s.thickness, part.thickness);
    s.min_thickness = std::min(s.min_thickness, part.thickness);
  }
}

/// Places in s.vertices.parts, which are also the numbers of the objects.
std::map<BodyId, std::size_t> places_of(const World::State& s) {
  std::map<BodyId, std::size_t> places;
  for (std::size_t i = 0; i < s.vertices.parts.size(); ++i) places[s.vertices.parts[i].id] = i;
  return places;
}

void join_filters(World::State& s) {
  JoinedFilters& joined = s.filters;
  joined.rest_positions.clear();
  joined.vertices.clear();
  joined.objects.clear();
  joined.groups.clear();
  std::map<BodyId, std::size_t> place = places_of(s);
  for (std::size_t i = 0; i < s.vertices.parts.size(); ++i) {
    const Body& body = s.bodies[s.vertices.parts[i].id];
    if (body.filter != CollisionFilter{}) joined.groups.push_back({static_cast<Index>(i), body.filter});
    if (s.options.contact.surface_factor > 0) {
      joined.rest_positions.resize(at(s.vertices.parts[i].first_vertex), Eigen::Vector3d::Zero());
      if (body.has_vertices()) {
        joined.rest_positions.insert(joined.rest_positions.end(), body.rest_positions.begin(),
                                     body.rest_positions.end());
      } else {
        const auto vertices = s.table.info[body.slot].shape.vertices();
        joined.rest_positions.insert(joined.rest_positions.end(), vertices.begin(), vertices.end());
      }
    }
  }
  for (const auto& [a, b] : s.excluded_bodies) {
    if (place.contains(a) && place.contains(b))
      joined.objects.push_back({static_cast<Index>(place[a]), static_cast<Index>(place[b])});
  }
  for (const auto& [a, vertex_a, b, vertex_b] : s.excluded_vertices) {
    joined.vertices.push_back(
        {s.vertices.parts[place[a]].first_vertex + vertex_a, s.vertices.parts[place[b]].first_vertex + vertex_b});
  }
  join_attachments(s, place);
}

/// Mesh of a part that keeps its shape: that of a rigid body, or of a fixed body with vertices.
std::optional<Shape> rigid_mesh_of(const World::State& s, BodyId id) {
  const Body& body = s.bodies[id];
  if (is_rigid_mesh(s, body) || has_field(s, body)) return s.table.info[body.slot].shape;
  if (body.motion != MotionModel::fixed || body.cuttable) return {};
  const contact::RigidMeshes& known = s.rigid_meshes;
  const auto found = std::find(known.ids.begin(), known.ids.end(), id);
  if (found != known.ids.end()) return known.shapes[static_cast<std::size_t>(found - known.ids.begin())];
  return Shape::mesh({body.positions, body.triangles});
}

/// Rigid meshes that have an inside or a margin, and the particles that may touch them.
void join_meshes(World::State& s) {
  contact::RigidMeshes joined;
  s.field_pairs.clear();
  joined.parts.reserve(s.vertices.parts.size());
  for (const contact::SurfacePart& range : s.vertices.parts)
    joined.parts.push_back({range.first_vertex, range.vertex_count, range.first_triangle});
  if (s.any_particles) {
    for (std::size_t i = 0; i < s.vertices.parts.size(); ++i) {
      const std::optional<Shape> shape = rigid_mesh_of(s, s.vertices.parts[i].id);
      if (!shape) continue;
      const shapes::MeshData* mesh = shape->data().mesh.get();
      if (!mesh->any_closed && shape->margin() == 0) continue;
      joined.parts[i].mesh = static_cast<std::int32_t>(joined.start.size());
      joined.shapes.push_back(*shape);
      joined.ids.push_back(s.vertices.parts[i].id);
      const std::optional<DistanceField>& field = s.table.info[s.vertices.parts[i].body].field;
      if (field) joined.fields.push_back(*field);
      joined.start.push_back(
          {.mesh = mesh, .margin = shape->margin(), .field = field ? &joined.fields.back() : nullptr});
      for (std::size_t k = 0; k < s.vertices.parts.size(); ++k) {
        const Body& mesh_body = s.bodies[s.vertices.parts[i].id];
        const Body& body = s.bodies[s.vertices.parts[k].id];
        if (body.motion != MotionModel::particles || s.options.contact.pairs == PairScope::self) continue;
        if (!may_collide(mesh_body.filter, body.filter)) continue;
        const auto excluded = [&](const std::array<Index, 2>& pair) {
          const std::array<Index, 2> both{static_cast<Index>(i), static_cast<Index>(k)};
          return pair == both || pair == std::array{both[1], both[0]};
        };
        if (std::any_of(s.filters.objects.begin(), s.filters.objects.end(), excluded)) continue;
        joined.pairs.push_back({static_cast<std::uint32_t>(joined.start.size() - 1), static_cast<std::uint32_t>(k)});
        if (field) s.field_pairs.push_back({s.vertices.parts[i].body, k});
      }
    }
  }
  joined.end = joined.start;
  s.rigid_meshes = std::move(joined);
}

/// Parts with a field make no contacts of features with those that deform; dynamic ones make none at all, as their
/// colliders do.
void join_contact_objects(World::State& s) {
  std::vector<std::array<Index, 2>>& objects = s.filters.contact_objects;
  objects = s.filters.objects;
  for (std::size_t i = 0; i < s.vertices.parts.size(); ++i) {
    const Body& body = s.bodies[s.vertices.parts[i].id];
    if (!has_field(s, body)) continue;
    for (std::size_t k = 0; k < s.vertices.parts.size(); ++k) {
      const bool deforms = s.bodies[s.vertices.parts[k].id].motion == MotionModel::particles;
      if (k != i && (deforms || body.motion == MotionModel::rigid))
        objects.push_back({static_cast<Index>(i), static_cast<Index>(k)});
    }
  }
}

/// m/s; how fast what stops a vertex is taken to go along a sheet that was cut: several times as fast as stress does,
/// so that the energy of the strain, which goes with the square, is a small part of the kinetic energy. The sheet's
/// lips and strips meet suddenly and from near: contacts find them late, and continuous detection stops single vertices
/// of light triangles.
double stress_speed_of(const Body& body) {
  constexpr double factor = 4;
  double square = body.net.density > 0 ? body.net.stretch_stiffness / body.net.density : 0;
  if (body.cloth_rest) {
    for (const Fabric& fabric : body.cloth_rest->fabrics)
      square = std::max(square, std::max(fabric.warp_stiffness, fabric.weft_stiffness) / fabric.density);
  }
  return factor * std::sqrt(square);
}

void join_detection(World::State& s) {
  s.any_continuous = false;
  s.parts.clear();
  s.marks.clear();
  s.chosen_pairs.clear();
  for (const auto& range : s.vertices.parts) {
    const Body& body = s.bodies[range.id];
    const bool continuous = body.detection.value_or(s.options.detection) == Detection::continuous;
    s.any_continuous |= continuous;
    // A rigid body with a field moves as its contacts have it; vertices do not stop it here.
    const bool moves = body.motion == MotionModel::scripted || body.motion == MotionModel::rigid;
    ccd::limit::Part part{.first_vertex = range.first_vertex, .vertex_count = range.vertex_count, .kinematic = moves};
    if (body.whole) {
      part.stress_speed = stress_speed_of(body);
      part.whole = body.whole;
    }
    s.parts.push_back(part);
    // A pair needs one that is continuous and one that can be held back.
    s.marks.push_back(
        static_cast<std::uint8_t>((continuous ? 1 : 0) | (body.motion == MotionModel::particles ? 2 : 0)));
  }
  const std::map<BodyId, std::size_t> place = places_of(s);
  for (const auto& [bodies, detection] : s.pair_detection) {
    std::array<Index, 2> objects{static_cast<Index>(place.at(bodies[0])), static_cast<Index>(place.at(bodies[1]))};
    std::sort(objects.begin(), objects.end());
    const bool can_be_held =
        ((s.marks[static_cast<std::size_t>(objects[0])] | s.marks[static_cast<std::size_t>(objects[1])]) & 2) != 0;
    const bool chosen = detection == Detection::continuous && can_be_held;
    s.any_continuous |= chosen;
    s.chosen_pairs.push_back({objects, chosen});
  }
  std::sort(s.chosen_pairs.begin(), s.chosen_pairs.end(),
            [](const auto& left, const auto& right) { return left.objects < right.objects; });
}

}  // namespace

ContactFilters filters_of(const World::State& s) {
  return {.surface_factor = s.options.contact.surface_factor,
          .rest_positions = s.filters.rest_positions,
          .excluded_vertices = s.filters.vertices,
          .excluded_objects = s.filters.objects,
          .groups = s.filters.groups};
}

void join_bodies(World::State& s, StageStats& stats) {
  const StageTimer timer(stats);
  if (s.edited) join_surfaces(s);
  if (s.edited || s.filters_edited) {
    join_detection(s);
    join_filters(s);
    join_meshes(s);
    join_contact_objects(s);
  }
  s.edited = false;
  s.filters_edited = false;
}

void run_edits(World::State& s, StageStats& stats) {
  join_bodies(s, stats);
  const StageTimer timer(stats);
  stats.set_unit("bodies");
  stats.in += s.order.size();
  stats.out += s.order.size();
  bodies::update_levels(s.order, s.table, s.bodies, stats);
  bodies::update_soft(s.workers, s.order, s.table, s.time, s.options.dt, s.bodies);
}

}  // namespace carom
