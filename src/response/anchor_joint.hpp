#pragma once

#include "contact/anchor.hpp"

/// Joints between anchors: two points that are held at a distance of each other that is told, in all directions. They
/// keep linear momentum exactly; the points may be apart while a joint is closing.
namespace carom::response {

using contact::Anchor;
using contact::AnchorState;
using math::Vec3;

struct AnchorJoint {
  Anchor a;
  Anchor b;
  Vec3 apart;         ///< m, from a to b at the start of the step
  Vec3 wanted_start;  ///< m, from a to b, as wanted at the start of the step
  Vec3 wanted_end;    ///< m, likewise at its end
  Vec3 total;         ///< N s on b over the step
};

struct JointOptions {
  double max_speed = 3;  ///< m/s; what is farther apart than wanted is not pulled faster
};

/// One sweep over all joints, in their order, for an inner step of h (s) that ends at `fraction` of the step.
void hold(std::span<AnchorJoint> joints, const AnchorState& state, const JointOptions& options, double h,
          double fraction);

}  // namespace carom::response
