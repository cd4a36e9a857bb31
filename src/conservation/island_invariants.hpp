#pragma once

#include <span>
#include <vector>

#include "bodies/rigid_step.hpp"
#include "ccd/limit_motion.hpp"
#include "contact/match_contacts.hpp"
#include "core/context.hpp"
#include "island/islands.hpp"

/// Conservation: what islands that nothing holds must keep over a step, whatever the response did.
namespace carom::conservation {

struct IslandIn {
  const rigid::Bodies& bodies;
  SlotSpan<const rigid::Free> free;
  SlotSpan<const std::uint8_t> solved;
  const island::Islands& islands;
  std::span<const contact::ActivePair> active;
  ManifoldSpan<const contact::CachedManifold> manifolds;
  std::span<const double> stored;  ///< J, of each active pair: in its springs at the beginning; empty: no springs
  const ccd::Scratch& ccd;
  math::Vec3 gravity;  ///< m/s^2
  double dt = 0;       ///< s
};

/// Energy of the springs of each active pair, J, before the response changes it.
void store_spring_energy(std::span<const contact::ActivePair> active,
                         ManifoldSpan<const contact::CachedManifold> manifolds, std::vector<double>& stored);

/// Rigid bodies that touch each other and nothing that is held keep their angular momentum to rounding, and gain no
/// energy. Poses change, so this comes before the continuous stage. After it, with `after_stops`, it is done once more
/// where bodies were stopped by each other; then of the velocities only. `gain` is working memory.
void restore_island_invariants(Context& context, const IslandIn& in, bool after_stops, BySlot<double>& gain,
                               SlotSpan<rigid::Motion> next, StageStats& stats);

}  // namespace carom::conservation
