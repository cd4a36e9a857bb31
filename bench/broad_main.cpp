#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <functional>

#include "bench/broad_counts.hpp"
#include "bench/broad_peers.hpp"
#include "bench/broad_scenes.hpp"
#include "bench/program.hpp"
#include "bench/stopwatch.hpp"
#include "bench/table.hpp"

/// Broad phases of bodies against those of FCL and Bullet, see docs/benchmarks.md.
namespace carom::bench {
namespace {

struct Settings {
  std::vector<std::size_t> bodies{1000, 10000, 100000};
  std::vector<std::string> only;
  std::vector<std::string> motions;
  int passes = 3;
  int steps = 32;
  std::string out = "out/bench";
};

struct Motion {
  const char* name;
  double speed;
};
constexpr std::array<Motion, 3> motions{{{"still", 0}, {"drifting", 0.01}, {"fast", 0.5}}};

struct Contender {
  std::string name;
  bool ours;
  std::size_t largest;  ///< bodies
  bool wall;            ///< several threads: by the clock
  std::function<std::unique_ptr<BroadPeer>()> make;
};

std::vector<Contender> contenders(std::size_t bodies, const Motion& motion) {
  const double edge = 2 * std::cbrt(static_cast<double>(bodies)) + 10;
  const AxisBox world{Eigen::Vector3d::Constant(-edge), Eigen::Vector3d::Constant(edge)};
  const std::size_t all = 1000000;
  std::vector<Contender> list{
      {"auto", true, all, false, [] { return make_broad_carom("auto", 1); }},
      {"tree", true, all, false, [] { return make_broad_carom("tree", 1); }},
      {"cells", true, all, false, [] { return make_broad_carom("cells", 1); }},
      {"sap", true, all, false, [] { return make_broad_carom("sap", 1); }},
      {"tree, 2 threads", true, all, true, [] { return make_broad_carom("tree", 2); }},
      // A hundred thousand that are fast take it seconds a step.
      {"FCL tree", false, motion.speed > 0.1 ? 10000 : all, false, [] { return make_broad_fcl_tree(); }},
      {"FCL SSaP", false, 10000, false, [] { return make_broad_fcl_ssap(); }},
      {"Bullet tree", false, all, false, [] { return make_broad_bullet_tree(); }},
      // Putting a hundred thousand in one by one takes it minutes.
      {"Bullet sweep", false, 10000, false, [world] { return make_broad_bullet_sweep(world); }},
  };
  // Of FCL 0.7, its update did not come back when boxes had moved.
  if (motion.speed == 0) list.push_back({"FCL SaP", false, 10000, false, [] { return make_broad_fcl_sap(); }});
  return list;
}

/// All contenders get the same boxes, one after the other in each step. Of each step the best pass counts.
void race(std::size_t bodies, const Motion& motion, const Settings& settings, Table& table) {
  std::vector<Contender> all = contenders(bodies, motion);
  std::erase_if(all, [&](const Contender& c) {
    const auto& only = settings.only;
    return c.largest < bodies || (!only.empty() && std::find(only.begin(), only.end(), c.name) == only.end());
  });
  const auto steps = static_cast<std::size_t>(settings.steps);
  std::vector<std::vector<double>> best(all.size(), std::vector<double>(steps, INFINITY));
  std::vector<std::size_t> pairs(all.size());
  for (int pass = 0; pass < settings.passes; ++pass) {
    BroadScene scene(bodies, motion.speed);
    std::vector<std::unique_ptr<BroadPeer>> peers;
    for (const Contender& c : all) {
      peers.push_back(c.make());
      peers.back()->add(scene.boxes());
    }
    for (std::size_t step = 0; step < steps + 8; ++step) {
      scene.step();
      for (std::size_t p = 0; p < peers.size(); ++p) {
        const Stopwatch stopwatch;
        pairs[p] = peers[p]->step(scene.boxes());
        const Duration took = stopwatch.elapsed();
        if (step < 8) continue;  // warming up
        double& here = best[p][step - 8];
        here = std::min(here, all[p].wall ? took.wall_ms : took.cpu_ms);
      }
    }
  }
  std::vector<double> mean(all.size());
  double best_peer = INFINITY;
  for (std::size_t p = 0; p < all.size(); ++p) {
    for (const double ms : best[p]) mean[p] += ms / static_cast<double>(steps);
    if (!all[p].ours) best_peer = std::min(best_peer, mean[p]);
  }
  for (std::size_t p = 0; p < all.size(); ++p) {
    table.add({fmt::format("{}", bodies), motion.name, all[p].name, fmt::format("{:.3f}", mean[p]),
               fmt::format("{:.2f}", best_peer / mean[p]), fmt::format("{}", pairs[p])});
  }
}

void run(const Settings& settings) {
  Table table{"Broad phase, ms a step, and how many times faster than the best of the others",
              {"bodies", "motion", "by", "ms", "faster", "pairs"},
              {}};
  for (const std::size_t bodies : settings.bodies) {
    for (const Motion& motion : motions) {
      const auto& wanted = settings.motions;
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), motion.name) == wanted.end()) continue;
      fmt::print(stderr, "{} {}\n", bodies, motion.name);
      race(bodies, motion, settings, table);
    }
  }
  publish(settings.out, {{"broad.csv", table}});
  if (!settings.only.empty() || !settings.motions.empty()) return;
  publish(settings.out, {{"broad_touching.csv", count_touching()}, {"broad_swept.csv", count_swept()}});
}

int start(int argc, char** argv) {
  CLI::App app{"Broad phases of bodies against FCL and Bullet; docs/benchmarks.md explains the tables.",
               "carom_bench_broad"};
  Settings settings;
  bool quick = false;
  app.add_option("--bodies", settings.bodies, "how many (default: 1000, 10000, 100000)");
  app.add_option("--only", settings.only, "contenders to run (default: all)");
  app.add_option("--motion", settings.motions, "still, drifting, fast (default: all)");
  app.add_option("--passes", settings.passes, "of each step the best counts (default: 3)")->check(CLI::Range(1, 100));
  app.add_option("--steps", settings.steps, "of each scene (default: 32)")->check(CLI::Range(1, 100000));
  app.add_option("--out", settings.out, "folder of the CSV files (default: out/bench)");
  app.add_flag("--quick", quick, "one pass, no more than 10000 bodies");
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    settings.passes = 1;
    std::erase_if(settings.bodies, [](std::size_t n) { return n > 10000; });
  }
  run(settings);
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run_program("carom_bench_broad", carom::bench::start, argc, argv);
}
