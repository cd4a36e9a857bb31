#pragma once

#include <string>
#include <vector>

#include "carom/world.hpp"

namespace carom {

/// An option that two worlds do not have alike.
struct OptionDifference {
  std::string name;  ///< as in a scene file: `solver.soft.substeps`
  std::string a;     ///< the value of each, as text
  std::string b;
};

/// Of all options that a step depends on, in the order in which they are declared; `threads` and `method` change no
/// result.
std::vector<OptionDifference> differences(const WorldOptions& a, const WorldOptions& b);

}  // namespace carom
