#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <limits>

#include "carom/core/error.hpp"
#include "carom/detect/continuous.hpp"
#include "kernels/every_target.hpp"
#include "oracle/moving_pairs.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

std::vector<FeatureMotion> motions_of_every_kind(ContactKind kind, std::size_t count) {
  std::mt19937_64 random(11);
  std::vector<FeatureMotion> motions;
  for (std::size_t i = 0; i < count; ++i) {
    const auto degeneracy = static_cast<oracle::Degeneracy>(i % oracle::degeneracy_count);
    motions.push_back(oracle::make_moving_pair(kind, degeneracy, random));
  }
  return motions;
}

void expect_same_bits(const Impact& a, const Impact& b) {
  EXPECT_EQ(a.collides, b.collides);
  EXPECT_EQ(a.limited, b.limited);
  const auto same = [](double x, double y) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(y));
  };
  same(a.time, b.time);
  same(a.tolerance, b.tolerance);
  for (std::size_t i = 0; i < 4; ++i) same(a.weights[i], b.weights[i]);
  for (Eigen::Index k = 0; k < 3; ++k) same(a.normal[k], b.normal[k]);
}

class ImpactBatch : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, ImpactBatch, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

TEST_P(ImpactBatch, GivesWhatSingleQueriesGive) {
  for (const ContactKind kind : {ContactKind::vertex_face, ContactKind::edge_edge}) {
    for (const std::size_t count : {0U, 1U, 63U, 64U, 65U, 777U}) {
      const std::vector<FeatureMotion> motions = motions_of_every_kind(kind, count);
      for (const ContinuousOptions& options :
           {ContinuousOptions{}, ContinuousOptions{.exact = true}, ContinuousOptions{.separation = 0.01},
            ContinuousOptions{.separation = 0.01, .tolerance = 1e-3},
            ContinuousOptions{.separation = 0.2, .tolerance = 0, .budget = 7}}) {
        std::vector<Impact> impacts(count);
        first_impacts(kind, motions, options, impacts);
        std::vector<Vector3d> start;
        std::vector<Vector3d> end;
        std::vector<std::array<Index, 4>> pairs;
        for (const FeatureMotion& m : motions) {
          const auto first = static_cast<Index>(start.size());
          pairs.push_back({first, first + 1, first + 2, first + 3});
          start.insert(start.end(), m.start.begin(), m.start.end());
          end.insert(end.end(), m.end.begin(), m.end.end());
        }
        std::vector<IndexedImpact> hits;
        first_impacts(kind, start, end, pairs, options, hits);
        std::size_t next = 0;
        for (std::size_t i = 0; i < count; ++i) {
          const Impact single = first_impact(kind, motions[i], options);
          expect_same_bits(impacts[i], single);
          if (!single.collides) continue;
          ASSERT_LT(next, hits.size());
          EXPECT_EQ(hits[next].query, i);
          expect_same_bits(hits[next].impact, single);
          ++next;
        }
        EXPECT_EQ(next, hits.size());
      }
    }
  }
}

/// The message of the error that the call throws, and its code.
template <class Call>
std::pair<ErrorCode, std::string> error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {ErrorCode::io, "no error"};
}

using Told = std::pair<ErrorCode, std::string>;

TEST(ImpactErrors, NameTheQueryTheVertexAndTheOption) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<FeatureMotion> motions = motions_of_every_kind(ContactKind::edge_edge, 100);
  std::vector<Impact> impacts(100);
  const auto batch = [&](const ContinuousOptions& options) {
    return error_of([&] { first_impacts(ContactKind::edge_edge, motions, options, impacts); });
  };
  EXPECT_EQ(batch({}).second, "no error");
  EXPECT_EQ(batch({.separation = -1}).first, ErrorCode::invalid_argument);
  EXPECT_NE(batch({.separation = -1}).second.find("separation is -1"), std::string::npos);
  EXPECT_NE(batch({.separation = nan}).second.find("separation is nan"), std::string::npos);
  EXPECT_NE(batch({.separation = INFINITY}).second.find("separation is inf"), std::string::npos);
  EXPECT_NE(batch({.tolerance = -1e-9}).second.find("tolerance is -1e-09"), std::string::npos);
  EXPECT_NE(batch({.tolerance = nan}).second.find("tolerance is nan"), std::string::npos);
  EXPECT_NE(batch({.budget = 0}).second.find("budget is 0"), std::string::npos);
  EXPECT_EQ(batch({.separation = 1, .exact = true}).first, ErrorCode::unsupported);

  motions[77].end[2].y() = nan;
  EXPECT_EQ(batch({}), Told(ErrorCode::not_finite, "query 77: vertex 2 is not finite at the end"));
  EXPECT_EQ(error_of([&] { first_impact(ContactKind::edge_edge, motions[77]); }),
            Told(ErrorCode::not_finite, "vertex 2 is not finite at the end"));
  motions[5].start[0].x() = -INFINITY;
  EXPECT_EQ(batch({}), Told(ErrorCode::not_finite, "query 5: vertex 0 is not finite at the start"));

  impacts.pop_back();
  EXPECT_EQ(batch({}).first, ErrorCode::invalid_argument);

  const std::vector<Vector3d> points(4, Vector3d::Zero());
  std::vector<IndexedImpact> hits;
  const auto indexed = [&](std::vector<std::array<Index, 4>> pairs, std::size_t ends) {
    return error_of(
        [&] { first_impacts(ContactKind::vertex_face, points, std::span(points).first(ends), pairs, {}, hits); });
  };
  EXPECT_EQ(indexed({{0, 1, 2, 3}, {0, 1, 4, 3}}, 4).second, "query 1: vertex 4 is out of range; there are 4 vertices");
  EXPECT_EQ(indexed({{0, -1, 2, 3}}, 4).first, ErrorCode::bad_index);
  EXPECT_EQ(indexed({{0, 1, 2, 3}}, 3).first, ErrorCode::invalid_argument);
}

TEST(ChordDeviation, BoundsThePathOfATurningPoint) {
  for (const double angle : {0.01, 0.5, 1.5, 3.0}) {
    const double radius = 2;
    const Vector3d from(radius, 0, 0);
    const Vector3d to(radius * std::cos(angle), radius * std::sin(angle), 0);
    double farthest = 0;
    for (int i = 0; i <= 1000; ++i) {
      const double t = i / 1000.0;
      const Vector3d turned(radius * std::cos(t * angle), radius * std::sin(t * angle), 0);
      farthest = std::max(farthest, (turned - (from + t * (to - from))).norm());
    }
    EXPECT_LE(farthest, chord_deviation(radius, angle) * (1 + 1e-12));
    if (angle < 1) {
      EXPECT_GT(farthest, 0.9 * chord_deviation(radius, angle)) << "a bound, and not a loose one";
    }
  }
  EXPECT_EQ(chord_deviation(0, 5), 0);
  EXPECT_THROW(chord_deviation(-1, 1), Error);
  EXPECT_THROW(chord_deviation(1, INFINITY), Error);
}

}  // namespace
}  // namespace carom
