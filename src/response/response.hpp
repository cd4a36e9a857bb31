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
  std::span<const math::Mat3> rotation;          ///< of each body, at the beginning of the step
  std::span<const rigid::Free> free;             ///< of each body: how it goes if nothing touches it
  std::span<const std::int32_t> active_indices;  ///< pairs that have points, in a fixed order
  std::span<const ActivePair> active_pairs;      ///< the same
  std::size_t points = 0;                        ///< of all touches
  std::size_t fresh_points = 0;                  ///< that began in this step
  const island::Islands& islands;
  double dt = 0;
  Coupling* coupling = nullptr;  ///< deforming bodies; null if there are none
};

/// Result of a response. Bodies without one get their free motion.
struct Out {
  std::span<rigid::Motion> next;   ///< at the end of the step
  std::span<std::uint8_t> solved;  ///< 1 if `next` says how the body moves; bodies that do not move may have it
};

}  // namespace carom::response
