#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "math/vec3.hpp"

/// The distance kernels multiply up to four lengths. Where the largest length of a problem is in
/// the safe range no such product overflows, and one that underflows comes from a part smaller than
/// the rounding of the whole (2^-53 of the largest length). Outside, the problem is scaled by a power
/// of two, which is exact, and the distance is scaled back.
namespace carom::math {

inline constexpr double smallest_safe = 1e-60;
inline constexpr double largest_safe = 1e70;

inline double largest_coordinate(const Vec3& a) {
  return std::max(std::max(std::abs(a.x), std::abs(a.y)), std::abs(a.z));
}

inline double largest_coordinate(std::span<const Vec3> vectors) {
  double largest = 0;
  for (const Vec3& v : vectors) largest = std::max(largest, largest_coordinate(v));
  return largest;
}

inline bool in_safe_range(double largest) {
  return largest >= smallest_safe && largest <= largest_safe;
}

/// Above this the difference of two coordinates may not be a finite number.
inline constexpr double differences_may_overflow = 1e300;

/// Scales so that the largest coordinate is in [1, 2), and returns the exponent that was taken out.
inline int take_out_exponent(std::span<Vec3> vectors) {
  const double largest = largest_coordinate(vectors);
  if (!(largest > 0)) return 0;
  const int exponent = std::ilogb(largest);
  for (Vec3& v : vectors) v = {std::ldexp(v.x, -exponent), std::ldexp(v.y, -exponent), std::ldexp(v.z, -exponent)};
  return exponent;
}

}  // namespace carom::math
