#pragma once

#include <vector>

#include "bodies/rigid.hpp"

/// Travel of bodies, from which the narrow phase knows how long two that are apart stay so.
namespace carom::rigid {

/// Odometer of a body.
struct TravelOdometer {
  Vec3 x;  ///< in the last step
  Quat q;
  double travel = 0;  ///< m; the sum over all steps of the longest path of any point of the body
};

/// Travel of a collider, with data of its body that the stages `narrow` and `contacts` read often.
struct ColliderTravel {
  double travel = 0;  ///< m, of its body
  double ahead = 0;   ///< m; travel with the motion of this step included
  BodySlot body{};
  bool fixed = false;
};

struct Travel {
  BySlot<TravelOdometer> bodies;         ///< lasts from step to step
  ByCollider<ColliderTravel> colliders;  ///< made in every step
};

/// Adds the motion of a body since the last step, whatever its cause, to its travel.
void update_travel(const Bodies& bodies, BodySlot body, double dt, Travel& travel);

}  // namespace carom::rigid
