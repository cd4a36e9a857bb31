#include <Eigen/Geometry>
#include <algorithm>

#include "carom/detect/intersect.hpp"
#include "carom/mesh/closest.hpp"
#include "core/at.hpp"
#include "world/blades.hpp"

// Blades do not push what they are about to cut, nor the lips of a fresh cut that are still where the blade is. All
// else of a body with a blade collides as that of any body.
namespace carom {
namespace {

using Eigen::Vector3d;

/// Distance of a point from what a chain sweeps, m.
double distance_to_sweep(const Vector3d& p, std::span<const Vector3d> start, std::span<const Vector3d> end) {
  double distance = std::min(world::nearest_on(start, p).first, world::nearest_on(end, p).first);
  const auto extend = [&](const Vector3d& a, const Vector3d& b, const Vector3d& c) {
    if ((b - a).cross(c - a).norm() > 0) distance = std::min(distance, closest_vertex_triangle(p, a, b, c).distance);
  };
  for (std::size_t k = 0; k + 1 < start.size(); ++k) {
    extend(start[k], start[k + 1], end[k]);
    extend(start[k + 1], end[k + 1], end[k]);
  }
  return distance;
}

/// Body with blades, and its surface if it has one.
struct Carrier {
  BodyId id;
  std::vector<std::size_t> blades;
  const bodies::SurfacePart* part = nullptr;
};

std::vector<Carrier> carriers_of(const World::State& s) {
  std::vector<Carrier> carriers;
  for (std::size_t i = 0; i < s.blades.size(); ++i) {
    const BodyId id = s.blades[i].body;
    auto found = std::find_if(carriers.begin(), carriers.end(), [&](const Carrier& c) { return c.id == id; });
    if (found == carriers.end()) {
      found = carriers.insert(found, Carrier{.id = id, .blades = {}, .part = nullptr});
      for (const bodies::SurfacePart& part : s.vertices.parts) {
        if (part.id == id) found->part = &part;
      }
    }
    found->blades.push_back(i);
  }
  return carriers;
}

std::span<const Triangle> triangles_of_part(const World::State& s, const bodies::SurfacePart& part) {
  const auto next = static_cast<std::size_t>(&part - s.vertices.parts.data()) + 1;
  const std::span<const Triangle> all = s.vertices.surface().triangles();
  std::size_t end = next < s.vertices.parts.size() ? at(s.vertices.parts[next].first_triangle) : all.size();
  while (end > at(part.first_triangle) && is_dead(all[end - 1])) --end;  // room for more
  return all.subspan(at(part.first_triangle), end - at(part.first_triangle));
}

/// Distance from the path of a blade, m, within which it is about to cut, or has just cut.
double reach_of(const World::State& s, const bodies::SurfacePart& part, const world::Box& sweep) {
  const Body& body = s.bodies[part.id];
  const double thickness = world::thickness_of(s, body);
  if (body.soft.lattice) return body.soft.model->voxel_size + thickness;
  // Cuts of sheets end at edges: the longest near the blade.
  world::Box near = sweep;
  near.grow(2 * thickness);
  double longest = 0;
  for (const Triangle& t : body.triangles) {
    world::Box box;
    for (const Index v : t) box.extend(body.positions[at(v)]);
    if (!box.overlaps(near)) continue;
    for (std::size_t k = 0; k < 3; ++k)
      longest = std::max(longest, (body.positions[at(t[k])] - body.positions[at(t[(k + 1) % 3])]).norm());
  }
  return longest + 2 * thickness;
}

/// Vertices within reach of a blade that cuts at touch.
void mark_ahead(const World::State& s, const bodies::SurfacePart& part, const world::ChainMotion& chain,
                std::vector<Index>& marked) {
  const double reach = reach_of(s, part, chain.box());
  world::Box box = chain.box();
  box.grow(reach);
  const std::span<const Vector3d> start = part.of(s.vertices.start);
  for (std::size_t v = 0; v < start.size(); ++v) {
    if (box.contains(start[v]) && distance_to_sweep(start[v], chain.start, chain.end) <= reach)
      marked.push_back(part.first_vertex + static_cast<Index>(v));
  }
}

/// Corners of triangles that intersect the body with the blade.
void mark_inside(const World::State& s, const bodies::SurfacePart& part, const bodies::SurfacePart& blade,
                 std::vector<Index>& marked) {
  const std::vector<Vector3d>& positions = s.vertices.start;
  const auto points = [&](const Triangle& t) {
    return TrianglePoints{positions[at(t[0])], positions[at(t[1])], positions[at(t[2])]};
  };
  world::Box all;
  for (const Vector3d& p : blade.of(positions)) all.extend(p);
  world::Box own;
  for (const Vector3d& p : part.of(positions)) own.extend(p);
  if (!own.overlaps(all)) return;
  for (const Triangle& t : triangles_of_part(s, part)) {
    const TrianglePoints corners = points(t);
    world::Box box;
    for (const Vector3d& p : corners) box.extend(p);
    if (!box.overlaps(all)) continue;
    for (const Triangle& of_blade : triangles_of_part(s, blade)) {
      const TrianglePoints other = points(of_blade);
      world::Box other_box;
      for (const Vector3d& p : other) other_box.extend(p);
      if (!box.overlaps(other_box) || !intersects(corners, other)) continue;
      marked.insert(marked.end(), t.begin(), t.end());
      break;
    }
  }
}

/// Features with these vertices and the body with the blade make no contacts in this step.
void let_through(World::State& s, const Carrier& carrier, const std::vector<Index>& marked) {
  for (const Index v : marked) {
    const std::pair<Index, BodySlot> entry(v, slot_of(carrier.id));
    const auto place = std::lower_bound(s.vertices.attached.begin(), s.vertices.attached.end(), entry);
    if (place != s.vertices.attached.end() && *place == entry) continue;
    s.vertices.attached.insert(place, entry);
    s.let_through.push_back(entry);
  }
  if (carrier.part == nullptr) return;
  broad::Tangled& tangled = s.tangled;
  if (tangled.through.size() == broad::Tangled::max_sets) return;
  tangled.sets.resize(s.vertices.start.size(), 0);
  const std::uint64_t bit = std::uint64_t{1} << tangled.through.size();
  const auto object = static_cast<Index>(carrier.part - s.vertices.parts.data());
  tangled.through.push_back(object);
  for (const Index v : marked) tangled.sets[at(v)] |= bit;
  // What blades have cut is not pushed out of them.
  std::erase_if(s.tangles, [&](const contact::Tangle& tangle) {
    if (tangle.object_a != object && tangle.object_b != object) return false;
    const auto is_marked = [&](Index v) { return (tangled.sets[at(v)] & bit) != 0; };
    return std::any_of(tangle.moved.begin(), tangle.moved.end(), is_marked) ||
           std::any_of(tangle.other.begin(), tangle.other.end(), is_marked);
  });
}

bool may_touch(const World::State& s, BodyId a, BodyId b) {
  if (!may_collide(s.bodies[a].filter, s.bodies[b].filter)) return false;
  return std::none_of(s.excluded_bodies.begin(), s.excluded_bodies.end(), [&](const std::array<BodyId, 2>& pair) {
    return pair == std::array{a, b} || pair == std::array{b, a};
  });
}

}  // namespace

void let_blades_through(World::State& s, double dt) {
  std::sort(s.let_through.begin(), s.let_through.end());
  std::erase_if(s.vertices.attached, [&](const auto& entry) {
    return std::binary_search(s.let_through.begin(), s.let_through.end(), entry);
  });
  s.let_through.clear();
  s.vertices.unpushed.clear();
  if (s.blades.empty() || !s.deforming) return;
  for (const Carrier& carrier : carriers_of(s)) {
    std::vector<std::vector<Vector3d>> ends;
    for (const std::size_t i : carrier.blades) ends.push_back(world::predicted_places(s, s.blades[i], dt));
    std::vector<Index> marked;
    for (const bodies::SurfacePart& part : s.vertices.parts) {
      const Body& body = s.bodies[part.id];
      if (!world::is_cut(s, body)) continue;
      if (!may_touch(s, carrier.id, part.id)) continue;
      if (!(world::fracture_energy_of(s, part.id) > 0)) {
        // What a script moves does any work.
        if (s.bodies[carrier.id].motion == MotionModel::rigid)
          s.vertices.unpushed.emplace_back(slot_of(carrier.id), part.body);
        for (std::size_t k = 0; k < ends.size(); ++k)
          mark_ahead(s, part, {s.blades[carrier.blades[k]].places, ends[k], carrier.blades[k]}, marked);
      }
      if (carrier.part != nullptr) mark_inside(s, part, *carrier.part, marked);
    }
    std::sort(marked.begin(), marked.end());
    marked.erase(std::unique(marked.begin(), marked.end()), marked.end());
    if (!marked.empty()) let_through(s, carrier, marked);
  }
  std::sort(s.vertices.unpushed.begin(), s.vertices.unpushed.end());
}

}  // namespace carom
