#include "response/budget.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace carom::response {
namespace {

double cost_of(std::span<const BudgetClaim> claims, std::span<const int> counts) {
  double cost = 0;
  for (std::size_t i = 0; i < claims.size(); ++i) cost += claims[i].cost * counts[i];
  return cost;
}

/// By trying: the most important claims first, each fraction at which some claim gets one inner step more.
std::vector<int> shares_by_trying(std::vector<BudgetClaim> claims, double budget) {
  std::vector<int> counts;
  for (const BudgetClaim& claim : claims) counts.push_back(claim.fewest);
  std::vector<Importance> ranks;
  for (const BudgetClaim& claim : claims) ranks.push_back(claim.importance);
  std::ranges::sort(ranks, std::greater());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  for (const Importance& rank : ranks) {
    // Fractions as pairs of whole numbers, so that none is missed by rounding.
    std::vector<std::pair<int, int>> fractions{{0, 1}, {1, 1}};
    for (const BudgetClaim& claim : claims) {
      const int range = claim.wanted - claim.fewest;
      for (int k = 1; k < range; ++k) fractions.emplace_back(k, range);
    }
    std::ranges::sort(fractions, [](const auto& a, const auto& b) { return a.first * b.second < b.first * a.second; });
    bool whole = false;
    for (const auto& [above, below] : fractions) {
      std::vector<int> tried = counts;
      for (std::size_t i = 0; i < claims.size(); ++i) {
        if (claims[i].importance == rank)
          tried[i] = claims[i].fewest + above * (claims[i].wanted - claims[i].fewest) / below;
      }
      if (above > 0 && cost_of(claims, tried) > budget) break;
      counts = tried;
      whole = above == below;
    }
    if (!whole) break;
  }
  return counts;
}

std::vector<BudgetClaim> any_claims() {
  std::vector<BudgetClaim> claims(static_cast<std::size_t>(*rc::gen::inRange(1, 6)));
  for (BudgetClaim& claim : claims) {
    claim.fewest = *rc::gen::inRange(1, 8);
    claim.wanted = claim.fewest + *rc::gen::inRange(0, 20);
    // Whole numbers: sums in any order are the same.
    claim.cost = *rc::gen::inRange(1, 9);
    claim.importance = {.given = static_cast<double>(*rc::gen::inRange(0, 3)),
                        .urgency = static_cast<std::uint8_t>(*rc::gen::inRange(0, 3))};
  }
  return claims;
}

RC_GTEST_PROP(ShareBudget, IsWhatTryingAllFractionsFinds, ()) {
  const std::vector<BudgetClaim> claims = any_claims();
  const double budget = *rc::gen::inRange(0, 1000);
  RC_ASSERT(share_budget(claims, budget) == shares_by_trying(claims, budget));
}

RC_GTEST_PROP(ShareBudget, KeepsWithinTheBudgetAndBetweenFewestAndWanted, ()) {
  const std::vector<BudgetClaim> claims = any_claims();
  const double budget = *rc::gen::inRange(0, 1000);
  const std::vector<int> counts = share_budget(claims, budget);
  double least = 0;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    RC_ASSERT(counts[i] >= claims[i].fewest);
    RC_ASSERT(counts[i] <= claims[i].wanted);
    least += claims[i].cost * claims[i].fewest;
    // Nobody has more than the fewest while one that is more important lacks something.
    for (std::size_t k = 0; k < claims.size(); ++k) {
      if (counts[i] > claims[i].fewest && claims[k].importance > claims[i].importance)
        RC_ASSERT(counts[k] == claims[k].wanted);
    }
  }
  RC_ASSERT(cost_of(claims, counts) <= std::max(budget, least));
}

TEST(ShareBudget, TakesFromTheLeastImportantFirst) {
  const auto shares = [](double budget) {
    const std::vector<BudgetClaim> claims{
        {.cost = 1, .wanted = 20, .fewest = 18, .importance = {.given = 1}},
        {.cost = 1, .wanted = 40, .fewest = 4, .importance = {.given = 2}},
        {.cost = 2, .wanted = 10, .fewest = 4, .importance = {.given = 1, .urgency = 2}}};
    return share_budget(claims, budget);
  };
  EXPECT_EQ(shares(100), (std::vector<int>{20, 40, 10}));
  EXPECT_EQ(shares(80), (std::vector<int>{20, 40, 10})) << "20 + 40 + 2 x 10";
  EXPECT_EQ(shares(79), (std::vector<int>{19, 40, 10})) << "the one that nothing touches, of the less important two";
  EXPECT_EQ(shares(72), (std::vector<int>{18, 40, 7})) << "then the other";
  EXPECT_EQ(shares(60), (std::vector<int>{18, 34, 4})) << "the important one last";
  EXPECT_EQ(shares(0), (std::vector<int>{18, 4, 4})) << "and none below its fewest";
}

TEST(ShareBudget, EqualClaimsLoseTheSameFraction) {
  const std::vector<BudgetClaim> claims{{.cost = 3, .wanted = 104, .fewest = 4},
                                        {.cost = 1, .wanted = 54, .fewest = 4}};
  // 16 for the fewest; of 350 beyond them half.
  EXPECT_EQ(share_budget(claims, 16 + 175), (std::vector<int>{54, 29}));
}

}  // namespace
}  // namespace carom::response
