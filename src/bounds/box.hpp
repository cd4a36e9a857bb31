#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <span>

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

/// Largest coordinate of a corner of a box that is not empty, without its sign; 0 if there is none.
inline double largest_coordinate(std::span<const Box> boxes) {
  float largest = 0;
  for (const Box& box : boxes) {
    if (box.empty()) continue;
    for (std::size_t k = 0; k < 3; ++k) largest = std::max({largest, std::abs(box.min[k]), std::abs(box.max[k])});
  }
  return static_cast<double>(largest);
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

/// The axis along which the centres of the boxes of `items` vary the most; box_of(item) gives the
/// box. Sweeping along it leaves the fewest pairs to look at.
template <class Items, class BoxOf>
std::size_t widest_axis(const Items& items, BoxOf&& box_of) {
  std::array<double, 3> variance{};
  for (std::size_t k = 0; k < 3; ++k) {
    double count = 0;
    double sum = 0;
    double sum_of_squares = 0;
    double origin = 0;
    for (const auto& item : items) {
      const Box& box = box_of(item);
      // From the first box on, so that boxes far from the origin keep their digits.
      if (count == 0) origin = static_cast<double>(box.min[k]);
      const double x = 0.5 * (static_cast<double>(box.min[k]) + static_cast<double>(box.max[k])) - origin;
      ++count;
      sum += x;
      sum_of_squares += x * x;
    }
    variance[k] = sum_of_squares - sum * sum / std::max(count, 1.0);
  }
  return static_cast<std::size_t>(std::max_element(variance.begin(), variance.end()) - variance.begin());
}

}  // namespace carom
