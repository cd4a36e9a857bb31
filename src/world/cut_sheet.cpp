#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <optional>

#include "bodies/make_body.hpp"
#include "bodies/particles_cut.hpp"
#include "bodies/scripted.hpp"
#include "bodies/sleeping.hpp"
#include "core/at.hpp"
#include "world/state.hpp"

// Sheets that are cut: cloth, particles, and surfaces that no force moves.
namespace carom {
namespace {

using Eigen::Vector3d;

/// Vertices that are where others have just come apart make no contacts with these: copies of them, and vertices that a
/// later cut puts at one place of both edges of an earlier one.
void exclude_fresh(World::State& s, BodyId id, const sheet::CutOutcome& outcome) {
  struct Partner {
    BodyId body;
    Index vertex;
  };
  const Body& body = s.bodies[id];
  const auto partners = [&](Index vertex) {
    std::vector<Partner> list;
    for (const VertexExclusion& e : s.torn) {
      if (e.a == id && e.vertex_a == vertex) list.push_back({e.b, e.vertex_b});
      if (e.b == id && e.vertex_b == vertex) list.push_back({e.a, e.vertex_a});
    }
    return list;
  };
  const double near = 1e-3 * (body.thickness > 0 ? body.thickness : s.options.contact.distance);
  for (const sheet::CutOutcome::Inserted& inserted : outcome.inserted) {
    const Vector3d& place = body.positions[at(inserted.vertex)];
    std::vector<Partner> found;
    for (const VertexExclusion& e : s.torn) {
      for (const auto& [other, vertex] : {Partner{e.a, e.vertex_a}, Partner{e.b, e.vertex_b}}) {
        if ((s.bodies[other].positions[at(vertex)] - place).norm() <= near &&
            !(other == id && vertex == inserted.vertex))
          found.push_back({other, vertex});
      }
    }
    for (const Index end : inserted.edge) {
      for (const Partner& partner : partners(end)) found.push_back(partner);
    }
    for (const auto& [other, vertex] : found) s.torn.push_back({id, inserted.vertex, other, vertex});
  }
  for (const auto& [a, b] : outcome.twins) {
    for (const auto& [other, vertex] : partners(a)) {
      if (!(other == id && vertex == b)) s.torn.push_back({id, b, other, vertex});
    }
    s.torn.push_back({id, a, id, b});
  }
}

/// Copies in a list of the entries that are of a vertex, for its copies.
template <class List, class IsOf, class Rename>
void copy_entries(List& list, const IsOf& is_of, const Rename& rename) {
  const std::size_t count = list.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_of(list[i])) continue;
    auto copy = list[i];
    rename(copy);
    list.push_back(std::move(copy));
  }
}

/// What holds a vertex that became several holds all of them.
void hold_copies(World::State& s, BodyId id, const sheet::CutOutcome& outcome) {
  Body& body = s.bodies[id];
  std::shared_ptr<ClothRest> rest;  // a copy, made when a moving pin is in the cut
  for (const auto& copied : outcome.copies) {
    const Index fresh = copied.first;
    const Index vertex = copied.second;
    copy_entries(
        body.held, [&](const HeldVertex& h) { return h.vertex == vertex; }, [&](HeldVertex& h) { h.vertex = fresh; });
    copy_entries(
        s.attachments, [&](const Attachment& a) { return a.body == id && a.vertex == vertex; },
        [&](Attachment& a) { a.vertex = fresh; });
    copy_entries(
        s.joints, [&](const Joint& j) { return !j.stitch && j.b.body == id && j.b.vertices[0] == vertex; },
        [&](Joint& j) { j.b.vertices[0] = fresh; });
    copy_entries(
        s.attached_exclusions, [&](const VertexExclusion& e) { return e.a == id && e.vertex_a == vertex; },
        [&](VertexExclusion& e) { e.vertex_a = fresh; });
    const auto is_moved = [&](const MovingPins& pins) {
      return std::find(pins.vertices.begin(), pins.vertices.end(), vertex) != pins.vertices.end();
    };
    if (!body.cloth_rest ||
        !std::any_of(body.cloth_rest->moving_pins.begin(), body.cloth_rest->moving_pins.end(), is_moved))
      continue;
    if (!rest) body.cloth_rest = rest = std::make_shared<ClothRest>(*body.cloth_rest);
    for (MovingPins& pins : rest->moving_pins)
      copy_entries(
          pins.vertices, [&](Index v) { return v == vertex; }, [&](Index& v) { v = fresh; });
  }
}

/// Mass of a triangle, kg.
double mass_of(const Body& body, std::size_t triangle) {
  if (body.cloth_rest) {
    const cloth::RestShape rest = rest_shape(body);
    const auto element = cloth::stretch_element(rest, body.cloth_rest->fabrics, triangle);
    return element ? body.cloth_rest->fabrics[rest.fabric(triangle)].density * element->area : 0;
  }
  const auto corner = [&](std::size_t k) { return body.rest_positions[at(body.triangles[triangle][k])]; };
  return 0.5 * body.net.density * (corner(1) - corner(0)).cross(corner(2) - corner(0)).norm();
}

/// Masses of vertices at other triangles than before.
void weigh_near(World::State& s, BodyId id, const sheet::CutOutcome& outcome) {
  Body& body = s.bodies[id];
  if (body.motion != MotionModel::particles) return;
  std::map<Index, double> masses;
  for (const Index v : outcome.vertices) masses[v] = 0;
  for (const Index t : outcome.at_vertices) {
    const double third = mass_of(body, at(t)) / 3;
    for (const Index v : body.triangles[at(t)]) {
      if (const auto found = masses.find(v); found != masses.end()) found->second += third;
    }
  }
  for (const auto& [v, mass] : masses) {
    if (body.inverse_mass[at(v)] > 0) body.inverse_mass[at(v)] = mass > 0 ? 1 / mass : 0;
  }
  for (Attachment& attachment : s.attachments) {
    if (attachment.body != id) continue;
    const auto found = masses.find(attachment.vertex);
    if (found != masses.end() && found->second > 0) attachment.inverse_mass = 1 / found->second;
  }
}

}  // namespace

WorldCut cut_sheet(World::State& s, BodyId id, std::vector<sheet::EdgeCrossing> crossings,
                   const bodies::SurfacePart* joined) {
  WorldCut result{.body = id};
  std::optional<sheet::JoinedTriangles> triangles;
  if (joined != nullptr)
    triangles.emplace(sheet::JoinedTriangles{s.vertices.surface(), joined->first_vertex, joined->first_triangle});
  Body& body = s.bodies[id];
  std::vector<Triangle> before;
  if (body.is_spring_net()) before = body.triangles;
  const sheet::CutOutcome outcome =
      sheet::cut(body, std::move(crossings), s.cut_marks[id], triangles ? &*triangles : nullptr);
  result.crossed = outcome.crossed;
  result.separated = outcome.separated;
  result.length = outcome.length;
  if (!outcome.changed) return result;
  exclude_fresh(s, id, outcome);
  hold_copies(s, id, outcome);
  weigh_near(s, id, outcome);
  if (!before.empty()) particles::follow_cut(before, outcome, body);
  if (body.script) scripted::follow_cut(outcome, body);
  body.pressure = 0;
  if (outcome.separates) result.pieces = split_pieces(s, id);
  if (result.pieces.empty()) change_model(outcome, s.bodies[id]);
  rigid::wake(s.table, slot_of(id));
  // What sleeps on a surface that no force moves does not sleep with it.
  if (s.bodies[id].motion != MotionModel::particles) wake_neighbours(s, id);
  s.edited = true;
  return result;
}

}  // namespace carom
