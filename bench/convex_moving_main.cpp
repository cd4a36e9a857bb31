#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>

#include "bench/convex_cases.hpp"
#include "bench/stopwatch.hpp"
#include "bench/table.hpp"
#include "carom/cast.hpp"
#include "carom/separating_axes.hpp"

/// Convex shapes that move, see docs/benchmarks.md.
namespace carom::bench {
namespace {

struct Settings {
  int count = 1000;
  int passes = 5;
  std::string out = "out/bench";
};

/// Milliseconds of the best pass of each; they take turns, so that what else runs on the machine slows all of them.
std::vector<double> best_of(int passes, const std::vector<std::function<void()>>& contenders) {
  std::vector<double> best(contenders.size(), INFINITY);
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const Stopwatch stopwatch;
      contenders[i]();
      best[i] = std::min(best[i], stopwatch.elapsed().cpu_ms);
    }
  }
  return best;
}

struct MovingCase {
  const Shape* a;
  const Shape* b;
  ShapeMotion motion_a;
  ShapeMotion motion_b;
};

/// From some sizes apart to the other side; half of them turn by up to a quarter, as asked.
std::vector<MovingCase> make_moving(const ConvexCases& cases, bool turning, double miss) {
  std::vector<MovingCase> moving;
  for (std::size_t i = 0; i < cases.far.size(); ++i) {
    const ConvexQuery& q = cases.far[i];
    const ConvexQuery& other = cases.far[(i + 1) % cases.far.size()];
    MovingCase m{&cases.shapes[static_cast<std::size_t>(q.a)], &cases.shapes[static_cast<std::size_t>(q.b)], {}, {}};
    const Eigen::Vector3d to_b = q.pose_b.translation() - q.pose_a.translation();
    const Eigen::Vector3d aside = to_b.unitOrthogonal();
    m.motion_a = {q.pose_a, q.pose_a};
    m.motion_a.to.translation() += 2 * to_b + 2 * miss * aside;
    m.motion_b = {q.pose_b, q.pose_b};
    if (turning) {
      m.motion_a.to.rotate(Eigen::AngleAxisd(1.0, other.pose_a.linear().col(0)));
      m.motion_b.to.rotate(Eigen::AngleAxisd(0.5, other.pose_b.linear().col(0)));
    }
    moving.push_back(m);
  }
  return moving;
}

void bench_cast(const ConvexCases& cases, const Settings& settings, Table& table) {
  for (const auto& [name, turning, miss] : {std::tuple{"straight, hit", false, 0.0},
                                            {"straight, miss", false, 3.0},
                                            {"turning, hit", true, 0.0},
                                            {"turning, miss", true, 3.0}}) {
    const std::vector<MovingCase> moving = make_moving(cases, turning, miss);
    int hits = 0;
    int iterations = 0;
    int most = 0;
    double sum = 0;
    const auto ms = best_of(settings.passes, {[&] {
                                                hits = iterations = most = 0;
                                                for (const MovingCase& m : moving) {
                                                  const CastResult r = cast(*m.a, m.motion_a, *m.b, m.motion_b);
                                                  hits += r.hit ? 1 : 0;
                                                  iterations += r.iterations;
                                                  most = std::max(most, r.iterations);
                                                }
                                              },
                                              [&] {
                                                for (const MovingCase& m : moving) {
                                                  sum +=
                                                      distance(*m.a, m.motion_a.from, *m.b, m.motion_b.from).distance;
                                                }
                                              }});
    const auto n = static_cast<double>(moving.size());
    table.add({name, cases.shapes_name, fmt::format("{:.0f}", n / ms[0]), fmt::format("{:.1f}", ms[0] / ms[1]),
               fmt::format("{:.0f}%", 100 * hits / n), fmt::format("{:.1f}", iterations / n), fmt::format("{}", most)});
    if (!(sum >= 0)) fmt::print(stderr, "some start overlapping\n");
  }
}

/// Depth by all axes against the expanding polytope.
void bench_axes(const ConvexCases& cases, const Settings& settings, Table& table) {
  std::vector<ConvexPolyhedron> polyhedra;
  for (const Shape& shape : cases.shapes) polyhedra.emplace_back(shape);
  double off = 0;
  double sum = 0;
  const auto shape = [&](int i) -> const Shape& { return cases.shapes[static_cast<std::size_t>(i)]; };
  const auto polyhedron = [&](int i) -> const ConvexPolyhedron& { return polyhedra[static_cast<std::size_t>(i)]; };
  for (const ConvexQuery& q : cases.deep) {
    const double truth = penetration(shape(q.a), q.pose_a, shape(q.b), q.pose_b).distance;
    // Some small hulls are apart though their centres are close; then neither is a distance.
    if (truth > 0) continue;
    off = std::max(off, std::abs(separation(polyhedron(q.a), q.pose_a, polyhedron(q.b), q.pose_b).distance - truth));
  }
  const auto ms =
      best_of(settings.passes, {[&] {
                                  for (const ConvexQuery& q : cases.deep) {
                                    sum += separation(polyhedron(q.a), q.pose_a, polyhedron(q.b), q.pose_b).distance;
                                  }
                                },
                                [&] {
                                  for (const ConvexQuery& q : cases.deep) {
                                    sum += penetration(shape(q.a), q.pose_a, shape(q.b), q.pose_b).distance;
                                  }
                                }});
  const auto n = static_cast<double>(cases.deep.size());
  table.add({cases.shapes_name, fmt::format("{:.0f}", n / ms[0]), fmt::format("{:.0f}", n / ms[1]),
             fmt::format("{:.2f}", ms[1] / ms[0]), fmt::format("{:.1e}", off)});
  if (!(sum < 0)) fmt::print(stderr, "some do not overlap\n");
}

void run(const Settings& settings) {
  Table axes{
      "Depth, one thread: thousand a second by separating axes, by the expanding polytope, ratio, largest "
      "difference",
      {"shapes", "axes", "polytope", "faster", "difference"},
      {}};
  Table casts{
      "cast(), one thread: thousand casts a second, cost in distances of the same pairs at the start, times "
      "looked at on average and at most",
      {"motion", "shapes", "thousand_a_second", "distances", "hits", "iterations", "most"},
      {}};
  for (const int corners : {8, 32, 128, 512, 0}) {
    const ConvexCases cases = make_convex_cases(corners, settings.count);
    fmt::print(stderr, "{}\n", cases.shapes_name);
    bench_cast(cases, settings, casts);
    if (corners <= 128) bench_axes(cases, settings, axes);
  }
  fmt::print("{}\n{}\n", casts.text(), axes.text());
  std::filesystem::create_directories(settings.out);
  casts.write_csv(std::filesystem::path(settings.out) / "convex_cast.csv");
  axes.write_csv(std::filesystem::path(settings.out) / "convex_axes.csv");
}

int start(int argc, char** argv) {
  CLI::App app{"Convex shapes that move; docs/benchmarks.md explains the tables.", "carom_bench_convex_moving"};
  Settings settings;
  app.add_option("--count", settings.count, "pairs of each kind (default: 1000)")->check(CLI::Range(2, 1000000));
  app.add_option("--passes", settings.passes, "over the pairs; the best counts (default: 5)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--out", settings.out, "folder of the CSV files (default: out/bench)");
  CLI11_PARSE(app, argc, argv);
  run(settings);
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  try {
    return carom::bench::start(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "carom_bench_convex_moving: {}\n", error.what());
    return 2;
  }
}
