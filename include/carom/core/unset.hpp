#pragma once

#include <limits>

namespace carom {

/// Value of a result that there is not, or not yet: not a number.
inline constexpr double unset = std::numeric_limits<double>::quiet_NaN();

}  // namespace carom
