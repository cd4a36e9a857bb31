#pragma once

#include "carom/io/mesh_read_options.hpp"

namespace CLI {
class App;
}

namespace carom::app {

/// The options of every command that reads mesh files: --up, --unit, --max-triangles.
void add_mesh_options(CLI::App& command, MeshReadOptions& options);

}  // namespace carom::app
