#pragma once

#include "response/soft.hpp"

/// Results of solved batches of soft contacts.
namespace carom::soft {

/// Impulses back to the pairs, and their sums to the bodies.
void finish_batch(const In& in, const SolverOptions& options, ManifoldSpan<contact::CachedManifold> pairs, Scratch& s,
                  std::uint32_t index);

/// The new motion of a body that has contacts.
rigid::Motion solved_motion(const In& in, BodySlot body, const Outcome& outcome, const kernels::SoftBody& solved,
                            int substeps);

}  // namespace carom::soft
