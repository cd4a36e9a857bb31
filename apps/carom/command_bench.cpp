#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/measure.hpp"
#include "bench/table.hpp"
#include "commands.hpp"
#include "core/check.hpp"
#include "interrupt.hpp"
#include "mid/mid.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "say.hpp"

namespace carom::app {

namespace {

using bench::BenchScene;
using bench::Contender;
using bench::Result;

template <class Spec>
bool has(const Scene& scene) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                     [](const SceneBody& body) { return std::holds_alternative<Spec>(body.body); });
}

/// Those asked for, or all built-in ones whose frames are there without simulating them.
std::vector<Scene> scenes_of(const BenchDetectOptions& options) {
  std::vector<Scene> scenes;
  for (const std::string& name : options.scenes) {
    scenes.push_back(find_scene(name));
    require(!has<RigidSceneBody>(scenes.back()), ErrorCode::unsupported,
            "{} has rigid bodies; this benchmark is for surfaces, see carom_bench_rigid", name);
  }
  if (!scenes.empty()) return scenes;
  for (const BuiltinScene& builtin : builtin_scenes()) {
    Scene scene = builtin.make();
    if (!has<ParticleSceneBody>(scene) && !has<ClothSceneBody>(scene) && !has<SoftSceneBody>(scene) &&
        !has<RigidSceneBody>(scene))
      scenes.push_back(std::move(scene));
  }
  return scenes;
}

/// The reference, then every method with one thread and, if asked for, with several.
std::vector<Contender> contenders_of(const BenchDetectOptions& options) {
  std::vector<Contender> contenders{{.method = std::string(bench::reference_name), .threads = 1}};
  for (const std::string& method : options.methods.empty() ? bench::fast_methods() : options.methods) {
    (void)mid::method_by_name(method);  // throws if there is none
    contenders.push_back({method, 1});
    if (options.threads > 1) contenders.push_back({method, options.threads});
  }
  return contenders;
}

nlohmann::ordered_json to_json(const BenchScene& scene, const std::vector<Result>& results) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Result& r : results) {
    nlohmann::ordered_json entry = {{"method", r.contender.method},
                                    {"threads", r.contender.threads},
                                    {"ms", r.ms()},
                                    {"wall_ms", r.wall_ms},
                                    {"cpu_ms", r.cpu_ms},
                                    {"faster", results.front().ms() / r.ms()},
                                    {"contacts", r.contacts}};
    list.push_back(std::move(entry));
  }
  return {{"scene", scene.name},
          {"triangles", scene.surface.triangles().size()},
          {"frames", scene.frames.size()},
          {"distance", scene.distance},
          {"results", std::move(list)}};
}

}  // namespace

int bench_detect(const BenchDetectOptions& options) {
  require(options.frames > 0, ErrorCode::invalid_argument, "--frames is {}; expected at least 1", options.frames);
  require(options.passes > 0, ErrorCode::invalid_argument, "--passes is {}; expected at least 1", options.passes);
  require(options.threads > 0, ErrorCode::invalid_argument, "--threads is {}; expected at least 1", options.threads);
  const std::vector<Contender> contenders = contenders_of(options);
  const std::vector<Scene> scenes = scenes_of(options);
  for (const std::string& scene : options.scenes) refuse_same_files({{"the scene", scene}, {"--json", options.json}});
  Output json("--json", options.json, OutputKind::json);
  std::FILE* text = json.to_stdout() ? stderr : stdout;

  bench::Table table{"", {"scene", "triangles", "contacts", "method", "threads", "ms/frame", "faster"}, {}};
  nlohmann::ordered_json scenes_json = nlohmann::ordered_json::array();
  {
    const std::size_t work = scenes.size() * contenders.size() * static_cast<std::size_t>(std::max(options.passes, 1));
    Progress progress("bench", work);
    std::size_t count = 0;
    for (const Scene& scene : scenes) {
      const BenchScene frames = bench::sample(scene, bench::in_a_row(scene, options.frames));
      const auto results = bench::measure(frames, contenders,
                                          {.passes = options.passes,
                                           .progress = [&](const std::string& what) { progress.update(count++, what); },
                                           .cancelled = interrupted_by_user});
      if (interrupted_by_user()) break;
      for (const Result& r : results) {
        table.add({frames.name, with_commas(static_cast<double>(frames.surface.triangles().size())),
                   with_commas(r.contacts), r.contender.method, fmt::format("{}", r.contender.threads),
                   fmt::format("{:.3f}", r.ms()), fmt::format("{:.2f}", results.front().ms() / r.ms())});
      }
      scenes_json.push_back(to_json(frames, results));
    }
    if (!interrupted_by_user()) progress.update(work, "");
  }
  if (interrupted_by_user()) {
    say(stderr, "carom: ended early by a signal; no file was written\n");
    return interrupted_exit_code();
  }
  if (json.wanted()) json.write(dump({{"passes", options.passes}, {"scenes", std::move(scenes_json)}}));
  json.finish();
  say(text, "{}\n", Lines{table.text()});
  say(text,
      "Whole calls, positions in and contacts out: means over {} in a row of each scene, the best of {} for each.\n"
      "Time of the processor for one thread, on the clock for several.\n"
      "faster: how many times faster than the reference, a plain grid with one thread.\n",
      counted(static_cast<std::size_t>(options.frames), "frame"),
      counted(static_cast<std::size_t>(options.passes), "pass", "passes"));
  return done;
}

}  // namespace carom::app
