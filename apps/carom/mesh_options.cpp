#include "mesh_options.hpp"

#include <CLI/CLI.hpp>

#include "arguments.hpp"

namespace carom::app {

void add_mesh_options(CLI::App& command, MeshReadOptions& options) {
  command
      .add_option("--up", options.up,
                  "axis of mesh files that is turned to y: x, y, z, -x, -y, -z; file: the one the file names; as-is: "
                  "coordinates are kept (default)")
      ->type_name("AXIS");
  command
      .add_option("--unit", options.unit,
                  "of mesh files: m, cm, mm, um, in, ft; file: as the file says, m if it does not (default); STEP, "
                  "IGES and 3MF "
                  "keep their own, and are shown in this one")
      ->type_name("UNIT");
  command
      .add_option_function<std::string>(
          "--weld",
          [&options](const std::string& text) {
            options.weld =
                text.empty() ? 0 : parse_number<double>("--weld", text, "a length in metres, or in the unit of --unit");
            require(options.weld >= 0, ErrorCode::invalid_argument,
                    "--weld is {}; expected a length that is not negative", text);
          },
          "join vertices of an object no farther apart than this (without a number: at exactly the same place)")
      ->expected(0, 1)
      ->type_name("[EPS]");
  command
      .add_option_function<std::string>(
          "--chord",
          [&options](const std::string& text) {
            options.chord = parse_number<double>("--chord", text, "a length in metres, or in the unit of --unit");
          },
          "of STEP and IGES: distance of triangles from curved faces (default: a thousandth of each part)")
      ->type_name("D");
  command
      .add_option("--max-triangles", options.max_triangles,
                  "refuse mesh files that unfold into more (default: 4 million, or one for each byte of the file)")
      ->type_name("N");
}

}  // namespace carom::app
