#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "response/vertex_contacts.hpp"

/// Deforming bodies inside the stage `respond`. A response of rigid bodies calls these functions between its own
/// iterations, so that rigid and deforming bodies see each other several times in a step. The solver of deformable
/// bodies has its place in `add_forces`: it is called for every inner step, with the displacements of the vertices so
/// far, and changes their velocities.
namespace carom::response {

/// Vertices from one on to before another.
using VertexRange = std::pair<std::size_t, std::size_t>;

struct Coupling {
  std::span<AnchorContact> contacts;
  AnchorState state;  ///< velocities: those of the start of the step, and of its end when the response is done
  AnchorOptions options{};
  /// Inner steps of deforming bodies in a whole step that are stable; a response with substeps takes as many or more.
  int inner_steps = 1;
  /// The inner steps of a whole step are a multiple of this number.
  int multiple = 1;
  /// Sweeps over the contacts in the inner steps of a substep, and after the rigid bodies have moved. Many short steps
  /// with one sweep each converge better than few with many.
  int push_sweeps = 4;
  int relax_sweeps = 2;
  /// Adds what internal forces, gravity and damping do to the velocities in an interval (s).
  std::function<void(double interval)> add_forces;

  /// Soft bodies: momentum of vertices goes to nodes, and vertices get the velocities of these; then nodes go on for an
  /// interval (s). None if there are no soft bodies.
  std::function<void()> spread{};
  std::function<void(double interval)> move_nodes{};

  // Working memory of the response `soft`.
  Workers* workers = nullptr;
  VertexContacts* batches = nullptr;
  double elapsed = 0;  ///< s, since the start of the step
  int count = 1;       ///< inner steps in a substep

  // Groups of islands with numbers of inner steps of their own; response `soft` only.
  std::vector<Coupling> groups{};     ///< they have the contacts then, and share `state`; empty: all islands are alike
  std::vector<VertexRange> moved{};   ///< vertices of a group; empty: all
  std::vector<VertexRange> shared{};  ///< vertices that no contact moves, which are in `moved` of every group
  std::vector<std::int32_t> owner{};  ///< group of each of `state.bodies`; -1: none, or all
};

/// Takes up the contacts at the start of a step of the response `soft` with so many substeps.
void begin(Coupling& coupling, int substeps);

/// Interval of the response `soft`: inner steps in which forces act, contacts push and vertices move. Velocities of
/// `state.bodies` are constant but for contacts; their displacements are moved along.
void inner_steps(Coupling& coupling, double interval);
/// Contacts without the velocity that opening overlaps has added, after an interval of inner steps.
void relax(Coupling& coupling, double interval);
/// Restitution, at the end of the step.
void finish(Coupling& coupling);

/// Vertices of an interval at constant velocity, and rigid bodies with them.
void move(Workers& workers, const AnchorState& state, double interval, std::span<const VertexRange> vertices = {});

/// Opens overlaps by moving vertices without changing their velocities: for responses that solve a step as a whole.
void separate_vertices(Coupling& coupling, double dt);

}  // namespace carom::response
