#include "core/version.hpp"

#include "carom/version.hpp"

namespace carom {

std::string_view version() {
  return version_string;
}

}  // namespace carom
