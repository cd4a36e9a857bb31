#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bench/cloth_run.hpp"
#include "bench/program.hpp"
#include "bench/table.hpp"

/// A sheet that falls on a ball, in Carom and in Bullet's btSoftBody, see docs/benchmarks.md.
namespace carom::bench {
namespace {

constexpr int bullet_iterations = 20;

struct ClothSettings {
  int steps = 120;
  int inner_steps = 0;
  bool quick = false;
  bool alone = false;
  bool layers = false;
  std::vector<int> sizes{69, 200};
  std::vector<int> threads{1, 2};
  std::string out = "out/bench";
};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double p95_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() * 95 / 100];
}

/// Vertices that end up inside of the ball, and how deep the deepest is.
std::string inside(const ClothScene& scene, const ClothRun& run) {
  int count = 0;
  double deepest = 0;
  for (const Eigen::Vector3d& p : run.end) {
    const double depth = scene.radius - p.norm();
    if (depth > 0) ++count;
    deepest = std::max(deepest, depth);
  }
  return count == 0 ? "0" : fmt::format("{} ({:.1f} mm)", count, 1e3 * deepest);
}

/// Share of the vertices that were limited in a step, %: the most in any, and in any of the last third.
std::string limited_of(const ClothRun& run) {
  std::uint64_t worst = 0;
  std::uint64_t at_rest = 0;
  for (std::size_t i = 0; i < run.limited.size(); ++i) {
    worst = std::max(worst, run.limited[i]);
    if (3 * i >= 2 * run.limited.size()) at_rest = std::max(at_rest, run.limited[i]);
  }
  const double share = 100 / static_cast<double>(run.end.size());
  return fmt::format("{:.2f}, {:.2f}", share * static_cast<double>(worst), share * static_cast<double>(at_rest));
}

void add_layers(const LayerScene& scene, const ClothRun& run, Table& table) {
  const std::size_t third = run.step_ms.size() / 3;
  double last = 0;
  for (std::size_t i = run.step_ms.size() - third; i < run.step_ms.size(); ++i) last += run.step_ms[i];
  table.add({fmt::format("1/{:.0f}", 1 / scene.dt), run.engine, fmt::format("{:.1f}", mean_of(run.step_ms)),
             fmt::format("{:.1f}", last / static_cast<double>(third)), fmt::format("{:.1f}", mean_of(run.wall_ms)),
             fmt::format("{:.2f}", 100 * run.strain.back()), std::to_string(run.intersecting_frames), limited_of(run)});
}

void add_row(const ClothScene& scene, const ClothRun& run, double bullet_ms, Table& table) {
  const double ms = mean_of(run.step_ms);
  std::uint64_t limited = 0;
  for (const std::uint64_t n : run.limited) limited = std::max(limited, n);
  table.add({fmt::format("{0} x {0}", scene.vertices), run.engine, fmt::format("{:.2f}", ms),
             fmt::format("{:.2f}", p95_of(run.step_ms)), fmt::format("{:.2f}", mean_of(run.wall_ms)),
             bullet_ms > 0 ? fmt::format("{:.2f}", ms / bullet_ms) : "-",
             fmt::format("{:.2f}", 100 * mean_of(run.strain)), fmt::format("{:.2f}", 100 * run.strain.back()),
             std::to_string(run.intersecting_frames), std::to_string(run.intersecting_pairs), inside(scene, run),
             run.limited.empty() ? "-" : std::to_string(limited)});
}

void add_stages(const ClothScene& scene, const ClothRun& run, Table& table) {
  const auto steps = static_cast<double>(run.step_ms.size());
  for (std::size_t s = 0; s < stage_count; ++s) {
    const StageStats& stage = run.stats.stages[s];
    table.add({fmt::format("{0} x {0}", scene.vertices), run.engine, std::string(to_string(static_cast<Stage>(s))),
               fmt::format("{:.3f}", 1e3 * stage.seconds / steps),
               fmt::format("{:.0f}", static_cast<double>(stage.in) / steps),
               fmt::format("{:.0f}", static_cast<double>(stage.out) / steps)});
    for (const Counted& counted : stage.counted()) {
      table.add({"", "", "  " + std::string(counted.name), "",
                 fmt::format("{:.2f}", static_cast<double>(counted.count) / steps), ""});
    }
  }
}

int start(int argc, char** argv) {
  ClothSettings settings;
  CLI::App app{"A sheet of 2 m on a ball of 0.5 m, in Carom and in Bullet; docs/benchmarks.md explains the tables.",
               "carom_bench_cloth"};
  app.add_option("--steps", settings.steps, "steps of each run")->check(CLI::Range(1, 100000));
  app.add_option("--inner-steps", settings.inner_steps, "inner steps of Carom in a step; 0 = by the fabric");
  app.add_flag("--quick", settings.quick, "30 steps, 69 x 69 only");
  app.add_flag("--alone", settings.alone, "without Bullet");
  app.add_flag("--layers", settings.layers, "ten sheets on a ball at three time steps, instead");
  app.add_option("--size", settings.sizes, "vertices along a side")->check(CLI::Range(2, 2000));
  app.add_option("--threads", settings.threads, "of Carom");
  app.add_option("--out", settings.out, "folder for cloth.csv and cloth_stages.csv");
  CLI11_PARSE(app, argc, argv);
  if (settings.quick) {
    settings.steps = 30;
    settings.sizes = {69};
  }
  Table table{"Cloth on a ball",
              {"vertices", "engine", "cpu ms a step", "p95", "clock ms", "times bullet", "strain p99 % mean", "at end",
               "frames cut", "pairs at end", "in the ball", "most limited"},
              {}};
  Table stages{"Stages of Carom", {"vertices", "engine", "stage", "ms a step", "in", "out"}, {}};
  Table layers{"Ten sheets of 24 x 24 on a ball",
               {"dt", "engine", "cpu ms a step", "last third", "clock ms", "strain p99 % at end", "frames cut",
                "limited %: worst, last third"},
               {}};
  if (settings.layers) {
    settings.sizes.clear();
    for (const int rate : {30, 60, 120}) {
      const LayerScene scene{.dt = 1.0 / rate, .steps = std::min(settings.steps, 3 * rate / 2)};
      for (const int threads : settings.threads) {
        const ClothRun run = run_layers(scene, threads);
        add_layers(scene, run, layers);
        add_stages({.vertices = scene.vertices, .dt = scene.dt}, run, stages);
      }
    }
  }
  for (const int size : settings.sizes) {
    ClothScene scene{.vertices = size, .steps = settings.steps, .inner_steps = settings.inner_steps};
    // Less than half of an edge, or neighbors in the plane would push each other.
    scene.thickness = std::min(scene.thickness, 0.4 * scene.size / (size - 1));
    double bullet_ms = 0;
    if (!settings.alone) {
      const ClothRun bullet = run_bullet(scene, bullet_iterations);
      bullet_ms = mean_of(bullet.step_ms);
      add_row(scene, bullet, bullet_ms, table);
    }
    for (const int threads : settings.threads) {
      const ClothRun carom = run_carom(scene, threads);
      add_row(scene, carom, bullet_ms, table);
      add_stages(scene, carom, stages);
    }
  }
  publish(settings.out, {{"cloth.csv", table}, {"cloth_layers.csv", layers}, {"cloth_stages.csv", stages}});
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run_program("carom_bench_cloth", carom::bench::start, argc, argv);
}
