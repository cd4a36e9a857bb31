#include "kernels/ccd_miss_filter.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "every_target.hpp"
#include "oracle/moving_pairs.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

class Misses : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, Misses, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

struct Pair {
  double points[8][3];
};

Pair make_pair(const FeatureMotion& motion) {
  Pair pair{};
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      pair.points[i][k] = (i < 4 ? motion.start[i] : motion.end[i - 4])[static_cast<Eigen::Index>(k)];
    }
  }
  return pair;
}

void store(const Pair& pair, std::size_t at, kernels::MissBatch& batch) {
  for (std::size_t i = 0; i < 8; ++i) {
    batch.x[i][at] = pair.points[i][0];
    batch.y[i][at] = pair.points[i][1];
    batch.z[i][at] = pair.points[i][2];
  }
}

TEST_P(Misses, AreThoseOfTheReference) {
  std::mt19937_64 random(3);
  const auto batch = std::make_unique<kernels::MissBatch>();
  std::size_t missing = 0;
  std::size_t others = 0;
  for (int round = 0; round < 200; ++round) {
    for (const ContactKind kind : {ContactKind::vertex_face, ContactKind::edge_edge}) {
      const std::size_t count = 1 + random() % kernels::miss_batch;
      const double separation = round % 2 == 0 ? 0 : std::pow(10.0, -5 * oracle::uniform(random));
      std::vector<Pair> pairs;
      for (std::size_t i = 0; i < kernels::miss_batch; ++i) {
        const auto degeneracy = static_cast<oracle::Degeneracy>(random() % oracle::degeneracy_count);
        pairs.push_back(make_pair(oracle::make_moving_pair(kind, degeneracy, random)));
        if (random() % 64 == 0) {
          const double bad[] = {std::numeric_limits<double>::quiet_NaN(), INFINITY, -INFINITY};
          pairs.back().points[random() % 8][random() % 3] = bad[random() % 3];
        }
        store(pairs.back(), i, *batch);
      }
      std::uint8_t out[kernels::miss_batch];
      std::fill(std::begin(out), std::end(out), std::uint8_t{7});
      const bool face = kind == ContactKind::vertex_face;
      (face ? kernels::ccd_misses_vertex_triangle : kernels::ccd_misses_edge_edge)(*batch, count, separation, out);
      for (std::size_t i = 0; i < count; ++i) {
        const bool misses = kernels::ccd_misses_reference(face ? 3 : 4, pairs[i].points, separation);
        ASSERT_EQ(out[i], misses ? 1 : 0) << "round " << round << ", pair " << i;
        ++(misses ? missing : others);
      }
    }
  }
  EXPECT_GT(missing, 1000U);
  EXPECT_GT(others, 1000U);
}

TEST_P(Misses, NothingThatIsNotANumberMisses) {
  // Far apart, but for one coordinate that nobody knows, in every place of the vector.
  std::mt19937_64 random(4);
  const auto batch = std::make_unique<kernels::MissBatch>();
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL}) {
    for (std::size_t point = 0; point < 8; ++point) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t i = 0; i < kernels::miss_batch; ++i) {
          FeatureMotion motion = oracle::make_moving_pair(ContactKind::edge_edge, oracle::Degeneracy::none, random);
          for (auto* side : {&motion.start, &motion.end}) {
            (*side)[0].y() += 10;
            (*side)[1].y() += 10;
          }
          Pair pair = make_pair(motion);
          pair.points[point][axis] = bad;
          store(pair, i, *batch);
        }
        std::uint8_t out[kernels::miss_batch];
        kernels::ccd_misses_edge_edge(*batch, kernels::miss_batch, 0, out);
        for (const std::uint8_t misses : out) ASSERT_EQ(misses, 0) << point << " " << axis << " " << bad;
      }
    }
  }
}

}  // namespace
}  // namespace carom
