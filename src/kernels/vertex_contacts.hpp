#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/cloth_constraints.hpp"

/// Contacts between vertices, and of vertices with what nothing moves, eight at a time: normal impulses that never
/// pull, Coulomb friction in the disc of the normal impulse. No two contacts of a batch, nor of batches that are solved
/// side by side, have a vertex in common. The operations of vertex_contacts_reference.cpp in the same order, so the
/// results have the same bits on every target.
namespace carom::kernels {

inline constexpr std::size_t contact_lanes = 8;

/// Velocity at a contact, of side b relative to side a: the sum of weight[k] times the velocity of vertices[k], and
/// `base`. Vertices of side a have negative weights. A lane without a contact has no mass, and the spare vertex.
struct alignas(64) VertexContactBatch {
  double normal[3][contact_lanes];  ///< unit, from a to b
  double weight[4][contact_lanes];
  double base[3][contact_lanes];  ///< m/s, of what nothing moves
  double mass[contact_lanes];     ///< kg, effective; of friction as well
  double friction[contact_lanes];
  double gap[contact_lanes];  ///< m, at the start of the step
  double now[contact_lanes];  ///< m, gap at the start of the inner step
  double normal_impulse[contact_lanes];
  double friction_impulse[3][contact_lanes];
  double total[contact_lanes];  ///< N s, along the normal over the step
  std::int32_t vertices[4][contact_lanes];
};

struct VertexContactStep {
  double h = 0;                               ///< s, inner step
  double elapsed = 0;                         ///< s, since the start of the step
  double max_push_speed = 0;                  ///< m/s
  double push_rate = 0;                       ///< 1/s
  ClothPoint* velocities = nullptr;           ///< m/s, and 1/kg
  const ClothPoint* displacements = nullptr;  ///< m
  /// Vertices of each contact: 1, or any number up to 4.
  int slots = 4;
};

/// One sweep before vertices move: no contact closes more than its gap, overlaps are opened.
void push_vertex_contacts(std::span<VertexContactBatch> batches, const VertexContactStep& step);
/// One sweep after they have moved: takes out the velocity that opening overlaps has added. Notes gaps for the next
/// inner step; with `last` it adds the impulses to the totals.
void relax_vertex_contacts(std::span<VertexContactBatch> batches, const VertexContactStep& step, bool last);

/// The same, one contact after the other.
void push_vertex_contacts_reference(std::span<VertexContactBatch> batches, const VertexContactStep& step);
void relax_vertex_contacts_reference(std::span<VertexContactBatch> batches, const VertexContactStep& step, bool last);

}  // namespace carom::kernels
