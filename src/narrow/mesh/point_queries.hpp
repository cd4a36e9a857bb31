#pragma once

#include "shapes/mesh_data.hpp"

/// A point, or a ray, against one mesh, in the frame of the mesh.
namespace carom::mesh {

using math::Vec3;
using shapes::MeshData;

/// Whether the point is in what is solid of the mesh, as MeshSolid says, or on a closed piece. Exact for the point
/// given, unless every one of many rays from it meets an edge.
bool inside(const MeshData& mesh, const Vec3& p);

struct NearestPoint {
  double distance = 0;
  Vec3 point;
  Index triangle = none;
  std::uint32_t place = 0;    ///< of the triangle in the order of the tree
  std::uint32_t corners = 0;  ///< that carry the point: bit k for corner k
};

/// The nearest point of the surface, if it is nearer than `below`; triangle is none if not.
NearestPoint nearest(const MeshData& mesh, const Vec3& p, double below, bool only_closed = false);

/// How far from p along `direction`, of unit length, the first triangle of a closed piece is; infinite if there is
/// none. To rounding.
double exit_path(const MeshData& mesh, const Vec3& p, const Vec3& direction);

}  // namespace carom::mesh
