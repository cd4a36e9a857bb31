#pragma once

#include "ccd/paths.hpp"
#include "contact/thickness.hpp"

namespace carom::ccd {

using contact::thickness;

/// m; how far from each other two bodies stop that were apart. Less than the distance at which contacts are made, so
/// that there is one in the next step.
double stop_distance(const rigid::Collider& a, const rigid::Collider& b);

/// m; by so much an overlap that is too deep already may grow in a step.
double deep_slack(const rigid::Collider& a, const rigid::Collider& b);

/// When two colliders come together on their paths.
class TimeOfImpact {
 public:
  TimeOfImpact(const In& in, const Scratch& scratch)
      : bodies_(in.bodies), pairs_(in.pairs), springs_(in.springs), s_(scratch) {}

  /// Sets the impact of the candidate, from `begin` on; its time is 1 if there is none. Both paths must exist.
  void find(Candidate& candidate, double begin) const;

 private:
  /// One of the two colliders.
  struct Side {
    const rigid::Collider& collider;
    const Path& path;
    ColliderIndex number{};
  };
  Side side(ColliderIndex collider) const;
  void find_convex(Candidate& candidate, const Side& a, const Side& b, double begin) const;
  void find_at_mesh(Candidate& candidate, const Side& convex, const Side& mesh, double begin) const;
  bool touches_at_start(const Candidate& candidate) const;
  bool touches_mesh_at_start(const Candidate& candidate) const;
  bool stays_apart(Candidate& candidate, const Side& a, const Side& b, const convex::MovingPair& pair, double begin,
                   double min_gap) const;

  /// A shift away from a mesh, and the gap that the inner shape then has.
  struct Room {
    Vec3 shift;
    double width = INFINITY;
  };
  Room room_at_mesh(const Candidate& candidate, const Side& own, const Side& mesh, const Inner& inner) const;

  const rigid::Bodies& bodies_;
  const contact::PairTable& pairs_;
  bool springs_ = false;
  const Scratch& s_;
};

/// `shape` is that of the collider.
Inner make_inner(const rigid::Collider& c, const Shape& shape);

}  // namespace carom::ccd
