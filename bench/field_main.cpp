#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "bench/field_openvdb.hpp"
#include "bench/program.hpp"
#include "bench/stopwatch.hpp"
#include "bench/table.hpp"
#include "carom/body/cloth.hpp"
#include "carom/field/distance_field.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"
#include "narrow/mesh/point_queries.hpp"
#include "shapes/shape_data.hpp"

/// Distance fields against the exact distance of the mesh and against OpenVDB, and as colliders of cloth; see
/// docs/benchmarks.md.
namespace carom::bench {
namespace {

struct Settings {
  int points = 20000;
  int passes = 3;
  double tolerance = 0.004;
  int cloth = 60;
  int steps = 60;
  std::string out = "out/bench";
};

struct FieldCase {
  std::string name;
  TriangleMesh mesh;
};

std::vector<FieldCase> cases() {
  return {{"box", make_box({1, 0.8, 0.6})},
          {"ball", make_icosphere(0.5, 5)},
          {"torus", make_torus(0.5, 0.2, 128, 64)},
          {"knot", make_tube([](double t) { return trefoil(t, 0.5, 0.2); }, 0.1, 400, 40)}};
}

/// Points in the band around the surface.
std::vector<Eigen::Vector3d> points_near(const TriangleMesh& mesh, double band, int count) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> u(0, 1);
  std::uniform_real_distribution<double> off(-band, band);
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < count; ++i) {
    const Triangle& t = mesh.triangles[random() % mesh.triangles.size()];
    const auto at = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
    const double r = std::sqrt(u(random));
    const double s = u(random);
    const double x = off(random);
    const double y = off(random);
    points.emplace_back((1 - r) * at(0) + r * ((1 - s) * at(1) + s * at(2)) +
                        0.57 * Eigen::Vector3d(x, y, off(random)));
  }
  return points;
}

/// ns for each point, the best pass.
double time_of(int passes, std::size_t count, const std::function<void()>& run) {
  double best = INFINITY;
  for (int pass = 0; pass < passes; ++pass) {
    const Stopwatch stopwatch;
    run();
    best = std::min(best, stopwatch.elapsed().cpu_ms);
  }
  return 1e6 * best / static_cast<double>(count);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

void bench_queries(const Settings& settings, const FieldCase& c, Table& table) {
  const Shape shape = Shape::mesh(c.mesh);
  Stopwatch building;
  const DistanceField field(shape, {.tolerance = settings.tolerance, .threads = 1});
  const double build_ms = building.elapsed().cpu_ms;
  const FieldReport& report = field.report();
  const std::vector<Eigen::Vector3d> points = points_near(c.mesh, report.band, settings.points);
  const std::size_t n = points.size();

  std::vector<double> exact(n);
  const shapes::MeshData& data = *shape.data().mesh;
  const double exact_ns = time_of(settings.passes, n, [&] {
    for (std::size_t i = 0; i < n; ++i) {
      const math::Vec3 p = math::to_vec3(points[i]);
      const double d = mesh::nearest(data, p, INFINITY).distance;
      exact[i] = mesh::inside(data, p) ? -d : d;
    }
  });
  const auto row = [&](const std::string& who, double ms, std::size_t bytes, std::size_t cells, double ns,
                       double stated, double error) {
    table.add({c.name, std::to_string(c.mesh.triangles.size()), who, ms > 0 ? fmt::format("{:.0f}", ms) : "",
               bytes > 0 ? fmt::format("{:.2f}", 1e-6 * static_cast<double>(bytes)) : "",
               cells > 0 ? std::to_string(cells) : "", fmt::format("{:.0f}", ns), fmt::format("{:.1f}", exact_ns / ns),
               stated > 0 ? fmt::format("{:.2e}", stated) : "", fmt::format("{:.2e}", error)});
  };
  row("mesh, exact", 0, 0, 0, exact_ns, 0, 0);
  std::vector<FieldSample> samples(n);
  const double field_ns = time_of(settings.passes, n, [&] { field.sample(points, samples); });
  std::vector<double> found(n);
  for (std::size_t i = 0; i < n; ++i) found[i] = samples[i].distance;
  const double field_error = largest_difference(found, exact);
  row("field", build_ms, report.bytes, report.cells, field_ns, report.error, field_error);

  // Voxels as small as our cells, and the largest that have no larger error than the field has.
  for (const double scale : {1.0, 2.0, 4.0}) {
    const double voxel = scale * report.smallest_cell;
    building = Stopwatch();
    const std::optional<VdbField> vdb = make_vdb_field(c.mesh, voxel, std::max(3.0, report.band / voxel + 1));
    if (!vdb) return;
    const double ms = building.elapsed().cpu_ms;
    double sum = 0;
    const double ns = time_of(settings.passes, n, [&] { sum += vdb->sample(points, found); });
    if (!std::isfinite(sum)) fmt::print(stderr, "OpenVDB: a gradient is not finite\n");
    row(fmt::format("OpenVDB, voxel {:.4f}", voxel), ms, vdb->bytes, vdb->voxels, ns, 0,
        largest_difference(found, exact));
  }
}

/// Milliseconds a step of a cloth that falls on a mesh, which collides as it is or by its field.
void bench_scene(const Settings& settings, const FieldCase& c, Table& table) {
  double mesh_ms = 0;
  for (const bool by_field : {false, true}) {
    WorldOptions options;
    options.dt = 0.01;
    options.threads = 1;
    options.contact.distance = 0.01;
    World world(options);
    RigidBody body{.name = c.name, .shape = Shape::mesh(c.mesh), .motion = MotionModel::fixed};
    if (by_field) body.field = DistanceField(body.shape, {.tolerance = settings.tolerance});
    world.add(body);
    ClothBody cloth;
    cloth.name = "cloth";
    cloth.mesh = make_sheet(1.4, 1.4, settings.cloth, settings.cloth);
    for (Eigen::Vector3d& p : cloth.mesh.positions) p.y() += 0.55;
    world.add(cloth);
    for (int i = 0; i < settings.steps; ++i) world.step();
    const Stopwatch stopwatch;
    double narrow = 0;
    double all = 0;
    std::size_t contacts = 0;
    const int steps = settings.steps / 2;
    for (int i = 0; i < steps; ++i) {
      world.step();
      for (const Stage stage : {Stage::mid, Stage::narrow}) narrow += 1e3 * world.stats()[stage].seconds;
      contacts += world.contacts().size();
    }
    all = stopwatch.elapsed().cpu_ms / steps;
    if (!by_field) mesh_ms = all;
    table.add({c.name, std::to_string(c.mesh.triangles.size()), by_field ? "field" : "mesh", fmt::format("{:.2f}", all),
               fmt::format("{:.2f}", mesh_ms / all), fmt::format("{:.2f}", narrow / steps),
               std::to_string(contacts / static_cast<std::size_t>(steps))});
  }
}

int start(int argc, char** argv) {
  CLI::App app("Distance fields against exact distances, OpenVDB and mesh colliders");
  Settings settings;
  app.add_option("--points", settings.points, "points asked for");
  app.add_option("--passes", settings.passes, "passes, of which the best counts");
  app.add_option("--tolerance", settings.tolerance, "of the fields, as a fraction of the diagonal");
  app.add_option("--cloth", settings.cloth, "squares of the cloth along a side");
  app.add_option("--steps", settings.steps, "steps before half as many are measured");
  app.add_option("--out", settings.out, "folder of the CSV files");
  CLI11_PARSE(app, argc, argv);
  Table queries{.title = "distance and gradient of points in the band, one thread",
                .head = {"mesh", "triangles", "by", "build ms", "MB", "cells", "ns a point", "times exact",
                         "stated error m", "largest error m"},
                .rows = {}};
  Table scenes{.title = "cloth on a mesh, one thread, ms a step",
               .head = {"mesh", "triangles", "collider", "step ms", "times mesh", "mid and narrow ms", "contacts"},
               .rows = {}};
  for (const FieldCase& c : cases()) bench_queries(settings, c, queries);
  if (settings.steps > 0) {
    for (const FieldCase& c : cases()) bench_scene(settings, c, scenes);
  }
  publish(settings.out, {{"field.csv", queries}, {"field_cloth.csv", scenes}});
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run_program("carom_bench_field", carom::bench::start, argc, argv);
}
