#include <fcntl.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>

#include "arguments.hpp"
#include "carom/body/rigid.hpp"
#include "carom/core/version.hpp"
#include "commands.hpp"
#include "cut_arguments.hpp"
#include "interrupt.hpp"
#include "mesh_options.hpp"
#include "output.hpp"
#include "say.hpp"

namespace {

using namespace carom::app;

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Simulate a scene, record it and report the counts of each stage");
  auto options = std::make_shared<RunOptions>();
  command->add_option("scene", options->scene, "a built-in name (see: carom scenes) or a scene file (.json)")
      ->type_name("SCENE")
      ->required();
  command->add_option("-o,--output", options->output, "write a recording (name.carom) or a replay (name.replay)")
      ->type_name("FILE");
  add_number(command, "--steps", options->steps, "number of steps (default: the scene's)", "a whole number")
      ->type_name("N");
  add_number(command, "--dt", options->dt, "length of a step in seconds (default: the scene's)", "a number of seconds")
      ->type_name("S");
  add_threads(command, options->threads, "0 = all cores (default); the result does not depend on it");
  command
      ->add_option("--method", options->method,
                   "of detection between meshes: auto (default), bvh, bvh14, bvh18, grid, hgrid, spheres, sweep")
      ->type_name("NAME");
  add_number(command, "--sphere-depth", options->sphere_depth,
             "levels of the trees of the method spheres, 1 to 32 (default: the scene's, or 15)", "a whole number")
      ->type_name("N");
  add_number(command, "--spheres", options->spheres,
             "record the spheres of level L of the trees, for the viewer; needs the method spheres", "a whole number")
      ->type_name("L");
  auto* response = command
                       ->add_option("--response", options->response,
                                    fmt::format("of rigid bodies: {} (default: the scene's)",
                                                fmt::join(carom::response_names(), ", ")))
                       ->type_name("NAME");
  command
      ->add_option("--compare", options->compare,
                   "run the scene with each of these responses and print the summaries side by side")
      ->type_name("NAME,NAME")
      ->allow_extra_args(false)  // or it would take the scene for a name
      ->excludes(response);
  add_number(command, "--time-budget", options->time_budget,
             "seconds for a step: beyond it the least important is left out, and counted as limited (default: the "
             "scene's, 0: none)",
             "a number of seconds")
      ->type_name("S");
  add_number(command, "--every", options->every, "record every N-th step (default: 1)", "a whole number")
      ->type_name("N");
  command
      ->add_option("--html", options->html,
                   "write one self-contained page that plays the run to a file, or - for standard output")
      ->type_name("FILE");
  command->add_option("--input", options->input, "replay the input that carom live recorded (name.input)")
      ->type_name("FILE");
  add_json(command, options->json, "the numbers of the run");
  command->footer(
      "Example:\n  carom run two-tori -o tori.carom --html tori.html\n"
      "  carom run pyramid --json - | jq .summary\n"
      "  carom run pyramid --compare impulse,soft     # how responses differ\n"
      "A penetration is that of any contact of the run, the drift that of the rigid body which is farthest from its\n"
      "start at the end; lost are bodies that got outside the bounds of the scene. Energies are in joules, 0 at the "
      "origin.\n"
      "The exit code is 1 if bodies were lost, or if the state after --input is not that of the record.\n"
      "Ctrl-C ends the run early; what was recorded until then is written and can be read.");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

void add_detect(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("detect", "Find every pair of features closer than a distance, frame by frame");
  auto options = std::make_shared<DetectCommandOptions>();
  command
      ->add_option("input", options->input, "a .replay, a recording, a mesh file, or a folder of numbered mesh files")
      ->type_name("INPUT")
      ->required();
  add_number(command, "--distance", options->distance,
             "metres; pairs of features closer than this are reported; 0: triangles that intersect (with "
             "--continuous: features that touch)",
             "a number of metres, such as 0.01")
      ->type_name("D")
      ->required();
  auto* between = command->add_flag("--between", options->between, "only pairs of different objects");
  auto* self = command->add_flag("--self", options->self, "only pairs within one object");
  auto* all = command->add_flag("--all", options->all, "both (the default)");
  between->excludes(self)->excludes(all);
  self->excludes(all);
  command->add_option("--bodies", options->bodies, "only pairs of which one side is of one of these bodies")
      ->type_name("NAME")
      ->delimiter(',');
  command->add_flag("--continuous", options->continuous,
                    "over the straight motion from each frame to the next, with times of impact");
  command->add_option("--method", options->method, "auto (default), bvh, bvh14, bvh18, grid, hgrid, spheres, sweep")
      ->type_name("NAME");
  add_number(command, "--sphere-depth", options->sphere_depth,
             "levels of the trees of the method spheres, 1 to 32 (default: 15)", "a whole number")
      ->type_name("N");
  add_threads(command, options->threads, "0 = all cores (default); the result does not depend on it");
  add_number(command, "--surface-factor", options->surface_factor,
             "leave out pairs of one object closer than F times D along its surface (default: 0, none)", "a number")
      ->type_name("F");
  command
      ->add_option("--surface-shape", options->surface_shape,
                   "where that is measured: rest (the first frame, default) or current")
      ->type_name("NAME");
  command->add_option("--exclude", options->exclude, "leave out pairs of features with these vertices: CSV, a,b a line")
      ->type_name("FILE");
  command->add_option("--frames", options->frames, "from A up to but not including B (default: all), or one number")
      ->type_name("A:B:STEP");
  add_json(command, options->json, "counts and times");
  command->add_option("--contacts", options->contacts, "write every contact as CSV to a file, or - for standard output")
      ->type_name("FILE");
  command
      ->add_option("--html", options->html,
                   "write a page that shows the contacts of the last frame to a file, or - for standard output")
      ->type_name("FILE");
  add_mesh_options(*command, options->reading);
  command->footer(
      "Example:\n  carom detect tori.replay --distance 0.01 --between --contacts contacts.csv\n"
      "  carom detect part.obj --distance 0 --contacts -    # where does this mesh cut itself?\n"
      "  carom detect tori.replay --distance 0 --continuous # what passes through what between frames?\n"
      "  carom detect shirt.carom --distance 0 --bodies shirt # does the cloth cut itself, or the figure?\n"
      "The exit code is 1 if triangles that cut each other were looked for (--distance 0) and found.");
  command->callback([options, &action] { action = [options] { return carom::app::detect(*options); }; });
}

void add_scenes(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("scenes", "List the built-in scenes");
  auto options = std::make_shared<ScenesOptions>();
  auto* show =
      command->add_option("--show", options->show, "print one as JSON, to start your own from")->type_name("NAME");
  auto* schema = command->add_flag("--schema", options->schema, "print the JSON Schema of scene files");
  auto* json = add_json(command, options->json, "the list");
  show->excludes(schema)->excludes(json);
  schema->excludes(json);
  command->footer("Example:\n  carom scenes --show cloth-on-ball > mine.json && carom run mine.json");
  command->callback([options, &action] { action = [options] { return scenes(*options); }; });
}

void add_info(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("info", "Describe a file and report its defects");
  auto options = std::make_shared<InfoOptions>();
  command
      ->add_option("files", options->files,
                   "a mesh file, a recording or a replay; several files or folders of meshes: a line each")
      ->type_name("FILE")
      ->required();
  add_json(command, options->json, "the report");
  add_mesh_options(*command, options->reading);
  command
      ->add_option("--field", options->field,
                   "also make the distance field of the mesh, with this error as a fraction of its diagonal")
      ->type_name("TOLERANCE");
  command->footer(
      "Example:\n  carom info bracket.stl\n  carom info bracket.stl --field 0.002\n"
      "  carom info parts/ --unit mm        # a line for each file in a folder\n"
      "The exit code is 1 if a mesh is open, inside out, non-manifold, inconsistent or degenerate or cuts itself,\n"
      "or a recording is damaged.");
  command->callback([options, &action] { action = [options] { return info(*options); }; });
}

void add_view(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("view", "Serve the viewer on this machine and print its address");
  auto options = std::make_shared<ViewOptions>();
  command->add_option("file", options->file, "a recording; or a replay, a mesh file, a folder of numbered mesh files")
      ->type_name("FILE")
      ->required();
  add_number(command, "--port", options->port, "0 = any free one (default)", "a whole number from 0 to 65535")
      ->type_name("N");
  add_mesh_options(*command, options->reading);
  command->footer("Example:\n  carom view tori.carom\nOpen the printed address in a browser; Ctrl-C ends the server.");
  command->callback([options, &action] { action = [options] { return view(*options); }; });
}

void add_live(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("live", "Run a scene that is moved by hand, in a page on this machine");
  auto options = std::make_shared<LiveOptions>();
  command->add_option("scene", options->scene, "a built-in name (see: carom scenes) or a scene file (.json)")
      ->type_name("SCENE")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "record the input (name.input): carom run SCENE --input name.input replays it, bit for bit")
      ->type_name("FILE");
  command
      ->add_option("--replay", options->replay,
                   "show a recorded input (name.input) again, bit for bit; at its end hands take over")
      ->type_name("FILE");
  add_number(command, "--rate", options->rate, "steps a second (default: real time, one over the scene's dt)",
             "a number of steps a second, such as 60")
      ->type_name("R");
  add_number(command, "--steps", options->steps, "end after so many steps (default: never)", "a whole number")
      ->type_name("N");
  command->add_flag("--paused", options->paused, "begin paused");
  add_threads(command, options->threads, "0 = all cores (default); the result does not depend on it");
  add_number(command, "--port", options->port, "0 = any free one (default)", "a whole number from 0 to 65535")
      ->type_name("N");
  command->footer(
      "Example:\n  carom live tool-probe -o probe.input\n"
      "  carom run tool-probe --input probe.input --html probe.html    # the same again\n"
      "Open the printed address in a browser and drag a body. Ctrl-C ends; what was recorded is written as it comes.\n"
      "The world does not wait for the page: a slow or closed browser misses pictures, and the world misses nothing.");
  command->callback([options, &action] { action = [options] { return live(*options); }; });
}

void add_export(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("export", "Write the frames of a file as meshes for other programs");
  auto options = std::make_shared<ExportOptions>();
  command->add_option("file", options->file, "a recording, a replay, a mesh file, a folder of numbered mesh files")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--to", options->to,
                   "one file for each frame: obj, ply, vtk, stl, gltf, glb; or one file for all: replay")
      ->type_name("FORMAT")
      ->required()
      ->check(CLI::IsMember({"obj", "ply", "vtk", "stl", "gltf", "glb", "replay"}));
  command->add_option("folder", options->folder, "where to write; created if it does not exist")
      ->type_name("DIR")
      ->required();
  command->add_option("--frames", options->frames, "from A up to but not including B (default: all), or one number")
      ->type_name("A:B:STEP");
  add_mesh_options(*command, options->reading);
  command->footer(
      "Example:\n  carom export tori.carom --to ply frames --frames 0:300:10\n"
      "Bodies keep their names: objects in obj, solids in stl (as text: binary STL has no names), nodes in gltf and\n"
      "glb; in ply and vtk each triangle has the number of its body, beside a list of the names. gltf and glb are in\n"
      "single precision; the others keep every bit.");
  command->callback([options, &action] { action = [options] { return export_frames(*options); }; });
}

void add_bench(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("bench", "Measure against the reference on this machine");
  command->require_subcommand(1);
  command->footer("Example:\n  carom bench detect --scene knot");
  CLI::App* detection = command->add_subcommand("detect", "Detection against a plain grid, the yardstick");
  auto options = std::make_shared<BenchDetectOptions>();
  detection
      ->add_option("--scene", options->scenes,
                   "a built-in name or a scene file; may be given again (default: all that move by themselves)")
      ->type_name("SCENE");
  detection
      ->add_option("--method", options->methods, "of detection; may be given again (default: all but the slow twins)")
      ->type_name("NAME");
  add_threads(detection, options->threads, "beside one thread, measure this many (default: 2)");
  add_number(detection, "--frames", options->frames, "of each scene, spread over it (default: 20)", "a whole number")
      ->type_name("N");
  add_number(detection, "--passes", options->passes, "over the frames, the best counts (default: 3)", "a whole number")
      ->type_name("N");
  add_json(detection, options->json, "the numbers");
  detection->footer("Example:\n  carom bench detect --scene two-tori --scene knot --json numbers.json");
  detection->callback([options, &action] { action = [options] { return bench_detect(*options); }; });
}

void add_reproduce(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("reproduce", "Print the tables of a published work beside our own figures");
  auto options = std::make_shared<ReproduceOptions>();
  command
      ->add_option(
          "document", options->document,
          "leonard: F. Léonard's thesis on detection by grids, 2021; zouiouche: A. Zouiouche's thesis on cloth, "
          "2012")
      ->type_name("NAME")
      ->required();
  command
      ->add_option(
          "--tables", options->tables,
          "of leonard 4.1,4.2,4.3,4.4,4.5,4.6,4.7,cut; of zouiouche resolution,depth,self,refit (default: all but cut)")
      ->type_name("LIST")
      ->delimiter(',');
  add_number(command, "--frames", options->frames, "of each scene, spread over it, or steps of the cloth (default: 60)",
             "a whole number")
      ->type_name("N");
  add_threads(command, options->threads, "of table 4.7 and of the cloth; 0 = all cores (default)");
  add_json(command, options->json, "the tables");
  command->footer(
      "Example:\n  carom reproduce leonard --tables 4.1,4.7 --frames 30\n"
      "  carom reproduce zouiouche --tables resolution --frames 120 --threads 1");
  command->callback([options, &action] { action = [options] { return reproduce(*options); }; });
}

void add_queries(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("queries", "Run files of continuous-collision queries and compare with the answers in them");
  auto options = std::make_shared<QueriesOptions>();
  command
      ->add_option("files", options->files,
                   "CSV, eight rows a query: the four vertices at the start, then at the end; x, y, z each as "
                   "numerator,denominator, then 1 if they collide, else 0")
      ->type_name("FILE.csv")
      ->required();
  command->add_flag("--exact", options->exact, "decide what rounding leaves open in exact arithmetic");
  add_number(command, "--tolerance", options->tolerance,
             "relative to the motion: a miss by less may count as a collision (default: 1e-6)", "a number")
      ->type_name("T");
  command
      ->add_option("--kind", options->kind,
                   "vf (vertex, triangle) or ee (two edges); default: vertex-face or edge-edge in the file's name")
      ->type_name("KIND");
  add_json(command, options->json, "the numbers");
  command->footer(
      "Example:\n  carom queries unit-tests_vertex-face.csv unit-tests_edge-edge.csv --exact --json -\n"
      "The exit code is 1 if a collision was missed, or with --exact if any answer is wrong.");
  command->callback([options, &action] { action = [options] { return queries(*options); }; });
}

/// A file opened later must not become standard output or error because those were closed.
void hold_standard_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) == -1) (void)open("/dev/null", O_RDWR);
  }
}

/// Runs a command and turns what it throws, and what standard output could not take, into a
/// message and an exit code.
int finish(const Action& command) {
  int code = bad_usage;
  try {
    code = command();
  } catch (const LostStdout&) {
    // told below
  } catch (const std::bad_alloc&) {
    say(stderr, "carom: out of memory\n");
  } catch (const std::exception& error) {
    say(stderr, "carom: {}\n", error.what());
  }
  const int error = stdout_error();
  if (error == 0) return code;
  if (error == EPIPE) return 128 + SIGPIPE;  // as for any program before a pipe that was closed, such as by head
  say(stderr, "carom: standard output cannot be written: {}\n", std::strerror(error));
  return bad_usage;
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of writing, not the end
  watch_for_interrupts();
  CLI::App app{"Carom finds and resolves collisions between rigid and deformable bodies.", "carom"};
  app.set_version_flag("--version", "carom " + std::string(carom::version()));
  app.require_subcommand(1);
  app.footer(
      "Example:\n  carom run two-tori --html tori.html\n"
      "Every command has its own --help.\n"
      "Exit codes: 0 done, 1 a check found problems or a run lost bodies, 2 bad usage or input, 130 ended by Ctrl-C\n"
      "(128 + signal). One Ctrl-C ends any command within a second; files that are not finished are removed.");
  Action action;
  add_run(app, action);
  add_detect(app, action);
  add_scenes(app, action);
  add_info(app, action);
  add_view(app, action);
  add_live(app, action);
  add_export(app, action);
  add_bench(app, action);
  add_reproduce(app, action);
  add_queries(app, action);
  add_check(app, action);
  add_cut(app, action);

  return finish([&] {
    try {
      app.parse(argc, argv);
    } catch (const CLI::Success& help_or_version) {
      return app.exit(help_or_version);
    } catch (const CLI::ParseError& error) {
      throw carom::Error(carom::ErrorCode::invalid_argument, explain(error, app));
    }
    return action();
  });
}
