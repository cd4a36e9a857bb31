#pragma once

#include <span>

#include "bodies/sheet_cut.hpp"

namespace carom::scripted {

/// Where a body's motion puts its vertices at a time. Throws Error(not_finite) that names the body
/// and the vertex.
void place(const Body& body, double time, std::span<Eigen::Vector3d> positions);

/// Vertices that a cut added, which it has just done, are where the motion puts the edges and vertices that they come
/// from.
void follow_cut(const sheet::CutOutcome& cut, Body& body);
/// Makes the vertices of a body that was cut those of this list, by their numbers before.
void select_vertices(std::span<const Index> vertices, Body& body);

}  // namespace carom::scripted
