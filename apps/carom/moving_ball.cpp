#include "moving_ball.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bench/stopwatch.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"

namespace carom::app {

namespace {

constexpr double cloth_size = 2;     // m
constexpr double ball_radius = 0.4;  // m
constexpr double ball_swing = 1;     // m, to either side of the cloth
constexpr double ball_period = 3;    // s
constexpr double step_length = 1.0 / 60;

/// The ball begins 0.1 m in front of the cloth and moves towards it.
double ball_place(double time) {
  return ball_swing * std::cos(2 * std::numbers::pi * (time / ball_period + 1.0 / 6));
}

ClothBody hanging_cloth(const MovingBallOptions& options) {
  ClothBody cloth;
  cloth.name = "cloth";
  const int segments = options.vertices - 1;
  cloth.mesh = make_sheet(cloth_size, cloth_size, segments, segments);
  for (std::size_t v = 0; v < cloth.mesh.positions.size(); ++v) {
    Eigen::Vector3d& p = cloth.mesh.positions[v];
    const bool corner = p.z() < -cloth_size / 2 + 1e-9 && std::abs(p.x()) > cloth_size / 2 - 1e-9;
    if (corner) cloth.pinned.push_back(static_cast<Index>(v));
    p = Eigen::Vector3d(p.x(), -p.z(), 0);
  }
  cloth.material.friction = 0.3;
  cloth.air_damping = 0.5;
  cloth.wind = {.velocity = {0.5, 0, 0.2}, .density = 1.2};
  cloth.levels = options.levels;
  cloth.sleeping_allowed = false;
  return cloth;
}

double edge_strain(std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> rest,
                   std::span<const Eigen::Vector3d> now) {
  std::vector<double> strains;
  for (const Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = static_cast<std::size_t>(t[k]);
      const auto b = static_cast<std::size_t>(t[(k + 1) % 3]);
      strains.push_back((now[b] - now[a]).norm() / (rest[b] - rest[a]).norm() - 1);
    }
  }
  const std::size_t rank = strains.size() * 99 / 100;
  std::nth_element(strains.begin(), strains.begin() + static_cast<std::ptrdiff_t>(rank), strains.end());
  return strains[rank];
}

}  // namespace

MovingBallRun run_moving_ball(const MovingBallOptions& options) {
  WorldOptions world_options;
  world_options.dt = step_length;
  world_options.contact.distance = ball_contact_distance;
  world_options.detection = Detection::continuous;
  world_options.method = options.method;
  world_options.sphere_depth = options.sphere_depth;
  world_options.threads = options.threads;
  World world(world_options);
  const ClothBody description = hanging_cloth(options);
  const std::vector<Eigen::Vector3d> rest = description.mesh.positions;
  const BodyId cloth = world.add(description);
  RigidBody ball;
  ball.name = "ball";
  ball.shape = Shape::sphere(ball_radius);
  ball.motion = MotionModel::scripted;
  ball.pose.translation() = Eigen::Vector3d(0.1, 0, ball_place(0));
  ball.material.friction = 0.3;
  const BodyId moving = world.add(ball);

  MovingBallRun run;
  const TriangleMesh ball_mesh = make_icosphere(ball_radius, 3);
  std::vector<Triangle> triangles = description.mesh.triangles;
  std::vector<Index> object_of_triangle(triangles.size(), 0);
  const auto first = static_cast<Index>(rest.size());
  for (const Triangle& t : ball_mesh.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  object_of_triangle.resize(triangles.size(), 1);
  run.surface = Surface(rest.size() + ball_mesh.positions.size(), triangles, object_of_triangle);
  const Surface cloth_surface(rest.size(), description.mesh.triangles);
  IntersectScratch scratch;
  std::vector<Intersection> found;
  PipelineStats ignored;

  for (int step = 0; step < options.steps; ++step) {
    if (options.progress) options.progress(step);
    const double speed = (ball_place(world.time() + step_length) - ball_place(world.time())) / step_length;
    world.set_velocity(moving, {0, 0, speed}, Eigen::Vector3d::Zero());
    const bench::Stopwatch stopwatch;
    world.step();
    run.cpu_ms += stopwatch.elapsed().cpu_ms;
    run.respond_ms += 1e3 * world.stats()[Stage::respond].seconds;
    run.contacts += static_cast<double>(world.contacts().size());
    run.inner_pairs += static_cast<double>(world.stats()[Stage::mid].out);
    run.active += static_cast<double>(world.cloth_levels(cloth).active);
    intersections(cloth_surface, world.positions(cloth), {.threads = options.threads}, scratch, found, ignored);
    run.intersections += found.size();
    const int stride = std::max(1, options.steps / max_frames);
    if (step % stride != stride - 1 || run.frames.size() == static_cast<std::size_t>(max_frames)) continue;
    const auto positions = world.positions(cloth);
    std::vector<Eigen::Vector3d>& frame = run.frames.emplace_back(positions.begin(), positions.end());
    const Eigen::Isometry3d pose = world.pose(moving);
    for (const Eigen::Vector3d& p : ball_mesh.positions) frame.push_back(pose * p);
  }
  for (double* sum : {&run.cpu_ms, &run.respond_ms, &run.contacts, &run.inner_pairs, &run.active})
    *sum /= options.steps;
  run.activations = world.cloth_levels(cloth).activations;
  run.deactivations = world.cloth_levels(cloth).deactivations;
  run.end.assign(world.positions(cloth).begin(), world.positions(cloth).end());
  run.strain = edge_strain(description.mesh.triangles, rest, run.end);
  return run;
}

}  // namespace carom::app
