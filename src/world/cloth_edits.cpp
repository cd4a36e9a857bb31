#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "bodies/make_body.hpp"
#include "carom/detect/intersect.hpp"
#include "core/at.hpp"
#include "world/state.hpp"

// Cloth whose triangles change: tears, and seams that have closed. Nothing of what is at rest changes: triangles keep
// their number, fabric and shape at rest, and get other corners.
namespace carom {

namespace {

using Eigen::Vector3d;

/// Distance, as a fraction of the thickness, at which sewn vertices become one. Seams under load do not close to
/// rounding; what is near is looked at before.
constexpr double weld_fraction = 0.1;
/// Distance, as a fraction of the thickness, at which vertices that were one make contacts again.
constexpr double apart_fraction = 1.5;

/// Edge of a triangle that is strained beyond what its fabric bears.
struct TornEdge {
  double excess = 0;  ///< strain over the limit
  Index from = none;
  Index to = none;
};

/// Worst first; of two that are alike the one with the lower numbers.
std::vector<TornEdge> find_torn_edges(const Body& body) {
  const cloth::RestShape rest = rest_shape(body);
  std::vector<TornEdge> torn;
  for (std::size_t t = 0; t < body.triangles.size(); ++t) {
    const double limit = body.cloth_rest->fabrics[rest.fabric(t)].tear_strain;
    if (!(limit > 0)) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = body.triangles[t][k];
      const Index b = body.triangles[t][(k + 1) % 3];
      const double length = (rest.corner(t, k) - rest.corner(t, (k + 1) % 3)).norm();
      if (!(length > 0) || a == b) continue;
      const double strain = (body.positions[at(a)] - body.positions[at(b)]).norm() / length - 1;
      if (strain > limit) torn.push_back({strain - limit, std::min(a, b), std::max(a, b)});
    }
  }
  std::sort(torn.begin(), torn.end(), [](const TornEdge& l, const TornEdge& r) {
    return l.excess != r.excess ? l.excess > r.excess : std::pair(l.from, l.to) < std::pair(r.from, r.to);
  });
  return torn;
}

/// Triangles at a vertex in fans: two are in one fan if they share an edge at the vertex and lie on the same side of
/// the plane through the vertex across a direction. The first fan is behind the plane; empty if there is none, or if
/// all are.
std::vector<std::vector<std::size_t>> fans_at(const Body& body, Index vertex, const Vector3d& direction,
                                              const IndexLists& triangles_at) {
  struct Wedge {
    std::size_t triangle = 0;
    bool ahead = false;
    std::size_t fan = 0;
  };
  std::vector<Wedge> wedges;
  for (const Index t : triangles_at[at(vertex)]) {
    Vector3d center(0, 0, 0);
    for (const Index v : body.triangles[at(t)]) center += body.positions[at(v)] / 3;
    wedges.push_back({at(t), (center - body.positions[at(vertex)]).dot(direction) > 0, wedges.size()});
  }
  const auto neighbors = [&](const Wedge& a, const Wedge& b) {
    int shared = 0;
    for (const Index v : body.triangles[a.triangle]) {
      const Triangle& other = body.triangles[b.triangle];
      shared += std::find(other.begin(), other.end(), v) != other.end() ? 1 : 0;
    }
    return a.ahead == b.ahead && shared >= 2;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Wedge& a : wedges) {
      for (const Wedge& b : wedges) {
        if (b.fan < a.fan && neighbors(a, b)) a.fan = b.fan, changed = true;
      }
    }
  }
  const auto behind = std::find_if(wedges.begin(), wedges.end(), [](const Wedge& w) { return !w.ahead; });
  const auto ahead = std::find_if(wedges.begin(), wedges.end(), [](const Wedge& w) { return w.ahead; });
  if (wedges.empty() || (!direction.isZero(0) && (behind == wedges.end() || ahead == wedges.end()))) return {};
  std::vector<std::size_t> order{behind->fan};
  for (const Wedge& w : wedges) {
    if (std::find(order.begin(), order.end(), w.fan) == order.end()) order.push_back(w.fan);
  }
  std::vector<std::vector<std::size_t>> fans;
  for (const std::size_t fan : order) {
    fans.emplace_back();
    for (const Wedge& w : wedges) {
      if (w.fan == fan) fans.back().push_back(w.triangle);
    }
  }
  return fans;
}

/// Each fan after the first gets a vertex of its own, where the old one is and as fast.
void split_vertex(World::State& s, BodyId id, Index vertex, const std::vector<std::vector<std::size_t>>& fans) {
  Body& body = s.bodies[id];
  std::vector<Index> parts{vertex};
  for (std::size_t f = 1; f < fans.size(); ++f) {
    const auto fresh = static_cast<Index>(body.positions.size());
    for (std::vector<Vector3d>* list : {&body.positions, &body.velocities, &body.rest_positions}) {
      const Vector3d old = (*list)[at(vertex)];
      list->push_back(old);
    }
    body.inverse_mass.push_back(1);
    if (!body.leader.empty()) body.leader.push_back(fresh);
    for (const std::size_t t : fans[f]) {
      for (Index& corner : body.triangles[t]) {
        if (corner == vertex) corner = fresh;
      }
    }
    for (const Index other : parts) s.torn.push_back({id, other, id, fresh});
    parts.push_back(fresh);
  }
}

/// A tear that has reached the border leaves vertices there whose triangles hang together by nothing else.
void split_loose(World::State& s, BodyId id, std::span<const std::uint8_t> touched) {
  const Topology topology = build_topology(s.bodies[id].positions.size(), s.bodies[id].triangles);
  for (std::size_t v = 0; v < touched.size(); ++v) {
    if (touched[v] == 0) continue;
    const auto vertex = static_cast<Index>(v);
    const auto fans = fans_at(s.bodies[id], vertex, Vector3d::Zero(), topology.vertex_triangles);
    if (fans.size() > 1) split_vertex(s, id, vertex, fans);
  }
}

bool tear(World::State& s, BodyId id) {
  Body& body = s.bodies[id];
  const std::vector<TornEdge> torn = find_torn_edges(body);
  if (torn.empty()) return false;
  const Topology topology = build_topology(body.positions.size(), body.triangles);
  // A vertex next to one that has just been split waits for the next step: its triangles have changed.
  std::vector<std::uint8_t> touched(body.positions.size(), 0);
  bool changed = false;
  for (const TornEdge& edge : torn) {
    for (const auto& [from, to] : {std::pair(edge.from, edge.to), std::pair(edge.to, edge.from)}) {
      if (touched[at(from)] != 0) continue;
      const Vector3d direction = body.positions[at(to)] - body.positions[at(from)];
      const auto fans = fans_at(body, from, direction, topology.vertex_triangles);
      if (fans.empty()) continue;
      for (const Index t : topology.vertex_triangles[at(from)]) {
        for (const Index v : body.triangles[at(t)]) touched[at(v)] = 1;
      }
      split_vertex(s, id, from, fans);
      changed = true;
      break;
    }
  }
  if (changed) split_loose(s, id, touched);
  return changed;
}

/// Vertices that were one make contacts once they are apart.
void part_torn(World::State& s) {
  const std::size_t before = s.torn.size();
  std::erase_if(s.torn, [&](const VertexExclusion& pair) {
    const Body& a = s.bodies[pair.a];
    const Body& b = s.bodies[pair.b];
    const double thickness = a.thickness > 0 ? a.thickness : s.options.contact.distance;
    return (a.positions[at(pair.vertex_a)] - b.positions[at(pair.vertex_b)]).norm() > apart_fraction * thickness;
  });
  s.filters_edited |= s.torn.size() != before;
}

/// Whether a triangle has both vertices.
bool share_triangle(const Body& body, Index a, Index b) {
  return std::any_of(body.triangles.begin(), body.triangles.end(), [&](const Triangle& t) {
    return std::find(t.begin(), t.end(), a) != t.end() && std::find(t.begin(), t.end(), b) != t.end();
  });
}

/// Vertex b becomes a, with the momentum of both.
void weld(World::State& s, BodyId id, Index a, Index b) {
  Body& body = s.bodies[id];
  const double wa = body.inverse_mass[at(a)];
  const double wb = body.inverse_mass[at(b)];
  if (wa > 0 && wb > 0) {
    body.positions[at(a)] = (wb * body.positions[at(a)] + wa * body.positions[at(b)]) / (wa + wb);
    body.velocities[at(a)] = (wb * body.velocities[at(a)] + wa * body.velocities[at(b)]) / (wa + wb);
    body.inverse_mass[at(a)] = wa * wb / (wa + wb);
  } else if (wb == 0) {  // what holds b holds both
    body.positions[at(a)] = body.positions[at(b)];
    body.velocities[at(a)] = body.velocities[at(b)];
    body.inverse_mass[at(a)] = 0;
  }
  body.inverse_mass[at(b)] = 0;
  for (Triangle& t : body.triangles) std::replace(t.begin(), t.end(), b, a);
  if (body.leader.empty()) {
    for (std::size_t v = 0; v < body.positions.size(); ++v) body.leader.push_back(static_cast<Index>(v));
  }
  std::replace(body.leader.begin(), body.leader.end(), b, a);
  for (std::size_t v = 0; v < body.leader.size(); ++v) {
    body.positions[v] = body.positions[at(body.leader[v])];
    body.velocities[v] = body.velocities[at(body.leader[v])];
  }
  const auto rename = [&](BodyId of, Index& vertex) {
    if (of == id && vertex == b) vertex = a;
  };
  for (Joint& joint : s.joints) {
    for (Joint::Side* side : {&joint.a, &joint.b}) {
      for (Index& v : side->vertices) rename(side->body, v);
    }
  }
  for (HeldVertex& held : body.held) rename(id, held.vertex);
  for (Attachment& attachment : s.attachments) rename(attachment.body, attachment.vertex);
  for (std::vector<VertexExclusion>* list : {&s.attached_exclusions, &s.torn, &s.excluded_vertices}) {
    for (VertexExclusion& e : *list) {
      rename(e.a, e.vertex_a);
      rename(e.b, e.vertex_b);
    }
  }
}

/// A stitch that closes, and whose vertices have met.
bool has_met(const World::State& s, const Joint& joint) {
  if (!closes(s, joint)) return false;
  const Body& body = s.bodies[joint.a.body];
  const Index a = joint.a.vertices[0];
  const Index b = joint.b.vertices[0];
  const double thickness = body.thickness > 0 ? body.thickness : s.options.contact.distance;
  // Before they are where they belong: there they would cross by rounding.
  const double within = weld_fraction * thickness;
  return joint.wanted(s.time).norm() <= within && (body.positions[at(a)] - body.positions[at(b)]).norm() <= within;
}

/// All that a weld changes.
struct BeforeWeld {
  BodyId id;
  Body body;
  std::vector<Joint> joints;
  std::vector<Attachment> attachments;
  std::array<std::vector<VertexExclusion>, 3> exclusions;

  BeforeWeld(const World::State& s, BodyId of)
      : id(of),
        body(s.bodies[of]),
        joints(s.joints),
        attachments(s.attachments),
        exclusions{s.attached_exclusions, s.torn, s.excluded_vertices} {}

  void restore(World::State& s) const {
    s.bodies[id] = body;
    s.joints = joints;
    s.attachments = attachments;
    s.attached_exclusions = exclusions[0];
    s.torn = exclusions[1];
    s.excluded_vertices = exclusions[2];
  }
};

/// Pairs of triangles that intersect, one of which has one of these vertices of a body. Shapes are farther away than
/// vertices are moved.
std::ptrdiff_t count_cuts(const World::State& s, BodyId id, std::span<const Index> vertices) {
  std::vector<Vector3d> positions;
  std::vector<Triangle> triangles;
  std::vector<std::uint8_t> touched;
  for (const BodyId other : s.order) {
    const Body& body = s.bodies[other];
    const auto first = static_cast<Index>(positions.size());
    positions.insert(positions.end(), body.positions.begin(), body.positions.end());
    for (const Triangle& t : body.triangles) {
      triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      const bool near = other == id && std::any_of(t.begin(), t.end(), [&](Index v) {
                          return std::find(vertices.begin(), vertices.end(), v) != vertices.end();
                        });
      touched.push_back(near ? 1 : 0);
    }
  }
  const Surface surface(positions.size(), triangles);
  const std::vector<Intersection> found = intersections(surface, positions, {.threads = 1});
  return std::count_if(found.begin(), found.end(),
                       [&](const Intersection& pair) { return touched[at(pair.a)] + touched[at(pair.b)] > 0; });
}

/// Welds stitches that have met, from `first` on at most `count` of them. False, and nothing is changed, if more would
/// intersect then: two sides that have met cross each other by rounding before.
bool weld_stitches(World::State& s, BodyId id, std::size_t first, std::size_t count) {
  std::vector<std::size_t> met;
  std::vector<Index> vertices;
  for (std::size_t i = first; i < s.joints.size() && met.size() < count; ++i) {
    if (s.joints[i].a.body != id || !has_met(s, s.joints[i])) continue;
    met.push_back(i);
    vertices.insert(vertices.end(), {s.joints[i].a.vertices[0], s.joints[i].b.vertices[0]});
  }
  if (met.empty()) return false;
  const BeforeWeld before(s, id);
  const std::ptrdiff_t cuts = count_cuts(s, id, vertices);
  for (const std::size_t i : met) {
    const auto [low, high] = std::minmax(s.joints[i].a.vertices[0], s.joints[i].b.vertices[0]);
    if (low != high) weld(s, id, low, high);
  }
  if (count_cuts(s, id, vertices) <= cuts) return true;
  before.restore(s);
  return false;
}

/// Stitches that tore, and those whose vertices have met: all at once, or else those that can.
bool close_seams(World::State& s, std::vector<BodyId>& changed) {
  const std::size_t before = s.joints.size();
  std::erase_if(s.joints, [](const Joint& joint) { return joint.tear_force > 0 && joint.force > joint.tear_force; });
  s.filters_edited |= s.joints.size() != before;
  std::vector<BodyId> met;
  for (const Joint& joint : s.joints) {
    if (has_met(s, joint) && std::find(met.begin(), met.end(), joint.a.body) == met.end()) met.push_back(joint.a.body);
  }
  for (const BodyId id : met) {
    bool welded = weld_stitches(s, id, 0, s.joints.size());
    if (!welded) {
      for (std::size_t i = 0; i < s.joints.size(); ++i) {
        if (s.joints[i].a.body == id && has_met(s, s.joints[i])) welded |= weld_stitches(s, id, i, 1);
      }
    }
    if (welded) changed.push_back(id);
  }
  std::erase_if(s.joints, [](const Joint& joint) {
    return joint.stitch && joint.a.body == joint.b.body && joint.a.vertices == joint.b.vertices;
  });
  return !changed.empty();
}

}  // namespace

bool closes(const World::State& s, const Joint& stitch) {
  if (!stitch.stitch || stitch.tear_force > 0 || stitch.a.body != stitch.b.body || stitch.b.vertices[1] != none)
    return false;
  const Body& body = s.bodies[stitch.a.body];
  const Index a = stitch.a.vertices[0];
  const Index b = stitch.b.vertices[0];
  return a != b && body.cloth && !share_triangle(body, a, b);
}

void weigh(World::State& s, BodyId id) {
  Body& body = s.bodies[id];
  const std::vector<double> masses = cloth::masses(body.name, rest_shape(body), body.cloth_rest->fabrics);
  for (std::size_t v = 0; v < masses.size(); ++v) {
    if (body.inverse_mass[v] > 0) body.inverse_mass[v] = masses[v] > 0 ? 1 / masses[v] : 0;
  }
  for (Attachment& attachment : s.attachments) {
    if (attachment.body == id && masses[at(attachment.vertex)] > 0)
      attachment.inverse_mass = 1 / masses[at(attachment.vertex)];
  }
}

bool edit_cloth(World::State& s) {
  std::vector<BodyId> changed;
  if (!s.joints.empty()) close_seams(s, changed);
  if (!s.torn.empty()) part_torn(s);
  for (const BodyId id : s.order) {
    const Body& body = s.bodies[id];
    if (!body.cloth_rest || !body.cloth_rest->tears || s.table.asleep[slot_of(id)] != 0) continue;
    if (tear(s, id)) changed.push_back(id);
  }
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (const BodyId id : changed) {
    weigh(s, id);
    make_model(s.bodies[id]);
  }
  return !changed.empty();
}

}  // namespace carom
