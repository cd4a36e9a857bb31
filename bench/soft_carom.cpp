#include <algorithm>

#include "bench/soft_run.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"
#include "mesh/voxels.hpp"

namespace carom::bench {

TetrahedralMesh torus_of(const SoftScene& scene) {
  const mesh::VoxelLattice lattice =
      mesh::make_voxels("torus", make_torus(scene.radius, scene.tube_radius, 64, 32), {.size = scene.voxel});
  TetrahedralMesh tetrahedra{lattice.nodes, {}};
  for (const auto& c : lattice.corners) {
    for (const auto& [a, b] : {std::array{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}})
      tetrahedra.tetrahedra.push_back({c[0], c[static_cast<std::size_t>(a)], c[static_cast<std::size_t>(b)], c[7]});
  }
  for (Eigen::Vector3d& p : tetrahedra.positions) p.y() += scene.drop;
  return tetrahedra;
}

void note_frame(const std::vector<Triangle>& triangles, std::span<const Eigen::Vector3d> now, bool count_pairs,
                SoftRun& run) {
  double low = now.front().y();
  double high = low;
  for (const Eigen::Vector3d& p : now) {
    low = std::min(low, p.y());
    high = std::max(high, p.y());
  }
  run.lowest = low;
  run.height = high - low;
  if (!count_pairs) return;
  const Surface surface(now.size(), triangles, std::vector<Index>(triangles.size(), 0));
  run.pairs = std::max(run.pairs, intersections(surface, now, {.threads = 1}).size());
}

SoftRun run_carom(const SoftScene& scene, bool voxels, int threads) {
  WorldOptions options;
  options.dt = scene.dt;
  options.contact.distance = scene.thickness;
  options.threads = threads;
  options.solver.sleep.enabled = false;
  World world(options);
  RigidBody plane;
  plane.name = "plane";
  plane.shape = Shape::half_space({0, 1, 0}, 0);
  plane.motion = MotionModel::fixed;
  world.add(plane);
  SoftBody torus;
  torus.name = "torus";
  torus.elasticity = {
      .density = scene.density, .young_modulus = scene.young_modulus, .poisson_ratio = 0.4, .damping = 0.01};
  if (voxels) {
    torus.mesh = make_torus(scene.radius, scene.tube_radius, 64, 32);
    for (Eigen::Vector3d& p : torus.mesh.positions) p.y() += scene.drop;
    torus.voxel_size = scene.voxel;
  } else {
    torus.tetrahedra = torus_of(scene);
  }
  const BodyId id = world.add(torus);
  const std::vector<Triangle> triangles(world.triangles(id).begin(), world.triangles(id).end());
  SoftRun run{.engine = std::string(voxels ? "carom, voxels" : "carom, tetrahedra") + ", " + std::to_string(threads) +
                        (threads == 1 ? " thread" : " threads")};
  for (int i = 0; i < scene.steps; ++i) {
    const Stopwatch stopwatch;
    world.step();
    const Duration time = stopwatch.elapsed();
    run.step_ms.push_back(time.cpu_ms);
    run.wall_ms.push_back(time.wall_ms);
    run.stats.add(world.stats());
    note_frame(triangles, world.positions(id), i % 10 == 9 || i + 1 == scene.steps, run);
  }
  return run;
}

}  // namespace carom::bench
