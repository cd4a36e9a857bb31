#pragma once

#include <cmath>
#include <limits>

#include "carom/mesh/mesh.hpp"
#include "core/check.hpp"

/// Checks of the parameters of generators, in one wording.
namespace carom::mesh {

inline void require_positive(const char* function, const char* parameter, double value) {
  require(std::isfinite(value) && value > 0, ErrorCode::invalid_argument, "{}: {} is {}; expected a positive number",
          function, parameter, value);
}

inline void require_at_least(const char* function, const char* parameter, int value, int smallest) {
  require(value >= smallest, ErrorCode::invalid_argument, "{}: {} is {}; expected at least {}", function, parameter,
          value, smallest);
}

/// The count comes as a double: large enough to hold the product of any two ints.
inline void require_indexable(const char* function, const char* parameters, double count,
                              const char* things = "triangles") {
  constexpr Index largest = std::numeric_limits<Index>::max();
  require(count <= largest, ErrorCode::invalid_argument, "{}: {} ask for {:.0f} {}; expected at most {}", function,
          parameters, count, things, largest);
}

}  // namespace carom::mesh
