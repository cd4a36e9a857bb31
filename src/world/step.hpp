#pragma once

#include <optional>

#include "world/state.hpp"

namespace carom {

/// Motion of near surfaces against each other in a step of dt (s), m, from that in the last one; negative if not known.
double near_motion(const World::State& state, double dt);
/// The same of one surface where all that deforms are soft bodies; or negative.
double self_motion(const World::State& state, double dt);
/// Motion of soft bodies towards other surfaces in a step of dt (s), m, see contact::soft_approach().
double soft_approach(const World::State& state, double dt);

/// One walk of a world down the pipeline. Each function is a stage, the same for all bodies, and hands what it reads
/// and writes to the folder of the stage (docs/architecture.md).
class Step {
 public:
  explicit Step(World::State& state);

  void predict();
  void update_bounds();
  void find_pairs();
  void find_tangles();
  void find_contacts();
  void match_contacts();
  void build_islands();
  void respond();
  void limit_motion();
  void check() const { bodies::check_range(s_.bodies, s_.vertices, s_.time + dt_); }
  void commit();
  void sleep();

  PipelineStats stats() const { return joined(surfaces_, shapes_, s_.any_rigid); }

 private:
  conservation::IslandIn island_in() const;
  contact::AnchorIn anchor_in() const;
  void find_deep();
  void find_in_shapes();
  void match_surface_contacts();
  void join_stopped(bool surfaces);
  double time_left() const;
  void find_urgency();
  void note_limited();
  /// Whether some contacts that were found are not to count.
  bool chooses_contacts() const { return s_.options.contact.nearest_only || !s_.options.contact.edges; }

  World::State& s_;
  Context context_;
  math::Vec3 gravity_;
  double dt_;
  std::optional<Workers::Session> session_;
  PipelineStats surfaces_;  ///< counts of surfaces, and of what all bodies have in common
  PipelineStats shapes_;    ///< counts of bodies with a shape
};

}  // namespace carom
