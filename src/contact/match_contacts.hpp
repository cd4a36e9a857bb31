#pragma once

#include <span>
#include <vector>

#include "bodies/travel.hpp"
#include "carom/world/world.hpp"
#include "contact/pair_table.hpp"

/// Stage `contacts` of shapes: ids for new points, and the list of pairs that have any.
namespace carom::contact {

/// Pairs with contact points that the response has to solve.
struct ActivePairs {
  std::vector<ActivePair> pairs;
  std::size_t points = 0;
  std::size_t fresh_points = 0;  ///< that began in this step

  // Working memory.
  OrderedAppend<ActivePair> append;
  /// Records of a chunk that are visited one by one.
  struct Unsettled {
    std::vector<std::uint32_t> entries;  ///< with points that have no id yet, or of a body that sleeps
    bool some_idle = false;              ///< some of them touch, but need no contact unless they wake up
  };
  std::vector<Unsettled> unsettled;
};

/// Wakes bodies that sleep and are touched for the first time, or by a body faster than `sleep_speed` (m/s).
void match_contacts(Context& context, Bodies& bodies, ColliderSpan<const rigid::ColliderTravel> travel,
                    double sleep_speed, PairTable& table, ActivePairs& active, StageStats& stats);

/// Adds the contacts of shapes, as they were in the last step, to the list that users see.
void add_contacts(const Bodies& bodies, const PairTable& table, double resting_speed, std::vector<WorldContact>& list);

}  // namespace carom::contact
