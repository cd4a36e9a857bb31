#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>

#include "bench/draw.hpp"
#include "bench/mesh_peers.hpp"
#include "bench/program.hpp"
#include "bench/stopwatch.hpp"
#include "bench/table.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/query/mesh_contacts.hpp"
#include "carom/query/query.hpp"

/// Queries on pairs of meshes, and of a mesh and a convex shape, against FCL; see docs/benchmarks.md.
namespace carom::bench {
namespace {

struct Settings {
  int count = 40;
  int passes = 5;
  bool volumes = false;
  std::string out = "out/bench";
};

class Carom final : public MeshPeer {
 public:
  explicit Carom(std::string name = "carom", const MeshOptions& options = {})
      : name_(std::move(name)), options_(options) {}
  std::string_view name() const override { return name_; }
  void add(const Shape& shape) override {
    if (shape.kind() != ShapeKind::mesh) {
      shapes_.push_back(shape);
      return;
    }
    TriangleMesh mesh;
    mesh.positions.assign(shape.vertices().begin(), shape.vertices().end());
    mesh.triangles.assign(shape.triangles().begin(), shape.triangles().end());
    shapes_.push_back(Shape::mesh(mesh, options_));
  }
  bool collide(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    return carom::collide(at(a), pose_a, at(b), pose_b);
  }
  double distance(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    return carom::distance(at(a), pose_a, at(b), pose_b).distance;
  }
  double contacts(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) override {
    return static_cast<double>(mesh_crossings(at(a), pose_a, at(b), pose_b).size());
  }

 private:
  const Shape& at(int i) const { return shapes_[static_cast<std::size_t>(i)]; }
  std::string name_;
  MeshOptions options_;
  std::vector<Shape> shapes_;
};

struct Query {
  int a = 0;
  int b = 1;
  Eigen::Isometry3d pose_a;
  Eigen::Isometry3d pose_b;
};

;

/// About 2 in size, curved in and out.
TriangleMesh make_knot(int triangles) {
  const int along = static_cast<int>(std::lround(std::sqrt(triangles * 2.5)));
  const int across = std::max(triangles / (2 * along), 3);
  return make_tube([](double t) { return trefoil(t, 0.6, 0.25); }, 0.15, along, across);
}

struct Cases {
  std::string name;
  std::vector<Shape> shapes;
  std::vector<Query> far, near, touching, deep;
};

Cases make_cases(std::string name, const Shape& a, const Shape& b, int count) {
  Cases cases{std::move(name), {a, b}, {}, {}, {}, {}};
  Draw draw;
  for (int i = 0; i < count; ++i) {
    Query q{0, 1, draw.pose(), draw.pose()};
    const Eigen::Vector3d travel = draw.direction();
    // Along one line, so that gaps are those of the first contact from outside.
    const auto gap_at = [&](double along) {
      q.pose_b.translation() = q.pose_a.translation() + along * travel;
      return distance(a, q.pose_a, b, q.pose_b);
    };
    double along = 4;
    const auto approach = [&](double gap) {
      for (int k = 0; k < 60; ++k) {
        const QueryResult r = gap_at(along);
        const double facing = std::max(r.normal.dot(travel), 0.1);
        if (r.distance - gap < 1e-12 + 1e-3 * gap) break;
        along -= (r.distance - gap) * (k < 20 ? 1 : facing);
      }
    };
    gap_at(along);
    cases.far.push_back(q);
    approach(draw.number(0.01, 0.05));
    cases.near.push_back(q);
    approach(1e-6);
    cases.touching.push_back(q);
    along -= 0.1;
    q.pose_b.translation() = q.pose_a.translation() + along * travel;
    cases.deep.push_back(q);
  }
  return cases;
}

using Peers = std::vector<std::unique_ptr<MeshPeer>>;

template <class Ask>
void bench(const Peers& peers, const Cases& cases, const char* query, const char* poses,
           const std::vector<Query>& queries, int passes, Table& table, Ask&& ask) {
  std::vector<double> best(peers.size(), INFINITY);
  std::vector<std::vector<double>> answers(peers.size(), std::vector<double>(queries.size()));
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t p = 0; p < peers.size(); ++p) {
      const Stopwatch stopwatch;
      for (std::size_t i = 0; i < queries.size(); ++i) answers[p][i] = ask(*peers[p], queries[i]);
      best[p] = std::min(best[p], stopwatch.elapsed().cpu_ms);
    }
  }
  for (std::size_t p = 0; p < peers.size(); ++p) {
    double off = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) off = std::max(off, std::abs(answers[p][i] - answers[0][i]));
    table.add({query, poses, cases.name, std::string(peers[p]->name()),
               fmt::format("{:.2f}", 1e3 * best[p] / static_cast<double>(queries.size())),
               fmt::format("{:.2f}", best.back() / best[p]), fmt::format("{:.1e}", off)});
  }
}

/// What a simulation asks for in a step: manifolds of hulls that rest on a landscape.
Table bench_resting(const Settings& settings) {
  Table table{"500 hulls on a landscape, one thread: milliseconds for the manifolds of all",
              {"triangles", "corners", "milliseconds", "manifolds", "points"},
              {}};
  for (const int segments : {71, 224}) {
    TriangleMesh ground = make_sheet(50, 50, segments, segments);
    for (Eigen::Vector3d& p : ground.positions) p.y() = 0.5 * std::sin(0.7 * p.x()) * std::cos(0.5 * p.z());
    const Shape mesh = Shape::mesh(ground);
    const Eigen::Isometry3d here = Eigen::Isometry3d::Identity();
    for (const int corners : {8, 32}) {
      Draw draw;
      std::vector<Shape::Part> hulls;
      for (int i = 0; i < 500; ++i) {
        std::vector<Eigen::Vector3d> points;
        for (int k = 0; k < corners; ++k) points.push_back(0.4 * draw.direction());
        const Shape hull = Shape::hull(points);
        Eigen::Isometry3d pose = draw.pose();
        const double x = draw.number(-24, 24);
        pose.translation() = Eigen::Vector3d(x, 2, draw.number(-24, 24));
        for (int k = 0; k < 20; ++k) {
          const QueryResult r = distance(mesh, here, hull, pose);
          if (std::abs(r.distance + 0.005) < 1e-4) break;
          pose.translation().y() -= r.distance + 0.005;
        }
        hulls.push_back({hull, pose});
      }
      double best = INFINITY;
      std::size_t manifolds = 0;
      std::size_t points = 0;
      std::vector<TriangleManifold> out;
      for (int pass = 0; pass < settings.passes; ++pass) {
        manifolds = 0;
        points = 0;
        const Stopwatch stopwatch;
        for (const Shape::Part& hull : hulls) {
          mesh_manifolds(mesh, here, hull.shape, hull.pose, 0.01, out);
          manifolds += out.size();
          for (const TriangleManifold& m : out) points += static_cast<std::size_t>(m.count);
        }
        best = std::min(best, stopwatch.elapsed().cpu_ms);
      }
      table.add({std::to_string(ground.triangles.size()), std::to_string(corners), fmt::format("{:.2f}", best),
                 std::to_string(manifolds), std::to_string(points)});
    }
  }
  return table;
}

void run(const Settings& settings) {
  Table table{"Meshes, one thread: microseconds a query, times as fast as FCL, largest difference from our answer",
              {"query", "poses", "shapes", "by", "microseconds", "times_fcl", "difference"},
              {}};
  std::vector<Cases> all;
  for (const int triangles : {1000, 10000, 100000}) {
    const Shape knot = Shape::mesh(make_knot(triangles));
    const Shape other = Shape::mesh(make_torus(0.7, 0.2, static_cast<int>(std::sqrt(triangles)),
                                               triangles / 2 / static_cast<int>(std::sqrt(triangles))));
    all.push_back(make_cases(fmt::format("knot and torus of {}", triangles), knot, other, settings.count));
    Draw draw;
    std::vector<Eigen::Vector3d> points;
    for (int i = 0; i < 32; ++i) points.push_back(0.3 * draw.direction());
    all.push_back(make_cases(fmt::format("knot of {} and hull", triangles), knot, Shape::hull(points), settings.count));
    fmt::print(stderr, "poses for {} triangles\n", triangles);
  }
  for (const Cases& cases : all) {
    Peers peers;
    peers.push_back(std::make_unique<Carom>());
    if (settings.volumes) {
      for (const auto& [name, volume] :
           {std::pair{"sphere", MeshVolume::sphere}, std::pair{"box", MeshVolume::box},
            std::pair{"oriented box", MeshVolume::oriented_box}, std::pair{"dop18", MeshVolume::dop18}}) {
        peers.push_back(
            std::make_unique<Carom>(fmt::format("{}, variance", name), MeshOptions{volume, MeshSplit::variance}));
        peers.push_back(std::make_unique<Carom>(fmt::format("{}, cost", name), MeshOptions{volume, MeshSplit::cost}));
      }
    }
    peers.push_back(make_mesh_fcl());
    for (auto& peer : peers) {
      for (const Shape& shape : cases.shapes) peer->add(shape);
    }
    fmt::print(stderr, "{}\n", cases.name);
    const auto collide = [](MeshPeer& peer, const Query& q) {
      return peer.collide(q.a, q.pose_a, q.b, q.pose_b) ? 1.0 : 0.0;
    };
    const auto distance = [](MeshPeer& peer, const Query& q) { return peer.distance(q.a, q.pose_a, q.b, q.pose_b); };
    const int n = settings.passes;
    bench(peers, cases, "collide", "far", cases.far, n, table, collide);
    bench(peers, cases, "collide", "near", cases.near, n, table, collide);
    bench(peers, cases, "collide", "touching", cases.touching, n, table, collide);
    bench(peers, cases, "collide", "deep", cases.deep, n, table, collide);
    if (cases.shapes[1].kind() == ShapeKind::mesh) {
      bench(peers, cases, "all contacts", "deep", cases.deep, n, table,
            [](MeshPeer& peer, const Query& q) { return peer.contacts(q.a, q.pose_a, q.b, q.pose_b); });
    }
    bench(peers, cases, "distance", "far", cases.far, n, table, distance);
    bench(peers, cases, "distance", "near", cases.near, n, table, distance);
  }
  publish(settings.out, {{"mesh.csv", table}, {"mesh_resting.csv", bench_resting(settings)}});
}

int start(int argc, char** argv) {
  CLI::App app{"Meshes against FCL; docs/benchmarks.md explains the table.", "carom_bench_mesh"};
  Settings settings;
  app.add_option("--count", settings.count, "pairs of each kind (default: 40)")->check(CLI::Range(2, 1000000));
  app.add_option("--passes", settings.passes, "over the pairs; the best counts (default: 5)")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--volumes", settings.volumes, "every kind of volume and split as well");
  app.add_option("--out", settings.out, "folder of the CSV file (default: out/bench)");
  CLI11_PARSE(app, argc, argv);
  run(settings);
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run_program("carom_bench_mesh", carom::bench::start, argc, argv);
}
