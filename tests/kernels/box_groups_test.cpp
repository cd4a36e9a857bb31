#include "kernels/box_groups.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "every_target.hpp"

namespace carom {
namespace {

using kernels::NodePair;

class BoxGroups : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }

  int integer(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  /// Boxes on a small lattice, some infinite; some places without a box.
  void fill(float* place) {
    const float infinity = std::numeric_limits<float>::infinity();
    const bool none = integer(0, 6) == 0;
    const bool endless = integer(0, 20) == 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto low = static_cast<float>(integer(0, 12));
      place[k * 8] = none ? NAN : endless ? -infinity : low;
      place[(k + 3) * 8] = none ? NAN : endless ? infinity : low + static_cast<float>(integer(0, 4));
    }
  }

  std::mt19937_64 random_{17};
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, BoxGroups, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

TEST_P(BoxGroups, AreJoinedAndSearchedAsOneByOne) {
  constexpr std::size_t groups = 16;
  std::size_t joined = 0;
  std::size_t met = 0;
  for (int round = 0; round < 30; ++round) {
    std::vector<float> level(groups * kernels::group_floats);
    std::vector<float> nodes(groups / 8 * kernels::group_floats);
    for (std::size_t g = 0; g < groups; ++g) {
      float* group = level.data() + g * kernels::group_floats;
      for (std::size_t i = 0; i < 8; ++i) fill(group + i);
      float* node = nodes.data() + g / 8 * kernels::group_floats + g % 8;
      for (std::size_t k = 0; k < 3; ++k) {
        node[k * 8] = std::numeric_limits<float>::infinity();
        node[(k + 3) * 8] = -node[k * 8];
        for (std::size_t i = 0; i < 8; ++i) {
          node[k * 8] = std::fmin(node[k * 8], group[k * 8 + i]);
          node[(k + 3) * 8] = std::fmax(node[(k + 3) * 8], group[(k + 3) * 8 + i]);
        }
      }
    }
    std::vector<NodePair> pairs;
    for (std::uint32_t a = 0; a < groups; ++a) {
      for (std::uint32_t b = a; b < groups; ++b) pairs.push_back({a, b});
    }
    for (const bool with_itself : {false, true}) {
      std::vector<NodePair> fast(64 * pairs.size());
      std::vector<NodePair> slow(64 * pairs.size());
      fast.resize(
          kernels::join_groups(pairs.data(), pairs.size(), nodes.data(), level.data(), with_itself, fast.data()));
      slow.resize(kernels::join_groups_reference(pairs.data(), pairs.size(), nodes.data(), level.data(), with_itself,
                                                 slow.data()));
      EXPECT_EQ(fast, slow);
      joined += fast.size();
    }
    std::vector<float> asked;
    std::vector<float> one(kernels::group_floats);
    pairs.clear();
    for (std::uint32_t q = 0; q < 10; ++q) {
      fill(one.data());
      for (std::size_t k = 0; k < 6; ++k) asked.push_back(one[8 * k]);
      for (std::uint32_t g = 0; g < groups; ++g) pairs.push_back({q, g});
    }
    std::vector<NodePair> fast(8 * pairs.size());
    std::vector<NodePair> slow(8 * pairs.size());
    fast.resize(kernels::descend_groups(pairs.data(), pairs.size(), asked.data(), level.data(), fast.data()));
    slow.resize(kernels::descend_groups_reference(pairs.data(), pairs.size(), asked.data(), level.data(), slow.data()));
    EXPECT_EQ(fast, slow);
    met += fast.size();
  }
  EXPECT_GT(joined, 1000U);
  EXPECT_GT(met, 100U);
}

}  // namespace
}  // namespace carom
