#pragma once

#include <cstdint>
#include <span>

#include "bodies/free_motion.hpp"
#include "contact/pair_table.hpp"
#include "island/islands.hpp"
#include "response/coupling.hpp"

/// Input and output of every response of rigid bodies.
namespace carom::response {

using contact::ActivePair;

struct In {
  const rigid::Bodies& bodies;
  SlotSpan<const math::Mat3> rotation;            ///< attitude at the beginning of the step
  SlotSpan<const rigid::Free> free;               ///< motion if nothing touches the body
  std::span<const ManifoldIndex> active_indices;  ///< manifolds that have points, in a fixed order
  std::span<const ActivePair> active_pairs;       ///< pairs of these, in the same order
  std::size_t points = 0;                         ///< number of points of all pairs
  std::size_t fresh_points = 0;                   ///< number of points that began in this step
  const island::Islands& islands;
  double dt = 0;
  Coupling* coupling = nullptr;  ///< deforming bodies; null if there are none
};

/// Result of a response. Bodies without one get their free motion.
struct Out {
  SlotSpan<rigid::Motion> next;   ///< motion at the end of the step
  SlotSpan<std::uint8_t> solved;  ///< 1 if `next` says how the body moves; bodies that do not move may have it
};

}  // namespace carom::response
