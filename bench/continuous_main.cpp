#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "bench/moving_candidates.hpp"
#include "bench/program.hpp"
#include "bench/reference_cubic.hpp"
#include "bench/stopwatch.hpp"
#include "bench/table.hpp"
#include "continuous/search.hpp"

// Queries a second of the elementary continuous tests, see docs/benchmarks.md.
namespace carom::bench {
namespace {

using Pairs = std::vector<std::array<Index, 4>>;

struct Settings {
  bool quick = false;
  int passes = 5;
  std::string out = "out/bench";
};

struct Queries {
  std::string scene;
  ContactKind kind = ContactKind::vertex_face;
  std::string set;
  std::vector<Eigen::Vector3d> start;
  std::vector<Eigen::Vector3d> end;
  Pairs pairs;
  std::vector<FeatureMotion> motions;
};

struct Method {
  const char* name;
  std::size_t (*run)(const Queries& queries, std::vector<IndexedImpact>& hits);
};

std::size_t run_batch(const Queries& q, std::vector<IndexedImpact>& hits) {
  hits.clear();
  first_impacts(q.kind, q.start, q.end, q.pairs, {}, hits);
  return hits.size();
}

std::size_t run_single(const Queries& q, std::vector<IndexedImpact>&) {
  std::size_t count = 0;
  for (const FeatureMotion& m : q.motions) count += first_impact(q.kind, m).collides ? 1 : 0;
  return count;
}

std::size_t run_inclusion(const Queries& q, std::vector<IndexedImpact>&) {
  std::size_t count = 0;
  for (const FeatureMotion& motion : q.motions) {
    const continuous::RelativeMotion m = continuous::relative_motion(q.kind, motion, 0);
    count += continuous::search(q.kind, m, continuous::coplanarity(m), 1e-6, 256).collides ? 1 : 0;
  }
  return count;
}

std::size_t run_cubic(const Queries& q, std::vector<IndexedImpact>&) {
  std::size_t count = 0;
  double time = 0;
  for (const FeatureMotion& m : q.motions) count += cubic_collides(q.kind, m, time) ? 1 : 0;
  return count;
}

constexpr std::array<Method, 4> methods{
    {{"batch", run_batch}, {"one by one", run_single}, {"inclusion alone", run_inclusion}, {"plain cubic", run_cubic}}};

void measure(Queries q, const Settings& settings, Table& table) {
  if (q.pairs.size() < 500) return;
  // Small sets are repeated, so that a pass takes a while.
  const Pairs once = q.pairs;
  while (q.pairs.size() < 100'000) q.pairs.insert(q.pairs.end(), once.begin(), once.end());
  for (const auto& pair : q.pairs) {
    FeatureMotion& m = q.motions.emplace_back();
    for (std::size_t k = 0; k < 4; ++k) {
      m.start[k] = q.start[static_cast<std::size_t>(pair[k])];
      m.end[k] = q.end[static_cast<std::size_t>(pair[k])];
    }
  }
  std::array<double, methods.size()> best;
  best.fill(INFINITY);
  std::array<std::size_t, methods.size()> collides{};
  std::vector<IndexedImpact> hits;
  for (int pass = 0; pass < settings.passes; ++pass) {
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const Stopwatch stopwatch;
      collides[i] = methods[i].run(q, hits);
      best[i] = std::min(best[i], stopwatch.elapsed().cpu_ms);
    }
  }
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const auto count = static_cast<double>(q.pairs.size());
    table.add({q.scene, q.kind == ContactKind::vertex_face ? "vf" : "ee", q.set, methods[i].name,
               fmt::format("{}", q.pairs.size()), fmt::format("{}", collides[i]),
               fmt::format("{:.2f}", count / best[i] / 1e3), fmt::format("{:.1f}", best[i] / count * 1e6),
               fmt::format("{:.2f}", best.back() / best[i])});
  }
}

/// Two that miss for one that collides.
Pairs a_third(const MovingCandidates& found) {
  Pairs mixed;
  const std::size_t count = std::min(found.colliding.size(), found.missing.size() / 2);
  if (count == 0) return mixed;
  for (std::size_t i = 0; i < count; ++i) {
    mixed.push_back(found.colliding[i * found.colliding.size() / count]);
    for (const std::size_t k : {2 * i, 2 * i + 1})
      mixed.push_back(found.missing[k * found.missing.size() / (2 * count)]);
  }
  return mixed;
}

void run(const Settings& settings) {
  Table table{"Elementary continuous tests, one thread: millions of queries a second",
              {"scene", "kind", "pairs", "by", "queries", "collide", "million/s", "ns", "times the plain cubic"},
              {}};
  const std::size_t limit = settings.quick ? 50'000 : 400'000;
  for (const std::string name :
       {"two-tori-1600", "knot", "passing-sheets", "rolled-sheet-20000", "particles-on-ball", "soft-balls"}) {
    const Scene scene = find_scene(name);
    const BenchScene frames = sample(scene, {.first = scene.steps / 2, .stride = 1, .count = 2});
    for (const ContactKind kind : {ContactKind::vertex_face, ContactKind::edge_edge}) {
      fmt::print(stderr, "{}\n", name);
      const auto& start = frames.frames[0];
      const auto& end = frames.frames[1];
      const MovingCandidates found = moving_candidates(frames, kind, start, end, limit);
      const auto set = [&](const char* what, Pairs pairs) {
        measure({name, kind, what, start, end, std::move(pairs), {}}, settings, table);
      };
      set("far", far_pairs(frames, kind, start, end, 100'000));
      set("near, missing", found.missing);
      set("colliding", found.colliding);
      set("a third colliding", a_third(found));
    }
  }
  publish(settings.out, {{"continuous.csv", table}});
  fmt::print("The same as CSV in {}/continuous.csv\n", settings.out);
}

int start(int argc, char** argv) {
  CLI::App app{"Elementary continuous tests against a plain cubic solver; docs/benchmarks.md explains the table.",
               "carom_bench_continuous"};
  Settings settings;
  app.add_flag("--quick", settings.quick, "fewer pairs");
  app.add_option("--passes", settings.passes, "the best counts (default: 5)")->check(CLI::Range(1, 1000));
  app.add_option("--out", settings.out, "folder of the CSV file (default: out/bench)");
  app.footer("Example:\n  carom_bench_continuous --quick");
  CLI11_PARSE(app, argc, argv);
  run(settings);
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run_program("carom_bench_continuous", carom::bench::start, argc, argv);
}
