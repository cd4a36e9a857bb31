#pragma once

#include <span>
#include <vector>

#include "carom/core/stats.hpp"
#include "carom/world/world.hpp"
#include "contact/anchor.hpp"

/// Stage `respond` of contacts with anchors, by penalty (F. Léonard, 3.7): each contact pushes its two sides apart with
/// F = -stiffness * gap along its normal, the gap that to the contact distance or to less where surfaces are nearer to
/// each other at rest (soft_anchors.hpp), less damping of the normal velocity, shared out to
/// vertices by their weights. Friction opposes the slip with up to Coulomb's coefficient times the normal force, and
/// never reverses it.
namespace carom::anchor_penalty {

struct In {
  contact::AnchorState state;  ///< velocities as they would be at the end of the step without contacts
  double dt = 0;               ///< s
};

struct Scratch {
  std::vector<double> load;             ///< of each vertex, then of each body: how hard contacts push, 1 is the limit
  std::vector<double> mobility;         ///< 1/kg, likewise: sum over the contacts
  std::vector<Eigen::Vector3d> change;  ///< m/s, of each vertex
};

/// Adds what the forces of one step do to the velocities. Stiffness is lowered for contacts that together would push a
/// vertex or a body too hard for the step (stats.limited counts them), so no number of contacts makes the simulation
/// blow up; the argument is in docs/methods/responses.md.
void run(const In& in, const ContactOptions& options, std::span<contact::AnchorContact> contacts, Scratch& scratch,
         StageStats& stats);

}  // namespace carom::anchor_penalty
