#include "arguments.hpp"
#include "commands.hpp"
#include "mesh_options.hpp"

namespace carom::app {

void add_check(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("check", "List the parts of an assembly that clash, where and how deep");
  auto options = std::make_shared<CheckOptions>();
  command
      ->add_option("files", options->files,
                   "meshes, each a part: STL, OBJ, PLY, OFF, glTF, COLLADA, FBX; assemblies, each solid a part: STEP, "
                   "IGES, 3MF; folders of these, with the folders below")
      ->type_name("FILE")
      ->required();
  add_number(command, "--clearance", options->clearance,
             "parts that are no farther apart than this are reported, too (default: 0)",
             "a length in metres, or in the unit of --unit, such as 0.0005")
      ->type_name("D");
  add_number(command, "--tolerance", options->tolerance,
             "parts whose surfaces go no deeper below each other than this only touch (default: a millionth of the "
             "larger part)",
             "a length in metres, or in the unit of --unit, such as 0.00001")
      ->type_name("T");
  command->add_option("--rank", options->rank, "list the worst first by local depth (default) or by volume")
      ->check(CLI::IsMember({"depth", "volume"}))
      ->type_name("depth|volume");
  command->add_option("--allow", options->allow, "overlaps that are meant, as JSON: see below")->type_name("FILE");
  command
      ->add_option("--baseline", options->baseline,
                   "result of an earlier run (--json): only clashes that are new or deeper make the exit code 1")
      ->type_name("FILE");
  command->add_flag("--separation", options->separation,
                    "also the translation that takes each overlapping pair apart, which may take long");
  command->add_flag("--quick", options->quick, "do not look for parts that cut themselves");
  command->add_flag("--self", options->self,
                    "the objects of each file are the parts; of a file with one object, its connected pieces");
  command
      ->add_option(
          "--solid", options->solid,
          "what is solid of a closed part: what it encloses (inside, the default); that, or all but that if its "
          "triangles face inward, as of a room (by_normals); nothing but its surface (surface)")
      ->check(CLI::IsMember({"by_normals", "inside", "surface"}))
      ->type_name("SOLID");
  add_threads(command, options->threads, "0 = all cores (default); the result does not depend on it");
  add_json(command, options->json, "the result, in metres");
  command
      ->add_option("--csv", options->csv, "write a row for each place of overlap to a file, or - for standard output")
      ->type_name("FILE");
  command->add_option("--html", options->html, "write a page that shows each clash to a file, or - for standard output")
      ->type_name("FILE");
  add_mesh_options(*command, options->reading);
  command->footer(
      "Example:\n  carom check frame.stl bolt.stl cover.obj --unit mm --clearance 0.5 --html clashes.html\n"
      "  carom check machine.step --allow fits.json --baseline yesterday.json --json today.json\n"
      "Depth is local: how far the surface of one part goes below that of the other, with its error. The exit code is "
      "1 "
      "if\n"
      "parts overlap or are closer than the clearance. Parts that only touch are no clash unless a clearance is asked "
      "for.\n"
      "A number in a file without a unit (STL, OBJ, PLY, OFF) counts as a metre, unless --unit says otherwise; lengths "
      "are\n"
      "then asked for and shown in that unit. A list of overlaps that are meant:\n"
      "  {\"unit\": \"mm\", \"allow\": [{\"a\": \"bolt*\", \"b\": \"plate*\", \"depth\": 0.05}],\n"
      "   \"groups\": [{\"name\": \"hinge\", \"parts\": [\"pin*\", \"bush?\"], \"depth\": 0.01}]}\n"
      "Patterns are of the names of parts, or with a colon of files and parts: \"machine.step:bolt*\".");
  command->callback([options, &action] { action = [options] { return check(*options); }; });
}

}  // namespace carom::app
