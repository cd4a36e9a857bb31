#pragma once

#include "carom/detect/contact.hpp"

namespace carom::contact {

/// Motion of a contact whose sides part at `normal_speed`; both in m/s.
inline ContactMotion motion_of(double normal_speed, double resting_speed) {
  if (normal_speed < -resting_speed) return ContactMotion::colliding;
  return normal_speed > resting_speed ? ContactMotion::separating : ContactMotion::resting;
}

}  // namespace carom::contact
