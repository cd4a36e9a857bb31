#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

// Cost of a cut by the size of what is cut: a cut of the same number of elements, and the step after it, against plain
// steps of the same world.
namespace carom {
namespace {

struct CutBench {
  std::vector<int> sizes{10000, 50000, 200000};
  int cuts = 5;
  bool blade = false;  ///< by blades of bodies within a step, not by World::cut
  int threads = 1;
};

/// Steps after a cut that are measured.
constexpr int steps_after = 5;

/// Time of all threads with one, which other programs disturb least; else that of the clock on the wall.
double seconds_now(int threads) {
  timespec now{};
  clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double milliseconds_of(int threads, const Work& work) {
  const double begin = seconds_now(threads);
  work();
  return 1e3 * (seconds_now(threads) - begin);
}

struct CutRow {
  std::string kind;
  std::size_t triangles = 0;
  std::size_t crossed = 0;
  double plain = 0;  ///< ms, median of steps without a cut
  double cut = 0;    ///< ms, median of cuts; of the steps in which blades cut
  double next = 0;   ///< ms, median of the steps after them
  double later = 0;  ///< ms, median of the four steps after these
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

WorldOptions cut_options(int threads) {
  WorldOptions options;
  options.gravity = {0, 0, 0};
  options.dt = 1.0 / 60;
  options.threads = threads;
  return options;
}

/// Bodies with a blade each, which wait where their paths begin and touch nothing.
template <class Path>
std::vector<BodyId> add_blades(World& world, const CutBench& bench, const Path& path) {
  std::vector<BodyId> knives;
  for (int i = 0; i < bench.cuts; ++i) {
    const std::vector<Eigen::Vector3d> edge = path(i).poses[0];
    RigidBody knife{.name = "knife", .shape = Shape::sphere(1e-3), .motion = MotionModel::scripted};
    knife.pose.translation() = edge[0];
    knife.filter = {.group = 2, .mask = 0};
    knives.push_back(world.add(knife));
    Blade blade;
    for (const Eigen::Vector3d& p : edge) blade.edge.emplace_back(p - edge[0]);
    world.add_blade(knives.back(), blade);
  }
  return knives;
}

/// Slits far from each other; `path` of each.
template <class Path>
void measure_cuts(World& world, BodyId id, const CutBench& bench, const Path& path, CutRow& row) {
  const std::vector<BodyId> knives = bench.blade ? add_blades(world, bench, path) : std::vector<BodyId>();
  for (int i = 0; i < 3; ++i) world.step();
  std::vector<double> plain;
  std::vector<double> cut;
  std::vector<double> next;
  std::vector<double> later;
  row.triangles = world.triangles(id).size();
  const auto time_step = [&] { return milliseconds_of(bench.threads, [&] { world.step(); }); };
  for (int i = 0; i < bench.cuts; ++i) {
    for (int k = 0; k < 2; ++k) plain.push_back(time_step());
    if (bench.blade) {
      const BodyId knife = knives[static_cast<std::size_t>(i)];
      const BladePath swept = path(i);
      world.set_velocity(knife, (swept.poses[1][0] - swept.poses[0][0]) / world.options().dt, {0, 0, 0});
      cut.push_back(time_step());
      row.crossed = world.cuts().empty() ? 0 : world.cuts()[0].crossed;
      world.set_velocity(knife, {0, 0, 0}, {0, 0, 0});
    } else {
      cut.push_back(milliseconds_of(bench.threads, [&] { row.crossed = world.cut(id, path(i)).crossed; }));
    }
    next.push_back(time_step());
    for (int k = 1; k < steps_after; ++k) later.push_back(time_step());
  }
  row.plain = median(plain);
  row.cut = median(cut);
  row.next = median(next);
  row.later = median(later);
}

CutRow cut_sheet_of(int triangles, const CutBench& bench) {
  const int n = static_cast<int>(std::lround(std::sqrt(0.5 * triangles)));
  const double square = 0.02;
  const double size = n * square;
  WorldOptions options = cut_options(bench.threads);
  options.contact.distance = 0.004;
  World world(options);
  ClothBody sheet;
  sheet.name = "sheet";
  sheet.mesh = make_sheet(size, size, n, n);
  sheet.inner_steps = 8;
  sheet.sleeping_allowed = false;
  const BodyId id = world.add(sheet);
  CutRow row{.kind = "cloth"};
  measure_cuts(
      world, id, bench,
      [&](int i) {
        const double x = size * ((i + 1.0) / (bench.cuts + 1) - 0.5) + 0.31 * square;
        const double z = 0.007;
        return BladePath{{{{x, -0.1, z - 6 * square}, {x, 0.1, z - 6 * square}},
                          {{x, -0.1, z + 6 * square}, {x, 0.1, z + 6 * square}}}};
      },
      row);
  return row;
}

CutRow cut_block_of(int triangles, const CutBench& bench) {
  // 4 triangles a square of the surface, 6 n^2 squares.
  const int n = static_cast<int>(std::lround(std::sqrt(triangles / 24.0)));
  const double voxel = 0.05;
  const double size = n * voxel;
  WorldOptions options = cut_options(bench.threads);
  options.contact.distance = 0.004;
  World world(options);
  SoftBody block;
  block.name = "block";
  block.mesh = make_box({size, size, size}, 1);
  block.voxel_size = voxel;
  block.cuttable = true;
  block.elasticity = {.density = 500, .young_modulus = 3e4, .poisson_ratio = 0.4, .damping = 0.01};
  block.inner_steps = 8;
  block.sleeping_allowed = false;
  const BodyId id = world.add(block);
  CutRow row{.kind = "soft"};
  measure_cuts(
      world, id, bench,
      [&](int i) {
        const double x = size * ((i + 1.0) / (bench.cuts + 1) - 0.5) + 0.003;
        const double low = 0.5 * size - 1.9 * voxel;
        return BladePath{{{{x, low, -2 * voxel}, {x, size, -2 * voxel}}, {{x, low, 2 * voxel}, {x, size, 2 * voxel}}}};
      },
      row);
  return row;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Cost of a cut by the size of what is cut, against steps without one. Processor time with one thread, else time "
      "on the wall.");
  CutBench bench;
  std::filesystem::path folder = "out/bench";
  std::string kind = "all";
  bool quick = false;
  app.add_option("--triangles", bench.sizes, "Sizes of the bodies");
  app.add_option("--cuts", bench.cuts, "Cuts in each body")->check(CLI::PositiveNumber);
  app.add_flag("--blade", bench.blade,
               "Blades of bodies cut within a step, whose time is that of the cut; otherwise World::cut between steps");
  app.add_option("--threads", bench.threads, "Threads of the world")->check(CLI::PositiveNumber);
  app.add_option("--kind", kind, "What is cut")->check(CLI::IsMember({"all", "cloth", "soft"}));
  app.add_flag("--quick", quick, "No more than 50000 triangles, three cuts");
  app.add_option("--out", folder, "Folder for cut.csv, or cut_blade.csv with --blade");
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    bench.cuts = std::min(bench.cuts, 3);
    std::erase_if(bench.sizes, [](int size) { return size > 50000; });
  }
  std::filesystem::create_directories(folder);
  std::ofstream csv(folder / (bench.blade ? "cut_blade.csv" : "cut.csv"));
  csv << "kind,triangles,crossed,plain_ms,cut_ms,next_ms,ratio,later_ms\n";
  fmt::print("{:6} {:>10} {:>8} {:>10} {:>10} {:>10} {:>8} {:>10}\n", "", "triangles", "crossed", "plain, ms",
             "cut, ms", "next, ms", "ratio", "later, ms");
  const auto print = [&](const CutRow& row) {
    // World::cut comes on top of the step after it; a blade's step is one.
    const double ratio = (bench.blade ? std::max(row.cut, row.next) : row.cut + row.next) / row.plain;
    csv << fmt::format("{},{},{},{},{},{},{},{}\n", row.kind, row.triangles, row.crossed, row.plain, row.cut, row.next,
                       ratio, row.later);
    fmt::print("{:6} {:10} {:8} {:10.2f} {:10.2f} {:10.2f} {:8.2f} {:10.2f}\n", row.kind, row.triangles, row.crossed,
               row.plain, row.cut, row.next, ratio, row.later);
  };
  for (const int size : bench.sizes) {
    if (kind != "soft") print(cut_sheet_of(size, bench));
  }
  for (const int size : bench.sizes) {
    if (kind != "cloth") print(cut_block_of(size, bench));
  }
  return 0;
}

}  // namespace
}  // namespace carom

int main(int argc, char** argv) {
  return carom::run(argc, argv);
}
