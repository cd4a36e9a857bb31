#include <algorithm>
#include <cmath>

#include "bench/rigid_scenes.hpp"
#include "bench/stopwatch.hpp"
#include "carom/world.hpp"

namespace carom::bench {

RigidRun run_carom(const RigidScene& scene, int steps, double dt, int threads) {
  WorldOptions options;
  options.dt = dt;
  options.threads = threads;
  options.rigid.sleep = false;
  World world(options);
  std::vector<BodyId> ids;
  for (const RigidBody& body : scene.bodies) ids.push_back(world.add(body));
  RigidRun run{.engine = threads == 1 ? "carom" : "carom, " + std::to_string(threads) + " threads"};
  for (int i = 0; i < steps; ++i) {
    const Stopwatch stopwatch;
    world.step();
    run.step_ms.push_back(stopwatch.elapsed().wall_ms);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (scene.bodies[i].kind != RigidKind::dynamic) continue;
    const Eigen::Vector3d p = world.pose(ids[i]).translation();
    run.largest_drift = std::max(run.largest_drift, (p - scene.bodies[i].pose.translation()).norm());
    if (!p.allFinite() || p.y() < -1) ++run.lost;
  }
  return run;
}

}  // namespace carom::bench
