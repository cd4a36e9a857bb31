#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/io/mesh_read_options.hpp"

namespace carom::app {

/// The bytes of a recording for the viewer: the file itself if it is one, otherwise the frames of
/// whatever the file is, without contacts. Throws Error that names the file.
std::vector<std::uint8_t> recording_to_view(const std::string& file, const MeshReadOptions& options);

}  // namespace carom::app
