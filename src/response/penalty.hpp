#pragma once

#include <span>
#include <vector>

#include "carom/contact.hpp"
#include "carom/stats.hpp"
#include "carom/world.hpp"

/// Stage `respond`, by penalty (F. Léonard, 3.7): each contact pushes its two sides apart with
/// F = stiffness (contact distance - distance) along its normal, less damping of the normal
/// velocity, shared out to the vertices by their barycentric weights.
namespace carom::penalty {

struct In {
  std::span<const Contact> contacts;     ///< numbered over the whole surface
  std::span<const double> inverse_mass;  ///< 1/kg of each vertex; 0 for what no force moves
  double dt = 0;                         ///< s
};

struct Scratch {
  std::vector<double> load;             ///< of each vertex: how hard its contacts push, 1 being the limit
  std::vector<Eigen::Vector3d> change;  ///< m/s, of each vertex
  std::vector<double> impulses;         ///< N s, of each contact: what it applied along its normal over the step
};

/// Adds what the forces of one step do to the velocities. Stiffness is lowered for contacts that
/// together would push a vertex too hard for the step (stats.limited counts them), so no number of
/// contacts makes the simulation blow up; the argument is in docs/methods/responses.md.
void run(const In& in, const ContactOptions& options, Scratch& scratch, std::span<Eigen::Vector3d> velocities,
         StageStats& stats);

}  // namespace carom::penalty
