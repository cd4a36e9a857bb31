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
  std::span<const rigid::Motion> before;  ///< of each body, at the beginning of the step
  std::span<const double>
      vertex_speeds;  ///< m/s, of each body: mean over the step, of its fastest vertex; 0 without vertices
  SleepOptions options{};
  double dt = 0;  ///< s
};

struct SleepScratch {
  std::vector<std::uint8_t> supported;  ///< of each root: something at rest carries the island
  std::vector<double> time_at_rest;     ///< s, of each root: the least of its bodies
};

/// Fills `fallen` with the bodies that fall asleep now.
void update_sleep(const SleepIn& in, rigid::Bodies& bodies, SleepScratch& scratch, std::vector<std::int32_t>& fallen,
                  StageStats& stats);

}  // namespace carom::island
