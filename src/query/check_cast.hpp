#pragma once

#include <cmath>

#include "carom/query/cast.hpp"
#include "core/check.hpp"

namespace carom {

inline void check_cast_options(const CastOptions& options) {
  require(std::isfinite(options.separation) && options.separation >= 0, ErrorCode::invalid_argument,
          "cast: separation is {}, expected a length that is not negative", options.separation);
  require(std::isfinite(options.tolerance) && options.tolerance >= 0, ErrorCode::invalid_argument,
          "cast: tolerance is {}, expected a number that is not negative", options.tolerance);
  require(options.budget >= 1, ErrorCode::invalid_argument, "cast: budget is {}, expected at least 1", options.budget);
}

}  // namespace carom
