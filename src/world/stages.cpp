#include <algorithm>
#include <map>

#include "bodies/kinematic.hpp"
#include "bodies/particles.hpp"
#include "core/check.hpp"
#include "core/stage_timer.hpp"
#include "world/state.hpp"

namespace carom {

namespace {

/// Of the contact distance: what is that close comes no closer, lest gaps shrink to rounding step by step.
constexpr double gap_share = 1e-3;

void check_in_range(const Body& body, std::size_t vertex, const Eigen::Vector3d& value, double time) {
  require(is_finite(value), ErrorCode::unstable,
          "body '{}': vertex {} left the range of numbers at time {} s; lower dt, the stiffnesses or the forces",
          body.name, vertex, time);
}

void join_surfaces(World::State& s) {
  std::size_t vertex_count = 0;
  std::size_t triangle_count = 0;
  for (const BodyId id : s.order) {
    vertex_count += s.bodies[id].positions.size();
    triangle_count += s.bodies[id].triangles.size();
  }
  constexpr std::size_t most = 0x7fffffff / 3;  // the corners of all triangles are numbered, too
  require(vertex_count <= most && triangle_count <= most, ErrorCode::unsupported,
          "the bodies of this world have {} vertices and {} triangles; at most {} of each can be numbered",
          vertex_count, triangle_count, most);

  std::vector<Triangle> triangles;
  std::vector<Index> object_of_triangle;
  triangles.reserve(triangle_count);
  object_of_triangle.reserve(triangle_count);
  s.ranges.clear();
  s.inverse_mass.clear();
  for (const BodyId id : s.order) {
    const Body& body = s.bodies[id];
    const auto first = static_cast<Index>(s.inverse_mass.size());
    s.ranges.push_back({id, body.serial, first, static_cast<Index>(triangles.size())});
    for (const Triangle& t : body.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    object_of_triangle.resize(triangles.size(), static_cast<Index>(s.ranges.size() - 1));
    s.inverse_mass.insert(s.inverse_mass.end(), body.inverse_mass.begin(), body.inverse_mass.end());
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
      joined.rest_positions.insert(joined.rest_positions.end(), body.rest_positions.begin(), body.rest_positions.end());
    }
  }
  for (const auto& [a, b] : s.excluded_bodies)
    joined.objects.push_back({static_cast<Index>(place[a]), static_cast<Index>(place[b])});
  for (const auto& [a, vertex_a, b, vertex_b] : s.excluded_vertices) {
    joined.vertices.push_back({s.ranges[place[a]].first_vertex + vertex_a, s.ranges[place[b]].first_vertex + vertex_b});
  }
}

/// A contact needs a body that it can move, unless all are asked for.
void mark_movable(World::State& s) {
  s.contact_marks.clear();
  if (s.options.contact.immovable) return;
  for (const auto& range : s.ranges)
    s.contact_marks.push_back(s.bodies[range.id].kind == BodyKind::particles ? broad::ObjectChoice::every_mark : 1);
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
    s.parts.push_back(
        {range.first_vertex, static_cast<Index>(body.positions.size()), body.kind == BodyKind::kinematic});
    // A pair needs one that is continuous and one that can be held back.
    s.marks.push_back(static_cast<std::uint8_t>((continuous ? 1 : 0) | (body.kind == BodyKind::particles ? 2 : 0)));
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
  const StageTimer timer(stats);
  const double dt = s.options.dt;
  for (std::size_t i = 0; i < s.order.size(); ++i) {
    const Body& body = s.bodies[s.order[i]];
    const auto first = static_cast<std::size_t>(s.ranges[i].first_vertex);
    const std::span positions(s.positions.data() + first, body.positions.size());
    const std::span velocities(s.velocities.data() + first, body.positions.size());
    const std::span before(s.start_velocities.data() + first, body.positions.size());
    std::copy(body.velocities.begin(), body.velocities.end(), before.begin());
    switch (body.kind) {
      case BodyKind::static_body:
        std::copy(body.positions.begin(), body.positions.end(), positions.begin());
        std::fill(velocities.begin(), velocities.end(), Eigen::Vector3d::Zero());
        break;
      case BodyKind::kinematic:
        kinematic::place(body, s.time + dt, positions);
        for (std::size_t v = 0; v < positions.size(); ++v) velocities[v] = (positions[v] - body.positions[v]) / dt;
        std::copy(velocities.begin(), velocities.end(), before.begin());
        break;
      case BodyKind::particles:
        particles::predict(body, s.options.gravity, dt, positions, velocities);
        for (std::size_t v = 0; v < positions.size(); ++v) check_in_range(body, v, positions[v], s.time + dt);
        break;
      case BodyKind::rigid:
        break;  // never in a world with meshes
    }
    stats.in += positions.size();
    stats.out += positions.size();
  }
  stats.set_unit("vertices");
}

void note_response(World::State& s) {
  for (std::size_t i = 0; i < s.found.size(); ++i) {
    const Contact& contact = s.found[i];
    const auto split = static_cast<std::size_t>(side_a_size(contact.kind));
    double speed = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const Eigen::Vector3d& velocity = s.start_velocities[static_cast<std::size_t>(contact.vertices[k])];
      speed += (k < split ? -contact.weights[k] : contact.weights[k]) * velocity.dot(contact.normal);
    }
    s.next_contacts.contacts[i].normal_speed = speed;
    s.next_contacts.contacts[i].impulse = s.penalty.impulses[i];
  }
}

void run_advance(Context& context, World::State& s, StageStats& stats) {
  const double dt = s.options.dt;
  {
    const StageTimer timer(stats);
    for (std::size_t i = 0; i < s.order.size(); ++i) {
      const Body& body = s.bodies[s.order[i]];
      const auto first = static_cast<std::size_t>(s.ranges[i].first_vertex);
      for (std::size_t v = 0; v < body.positions.size(); ++v) {
        Eigen::Vector3d& position = s.positions[first + v];
        if (body.inverse_mass[v] > 0) position = body.positions[v] + dt * s.velocities[first + v];
        check_in_range(body, v, position, s.time + dt);
      }
    }
    if (!s.any_continuous) return;
    s.start.clear();
    for (const BodyId id : s.order)
      s.start.insert(s.start.end(), s.bodies[id].positions.begin(), s.bodies[id].positions.end());
  }
  limit::run(context,
             {.surface = s.surface,
              .start = s.start,
              .inverse_mass = s.inverse_mass,
              .parts = s.parts,
              .choice = {s.marks, s.chosen_pairs},
              .dt = dt},
             {.pairs = s.options.contact.pairs,
              .method = mid::is_tree(s.method) ? s.method : mid::Method::bvh,
              .filters = filters_of(s),
              .gap = gap_share * s.options.contact.distance},
             s.limit, s.positions, s.velocities, stats);
}

void run_commit(World::State& s, StageStats& stats) {
  const StageTimer timer(stats);
  const double dt = s.options.dt;
  // Look before anything is changed, so that a world which overflowed keeps its last good state.
  for (std::size_t i = 0; i < s.order.size(); ++i) {
    const Body& body = s.bodies[s.order[i]];
    const auto first = static_cast<std::size_t>(s.ranges[i].first_vertex);
    for (std::size_t v = 0; v < body.positions.size(); ++v) {
      check_in_range(body, v, s.positions[first + v], s.time + dt);
      check_in_range(body, v, s.velocities[first + v], s.time + dt);
    }
  }
  for (std::size_t i = 0; i < s.order.size(); ++i) {
    Body& body = s.bodies[s.order[i]];
    const auto first = static_cast<std::ptrdiff_t>(s.ranges[i].first_vertex);
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

}  // namespace carom
