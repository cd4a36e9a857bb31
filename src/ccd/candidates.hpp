#pragma once

#include "ccd/paths.hpp"

namespace carom::ccd {

/// Pairs of colliders whose bodies may come together: of bodies on their sweeps first, then of those whose path has
/// changed.
class Candidates {
 public:
  Candidates(const In& in, Scratch& scratch, SlotSpan<const Motion> next) : in_(in), s_(scratch), next_(next) {}

  /// Bounds of all motions, and the bodies that move so far that they might pass through something.
  void find_fast(Context& context);
  /// Pairs that might pass through each other on their sweeps.
  void find(Context& context, const Paths& paths);
  /// Pairs of a body from path.since on, as far as they are not among the candidates yet. `outside`: its path may leave
  /// its boxes in the broad phase.
  void find_of(const Paths& paths, BodySlot body, bool outside);

 private:
  const rigid::Bodies& bodies() const;
  const rigid::Collider& collider(ColliderIndex c) const;
  void bound_motion(BodySlot body, Scratch::Extremes& extremes);
  double against(BodySlot a, BodySlot b) const;
  bool might_pass(const rigid::Collider& a, const rigid::Collider& b, bool deep) const;
  bool pass_by(const rigid::Collider& a, const rigid::Collider& b) const;
  void add(const Paths& paths, ColliderIndex a, ColliderIndex b, ManifoldIndex manifold, MeshPairIndex mesh_pair);
  void add_unknown(const Paths& paths, ColliderIndex a, ColliderIndex b);
  void find_near(const Paths& paths, BodySlot body, const broad::ColliderBox& box);

  const In& in_;
  Scratch& s_;
  SlotSpan<const Motion> next_;
};

}  // namespace carom::ccd
