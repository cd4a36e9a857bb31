#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bodies/soft_cut.hpp"

/// Models and surfaces of lattices that can be cut.
namespace carom::solid {

/// Elements, masses, embedding of the surface: all that a step needs of a lattice.
std::shared_ptr<const BodyModel> make_model(const CutLattice& lattice);

/// Each vertex of the surface in the nearest of its voxels: nodes that these have in common make it the same point in
/// all of them.
Embedding embed(const CutLattice& lattice);

/// The same of one vertex: where these nodes have it, m.
Eigen::Vector3d place_in_nodes(const CutLattice& lattice, Index vertex, std::span<const Eigen::Vector3d> nodes);

/// What a cut changed of a lattice.
struct LatticeChange {
  std::vector<Index> voxels;    ///< all at the corners of the links that were cut, ascending
  std::vector<Index> vertices;  ///< that are new, gone or elsewhere, or whose voxels have other nodes; ascending
};
/// Makes a model that of the lattice after a cut: the same as make_model() gives, but for the rounding of its volume.
void update_model(const CutLattice& lattice, const LatticeChange& change, BodyModel& model);

/// Volume of a voxel at a corner, of the edges there, as a fraction of its own, at least.
inline constexpr double smallest_corner_volume = 0.15;
/// Shift of a corner along each axis at most, as a fraction of a voxel: voxels keep a part of their width.
inline constexpr double max_corner_shift = 0.4;

/// Corners of the faces of links that were just cut go to where the blade passed, unless an earlier cut has them.
/// Returns where they were before, as MovedCorner::shift.
std::map<Index, Eigen::Vector3d> move_corners(std::span<const mesh::LinkCrossing> cut, CutLattice& lattice);
/// Corners of these voxels go half the way back, or `wholly`. Returns whether any did.
bool move_back(std::span<const Index> voxels, const std::map<Index, Eigen::Vector3d>& before, bool wholly,
               CutLattice& lattice);

/// Makes a surface that of the lattice, which had none, with the places of its vertices at rest.
void place_surface(double kerf, mesh::LinkSurface surface, CutLattice& lattice);

}  // namespace carom::solid
