#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "carom/scene.hpp"

namespace carom::app {

/// What is known of a run of rigid bodies besides.
struct RigidSummary {
  double largest_penetration = 0;  ///< m, of any contact of any step
  double last_penetration = 0;     ///< m, of any contact of the last step
  double collider_error = 0;       ///< m, largest of all bodies, see World::collider_error()
  double largest_drift = 0;        ///< m, of the centre of mass of a dynamic body, from the start of the run to its end
  std::string drifted;             ///< the body
  double kinetic_energy = 0;       ///< J, at the end
  double potential_energy = 0;     ///< J, at the end; 0 where all is at the origin
  std::optional<double> largest_residual;  ///< of any step, see World::response_residual()
  std::size_t limited = 0;    ///< of all steps: results of the response that a limit of it changed, see StageStats
  std::size_t colliding = 0;  ///< contacts of the last step, see ContactMotion
  std::size_t resting = 0;
  std::size_t separating = 0;
};

struct RunSummary {
  std::size_t steps = 0;
  bool interrupted = false;
  double ms_per_step = 0;      ///< mean
  double ms_per_step_p99 = 0;  ///< no more than one step in a hundred took longer
  std::size_t frames_with_contacts = 0;
  std::size_t most_contacts = 0;
  std::size_t vertex_face = 0;  ///< contacts of meshes in the last step
  std::size_t edge_edge = 0;
  std::optional<RigidSummary> rigid;
  std::vector<std::string> lost;  ///< bodies outside the bounds of the scene, or not finite
  std::uint64_t hash = 0;
};

/// Contacts of one step.
struct ContactCount {
  std::size_t vertex_face = 0;
  std::size_t edge_edge = 0;
  std::size_t colliding = 0;
  std::size_t resting = 0;
  std::size_t separating = 0;
  double min_distance = INFINITY;  ///< m

  std::size_t all() const { return vertex_face + edge_edge + colliding + resting + separating; }
};

/// Watches a world from step to step. Refers to scene and world.
class RunMeter {
 public:
  RunMeter(const Scene& scene, const World& world);

  /// Call after each step.
  ContactCount add_step(double ms);
  RunSummary summary() const;

 private:
  RigidSummary rigid_summary() const;
  bool is_lost(std::size_t body) const;

  const Scene& scene_;
  const World& world_;
  std::vector<BodyId> bodies_;          ///< in the order of the scene
  std::vector<Eigen::Vector3d> start_;  ///< centres of mass of rigid bodies
  bool any_rigid_ = false;
  std::vector<double> step_ms_;
  std::size_t frames_with_contacts_ = 0;
  std::size_t most_contacts_ = 0;
  double largest_penetration_ = 0;
  std::optional<double> largest_residual_;
  std::size_t limited_ = 0;
  ContactCount last_;
};

nlohmann::ordered_json summary_json(const RunSummary& summary);
/// For people, one or several lines.
std::string summary_text(const RunSummary& summary);

/// A run of the same scene with one response; `failure` says why it ended early, if it did.
struct ComparedRun {
  std::string response;
  RunSummary summary;
  std::string failure;
};
/// A column for each.
std::string comparison_table(const std::vector<ComparedRun>& runs);

}  // namespace carom::app
