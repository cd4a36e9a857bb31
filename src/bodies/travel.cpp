#include "bodies/travel.hpp"

#include <cmath>

namespace carom::rigid {

void update_travel(const Bodies& bodies, std::size_t i, double dt, Travel& travel) {
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
  const auto first = static_cast<std::size_t>(info.first_collider);
  for (std::size_t c = first; c < first + static_cast<std::size_t>(info.collider_count); ++c) {
    const double speed = fixed || bodies.asleep[i] != 0 ? 0 : fastest(bodies, i, bodies.colliders[c].reach);
    travel.colliders[c] = {odometer.travel, odometer.travel + speed * dt, static_cast<std::int32_t>(i), fixed};
  }
}

}  // namespace carom::rigid
