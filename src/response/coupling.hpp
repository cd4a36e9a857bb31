#pragma once

#include <functional>

#include "response/anchor_solver.hpp"

/// Deforming bodies inside the stage `respond`. A response of rigid bodies calls these functions between its own
/// iterations, so that rigid and deforming bodies see each other several times in a step. The solver of deformable
/// bodies has its place in `add_forces`: it is called for every inner step, with the displacements of the vertices so
/// far, and changes their velocities.
namespace carom::response {

struct Coupling {
  std::span<AnchorContact> contacts;
  AnchorState state;  ///< velocities: those of the start of the step, and of its end when the response is done
  AnchorOptions options{};
  /// Inner steps of deforming bodies in a whole step that are stable; a response with substeps takes as many or more.
  int inner_steps = 1;
  /// Sweeps over the contacts in the inner steps of a substep, and after the rigid bodies have moved. Many short steps
  /// with one sweep each converge better than few with many.
  int push_sweeps = 4;
  int relax_sweeps = 2;
  /// Adds what internal forces, gravity and damping do to the velocities in an interval (s).
  std::function<void(double interval)> add_forces;
};

/// Interval of the response `soft`: inner steps in which forces act, contacts push and vertices move. Velocities of
/// `state.bodies` are constant but for contacts; their displacements are moved along.
void inner_steps(Coupling& coupling, double interval, int count);
/// Contacts without the velocity that opening overlaps has added.
void relax(Coupling& coupling, double interval);

/// Vertices of an interval at constant velocity, and rigid bodies with them.
void move(const AnchorState& state, double interval);

/// Opens overlaps by moving vertices without changing their velocities: for responses that solve a step as a whole.
void separate_vertices(Coupling& coupling, double dt);

}  // namespace carom::response
