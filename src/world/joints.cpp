#include "world/joints.hpp"

#include <algorithm>
#include <cmath>

#include "bodies/sleeping.hpp"
#include "carom/mesh/closest.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "world/state.hpp"

namespace carom {

namespace {

using Eigen::Vector3d;

const Body& body_of(const World::State& s, BodyId id) {
  require(s.bodies.contains(id), ErrorCode::bad_index,
          "no body has the id {}.{}: it was removed, or is of another world", id.index, id.generation);
  return s.bodies[id];
}

/// Vertices that are held or sewn move by themselves at every level, which levels made before do not know.
void check_no_levels(const Body& body, const char* what) {
  require(!body.levels.model, ErrorCode::unsupported, "{}: body '{}' has several levels; expected levels 1", what,
          body.name);
}

/// Number of a vertex, of the one that it follows if it was joined to another.
Index checked_vertex(const Body& body, Index vertex, const char* what) {
  require(body.motion == MotionModel::particles, ErrorCode::unsupported,
          "{}: body '{}' has no vertices that move by themselves; expected cloth or particles", what, body.name);
  require(vertex >= 0 && at(vertex) < body.positions.size(), ErrorCode::bad_index,
          "{}: body '{}' has no vertex {}, only {} vertices", what, body.name, vertex, body.positions.size());
  return body.leader.empty() ? vertex : body.leader[at(vertex)];
}

/// Bodies with joints, and those that something else moves, do not sleep.
void keep_awake(World::State& s, BodyId id) {
  rigid::wake(s.table, slot_of(id));
  s.table.info[slot_of(id)].sleeping_allowed = false;
}

/// Vertex by vertex of a surface: those of triangles that the features at an attached vertex may reach.
void exclude_near(World::State& s, BodyId id, Index vertex, BodyId to) {
  const Body& body = s.bodies[id];
  const Body& other = s.bodies[to];
  const Vector3d& p = body.positions[at(vertex)];
  double longest = 0;
  for (const Triangle& t : body.triangles) {
    if (std::find(t.begin(), t.end(), vertex) == t.end()) continue;
    for (const Index v : t) longest = std::max(longest, (body.positions[at(v)] - p).norm());
  }
  const rigid::Info& info = s.table.info[slot_of(to)];
  std::vector<Vector3d> places = other.positions;
  std::span<const Triangle> triangles = other.triangles;
  if (!other.has_vertices()) {
    if (s.table.colliders[info.first_collider].mesh == nullptr) return;
    const Eigen::Isometry3d pose = rigid::shape_pose(s.table.motion[slot_of(to)], info);
    for (const Vector3d& local : info.shape.vertices()) places.push_back(pose * local);
    triangles = info.shape.triangles();
  }
  const double reach = longest + 2 * std::max(s.options.contact.distance, body.thickness);
  std::vector<Index> near;
  for (const Triangle& t : triangles) {
    if (closest_vertex_triangle(p, places[at(t[0])], places[at(t[1])], places[at(t[2])]).distance > reach) continue;
    near.insert(near.end(), t.begin(), t.end());
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  for (const Index v : near) s.attached_exclusions.push_back({id, vertex, to, v});
}

/// Vertex that a fixed or scripted body holds.
HeldVertex hold_by(const World::State& s, const Body& to, BodyId id, Index vertex, const Vector3d& place) {
  HeldVertex held{.vertex = vertex, .to = id, .triangle = none, .local = {0, 0, 0}};
  if (!to.has_vertices()) {
    held.local = rigid::shape_pose(s.table.motion[slot_of(id)], s.table.info[slot_of(id)]).inverse() * place;
    return held;
  }
  double nearest = INFINITY;
  for (std::size_t t = 0; t < to.triangles.size(); ++t) {
    const Vector3d& a = to.positions[at(to.triangles[t][0])];
    const Vector3d& b = to.positions[at(to.triangles[t][1])];
    const Vector3d& c = to.positions[at(to.triangles[t][2])];
    if (!((b - a).cross(c - a).norm() > 0)) continue;
    const double distance = closest_vertex_triangle(place, a, b, c).distance;
    if (distance >= nearest) continue;
    nearest = distance;
    held.triangle = static_cast<Index>(t);
    held.local = bodies::triangle_frame(a, b, c).inverse() * place;
  }
  require(held.triangle != none, ErrorCode::bad_mesh, "attach: body '{}' has no triangle with an area", to.name);
  return held;
}

/// Lengths along a chain of vertices, as fractions of the whole.
std::vector<double> fractions_along(const Body& body, std::span<const Index> chain) {
  std::vector<double> along{0};
  for (std::size_t i = 1; i < chain.size(); ++i)
    along.push_back(along.back() + (body.rest_positions[at(chain[i])] - body.rest_positions[at(chain[i - 1])]).norm());
  for (double& f : along) f = along.back() > 0 ? f / along.back() : 0;
  return along;
}

/// Point of a chain at a fraction of its length.
Joint::Side side_at(BodyId id, std::span<const Index> chain, std::span<const double> along, double fraction) {
  const auto after = std::lower_bound(along.begin(), along.end(), fraction);
  const auto k = std::clamp<std::size_t>(static_cast<std::size_t>(after - along.begin()), 1, chain.size() - 1);
  const double u = std::clamp((fraction - along[k - 1]) / (along[k] - along[k - 1]), 0.0, 1.0);
  Joint::Side side{.body = id, .vertices = {chain[k - 1], chain[k]}, .weights = {1 - u, u}, .local = {0, 0, 0}};
  if (u == 0 || chain[k] == chain[k - 1]) side = {.body = id, .vertices = {chain[k - 1], none}, .weights = {1, 0}};
  if (u == 1) side = {.body = id, .vertices = {chain[k], none}, .weights = {1, 0}};
  return side;
}

/// Corners of the triangle that a side is at.
std::array<Vector3d, 3> corners_of(const Joint::Side& side, const Body& body, std::span<const Vector3d> positions) {
  const Triangle& t = body.triangles[at(side.triangle)];
  return {positions[at(t[0])], positions[at(t[1])], positions[at(t[2])]};
}

Vector3d place_at(const Joint::Side& side, const std::array<Vector3d, 3>& corners) {
  return bodies::triangle_frame(corners[0], corners[1], corners[2]) * side.local;
}

Vector3d place_of(const World::State& s, const Joint::Side& side) {
  const Body& body = s.bodies[side.body];
  if (side.triangle != none) return place_at(side, corners_of(side, body, body.positions));
  if (side.vertices[0] == none)
    return rigid::shape_pose(s.table.motion[slot_of(side.body)], s.table.info[slot_of(side.body)]) * side.local;
  Vector3d sum(0, 0, 0);
  for (std::size_t k = 0; k < 2 && side.vertices[k] != none; ++k)
    sum += side.weights[k] * body.positions[at(side.vertices[k])];
  return sum;
}

const bodies::SurfacePart& surface_part_of(const World::State& s, BodyId id) {
  return *std::find_if(s.vertices.parts.begin(), s.vertices.parts.end(),
                       [&](const bodies::SurfacePart& p) { return p.id == id; });
}

/// Joint to a point that a triangle carries: the anchor is the point of the triangle next to it, and what is wanted
/// turns and bends with the triangle.
void place_on_triangle(const World::State& s, const Joint& joint, response::AnchorJoint& placed) {
  const Body& body = s.bodies[joint.a.body];
  const bodies::SurfacePart& part = surface_part_of(s, joint.a.body);
  const std::array<Vector3d, 3> start = corners_of(joint.a, body, part.of(s.vertices.start));
  const std::array<Vector3d, 3> end = corners_of(joint.a, body, part.of(s.vertices.positions));
  const Vector3d place = place_at(joint.a, start);
  const VertexTriangleClosest closest = closest_vertex_triangle(place, start[0], start[1], start[2]);
  Vector3d anchor_start = Vector3d::Zero();
  Vector3d anchor_end = Vector3d::Zero();
  for (std::size_t k = 0; k < 3; ++k) {
    placed.a.vertices[k] = part.first_vertex + body.triangles[at(joint.a.triangle)][k];
    placed.a.weights[k] = closest.weights[static_cast<Eigen::Index>(k)];
    anchor_start += placed.a.weights[k] * start[k];
    anchor_end += placed.a.weights[k] * end[k];
  }
  placed.a.count = 3;
  placed.apart = math::to_vec3(place_of(s, joint.b) - anchor_start);
  placed.wanted_start = math::to_vec3(place - anchor_start);
  placed.wanted_end = math::to_vec3(place_at(joint.a, end) - anchor_end);
}

contact::Anchor anchor_of(World::State& s, const Joint::Side& side, const Vector3d& place) {
  contact::Anchor anchor;
  if (side.vertices[0] == none) {
    anchor.rigid = s.coupled.couple(s.table, slot_of(side.body));
    anchor.arm = math::to_vec3(place) - s.table.motion[slot_of(side.body)].x;
    return anchor;
  }
  const bodies::SurfacePart& part = surface_part_of(s, side.body);
  for (std::size_t k = 0; k < 2 && side.vertices[k] != none; ++k) {
    anchor.vertices[k] = part.first_vertex + side.vertices[k];
    anchor.weights[k] = side.weights[k];
    anchor.count = static_cast<std::uint32_t>(k + 1);
  }
  return anchor;
}

}  // namespace

Vector3d Joint::wanted(double time) const {
  if (!(time < begin + duration)) return {0, 0, 0};
  const double u = std::clamp((time - begin) / duration, 0.0, 1.0);
  return (1 - u * u * (3 - 2 * u)) * offset;
}

void World::attach(BodyId id, std::span<const Index> vertices, BodyId to) {
  State& s = *state_;
  body_of(s, id);
  const Body& other = body_of(s, to);
  require(other.motion != MotionModel::particles, ErrorCode::unsupported,
          "attach: body '{}' is made of particles; sew() joins those", other.name);
  require(!other.cuttable, ErrorCode::unsupported,
          "attach: body '{}' is cuttable, and its triangles do not stay; expected one that nothing cuts", other.name);
  require(s.response == response::Kind::soft, ErrorCode::unsupported,
          "attach: the response '{}' has no attachments; 'soft' has", s.options.response);
  check_no_levels(s.bodies[id], "attach");
  for (const Index given : vertices) checked_vertex(s.bodies[id], given, "attach");
  for (const Index given : vertices) {
    Body& body = s.bodies[id];
    const Index v = checked_vertex(body, given, "attach");
    require(body.inverse_mass[at(v)] > 0, ErrorCode::invalid_argument,
            "attach: vertex {} of body '{}' is pinned or held already, or in no triangle", given, body.name);
    const HeldVertex held = hold_by(s, other, to, v, body.positions[at(v)]);
    exclude_near(s, id, v, to);
    s.attachments.push_back({id, v, to, body.inverse_mass[at(v)]});
    if (other.motion == MotionModel::rigid || body.is_soft()) {
      Joint joint;
      joint.a = {
          .body = to, .vertices = {none, none}, .weights = {1, 0}, .local = held.local, .triangle = held.triangle};
      joint.b = {.body = id, .vertices = {v, none}, .weights = {1, 0}, .local = {0, 0, 0}};
      s.joints.push_back(joint);
      if (other.motion == MotionModel::rigid) keep_awake(s, to);
    } else {
      body.held.push_back(held);
      body.inverse_mass[at(v)] = 0;
      body.pinned = true;
      s.table.info[slot_of(id)].pinned = true;
    }
  }
  keep_awake(s, id);
  s.edited = true;
}

void World::detach(BodyId id, std::span<const Index> vertices) {
  State& s = *state_;
  body_of(s, id);
  for (const Index given : vertices) {
    Body& body = s.bodies[id];
    const Index v = checked_vertex(body, given, "detach");
    const auto found = std::find_if(s.attachments.begin(), s.attachments.end(),
                                    [&](const Attachment& a) { return a.body == id && a.vertex == v; });
    require(found != s.attachments.end(), ErrorCode::invalid_argument, "detach: nothing holds vertex {} of body '{}'",
            given, body.name);
    body.inverse_mass[at(v)] = found->inverse_mass;
    s.attachments.erase(found);
    std::erase_if(body.held, [&](const HeldVertex& held) { return held.vertex == v; });
    std::erase_if(s.joints,
                  [&](const Joint& joint) { return !joint.stitch && joint.b.body == id && joint.b.vertices[0] == v; });
    std::erase_if(s.attached_exclusions, [&](const VertexExclusion& e) { return e.a == id && e.vertex_a == v; });
  }
  rigid::wake(s.table, slot_of(id));
  s.edited = true;
}

void World::sew(const Seam& seam) {
  State& s = *state_;
  check_no_levels(body_of(s, seam.a), "sew");
  check_no_levels(body_of(s, seam.b), "sew");
  require(s.response == response::Kind::soft, ErrorCode::unsupported, "sew: the response '{}' has no seams; 'soft' has",
          s.options.response);
  require(std::isfinite(seam.duration) && seam.duration >= 0, ErrorCode::invalid_argument,
          "sew: duration is {}; expected a number that is not negative", seam.duration);
  require(std::isfinite(seam.tear_force) && seam.tear_force >= 0, ErrorCode::invalid_argument,
          "sew: tear_force is {}; expected a number that is not negative", seam.tear_force);
  std::array<std::vector<Index>, 2> chains{seam.vertices_a, seam.vertices_b};
  std::array<BodyId, 2> ids{seam.a, seam.b};
  for (std::size_t k = 0; k < 2; ++k) {
    require(!chains[k].empty(), ErrorCode::invalid_argument, "sew: no vertices of body '{}' are given",
            s.bodies[ids[k]].name);
    for (Index& v : chains[k]) v = checked_vertex(s.bodies[ids[k]], v, "sew");
  }
  const bool pairs = chains[0].size() == chains[1].size();
  require(pairs || std::min(chains[0].size(), chains[1].size()) > 1, ErrorCode::invalid_argument,
          "sew: {} vertices of body '{}' and {} of body '{}'; chains need at least 2", chains[0].size(),
          s.bodies[ids[0]].name, chains[1].size(), s.bodies[ids[1]].name);
  // The longer chain has its vertices sewn to points of the other.
  if (chains[0].size() < chains[1].size()) {
    std::swap(chains[0], chains[1]);
    std::swap(ids[0], ids[1]);
  }
  const std::vector<double> along_a = fractions_along(s.bodies[ids[0]], chains[0]);
  const std::vector<double> along_b = fractions_along(s.bodies[ids[1]], chains[1]);
  for (std::size_t i = 0; i < chains[0].size(); ++i) {
    Joint joint;
    joint.a = {.body = ids[0], .vertices = {chains[0][i], none}, .weights = {1, 0}, .local = {0, 0, 0}};
    joint.b = pairs
                  ? Joint::Side{.body = ids[1], .vertices = {chains[1][i], none}, .weights = {1, 0}, .local = {0, 0, 0}}
                  : side_at(ids[1], chains[1], along_b, along_a[i]);
    if (ids[0] == ids[1] && joint.a.vertices[0] == joint.b.vertices[0] && joint.b.vertices[1] == none) continue;
    joint.offset = place_of(s, joint.b) - place_of(s, joint.a);
    joint.begin = s.time;
    joint.duration = seam.duration;
    joint.tear_force = seam.tear_force;
    joint.stitch = true;
    s.joints.push_back(joint);
  }
  keep_awake(s, seam.a);
  keep_awake(s, seam.b);
  s.edited = true;
}

std::size_t World::joint_count() const {
  return state_->joints.size();
}

double World::max_inner_step(BodyId id) const {
  const Body& body = body_of(*state_, id);
  require(body.motion == MotionModel::particles, ErrorCode::invalid_argument,
          "body '{}' has no inner steps; expected cloth or particles", body.name);
  return body.max_step;
}

void place_joints(World::State& s, double dt) {
  s.anchor_joints.clear();
  for (const Joint& joint : s.joints) {
    const Vector3d b = place_of(s, joint.b);
    response::AnchorJoint& placed = s.anchor_joints.emplace_back();
    if (joint.a.triangle != none) {
      place_on_triangle(s, joint, placed);
      placed.b = anchor_of(s, joint.b, b);
      continue;
    }
    const Vector3d a = place_of(s, joint.a);
    placed.a = anchor_of(s, joint.a, a);
    placed.b = anchor_of(s, joint.b, b);
    placed.apart = math::to_vec3(b - a);
    placed.wanted_start = math::to_vec3(joint.wanted(s.time));
    placed.wanted_end = math::to_vec3(joint.wanted(s.time + dt));
  }
}

void note_joint_forces(World::State& s, double dt) {
  for (std::size_t i = 0; i < s.joints.size(); ++i) s.joints[i].force = length(s.anchor_joints[i].total) / dt;
}

void join_attachments(World::State& s, const std::map<BodyId, std::size_t>& place) {
  s.vertices.attached.clear();
  s.let_through.clear();
  for (const Attachment& a : s.attachments)
    s.vertices.attached.emplace_back(s.vertices.parts[place.at(a.body)].first_vertex + a.vertex, slot_of(a.to));
  std::sort(s.vertices.attached.begin(), s.vertices.attached.end());
  const auto exclude = [&](const VertexExclusion& e) {
    if (!place.contains(e.a) || !place.contains(e.b)) return;
    s.filters.vertices.push_back({s.vertices.parts[place.at(e.a)].first_vertex + e.vertex_a,
                                  s.vertices.parts[place.at(e.b)].first_vertex + e.vertex_b});
  };
  for (const VertexExclusion& e : s.attached_exclusions) exclude(e);
  s.filters.twins.clear();
  for (const VertexExclusion& e : s.torn) {
    exclude(e);
    const Index a = s.vertices.parts[place.at(e.a)].first_vertex + e.vertex_a;
    const Index b = s.vertices.parts[place.at(e.b)].first_vertex + e.vertex_b;
    s.filters.twins.push_back({std::min(a, b), std::max(a, b)});
  }
  std::sort(s.filters.twins.begin(), s.filters.twins.end());
  s.filters.sewn.clear();
  for (const Joint& joint : s.joints) {
    if (!joint.stitch) continue;
    if (closes(s, joint)) {
      const Index first = s.vertices.parts[place.at(joint.a.body)].first_vertex;
      const auto [low, high] = std::minmax(joint.a.vertices[0], joint.b.vertices[0]);
      s.filters.sewn.push_back({first + low, first + high});
      continue;
    }
    for (const Index b : joint.b.vertices) {
      if (b != none) exclude({joint.a.body, joint.a.vertices[0], joint.b.body, b});
    }
  }
  std::sort(s.filters.sewn.begin(), s.filters.sewn.end());
}

void drop_joints(World::State& s, BodyId body) {
  std::erase_if(s.joints, [&](const Joint& joint) { return joint.a.body == body || joint.b.body == body; });
  std::erase_if(s.attached_exclusions, [&](const VertexExclusion& e) { return e.a == body || e.b == body; });
  std::erase_if(s.torn, [&](const VertexExclusion& e) { return e.a == body || e.b == body; });
  for (const Attachment& a : s.attachments) {
    if (a.to != body || a.body == body) continue;
    Body& held = s.bodies[a.body];
    held.inverse_mass[at(a.vertex)] = a.inverse_mass;
    std::erase_if(held.held, [&](const HeldVertex& h) { return h.to == body; });
    rigid::wake(s.table, slot_of(a.body));
  }
  std::erase_if(s.attachments, [&](const Attachment& a) { return a.body == body || a.to == body; });
}

}  // namespace carom
