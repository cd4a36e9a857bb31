#include "bodies/travel.hpp"

#include <cmath>

namespace carom::rigid {

void update_travel(const Bodies& bodies, BodySlot i, double dt, Travel& travel) {
  const Motion& m = bodies.motion[i];
  const Info& info = bodies.info[i];
  TravelOdometer& odometer = travel.bodies[i];
  const Quat t = math::conjugate(odometer.q) * m.q;
  const double chord = 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
  // Half-spaces reach without end, which is no matter while they do not turn.
  odometer.travel += length(m.x - odometer.x) + (chord > 0 ? chord * info.reach : 0.0);
  odometer.x = m.x;
  odometer.q = m.q;
  const bool fixed = info.motion == MotionModel::fixed;
  for (const ColliderIndex c : info.colliders()) {
    const double speed = fixed || bodies.asleep[i] != 0 ? 0 : fastest(bodies, i, bodies.colliders[c].reach);
    travel.colliders[c] = {odometer.travel, odometer.travel + speed * dt, i, fixed};
  }
}

}  // namespace carom::rigid
