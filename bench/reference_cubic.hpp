#pragma once

#include "carom/detect/continuous.hpp"

namespace carom::bench {

/// The textbook's continuous test, in plain double precision: coefficients of the coplanarity cubic, its zeros in [0,
/// 1] by Newton between the extrema, a barycentric test with a tolerance at each. It promises nothing: how fast one can
/// be without.
bool cubic_collides(ContactKind kind, const FeatureMotion& motion, double& time);

}  // namespace carom::bench
