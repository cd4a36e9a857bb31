#include <algorithm>
#include <cmath>
#include <map>

#include "bodies/soft_cut.hpp"
#include "core/check.hpp"
#include "world/blade_crossings.hpp"

// What blades cut in a step, and what is cut at once: sheets at edges of their triangles, soft bodies at links between
// voxels.
namespace carom {
namespace {

using Eigen::Vector3d;

const Body& cut_body_of(const World::State& s, BodyId id) {
  require(s.bodies.contains(id), ErrorCode::bad_index,
          "no body has the id {}.{}: it was removed, or is of another world", id.index, id.generation);
  return s.bodies[id];
}

/// Body that blades cut.
const Body& cuttable_of(const World::State& s, BodyId id, const char* what) {
  const Body& body = cut_body_of(s, id);
  require(!body.is_soft() || body.soft.lattice, ErrorCode::unsupported,
          "{}: body '{}' is soft and was not made to be cut; SoftBody::cuttable makes it so", what, body.name);
  require(!body.levels.model, ErrorCode::unsupported, "{}: body '{}' has several levels; expected levels 1", what,
          body.name);
  require(!body.is_spring_net() || world::is_cut(s, body), ErrorCode::unsupported,
          "{}: body '{}' is of particles, which the response '{}' does not cut; 'soft' does", what, body.name,
          s.options.response);
  require(world::is_cut(s, body), ErrorCode::unsupported,
          "{}: body '{}' is {} and not cuttable; expected cloth, particles or a body that was made to be cut", what,
          body.name, to_string(body.motion));
  return body;
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

/// Cuts a body where it is along the way of a blade from one pose to the next.
WorldCut cut_at_once(World::State& s, BodyId id, std::span<const Vector3d> from, std::span<const Vector3d> to) {
  const Body& body = s.bodies[id];
  if (body.soft.lattice) {
    const auto links = solid::crossed_links(body.soft, body.soft.nodes, {from, to});
    return links.empty() ? WorldCut{.body = id} : cut_soft(s, id, links);
  }
  std::vector<sheet::EdgeCrossing> crossings;
  const bodies::SurfacePart* part = s.edited ? nullptr : world::part_of(s, id);
  if (part != nullptr) {
    world::find_crossings(world::edges_of(s, *part), part->first_vertex, body.positions, body.positions, {from, to, 0},
                          crossings);
  } else {
    const Topology topology = build_topology(body.positions.size(), body.triangles);
    world::find_crossings(topology.edges, 0, body.positions, body.positions, {from, to, 0}, crossings);
  }
  return crossings.empty() ? WorldCut{.body = id} : cut_sheet(s, id, std::move(crossings), part);
}

}  // namespace

void note_not_cut(World::State& s) {
  for (const bodies::SurfacePart& part : s.vertices.parts) {
    const Body& body = s.bodies[part.id];
    if (s.blades.empty() || body.motion != MotionModel::particles || world::is_cut(s, body)) continue;
    const auto known = std::lower_bound(s.not_cut.begin(), s.not_cut.end(), part.id);
    if (known != s.not_cut.end() && *known == part.id) continue;
    world::Box box;
    for (const Vector3d& p : part.of(s.vertices.start)) box.extend(p);
    for (const Vector3d& p : body.positions) box.extend(p);
    std::vector<sheet::EdgeCrossing> crossings;
    for (std::size_t i = 0; i < s.blades.size() && crossings.empty(); ++i) {
      const std::vector<Vector3d> end = world::places_of(s, s.blades[i]);
      const world::ChainMotion chain{s.blades[i].places, end, i};
      if (!box.overlaps(chain.box())) continue;
      world::find_crossings(world::edges_of(s, part), part.first_vertex, part.of(s.vertices.start), body.positions,
                            chain, crossings);
    }
    if (!crossings.empty()) s.not_cut.insert(known, part.id);
  }
}

bool cut_bodies(World::State& s, double dt) {
  if (s.blades.empty()) return false;
  const bool is_joined = !s.edited;
  std::vector<std::vector<Vector3d>> ends;
  for (const BodyBlade& blade : s.blades) ends.push_back(world::places_of(s, blade));
  std::map<BodyId, std::vector<sheet::EdgeCrossing>> crossings;
  std::map<BodyId, std::vector<mesh::LinkCrossing>> links;
  for (std::size_t number = 0; number < s.vertices.parts.size(); ++number) {
    const bodies::SurfacePart& part = s.vertices.parts[number];
    const Body& body = s.bodies[part.id];
    if (body.soft.lattice) find_links(s, number, ends, dt, links[part.id]);
    if (world::is_cut_as_sheet(s, body)) world::find_sheet_crossings(s, part, ends, dt, crossings[part.id]);
  }
  for (std::size_t i = 0; i < s.blades.size(); ++i) s.blades[i].places = std::move(ends[i]);
  bool changed = false;
  for (auto& [id, list] : crossings) {
    if (list.empty()) continue;
    WorldCut cut = cut_sheet(s, id, std::move(list), is_joined ? world::part_of(s, id) : nullptr);
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
  s.query_tree.forget();
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
