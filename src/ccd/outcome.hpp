#pragma once

#include "ccd/paths.hpp"

namespace carom::ccd {

/// Bodies whose paths ended otherwise than their sweeps.
struct Outcome {
  std::size_t stopped = 0;
  std::size_t carried = 0;
  std::size_t squeezed = 0;
};

/// Poses and velocities of all bodies whose paths have changed.
Outcome apply(const In& in, const Scratch& scratch, const Out& out);

}  // namespace carom::ccd
