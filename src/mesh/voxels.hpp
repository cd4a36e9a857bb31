#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "carom/mesh/mesh.hpp"

/// Voxel lattice of a closed surface mesh: the cubes of a regular grid that hold material.
namespace carom::mesh {

/// Fraction of a voxel below which its material is counted with the nearest voxel: nodes of next to no mass are of no
/// use, and faces that lie in a plane of the grid leave slivers of rounding.
inline constexpr double min_fill = 1e-4;

/// Size of the voxels. One of the two is given, the other is 0.
struct VoxelOptions {
  double size = 0;                     ///< m, of an edge of a voxel
  std::size_t degrees_of_freedom = 0;  ///< at most this many coordinates of nodes, and nearly as many
  double smallest_fill = min_fill;     ///< fraction of a voxel below which its material goes to the nearest voxel
};

/// Vertex of the surface as a weighted sum of the nodes of a voxel. The weights add up to 1 and reproduce the position;
/// they are in [0, 1] unless the voxel that holds the vertex has next to no material.
struct Embedding {
  Index voxel = none;
  std::array<double, 8> weights{};
};

/// Corner c of a voxel is at its origin plus (c & 1, c >> 1 & 1, c >> 2 & 1) times the size.
struct VoxelLattice {
  double size = 0;                                 ///< m
  Eigen::Vector3d origin{0, 0, 0};                 ///< m, of cell (0, 0, 0)
  std::vector<std::array<std::int32_t, 3>> cells;  ///< of each voxel, ascending by z, then y, then x
  std::vector<std::array<Index, 8>> corners;       ///< nodes of each voxel
  std::vector<double> fill;                        ///< of each voxel: fraction of it that is inside of the mesh
  std::vector<Eigen::Vector3d> nodes;              ///< m
  /// m^3, of each node: integral over the inside of its trilinear weight. Volume and center of volume of the mesh are
  /// those of the nodes, to rounding.
  std::vector<double> node_volume;
  std::vector<std::array<double, 8>> corner_volume;  ///< m^3, of each voxel: its parts of `node_volume`
  std::vector<Embedding> vertices;                   ///< of each vertex of the mesh
};

/// Weights of the corners of a voxel at a point, in units of voxels from its first corner.
std::array<double, 8> trilinear_weights(const Eigen::Vector3d& local);

/// Lattice of all cells that hold more than `smallest_fill` of material. Time and memory grow with the triangles, the
/// cells that they cross and the voxels. Throws Error(bad_mesh) that names the body and the edge at which the mesh is
/// open, or the vertex that is in no triangle.
VoxelLattice make_voxels(const std::string& body, const TriangleMesh& mesh, const VoxelOptions& options);

}  // namespace carom::mesh
