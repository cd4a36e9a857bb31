#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>

#include "bench/convex_cases.hpp"
#include "bench/program.hpp"
#include "bench/reference_joukhadar.hpp"
#include "bench/stopwatch.hpp"
#include "bench/table.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/query/cast.hpp"
#include "carom/query/closest_features.hpp"
#include "carom/query/separating_axes.hpp"

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
    int largest = 0;
    double sum = 0;
    const auto ms = best_of(settings.passes, {[&] {
                                                hits = iterations = largest = 0;
                                                for (const MovingCase& m : moving) {
                                                  const CastResult r = cast(*m.a, m.motion_a, *m.b, m.motion_b);
                                                  hits += r.hit ? 1 : 0;
                                                  iterations += r.iterations;
                                                  largest = std::max(largest, r.iterations);
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
               fmt::format("{:.0f}%", 100 * hits / n), fmt::format("{:.1f}", iterations / n),
               fmt::format("{}", largest)});
    if (!(sum >= 0)) fmt::print(stderr, "some start overlapping\n");
  }
}

/// A ball, as a sphere and as a mesh, at a ring of ever more triangles.
void bench_mesh(const Settings& settings, Table& table) {
  for (const int across : {16, 50, 158}) {
    const Shape ring = Shape::mesh(make_torus(1, 0.4, 2 * across, across));
    for (const bool round : {true, false}) {
      const Shape ball = round ? Shape::sphere(0.3) : Shape::mesh(make_icosphere(0.3, 3));
      const int count = std::min(50, settings.count);
      std::vector<ShapeMotion> motions;
      for (int i = 0; i < count; ++i) {
        ShapeMotion m;
        m.from.translation() = Eigen::Vector3d(0.05 * i - 1, 2, 0.02 * i);
        m.to = m.from;
        m.to.translation().y() = -2;
        m.to.rotate(Eigen::AngleAxisd(1.0, Eigen::Vector3d(1, i, 2).normalized()));
        motions.push_back(m);
      }
      int hits = 0;
      double sum = 0;
      const auto ms = best_of(settings.passes, {[&] {
                                                  hits = 0;
                                                  for (const ShapeMotion& m : motions) {
                                                    hits += cast(ball, m, ring, ShapeMotion{}).hit ? 1 : 0;
                                                  }
                                                },
                                                [&] {
                                                  for (const ShapeMotion& m : motions) {
                                                    sum += distance(ball, m.from, ring, ShapeMotion{}.from).distance;
                                                  }
                                                }});
      table.add({round ? "sphere" : "mesh of 1280", std::to_string(4 * across * across),
                 fmt::format("{:.1f}", 1e3 * ms[0] / count), fmt::format("{:.1f}", ms[0] / ms[1]),
                 fmt::format("{:.0f}%", 100.0 * hits / count)});
      if (!(sum > 0)) fmt::print(stderr, "some start overlapping\n");
    }
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

/// Closest points of pairs that approach each other, by Voronoi regions from the last features and by GJK with its
/// cache. Steps are taken in turn over all pairs, as a simulation does.
void bench_features(const ConvexCases& cases, const Settings& settings, Table& table) {
  for (const auto& [name, angle, travel] :
       {std::tuple{"10 degrees, 1%", 0.1745, 0.02}, {"0.5 degrees, 0.1%", 0.0087, 0.002}}) {
    const std::size_t steps = 20;
    const std::vector<ConvexMotion> motions =
        make_convex_motions(cases, std::min(50, settings.count), 2 * static_cast<int>(steps), angle, travel);
    std::vector<ConvexPolyhedron> polyhedra;
    for (const Shape& shape : cases.shapes) polyhedra.emplace_back(shape);
    const auto shape = [&](int i) -> const Shape& { return cases.shapes[static_cast<std::size_t>(i)]; };
    const auto polyhedron = [&](int i) -> const ConvexPolyhedron& { return polyhedra[static_cast<std::size_t>(i)]; };
    // Those that overlap are another question. Each query knows its pair, for the caches.
    std::vector<ConvexQuery> queries;
    std::vector<std::size_t> pairs;
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::size_t m = 0; m < motions.size(); ++m) {
        const ConvexQuery& q = motions[m][step];
        if (collide(shape(q.a), q.pose_a, shape(q.b), q.pose_b)) continue;
        queries.push_back(q);
        pairs.push_back(m);
      }
    }
    int iterations = 0;
    int asked = 0;
    double off = 0;
    std::vector<FeatureCache> features(motions.size());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const ConvexQuery& q = queries[i];
      const ClosestFeatures c =
          closest_features(polyhedron(q.a), q.pose_a, polyhedron(q.b), q.pose_b, &features[pairs[i]]);
      iterations += c.iterations;
      asked += c.asked_distance ? 1 : 0;
      off = std::max(off, std::abs(c.distance - distance(shape(q.a), q.pose_a, shape(q.b), q.pose_b).distance));
    }
    double sum = 0;
    std::vector<QueryCache> caches;
    const auto ms = best_of(
        settings.passes,
        {[&] {
           features.assign(motions.size(), {});
           for (std::size_t i = 0; i < queries.size(); ++i) {
             const ConvexQuery& q = queries[i];
             sum +=
                 closest_features(polyhedron(q.a), q.pose_a, polyhedron(q.b), q.pose_b, &features[pairs[i]]).distance;
           }
         },
         [&] {
           caches.assign(motions.size(), {});
           for (std::size_t i = 0; i < queries.size(); ++i) {
             const ConvexQuery& q = queries[i];
             sum += distance(shape(q.a), q.pose_a, shape(q.b), q.pose_b, &caches[pairs[i]]).distance;
           }
         },
         [&] {
           for (const ConvexQuery& q : queries) sum += distance(shape(q.a), q.pose_a, shape(q.b), q.pose_b).distance;
         }});
    const auto n = static_cast<double>(queries.size());
    table.add({name, cases.shapes_name, fmt::format("{:.0f}", n / ms[0]), fmt::format("{:.0f}", n / ms[1]),
               fmt::format("{:.0f}", n / ms[2]), fmt::format("{:.2f}", ms[1] / ms[0]),
               fmt::format("{:.1f}", iterations / n), fmt::format("{}", asked), fmt::format("{:.0e}", off)});
    if (!(sum > 0)) fmt::print(stderr, "some overlap\n");
  }
}

/// How often the iterated method ends at the shortest translation.
void bench_joukhadar(const ConvexCases& cases, const Settings& settings, Table& table) {
  const auto shape = [&](int i) -> const Shape& { return cases.shapes[static_cast<std::size_t>(i)]; };
  std::vector<ConvexQuery> overlapping;
  std::vector<double> truth;
  for (const ConvexQuery& q : cases.deep) {
    const QueryResult r = penetration(shape(q.a), q.pose_a, shape(q.b), q.pose_b);
    if (r.distance >= 0) continue;
    overlapping.push_back(q);
    truth.push_back(-r.distance);
  }
  for (const double beyond : {1e-3, 1.0}) {
    int minimal = 0;
    int shorter = 0;
    int iterations = 0;
    double excess = 0;
    double worst = 0;
    for (std::size_t i = 0; i < overlapping.size(); ++i) {
      const ConvexQuery& q = overlapping[i];
      const JoukhadarDepth d = joukhadar_depth(shape(q.a), q.pose_a, shape(q.b), q.pose_b, beyond);
      iterations += d.iterations;
      minimal += d.depth <= truth[i] + 1e-6 ? 1 : 0;
      shorter += d.depth < truth[i] - 1e-9 ? 1 : 0;
      excess += d.depth / truth[i] - 1;
      worst = std::max(worst, d.depth / truth[i]);
    }
    double sum = 0;
    const auto ms =
        best_of(settings.passes, {[&] {
                                    for (const ConvexQuery& q : overlapping) {
                                      sum += joukhadar_depth(shape(q.a), q.pose_a, shape(q.b), q.pose_b, beyond).depth;
                                    }
                                  },
                                  [&] {
                                    for (const ConvexQuery& q : overlapping) {
                                      sum -= penetration(shape(q.a), q.pose_a, shape(q.b), q.pose_b).distance;
                                    }
                                  }});
    const auto n = static_cast<double>(overlapping.size());
    table.add({fmt::format("{}", beyond), cases.shapes_name, fmt::format("{:.1f}%", 100 * minimal / n),
               fmt::format("{}", shorter), fmt::format("{:.1f}%", 100 * excess / n), fmt::format("{:.2f}", worst),
               fmt::format("{:.1f}", iterations / n), fmt::format("{:.2f}", ms[1] / ms[0])});
    if (!(sum > 0)) fmt::print(stderr, "some do not overlap\n");
  }
}

void run(const Settings& settings) {
  Table features{
      "Closest points of pairs that approach, one thread, thousand a second: Voronoi regions from the last "
      "features, GJK with a cache, GJK without; times GJK with a cache, steps, how often GJK was asked",
      {"step", "shapes", "regions", "gjk_warm", "gjk_cold", "faster", "steps", "asked", "difference"},
      {}};
  Table joukhadar{
      "Depth by Joukhadar's iteration, moved apart by the depth and this much beyond: how often minimal, how "
      "often shorter than ours, mean excess, largest depth over the true one, distances, speed over ours",
      {"beyond", "shapes", "minimal", "shorter", "excess", "worst", "distances", "faster"},
      {}};
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
  Table meshes{"cast() at a mesh, one thread: microseconds, cost in distances of the same pair at the start",
               {"what", "triangles", "us", "distances", "hits"},
               {}};
  bench_mesh(settings, meshes);
  for (const int corners : {8, 32, 128, 512, 0}) {
    const ConvexCases cases = make_convex_cases(corners, settings.count);
    fmt::print(stderr, "{}\n", cases.shapes_name);
    bench_cast(cases, settings, casts);
    if (corners <= 128) bench_axes(cases, settings, axes);
    bench_features(cases, settings, features);
    bench_joukhadar(cases, settings, joukhadar);
  }
  publish(settings.out, {{"convex_cast.csv", casts},
                         {"mesh_cast.csv", meshes},
                         {"convex_axes.csv", axes},
                         {"convex_features.csv", features},
                         {"convex_joukhadar.csv", joukhadar}});
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
  return carom::bench::run_program("carom_bench_convex_moving", carom::bench::start, argc, argv);
}
