#include "cut_arguments.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "mesh_options.hpp"

namespace carom::app {

void add_cut(CLI::App& app, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand("cut", "Cut a mesh by a plane or by the surface that a blade sweeps");
  auto options = std::make_shared<CutCommandOptions>();
  command->add_option("file", options->file, "a mesh file; pieces of a closed mesh are closed")
      ->type_name("MESH")
      ->required();
  auto* plane =
      command
          ->add_option("--plane", options->plane, "all x with n . x = d, in meters: four numbers with commas between")
          ->type_name("NX,NY,NZ,D");
  command
      ->add_option("--blade", options->blade,
                   "CSV, a row for each pose of the blade: x,y,z of the points along its edge, two or more")
      ->type_name("FILE.csv")
      ->excludes(plane);
  command->add_option("-o,--output", options->folder, "folder for the pieces; created if it does not exist")
      ->type_name("DIR")
      ->required();
  command->add_option("--to", options->to, "format of the pieces: obj (default), ply, vtk, stl, gltf, glb")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"obj", "ply", "vtk", "stl", "gltf", "glb"}));
  add_number(command, "--snap", options->snap,
             "vertices closer to the plane than this fraction of the diagonal count as on it (default: 1e-9)",
             "a number from 0 to 0.1")
      ->type_name("F");
  command->add_option("--json", options->json, "write the list of pieces as JSON to a file, or - for standard output")
      ->type_name("FILE");
  add_mesh_options(*command, options->reading);
  command->footer(
      "Example:\n  carom cut part.obj --plane 0,0,1,0.05 -o pieces     # above and below z = 5 cm\n"
      "  carom cut part.stl --unit mm --blade path.csv -o pieces --to stl\n"
      "A path.csv of a straight edge from y = -1 to y = 1 that moves along x:\n"
      "  -1,-1,0, -1,1,0\n   1,-1,0,  1,1,0\n"
      "Pieces are named after the file, with a number, the largest first. Between two poses each segment of the edge\n"
      "sweeps two triangles. What a blade does not cut off stays whole; the area of such cuts is told.");
  command->callback([options, &action] { action = [options] { return cut_mesh(*options); }; });
}

}  // namespace carom::app
