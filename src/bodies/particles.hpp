#pragma once

#include <span>

#include "bodies/body.hpp"

/// Bodies of particles and springs (A. Zouiouche, chapter II): their making and their free motion.
namespace carom::particles {

/// Each triangle gives a third of its area to each corner; mass follows area. Throws
/// Error(bad_mesh) that names a vertex which would weigh nothing.
void share_mass(double mass, Body& body);

/// Springs along the edges, at the length they have now, and across each edge with exactly two triangles between the
/// corners opposite to it.
void make_springs(double stretch_stiffness, double bend_stiffness, Body& body);

/// Largest step, s, at which semi-implicit Euler is stable for these springs and masses (the argument is in
/// docs/methods/responses.md).
double max_step(const Body& body);
/// Throws Error(unstable) that names that step if dt is longer.
void check_step(const Body& body, double dt);

/// Adds what gravity, springs, pressure and damping do to the velocities in an interval (s). Vertices are at
/// start + displacement; those with no inverse mass keep their velocities. `forces` is working memory. `touched` has a
/// flag for each vertex that contacts of the interval may move, whose dampers are limited; empty: there are none.
void add_forces(const Body& body, const Eigen::Vector3d& gravity, double interval,
                std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> displacements,
                std::span<Eigen::Vector3d> velocities, std::span<Eigen::Vector3d> forces,
                std::span<const std::uint8_t> touched = {});

/// Springs of cloth with the integrator `verlet`, along the edges and across each inner one. Along an edge as stiff as
/// the triangles at it are (Van Gelder 1998): stiffness times their area over the square of the length.
std::vector<Spring> make_fabric_springs(const Body& body);
/// Brings springs that are longer than their limit at the end of an interval (s) back to it, sweep after sweep (Provot
/// 1995); with a limit of 0 all to their length at rest. Keeps momentum.
void limit_lengths(const Body& body, const VerletOptions& options, double interval,
                   std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> displacements,
                   std::span<Eigen::Vector3d> velocities);

/// Adds the forces of the gas inside a body, N.
void add_pressure(const Body& body, std::span<const Eigen::Vector3d> start,
                  std::span<const Eigen::Vector3d> displacements, std::span<Eigen::Vector3d> forces);
/// J; what the gas inside a body gives until it has its volume at rest.
double gas_energy(const Body& body);

/// Volume inside a closed body, m^3; positive if its triangles face outward.
double volume(const Body& body, std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> displacements);

}  // namespace carom::particles
