#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "carom/core/version.hpp"
#include "carom/io/scene.hpp"
#include "carom/io/viewer.hpp"
#include "carom/live/session.hpp"
#include "commands.hpp"
#include "core/check.hpp"
#include "core/printable.hpp"
#include "interrupt.hpp"
#include "mid/mid.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "recorders.hpp"
#include "report.hpp"
#include "run_summary.hpp"
#include "say.hpp"

namespace carom::app {

namespace {

/// What came of a run.
struct Finished {
  RunSummary summary;
  PipelineStats total;
  nlohmann::ordered_json frames = nlohmann::ordered_json::array();
  /// What went wrong in a step; everything until then has been written.
  std::exception_ptr failure;
};

nlohmann::ordered_json frame_json(const World& world, const ContactCount& count, double ms) {
  nlohmann::ordered_json json = {{"frame", world.steps()}, {"time", world.time()}};
  json.update(contacts_json(count));
  json["min_distance"] = number_or_null(count.min_distance);
  json["ms"] = ms;
  return json;
}

void write_frame(Recorders& recorders) {
  const Uninterrupted writing;
  recorders.write_frame();
}

/// Mean length of the edges of a body, m.
double mean_edge(const World& world, BodyId body) {
  const std::span<const Eigen::Vector3d> x = world.positions(body);
  double sum = 0;
  for (const Triangle& t : world.triangles(body)) {
    for (std::size_t k = 0; k < 3; ++k)
      sum += (x[static_cast<std::size_t>(t[k])] - x[static_cast<std::size_t>(t[(k + 1) % 3])]).norm();
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, 3 * world.triangles(body).size()));
}

/// Neighbors within cloth are nearer than its thickness then, and its folds less far apart than it says.
void warn_of_thick_cloth(const Scene& scene, const World& world) {
  for (const BodyId id : world.bodies()) {
    const bool cloth = std::ranges::any_of(scene.bodies, [&](const SceneBody& body) {
      return body.name() == world.name(id) && std::holds_alternative<ClothSceneBody>(body.body);
    });
    if (!cloth) continue;
    const double thickness = world.thickness(id, id);
    const double edge = mean_edge(world, id);
    if (thickness <= edge) continue;
    say(stderr,
        "carom: warning: cloth '{}': thickness is {:.3g} m, its edges are {:.3g} m long on average; contacts within it "
        "are at most half as thick as what touches is apart at rest\n",
        printable(world.name(id)), thickness, edge);
  }
}

Finished run_scene(const Scene& scene, const World& world, const std::function<void()>& take_step, Recorders* recorders,
                   bool want_frames, const std::string& label) {
  Finished done;
  RunMeter meter(scene, world);
  if (recorders != nullptr) write_frame(*recorders);
  Progress progress(label, static_cast<std::size_t>(scene.steps));
  for (int step = 0; step < scene.steps && !interrupted_by_user(); ++step) {
    const auto start = std::chrono::steady_clock::now();
    try {
      take_step();
    } catch (const Error&) {
      done.failure = std::current_exception();
      break;
    }
    const double ms = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() * 1e3;
    done.total.add(world.stats());
    if (recorders != nullptr) write_frame(*recorders);
    const ContactCount count = meter.add_step(ms);
    if (want_frames) done.frames.push_back(frame_json(world, count, ms));
    progress.update(static_cast<std::size_t>(step) + 1, counted(count.all(), "contact"));
  }
  done.summary = meter.summary();
  done.summary.interrupted = interrupted_by_user();
  return done;
}

int told_if_interrupted(std::size_t steps, const Scene& scene) {
  if (!interrupted_by_user()) return done;
  say(stderr, "carom: ended early by a signal, after step {} of {}\n", steps, scene.steps);
  return interrupted_exit_code();
}

void put_into(const RunOptions& options, WorldOptions& world) {
  if (options.dt) world.dt = *options.dt;
  if (options.threads) world.threads = *options.threads;
  if (options.method) world.method = *options.method;
  if (options.sphere_depth) world.sphere_depth = *options.sphere_depth;
  if (options.response) world.response = *options.response;
  if (options.time_budget) world.time_budget = *options.time_budget;
}

Scene scene_of(const RunOptions& options) {
  Scene scene = find_scene(options.scene);
  // What is wrong with these is no fault of the scene's file, which building it would name.
  WorldOptions given;
  put_into(options, given);
  const World refuses_bad_options(given);
  require(!options.response || has_responding_bodies(scene), ErrorCode::invalid_argument,
          "--response: {} has neither rigid bodies nor particles, and responses move only these; see: carom scenes",
          scene.name);
  require(!options.method || has_surfaces(scene), ErrorCode::invalid_argument,
          "--method: all bodies of {} are rigid, and the method is that of detection between meshes; see: carom scenes",
          scene.name);
  if (options.steps) scene.steps = *options.steps;
  put_into(options, scene.world);
  require(!options.spheres || scene.world.method == "spheres", ErrorCode::invalid_argument,
          "--spheres: the method is {}, which has no spheres; expected --method spheres", scene.world.method);
  return scene;
}

InputReplay replay_of(const RunOptions& options, const Scene& scene) {
  InputRecord record = read_input_record(options.input);
  require(record.steps <= 1'000'000'000, ErrorCode::bad_format, "{}: a run of {} steps is too long", options.input,
          record.steps);
  try {
    return InputReplay(scene, std::move(record));
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("--input {}: {}", options.input, error.what()));
  }
}

/// Says whether a replay ended as its record did. False if not.
bool told_same_end(const InputReplay& replay, const std::string& file, std::FILE* text) {
  const InputRecord& record = replay.record();
  if (!record.closed || replay.session().steps() != record.steps) {
    say(text, "input of {}: {} steps of {}{}\n", file, replay.session().steps(), record.steps,
        record.closed ? "" : "; the record has no end, so there is no state to compare with");
    return true;
  }
  const bool same = replay.same_end();
  say(same ? text : stderr, "input of {}: the state after {} steps is {}that of the record ({})\n", file, record.steps,
      same ? "" : "not ", record.state_hash);
  if (!same && record.carom_version != version())
    say(stderr, "the record is of version {} of carom, this is {}\n", record.carom_version, version());
  return same;
}

int run_one(const RunOptions& options) {
  Scene scene = scene_of(options);
  std::optional<InputReplay> replay;
  if (!options.input.empty()) {
    replay = replay_of(options, scene);
    if (!options.steps) scene.steps = static_cast<int>(replay->record().steps);
  }
  if (!options.html.empty()) viewer_page();  // tell at once if this build has none
  Output html("--html", options.html, OutputKind::html);
  Output json("--json", options.json, OutputKind::json);
  std::optional<World> own;
  if (!replay) own = build_world(scene);
  const World& world = replay ? replay->session().world() : *own;
  warn_of_thick_cloth(scene, world);
  Recorders recorders(scene, world, options.output, html.wanted(), options.every, options.spheres);
  std::FILE* text = json.to_stdout() || html.to_stdout() ? stderr : stdout;

  const auto write_page = [&] {
    write_viewer_html(recorders.page_recording(), [&](std::string_view piece) { html.write(piece); });
    html.finish();
  };
  std::atomic<bool> stepping{true};
  const bool page_to_file = html.wanted() && !html.to_stdout();
  // A step may take long: frames recorded before it are kept all the same.
  const OnInterrupt within_a_step([&] {
    recorders.close();
    if (page_to_file) write_page();
    say(stderr, "carom: ended early by a signal, {}{}{}\n", stepping ? "within a step" : "after the last step",
        options.output.empty() ? "" : fmt::format("; recorded until then in {}", options.output),
        json.wanted() ? "; --json is not written" : "");
    return interrupted_exit_code();
  });
  const auto take_step = [&] { replay ? replay->step() : own->step(); };
  Finished finished = run_scene(scene, world, take_step, &recorders, json.wanted(), scene.name);
  stepping = false;
  if (interrupted_by_user()) end_by_itself();
  {
    const Uninterrupted writing;
    recorders.close();
    if (page_to_file) write_page();
  }
  if (html.to_stdout()) write_page();  // a pipe may be full, which must not keep an interrupt waiting
  const RunSummary& summary = finished.summary;
  if (json.wanted()) {
    nlohmann::ordered_json document = {{"scene", scene.name},
                                       {"response", scene.world.response},
                                       {"method", to_string(mid::method_by_name(scene.world.method))},
                                       {"dt", scene.world.dt}};
    document["frames"] = std::move(finished.frames);
    document["stages"] = stages_json(finished.total, summary.steps);
    document["summary"] = summary_json(summary);
    json.write(dump(document));
    json.finish();
  }

  say(text, "\n{}\n", Lines{stage_table(finished.total, summary.steps, "step")});
  say(text, "{}, dt {:.6g} s, response {}\n{}", scene.name, scene.world.dt, scene.world.response,
      Lines{summary_text(summary)});
  if (!options.output.empty()) say(text, "recorded in {}\n", options.output);
  if (html.wanted() && !html.to_stdout()) say(text, "page in {}\n", options.html);
  if (finished.failure) std::rethrow_exception(finished.failure);
  const int interrupted = told_if_interrupted(summary.steps, scene);
  if (interrupted != done) return interrupted;
  const bool as_recorded = !replay || told_same_end(*replay, options.input, text);
  return summary.lost.empty() && as_recorded ? done : found_problems;
}

std::string message_of(const std::exception_ptr& failure) try {
  if (failure) std::rethrow_exception(failure);
  return {};
} catch (const std::exception& error) {
  return error.what();
}

/// What is between commas, without blanks around it.
std::vector<std::string> names_in(const std::vector<std::string>& lists) {
  constexpr std::string_view blanks = " \t\n";
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      const std::size_t first = std::min(list.find_first_not_of(blanks, begin), end);
      require(first < end, ErrorCode::invalid_argument,
              "--compare is '{}': a name is missing; expected names of responses with a comma between them", list);
      names.push_back(list.substr(first, list.find_last_not_of(blanks, end - 1) + 1 - first));
      begin = end + 1;
    }
  }
  return names;
}

/// The names, each once, none of which a world refuses.
void check_responses(const Scene& scene, const std::vector<std::string>& responses) {
  std::set<std::string> seen;
  for (const std::string& response : responses) {
    require(seen.insert(response).second, ErrorCode::invalid_argument, "--compare names '{}' twice", response);
    WorldOptions options = scene.world;
    options.response = response;
    const World refuses_unknown_names(options);
  }
}

int compare(const RunOptions& options) {
  require(options.input.empty(), ErrorCode::invalid_argument,
          "--compare goes with no --input: a record is of one response");
  require(options.output.empty() && options.html.empty(), ErrorCode::invalid_argument,
          "--compare runs the scene several times and records none; leave out -o and --html");
  Scene scene = scene_of(options);
  require(has_responding_bodies(scene), ErrorCode::invalid_argument,
          "--compare: {} has neither rigid bodies nor particles, and responses move only these; see: carom scenes",
          scene.name);
  const std::vector<std::string> responses = names_in(options.compare);
  check_responses(scene, responses);
  Output json("--json", options.json, OutputKind::json);
  std::FILE* text = json.to_stdout() ? stderr : stdout;

  std::vector<ComparedRun> runs;
  for (const std::string& response : responses) {
    if (interrupted_by_user()) break;
    scene.world.response = response;
    ComparedRun& run = runs.emplace_back();
    run.response = response;
    try {
      World world = build_world(scene);
      const Finished finished = run_scene(
          scene, world, [&] { world.step(); }, nullptr, false, fmt::format("{}, {}", scene.name, response));
      run.summary = finished.summary;
      run.failure = message_of(finished.failure);
    } catch (const Error& error) {
      run.failure = error.what();  // one that does not fit the scene is one column, not the end of all
    }
  }
  if (json.wanted()) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ComparedRun& run : runs) {
      nlohmann::ordered_json entry = {{"response", run.response}, {"summary", summary_json(run.summary)}};
      if (!run.failure.empty()) entry["error"] = run.failure;
      list.push_back(std::move(entry));
    }
    json.write(dump({{"scene", scene.name}, {"dt", scene.world.dt}, {"runs", std::move(list)}}));
    json.finish();
  }
  say(text, "\n{}, {}, dt {:.6g} s\n{}", scene.name, counted(static_cast<std::size_t>(scene.steps), "step"),
      scene.world.dt, Lines{comparison_table(runs)});
  bool failed = false;
  for (const ComparedRun& run : runs) {
    failed |= !run.summary.lost.empty();
    if (run.failure.empty()) continue;
    say(stderr, "carom: {}: {}\n", run.response, run.failure);
    failed = true;
  }
  const int interrupted = told_if_interrupted(runs.empty() ? 0 : runs.back().summary.steps, scene);
  return interrupted != done ? interrupted : failed ? found_problems : done;
}

}  // namespace

int run(const RunOptions& options) {
  require(!options.steps || *options.steps >= 0, ErrorCode::invalid_argument, "--steps is {}; expected 0 or more",
          options.steps.value_or(0));
  require(options.every >= 1, ErrorCode::invalid_argument, "--every is {}; expected 1 or more", options.every);
  require(options.output != "-", ErrorCode::invalid_argument,
          "a recording is read back and forth, so it cannot go to standard output; give -o a file");
  refuse_same_files({{"the scene", options.scene},
                     {"--input", options.input},
                     {"-o", options.output},
                     {"--html", options.html},
                     {"--json", options.json}});
  refuse_other_kind("-o", options.output,
                    options.output.ends_with(".replay") ? OutputKind::replay : OutputKind::recording);
  return options.compare.empty() ? run_one(options) : compare(options);
}

}  // namespace carom::app
