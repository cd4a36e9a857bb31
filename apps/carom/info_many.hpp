#pragma once

#include "commands.hpp"
#include "output.hpp"

namespace carom::app {

/// A line for each mesh file; returns the exit code.
int many_info(const std::vector<std::string>& files, const InfoOptions& options, Output& output);

}  // namespace carom::app
