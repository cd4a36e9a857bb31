#include "response/budget.hpp"

#include <algorithm>
#include <numeric>

namespace carom::response {
namespace {

/// The whole, in the units of fractions: whole numbers, so that equal claims get one more at the same fraction, and so
/// many that claims with up to 1e5 inner steps that differ do not.
constexpr std::uint64_t whole = std::uint64_t{1} << 40;

int steps_at(const BudgetClaim& claim, std::uint64_t fraction) {
  return claim.fewest + static_cast<int>(fraction * static_cast<std::uint64_t>(claim.wanted - claim.fewest) / whole);
}

}  // namespace

std::vector<int> share_budget(std::span<const BudgetClaim> claims, double budget) {
  std::vector<int> counts;
  double left = budget;
  for (const BudgetClaim& claim : claims) {
    counts.push_back(claim.fewest);
    left -= claim.cost * claim.fewest;
  }
  std::vector<std::size_t> order(claims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return claims[a].importance > claims[b].importance; });
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && claims[order[end]].importance == claims[order[begin]].importance) ++end;
    const auto equal = std::span(order).subspan(begin, end - begin);
    const auto cost_at = [&](std::uint64_t fraction) {
      double cost = 0;
      for (const std::size_t i : equal) cost += claims[i].cost * (steps_at(claims[i], fraction) - claims[i].fewest);
      return cost;
    };
    std::uint64_t fraction = whole;
    if (cost_at(whole) > left) {
      fraction = 0;
      for (std::uint64_t by = whole / 2; by > 0; by /= 2) {
        if (cost_at(fraction + by) <= left) fraction += by;
      }
    }
    for (const std::size_t i : equal) counts[i] = steps_at(claims[i], fraction);
    if (fraction < whole) break;
    left -= cost_at(whole);
  }
  return counts;
}

}  // namespace carom::response
