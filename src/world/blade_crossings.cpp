#include "world/blade_crossings.hpp"

#include <algorithm>
#include <cmath>

#include "carom/detect/continuous.hpp"
#include "carom/mesh/closest.hpp"
#include "core/at.hpp"

namespace carom::world {
namespace {

using Eigen::Vector3d;

/// Sides of a box beyond which a vertex is all along its way, a bit each.
std::vector<std::uint8_t> sides_beyond(const Box& box, std::span<const Vector3d> start, std::span<const Vector3d> end) {
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

/// Whether the edge of a blade presses on a sheet as hard as a cut takes: force at least fracture energy times the
/// length of the edge that touches (Mahvash and Hayward 2001: the work of a cut is that of its area).
bool presses_enough(const World::State& s, const BodyBlade& blade, std::span<const Vector3d> chain, BodyId sheet,
                    double thickness, double dt) {
  const EdgePressure at_edge = pressure_at(s, blade, chain, sheet, thickness, dt);
  if (!(at_edge.sum > 0)) return false;
  return at_edge.sum >= fracture_energy_of(s, sheet) * (at_edge.high - at_edge.low + thickness);
}

/// Edges that the chain is pressed against: near it and ahead of it.
void find_pressed(const World::State& s, const bodies::SurfacePart& part, const Body& body, std::span<const Edge> edges,
                  const ChainMotion& chain, double thickness, std::vector<sheet::EdgeCrossing>& crossings) {
  constexpr double reach = 1.5;  // in units of the thickness: contacts hold sheets off by one
  constexpr double ahead = 0.5;  // cosine of the angle between the motion of the blade and the direction to the edge
  Box box = chain.box();
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
    Box swept;
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

}  // namespace

void find_crossings(std::span<const Edge> edges, Index first, std::span<const Vector3d> start,
                    std::span<const Vector3d> end, const ChainMotion& chain,
                    std::vector<sheet::EdgeCrossing>& crossings) {
  const Box all = chain.box();
  std::vector<Box> boxes(chain.start.size() - 1);
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
    Box box;
    for (const Vector3d* p : {&start[a], &start[b], &end[a], &end[b]}) box.extend(*p);
    if (!box.overlaps(all)) continue;
    sheet::EdgeCrossing found{
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

std::span<const Edge> edges_of(const World::State& s, const bodies::SurfacePart& part) {
  const std::span<const Edge> edges = s.vertices.surface().edges();
  const auto begins = [](const Edge& edge, Index vertex) { return edge[0] < vertex; };
  const auto low = std::lower_bound(edges.begin(), edges.end(), part.first_vertex, begins);
  return {low, std::lower_bound(low, edges.end(), part.first_vertex + part.vertex_count, begins)};
}

const bodies::SurfacePart* part_of(const World::State& s, BodyId id) {
  const auto part = std::find_if(s.vertices.parts.begin(), s.vertices.parts.end(),
                                 [&](const bodies::SurfacePart& p) { return p.id == id; });
  return part == s.vertices.parts.end() ? nullptr : &*part;
}

void find_sheet_crossings(const World::State& s, const bodies::SurfacePart& part,
                          std::span<const std::vector<Vector3d>> ends, double dt,
                          std::vector<sheet::EdgeCrossing>& crossings) {
  const Body& body = s.bodies[part.id];
  const std::span<const Vector3d> start = part.of(s.vertices.start);
  Box box;
  for (std::size_t v = 0; v < start.size(); ++v) {
    box.extend(start[v]);
    box.extend(body.positions[v]);
  }
  const std::span<const Edge> edges = edges_of(s, part);
  const double thickness = thickness_of(s, body);
  for (std::size_t i = 0; i < s.blades.size(); ++i) {
    const ChainMotion chain{s.blades[i].places, ends[i], i};
    Box reach = chain.box();
    reach.grow(2 * thickness);
    if (!box.overlaps(reach)) continue;
    find_crossings(edges, part.first_vertex, start, body.positions, chain, crossings);
    if (presses_enough(s, s.blades[i], chain.end, part.id, thickness, dt))
      find_pressed(s, part, body, edges, chain, thickness, crossings);
  }
}

}  // namespace carom::world
