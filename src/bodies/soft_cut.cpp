#include "bodies/soft_cut.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "bodies/soft_blocks.hpp"
#include "bodies/soft_cut_surface.hpp"
#include "bodies/soft_lattice.hpp"
#include "core/at.hpp"
#include "core/disjoint_sets.hpp"
#include "core/writable.hpp"

namespace carom::solid {
namespace {

using Eigen::Vector3d;
using mesh::LinkCrossing;
using mesh::LinkVertex;
using mesh::VoxelLink;

/// Corners of a voxel's face, see VoxelLattice.
std::array<std::size_t, 4> corners_of_face(int direction) {
  const auto axis = static_cast<std::size_t>(direction / 2);
  const std::size_t u = std::size_t{1} << (axis + 1) % 3;
  const std::size_t v = std::size_t{1} << (axis + 2) % 3;
  const std::size_t base = static_cast<std::size_t>(direction % 2) << axis;
  return {base, base | u, base | v, base | u | v};
}

LatticePlace corner_place_of(const mesh::VoxelLinks& links, Index voxel, std::size_t corner) {
  LatticePlace place = links.cell(voxel);
  for (std::size_t k = 0; k < 3; ++k) place[k] += static_cast<std::int32_t>(corner >> k & 1);
  return place;
}

/// Copies of nodes at a corner of the lattice, so that those of voxels which links join there are one. The first keeps
/// its number. Returns the number of nodes that were copied.
std::size_t split_nodes(const LatticePlace& place, CutLattice& lattice, BodyState& state) {
  std::array<Index, 8> around = voxels_around(lattice.links, place);
  for (Index& v : around) {
    if (!has_voxel(lattice, v)) v = none;
  }
  std::array<std::size_t, 8> group{0, 1, 2, 3, 4, 5, 6, 7};
  for (int pass = 0; pass < 4; ++pass) {  // the way around a corner is at most four links long, each end goes two
    for (std::size_t o = 0; o < 8; ++o) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t other = o ^ (std::size_t{1} << k);
        const int direction = 2 * static_cast<int>(k) + ((o >> k & 1) == 0 ? 1 : 0);
        if (around[o] == none || around[other] == none || !lattice.links.joined(around[o], direction)) continue;
        group[o] = group[other] = std::min(group[o], group[other]);
      }
    }
  }
  std::map<Index, std::size_t> first;  // group that keeps each node
  std::map<std::pair<Index, std::size_t>, Index> copies;
  std::size_t separated = 0;
  for (std::size_t o = 0; o < 8; ++o) {
    if (around[o] == none) continue;
    Index& node = lattice.nodes[element_of(lattice, around[o])][7 - o];
    if (first.try_emplace(node, group[o]).first->second == group[o]) continue;
    const auto [copy, is_new] = copies.try_emplace({node, group[o]}, static_cast<Index>(state.nodes.size()));
    if (is_new) {
      const Vector3d position = state.nodes[at(node)];
      const Vector3d velocity = state.velocities[at(node)];
      state.nodes.push_back(position);
      state.velocities.push_back(velocity);
      ++separated;
    }
    node = copy->second;
    add_node_block(element_of(lattice, around[o]), copy->second, lattice);
  }
  return separated;
}

/// Adds places to a list, which is ascending then.
void add_places(std::span<const LatticePlace> places, std::vector<LatticePlace>& list) {
  list.insert(list.end(), places.begin(), places.end());
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Corners of voxels in the lattice, ascending.
std::vector<LatticePlace> corner_places(std::span<const Index> voxels, const CutLattice& lattice) {
  std::vector<LatticePlace> found;
  for (const Index voxel : voxels) {
    for (std::size_t c = 0; c < 8; ++c) found.push_back(corner_place_of(lattice.links, voxel, c));
  }
  std::vector<LatticePlace> places;
  add_places(found, places);
  return places;
}

/// Corners of these voxels go back to where they were before any cut. Returns those that were elsewhere, ascending.
std::vector<LatticePlace> first_places(std::span<const Index> voxels, CutLattice& lattice) {
  std::vector<LatticePlace> places;
  for (const Index voxel : voxels) {
    for (std::size_t c = 0; c < 8; ++c) {
      const auto found = lattice.moved.find(lattice.recipe->corners[at(voxel)][c]);
      if (found == lattice.moved.end() || found->second.shift.isZero(0)) continue;
      found->second.shift.setZero();
      places.push_back(corner_place_of(lattice.links, voxel, c));
    }
  }
  std::sort(places.begin(), places.end());
  return places;
}

/// Voxels at corners of the lattice, and vertices of the surface that may be in them, besides those given.
LatticeChange change_at(std::span<const LatticePlace> places, std::vector<Index> vertices, const CutLattice& lattice) {
  LatticeChange change{.voxels = {}, .vertices = std::move(vertices)};
  for (const LatticePlace& place : places) {
    for (const Index voxel : voxels_around(lattice.links, place)) {
      if (has_voxel(lattice, voxel)) change.voxels.push_back(voxel);
    }
  }
  const auto sort = [](std::vector<Index>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  sort(change.voxels);
  const mesh::LinkSurface& surface = lattice.surface;
  for (const Index voxel : change.voxels) {
    for (int d = 0; d < mesh::direction_count; ++d) {
      if (lattice.links.joined(voxel, d)) continue;
      for (const Index t : surface.triangles_of_side[at(surface.side(voxel, d))]) {
        if (t == none) continue;
        const Triangle& corners = surface.triangles[at(t)];
        change.vertices.insert(change.vertices.end(), corners.begin(), corners.end());
      }
    }
  }
  sort(change.vertices);
  return change;
}

/// Voxels of a change, and of its vertices; ascending.
std::vector<Index> voxels_of(const LatticeChange& change, const CutLattice& lattice) {
  std::vector<Index> voxels = change.voxels;
  for (const Index v : change.vertices) {
    const std::vector<Index>& own = lattice.surface.vertices[at(v)].voxels;
    voxels.insert(voxels.end(), own.begin(), own.end());
  }
  std::sort(voxels.begin(), voxels.end());
  voxels.erase(std::unique(voxels.begin(), voxels.end()), voxels.end());
  return voxels;
}

/// Triangles of some sides, those that have a number, in the order of their new numbers. If they keep theirs, the last
/// ones take the numbers of those of other sides.
std::vector<Index> own_triangles(const mesh::LinkSurface& surface, std::span<const Index> side_number,
                                 bool keep_numbers) {
  const auto is_own = [&](std::size_t t) { return side_number[at(surface.side_of_triangle[t])] != none; };
  std::vector<Index> list;
  std::size_t end = surface.triangles.size();
  for (std::size_t t = 0; t < end; ++t) {
    if (is_own(t)) {
      list.push_back(static_cast<Index>(t));
    } else if (keep_numbers) {
      while (end > t + 1 && !is_own(end - 1)) --end;
      if (end > t + 1) list.push_back(static_cast<Index>(--end));
    }
  }
  return list;
}

}  // namespace

SoftCut cut(BodyState& state, std::span<const LinkCrossing> links, double kerf) {
  SoftCut result;
  const std::shared_ptr<CutLattice> lattice = writable(state.lattice);
  std::vector<LatticePlace> places;
  std::vector<LinkCrossing> now;
  std::vector<VoxelLink> names;
  for (const LinkCrossing& crossing : links) {
    const VoxelLink& link = crossing.link;
    if (!lattice->links.cut(link.voxel, link.direction)) continue;
    ++result.cut;
    now.push_back(crossing);
    names.push_back(link);
    for (const std::size_t c : corners_of_face(link.direction))
      places.push_back(corner_place_of(lattice->links, link.voxel, c));
  }
  if (now.empty()) return result;
  const double size = lattice->recipe->voxel_size;
  result.area = static_cast<double>(result.cut) * size * size;
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (const LatticePlace& place : places) result.separated += split_nodes(place, *lattice, state);
  const std::map<Index, Vector3d> moved = move_corners(now, *lattice);
  mesh::LinkSurfaceChange of_surface = mesh::update_surface(lattice->links, names, places, lattice->surface);
  lattice->rest.resize(lattice->surface.vertices.size(), Vector3d::Constant(NAN));

  SurfaceRegion region = region_at(places, *lattice);
  std::map<Index, Vector3d> rest;  // where vertices were
  // Where triangles intersect, corners go back, half the way first.
  constexpr int halvings = 2;
  // Where all are back, as at the border of the mesh where voxels are not square, the cut gets wider there.
  constexpr double widening = 1.5;
  constexpr double widest = 0.5;
  double wide = kerf;
  std::vector<LatticePlace> widened;
  for (int round = 0;; ++round) {
    for (const Index v : region.vertices) rest.try_emplace(v, lattice->rest[at(v)]);
    place_vertices(kerf, region, *lattice);
    if (!widened.empty()) place_vertices(wide, region_at(widened, *lattice), *lattice);
    const std::vector<Index> crossing = crossing_voxels(*lattice, region, state.nodes);
    if (crossing.empty()) break;
    if (move_back(round > halvings ? lattice->voxels : crossing, moved, round >= halvings, *lattice)) continue;
    // What is left is at corners that earlier cuts moved.
    std::vector<LatticePlace> back = first_places(crossing, *lattice);
    if (back.empty()) back = first_places(lattice->voxels, *lattice);
    if (back.empty()) {
      wide *= widening;
      if (wide > widest) break;
      back = corner_places(crossing, *lattice);
      add_places(back, widened);
    }
    add_places(region.corners, back);
    region = region_at(std::move(back), *lattice);
  }
  const Embedding& before = state.model->surface;
  std::vector<Index> changed = of_surface.gone;
  for (const auto& [v, place] : rest) {
    changed.push_back(v);
    if (lattice->rest[at(v)] == place) continue;
    result.placed.push_back(v);
    if (at(v) < before.count()) result.moved.emplace_back(v, before.mean(at(v), state.nodes));
  }
  const std::shared_ptr<BodyModel> model = writable(state.model);
  LatticeChange change = change_at(places, std::move(changed), *lattice);
  update_model(*lattice, change, *model);
  result.voxels = voxels_of(change, *lattice);
  result.vertices = std::move(change.vertices);
  result.triangles = std::move(of_surface.triangles);
  result.gone = std::move(of_surface.gone);
  for (const auto& [v, place] : result.moved) {
    if ((lattice->rest[at(v)] - rest.at(v)).norm() > kerf * size)
      result.shifted.push_back(model->surface.mean(at(v), state.nodes));
  }
  state.model = model;
  state.lattice = lattice;
  return result;
}

std::vector<std::vector<std::size_t>> parts_of(const CutLattice& lattice) {
  DisjointSets sets(lattice.voxels.size());
  std::vector<Index> element(lattice.links.voxel_count(), none);
  for (std::size_t e = 0; e < lattice.voxels.size(); ++e) element[at(lattice.voxels[e])] = static_cast<Index>(e);
  for (std::size_t e = 0; e < lattice.voxels.size(); ++e) {
    for (int d = 1; d < mesh::direction_count; d += 2) {
      if (!lattice.links.joined(lattice.voxels[e], d)) continue;
      sets.merge(static_cast<Index>(e), element[at(lattice.links.neighbor(lattice.voxels[e], d))]);
    }
  }
  std::map<Index, std::size_t> numbers;
  std::vector<std::vector<std::size_t>> parts;
  for (std::size_t e = 0; e < lattice.voxels.size(); ++e) {
    const std::size_t part = numbers.try_emplace(sets.find(static_cast<Index>(e)), numbers.size()).first->second;
    if (part == parts.size()) parts.emplace_back();
    parts[part].push_back(e);
  }
  return parts;
}

BodyState extract(const BodyState& state, std::span<const std::size_t> elements, bool keep_numbers,
                  std::vector<Index>& vertices, std::vector<Index>* triangles) {
  const CutLattice& whole = *state.lattice;
  auto lattice = std::make_shared<CutLattice>(whole.links);
  lattice->recipe = whole.recipe;
  lattice->moved = whole.moved;
  BodyState part;
  std::vector<Index> node_number(state.nodes.size(), none);
  for (const std::size_t e : elements) {
    lattice->voxels.push_back(whole.voxels[e]);
    std::array<Index, 8>& corners = lattice->nodes.emplace_back();
    for (std::size_t c = 0; c < 8; ++c) {
      const Index node = whole.nodes[e][c];
      if (node_number[at(node)] == none) {
        node_number[at(node)] = static_cast<Index>(part.nodes.size());
        part.nodes.push_back(state.nodes[at(node)]);
        part.velocities.push_back(state.velocities[at(node)]);
      }
      corners[c] = node_number[at(node)];
    }
    if (!state.flowed.empty()) part.flowed.push_back(state.flowed[e]);
  }
  // Sides and vertices of these voxels.
  const auto own = [&](Index voxel) { return has_voxel(*lattice, voxel); };
  std::vector<Index> number(whole.surface.vertices.size(), none);
  vertices.clear();
  for (std::size_t v = 0; v < number.size(); ++v) {
    const LinkVertex& vertex = whole.surface.vertices[v];
    const bool is_own = !vertex.voxels.empty() && own(vertex.voxels[0]);
    if (is_own) vertices.push_back(static_cast<Index>(v));
    if (!is_own && !keep_numbers) continue;
    number[v] = static_cast<Index>(lattice->surface.vertices.size());
    lattice->surface.vertices.push_back(is_own ? vertex : LinkVertex{vertex.place, {}});
    lattice->rest.push_back(whole.rest[v]);
  }
  mesh::LinkSurface& surface = lattice->surface;
  std::vector<Index> side_number(whole.surface.sides.size(), none);
  for (std::size_t s = 0; s < side_number.size(); ++s) {
    const VoxelLink& side = whole.surface.sides[s];
    if (!own(side.voxel)) continue;
    side_number[s] = static_cast<Index>(surface.sides.size());
    if (s < whole.surface.ordered_sides)
      surface.ordered_sides = surface.sides.size() + 1;
    else
      surface.later_sides[{side.voxel, side.direction}] = side_number[s];
    surface.sides.push_back(side);
    surface.is_cut.push_back(whole.surface.is_cut[s]);
    surface.triangles_of_side.push_back(whole.surface.triangles_of_side[s]);
  }
  std::vector<Index> triangle_number(whole.surface.triangles.size(), none);
  const std::vector<Index> own_numbers = own_triangles(whole.surface, side_number, keep_numbers);
  if (triangles != nullptr) *triangles = own_numbers;
  for (const Index t : own_numbers) {
    triangle_number[at(t)] = static_cast<Index>(surface.triangles.size());
    Triangle& triangle = surface.triangles.emplace_back(whole.surface.triangles[at(t)]);
    for (Index& v : triangle) v = number[at(v)];
    surface.side_of_triangle.push_back(side_number[at(whole.surface.side_of_triangle[at(t)])]);
  }
  for (mesh::SideTriangles& own_of_side : surface.triangles_of_side) {
    for (Index& t : own_of_side) {
      if (t != none) t = triangle_number[at(t)];
    }
  }
  part.model = make_model(*lattice);
  lattice->node_blocks = list_node_blocks(*lattice);
  part.lattice = std::move(lattice);
  place_boxes(part.nodes, part);
  return part;
}

}  // namespace carom::solid
