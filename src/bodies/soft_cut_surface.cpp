#include "bodies/soft_cut_surface.hpp"

#include <cmath>
#include <map>

#include "bodies/soft_lattice.hpp"
#include "carom/detect/intersect.hpp"

namespace carom::solid {
namespace {

using Eigen::Vector3d;
using mesh::LinkVertex;

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
  SurfacePlaces(const CutLattice& lattice, const SurfaceRegion& region, double kerf)
      : lattice_(lattice), surface_(lattice.surface), kerf_(kerf) {
    for (const Index v : region.vertices) ++vertices_at_[surface_.vertices[at(v)].place];
    for (const Index side : region.sides) {
      if (surface_.is_cut[at(side)] == 0) continue;
      for (const Index t : surface_.triangles_of_side[at(side)]) {
        if (t == none) continue;
        const Triangle& corners = surface_.triangles[at(t)];
        at_cut_.insert(at_cut_.end(), corners.begin(), corners.end());
      }
    }
    std::sort(at_cut_.begin(), at_cut_.end());
    at_cut_.erase(std::unique(at_cut_.begin(), at_cut_.end()), at_cut_.end());
  }

  Vector3d operator()(Index number) const {
    const LinkVertex& vertex = surface_.vertices[at(number)];
    Vector3d place = 0.5 * Vector3d(vertex.place[0], vertex.place[1], vertex.place[2]);
    if (std::binary_search(at_cut_.begin(), at_cut_.end(), number) || is_moved(vertex)) {
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
    const std::array<double, 8> weights = mesh::trilinear_weights(place - low_corner(voxel));
    Vector3d sum(0, 0, 0);
    for (std::size_t c = 0; c < 8; ++c) sum += weights[c] * corner_at(lattice_, lattice_.recipe->corners[at(voxel)][c]);
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
  std::vector<Index> at_cut_;  // vertices of triangles that a cut made, ascending
};

}  // namespace

SurfaceRegion region_at(std::vector<LatticePlace> corners, const CutLattice& lattice) {
  SurfaceRegion region{.corners = std::move(corners), .sides = {}, .vertices = {}};
  region.sides = mesh::sides_at(lattice.links, lattice.surface, region.corners);
  region.vertices = mesh::vertices_at(lattice.surface, region.sides, region.corners);
  return region;
}

SurfaceRegion whole_surface(const CutLattice& lattice) {
  SurfaceRegion region;
  for (std::size_t s = 0; s < lattice.surface.sides.size(); ++s) region.sides.push_back(static_cast<Index>(s));
  for (std::size_t v = 0; v < lattice.surface.vertices.size(); ++v) {
    if (!lattice.surface.vertices[v].voxels.empty()) region.vertices.push_back(static_cast<Index>(v));
  }
  return region;
}

void place_vertices(double kerf, const SurfaceRegion& region, CutLattice& lattice) {
  const SurfacePlaces places(lattice, region, kerf);
  for (const Index v : region.vertices) lattice.rest[at(v)] = places(v);
}

std::vector<Index> crossing_voxels(const CutLattice& lattice, const SurfaceRegion& region,
                                   std::span<const Vector3d> nodes) {
  const mesh::LinkSurface& surface = lattice.surface;
  // Voxels of the region, and those next to them.
  std::vector<Index> near;
  for (const Index side : region.sides) {
    for (std::int32_t o = 0; o < 27; ++o) {
      LatticePlace cell = lattice.links.cell(surface.sides[at(side)].voxel);
      cell[0] += o % 3 - 1;
      cell[1] += o / 3 % 3 - 1;
      cell[2] += o / 9 - 1;
      if (const Index voxel = lattice.links.find(cell); voxel != none) near.push_back(voxel);
    }
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::vector<Index> number;
  for (const Index voxel : near) {
    for (int d = 0; d < mesh::direction_count; ++d) {
      if (lattice.links.joined(voxel, d)) continue;
      const Index side = surface.side(voxel, d);
      if (side == none) continue;
      for (const Index t : surface.triangles_of_side[at(side)]) {
        if (t != none) number.push_back(t);
      }
    }
  }
  std::sort(number.begin(), number.end());
  std::vector<Triangle> triangles;
  // What is apart at rest may not be where the sides are strained differently: a vertex is beyond its own voxels.
  std::vector<Vector3d> positions;
  std::vector<Vector3d> strained;
  std::map<Index, Index> local;
  for (const Index t : number) {
    Triangle& triangle = triangles.emplace_back(surface.triangles[at(t)]);
    for (Index& v : triangle) {
      const auto [entry, is_new] = local.try_emplace(v, static_cast<Index>(positions.size()));
      if (is_new) {
        positions.push_back(lattice.rest[at(v)]);
        strained.push_back(place_in_nodes(lattice, v, nodes));
      }
      v = entry->second;
    }
  }
  std::vector<Index> voxels;
  if (triangles.empty()) return voxels;
  const Surface joined(positions.size(), triangles);
  for (const auto* points : {&positions, &strained}) {
    for (const Intersection& pair : intersections(joined, *points, {.threads = 1})) {
      for (const Index t : {pair.a, pair.b})
        voxels.push_back(surface.sides[at(surface.side_of_triangle[at(number[at(t)])])].voxel);
    }
  }
  return voxels;
}

void place_surface(double kerf, mesh::LinkSurface surface, CutLattice& lattice) {
  lattice.surface = std::move(surface);
  lattice.rest.assign(lattice.surface.vertices.size(), Vector3d::Constant(NAN));
  place_vertices(kerf, whole_surface(lattice), lattice);
}

}  // namespace carom::solid
