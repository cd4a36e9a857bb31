#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

namespace carom {

/// An axis-aligned box in single precision, rounded outward: it always holds the double-precision
/// points it was made from, so it may report an overlap too many and never one too few.
struct Box {
  std::array<float, 3> min{FLT_MAX, FLT_MAX, FLT_MAX};
  std::array<float, 3> max{-FLT_MAX, -FLT_MAX, -FLT_MAX};

  bool empty() const { return min[0] > max[0]; }

  void grow(const Box& other) {
    for (std::size_t k = 0; k < 3; ++k) {
      min[k] = std::min(min[k], other.min[k]);
      max[k] = std::max(max[k], other.max[k]);
    }
  }
};

inline bool overlap(const Box& a, const Box& b) {
  return a.min[0] <= b.max[0] && b.min[0] <= a.max[0] && a.min[1] <= b.max[1] && b.min[1] <= a.max[1] &&
         a.min[2] <= b.max[2] && b.min[2] <= a.max[2];
}

/// A float that is not above x. One step of 2^-23 relative is at least one unit in the last place;
/// beyond the range of float the largest one stands in, which keeps the order of any two numbers.
inline float round_down(double x) {
  const auto f = static_cast<float>(std::clamp(x, -static_cast<double>(FLT_MAX), static_cast<double>(FLT_MAX)));
  return f - (std::fabs(f) * 0x1p-23F + FLT_TRUE_MIN);
}
inline float round_up(double x) {
  return -round_down(-x);
}

}  // namespace carom
