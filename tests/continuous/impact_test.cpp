#include <gtest/gtest.h>

#include "carom/core/error.hpp"
#include "oracle/impact_check.hpp"
#include "oracle/moving_pairs.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

using oracle::Degeneracy;

class Impacts : public testing::TestWithParam<int> {
 protected:
  Degeneracy degeneracy() const { return static_cast<Degeneracy>(GetParam()); }
};

const std::array<const char*, oracle::degeneracy_count> names{
    "none",         "grid",        "contact",        "near_miss",    "in_a_plane", "turning_plane",
    "still",        "translation", "collapsed",      "parallel",     "huge",       "tiny",
    "mixed_scales", "far_away",    "touch_at_start", "touch_at_end", "wild"};

INSTANTIATE_TEST_SUITE_P(OfEveryKind, Impacts, testing::Range(0, oracle::degeneracy_count),
                         [](const auto& kind) { return names[static_cast<std::size_t>(kind.param)]; });

TEST_P(Impacts, AreThoseOfRationalArithmetic) {
  std::mt19937_64 random(static_cast<std::uint64_t>(100 + GetParam()));
  int collisions = 0;
  int free = 0;
  // Numbers of all sizes are thousands of bits long for the oracle.
  const int rounds = degeneracy() == Degeneracy::wild ? 25 : 100;
  for (int round = 0; round < rounds; ++round) {
    for (const ContactKind kind : {ContactKind::vertex_face, ContactKind::edge_edge}) {
      const FeatureMotion motion = oracle::make_moving_pair(kind, degeneracy(), random);
      bool collides = false;
      ASSERT_EQ(oracle::impact_violation(kind, motion, collides), "") << "round " << round;
      ++(collides ? collisions : free);
    }
  }
  EXPECT_GT(collisions, 2);
  if (degeneracy() != Degeneracy::contact && degeneracy() != Degeneracy::touch_at_start &&
      degeneracy() != Degeneracy::touch_at_end) {
    EXPECT_GT(free, 2);
  }
}

TEST_P(Impacts, KeepTheSeparation) {
  std::mt19937_64 random(static_cast<std::uint64_t>(200 + GetParam()));
  for (int round = 0; round < 40; ++round) {
    for (const ContactKind kind : {ContactKind::vertex_face, ContactKind::edge_edge}) {
      const FeatureMotion motion = oracle::make_moving_pair(kind, degeneracy(), random);
      const double size = (motion.start[0] - motion.end[3]).cwiseAbs().maxCoeff();
      const double separation = std::min(size * std::pow(10.0, -6 * oracle::uniform(random)), 1e300);
      ASSERT_EQ(oracle::separation_violation(kind, motion, separation, 32), "") << "round " << round;
    }
  }
}

/// Scaled back to subnormal lengths, the tolerance was once rounded down.
TEST(ImpactRegressions, AToleranceOfSubnormalLengthIsNotTooSmall) {
  const FeatureMotion motion{{{{-0x0.0006a4p-1022, -0x0.00028cp-1022, -0x0.0004e4p-1022},
                               {-0x0.0008p-1022, -0x0.0004p-1022, 0x0.0008p-1022},
                               {0x0.0003cp-1022, -0x0.00018p-1022, -0x0.0005cp-1022},
                               {0x0p+0, 0x0.0008p-1022, -0x0.0004p-1022}}},
                             {{{0x0.00021cp-1022, 0x0.000a34p-1022, 0x0.00071cp-1022},
                               {-0x0.0008p-1022, 0x0.0008p-1022, -0x0.0004p-1022},
                               {0x0p+0, -0x0.00014p-1022, -0x0.00048p-1022},
                               {0x0.0008p-1022, 0x0.0008p-1022, 0x0.0008p-1022}}}};
  EXPECT_EQ(oracle::separation_violation(ContactKind::vertex_face, motion, 3.51026349727e-313, 16), "");
}

}  // namespace
}  // namespace carom
