#include <algorithm>

#include "bodies/sleeping.hpp"
#include "bodies/soft_cut.hpp"
#include "bodies/soft_cut_masses.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "world/blades.hpp"
#include "world/pieces.hpp"

// Soft bodies that are cut: links between voxels go, and pieces that nothing joins any more become bodies of their own.
namespace carom {
namespace {

using Eigen::Vector3d;

/// Width of a cut, in units of the thickness: fresh faces are not near enough to push each other.
constexpr double kerf_thickness = 1.2;
/// Width of a cut, as a fraction of a voxel, at most.
constexpr double max_kerf = 0.25;

/// Distance from its place in the lattice beyond which a vertex that a cut puts there may get into another surface, in
/// units of the thickness.
constexpr double max_jump = 0.1;

/// Whether vertices that a cut changes were farther from their places than `distance` (m): continuous detection had
/// stopped them there.
bool jumps(const solid::SoftCut& cut, double distance, const Body& body) {
  return std::any_of(cut.moved.begin(), cut.moved.end(), [&](const auto& moved) {
    return (body.positions[at(moved.first)] - moved.second).norm() > distance;
  });
}

/// Whether vertices that moved along the surface (places in the world) are within `reach` (m) of a contact with another
/// body.
bool near_others(const World::State& s, BodyId id, std::span<const Vector3d> moved, double reach) {
  for (std::size_t i = 0; i < s.contacts.contacts.size() && !moved.empty(); ++i) {
    const contact::AnchorIdentity& identity = s.contacts.identities[i];
    if ((identity.body_a == id) == (identity.body_b == id)) continue;
    const Vector3d point = math::to_eigen(s.contacts.contacts[i].point_a);
    if (std::any_of(moved.begin(), moved.end(), [&](const Vector3d& p) { return (p - point).norm() < reach; }))
      return true;
  }
  return false;
}

/// What a step asks the model of a body for.
void take_model(Body& body) {
  body.max_step = body.soft.model->elements.inner_step();
  body.pinned = body.soft.model->elements.fixed_count() > 0;
}

/// Surface of a body as its lattice has it now, with the velocities of the nodes.
void take_surface(World::State& s, Body& body) {
  const solid::BodyState& soft = body.soft;
  const solid::Embedding& surface = soft.model->surface;
  body.triangles = soft.lattice->surface.triangles;
  body.rest_positions = soft.lattice->rest;
  body.velocities.resize(surface.count());
  for (std::size_t v = 0; v < surface.count(); ++v) body.velocities[v] = surface.mean(v, soft.velocities);
  body.inverse_mass.resize(surface.count());
  solid::weigh_surface(soft, s.cut_scratch, body.inverse_mass);
  take_model(body);
}

/// The same where a cut changed it. Vertices that are new, or have another place at rest, are where the nodes have
/// them.
void take_cut(World::State& s, const solid::SoftCut& cut, Body& body) {
  const solid::BodyState& soft = body.soft;
  const solid::Embedding& surface = soft.model->surface;
  body.triangles.resize(soft.lattice->surface.triangles.size());
  for (const Index t : cut.triangles) body.triangles[at(t)] = soft.lattice->surface.triangles[at(t)];
  body.rest_positions.resize(surface.count());
  body.positions.resize(surface.count());
  body.velocities.resize(surface.count());
  body.inverse_mass.resize(surface.count());
  for (const Index v : cut.placed) {
    body.rest_positions[at(v)] = soft.lattice->rest[at(v)];
    body.positions[at(v)] = surface.mean(at(v), soft.nodes);
  }
  for (const Index v : cut.vertices) body.velocities[at(v)] = surface.mean(at(v), soft.velocities);
  solid::weigh_near(soft, cut.voxels, s.cut_scratch, body.inverse_mass);
  for (const Index v : cut.gone)
    body.inverse_mass[at(v)] = soft.model->elements.inverse_mass()[at(soft.lattice->nodes[0][0])];
  take_model(body);
}

PieceSelection select_vertices(const Body& body, std::vector<Index> vertices) {
  PieceSelection part;
  part.number.assign(body.positions.size(), none);
  part.own.assign(body.positions.size(), 0);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    part.number[at(vertices[i])] = static_cast<Index>(i);
    part.own[at(vertices[i])] = 1;
  }
  part.vertices = std::move(vertices);
  return part;
}

Body make_soft_piece(World::State& s, const Body& body, solid::BodyState soft, const PieceSelection& part,
                     std::size_t number) {
  Body piece = body;
  piece.name = body.name + "-" + std::to_string(number);
  piece.soft = std::move(soft);
  piece.positions.clear();
  for (const Index v : part.vertices) piece.positions.push_back(body.positions[at(v)]);
  piece.triangle_names.clear();
  piece.held.clear();
  piece.pulls.clear();
  take_surface(s, piece);
  return piece;
}

/// Pieces that came off when these links were cut.
std::vector<BodyId> split_soft(World::State& s, BodyId id, std::span<const mesh::LinkCrossing> cut) {
  std::vector<mesh::VoxelLink> links;
  for (const mesh::LinkCrossing& crossing : cut) links.push_back(crossing.link);
  if (mesh::parts_that_came_off(s.bodies[id].soft.lattice->links, links).empty()) return {};
  const auto parts = solid::parts_of(*s.bodies[id].soft.lattice);
  const auto largest = static_cast<std::size_t>(
      std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); }) -
      parts.begin());
  std::vector<BodyId> pieces;
  std::vector<Index> vertices;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == largest) continue;
    solid::BodyState soft = solid::extract(s.bodies[id].soft, parts[i], false, vertices);
    const PieceSelection part = select_vertices(s.bodies[id], vertices);
    const int number = ++s.piece_count[s.bodies[id].name];
    const bool tangles = s.check_tangles;
    pieces.push_back(
        insert_surface(s, make_soft_piece(s, s.bodies[id], std::move(soft), part, static_cast<std::size_t>(number))));
    s.check_tangles = tangles;  // the faces of a cut are a kerf apart
    s.table.info[slot_of(pieces.back())].sleeping_allowed = s.table.info[slot_of(id)].sleeping_allowed;
    move_references(s, id, pieces.back(), part);
  }
  Body& body = s.bodies[id];
  std::vector<Index> triangles;
  body.soft = solid::extract(body.soft, parts[largest], true, vertices, &triangles);
  keep_triangle_names(triangles, body.triangles.size(), body);
  // Vertices that went away are where the first node is.
  std::vector<std::uint8_t> gone(body.positions.size(), 1);
  for (const Index v : vertices) gone[at(v)] = 0;
  for (std::size_t v = 0; v < gone.size(); ++v) {
    if (gone[v] != 0) body.positions[v] = body.soft.model->surface.mean(v, body.soft.nodes);
  }
  take_surface(s, body);
  s.table.info[slot_of(id)].pinned = body.pinned;
  return pieces;
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

}  // namespace

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

WorldCut cut_soft(World::State& s, BodyId id, std::span<const mesh::LinkCrossing> links) {
  WorldCut result{.body = id};
  {
    Body& body = s.bodies[id];
    const double thickness = body.thickness > 0 ? body.thickness : s.options.contact.distance;
    const double kerf = std::min(max_kerf, kerf_thickness * thickness / body.soft.model->voxel_size);
    const solid::SoftCut cut = solid::cut(body.soft, links, kerf);
    result.crossed = cut.cut;
    result.separated = cut.separated;
    result.area = cut.area;
    if (cut.cut == 0) return result;
    s.check_tangles |=
        jumps(cut, max_jump * thickness, body) || near_others(s, id, cut.shifted, body.soft.model->voxel_size);
    take_cut(s, cut, body);
  }
  result.pieces = split_soft(s, id, links);
  rigid::wake(s.table, slot_of(id));
  s.edited = true;
  return result;
}

std::vector<std::uint8_t> World::cut_triangles(BodyId id) const {
  require(state_->bodies.contains(id), ErrorCode::bad_index,
          "no body has the id {}.{}: it was removed, or is of another world", id.index, id.generation);
  const Body& body = state_->bodies[id];
  if (!body.soft.lattice) return {};
  const mesh::LinkSurface& surface = body.soft.lattice->surface;
  std::vector<std::uint8_t> made;
  made.reserve(surface.triangles.size());
  for (const Index side : surface.side_of_triangle) made.push_back(surface.is_cut[at(side)]);
  if (std::find(made.begin(), made.end(), 1) == made.end()) return {};
  return made;
}

}  // namespace carom
