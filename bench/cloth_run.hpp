#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "bench/stopwatch.hpp"
#include "carom/core/stats.hpp"
#include "carom/mesh/mesh.hpp"

/// One scene of cloth, the same for all engines: a square sheet falls flat on a fixed ball.
namespace carom::bench {

struct ClothScene {
  int vertices = 69;        ///< along each side
  double size = 2;          ///< m, of the sheet
  double mass = 0.8;        ///< kg, of the sheet
  double radius = 0.5;      ///< m, of the ball
  double drop = 0.05;       ///< m, of the sheet above the ball at the start
  double friction = 0.5;    ///< Coulomb's coefficient between the two
  double thickness = 0.01;  ///< m, contact distance where an engine has one
  double stiffness = 2000;  ///< N/m, of warp and weft where an engine has one
  double dt = 1.0 / 60;     ///< s
  int steps = 120;
  int inner_steps = 0;  ///< of Carom in a step; 0 = its default
};

/// The sheet at its start.
TriangleMesh sheet_of(const ClothScene& scene);

/// What an engine makes of the scene.
struct ClothRun {
  std::string engine{};
  std::vector<double> step_ms{};  ///< of each step, processor time of all threads
  std::vector<double> wall_ms{};
  std::vector<double> strain{};          ///< after each step: 99th percentile over the edges
  std::vector<std::uint64_t> limited{};  ///< after each step: vertices that the continuous stage has held back
  std::size_t intersecting_frames = 0;   ///< of those looked at
  std::size_t intersecting_pairs = 0;    ///< at the end
  PipelineStats stats{};                 ///< sums over the run
  std::vector<Eigen::Vector3d> end{};
};

ClothRun run_carom(const ClothScene& scene, int threads);

/// Ten sheets of 1 m and 24 x 24 vertices, 1 cm apart, that fall 6 cm on a ball of 0.3 m. Every frame is looked at for
/// intersecting triangles.
struct LayerScene {
  int layers = 10;
  int vertices = 24;
  double dt = 1.0 / 60;  ///< s
  int steps = 90;
  int inner_steps = 20;
};
ClothRun run_layers(const LayerScene& scene, int threads);
/// btSoftBody with `iterations` of its position solver. It has no collision of a sheet with itself that holds
/// (docs/benchmarks.md), so this is off.
ClothRun run_bullet(const ClothScene& scene, int iterations);

/// Adds what there is to say of a frame. Frames in which triangles are looked at for intersections are few, as that
/// takes longer than a step.
void note_frame(const TriangleMesh& rest, std::span<const Eigen::Vector3d> now, bool count_pairs, ClothRun& run);

}  // namespace carom::bench
