#pragma once

#include <cstdint>
#include <span>

#include "bodies/free_motion.hpp"
#include "response/coupling.hpp"

/// What every response of rigid bodies is given, and what it answers.
namespace carom::response {

/// What is asked of a pair before its data is read.
struct Touch {
  std::int32_t pair = 0;
  std::int32_t body_a = 0;
  std::int32_t body_b = 0;
  std::int32_t count = 0;  ///< of its points
};

struct In {
  const rigid::Bodies& bodies;
  std::span<const detail::Mat3> rotation;  ///< of each body, at the beginning of the step
  std::span<const rigid::Free> free;       ///< of each body: how it goes if nothing touches it
  std::span<const std::int32_t> touching;  ///< pairs that have points, in a fixed order
  std::span<const Touch> touches;          ///< the same
  std::size_t points = 0;                  ///< of all touches
  std::size_t fresh_points = 0;            ///< that began in this step
  double dt = 0;
  Coupling* coupling = nullptr;  ///< deforming bodies; null if there are none
};

/// Of each body. The step gives those that have no answer their free motion.
struct Out {
  std::span<rigid::Motion> next;     ///< at the end of the step
  std::span<std::uint8_t> answered;  ///< 1 if `next` says how the body moves; bodies that do not move may have it
};

}  // namespace carom::response
