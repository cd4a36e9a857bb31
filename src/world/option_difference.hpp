#pragma once

#include <string>
#include <vector>

#include "carom/world/world.hpp"

namespace carom {

/// An option that two worlds do not have alike.
struct OptionDifference {
  std::string name;  ///< as in a scene file: `solver.soft.substeps`
  std::string a;     ///< the value of each, as text
  std::string b;
};

/// Differences of all options that a step depends on, in the order of their declaration; `threads` and `method` change
/// no result.
std::vector<OptionDifference> differences(const WorldOptions& a, const WorldOptions& b);

}  // namespace carom
