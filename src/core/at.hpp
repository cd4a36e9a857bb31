#pragma once

#include <cstddef>

#include "carom/mesh/mesh.hpp"

namespace carom {

/// An index as arrays take it: ours have a sign, so that `none` is one.
inline std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

}  // namespace carom
