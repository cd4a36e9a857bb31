#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <filesystem>

#include "bench/convex_cases.hpp"
#include "bench/convex_peers.hpp"
#include "bench/program.hpp"
#include "bench/stopwatch.hpp"
#include "bench/table.hpp"
#include "carom/query/query.hpp"

/// Queries on pairs of convex shapes against FCL and Bullet, see docs/benchmarks.md.
namespace carom::bench {
namespace {

struct Settings {
  int count = 1000;
  int passes = 5;
  std::string out = "out/bench";
};

using Peers = std::vector<std::unique_ptr<ConvexPeer>>;

/// Thousand queries a second of each peer, the best pass. Peers take turns, so that what else runs on the machine
/// slows all of them.
template <class Ask>
std::vector<double> rates(const Peers& peers, const std::vector<ConvexQuery>& queries, int passes, Ask&& ask,
                          std::vector<std::vector<double>>& answers) {
  std::vector<double> best(peers.size(), INFINITY);
  answers.assign(peers.size(), std::vector<double>(queries.size()));
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t p = 0; p < peers.size(); ++p) {
      const Stopwatch stopwatch;
      for (std::size_t i = 0; i < queries.size(); ++i) answers[p][i] = ask(*peers[p], queries[i]);
      best[p] = std::min(best[p], stopwatch.elapsed().cpu_ms);
    }
  }
  std::vector<double> result;
  for (const double ms : best) result.push_back(static_cast<double>(queries.size()) / ms);
  return result;
}

template <class Ask>
void bench(const Peers& peers, const ConvexCases& cases, const char* query, const char* poses,
           const std::vector<ConvexQuery>& queries, int passes, Table& table, Ask&& ask) {
  std::vector<std::vector<double>> answers;
  const std::vector<double> rate = rates(peers, queries, passes, ask, answers);
  double best = 0;
  for (std::size_t p = 1; p < peers.size(); ++p) best = std::max(best, rate[p]);
  for (std::size_t p = 0; p < peers.size(); ++p) {
    double off = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) off = std::max(off, std::abs(answers[p][i] - answers[0][i]));
    table.add({query, poses, cases.shapes_name, std::string(peers[p]->name()), fmt::format("{:.0f}", rate[p]),
               p == 0 ? fmt::format("{:.2f}", rate[0] / best) : "", fmt::format("{:.1e}", off)});
  }
}

/// Carom with a cache for each pair against peers without, over whole motions. Steps are taken in turn over all pairs,
/// as a simulation does.
void bench_warm(const Peers& peers, const ConvexCases& cases, int passes, Table& table) {
  const int steps = 40;
  const std::vector<ConvexMotion> motions = make_convex_motions(cases, 50, steps);
  std::vector<ConvexQuery> queries;
  for (std::size_t step = 0; step < steps; ++step) {
    for (const ConvexMotion& motion : motions) queries.push_back(motion[step]);
  }
  const auto add = [&](const char* question, auto&& warm, auto&& cold) {
    std::vector<std::vector<double>> answers;
    const std::vector<double> rate = rates(peers, queries, passes, cold, answers);
    double best = INFINITY;
    for (int pass = 0; pass < passes; ++pass) {
      std::vector<QueryCache> caches(motions.size());
      const Stopwatch stopwatch;
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const ConvexQuery& q = queries[i];
        answers[0][i] = warm(cases.shapes[static_cast<std::size_t>(q.a)], q.pose_a,
                             cases.shapes[static_cast<std::size_t>(q.b)], q.pose_b, &caches[i % motions.size()]);
      }
      best = std::min(best, stopwatch.elapsed().cpu_ms);
    }
    const double warm_rate = static_cast<double>(queries.size()) / best;
    table.add({question, cases.shapes_name, fmt::format("{:.0f}", warm_rate), fmt::format("{:.0f}", rate[0]),
               fmt::format("{:.0f}", std::max(rate[1], rate[2])),
               fmt::format("{:.2f}", warm_rate / std::max(rate[1], rate[2]))});
  };
  add(
      "collide", [](const auto&... arguments) { return carom::collide(arguments...) ? 1.0 : 0.0; },
      [](ConvexPeer& peer, const ConvexQuery& q) { return peer.collide(q.a, q.pose_a, q.b, q.pose_b) ? 1.0 : 0.0; });
  queries.resize(queries.size() / 2);  // before they touch
  add(
      "distance", [](const auto&... arguments) { return carom::distance(arguments...).distance; },
      [](ConvexPeer& peer, const ConvexQuery& q) { return peer.distance(q.a, q.pose_a, q.b, q.pose_b); });
}

/// One batch over many poses, on one thread and on two, by the clock.
void bench_threads(const ConvexCases& cases, int passes, Table& table) {
  constexpr std::size_t pairs = 20000;
  std::vector<Eigen::Isometry3d> poses_a;
  std::vector<Eigen::Isometry3d> poses_b;
  for (std::size_t i = 0; i < pairs; ++i) {
    const ConvexQuery& q = cases.near[i % cases.near.size()];
    poses_a.push_back(q.pose_a);
    poses_b.push_back(q.pose_b);
  }
  std::vector<QueryResult> out(pairs);
  std::array<double, 2> best{INFINITY, INFINITY};
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t k = 0; k < 2; ++k) {
      const Stopwatch stopwatch;
      distance(cases.shapes[0], poses_a, cases.shapes[1], poses_b, out, {.threads = static_cast<int>(k) + 1});
      best[k] = std::min(best[k], stopwatch.elapsed().wall_ms);
    }
  }
  const auto rate = [&](double ms) { return fmt::format("{:.0f}", static_cast<double>(pairs) / ms); };
  table.add({cases.shapes_name, rate(best[0]), rate(best[1]), fmt::format("{:.2f}", best[0] / best[1])});
}

void run(const Settings& settings) {
  Table threads{"Batches of 20 000 distances on one thread and on two, thousand queries a second by the clock",
                {"shapes", "one", "two", "faster"},
                {}};
  Table warm{"Pairs that move slowly, Carom with a cache, thousand queries a second",
             {"query", "shapes", "warm", "cold", "faster_peer", "faster"},
             {}};
  Table table{
      "Pairs of convex shapes, one thread, no cache: thousand queries a second, times the faster peer, largest "
      "difference from our answer",
      {"query", "poses", "shapes", "by", "thousand_a_second", "faster", "difference"},
      {}};
  for (const int corners : {8, 32, 128, 512, 0}) {
    const ConvexCases cases = make_convex_cases(corners, settings.count);
    Peers peers;
    peers.push_back(make_convex_carom());
    peers.push_back(make_convex_fcl());
    peers.push_back(make_convex_bullet());
    for (auto& peer : peers) {
      for (const Shape& shape : cases.shapes) peer->add(shape);
    }
    fmt::print(stderr, "{}\n", cases.shapes_name);
    const auto collide = [](ConvexPeer& peer, const ConvexQuery& q) {
      return peer.collide(q.a, q.pose_a, q.b, q.pose_b) ? 1.0 : 0.0;
    };
    const auto distance = [](ConvexPeer& peer, const ConvexQuery& q) {
      return peer.distance(q.a, q.pose_a, q.b, q.pose_b);
    };
    const auto depth = [](ConvexPeer& peer, const ConvexQuery& q) { return peer.depth(q.a, q.pose_a, q.b, q.pose_b); };
    const int n = settings.passes;
    bench(peers, cases, "collide", "far", cases.far, n, table, collide);
    bench(peers, cases, "collide", "near", cases.near, n, table, collide);
    bench(peers, cases, "collide", "touching", cases.touching, n, table, collide);
    bench(peers, cases, "collide", "deep", cases.deep, n, table, collide);
    bench(peers, cases, "distance", "far", cases.far, n, table, distance);
    bench(peers, cases, "distance", "near", cases.apart, n, table, distance);
    bench(peers, cases, "depth", "deep", cases.deep, n, table, depth);
    bench_warm(peers, cases, n, warm);
    bench_threads(cases, n, threads);
  }
  publish(settings.out, {{"convex.csv", table}, {"convex_warm.csv", warm}, {"convex_threads.csv", threads}});
}

int start(int argc, char** argv) {
  CLI::App app{"Pairs of convex shapes against FCL and Bullet; docs/benchmarks.md explains the table.",
               "carom_bench_convex"};
  Settings settings;
  app.add_option("--count", settings.count, "pairs of each kind (default: 1000)")->check(CLI::Range(2, 1000000));
  app.add_option("--passes", settings.passes, "over the pairs; the best counts (default: 5)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--out", settings.out, "folder of the CSV file (default: out/bench)");
  CLI11_PARSE(app, argc, argv);
  run(settings);
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run_program("carom_bench_convex", carom::bench::start, argc, argv);
}
