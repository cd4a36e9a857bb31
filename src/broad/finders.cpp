#include "broad/finders.hpp"

#include <fmt/ranges.h>

#include "core/check.hpp"

namespace carom {

std::span<const std::string_view> broad_phase_methods() {
  static constexpr std::array<std::string_view, 2> names{"auto", "tree"};
  return names;
}

}  // namespace carom

namespace carom::broad {

Finders::Finders(const BroadPhaseOptions& options) {
  const auto names = broad_phase_methods();
  require(std::find(names.begin(), names.end(), options.method) != names.end(), ErrorCode::unknown_name,
          "no broad phase is called '{}'; expected one of: {}", options.method, fmt::join(names, ", "));
  require(!std::isnan(options.margin) && options.margin <= DBL_MAX, ErrorCode::invalid_argument,
          "margin is {}; expected a number of metres, or a negative one to have it chosen", options.margin);
  require(options.cell >= 0 && options.cell <= DBL_MAX, ErrorCode::invalid_argument,
          "cell is {}; expected a number of metres, or 0 to have it chosen", options.cell);
}

}  // namespace carom::broad
