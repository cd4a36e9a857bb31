#pragma once

#include "narrow/mesh/mesh_mesh.hpp"
#include "shapes/core.hpp"

/// A mesh and a convex shape. The mesh is a, whichever the caller named first.
namespace carom::mesh {

struct PlacedCore {
  const shapes::Core& core;
  const Eigen::Isometry3d& pose;
};

bool collides(const PlacedMesh& a, const PlacedCore& b);
void query(const PlacedMesh& a, const PlacedCore& b, QueryResult& result);

}  // namespace carom::mesh
