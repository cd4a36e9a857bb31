#pragma once

#include "shapes/mesh_data.hpp"

namespace carom::mesh {

/// Whether a normal is in the cone of a triangle, named by its place in the tree: no triangle at the edge or vertex of
/// it that is farthest along the normal reaches farther than that edge or vertex does.
bool in_normal_cone(const shapes::MeshData& mesh, std::uint32_t place, const math::Vec3& normal);

}  // namespace carom::mesh
