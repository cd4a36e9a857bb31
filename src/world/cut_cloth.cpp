#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

#include "bodies/make_body.hpp"
#include "bodies/sleeping.hpp"
#include "bodies/soft_cut.hpp"
#include "carom/detect/continuous.hpp"
#include "carom/mesh/closest.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "world/state.hpp"

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

const Body& cloth_of(const World::State& s, BodyId id, const char* what) {
  const Body& body = cut_body_of(s, id);
  require(body.cloth_rest != nullptr, ErrorCode::unsupported, "{}: body '{}' is no cloth", what, body.name);
  require(!body.levels.model, ErrorCode::unsupported, "{}: body '{}' has several levels; expected levels 1", what,
          body.name);
  return body;
}

struct BladeBox {
  Vector3d low = Vector3d::Constant(INFINITY);
  Vector3d high = Vector3d::Constant(-INFINITY);
  void extend(const Vector3d& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  bool overlaps(const BladeBox& other) const {
    return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all();
  }
};

/// Motion of a chain of points over a step.
struct ChainMotion {
  std::span<const Vector3d> start;
  std::span<const Vector3d> end;
  std::size_t blade = 0;

  BladeBox box() const {
    BladeBox box;
    for (const Vector3d& p : start) box.extend(p);
    for (const Vector3d& p : end) box.extend(p);
    return box;
  }
};

/// Edges of vertices that the segments of a chain pass through. Of several crossings of one edge the first counts.
void find_crossings(std::span<const Edge> edges, Index first, std::span<const Vector3d> start,
                    std::span<const Vector3d> end, const ChainMotion& chain,
                    std::vector<cloth::EdgeCrossing>& crossings) {
  const BladeBox all = chain.box();
  std::vector<BladeBox> boxes(chain.start.size() - 1);
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    for (const std::size_t i : {k, k + 1}) {
      boxes[k].extend(chain.start[i]);
      boxes[k].extend(chain.end[i]);
    }
  }
  for (const Edge& edge : edges) {
    const std::size_t a = at(edge[0] - first);
    const std::size_t b = at(edge[1] - first);
    BladeBox box;
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

std::vector<Vector3d> places_of(const World::State& s, const BodyBlade& blade) {
  const Body& body = s.bodies[blade.body];
  std::vector<Vector3d> places;
  for (const BodyBlade::Point& point : blade.points) {
    if (point.triangle == none) {
      const BodySlot slot = slot_of(blade.body);
      places.emplace_back(rigid::shape_pose(s.table.motion[slot], s.table.info[slot]) * point.local);
    } else {
      const Triangle& t = body.triangles[at(point.triangle)];
      places.emplace_back(
          bodies::triangle_frame(body.positions[at(t[0])], body.positions[at(t[1])], body.positions[at(t[2])]) *
          point.local);
    }
  }
  return places;
}

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

/// Point of a chain nearest to a place, as a distance (m) and a length along the chain (m).
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

/// Whether the edge of a blade presses on a cloth as hard as a cut takes: force at least fracture energy times the
/// length of the edge that touches (Mahvash and Hayward 2001: the work of a cut is that of its area).
bool presses_enough(const World::State& s, const BodyBlade& blade, std::span<const Vector3d> chain, BodyId cloth,
                    double thickness, double dt) {
  double force = 0;
  double low = INFINITY;
  double high = -INFINITY;
  for (std::size_t i = 0; i < s.contacts.contacts.size(); ++i) {
    const contact::AnchorIdentity& identity = s.contacts.identities[i];
    const bool first = identity.body_a == blade.body && identity.body_b == cloth;
    if (!first && !(identity.body_b == blade.body && identity.body_a == cloth)) continue;
    const contact::AnchorContact& c = s.contacts.contacts[i];
    const auto [distance, along] = nearest_on(chain, math::to_eigen(first ? c.point_a : c.point_b));
    if (distance > thickness || !(c.total > 0)) continue;
    force += c.total / dt;
    low = std::min(low, along);
    high = std::max(high, along);
  }
  if (!(force > 0)) return false;
  const auto energy = s.fracture_energy.find(cloth);
  return force >= (energy == s.fracture_energy.end() ? 0 : energy->second) * (high - low + thickness);
}

/// Edges that the chain is pressed against: near it and ahead of it.
void find_pressed(const World::State& s, const bodies::SurfacePart& part, const Body& body, std::span<const Edge> edges,
                  const ChainMotion& chain, double thickness, std::vector<cloth::EdgeCrossing>& crossings) {
  constexpr double reach = 1.5;  // in units of the thickness: contacts hold cloth off by one
  constexpr double ahead = 0.5;  // cosine of the angle between the motion of the blade and the direction to the edge
  BladeBox box = chain.box();
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
    for (Index c = s.vertices.surface.first_corner(edge[0]); c != none; c = s.vertices.surface.next_corner(c)) {
      const Triangle& t = s.vertices.surface.triangles()[at(c / 3)];
      count += std::find(t.begin(), t.end(), edge[1]) != t.end() ? 1 : 0;
    }
    return count;
  };
  for (const Edge& edge : edges) {
    const Edge own{edge[0] - part.first_vertex, edge[1] - part.first_vertex};
    const Vector3d& a = body.positions[at(own[0])];
    const Vector3d& b = body.positions[at(own[1])];
    BladeBox swept;
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

/// Cuts one body; returns what happened.
WorldCut cut_body(World::State& s, BodyId id, std::vector<cloth::EdgeCrossing> crossings) {
  WorldCut result{.body = id};
  cloth::CutOutcome outcome = cloth::cut(s.bodies[id], std::move(crossings), s.cut_marks[id]);
  result.crossed = outcome.crossed;
  result.separated = outcome.separated;
  result.length = outcome.length;
  if (!outcome.changed) return result;
  exclude_fresh(s, id, outcome);
  weigh(s, id);
  s.bodies[id].pressure = 0;
  result.pieces = split_pieces(s, id);
  if (result.pieces.empty()) make_model(s.bodies[id]);
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

/// Links of a soft body that blades met in the step.
void find_links(const World::State& s, std::size_t part, std::span<const std::vector<Vector3d>> ends,
                std::vector<mesh::VoxelLink>& links) {
  const solid::BodyState& soft = s.bodies[s.vertices.parts[part].id].soft;
  const std::vector<Vector3d>& start = s.vertices.soft_motions[part].start;
  BladeBox box;
  for (const auto* nodes : {&start, &soft.nodes}) {
    for (const Vector3d& p : *nodes) box.extend(p);
  }
  for (std::size_t i = 0; i < s.blades.size(); ++i) {
    if (!box.overlaps(ChainMotion{s.blades[i].places, ends[i], i}.box())) continue;
    for (const mesh::VoxelLink& link :
         solid::crossed_links(*soft.lattice, start, soft.nodes, {s.blades[i].places, ends[i]}))
      links.push_back(link);
  }
}

/// Cuts a body where it is along the way of a blade from one pose to the next.
WorldCut cut_at_once(World::State& s, BodyId id, std::span<const Vector3d> from, std::span<const Vector3d> to) {
  const Body& body = s.bodies[id];
  if (body.soft.lattice) {
    const auto links = solid::crossed_links(*body.soft.lattice, body.soft.nodes, body.soft.nodes, {from, to});
    return links.empty() ? WorldCut{.body = id} : cut_soft(s, id, links);
  }
  const Topology topology = build_topology(body.positions.size(), body.triangles);
  std::vector<cloth::EdgeCrossing> crossings;
  find_crossings(topology.edges, 0, body.positions, body.positions, {from, to, 0}, crossings);
  return crossings.empty() ? WorldCut{.body = id} : cut_body(s, id, std::move(crossings));
}

}  // namespace

bool cut_bodies(World::State& s, double dt) {
  if (s.blades.empty()) return false;
  std::vector<std::vector<Vector3d>> ends;
  for (const BodyBlade& blade : s.blades) ends.push_back(places_of(s, blade));
  std::map<BodyId, std::vector<cloth::EdgeCrossing>> crossings;
  std::map<BodyId, std::vector<mesh::VoxelLink>> links;
  for (std::size_t number = 0; number < s.vertices.parts.size(); ++number) {
    const bodies::SurfacePart& part = s.vertices.parts[number];
    const Body& body = s.bodies[part.id];
    if (body.soft.lattice) find_links(s, number, ends, links[part.id]);
    if (!body.cloth_rest || body.levels.model) continue;
    const std::span<const Vector3d> start = part.of(s.vertices.start);
    BladeBox box;
    for (std::size_t v = 0; v < start.size(); ++v) {
      box.extend(start[v]);
      box.extend(body.positions[v]);
    }
    // Edges ascend by their first vertex.
    const std::span<const Edge> edges = s.vertices.surface.edges();
    const auto begins = [](const Edge& edge, Index vertex) { return edge[0] < vertex; };
    const auto low = std::lower_bound(edges.begin(), edges.end(), part.first_vertex, begins);
    const auto high = std::lower_bound(low, edges.end(), part.first_vertex + part.vertex_count, begins);
    for (std::size_t i = 0; i < s.blades.size(); ++i) {
      const ChainMotion chain{s.blades[i].places, ends[i], i};
      const double thickness = body.thickness > 0 ? body.thickness : s.options.contact.distance;
      BladeBox reach = chain.box();
      reach.low.array() -= 2 * thickness;
      reach.high.array() += 2 * thickness;
      if (!box.overlaps(reach)) continue;
      find_crossings({low, high}, part.first_vertex, start, body.positions, chain, crossings[part.id]);
      if (presses_enough(s, s.blades[i], chain.end, part.id, thickness, dt))
        find_pressed(s, part, body, {low, high}, chain, thickness, crossings[part.id]);
    }
  }
  for (std::size_t i = 0; i < s.blades.size(); ++i) s.blades[i].places = std::move(ends[i]);
  bool changed = false;
  for (auto& [id, list] : crossings) {
    if (list.empty()) continue;
    WorldCut cut = cut_body(s, id, std::move(list));
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

void World::add_blade(BodyId id, const Blade& blade) {
  State& s = *state_;
  const Body& body = cut_body_of(s, id);
  require(body.motion != MotionModel::particles, ErrorCode::unsupported,
          "add_blade: body '{}' deforms; expected a rigid, scripted or fixed one", body.name);
  require(blade.edge.size() >= 2, ErrorCode::invalid_argument,
          "add_blade: the blade of body '{}' has {} points; expected 2 or more", body.name, blade.edge.size());
  BodyBlade added{.body = id, .points = {}, .places = {}};
  for (std::size_t i = 0; i < blade.edge.size(); ++i) {
    require(is_finite(blade.edge[i]), ErrorCode::not_finite,
            "add_blade: point {} of the blade of body '{}' is not finite", i, body.name);
    require(i == 0 || blade.edge[i] != blade.edge[i - 1], ErrorCode::invalid_argument,
            "add_blade: points {} and {} of the blade of body '{}' are at the same place", i - 1, i, body.name);
    added.points.push_back(body.has_vertices() ? bind(body, blade.edge[i])
                                               : BodyBlade::Point{.triangle = none, .local = blade.edge[i]});
  }
  added.places = places_of(s, added);
  s.blades.push_back(std::move(added));
}

void World::set_fracture_energy(BodyId id, double energy) {
  const Body& body = cloth_of(*state_, id, "set_fracture_energy");
  require(std::isfinite(energy) && energy >= 0, ErrorCode::invalid_argument,
          "body '{}': fracture_energy is {}; expected a number that is not negative", body.name, energy);
  state_->fracture_energy[id] = energy;
}

double World::fracture_energy(BodyId id) const {
  cloth_of(*state_, id, "fracture_energy");
  const auto found = state_->fracture_energy.find(id);
  return found == state_->fracture_energy.end() ? 0 : found->second;
}

WorldCut World::cut(BodyId id, const BladePath& path) {
  State& s = *state_;
  const Body& whole = cut_body_of(s, id);
  require(!whole.is_soft() || whole.soft.lattice, ErrorCode::unsupported,
          "cut: body '{}' is soft and was not made to be cut; SoftBody::cuttable makes it so", whole.name);
  if (!whole.is_soft()) cloth_of(s, id, "cut");
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
  return cuts.empty() ? WorldCut{.body = id} : cuts[0];
}

const std::vector<WorldCut>& World::cuts() const {
  return state_->cuts;
}

}  // namespace carom
