#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "bench/stopwatch.hpp"
#include "carom/core/stats.hpp"
#include "carom/mesh/tetrahedra.hpp"

/// One scene of a soft body, the same for all engines: a torus of tetrahedra falls on a plane.
namespace carom::bench {

struct SoftScene {
  double radius = 0.5;       ///< m
  double tube_radius = 0.2;  ///< m
  double voxel = 0.05;       ///< m; six tetrahedra each
  double drop = 0.8;         ///< m, of its center above the plane
  double density = 1000;     ///< kg/m^3
  double young_modulus = 1e5;
  double thickness = 0.01;  ///< m
  double dt = 1.0 / 60;     ///< s
  int steps = 120;
};

/// Tetrahedra of the voxels of the torus, along one diagonal (Kuhn).
TetrahedralMesh torus_of(const SoftScene& scene);

struct SoftRun {
  std::string engine{};
  std::vector<double> step_ms{};  ///< of each step, processor time of all threads
  std::vector<double> wall_ms{};
  double lowest = 0;      ///< m, of all vertices at the end
  double height = 0;      ///< m, highest less lowest at the end
  std::size_t pairs = 0;  ///< of triangles that intersect, most of the frames looked at
  PipelineStats stats{};  ///< sums over the run
};

/// `voxels`: the lattice of the surface instead of tetrahedra.
SoftRun run_carom(const SoftScene& scene, bool voxels, int threads);
/// btSoftBody with links along the edges, volumes, and `iterations`; no collision with itself.
SoftRun run_bullet_soft(const SoftScene& scene, int iterations);

/// Adds what there is to say of a frame.
void note_frame(const std::vector<Triangle>& triangles, std::span<const Eigen::Vector3d> now, bool count_pairs,
                SoftRun& run);

}  // namespace carom::bench
