#pragma once

#include "bodies/vertices.hpp"

/// Soft bodies among the vertices of the joined surface.
namespace carom::bodies {

/// Gravity, air and gas, then the elements of a soft body over an inner step.
void add_soft_forces(Workers& workers, const Body& body, const SurfacePart& part, const Eigen::Vector3d& gravity,
                     double interval, std::size_t number, Vertices& vertices);
/// The velocities of the surface are those of the nodes, whatever has changed them last.
void commit_soft(const solid::Motion& motion, Body& body);
/// How far each touched vertex starts off its place in the lattice of its body (m), into the working memory `forces`; 0
/// of bodies that have none. False if all are in their places.
bool find_offsets(const BodyMap& bodies, const rigid::Bodies& table, Vertices& vertices);

}  // namespace carom::bodies
