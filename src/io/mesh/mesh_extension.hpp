#pragma once

#include <filesystem>
#include <string>

namespace carom::io {

/// With the dot, in lower case: `.obj` for `A.OBJ`.
std::string lower_extension(const std::filesystem::path& path);

/// Extensions that read_mesh_file takes, for messages.
std::string readable_mesh_extensions();

}  // namespace carom::io
