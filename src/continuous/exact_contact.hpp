#pragma once

#include "continuous/relative_motion.hpp"

namespace carom::continuous {

struct ExactResult {
  bool collides = false;
  double time = 1;  ///< not after the first contact, and less than 2^-40 before it
};

/// The answer itself, at separation 0, in integer arithmetic. `m` is the same motion in floating point: what it shows
/// clearly is not computed again.
ExactResult exact_contact(ContactKind kind, const FeatureMotion& motion, const RelativeMotion& m);

}  // namespace carom::continuous
