#pragma once

#include <span>
#include <vector>

#include "conservation/island_invariants.hpp"

namespace carom::conservation {

struct SpinScratch {
  /// A body that turns by radians in a step and came out of its contacts with more energy than it had.
  struct Spinning {
    BodySlot body{};
    double free = 0;  ///< J, if nothing had touched it
    double next = 0;  ///< J, at the end of the step
  };
  std::vector<Spinning> spinning;
  BySlot<double> island_gain;    ///< J, at the root of an island: energy that it gained by its contacts
  BySlot<double> spinning_gain;  ///< J, at the root of an island: energy that its spinning bodies gained
};

/// Bodies that turn by radians in a step lose the energy that their island gained by its contacts.
void clamp_spin_energy(const IslandIn& in, SpinScratch& scratch, SlotSpan<rigid::Motion> next);

}  // namespace carom::conservation
