#pragma once

#include <cstdint>
#include <string_view>

namespace carom {

/// Detection that keeps bodies from passing through each other. Two bodies, or one and itself, are continuous if either
/// is, unless World::set_detection says otherwise of the two.
enum class Detection : std::uint8_t {
  discrete,    ///< the response alone, from where things are at the end of a step: what is fast or thin may pass
  continuous,  ///< motion is cut short before the first contact of the step, too
};
std::string_view to_string(Detection detection);

}  // namespace carom
