#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

/// Shares of a time budget among what is solved apart from each other.
namespace carom::response {

/// Rank of an island: first what its bodies were given, then what happens to it.
struct Importance {
  double given = 1;
  std::uint8_t urgency = 0;  ///< see contact::find_urgency()
  friend auto operator<=>(const Importance&, const Importance&) = default;
};

/// Inner steps that an island asks for.
struct BudgetClaim {
  double cost = 0;  ///< s, of one inner step
  int wanted = 1;
  int fewest = 1;  ///< whatever the budget; at most `wanted`
  Importance importance{};
};

/// Inner steps of each claim. Each has its fewest; what the budget (s) has left goes to the most important claims
/// first, up to what they want, and a claim gets more than its fewest only where all that are more important have what
/// they want. Claims of one importance that cannot all have what they want get the same fraction of it, rounded down.
std::vector<int> share_budget(std::span<const BudgetClaim> claims, double budget);

}  // namespace carom::response
