#pragma once

#include <fmt/format.h>

#include <Eigen/Core>
#include <cassert>
#include <cmath>
#include <utility>

#include "carom/core/error.hpp"

/// The boundary throws, the interior asserts: `fail` and `require` are for what a caller can get
/// wrong, `assert` is for what we can.
namespace carom {

template <class... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(code, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
void require(bool condition, ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) fail(code, text, std::forward<Args>(args)...);
}

inline bool is_finite(const Eigen::Vector3d& p) {
  return std::isfinite(p.x()) && std::isfinite(p.y()) && std::isfinite(p.z());
}

}  // namespace carom
