#pragma once

#include "math/rotation.hpp"

namespace carom::rigid {

/// Rotation of a body without torque over a time, in closed form: exact for every spin, every ratio of moments and
/// every time. From the frame of the body at the end to its frame at the beginning. `m` is the angular momentum in the
/// frame of the body at the beginning, `inverse` the inverse moments about its axes.
math::Quat torque_free_rotation(const math::Vec3& m, const math::Vec3& inverse, double time);

}  // namespace carom::rigid
