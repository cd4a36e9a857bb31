#pragma once

#include <cstdint>
#include <string_view>

namespace carom {

/// Motion of a body. The numbers are those of recordings.
enum class MotionModel : std::uint8_t {
  fixed = 0,      ///< never
  scripted = 1,   ///< as it is told, whatever is in its path: by a function of time, or with the velocity that it has
  particles = 2,  ///< each vertex of its mesh is a particle
  rigid = 3,      ///< as a whole, by forces and contacts
};
std::string_view to_string(MotionModel motion);

}  // namespace carom
