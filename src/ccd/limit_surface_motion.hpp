#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "detect/continuous_detection.hpp"
#include "math/rigid_fit.hpp"

/// The safety net under the response: cuts the motion of a step short so that nothing passes through anything, however
/// weak the response was. What it promises and why it holds is in docs/methods/continuous.md.
namespace carom::ccd::limit {

/// An object of the surface.
struct Part {
  Index first_vertex = 0;
  Index vertex_count = 0;
  bool kinematic = false;  ///< goes its way whatever is there: what is in its way is carried along
  /// Of cloth that was cut, m/s; how fast stress goes through it: what it reaches within the step stops along with what
  /// is stopped. 0: each vertex stops by itself.
  double stress_speed = 0;
  std::optional<std::uint32_t> whole{};  ///< sheet that it was a part of before it was cut
};

struct In {
  const Surface& surface;
  std::span<const Eigen::Vector3d> start;
  std::span<const double> inverse_mass;  ///< 1/kg of each vertex; 0 for what cannot be held back
  std::span<const Part> parts;           ///< of each object
  broad::ObjectChoice choice;            ///< what must not pass through what
  /// 1 for vertices that are held back although no force moves them, as pins on their way; or empty.
  std::span<const std::uint8_t> pins{};
};

struct Options {
  PairScope pairs = PairScope::all;
  mid::Method method = mid::Method::clusters;
  ContactFilters filters{};
  /// m; features that start the step closer than this come no closer in it.
  double gap = 0;
  double dt = 0;  ///< s, length of the step
  /// m; parts of one sheet that was cut have no side of each other where they start the step closer than this.
  double flush = 0;
};

struct Scratch {
  detection::Scratch detection;
  detection::ContinuousScratch continuous;
  std::vector<MovingContact> impacts;
  std::vector<MovingContact> stops;  ///< impacts of all rounds since the caller cleared them

  struct Pusher {
    bool known = false;
    bool moves = false;
    RigidMotion motion;
  };
  std::vector<Pusher> pushers;              ///< of each object
  std::vector<Index> pusher;                ///< of each vertex: the object that takes it along, or none
  std::vector<std::uint8_t> limited;        ///< vertices whose end is another
  std::vector<std::uint8_t> done_in_round;  ///< vertices
  std::vector<double> kept;                 ///< of each vertex: share of its way that it still goes
  std::vector<double> share;                ///< likewise, along with what else was stopped
  std::vector<Index> front;                 ///< vertices whose neighbors are still to be visited
};

/// Changes the ends of vertices, and no velocities, until no pair that counts meets on its way from
/// `start` to `end`. `stats.limited` counts these vertices; "rounds" how often the step was looked at, "impacts" what
/// the first look found, "unresolved" what is left, which there can only be where a scripted body is involved.
void run(Context& context, const In& in, const Options& options, Scratch& scratch, std::span<Eigen::Vector3d> end,
         StageStats& stats);

}  // namespace carom::ccd::limit
