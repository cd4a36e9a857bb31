#include "bodies/soft_cut.hpp"

#include <algorithm>
#include <map>

#include "bodies/soft_lattice.hpp"
#include "core/at.hpp"
#include "core/disjoint_sets.hpp"

namespace carom::solid {
namespace {

using Eigen::Vector3d;
using mesh::LinkVertex;
using mesh::VoxelLink;
using LatticePlace = std::array<std::int32_t, 3>;

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

std::size_t element_of(const CutLattice& lattice, Index voxel) {
  const auto found = std::lower_bound(lattice.voxels.begin(), lattice.voxels.end(), voxel);
  return static_cast<std::size_t>(found - lattice.voxels.begin());
}
bool has_voxel(const CutLattice& lattice, Index voxel) {
  return voxel != none && std::binary_search(lattice.voxels.begin(), lattice.voxels.end(), voxel);
}

/// Voxels around a corner of the lattice: that in octant o is at (o & 1, o >> 1 & 1, o >> 2 & 1) - 1 from it, and has
/// it as its corner 7 - o.
std::array<Index, 8> voxels_around(const mesh::VoxelLinks& links, const LatticePlace& place) {
  std::array<Index, 8> around{};
  for (std::size_t o = 0; o < 8; ++o) {
    LatticePlace cell = place;
    for (std::size_t k = 0; k < 3; ++k) cell[k] += static_cast<std::int32_t>(o >> k & 1) - 1;
    around[o] = links.find(cell);
  }
  return around;
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
  }
  return separated;
}

/// Place of a vertex within a voxel: 0, 1 or 2 along each axis.
LatticePlace local_place(const mesh::VoxelLinks& links, Index voxel, const LatticePlace& place) {
  LatticePlace local = place;
  for (std::size_t k = 0; k < 3; ++k) local[k] -= 2 * links.cell(voxel)[k];
  return local;
}

/// Positions at rest of the vertices of a surface. At cuts, and where surfaces touch each other, they are moved inward
/// by half the kerf.
class SurfacePlaces {
 public:
  /// Of the vertices that are `wanted`: at a corner of the lattice all or none.
  SurfacePlaces(const CutLattice& lattice, const mesh::LinkSurface& surface, std::span<const std::uint8_t> wanted,
                double kerf)
      : lattice_(lattice), surface_(surface), kerf_(kerf) {
    for (std::size_t v = 0; v < wanted.size(); ++v) {
      if (wanted[v] != 0) ++vertices_at_[surface.vertices[v].place];
    }
    at_cut_.assign(surface.vertices.size(), 0);
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
      if (surface.is_cut[at(surface.side_of_triangle[t])] == 0) continue;
      for (const Index v : surface.triangles[t]) at_cut_[at(v)] = 1;
    }
  }

  Vector3d operator()(std::size_t number) const {
    const LinkVertex& vertex = surface_.vertices[number];
    Vector3d place = 0.5 * Vector3d(vertex.place[0], vertex.place[1], vertex.place[2]);
    if (at_cut_[number] != 0 || is_moved(vertex)) {
      Vector3d inward(0, 0, 0);
      for (const Index v : vertex.voxels) inward += low_corner(v) + Vector3d::Constant(0.5) - place;
      place += kerf_ / static_cast<double>(vertex.voxels.size()) * inward;
    }
    return mapped(nearest_voxel_to(place, vertex.voxels), place);
  }

 private:
  Vector3d low_corner(Index voxel) const {
    const LatticePlace& cell = lattice_.links.cell(voxel);
    return {static_cast<double>(cell[0]), static_cast<double>(cell[1]), static_cast<double>(cell[2])};
  }

  Index nearest_voxel_to(const Vector3d& place, const std::vector<Index>& voxels) const {
    Index best = none;
    double nearest = INFINITY;
    for (const Index voxel : voxels) {
      const Vector3d local = place - low_corner(voxel);
      const double distance = (local - local.cwiseMax(0.0).cwiseMin(1.0)).squaredNorm();
      if (!(distance < nearest)) continue;
      nearest = distance;
      best = voxel;
    }
    return best;
  }

  /// A place in units of voxels, moved as the corners of its voxel are. Voxels next to each other move their common
  /// face alike, so what is disjoint stays so.
  Vector3d mapped(Index voxel, const Vector3d& place) const {
    const LatticeRecipe& recipe = *lattice_.recipe;
    const std::array<double, 8> weights = mesh::trilinear_weights(place - low_corner(voxel));
    Vector3d sum(0, 0, 0);
    for (std::size_t c = 0; c < 8; ++c) sum += weights[c] * recipe.places[at(recipe.corners[at(voxel)][c])];
    return sum;
  }

  /// Whether surfaces that no cut has made touch each other at a vertex.
  bool is_moved(const LinkVertex& vertex) const {
    const LatticePlace local = local_place(lattice_.links, vertex.voxels[0], vertex.place);
    const auto odd = std::count(local.begin(), local.end(), 1);
    if (odd == 1) return true;  // edges are split where surfaces touch along them only
    if (odd == 2) return false;
    if (vertices_at_.at(vertex.place) > 1) return true;
    // Voxels around the corner that have another node there, or went away.
    const LatticePlace corner{vertex.place[0] / 2, vertex.place[1] / 2, vertex.place[2] / 2};
    const std::array<Index, 8> around = voxels_around(lattice_.links, corner);
    Index own = none;
    for (std::size_t o = 0; o < 8; ++o) {
      if (around[o] == none) continue;
      if (!has_voxel(lattice_, around[o])) return true;
      const Index node = lattice_.nodes[element_of(lattice_, around[o])][7 - o];
      if (own != none && node != own) return true;
      own = node;
    }
    return false;
  }

  const CutLattice& lattice_;
  const mesh::LinkSurface& surface_;
  double kerf_;
  std::map<LatticePlace, int> vertices_at_;
  std::vector<std::uint8_t> at_cut_;  // of each vertex: a triangle there was made by a cut
};

/// Number of a vertex of a voxel, for tables.
std::size_t key_of(const mesh::VoxelLinks& links, Index voxel, const LatticePlace& place) {
  const LatticePlace local = local_place(links, voxel, place);
  return 27 * at(voxel) + static_cast<std::size_t>(local[0] + 3 * local[1] + 9 * local[2]);
}

/// Gives vertices the numbers that they have in the surface before. New ones come after all others.
void keep_numbers_of(const mesh::VoxelLinks& links, const mesh::LinkSurface& before, mesh::LinkSurface& surface) {
  std::vector<Index> known(27 * links.voxel_count(), none);
  for (std::size_t v = 0; v < before.vertices.size(); ++v) {
    for (const Index voxel : before.vertices[v].voxels)
      known[key_of(links, voxel, before.vertices[v].place)] = static_cast<Index>(v);
  }
  std::vector<std::uint8_t> taken(before.vertices.size(), 0);
  std::vector<LinkVertex> vertices(before.vertices.size());
  std::vector<Index> number;
  for (LinkVertex& vertex : surface.vertices) {
    Index found = none;
    for (const Index voxel : vertex.voxels) {
      const Index entry = known[key_of(links, voxel, vertex.place)];
      if (entry == none || taken[at(entry)] != 0) continue;
      if (found == none || entry < found) found = entry;
    }
    if (found == none) {
      found = static_cast<Index>(vertices.size());
      vertices.emplace_back();
    } else {
      taken[at(found)] = 1;
    }
    vertices[at(found)] = std::move(vertex);
    number.push_back(found);
  }
  // Vertices that are gone say where they were.
  for (std::size_t v = 0; v < before.vertices.size(); ++v) {
    if (taken[v] == 0) vertices[v] = {before.vertices[v].place, {}};
  }
  surface.vertices = std::move(vertices);
  for (Triangle& t : surface.triangles) {
    for (Index& v : t) v = number[at(v)];
  }
}

}  // namespace

std::vector<VoxelLink> crossed_links(const CutLattice& lattice, std::span<const Vector3d> start,
                                     std::span<const Vector3d> end, const mesh::BladeMotion& blade) {
  const auto centers = [&](std::span<const Vector3d> nodes) {
    std::vector<Vector3d> list;
    list.reserve(lattice.nodes.size());
    for (const std::array<Index, 8>& corners : lattice.nodes) {
      Vector3d sum(0, 0, 0);
      for (const Index n : corners) sum += nodes[at(n)];
      list.emplace_back(0.125 * sum);
    }
    return list;
  };
  const std::vector<Vector3d> from = centers(start);
  const std::vector<Vector3d> to = start.data() == end.data() ? from : centers(end);
  return mesh::crossed_links(lattice.links, lattice.voxels, from, to, blade);
}

std::vector<std::uint8_t> place_surface(double kerf, mesh::LinkSurface surface, std::span<const LatticePlace> corners,
                                        CutLattice& lattice) {
  keep_numbers_of(lattice.links, lattice.surface, surface);
  lattice.surface = std::move(surface);
  const std::size_t before = lattice.rest.size();
  const std::vector<LinkVertex>& vertices = lattice.surface.vertices;
  std::vector<std::uint8_t> changed(vertices.size(), 0);
  for (std::size_t v = 0; v < changed.size(); ++v) {
    if (vertices[v].voxels.empty()) continue;
    const LatticePlace& place = vertices[v].place;
    const LatticePlace corner{place[0] / 2, place[1] / 2, place[2] / 2};
    // Middles of edges, which are few, and faces: a face that is new is a vertex that is new.
    const bool is_corner = place[0] % 2 == 0 && place[1] % 2 == 0 && place[2] % 2 == 0;
    const bool is_edge = place[0] % 2 + place[1] % 2 + place[2] % 2 == 1;
    if (v >= before || is_edge || (is_corner && std::binary_search(corners.begin(), corners.end(), corner)))
      changed[v] = 1;
  }
  const SurfacePlaces places(lattice, lattice.surface, changed, kerf);
  lattice.rest.resize(vertices.size(), Vector3d::Constant(NAN));
  for (std::size_t v = 0; v < changed.size(); ++v) {
    if (changed[v] == 0) continue;
    const Vector3d place = places(v);
    changed[v] = place == lattice.rest[v] ? 0 : 1;
    lattice.rest[v] = place;
  }
  return changed;
}

SoftCut cut(BodyState& state, std::span<const VoxelLink> links, double kerf) {
  auto lattice = std::make_shared<CutLattice>(*state.lattice);
  SoftCut result;
  std::vector<LatticePlace> places;
  for (const VoxelLink& link : links) {
    if (!lattice->links.cut(link.voxel, link.direction)) continue;
    ++result.cut;
    for (const std::size_t c : corners_of_face(link.direction))
      places.push_back(corner_place_of(lattice->links, link.voxel, c));
  }
  const double size = lattice->recipe->voxel_size;
  result.area = static_cast<double>(result.cut) * size * size;
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (const LatticePlace& place : places) result.separated += split_nodes(place, *lattice, state);
  result.changed = place_surface(kerf, mesh::make_surface(lattice->links, lattice->voxels), places, *lattice);
  state.model = make_model(*lattice);
  state.lattice = std::move(lattice);
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
                  std::vector<Index>& vertices) {
  const CutLattice& whole = *state.lattice;
  auto lattice = std::make_shared<CutLattice>(whole.links);
  lattice->recipe = whole.recipe;
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
  std::vector<Index> side_number(whole.surface.sides.size(), none);
  for (std::size_t s = 0; s < side_number.size(); ++s) {
    if (!own(whole.surface.sides[s].voxel)) continue;
    side_number[s] = static_cast<Index>(lattice->surface.sides.size());
    lattice->surface.sides.push_back(whole.surface.sides[s]);
    lattice->surface.is_cut.push_back(whole.surface.is_cut[s]);
  }
  for (std::size_t t = 0; t < whole.surface.triangles.size(); ++t) {
    const Index side = side_number[at(whole.surface.side_of_triangle[t])];
    if (side == none) continue;
    Triangle triangle = whole.surface.triangles[t];
    for (Index& v : triangle) v = number[at(v)];
    lattice->surface.triangles.push_back(triangle);
    lattice->surface.side_of_triangle.push_back(side);
  }
  part.model = make_model(*lattice);
  part.lattice = std::move(lattice);
  return part;
}

}  // namespace carom::solid
