#pragma once

#include "contact/anchor.hpp"

/// Gauss-Seidel over contacts with anchors: normal impulses that never pull, Coulomb friction within the disc of the
/// normal impulse, restitution. Impulses are shared out to vertices by their weights (Bridson, Fedkiw and Anderson
/// 2002). Serial and in the order of the contacts, so the result does not depend on the number of threads.
namespace carom::response {

using contact::Anchor;
using contact::AnchorContact;
using contact::AnchorState;
using contact::CoupledBody;
using math::Mat3;
using math::Vec3;

struct AnchorOptions {
  double max_push_speed = 3;  ///< m/s; overlaps are not left faster than this
  double push_rate = 40;      ///< 1/s, at which an overlap is opened
  double bounce_speed = 0.5;  ///< m/s; slower impacts do not bounce
};

/// Effective masses, and impulses of the step before scaled to an interval of `fraction` of theirs.
void prepare(std::span<AnchorContact> contacts, const AnchorState& state);

/// Applies the impulses of the last interval once more.
void warm_start(std::span<AnchorContact> contacts, const AnchorState& state);

/// One sweep over an interval of h (s): no contact closes more than its gap. With `push` overlaps are opened, which
/// adds velocity that a sweep without it takes away again. Returns the largest change of a speed (m/s).
double sweep(std::span<AnchorContact> contacts, const AnchorState& state, const AnchorOptions& options, double h,
             bool push);

/// Contacts that approached faster than `bounce_speed` and pushed leave with their restitution.
void bounce(std::span<AnchorContact> contacts, const AnchorState& state, const AnchorOptions& options);

/// Adds the impulses of an interval to the totals.
void add_to_totals(std::span<AnchorContact> contacts);

}  // namespace carom::response
