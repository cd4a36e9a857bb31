#pragma once

#include <string>

#include "broad/proxies.hpp"
#include "core/check.hpp"

/// Checks of bounds that a caller gives. `name` makes the name of the proxy, if it comes to that.
namespace carom::broad {

template <class Name>
void check_interval(double low, double high, const char* axis, Name&& name) {
  require(!std::isnan(low) && !std::isnan(high), ErrorCode::not_finite, "{}: {} of the bounds along {} is NaN", name(),
          std::isnan(low) ? "the lower end" : "the upper end", axis);
  require(low <= high, ErrorCode::invalid_argument, "{}: bounds along {} end at {}, before they begin at {}", name(),
          axis, high, low);
  require(low < HUGE_VAL && high > -HUGE_VAL, ErrorCode::not_finite, "{}: bounds along {} are at infinity", name(),
          axis);
}

inline bool is_box(const AxisBox& box) {
  const auto fine = [](double low, double high) { return low <= high && low < HUGE_VAL && high > -HUGE_VAL; };
  return fine(box.min[0], box.max[0]) && fine(box.min[1], box.max[1]) && fine(box.min[2], box.max[2]);
}

template <class Name>
void check_box(const AxisBox& box, Name&& name) {
  // One comparison for what is nearly always so.
  if (is_box(box)) return;
  check_interval(box.min[0], box.max[0], "x", name);
  check_interval(box.min[1], box.max[1], "y", name);
  check_interval(box.min[2], box.max[2], "z", name);
}

template <class Name>
void check_dop(const Dop<18>& dop, Name&& name) {
  constexpr std::array<const char*, 9> axes{"x", "y", "z", "x+y", "x+z", "y+z", "x-y", "x-z", "y-z"};
  for (std::size_t k = 0; k < axes.size(); ++k) check_interval(dop.low[k], dop.high[k], axes[k], name);
}

template <class Name>
void check_swept(const SweptBox& swept, Name&& name) {
  check_box(swept.start, [&] { return name() + " at the start"; });
  check_box(swept.end, [&] { return name() + " at the end"; });
}

}  // namespace carom::broad
