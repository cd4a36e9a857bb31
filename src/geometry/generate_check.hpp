#pragma once

#include <cmath>
#include <limits>

#include "carom/mesh.hpp"
#include "core/check.hpp"

/// What the generators ask of their parameters, in one wording.
namespace carom::detail {

inline void require_positive(const char* function, const char* parameter, double value) {
  require(std::isfinite(value) && value > 0, ErrorCode::invalid_argument, "{}: {} is {}; expected a positive number",
          function, parameter, value);
}

inline void require_at_least(const char* function, const char* parameter, int value, int least) {
  require(value >= least, ErrorCode::invalid_argument, "{}: {} is {}; expected at least {}", function, parameter, value,
          least);
}

/// The count comes as a double: large enough to hold the product of any two ints.
inline void require_indexable(const char* function, const char* parameters, double count,
                              const char* things = "triangles") {
  constexpr Index most = std::numeric_limits<Index>::max();
  require(count <= most, ErrorCode::invalid_argument, "{}: {} ask for {:.0f} {}; expected at most {}", function,
          parameters, count, things, most);
}

}  // namespace carom::detail
