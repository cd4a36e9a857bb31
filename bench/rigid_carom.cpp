#include "bench/rigid_run.hpp"
#include "carom/world/world.hpp"

namespace carom::bench {

RigidRun run_carom(const RigidScene& scene, int steps, double dt, int threads) {
  WorldOptions options;
  options.dt = dt;
  options.gravity = scene.gravity;
  options.threads = threads;
  options.solver.sleep.enabled = false;
  World world(options);
  std::vector<BodyId> ids;
  for (const RigidBody& body : scene.bodies) ids.push_back(world.add(body));
  RigidRun run{.engine = threads == 1 ? "carom" : "carom, " + std::to_string(threads) + " threads"};
  for (int i = 0; i < steps; ++i) {
    const Stopwatch stopwatch;
    world.step();
    note_step(stopwatch.elapsed(), threads, run);
  }
  for (const BodyId id : ids) run.poses.push_back(world.pose(id));
  return run;
}

}  // namespace carom::bench
