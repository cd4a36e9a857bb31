#pragma once

#include <vector>

#include "narrow/mesh/mesh_mesh.hpp"

/// The overlap of two closed meshes, measured: volume, surfaces, depth.
namespace carom::overlap {

using math::Vec3;
using mesh::MeshData;
using mesh::RelativePose;

/// Two meshes in the frame of a, b shifted by so little that no four vertices of both lie in a plane. Faces that
/// coincide then cross or are apart, and every sign below is + or -. The shift changes a volume by no more than its
/// length times the surface in the overlap, and a depth by no more than its length: both are part of the error.
struct GeneralPosition {
  const MeshData& a;
  const MeshData& b;
  RelativePose pose;
  Vec3 shift;
  double shift_length = 0;
  /// Vertices of a and of b in the frame of a, those of b shifted.
  std::array<std::vector<Eigen::Vector3d>, 2> points;

  const MeshData& mesh(std::size_t side) const { return side == 0 ? a : b; }
  /// Vertex of a triangle, of several at one place the first.
  Index vertex(std::size_t side, Index triangle, std::size_t corner) const {
    const MeshData& m = mesh(side);
    return m.vertex_at[static_cast<std::size_t>(m.mesh.triangles[static_cast<std::size_t>(triangle)][corner])];
  }
  const Eigen::Vector3d& point(std::size_t side, Index v) const { return points[side][static_cast<std::size_t>(v)]; }
  /// A point of the frame of a, as a point of the frame of the mesh of a side. Points of b lose their shift.
  Vec3 into(std::size_t side, const Vec3& p) const { return side == 0 ? p : pose.rotate_back(p - pose.t); }
};

/// `attempt` chooses another direction of the shift.
GeneralPosition general_position(const MeshData& a, const MeshData& b, const RelativePose& pose, int attempt);

}  // namespace carom::overlap
