#include "kernels/facet_bounds.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <random>
#include <vector>

#include "every_target.hpp"
#include "oracle/soup.hpp"

// Bounds of facets on every instruction set this machine has, against their scalar reference, bit by bit.
namespace carom::kernels {
namespace {

class FacetBounds : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
  std::mt19937_64 random_{19};

  float number(double low, double high) { return static_cast<float>(low + (high - low) * oracle::uniform(random_)); }
  std::vector<float> numbers(std::size_t count, double low, double high) {
    std::vector<float> all(count);
    for (float& x : all) x = number(low, high);
    return all;
  }
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, FacetBounds, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

void expect_same(const Facets& a, const Facets& b) {
  ASSERT_EQ(a.count, b.count);
  for (std::uint32_t g = 0; g < a.count; ++g) {
    EXPECT_EQ(a.groups[g].number, b.groups[g].number);
    for (std::size_t k = 0; k < facet_lanes; ++k) {
      const FacetGroup& p = a.groups[g];
      const FacetGroup& q = b.groups[g];
      for (const auto& [x, y] : {std::pair{p.x[k], q.x[k]},
                                 {p.y[k], q.y[k]},
                                 {p.z[k], q.z[k]},
                                 {p.base[k], q.base[k]},
                                 {p.ball[k], q.ball[k]},
                                 {p.bound[k], q.bound[k]}}) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y)) << g << " " << k;
      }
      EXPECT_EQ(p.corner[k], q.corner[k]);
    }
  }
}

TEST_P(FacetBounds, AreThoseOfTheReference) {
  const auto fast = std::make_unique<Facets>();
  const auto slow = std::make_unique<Facets>();
  std::size_t taken = 0;
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t stride = facet_lanes * (1 + static_cast<std::uint32_t>(round) % 5);
    std::vector<float> groups = numbers(6 * static_cast<std::size_t>(stride), -1, 1);
    for (std::size_t i = 4 * static_cast<std::size_t>(stride); i < groups.size(); ++i) {
      groups[i] = i < 5 * static_cast<std::size_t>(stride) ? number(0, 0.3) : number(1, 2);
    }
    std::vector<float> blocks = numbers(static_cast<std::size_t>(stride) * 5 * facet_lanes, -1, 1);
    for (std::size_t g = 0; g < stride; ++g) {
      for (std::size_t k = 0; k < facet_lanes; ++k) blocks[g * 5 * facet_lanes + 4 * facet_lanes + k] = number(1, 2);
    }
    const FanRows fan{groups.data(), stride, blocks.data()};
    FacetFrame frame;
    for (float* to : {frame.x, frame.y, frame.z, frame.t, frame.centre, frame.travel}) {
      for (std::size_t k = 0; k < 3; ++k) to[k] = number(-1, 1);
    }
    frame.radius = number(0, 1);
    frame.distance = number(0, 1);

    select_first_facets(fan, frame, *fast);
    select_first_facets_reference(fan, frame, *slow);
    expect_same(*fast, *slow);

    const float limit = number(-1, 2);
    ASSERT_TRUE(select_facets(fan, frame, limit, *fast));
    ASSERT_TRUE(select_facets_reference(fan, frame, limit, *slow));
    expect_same(*fast, *slow);
    taken += fast->count;
    const std::vector<float> corners = numbers(4 * max_marks, -1, 1);
    for (const auto& [first, last] : {std::pair{0U, 1U}, {1U, 12U}, {12U, 12U}, {12U, max_marks}}) {
      EXPECT_EQ(tighten_facets(*fast, corners.data(), first, last),
                tighten_facets_reference(*slow, corners.data(), first, last));
      expect_same(*fast, *slow);
    }
    std::vector<std::int32_t> marks(static_cast<std::size_t>(stride) * facet_lanes, 7);
    std::vector<std::int32_t> marks_too = marks;
    mark_facets(*fast, corners.data(), max_marks, limit, marks.data());
    mark_facets_reference(*slow, corners.data(), max_marks, limit, marks_too.data());
    EXPECT_EQ(marks, marks_too);
  }
  EXPECT_GT(taken, 200U);
}

TEST_P(FacetBounds, TooManyAreRefused) {
  const std::uint32_t stride = max_facets / facet_lanes + facet_lanes;
  const std::vector<float> groups(6 * static_cast<std::size_t>(stride), 1.0F);
  const std::vector<float> blocks(static_cast<std::size_t>(stride) * 5 * facet_lanes, 1.0F);
  const FanRows fan{groups.data(), stride, blocks.data()};
  const FacetFrame frame{};
  const auto facets = std::make_unique<Facets>();
  EXPECT_FALSE(select_facets(fan, frame, 10, *facets));
  EXPECT_FALSE(select_facets_reference(fan, frame, 10, *facets));
  EXPECT_TRUE(select_facets(fan, frame, 0.5F, *facets));
  EXPECT_EQ(facets->count, 0U);
}

}  // namespace
}  // namespace carom::kernels
