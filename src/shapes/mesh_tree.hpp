#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/shape/shape.hpp"
#include "math/vec3.hpp"

/// A binary tree of volumes over the triangles of a mesh, in the frame of the mesh: built once, and used wherever the
/// mesh is moved to.
namespace carom::shapes {

using math::Vec3;
using TriangleCorners = std::array<Vec3, 3>;

struct BoxVolume {
  Vec3 center;
  Vec3 half;
};

struct SphereVolume {
  Vec3 center;
  double radius = 0;
};

struct OrientedVolume {
  Vec3 x, y, z;  ///< axes, orthonormal
  Vec3 center;
  Vec3 half;
  double radius = 0;  ///< half the diagonal
};

/// Along the first nine of dop_axes().
struct DopVolume {
  std::array<double, 9> low;
  std::array<double, 9> high;
};

struct TreeNode {
  std::uint32_t first = 0;  ///< the left child, the right one follows it; of a leaf the first triangle, in tree order
  std::uint32_t count = 0;  ///< of triangles; 0 if this is no leaf
  double size = 0;          ///< half the diagonal of the box: of two nodes the larger is split first
  bool leaf() const { return count > 0; }
};

struct MeshTree {
  std::vector<TreeNode> nodes;  ///< the root is the first
  /// One for each node. Boxes are there for every kind, for rays, for convex shapes and for a mesh of another kind.
  std::vector<BoxVolume> boxes;
  std::vector<SphereVolume> spheres;
  std::vector<OrientedVolume> oriented;
  std::vector<DopVolume> dops;
  std::vector<Index> triangles;          ///< numbers in the mesh, in tree order
  std::vector<TriangleCorners> corners;  ///< in tree order
  int depth = 0;                         ///< nodes on the longest way down
};

/// No way down a tree is longer, whatever the triangles: deeper down halves are made by number.
inline constexpr int max_tree_depth = 96;

MeshTree build_mesh_tree(const TriangleMesh& mesh, const MeshOptions& options);

}  // namespace carom::shapes
