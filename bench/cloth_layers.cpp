#include "bench/cloth_run.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

namespace carom::bench {

ClothRun run_layers(const LayerScene& scene, int threads) {
  constexpr double radius = 0.3;
  WorldOptions options;
  options.dt = scene.dt;
  options.threads = threads;
  options.contact.distance = 0.004;
  options.detection = Detection::continuous;
  options.solver.sleep.enabled = false;
  World world(options);
  RigidBody ball;
  ball.name = "ball";
  ball.shape = Shape::sphere(radius);
  ball.motion = MotionModel::fixed;
  ball.material.friction = 0.4;
  world.add(ball);
  TriangleMesh rest;
  std::vector<BodyId> ids;
  for (int layer = 0; layer < scene.layers; ++layer) {
    ClothBody sheet;
    sheet.name = "sheet " + std::to_string(layer);
    sheet.mesh = make_sheet(1, 1, scene.vertices - 1, scene.vertices - 1);
    for (Eigen::Vector3d& p : sheet.mesh.positions)
      p += Eigen::Vector3d(0.003 * layer, radius + 0.06 + 0.01 * layer, 0.002 * layer);
    sheet.fabric.density = 0.2;
    sheet.inner_steps = scene.inner_steps;
    sheet.material.friction = 0.4;
    const auto first = static_cast<Index>(rest.positions.size());
    rest.positions.insert(rest.positions.end(), sheet.mesh.positions.begin(), sheet.mesh.positions.end());
    for (const Triangle& t : sheet.mesh.triangles) rest.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    ids.push_back(world.add(sheet));
  }
  ClothRun run{.engine = threads == 1 ? "carom" : "carom, " + std::to_string(threads) + " threads"};
  std::vector<Eigen::Vector3d> now;
  for (int i = 0; i < scene.steps; ++i) {
    const Stopwatch stopwatch;
    world.step();
    const Duration time = stopwatch.elapsed();
    run.step_ms.push_back(time.cpu_ms);
    run.wall_ms.push_back(time.wall_ms);
    run.limited.push_back(world.stats()[Stage::commit].limited);
    run.stats.add(world.stats());
    now.clear();
    for (const BodyId id : ids) now.insert(now.end(), world.positions(id).begin(), world.positions(id).end());
    note_frame(rest, now, true, run);
  }
  run.end = now;
  return run;
}

}  // namespace carom::bench
