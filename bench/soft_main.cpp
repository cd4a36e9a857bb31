#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bench/program.hpp"
#include "bench/soft_run.hpp"
#include "bench/table.hpp"
#include "carom/io/scene.hpp"

/// A soft torus that falls on a plane, in Carom and in Bullet's btSoftBody; and the scenes of soft bodies, see
/// docs/benchmarks.md.
namespace carom::bench {
namespace {

constexpr int bullet_soft_iterations = 20;

struct SoftSettings {
  int steps = 60;
  bool alone = false;
  std::vector<std::string> scenes{"soft-tori-1600", "soft-tori-6400", "soft-tori-25600", "soft-knot",
                                  "organ-probe-20000"};
  std::vector<int> threads{1, 2};
  std::string out = "out/bench";
};

double mean_of_soft(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

void add_torus(const SoftRun& run, double bullet_ms, Table& table) {
  const double ms = mean_of_soft(run.step_ms);
  table.add({run.engine, fmt::format("{:.2f}", ms), fmt::format("{:.2f}", mean_of_soft(run.wall_ms)),
             bullet_ms > 0 ? fmt::format("{:.2f}", ms / bullet_ms) : "-", fmt::format("{:.1f}", 1e3 * run.lowest),
             fmt::format("{:.3f}", run.height), std::to_string(run.pairs)});
}

void add_stages(const std::string& scene, int threads, double steps, const PipelineStats& stats, Table& table) {
  for (std::size_t s = 0; s < stage_count; ++s) {
    const StageStats& stage = stats.stages[s];
    table.add({scene, std::to_string(threads), std::string(to_string(static_cast<Stage>(s))),
               fmt::format("{:.3f}", 1e3 * stage.seconds / steps),
               fmt::format("{:.0f}", static_cast<double>(stage.in) / steps),
               fmt::format("{:.0f}", static_cast<double>(stage.out) / steps)});
  }
}

void run_scene(const std::string& name, int threads, int steps, Table& table, Table& stages) {
  Scene scene = find_scene(name);
  scene.world.threads = threads;
  World world = build_world(scene);
  steps = std::min(steps, scene.steps);
  std::vector<double> cpu;
  std::vector<double> wall;
  PipelineStats stats;
  std::size_t contacts = 0;
  std::uint64_t rounds = 0;
  for (int i = 0; i < steps; ++i) {
    const Stopwatch stopwatch;
    world.step();
    const Duration time = stopwatch.elapsed();
    cpu.push_back(time.cpu_ms);
    wall.push_back(time.wall_ms);
    stats.add(world.stats());
    contacts += world.contacts().size();
    std::uint64_t walks = 1;
    for (const Counted& counted : world.stats()[Stage::respond].counted()) {
      if (counted.name == "rounds") walks = counted.count;
    }
    rounds += walks;
  }
  table.add({name, std::to_string(threads), fmt::format("{:.2f}", mean_of_soft(cpu)),
             fmt::format("{:.2f}", mean_of_soft(wall)),
             fmt::format("{:.2f}", *std::max_element(wall.begin(), wall.end())),
             fmt::format("{:.0f}", static_cast<double>(contacts) / steps),
             fmt::format("{:.2f}", static_cast<double>(rounds) / steps)});
  add_stages(name, threads, steps, stats, stages);
}

int start(int argc, char** argv) {
  SoftSettings settings;
  CLI::App app{"A soft torus on a plane in Carom and in Bullet, and the scenes of soft bodies.", "carom_bench_soft"};
  app.add_option("--steps", settings.steps, "steps of each run")->check(CLI::Range(1, 100000));
  app.add_flag("--alone", settings.alone, "without Bullet");
  app.add_option("--scenes", settings.scenes, "built-in scenes, by name");
  app.add_option("--threads", settings.threads, "of Carom");
  app.add_option("--out", settings.out, "folder for soft_torus.csv, soft_scenes.csv and soft_stages.csv");
  CLI11_PARSE(app, argc, argv);
  Table torus{"Torus of tetrahedra on a plane",
              {"engine", "cpu ms a step", "clock ms", "times bullet", "lowest mm", "height m", "pairs"},
              {}};
  Table scenes{"Scenes", {"scene", "threads", "cpu ms a step", "clock ms", "worst", "contacts", "walks"}, {}};
  Table stages{"Stages", {"scene", "threads", "stage", "ms a step", "in", "out"}, {}};
  const SoftScene scene{.steps = settings.steps};
  double bullet_ms = 0;
  if (!settings.alone) {
    const SoftRun bullet = run_bullet_soft(scene, bullet_soft_iterations);
    bullet_ms = mean_of_soft(bullet.step_ms);
    add_torus(bullet, bullet_ms, torus);
  }
  for (const int threads : settings.threads) {
    for (const bool voxels : {false, true}) {
      const SoftRun run = run_carom(scene, voxels, threads);
      add_torus(run, bullet_ms, torus);
      add_stages(run.engine, threads, settings.steps, run.stats, stages);
    }
  }
  for (const std::string& name : settings.scenes) {
    for (const int threads : settings.threads) run_scene(name, threads, settings.steps, scenes, stages);
  }
  publish(settings.out, {{"soft_torus.csv", torus}, {"soft_scenes.csv", scenes}, {"soft_stages.csv", stages}});
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run_program("carom_bench_soft", carom::bench::start, argc, argv);
}
