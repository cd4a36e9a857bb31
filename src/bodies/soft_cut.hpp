#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "bodies/soft_body.hpp"
#include "mesh/link_surface.hpp"

/// Cutting of soft bodies: links between the voxels of a lattice are cut, nodes become as many as there are parts of
/// the voxels around them, and the surface is that of the links. Elements keep their shapes, so no cut makes slivers.
/// Nothing here knows of worlds.
namespace carom::solid {

/// What the lattice of a body is made of; all pieces of it have it in common.
struct LatticeRecipe {
  double voxel_size = 0;                      ///< m
  Eigen::Vector3d origin{0, 0, 0};            ///< m, of cell (0, 0, 0)
  std::vector<double> fill;                   ///< of each voxel
  std::vector<std::array<double, 8>> volume;  ///< m^3 of material, of each voxel by corner: all positive
  std::vector<std::array<Index, 8>> corners;  ///< of each voxel, in `places`
  std::vector<Eigen::Vector3d> places;        ///< m, corners of voxels at rest, at the border moved to the mesh
  Elasticity elasticity;
  std::vector<SoftRegion> regions;
  std::vector<FixedRegion> fixed;
  std::vector<Actuator> actuators;
  Plasticity plasticity;
};

/// Corner of voxels that a cut moved to where the blade passed.
struct MovedCorner {
  Eigen::Vector3d shift{0, 0, 0};  ///< m, at rest
  std::uint8_t axes = 0;           ///< a bit for each axis along which it was moved: once along each
};

/// Lattice of a body that can be cut, or of a piece that came off one. Voxels have the numbers of the whole lattice.
struct CutLattice {
  explicit CutLattice(mesh::VoxelLinks all) : links(std::move(all)) {}

  std::shared_ptr<const LatticeRecipe> recipe;
  mesh::VoxelLinks links;
  std::vector<Index> voxels;                ///< of this body, ascending: its elements, in this order
  std::vector<std::array<Index, 8>> nodes;  ///< of each element
  /// Vertices have the numbers of those of the body. Vertices that are gone have no voxels, and are in no triangle.
  mesh::LinkSurface surface;
  std::vector<Eigen::Vector3d> rest;            ///< m, of each vertex
  std::vector<std::vector<Index>> node_blocks;  ///< of each block of elements (bodies/soft_blocks.hpp)
  /// By the number of the corner in the recipe. Nodes of the elements stay where they are.
  std::map<Index, MovedCorner> moved;
};

/// Place of a corner of voxels at rest, m.
Eigen::Vector3d corner_at(const CutLattice& lattice, Index corner);

/// Surface and lattice of a description, whose mesh becomes the surface. Throws Error that names the body.
BodyState make_cuttable_state(SoftBody& description);

/// Links that a blade passes through while nodes go from start to end, and where.
std::vector<mesh::LinkCrossing> crossed_links(const CutLattice& lattice, std::span<const Eigen::Vector3d> start,
                                              std::span<const Eigen::Vector3d> end, const mesh::BladeMotion& blade);
/// The same while nodes go from `start`, where they are now or were at the start of the last step, to where they are:
/// by the boxes of blocks of elements.
std::vector<mesh::LinkCrossing> crossed_links(const BodyState& state, std::span<const Eigen::Vector3d> start,
                                              const mesh::BladeMotion& blade);

struct SoftCut {
  std::size_t cut = 0;           ///< links
  std::size_t separated = 0;     ///< nodes that became two or more
  double area = 0;               ///< m^2, at rest
  std::vector<Index> triangles;  ///< all that are other than before or new, ascending
  std::vector<Index> placed;     ///< vertices that are new or have another place at rest than before, ascending
  std::vector<Index> vertices;   ///< all that are not where they were in the same nodes, new ones too; ascending
  std::vector<Index> gone;       ///< vertices that are in no triangle any more
  std::vector<Index> voxels;     ///< that hold or held `vertices`, and whose nodes have other masses; ascending
  /// Vertices there were that have another place at rest, and where the nodes had them (m).
  std::vector<std::pair<Index, Eigen::Vector3d>> moved;
  std::vector<Eigen::Vector3d> shifted;  ///< m, in the world: vertices of the surface before that moved along it
};

/// Cuts links. The corners of their faces move to where the blade passed, as far as voxels stay sound. Copies of a node
/// have its position and velocity, and the mass of their voxels, so mass and momentum are kept. Vertices and triangles
/// that no cut touches keep their numbers and places. `kerf`: width of a cut, as a fraction of a voxel.
SoftCut cut(BodyState& state, std::span<const mesh::LinkCrossing> links, double kerf);

/// Elements of each part that links hold together, in the order of their first ones.
std::vector<std::vector<std::size_t>> parts_of(const CutLattice& lattice);

/// Body of some elements, which no link joins to others. `vertices`: those that it has, ascending; these get new
/// numbers, unless `keep_numbers`. `triangles`: those that it has, in the order of their new numbers; with
/// `keep_numbers` they keep theirs, but for the last ones, which take those of what came off.
BodyState extract(const BodyState& state, std::span<const std::size_t> elements, bool keep_numbers,
                  std::vector<Index>& vertices, std::vector<Index>* triangles = nullptr);

}  // namespace carom::solid
