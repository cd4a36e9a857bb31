#pragma once

#include "carom/query/query.hpp"
#include "narrow/convex/pair.hpp"
#include "shapes/mesh_data.hpp"

/// Two meshes, rounded by their margins.
namespace carom::mesh {

using convex::RelativePose;
using shapes::MeshData;

struct PlacedMesh {
  const MeshData& mesh;
  const Eigen::Isometry3d& pose;
  double radius = 0;
};

/// Whether the pair is to be computed with b first: it follows from what and where they are, so both orders run the
/// same operations.
bool swapped(const PlacedMesh& a, const PlacedMesh& b);

/// Where coordinates of both are summed they are wrong by less than this.
double rounding(const MeshData& a, const MeshData& b, const RelativePose& pose);

/// Whether some piece of one surface is inside a closed piece of the other, given that the surfaces do not meet.
bool one_inside_other(const MeshData& a, const MeshData& b, const RelativePose& pose);

bool collides(const PlacedMesh& a, const PlacedMesh& b);
/// Distance or depth. Parts are numbers of triangles, features those of vertices.
void query(const PlacedMesh& a, const PlacedMesh& b, QueryResult& result);

void mirror(QueryResult& result);

/// Corners of a triangle, bit k for corner k, as vertices of the mesh, ascending.
ShapeFeature feature(const MeshData& mesh, Index triangle, std::uint32_t corners);

}  // namespace carom::mesh
