#pragma once

#include <string_view>

namespace carom {

/// Of the library, as major.minor.patch.
std::string_view version();

}  // namespace carom
