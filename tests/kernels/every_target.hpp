#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <vector>

namespace carom {

/// The instruction sets that the kernels are built for (src/CMakeLists.txt) and this machine has, one bit each.
inline std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> all;
  std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS & ~(HWY_SSSE3 | HWY_AVX3_DL);
  for (; left != 0; left &= left - 1) all.push_back(left & -left);
  return all;
}

}  // namespace carom
