#include <algorithm>
#include <map>

#include "bodies/particles.hpp"
#include "bodies/scripted.hpp"
#include "core/check.hpp"
#include "core/stage_timer.hpp"
#include "world/state.hpp"

namespace carom {

namespace {

void check_in_range(const Body& body, std::size_t vertex, const Eigen::Vector3d& value, double time) {
  require(is_finite(value), ErrorCode::unstable,
          "body '{}': vertex {} left the range of numbers at time {} s; lower dt, the stiffnesses or the forces",
          body.name, vertex, time);
}

/// Whether the collider of a body is a mesh that keeps its shape.
bool is_rigid_mesh(const World::State& s, const Body& body) {
  const rigid::Bodies& bodies = s.rigid.state.bodies;
  const auto first = static_cast<std::size_t>(bodies.info[static_cast<std::size_t>(body.number)].first_collider);
  return bodies.colliders[first].mesh != nullptr;
}

/// Rigid meshes are parts of the joined surface where vertices may touch them.
bool joins(const World::State& s, const Body& body) {
  return body.has_vertices() || (s.deforming && is_rigid_mesh(s, body));
}

/// Vertices of the part of a body, and its triangles.
std::size_t vertex_count_of(const World::State& s, const Body& body) {
  if (body.has_vertices()) return body.positions.size();
  return s.rigid.state.bodies.info[static_cast<std::size_t>(body.number)].shape.vertices().size();
}
std::span<const Triangle> triangles_of(const World::State& s, const Body& body) {
  if (body.has_vertices()) return body.triangles;
  return s.rigid.state.bodies.info[static_cast<std::size_t>(body.number)].shape.triangles();
}

void join_surfaces(World::State& s) {
  s.deforming = s.options.contact.immovable;
  s.any_rigid = false;
  s.any_particles = false;
  bool any_dynamic = false;
  for (const BodyId id : s.order) {
    const Body& body = s.bodies[id];
    s.deforming |= body.motion == MotionModel::particles || static_cast<bool>(body.script);
    any_dynamic |= body.motion == MotionModel::rigid;
    s.any_rigid |= !body.has_vertices();
    s.any_particles |= body.motion == MotionModel::particles;
  }
  std::size_t vertex_count = 0;
  std::size_t triangle_count = 0;
  for (const BodyId id : s.order) {
    Body& body = s.bodies[id];
    // A mesh that never moves meets rigid bodies as a rigid mesh.
    const auto number = static_cast<std::size_t>(body.number);
    const bool is_surface =
        s.rigid.state.bodies.colliders[static_cast<std::size_t>(s.rigid.state.bodies.info[number].first_collider)]
            .surface;
    if (any_dynamic && body.motion == MotionModel::fixed && is_surface) {
      rigid::set_mesh(s.rigid.state.bodies, number, Shape::mesh({body.positions, body.triangles}));
      s.rigid.state.fat_bounds[number].margin = -1;
      s.rigid.state.pairs_stale = true;
    }
    if (!joins(s, body)) continue;
    vertex_count += vertex_count_of(s, body);
    triangle_count += triangles_of(s, body).size();
  }
  constexpr std::size_t largest = 0x7fffffff / 3;  // the corners of all triangles are numbered, too
  require(vertex_count <= largest && triangle_count <= largest, ErrorCode::unsupported,
          "the bodies of this world have {} vertices and {} triangles; at most {} of each can be numbered",
          vertex_count, triangle_count, largest);

  std::vector<Triangle> triangles;
  std::vector<Index> object_of_triangle;
  triangles.reserve(triangle_count);
  object_of_triangle.reserve(triangle_count);
  s.ranges.clear();
  s.inverse_mass.clear();
  for (const BodyId id : s.order) {
    const Body& body = s.bodies[id];
    if (!joins(s, body)) continue;
    const rigid::Info& info = s.rigid.state.bodies.info[static_cast<std::size_t>(body.number)];
    const auto first = static_cast<Index>(s.inverse_mass.size());
    s.ranges.push_back({.id = id,
                        .serial = body.serial,
                        .first_vertex = first,
                        .vertex_count = static_cast<Index>(vertex_count_of(s, body)),
                        .first_triangle = static_cast<Index>(triangles.size()),
                        .number = body.number,
                        .friction = info.friction,
                        .restitution = info.restitution});
    for (const Triangle& t : triangles_of(s, body)) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    object_of_triangle.resize(triangles.size(), static_cast<Index>(s.ranges.size() - 1));
    if (body.has_vertices()) {
      s.inverse_mass.insert(s.inverse_mass.end(), body.inverse_mass.begin(), body.inverse_mass.end());
    } else {
      s.inverse_mass.resize(s.inverse_mass.size() + vertex_count_of(s, body), 0.0);
    }
  }
  s.surface = Surface(vertex_count, std::move(triangles), std::move(object_of_triangle));
  s.positions.resize(vertex_count);
  s.velocities.resize(vertex_count);
  s.start_velocities.resize(vertex_count);
}

/// Places in s.ranges, which are also the numbers of the objects.
std::map<BodyId, std::size_t> places_of(const World::State& s) {
  std::map<BodyId, std::size_t> places;
  for (std::size_t i = 0; i < s.ranges.size(); ++i) places[s.ranges[i].id] = i;
  return places;
}

void join_filters(World::State& s) {
  JoinedFilters& joined = s.filters;
  joined.rest_positions.clear();
  joined.vertices.clear();
  joined.objects.clear();
  joined.groups.clear();
  std::map<BodyId, std::size_t> place = places_of(s);
  for (std::size_t i = 0; i < s.ranges.size(); ++i) {
    const Body& body = s.bodies[s.ranges[i].id];
    if (body.group != ObjectGroup{}.group || body.mask != ObjectGroup{}.mask)
      joined.groups.push_back({static_cast<Index>(i), body.group, body.mask});
    if (s.options.contact.surface_factor > 0) {
      if (body.has_vertices()) {
        joined.rest_positions.insert(joined.rest_positions.end(), body.rest_positions.begin(),
                                     body.rest_positions.end());
      } else {
        const auto vertices = s.rigid.state.bodies.info[static_cast<std::size_t>(body.number)].shape.vertices();
        joined.rest_positions.insert(joined.rest_positions.end(), vertices.begin(), vertices.end());
      }
    }
  }
  for (const auto& [a, b] : s.excluded_bodies) {
    if (place.contains(a) && place.contains(b))
      joined.objects.push_back({static_cast<Index>(place[a]), static_cast<Index>(place[b])});
  }
  for (const auto& [a, vertex_a, b, vertex_b] : s.excluded_vertices) {
    joined.vertices.push_back({s.ranges[place[a]].first_vertex + vertex_a, s.ranges[place[b]].first_vertex + vertex_b});
  }
}

/// A contact needs a body that it can move, unless all are asked for.
void mark_movable(World::State& s) {
  s.contact_marks.clear();
  if (s.options.contact.immovable) return;
  for (const auto& range : s.ranges)
    s.contact_marks.push_back(s.bodies[range.id].motion == MotionModel::particles ? broad::ObjectChoice::every_mark
                                                                                  : 1);
}

void join_detection(World::State& s) {
  s.any_continuous = false;
  s.parts.clear();
  s.marks.clear();
  s.chosen_pairs.clear();
  for (const auto& range : s.ranges) {
    const Body& body = s.bodies[range.id];
    const bool continuous = body.detection.value_or(s.options.detection) == Detection::continuous;
    s.any_continuous |= continuous;
    s.parts.push_back({range.first_vertex, range.vertex_count, body.motion == MotionModel::scripted});
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

void run_edits(World::State& s, StageStats& stats) {
  const StageTimer timer(stats);
  stats.set_unit("bodies");
  stats.in += s.order.size();
  stats.out += s.order.size();
  if (s.edited) {
    join_surfaces(s);
    mark_movable(s);
  }
  if (s.edited || s.filters_edited) {
    join_detection(s);
    join_filters(s);
  }
  s.edited = false;
  s.filters_edited = false;
}

void run_predict(World::State& s, StageStats& stats) {
  if (s.ranges.empty()) return;
  const StageTimer timer(stats);
  const double dt = s.options.dt;
  s.start.resize(s.surface.vertex_count());
  s.start_velocities.resize(s.start.size());
  s.displacements.assign(s.start.size(), Eigen::Vector3d::Zero());
  s.forces.resize(s.start.size());
  s.awake_inverse_mass = s.inverse_mass;
  s.damped.assign(s.rigid.state.bodies.size(), {});
  for (const contact::SurfacePart& part : s.ranges) {
    const Body& body = s.bodies[part.id];
    const auto first = static_cast<std::size_t>(part.first_vertex);
    const auto count = static_cast<std::size_t>(part.vertex_count);
    const std::span positions(s.positions.data() + first, count);
    const std::span velocities(s.velocities.data() + first, count);
    const std::span start(s.start.data() + first, count);
    if (!body.has_vertices()) {
      // A rigid mesh: where its body is, and where it goes if nothing touches it.
      const auto number = static_cast<std::size_t>(body.number);
      const rigid::Bodies& bodies = s.rigid.state.bodies;
      const rigid::Info& info = bodies.info[number];
      const rigid::Motion& from = bodies.motion[number];
      const rigid::Free& free = s.rigid.free[number];
      const rigid::Motion to{from.x + 0.5 * dt * (from.v + free.v), free.q, free.v, free.w};
      const bool moves = info.motion != MotionModel::fixed;
      const Eigen::Isometry3d pose = rigid::shape_pose(from, info);
      const Eigen::Isometry3d end = moves ? rigid::shape_pose(to, info) : pose;
      const std::span<const Eigen::Vector3d> vertices = info.shape.vertices();
      for (std::size_t v = 0; v < count; ++v) {
        start[v] = pose * vertices[v];
        positions[v] = moves ? Eigen::Vector3d(end * vertices[v]) : start[v];
        velocities[v] = (positions[v] - start[v]) / dt;
      }
    } else {
      std::copy(body.positions.begin(), body.positions.end(), start.begin());
      std::copy(body.velocities.begin(), body.velocities.end(), velocities.begin());
      if (body.motion == MotionModel::fixed || body.asleep) {
        std::copy(body.positions.begin(), body.positions.end(), positions.begin());
        std::fill(velocities.begin(), velocities.end(), Eigen::Vector3d::Zero());
        if (body.asleep) std::fill_n(s.awake_inverse_mass.begin() + part.first_vertex, count, 0.0);
      } else if (body.motion == MotionModel::scripted) {
        scripted::place(body, s.time + dt, positions);
        for (std::size_t v = 0; v < count; ++v) velocities[v] = (positions[v] - body.positions[v]) / dt;
      }
    }
    std::copy(velocities.begin(), velocities.end(), s.start_velocities.begin() + part.first_vertex);
    if (body.motion == MotionModel::particles && !body.asleep) {
      // Springs that are stiffer than the step allows are left out of the prediction, which only says where to look.
      const bool stable = !body.cloth && body.max_step >= dt;
      if (stable) {
        particles::add_forces(body, s.options.gravity, dt, start, std::span(s.displacements).subspan(first, count),
                              velocities, std::span(s.forces).subspan(first, count));
        note_air_damping(s, part, dt, s.displacements);
      }
      for (std::size_t v = 0; v < count; ++v) {
        if (!stable && body.inverse_mass[v] > 0) velocities[v] += dt * s.options.gravity;
        if (body.inverse_mass[v] == 0) velocities[v].setZero();
        positions[v] = start[v] + dt * velocities[v];
        check_in_range(body, v, positions[v], s.time + dt);
      }
    }
    stats.in += count;
    stats.out += count;
  }
  stats.set_unit("vertices");
}

void bound_surfaces(World::State& s, StageStats& stats) {
  const StageTimer timer(stats);
  for (const contact::SurfacePart& part : s.ranges) {
    const auto number = static_cast<std::size_t>(part.number);
    const rigid::Bodies& bodies = s.rigid.state.bodies;
    if (!bodies.colliders[static_cast<std::size_t>(bodies.info[number].first_collider)].surface) continue;
    broad::ColliderBox box{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const auto first = static_cast<std::size_t>(part.first_vertex);
    for (std::size_t v = first; v < first + static_cast<std::size_t>(part.vertex_count); ++v) {
      for (const Eigen::Vector3d* p : {&s.start[v], &s.positions[v]}) {
        box.low = math::lower(box.low, math::to_vec3(*p));
        box.high = math::higher(box.high, math::to_vec3(*p));
      }
    }
    const double grow = 2 * s.options.contact.distance;
    const math::Vec3 margin{grow, grow, grow};
    rigid::bound_surface(s.rigid, number, {box.low - margin, box.high + margin});
  }
}

void run_commit(World::State& s, StageStats& stats) {
  const double dt = s.options.dt;
  const StageTimer timer(stats);
  for (const contact::SurfacePart& part : s.ranges) {
    Body& body = s.bodies[part.id];
    if (!body.has_vertices()) continue;
    const auto first = static_cast<std::ptrdiff_t>(part.first_vertex);
    const auto count = static_cast<std::ptrdiff_t>(body.positions.size());
    std::copy_n(s.positions.begin() + first, count, body.positions.begin());
    std::copy_n(s.velocities.begin() + first, count, body.velocities.begin());
    stats.in += body.positions.size();
    stats.out += body.positions.size();
  }
  stats.set_unit("vertices");
  ++s.steps;
  s.time = static_cast<double>(s.steps) * dt;
}

/// Throws before anything is changed, so that a world which overflowed keeps its last good state.
void check_ends(const World::State& s) {
  for (const contact::SurfacePart& part : s.ranges) {
    const Body& body = s.bodies[part.id];
    const auto first = static_cast<std::size_t>(part.first_vertex);
    for (std::size_t v = 0; v < static_cast<std::size_t>(part.vertex_count); ++v) {
      check_in_range(body, v, s.positions[first + v], s.time + s.options.dt);
      check_in_range(body, v, s.velocities[first + v], s.time + s.options.dt);
    }
  }
}

}  // namespace carom
