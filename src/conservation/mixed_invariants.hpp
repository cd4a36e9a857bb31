#pragma once

#include <span>

#include "bodies/vertices.hpp"
#include "contact/surface_contacts.hpp"
#include "island/islands.hpp"

namespace carom::conservation {

struct MixedIn {
  const BodyMap& bodies;
  const rigid::Bodies& table;
  SlotSpan<const rigid::Free> free;
  const island::Islands& islands;
  /// Bodies whose penalty forces by surfaces are part of their free motion; null where forces are not.
  const contact::CoupledBodies* penalty_forces = nullptr;
  Eigen::Vector3d gravity;
  double dt = 0;  ///< s
};

/// Angular momentum that contacts of free islands with deforming bodies did not keep, taken back.
void keep_angular_momentum(const MixedIn& in, bodies::Vertices& vertices, SlotSpan<rigid::Motion> next,
                           StageStats& stats);

}  // namespace carom::conservation
