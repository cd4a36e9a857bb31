#pragma once

#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "carom/io/scene.hpp"

namespace carom::app {

/// Contacts of one step.
struct ContactCount {
  std::size_t colliding = 0;  ///< see ContactMotion
  std::size_t resting = 0;
  std::size_t separating = 0;
  // The same contacts, by the features that touch.
  std::size_t points = 0;
  std::size_t vertex_face = 0;
  std::size_t edge_edge = 0;
  double min_distance = INFINITY;  ///< m

  std::size_t all() const { return colliding + resting + separating; }
};

/// Body of which a time budget left out inner steps, over a run.
struct LimitedRun {
  std::string name;
  std::size_t steps = 0;        ///< in which it did
  std::size_t inner_steps = 0;  ///< that were made in these
  std::size_t left_out = 0;     ///< that were not
};

struct RunSummary {
  std::size_t steps = 0;
  bool interrupted = false;
  double ms_per_step = 0;      ///< mean
  double ms_per_step_p99 = 0;  ///< no more than one step in a hundred took longer
  std::size_t frames_with_contacts = 0;
  std::size_t max_contacts = 0;
  ContactCount contacts;           ///< of the last step
  double largest_penetration = 0;  ///< m, of any contact of any step
  double last_penetration = 0;     ///< m, of any contact of the last step
  double collider_error = 0;       ///< m, largest of all bodies, see World::collider_error()
  double largest_drift = 0;  ///< m, of the centre of a body that contacts move, from the start of the run to its end
  std::string drifted;       ///< the body
  WorldBalance end;          ///< at the end
  double energy_drift = 0;   ///< J: energy at the end less that at the start
  /// N s: by how much the momentum at the end differs from that at the start and what gravity adds. 0 if nothing that
  /// is held was touched.
  double momentum_drift = 0;
  std::optional<double> largest_residual;  ///< of any step, see World::response_residual()
  std::size_t limited = 0;  ///< of all steps: results of the response that a limit of it changed, see StageStats
  std::vector<LimitedRun> limited_bodies;  ///< most that was left out first
  std::size_t stopped = 0;  ///< of all steps: vertices and bodies that the stage commit stopped before an impact
  /// Tangles of the first step that had any, and what became of them.
  std::vector<WorldTangle> tangles;
  std::vector<std::array<std::string, 2>> tangled_bodies;  ///< names, of each of `tangles`
  std::size_t tangled_steps = 0;                           ///< steps that began with tangles
  std::size_t tangled_pairs = 0;                           ///< pairs of triangles that intersect in the last step
  bool tangled_at_end = false;                             ///< the last step began with tangles
  double cut_length = 0;                                   ///< m, of all cuts of cloth at rest
  double cut_area = 0;                                     ///< m^2, of all cuts of soft bodies at rest
  std::vector<std::pair<double, std::string>> pieces;      ///< that came off bodies: time (s) and name
  std::vector<std::string> not_cut;                        ///< bodies that blades passed through and did not cut
  std::vector<std::string> lost;                           ///< bodies outside the bounds of the scene, or not finite
  std::uint64_t hash = 0;
};

/// Watches a world from step to step. Refers to scene and world.
class RunMeter {
 public:
  RunMeter(const Scene& scene, const World& world);

  /// Call after each step.
  ContactCount add_step(double ms);
  RunSummary summary() const;

 private:
  Eigen::Vector3d centre_of(std::size_t body) const;
  bool is_lost(std::size_t body) const;

  const Scene& scene_;
  const World& world_;
  std::vector<BodyId> bodies_;            ///< in the order of the scene
  std::vector<Eigen::Vector3d> centres_;  ///< at the start
  WorldBalance start_;
  std::vector<double> step_ms_;
  std::size_t frames_with_contacts_ = 0;
  std::size_t max_contacts_ = 0;
  double largest_penetration_ = 0;
  std::optional<double> largest_residual_;
  std::size_t limited_ = 0;
  std::map<BodyId, LimitedRun> limited_bodies_;
  std::size_t stopped_ = 0;
  std::vector<WorldTangle> tangles_;
  std::size_t tangled_steps_ = 0;
  std::size_t tangled_pairs_ = 0;
  bool tangled_at_end_ = false;
  double cut_length_ = 0;
  double cut_area_ = 0;
  std::vector<std::pair<double, std::string>> pieces_;
  std::vector<BodyId> not_cut_;  ///< in the order of the first time
  ContactCount last_;
};

nlohmann::ordered_json contacts_json(const ContactCount& count);
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
