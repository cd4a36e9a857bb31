#pragma once

#include <span>
#include <vector>

#include "carom/body/rigid.hpp"
#include "carom/core/stats.hpp"
#include "contact/anchor_contacts.hpp"
#include "island/islands.hpp"

/// Sleep: bodies of an island that have been slow for long enough fall asleep together.
namespace carom::island {

struct SleepIn {
  const Islands& islands;
  const contact::PairTable& pairs;
  const contact::AnchorList& anchors;
  std::span<const Touch> anchor_touches;  ///< bodies of each of these
  SlotSpan<const rigid::Motion> before;   ///< at the beginning of the step
  SlotSpan<const double> vertex_speeds;   ///< m/s, mean over the step, of the fastest vertex; 0 without vertices
  SleepOptions options{};
  double dt = 0;  ///< s
};

struct SleepScratch {
  BySlot<std::uint8_t> supported;  ///< at each root: 1 if something at rest carries the island
  BySlot<double> time_at_rest;     ///< s, at each root: minimum over the bodies of the island
};

/// Fills `fallen` with the bodies that fall asleep now.
void update_sleep(const SleepIn& in, rigid::Bodies& bodies, SleepScratch& scratch, std::vector<BodySlot>& fallen,
                  StageStats& stats);

}  // namespace carom::island
