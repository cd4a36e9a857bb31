#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "bench/program.hpp"
#include "bench/rigid_run.hpp"
#include "bench/table.hpp"

/// Steps of worlds of rigid bodies against Bullet and ODE, see docs/benchmarks.md.
namespace carom::bench {
namespace {

struct Settings {
  int steps = 600;
  int passes = 3;
  bool quick = false;
  bool alone = false;
  std::string only;
  std::string out = "out/bench";
};

constexpr double dt = 1.0 / 60;

/// Each step at its fastest over several identical runs.
void keep_fastest(RigidRun& best, RigidRun&& run) {
  if (best.step_ms.empty()) {
    best = std::move(run);
    return;
  }
  for (std::size_t i = 0; i < best.step_ms.size(); ++i) {
    best.step_ms[i] = std::min(best.step_ms[i], run.step_ms[i]);
    best.wall_ms[i] = std::min(best.wall_ms[i], run.wall_ms[i]);
  }
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double p99(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() * 99 / 100];
}

void compare(const RigidScene& scene, const Settings& settings, Table& table) {
  const int steps = settings.quick ? settings.steps / 10 : settings.steps;
  RigidRun one;
  RigidRun two;
  RigidRun bullet;
  RigidRun ode;
  for (int pass = 0; pass < (settings.quick ? 1 : settings.passes); ++pass) {
    keep_fastest(one, run_carom(scene, steps, dt, 1));
    if (settings.alone) continue;
    keep_fastest(two, run_carom(scene, steps, dt, 2));
    keep_fastest(bullet, run_bullet(scene, steps, dt));
    keep_fastest(ode, run_ode(scene, steps, dt));
  }
  if (settings.alone) {
    table.add(
        {scene.name, one.engine, fmt::format("{:.3f}", mean(one.step_ms)), fmt::format("{:.3f}", p99(one.step_ms))});
    return;
  }
  for (const RigidRun* r : {&one, &two, &bullet, &ode}) {
    const RigidEnd end = examine(scene, *r);
    const double ms = mean(r->step_ms);
    table.add({scene.name, r->engine, fmt::format("{:.3f}", ms), fmt::format("{:.3f}", p99(r->step_ms)),
               fmt::format("{:.2f}", mean(bullet.step_ms) / ms), fmt::format("{:.2f}", mean(ode.step_ms) / ms),
               fmt::format("{:.2f}", mean(one.wall_ms) / mean(r->wall_ms)), fmt::format("{:.2g}", end.largest_drift),
               std::to_string(end.lost), fmt::format("{:.2f}", 100 * end.deepest), std::to_string(end.deep_pairs)});
  }
}

/// Microseconds of a step for each body, of ever more of them.
void scale(const Settings& settings, Table& table) {
  const int steps = settings.quick ? 60 : 300;
  for (const int count : {1000, 2000, 5000, 10000, 20000}) {
    for (const RigidScene& scene : {wide_pile_scene(count, 10), flying_scene(count)}) {
      if (!scene.name.starts_with(settings.only)) continue;
      RigidRun run;
      for (int pass = 0; pass < (settings.quick ? 1 : 2); ++pass) keep_fastest(run, run_carom(scene, steps, dt, 1));
      table.add({scene.name, fmt::format("{:.3f}", mean(run.step_ms)),
                 fmt::format("{:.3f}", 1000 * mean(run.step_ms) / count)});
    }
  }
}

int start(int argc, char** argv) {
  Settings settings;
  CLI::App app{"Steps of rigid bodies against Bullet and ODE; docs/benchmarks.md explains the tables.",
               "carom_bench_rigid"};
  app.add_option("--steps", settings.steps, "steps of each run");
  app.add_option("--passes", settings.passes, "runs, of which each step counts at its fastest");
  app.add_flag("--quick", settings.quick, "a tenth of the steps, once");
  app.add_flag("--alone", settings.alone, "Carom on one thread only, without the other engines");
  app.add_option("--only", settings.only, "scenes whose name begins so");
  app.add_option("--out", settings.out, "folder for rigid.csv and rigid_scale.csv");
  CLI11_PARSE(app, argc, argv);
  Table table{"Rigid bodies",
              {"scene", "engine", "ms a step", "p99", "times bullet", "times ode", "times one thread", "drift m",
               "lost", "deepest %", "deeper than 1%"},
              {}};
  for (const RigidScene& scene : {spheres_scene(200), spheres_scene(600), pyramid_scene(30), pile_scene(2000),
                                  held_pile_scene(2000), flying_scene(20000), terrain_scene(500)}) {
    if (scene.name.starts_with(settings.only)) compare(scene, settings, table);
  }
  Table bodies{"Cost of a body", {"scene", "ms a step", "us a body"}, {}};
  scale(settings, bodies);
  publish(settings.out, {{"rigid.csv", table}, {"rigid_scale.csv", bodies}});
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run_program("carom_bench_rigid", carom::bench::start, argc, argv);
}
