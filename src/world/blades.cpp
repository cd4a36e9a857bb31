#include "world/blades.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "carom/mesh/closest.hpp"
#include "core/at.hpp"
#include "core/check.hpp"

namespace carom::world {

using Eigen::Vector3d;

namespace {

/// Point in the frame of the nearest triangle of the shape at rest.
BodyBlade::Point bind(const Body& body, const Vector3d& place) {
  BodyBlade::Point point;
  double nearest = INFINITY;
  for (std::size_t t = 0; t < body.triangles.size(); ++t) {
    const Vector3d& a = body.rest_positions[at(body.triangles[t][0])];
    const Vector3d& b = body.rest_positions[at(body.triangles[t][1])];
    const Vector3d& c = body.rest_positions[at(body.triangles[t][2])];
    if (!((b - a).cross(c - a).norm() > 0)) continue;
    const double distance = closest_vertex_triangle(place, a, b, c).distance;
    if (distance >= nearest) continue;
    nearest = distance;
    point.triangle = static_cast<Index>(t);
    point.local = bodies::triangle_frame(a, b, c).inverse() * place;
  }
  require(point.triangle != none, ErrorCode::bad_mesh, "add_blade: body '{}' has no triangle with an area", body.name);
  return point;
}

Vector3d on_triangle(const BodyBlade::Point& point, const Triangle& t, std::span<const Vector3d> positions) {
  return bodies::triangle_frame(positions[at(t[0])], positions[at(t[1])], positions[at(t[2])]) * point.local;
}

}  // namespace

std::vector<Vector3d> places_of(const World::State& s, const BodyBlade& blade) {
  const Body& body = s.bodies[blade.body];
  std::vector<Vector3d> places;
  for (const BodyBlade::Point& point : blade.points) {
    if (point.triangle == none) {
      const BodySlot slot = slot_of(blade.body);
      places.emplace_back(rigid::shape_pose(s.table.motion[slot], s.table.info[slot]) * point.local);
    } else {
      places.push_back(on_triangle(point, body.triangles[at(point.triangle)], body.positions));
    }
  }
  return places;
}

std::vector<Vector3d> predicted_places(const World::State& s, const BodyBlade& blade, double dt) {
  const Body& body = s.bodies[blade.body];
  const auto part = std::find_if(s.vertices.parts.begin(), s.vertices.parts.end(),
                                 [&](const bodies::SurfacePart& p) { return p.id == blade.body; });
  std::vector<Vector3d> places;
  if (body.has_vertices() && part != s.vertices.parts.end()) {
    for (const BodyBlade::Point& point : blade.points)
      places.push_back(on_triangle(point, body.triangles[at(point.triangle)], part->of(s.vertices.positions)));
    return places;
  }
  const rigid::Motion& motion = s.table.motion[slot_of(blade.body)];
  const Vector3d center = math::to_eigen(motion.x);
  const Vector3d turn = dt * math::to_eigen(motion.w);
  const Eigen::AngleAxisd rotation(turn.norm(), turn.norm() > 0 ? turn.normalized() : Vector3d::UnitX());
  for (const Vector3d& place : places_of(s, blade))
    places.push_back(center + dt * math::to_eigen(motion.v) + rotation * (place - center));
  return places;
}

std::pair<double, double> nearest_on(std::span<const Vector3d> chain, const Vector3d& place) {
  std::pair<double, double> best{INFINITY, 0};
  double along = 0;
  for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
    const Vector3d edge = chain[k + 1] - chain[k];
    const double u = std::clamp((place - chain[k]).dot(edge) / edge.squaredNorm(), 0.0, 1.0);
    const double distance = (chain[k] + u * edge - place).norm();
    if (distance < best.first) best = {distance, along + u * edge.norm()};
    along += edge.norm();
  }
  return best;
}

bool is_cut_as_sheet(const World::State& s, const Body& body) {
  if (body.cloth_rest) return !body.levels.model;
  if (body.is_spring_net()) return s.response == response::Kind::soft;
  return body.cuttable;
}

double thickness_of(const World::State& s, const Body& body) {
  return body.thickness > 0 ? body.thickness : s.options.contact.distance;
}

double fracture_energy_of(const World::State& s, BodyId body) {
  const auto found = s.fracture_energy.find(body);
  return found == s.fracture_energy.end() ? 0 : found->second;
}

EdgePressure pressure_at(const World::State& s, const BodyBlade& blade, std::span<const Vector3d> chain, BodyId body,
                         double within, double dt) {
  EdgePressure pressure;
  for (std::size_t i = 0; i < s.contacts.contacts.size(); ++i) {
    const contact::AnchorIdentity& identity = s.contacts.identities[i];
    const bool first = identity.body_a == blade.body && identity.body_b == body;
    if (!first && !(identity.body_b == blade.body && identity.body_a == body)) continue;
    const contact::AnchorContact& c = s.contacts.contacts[i];
    const auto [distance, along] = nearest_on(chain, math::to_eigen(first ? c.point_a : c.point_b));
    if (distance > within || !(c.total > 0)) continue;
    pressure.sum += c.total / dt;
    pressure.force += (first ? 1 : -1) * c.total / dt * math::to_eigen(c.normal);
    pressure.low = std::min(pressure.low, along);
    pressure.high = std::max(pressure.high, along);
  }
  return pressure;
}

}  // namespace carom::world

namespace carom {

void World::add_blade(BodyId id, const Blade& blade) {
  State& s = *state_;
  require(s.bodies.contains(id), ErrorCode::bad_index,
          "no body has the id {}.{}: it was removed, or is of another world", id.index, id.generation);
  const Body& body = s.bodies[id];
  require(body.motion != MotionModel::particles, ErrorCode::unsupported,
          "add_blade: body '{}' deforms; expected a rigid, scripted or fixed one", body.name);
  require(!body.cuttable, ErrorCode::unsupported,
          "add_blade: body '{}' is cuttable, and its triangles do not stay; expected one that nothing cuts", body.name);
  require(blade.edge.size() >= 2, ErrorCode::invalid_argument,
          "add_blade: the blade of body '{}' has {} points; expected 2 or more", body.name, blade.edge.size());
  BodyBlade added{.body = id, .points = {}, .places = {}};
  for (std::size_t i = 0; i < blade.edge.size(); ++i) {
    require(is_finite(blade.edge[i]), ErrorCode::not_finite,
            "add_blade: point {} of the blade of body '{}' is not finite", i, body.name);
    require(i == 0 || blade.edge[i] != blade.edge[i - 1], ErrorCode::invalid_argument,
            "add_blade: points {} and {} of the blade of body '{}' are at the same place", i - 1, i, body.name);
    added.points.push_back(body.has_vertices() ? world::bind(body, blade.edge[i])
                                               : BodyBlade::Point{.triangle = none, .local = blade.edge[i]});
  }
  added.places = world::places_of(s, added);
  s.blades.push_back(std::move(added));
}

}  // namespace carom
