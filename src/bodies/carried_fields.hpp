#pragma once

#include <span>
#include <utility>
#include <vector>

#include "bodies/vertices.hpp"

/// Distance fields of scripted bodies with vertices of their own: the motion says where the vertices are, and the pose
/// of the field follows from them.
namespace carom::bodies {

/// Rigid motion from points to others: the one with the least sum of squares (Kabsch 1976; Umeyama 1991). No
/// reflection.
Eigen::Isometry3d rigid_fit(std::span<const Eigen::Vector3d> from, std::span<const Eigen::Vector3d> to);

/// Motions of the bodies that carry a field over a step, as the stage `predict` has placed their vertices.
using CarriedMotions = std::vector<std::pair<BodySlot, rigid::Motion>>;

/// Finds pose at the start of the step, and velocity over it, of each scripted body that carries a field. Throws
/// Error(unsupported) that names a body whose motion does not keep its shape, and the vertex that is farthest off.
void find_carried(const VertexIn& in, const Vertices& vertices, CarriedMotions& motions);

/// Motions of these bodies as the table has them.
CarriedMotions carried_motions(const BodyMap& bodies, const rigid::Bodies& table);
/// Writes motions to the table.
void set_motions(const CarriedMotions& motions, rigid::Bodies& table);

}  // namespace carom::bodies
