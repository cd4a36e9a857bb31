#pragma once

#include <span>

#include "bodies/body.hpp"

namespace carom::scripted {

/// Where a body's motion puts its vertices at a time. Throws Error(not_finite) that names the body
/// and the vertex.
void place(const Body& body, double time, std::span<Eigen::Vector3d> positions);

}  // namespace carom::scripted
