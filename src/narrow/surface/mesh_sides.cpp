#include "narrow/surface/mesh_sides.hpp"

#include <algorithm>
#include <cmath>

#include "carom/mesh/closest.hpp"
#include "core/at.hpp"
#include "narrow/mesh/point_queries.hpp"

namespace carom::narrow::surface {
namespace {

using Eigen::Vector3d;
using math::Vec3;
using shapes::MeshData;

constexpr std::size_t vertex_chunk = 64;
constexpr std::size_t contact_chunk = 64;
/// Clearance that rounding may take from a point, as a fraction of its distance from the origin and of the mesh.
constexpr double clearance_slack = 1e-12;
/// Sine by which a neighbor may reach beyond a feature along its normal.
constexpr double cone_slack = 1e-6;

Vec3 to_local(const SidedMesh& mesh, const Vector3d& p) {
  return math::to_vec3(mesh.pose.linear().transpose() * (p - mesh.pose.translation()));
}

bool in_box(const MeshData& mesh, const Vec3& p) {
  const shapes::BoxVolume& box = mesh.tree.boxes[0];
  const Vec3 t = p - box.center;
  return std::abs(t.x) <= box.half.x && std::abs(t.y) <= box.half.y && std::abs(t.z) <= box.half.z;
}

bool is_inside(const MeshData& mesh, const Vec3& p) {
  return (mesh.room || in_box(mesh, p)) && mesh::inside(mesh, p);
}

std::size_t part_at(std::span<const SidedPart> parts, Index vertex) {
  const auto after = std::upper_bound(parts.begin(), parts.end(), vertex,
                                      [](Index v, const SidedPart& part) { return v < part.first_vertex; });
  return static_cast<std::size_t>(after - parts.begin()) - 1;
}

/// Sides of a contact between a rigid mesh and another part.
struct MeshSide {
  std::int32_t mesh = -1;  ///< -1 if neither side is a rigid mesh, or both are
  std::size_t mesh_part = 0;
  std::size_t other_part = 0;
  bool mesh_is_a = false;
};

MeshSide side_of(std::span<const SidedPart> parts, const Contact& contact) {
  const std::size_t a = part_at(parts, contact.vertices[0]);
  const std::size_t b = part_at(parts, contact.vertices[3]);
  const bool mesh_a = parts[a].mesh >= 0;
  const bool mesh_b = parts[b].mesh >= 0;
  if (mesh_a == mesh_b) return {};
  return mesh_a ? MeshSide{parts[a].mesh, a, b, true} : MeshSide{parts[b].mesh, b, a, false};
}

/// Vertices of one side of a contact.
std::span<const Index> vertices_of(const Contact& contact, bool side_a) {
  const auto split = static_cast<std::size_t>(side_a_size(contact.kind));
  const std::span<const Index> all = contact.vertices;
  return side_a ? all.first(split) : all.subspan(split);
}

/// Triangles of a mesh that have all of some vertices; the vertices are those of a face, an edge or a vertex.
template <class Visit>
void visit_triangles_at(const MeshData& mesh, std::span<const Index> vertices, Visit&& visit) {
  const auto place = [&](Index v) { return mesh.vertex_at[at(v)]; };
  for (const Index t : mesh.vertex_triangles[at(place(vertices[0]))]) {
    const Triangle& corners = mesh.mesh.triangles[at(t)];
    const bool has_all = std::all_of(vertices.begin(), vertices.end(), [&](Index v) {
      return std::any_of(corners.begin(), corners.end(), [&](Index c) { return place(c) == place(v); });
    });
    if (has_all) visit(t);
  }
}

/// Whether a feature of a mesh is of a closed piece of it.
bool is_closed(const MeshData& mesh, std::span<const Index> vertices) {
  bool closed = false;
  visit_triangles_at(mesh, vertices, [&](Index t) { closed = closed || mesh.is_closed(t); });
  return closed;
}

/// Whether no triangle at a feature reaches farther along a direction than the feature does.
bool reaches_no_farther(const MeshData& mesh, std::span<const Index> vertices, const Vector3d& direction) {
  const Vector3d& p = mesh.mesh.positions[at(vertices[0])];
  bool farthest = true;
  visit_triangles_at(mesh, vertices, [&](Index t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3d d = mesh.corner(t, k) - p;
      if (direction.dot(d) > cone_slack * d.norm()) farthest = false;
    }
  });
  return farthest;
}

/// Contact vertices of the mesh's side, numbered in the mesh.
struct MeshFeature {
  std::array<Index, 3> vertices{none, none, none};
  std::size_t count = 0;
  std::span<const Index> span() const { return std::span(vertices).first(count); }
};

MeshFeature mesh_feature(const Contact& contact, const MeshSide& side, Index first_vertex) {
  MeshFeature feature;
  for (const Index v : vertices_of(contact, side.mesh_is_a)) feature.vertices[feature.count++] = v - first_vertex;
  return feature;
}

void turn(Contact& contact) {
  contact.distance = -contact.distance;
  contact.normal = -contact.normal;
}

void add_margin(Contact& contact, bool mesh_is_a, double margin) {
  contact.distance -= margin;
  if (mesh_is_a) {
    contact.point_a += margin * contact.normal;
  } else {
    contact.point_b -= margin * contact.normal;
  }
}

bool is_excluded(std::span<const std::array<Index, 2>> excluded, Index vertex, const Triangle& triangle) {
  return std::any_of(excluded.begin(), excluded.end(), [&](const std::array<Index, 2>& pair) {
    return std::any_of(triangle.begin(), triangle.end(), [&](Index c) {
      return (pair[0] == vertex && pair[1] == c) || (pair[1] == vertex && pair[0] == c);
    });
  });
}

}  // namespace

void MeshSides::classify(Workers& workers, const SidesIn& in) {
  const bool same = std::equal(pairs_.begin(), pairs_.end(), in.pairs.begin(), in.pairs.end(),
                               [](const PairState& known, const SidedPair& pair) { return known.pair == pair; });
  if (!same) pairs_.assign(in.pairs.size(), {});
  inside_.clear();
  for (std::size_t i = 0; i < in.pairs.size(); ++i) {
    PairState& state = pairs_[i];
    state.pair = in.pairs[i];
    const SidedMesh& mesh = in.meshes[state.pair.mesh];
    const SidedPart& part = in.parts[state.pair.part];
    if (!mesh.mesh->any_closed) continue;
    // Clearance 0: nothing is known of a vertex.
    state.vertices.resize(at(part.vertex_count));
    parallel_for(workers, state.vertices.size(), vertex_chunk, [&](std::size_t v) {
      Known& known = state.vertices[v];
      const Vec3 p = to_local(mesh, in.positions[at(part.first_vertex) + v]);
      if (!mesh.mesh->room && !in_box(*mesh.mesh, p)) {
        known = {};
        return;
      }
      if (math::length(p - known.place) < known.clearance) return;
      if (mesh.field != nullptr) {
        // The field decides where it can, and tells how far the surface is at least.
        const FieldSample s = mesh.field->sample(math::to_eigen(p));
        const double unrounded = s.distance + mesh.margin;
        known.clearance = std::abs(unrounded) - s.error;
        known.place = p;
        known.inside = known.clearance > 0 ? unrounded < 0 : mesh::inside(*mesh.mesh, p);
        return;
      }
      known.inside = mesh::inside(*mesh.mesh, p);
      known.place = p;
      const double slack = clearance_slack * (mesh.mesh->reach + math::length(p));
      known.clearance = std::max(mesh::nearest(*mesh.mesh, p, INFINITY, true).distance - slack, 0.0);
    });
    for (std::size_t v = 0; v < state.vertices.size(); ++v) {
      if (state.vertices[v].inside) inside_.push_back(part.first_vertex + static_cast<Index>(v));
    }
  }
  std::sort(inside_.begin(), inside_.end());
  inside_.erase(std::unique(inside_.begin(), inside_.end()), inside_.end());
}

const MeshSides::PairState* MeshSides::find(const SidesIn& in, std::int32_t mesh, std::size_t part) const {
  const SidedPair wanted{static_cast<std::uint32_t>(mesh), static_cast<std::uint32_t>(part)};
  const auto found = std::lower_bound(in.pairs.begin(), in.pairs.end(), wanted);
  return found != in.pairs.end() && *found == wanted ? &pairs_[static_cast<std::size_t>(found - in.pairs.begin())]
                                                     : nullptr;
}

MeshSides::Verdict MeshSides::judge(const SidesIn& in, const Contact& contact) const {
  const MeshSide side = side_of(in.parts, contact);
  if (side.mesh < 0) return Verdict::keep;
  const SidedMesh& mesh = in.meshes[static_cast<std::size_t>(side.mesh)];
  const PairState* state = find(in, side.mesh, side.other_part);
  if (state == nullptr || !mesh.mesh->any_closed) return Verdict::keep;
  const MeshFeature feature = mesh_feature(contact, side, in.parts[side.mesh_part].first_vertex);
  if (!is_closed(*mesh.mesh, feature.span())) return Verdict::keep;
  const Index first = in.parts[side.other_part].first_vertex;
  const std::span<const Index> others = vertices_of(contact, !side.mesh_is_a);
  const auto inside = [&](Index v) { return state->vertices[at(v - first)].inside; };
  if (std::any_of(others.begin(), others.end(), inside)) return Verdict::drop;
  if (others.size() == 1) return Verdict::keep;
  const Vector3d& point = side.mesh_is_a ? contact.point_b : contact.point_a;
  if (!is_inside(*mesh.mesh, to_local(mesh, point))) return Verdict::keep;
  // On the surface there is no way out to follow, and the normal faces outward as it is.
  if (contact.distance == 0) return Verdict::keep;
  const Vector3d out = mesh.pose.linear().transpose() * (side.mesh_is_a ? -contact.normal : contact.normal);
  return reaches_no_farther(*mesh.mesh, feature.span(), out) ? Verdict::turn : Verdict::drop;
}

/// Drops contacts of one feature of a deforming part that are turned, but for the shortest, of equal ones the first.
void MeshSides::keep_shortest(const SidesIn& in, std::span<const Contact> contacts, std::vector<Verdict>& verdicts) {
  struct Turned {
    ContactKind kind;
    std::int32_t mesh;
    std::array<Index, 2> feature;
    double distance;
    std::size_t contact;
  };
  std::vector<Turned> turned;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (verdicts[i] != Verdict::turn) continue;
    const MeshSide side = side_of(in.parts, contacts[i]);
    turned.push_back(
        {contacts[i].kind, side.mesh, side.mesh_is_a ? contacts[i].b : contacts[i].a, contacts[i].distance, i});
  }
  const auto key = [](const Turned& t) { return std::tie(t.kind, t.mesh, t.feature); };
  std::sort(turned.begin(), turned.end(), [&](const Turned& left, const Turned& right) {
    if (key(left) != key(right)) return key(left) < key(right);
    return std::tie(left.distance, left.contact) < std::tie(right.distance, right.contact);
  });
  for (std::size_t i = 1; i < turned.size(); ++i) {
    if (key(turned[i]) == key(turned[i - 1])) verdicts[turned[i].contact] = Verdict::drop;
  }
}

void MeshSides::add_vertices(const SidesIn& in, std::vector<Contact>& contacts) const {
  for (const PairState& state : pairs_) {
    const SidedMesh& mesh = in.meshes[state.pair.mesh];
    if (mesh.field != nullptr) continue;
    const SidedPart& part = in.parts[state.pair.part];
    const auto mesh_part = std::find_if(in.parts.begin(), in.parts.end(), [&](const SidedPart& p) {
      return p.mesh == static_cast<std::int32_t>(state.pair.mesh);
    });
    for (std::size_t v = 0; v < state.vertices.size(); ++v) {
      if (!state.vertices[v].inside) continue;
      const Index vertex = part.first_vertex + static_cast<Index>(v);
      const Vector3d& p = in.positions[at(vertex)];
      const mesh::NearestPoint near = mesh::nearest(*mesh.mesh, to_local(mesh, p), INFINITY, true);
      const Index triangle = mesh_part->first_triangle + near.triangle;
      const Triangle& corners = in.triangles[at(triangle)];
      if (is_excluded(in.excluded_vertices, vertex, corners)) continue;
      const Vector3d& a = in.positions[at(corners[0])];
      const Vector3d& b = in.positions[at(corners[1])];
      const Vector3d& c = in.positions[at(corners[2])];
      const VertexTriangleClosest closest = closest_vertex_triangle(p, a, b, c);
      const Vector3d way_out = closest.point - p;
      Contact& contact = contacts.emplace_back();
      contact.kind = ContactKind::vertex_face;
      contact.a = {vertex, none};
      contact.b = {triangle, none};
      contact.vertices = {vertex, corners[0], corners[1], corners[2]};
      contact.weights = {1, closest.weights[0], closest.weights[1], closest.weights[2]};
      contact.distance = -closest.distance;
      contact.point_a = p;
      contact.point_b = closest.point;
      contact.normal = closest.distance > 0 ? Vector3d(-way_out.stableNormalized())
                                            : Vector3d(-(b - a).cross(c - a).stableNormalized());
      add_margin(contact, false, mesh.margin);
    }
  }
}

MeshSides::Changes MeshSides::apply(Workers& workers, const SidesIn& in, double within,
                                    std::vector<Contact>& contacts) {
  classify(workers, in);
  verdicts_.assign(contacts.size(), Verdict::keep);
  parallel_for(workers, contacts.size(), contact_chunk, [&](std::size_t i) { verdicts_[i] = judge(in, contacts[i]); });
  keep_shortest(in, contacts, verdicts_);
  const bool margins =
      std::any_of(in.meshes.begin(), in.meshes.end(), [](const SidedMesh& mesh) { return mesh.margin > 0; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (verdicts_[i] == Verdict::drop) continue;
    Contact contact = contacts[i];
    if (verdicts_[i] == Verdict::turn) turn(contact);
    if (margins) {
      const MeshSide side = side_of(in.parts, contact);
      if (side.mesh >= 0) add_margin(contact, side.mesh_is_a, in.meshes[static_cast<std::size_t>(side.mesh)].margin);
      if (!(contact.distance < within)) continue;
    }
    contacts[kept++] = contact;
  }
  Changes changes{.dropped = contacts.size() - kept};
  contacts.resize(kept);
  if (inside_.empty()) return changes;
  add_vertices(in, contacts);
  changes.added = contacts.size() - kept;
  std::sort(contacts.begin(), contacts.end(), canonical_less);
  return changes;
}

}  // namespace carom::narrow::surface
