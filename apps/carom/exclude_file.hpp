#pragma once

#include <array>
#include <string>
#include <vector>

#include "carom/mesh/mesh.hpp"

namespace carom::app {

/// Pairs of vertices, one `a,b` a line; `#` begins a remark, and the first line may be the heading
/// `a,b`. Throws Error that names the file and the line.
std::vector<std::array<Index, 2>> read_vertex_pairs(const std::string& path);

}  // namespace carom::app
