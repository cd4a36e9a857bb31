#pragma once

#include <span>

#include "bodies/body.hpp"
#include "bodies/rigid.hpp"
#include "contact/anchor_contacts.hpp"

namespace carom::contact {

struct ApproachIn {
  const BodyMap& bodies;
  std::span<const BodyId> order;  ///< all bodies
  const rigid::Bodies& table;
  const AnchorList& contacts;  ///< of the last step
  double thickness = 0;        ///< m, largest of all bodies
  double gravity = 0;          ///< m/s^2
  double dt = 0;               ///< s
};

/// Motion in a step, m at most, of soft bodies that are awake towards surfaces that they do not touch yet and may reach
/// in it; 0 if there are none. Continuous detection would stop their vertices while their lattices go on (adr/0016).
double soft_approach(const ApproachIn& in);

}  // namespace carom::contact
