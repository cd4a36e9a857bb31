#include "mesh_options.hpp"

#include <CLI/CLI.hpp>

namespace carom::app {

void add_mesh_options(CLI::App& command, MeshReadOptions& options) {
  command
      .add_option("--up", options.up,
                  "axis of mesh files that is turned to y: x, y, z, -x, -y, -z; file: the one the file names; as-is: "
                  "coordinates are kept (default)")
      ->type_name("AXIS");
  command
      .add_option("--unit", options.unit,
                  "of mesh files: m, cm, mm, um, in, ft; file: as the file says, m if it does not (default)")
      ->type_name("UNIT");
  command
      .add_option("--max-triangles", options.max_triangles,
                  "refuse mesh files that unfold into more (default: 4 million, or one for each byte of the file)")
      ->type_name("N");
}

}  // namespace carom::app
