#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "bodies/make_body.hpp"
#include "bodies/sleeping.hpp"
#include "bodies/soft_cut.hpp"
#include "carom/detect/continuous.hpp"
#include "carom/mesh/closest.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "world/blades.hpp"

// Blades and what they cut in a step: every edge of cloth, and every link between voxels of a soft body, that a segment
// of a blade passes through, decided by the exact test of two edges in motion.
namespace carom {
namespace {

using Eigen::Vector3d;

const Body& cut_body_of(const World::State& s, BodyId id) {
  require(s.bodies.contains(id), ErrorCode::bad_index,
          "no body has the id {}.{}: it was removed, or is of another world", id.index, id.generation);
  return s.bodies[id];
}

/// Cloth, or a soft body that was made to be cut.
const Body& cuttable_of(const World::State& s, BodyId id, const char* what) {
  const Body& body = cut_body_of(s, id);
  if (body.is_soft()) {
    require(body.soft.lattice != nullptr, ErrorCode::unsupported,
            "{}: body '{}' is soft and was not made to be cut; SoftBody::cuttable makes it so", what, body.name);
    return body;
  }
  require(body.cloth_rest != nullptr, ErrorCode::unsupported, "{}: body '{}' is no cloth", what, body.name);
  require(!body.levels.model, ErrorCode::unsupported, "{}: body '{}' has several levels; expected levels 1", what,
          body.name);
  return body;
}

/// Sides of a box beyond which a vertex is all along its way, a bit each.
std::vector<std::uint8_t> sides_beyond(const world::Box& box, std::span<const Vector3d> start,
                                       std::span<const Vector3d> end) {
  std::vector<std::uint8_t> beyond(start.size());
  for (std::size_t v = 0; v < start.size(); ++v) {
    unsigned sides = 0;
    for (Eigen::Index k = 0; k < 3; ++k) {
      sides |= start[v][k] < box.low[k] && end[v][k] < box.low[k] ? 1U << (2 * k) : 0U;
      sides |= start[v][k] > box.high[k] && end[v][k] > box.high[k] ? 2U << (2 * k) : 0U;
    }
    beyond[v] = static_cast<std::uint8_t>(sides);
  }
  return beyond;
}

/// Edges of vertices that the segments of a chain pass through. Of several crossings of one edge the first counts.
void find_crossings(std::span<const Edge> edges, Index first, std::span<const Vector3d> start,
                    std::span<const Vector3d> end, const world::ChainMotion& chain,
                    std::vector<cloth::EdgeCrossing>& crossings) {
  const world::Box all = chain.box();
  std::vector<world::Box> boxes(chain.start.size() - 1);
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    for (const std::size_t i : {k, k + 1}) {
      boxes[k].extend(chain.start[i]);
      boxes[k].extend(chain.end[i]);
    }
  }
  const std::vector<std::uint8_t> beyond = sides_beyond(all, start, end);
  for (const Edge& edge : edges) {
    const std::size_t a = at(edge[0] - first);
    const std::size_t b = at(edge[1] - first);
    if ((beyond[a] & beyond[b]) != 0) continue;
    world::Box box;
    for (const Vector3d* p : {&start[a], &start[b], &end[a], &end[b]}) box.extend(*p);
    if (!box.overlaps(all)) continue;
    cloth::EdgeCrossing found{
        .edge = {edge[0] - first, edge[1] - first}, .fraction = 0, .time = 2, .blade = chain.blade};
    for (std::size_t k = 0; k < boxes.size(); ++k) {
      if (!box.overlaps(boxes[k])) continue;
      const Impact impact = first_impact(ContactKind::edge_edge,
                                         {.start = {chain.start[k], chain.start[k + 1], start[a], start[b]},
                                          .end = {chain.end[k], chain.end[k + 1], end[a], end[b]}},
                                         {.exact = true});
      if (!impact.collides || impact.time >= found.time) continue;
      found.time = impact.time;
      found.fraction = std::clamp(std::abs(impact.weights[3]), 0.0, 1.0);
    }
    if (found.time <= 1) crossings.push_back(found);
  }
}

/// Edges of a part of the joined surface, which ascend by their first vertex.
std::span<const Edge> edges_of(const World::State& s, const bodies::SurfacePart& part) {
  const std::span<const Edge> edges = s.vertices.surface().edges();
  const auto begins = [](const Edge& edge, Index vertex) { return edge[0] < vertex; };
  const auto low = std::lower_bound(edges.begin(), edges.end(), part.first_vertex, begins);
  return {low, std::lower_bound(low, edges.end(), part.first_vertex + part.vertex_count, begins)};
}

/// Whether the edge of a blade presses on a cloth as hard as a cut takes: force at least fracture energy times the
/// length of the edge that touches (Mahvash and Hayward 2001: the work of a cut is that of its area).
bool presses_enough(const World::State& s, const BodyBlade& blade, std::span<const Vector3d> chain, BodyId cloth,
                    double thickness, double dt) {
  const world::EdgePressure at_edge = world::pressure_at(s, blade, chain, cloth, thickness, dt);
  if (!(at_edge.sum > 0)) return false;
  return at_edge.sum >= world::fracture_energy_of(s, cloth) * (at_edge.high - at_edge.low + thickness);
}

/// Edges that the chain is pressed against: near it and ahead of it.
void find_pressed(const World::State& s, const bodies::SurfacePart& part, const Body& body, std::span<const Edge> edges,
                  const world::ChainMotion& chain, double thickness, std::vector<cloth::EdgeCrossing>& crossings) {
  constexpr double reach = 1.5;  // in units of the thickness: contacts hold cloth off by one
  constexpr double ahead = 0.5;  // cosine of the angle between the motion of the blade and the direction to the edge
  world::Box box = chain.box();
  box.low.array() -= reach * thickness;
  box.high.array() += reach * thickness;
  Vector3d motion(0, 0, 0);
  for (std::size_t k = 0; k < chain.end.size(); ++k) motion += chain.end[k] - chain.start[k];
  if (!(motion.norm() > 0)) return;
  motion.normalize();
  const auto is_lip = [&](Index v) {
    return std::any_of(s.torn.begin(), s.torn.end(), [&](const VertexExclusion& e) {
      return (e.a == part.id && e.vertex_a == v) || (e.b == part.id && e.vertex_b == v);
    });
  };
  const auto triangles_at = [&](const Edge& edge) {
    int count = 0;
    for (Index c = s.vertices.surface().first_corner(edge[0]); c != none; c = s.vertices.surface().next_corner(c)) {
      const Triangle& t = s.vertices.surface().triangles()[at(c / 3)];
      count += std::find(t.begin(), t.end(), edge[1]) != t.end() ? 1 : 0;
    }
    return count;
  };
  for (const Edge& edge : edges) {
    const Edge own{edge[0] - part.first_vertex, edge[1] - part.first_vertex};
    const Vector3d& a = body.positions[at(own[0])];
    const Vector3d& b = body.positions[at(own[1])];
    world::Box swept;
    swept.extend(a);
    swept.extend(b);
    if (!swept.overlaps(box)) continue;
    for (std::size_t k = 0; k + 1 < chain.end.size(); ++k) {
      const EdgeEdgeClosest closest = closest_edge_edge(chain.end[k], chain.end[k + 1], a, b);
      const Vector3d towards = closest.point_b - closest.point_a;
      if (!(closest.distance <= reach * thickness) || !(towards.dot(motion) > ahead * closest.distance)) continue;
      // The edges of an earlier cut slide along the blade and are not cut again.
      if (triangles_at(edge) < 2 && (is_lip(own[0]) || is_lip(own[1]))) continue;
      crossings.push_back({.edge = own, .fraction = closest.t, .time = 1, .blade = chain.blade});
      break;
    }
  }
}

/// Vertices that are where others have just come apart make no contacts with these: copies of them, and vertices that a
/// later cut puts at one place of both edges of an earlier one.
void exclude_fresh(World::State& s, BodyId id, const cloth::CutOutcome& outcome) {
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
  for (const cloth::CutOutcome::Inserted& inserted : outcome.inserted) {
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

/// Masses of vertices at other triangles than before.
void weigh_near(World::State& s, BodyId id, const cloth::CutOutcome& outcome) {
  Body& body = s.bodies[id];
  const cloth::RestShape rest = rest_shape(body);
  std::map<Index, double> masses;
  for (const Index v : outcome.vertices) masses[v] = 0;
  for (const Index t : outcome.at_vertices) {
    const auto element = cloth::stretch_element(rest, body.cloth_rest->fabrics, at(t));
    const double area = element ? element->area : 0;
    const double third = body.cloth_rest->fabrics[rest.fabric(at(t))].density * area / 3;
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

/// Part of a body in the joined surface, or nothing.
const bodies::SurfacePart* part_of(const World::State& s, BodyId id) {
  const auto part = std::find_if(s.vertices.parts.begin(), s.vertices.parts.end(),
                                 [&](const bodies::SurfacePart& p) { return p.id == id; });
  return part == s.vertices.parts.end() ? nullptr : &*part;
}

/// Cuts one body; returns what happened. `joined`: its part of the joined surface, if that is as the body is.
WorldCut cut_body(World::State& s, BodyId id, std::vector<cloth::EdgeCrossing> crossings,
                  const bodies::SurfacePart* joined) {
  WorldCut result{.body = id};
  std::optional<cloth::JoinedTriangles> triangles;
  if (joined != nullptr)
    triangles.emplace(cloth::JoinedTriangles{s.vertices.surface(), joined->first_vertex, joined->first_triangle});
  const cloth::CutOutcome outcome =
      cloth::cut(s.bodies[id], std::move(crossings), s.cut_marks[id], triangles ? &*triangles : nullptr);
  result.crossed = outcome.crossed;
  result.separated = outcome.separated;
  result.length = outcome.length;
  if (!outcome.changed) return result;
  exclude_fresh(s, id, outcome);
  weigh_near(s, id, outcome);
  s.bodies[id].pressure = 0;
  if (outcome.separates) result.pieces = split_pieces(s, id);
  if (result.pieces.empty()) change_model(outcome, s.bodies[id]);
  rigid::wake(s.table, slot_of(id));
  s.edited = true;
  return result;
}

void add_cut(std::vector<WorldCut>& cuts, WorldCut&& cut) {
  const auto known = std::find_if(cuts.begin(), cuts.end(), [&](const WorldCut& c) { return c.body == cut.body; });
  if (known == cuts.end()) return cuts.push_back(std::move(cut));
  known->pieces.insert(known->pieces.end(), cut.pieces.begin(), cut.pieces.end());
  known->crossed += cut.crossed;
  known->separated += cut.separated;
  known->length += cut.length;
  known->area += cut.area;
}

/// Links ahead of the edge of a blade that presses on a soft body as hard as a cut takes. Over the next voxel the work
/// of the force has to be the energy of the area of these links (Mahvash and Hayward 2001).
void find_pressed_links(const World::State& s, const BodyBlade& blade, std::span<const Vector3d> chain, BodyId id,
                        double energy, double dt, std::vector<mesh::LinkCrossing>& links) {
  const Body& body = s.bodies[id];
  const double thickness = world::thickness_of(s, body);
  const double size = body.soft.model->voxel_size;
  const Vector3d force = world::pressure_at(s, blade, chain, id, thickness, dt).force;
  if (!(force.norm() > 0)) return;
  // Contacts hold the body off by a thickness, and the next links are half a voxel below its surface.
  const Vector3d ahead = (1.5 * thickness + 0.75 * size) * force.normalized();
  std::vector<Vector3d> end(chain.begin(), chain.end());
  for (Vector3d& p : end) p += ahead;
  const auto found = solid::crossed_links(body.soft, body.soft.nodes, {chain, end});
  if (force.norm() * size < energy * static_cast<double>(found.size()) * size * size) return;
  links.insert(links.end(), found.begin(), found.end());
}

/// Links of a soft body that blades met in the step.
void find_links(const World::State& s, std::size_t part, std::span<const std::vector<Vector3d>> ends, double dt,
                std::vector<mesh::LinkCrossing>& links) {
  const Body& body = s.bodies[s.vertices.parts[part].id];
  const solid::BodyState& soft = body.soft;
  const double energy = world::fracture_energy_of(s, s.vertices.parts[part].id);
  const std::vector<Vector3d>& start = s.vertices.soft_motions[part].start;
  world::Box box;
  for (const Eigen::AlignedBox3d& of_block : soft.boxes) {
    box.extend(of_block.min());
    box.extend(of_block.max());
  }
  box.grow(2 * world::thickness_of(s, body) + soft.model->voxel_size);
  for (std::size_t i = 0; i < s.blades.size(); ++i) {
    if (!box.overlaps(world::ChainMotion{s.blades[i].places, ends[i], i}.box())) continue;
    for (const mesh::LinkCrossing& link : solid::crossed_links(soft, start, {s.blades[i].places, ends[i]}))
      links.push_back(link);
    if (energy > 0) find_pressed_links(s, s.blades[i], ends[i], s.vertices.parts[part].id, energy, dt, links);
  }
}

/// Cuts a body where it is along the way of a blade from one pose to the next.
WorldCut cut_at_once(World::State& s, BodyId id, std::span<const Vector3d> from, std::span<const Vector3d> to) {
  const Body& body = s.bodies[id];
  if (body.soft.lattice) {
    const auto links = solid::crossed_links(body.soft, body.soft.nodes, {from, to});
    return links.empty() ? WorldCut{.body = id} : cut_soft(s, id, links);
  }
  std::vector<cloth::EdgeCrossing> crossings;
  const bodies::SurfacePart* part = s.edited ? nullptr : part_of(s, id);
  if (part != nullptr) {
    find_crossings(edges_of(s, *part), part->first_vertex, body.positions, body.positions, {from, to, 0}, crossings);
  } else {
    const Topology topology = build_topology(body.positions.size(), body.triangles);
    find_crossings(topology.edges, 0, body.positions, body.positions, {from, to, 0}, crossings);
  }
  return crossings.empty() ? WorldCut{.body = id} : cut_body(s, id, std::move(crossings), part);
}

}  // namespace

void note_not_cut(World::State& s) {
  for (const bodies::SurfacePart& part : s.vertices.parts) {
    const Body& body = s.bodies[part.id];
    const bool is_cut = body.soft.lattice || (body.cloth_rest && !body.levels.model);
    if (s.blades.empty() || body.motion != MotionModel::particles || is_cut) continue;
    const auto known = std::lower_bound(s.not_cut.begin(), s.not_cut.end(), part.id);
    if (known != s.not_cut.end() && *known == part.id) continue;
    world::Box box;
    for (const Vector3d& p : part.of(s.vertices.start)) box.extend(p);
    for (const Vector3d& p : body.positions) box.extend(p);
    std::vector<cloth::EdgeCrossing> crossings;
    for (std::size_t i = 0; i < s.blades.size() && crossings.empty(); ++i) {
      const std::vector<Vector3d> end = world::places_of(s, s.blades[i]);
      const world::ChainMotion chain{s.blades[i].places, end, i};
      if (!box.overlaps(chain.box())) continue;
      find_crossings(edges_of(s, part), part.first_vertex, part.of(s.vertices.start), body.positions, chain, crossings);
    }
    if (!crossings.empty()) s.not_cut.insert(known, part.id);
  }
}

bool cut_bodies(World::State& s, double dt) {
  if (s.blades.empty()) return false;
  const bool is_joined = !s.edited;
  std::vector<std::vector<Vector3d>> ends;
  for (const BodyBlade& blade : s.blades) ends.push_back(world::places_of(s, blade));
  std::map<BodyId, std::vector<cloth::EdgeCrossing>> crossings;
  std::map<BodyId, std::vector<mesh::LinkCrossing>> links;
  for (std::size_t number = 0; number < s.vertices.parts.size(); ++number) {
    const bodies::SurfacePart& part = s.vertices.parts[number];
    const Body& body = s.bodies[part.id];
    if (body.soft.lattice) find_links(s, number, ends, dt, links[part.id]);
    if (!body.cloth_rest || body.levels.model) continue;
    const std::span<const Vector3d> start = part.of(s.vertices.start);
    world::Box box;
    for (std::size_t v = 0; v < start.size(); ++v) {
      box.extend(start[v]);
      box.extend(body.positions[v]);
    }
    const std::span<const Edge> edges = edges_of(s, part);
    for (std::size_t i = 0; i < s.blades.size(); ++i) {
      const world::ChainMotion chain{s.blades[i].places, ends[i], i};
      const double thickness = world::thickness_of(s, body);
      world::Box reach = chain.box();
      reach.low.array() -= 2 * thickness;
      reach.high.array() += 2 * thickness;
      if (!box.overlaps(reach)) continue;
      find_crossings(edges, part.first_vertex, start, body.positions, chain, crossings[part.id]);
      if (presses_enough(s, s.blades[i], chain.end, part.id, thickness, dt))
        find_pressed(s, part, body, edges, chain, thickness, crossings[part.id]);
    }
  }
  for (std::size_t i = 0; i < s.blades.size(); ++i) s.blades[i].places = std::move(ends[i]);
  bool changed = false;
  for (auto& [id, list] : crossings) {
    if (list.empty()) continue;
    WorldCut cut = cut_body(s, id, std::move(list), is_joined ? part_of(s, id) : nullptr);
    changed = true;
    add_cut(s.cuts, std::move(cut));
  }
  for (const auto& [id, list] : links) {
    if (list.empty()) continue;
    changed = true;
    add_cut(s.cuts, cut_soft(s, id, list));
  }
  return changed;
}

void drop_cuts(World::State& s, BodyId body) {
  std::erase_if(s.blades, [&](const BodyBlade& blade) { return blade.body == body; });
  s.cut_marks.erase(body);
  s.fracture_energy.erase(body);
}

void World::set_fracture_energy(BodyId id, double energy) {
  const Body& body = cuttable_of(*state_, id, "set_fracture_energy");
  require(std::isfinite(energy) && energy >= 0, ErrorCode::invalid_argument,
          "body '{}': fracture_energy is {}; expected a number that is not negative", body.name, energy);
  state_->fracture_energy[id] = energy;
}

double World::fracture_energy(BodyId id) const {
  cuttable_of(*state_, id, "fracture_energy");
  return world::fracture_energy_of(*state_, id);
}

WorldCut World::cut(BodyId id, const BladePath& path) {
  State& s = *state_;
  cuttable_of(s, id, "cut");
  require(path.poses.size() >= 2, ErrorCode::invalid_argument, "cut: the blade has {} poses; expected 2 or more",
          path.poses.size());
  for (std::size_t i = 0; i < path.poses.size(); ++i) {
    require(path.poses[i].size() >= 2 && path.poses[i].size() == path.poses[0].size(), ErrorCode::invalid_argument,
            "cut: pose {} of the blade has {} points; expected {}", i, path.poses[i].size(),
            std::max<std::size_t>(2, path.poses[0].size()));
    for (const Vector3d& p : path.poses[i])
      require(is_finite(p), ErrorCode::not_finite, "cut: a point of pose {} of the blade is not finite", i);
  }
  std::vector<WorldCut> cuts;
  std::vector<BodyId> bodies{id};
  for (std::size_t i = 0; i + 1 < path.poses.size(); ++i) {
    const std::vector<BodyId> now = bodies;
    for (const BodyId body : now) {
      WorldCut cut = cut_at_once(s, body, path.poses[i], path.poses[i + 1]);
      bodies.insert(bodies.end(), cut.pieces.begin(), cut.pieces.end());
      cut.body = id;
      add_cut(cuts, std::move(cut));
    }
  }
  if (cuts.empty() || cuts[0].crossed == 0) return WorldCut{.body = id};
  add_cut(s.cuts, WorldCut(cuts[0]));
  add_cut(s.cuts_between, WorldCut(cuts[0]));
  return cuts[0];
}

const std::vector<WorldCut>& World::cuts() const {
  return state_->cuts;
}

const std::vector<BodyId>& World::not_cut() const {
  return state_->not_cut;
}

}  // namespace carom
