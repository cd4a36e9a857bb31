#pragma once

#include <string_view>

namespace carom {

/// Version of the library, as major.minor.patch.
std::string_view version();

}  // namespace carom
