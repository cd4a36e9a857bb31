#include "core/version.hpp"

#include "carom/core/version.hpp"

namespace carom {

std::string_view version() {
  return version_string;
}

}  // namespace carom
