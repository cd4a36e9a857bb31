#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace carom::io {

/// Order of names as people count: runs of digits are compared as numbers, so frame_2 comes before frame_10.
bool natural_less(std::string_view left, std::string_view right);

/// The numbered mesh files of a folder, in natural order. Other files are passed over. Throws
/// Error: bad_format if they are of two types (names one of each) or if there are none.
std::vector<std::filesystem::path> numbered_mesh_files(const std::filesystem::path& folder);

}  // namespace carom::io
