#pragma once

#include <span>

#include "bodies/body.hpp"

/// Bodies of particles and springs (A. Zouiouche, chapter II): their making and their free motion.
namespace carom::particles {

/// Each triangle gives a third of its area to each corner; mass follows area. Throws
/// Error(bad_mesh) that names a vertex which would weigh nothing.
void share_mass(double mass, Body& body);

/// Springs along the edges, at the length they have now, and across each edge with exactly two
/// triangles between the corners opposite to it.
std::vector<Spring> make_springs(const Body& body, double stretch_stiffness, double bend_stiffness);

/// Throws Error(unstable) with the largest step at which semi-implicit Euler holds for these
/// springs and masses (the argument is in docs/methods/responses.md).
void check_step(const Body& body, double dt);

/// Semi-implicit Euler: velocities from gravity, springs and damping at the present positions,
/// then positions from the new velocities. Particles with no inverse mass stay.
void predict(const Body& body, const Eigen::Vector3d& gravity, double dt, std::span<Eigen::Vector3d> positions,
             std::span<Eigen::Vector3d> velocities);

}  // namespace carom::particles
