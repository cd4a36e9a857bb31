#pragma once

#include "ccd/limit_motion.hpp"

namespace carom::ccd {

using Path = Scratch::Path;
using Candidate = Scratch::Candidate;

constexpr std::int32_t at_rest = 0;  ///< a frame

/// The paths of bodies in a step, each made when it is first asked for.
class Paths {
 public:
  Paths(const In& in, Scratch& scratch, SlotSpan<const Motion> next);

  Path& of(BodySlot body) const;
  Path& of_collider(ColliderIndex collider) const;

  /// Pose at a time not before path.since.
  static Motion at(const Path& path, double time);
  /// m per step, of a point that moves with the path.
  static Vec3 velocity(const Path& path, const Vec3& point, double time);
  /// A box that holds the body from path.since to the end.
  broad::ColliderBox swept_box(const Path& path) const;
  /// rad, from a time to the end.
  static double turn(const Path& path, double begin) { return path.swept_pose.angle * (1 - begin); }

  static bool weak(const Path& path) {
    return path.state == Path::State::sweeping || path.state == Path::State::joined;
  }

  /// Its motion is not that of its own response.
  static bool taken_along(const Path& path) {
    return path.state == Path::State::joined || path.state == Path::State::carried;
  }

  void stop(Path& path, double time) const;
  /// Two that are weak move on as one, and all that they have joined before; `changed` is the list of these bodies.
  void join(Path& a, Path& b, double time, std::vector<BodySlot>& changed) const;
  /// For good: nothing moves it any more in this step.
  void squeeze(Path& path, double time) const;
  /// From there on it moves with the frame of `by`, which it meets in the impact. (The normal is from it to `by`.)
  void advance_points(Path& path, const Path& by, const Impact& impact) const;

 private:
  void leave(Path& path, double time) const;
  void rest(Path& path, double time, Path::State state) const;
  /// Straight on, without a turn.
  void move(Path& path, double time, const Eigen::Vector3d& per_step) const;
  void take_along(const Path& path, Path& other, double time, std::vector<BodySlot>& changed) const;
  bool may_follow(const Path& path, const Path& by) const;
  std::optional<Vec3> push_within_locks(const Path& path, const Path& by, const Impact& impact) const;

  const rigid::Bodies& bodies_;
  Scratch& s_;
  SlotSpan<const Motion> next_;
  double dt_;
  bool springs_;
};

}  // namespace carom::ccd
