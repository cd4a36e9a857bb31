#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "bench/program.hpp"
#include "bench/stopwatch.hpp"
#include "bench/table.hpp"
#include "carom/io/scene.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"
#include "scenes/scenes.hpp"

/// Worlds of rigid and deforming bodies against their halves, see docs/benchmarks.md.
namespace carom::bench {
namespace {

struct Settings {
  int steps = 240;
  int passes = 3;
  int hulls = 300;
  int segments = 30;
  std::string only;
  std::string out = "out/bench";
};

enum class Sheet { none, particles, cloth };

/// Bodies of a world: hulls that fall into a pit, a sheet that falls on a ball, or both.
struct Half {
  bool hulls = false;
  Sheet sheet = Sheet::none;
  bool touching = false;  ///< the sheet falls into the pit with the hulls
};

constexpr double dt = 1.0 / 60;
constexpr double aside = 40;  ///< m, between the pit and a sheet that does not touch the hulls

void add_hulls(const Settings& settings, World& world) {
  const Scene scene = scenes::pile(settings.hulls, 5);
  for (const SceneBody& body : scene.bodies) world.add(build(std::get<RigidSceneBody>(body.body)));
}

void add_sheet(const Settings& settings, Sheet kind, const Eigen::Vector3d& place, World& world) {
  TriangleMesh mesh = make_sheet(3, 3, settings.segments, settings.segments);
  for (Eigen::Vector3d& p : mesh.positions) p += place;
  if (kind == Sheet::particles) {
    world.add(ParticleBody{.name = "sheet", .mesh = std::move(mesh), .mass = 2, .air_damping = 1});
  } else {
    world.add(ClothBody{.name = "sheet", .mesh = std::move(mesh), .fabric = fabric_by_name("cotton")});
  }
}

World make_world(const Settings& settings, const Half& half) {
  WorldOptions options;
  options.dt = dt;
  options.threads = 1;
  options.solver.sleep.enabled = false;
  options.contact.distance = 0.01;
  World world(options);
  if (half.hulls) add_hulls(settings, world);
  if (half.sheet == Sheet::none) return world;
  if (half.touching) {
    // Above the uppermost hull.
    add_sheet(settings, half.sheet, {0, 2.0 + 0.9 * settings.hulls / 25, 0}, world);
    return world;
  }
  RigidBody ball{.name = "ball", .shape = Shape::sphere(0.7), .motion = MotionModel::fixed};
  ball.pose.translation() = Eigen::Vector3d(aside, 2, 0);
  world.add(ball);
  add_sheet(settings, half.sheet, {aside, 2.8, 0}, world);
  return world;
}

/// ms of the processor for each step, at its fastest over several runs.
double time_steps(const Settings& settings, const Half& half, std::vector<double>& fastest) {
  World world = make_world(settings, half);
  fastest.resize(static_cast<std::size_t>(settings.steps), INFINITY);
  double sum = 0;
  for (double& step : fastest) {
    const Stopwatch stopwatch;
    world.step();
    step = std::min(step, stopwatch.elapsed().cpu_ms);
    sum += step;
  }
  return sum / settings.steps;
}

void compare(const Settings& settings, const char* name, Sheet sheet, Table& table) {
  const Half halves[4] = {{.hulls = true},
                          {.sheet = sheet},
                          {.hulls = true, .sheet = sheet},
                          {.hulls = true, .sheet = sheet, .touching = true}};
  std::vector<double> steps[4];
  double ms[4] = {};
  for (int pass = 0; pass < settings.passes; ++pass) {
    for (std::size_t k = 0; k < 4; ++k) ms[k] = time_steps(settings, halves[k], steps[k]);
  }
  const auto number = [](double value) { return fmt::format("{:.3f}", value); };
  table.add({name, number(ms[0]), number(ms[1]), number(ms[2]), fmt::format("{:.2f}", ms[2] / (ms[0] + ms[1])),
             number(ms[3]), fmt::format("{:.2f}", ms[3] / (ms[0] + ms[1]))});
}

int start(int argc, char** argv) {
  Settings settings;
  bool quick = false;
  CLI::App app{"Worlds of rigid and deforming bodies against their halves; docs/benchmarks.md explains the table.",
               "carom_bench_mixed"};
  app.add_option("--steps", settings.steps, "steps of each run");
  app.add_option("--passes", settings.passes, "runs, of which each step counts at its fastest");
  app.add_option("--hulls", settings.hulls, "number of rigid bodies");
  app.add_option("--segments", settings.segments, "segments of the sheet along each side");
  app.add_option("--only", settings.only, "rows whose name begins so: particles, cloth");
  app.add_option("--out", settings.out, "folder for mixed.csv");
  app.add_flag("--quick", quick, "a quarter of the steps, once");
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    settings.steps /= 4;
    settings.passes = 1;
  }
  Table table{"Mixed worlds, ms a step",
              {"sheet", "rigid half", "deforming half", "apart", "times halves", "touching", "times halves"},
              {}};
  const std::pair<const char*, Sheet> rows[] = {{"particles", Sheet::particles}, {"cloth", Sheet::cloth}};
  for (const auto& [name, sheet] : rows) {
    if (std::string_view(name).starts_with(settings.only)) compare(settings, name, sheet, table);
  }
  publish(settings.out, {{"mixed.csv", table}});
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run_program("carom_bench_mixed", carom::bench::start, argc, argv);
}
