#include "bench/cloth_run.hpp"
#include "carom/world/world.hpp"

namespace carom::bench {

ClothRun run_carom(const ClothScene& scene, int threads) {
  WorldOptions options;
  options.dt = scene.dt;
  options.threads = threads;
  options.contact.distance = scene.thickness;
  options.detection = Detection::continuous;
  options.solver.sleep.enabled = false;
  World world(options);
  RigidBody ball;
  ball.name = "ball";
  ball.shape = Shape::sphere(scene.radius);
  ball.motion = MotionModel::fixed;
  ball.material.friction = scene.friction;
  world.add(ball);
  ClothBody sheet;
  sheet.name = "sheet";
  sheet.mesh = sheet_of(scene);
  sheet.fabric.density = scene.mass / (scene.size * scene.size);
  sheet.fabric.warp_stiffness = sheet.fabric.weft_stiffness = scene.stiffness;
  sheet.inner_steps = scene.inner_steps;
  sheet.material.friction = scene.friction;
  const TriangleMesh rest = sheet.mesh;
  const BodyId id = world.add(sheet);
  ClothRun run{.engine = threads == 1 ? "carom" : "carom, " + std::to_string(threads) + " threads"};
  for (int i = 0; i < scene.steps; ++i) {
    const Stopwatch stopwatch;
    world.step();
    const Duration time = stopwatch.elapsed();
    run.step_ms.push_back(time.cpu_ms);
    run.wall_ms.push_back(time.wall_ms);
    run.limited.push_back(world.stats()[Stage::commit].limited);
    run.stats.add(world.stats());
    note_frame(rest, world.positions(id), i % 10 == 9 || i + 1 == scene.steps, run);
  }
  run.end.assign(world.positions(id).begin(), world.positions(id).end());
  return run;
}

}  // namespace carom::bench
