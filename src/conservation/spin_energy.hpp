#pragma once

#include <span>
#include <vector>

#include "conservation/island_invariants.hpp"

namespace carom::conservation {

struct SpinScratch {
  /// A body that turns by radians in a step and came out of its contacts with more energy than it had.
  struct Spinning {
    std::int32_t body = 0;
    double free = 0;  ///< J, if nothing had touched it
    double next = 0;  ///< J, at the end of the step
  };
  std::vector<Spinning> spinning;
  std::vector<double> island_gain;    ///< J, by the root of an island: what it gained by its contacts
  std::vector<double> spinning_gain;  ///< J, by the root of an island: what those of its bodies gained that spin
};

/// Bodies that turn by radians in a step lose the energy that their island gained by its contacts.
void clamp_spin_energy(const IslandIn& in, SpinScratch& scratch, std::span<rigid::Motion> next);

}  // namespace carom::conservation
