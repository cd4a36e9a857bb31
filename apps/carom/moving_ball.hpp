#pragma once

#include <functional>
#include <vector>

#include "carom/mesh/surface.hpp"
#include "carom/world/world.hpp"

/// Experiment of Zouiouche 2012, chapter V: a cloth hangs by two corners in the wind, and a ball moves through the
/// place where it hangs, to and fro. The cloth is 10 units wide (V.6.1), here of 0.2 m; the document does not give the
/// size and the path of the ball.
namespace carom::app {

inline constexpr int coarse_vertices = 18;  ///< along a side (V.6.1)
inline constexpr int fine_vertices = 69;    ///< along a side (V.5.4)

struct MovingBallOptions {
  int vertices = fine_vertices;  ///< of the cloth, along a side
  int levels = 1;                ///< see ClothBody
  std::string method = "auto";
  int sphere_depth = 15;
  int steps = 60;
  int threads = 1;
  std::function<void(int step)> progress{};  ///< before each step; may throw
};

/// Means over the steps, if nothing else is said.
struct MovingBallRun {
  double active = 0;              ///< vertices
  std::uint64_t activations = 0;  ///< of all steps
  std::uint64_t deactivations = 0;
  double contacts = 0;
  double inner_pairs = 0;            ///< pairs of triangles or clusters that the stage mid leaves
  double cpu_ms = 0;                 ///< of a step
  double respond_ms = 0;             ///< of it, in the stage respond, by the clock
  double strain = 0;                 ///< 99th percentile of the edges, at the end
  std::size_t intersections = 0;     ///< pairs of triangles, of all steps
  std::vector<Eigen::Vector3d> end;  ///< positions of the cloth
  /// Cloth and ball as one surface, in up to `max_frames` steps spread over the run.
  std::vector<std::vector<Eigen::Vector3d>> frames;
  Surface surface{0, {}};
};

inline constexpr int max_frames = 12;
/// m, of the experiment.
inline constexpr double ball_contact_distance = 0.01;

MovingBallRun run_moving_ball(const MovingBallOptions& options);

}  // namespace carom::app
