#include "carom/detect/broad_phase.hpp"

#include <gtest/gtest.h>

#include <random>

#include "broad/broad_phase_model.hpp"
#include "carom/core/error.hpp"

namespace carom {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class BroadPhaseMethods : public ::testing::TestWithParam<std::string_view> {};

INSTANTIATE_TEST_SUITE_P(All, BroadPhaseMethods,
                         ::testing::ValuesIn(broad_phase_methods().begin(), broad_phase_methods().end()),
                         [](const auto& method) { return std::string(method.param); });

struct Cloud {
  std::mt19937_64 random;
  double edge;
  std::vector<AxisBox> boxes;
  std::vector<Eigen::Vector3d> velocity;

  double number() { return static_cast<double>(random() >> 11) * 0x1p-53; }

  Cloud(std::uint64_t seed, std::size_t count, double size, double speed) : random(seed) {
    edge = std::cbrt(static_cast<double>(count));
    for (std::size_t i = 0; i < count; ++i) {
      const Eigen::Vector3d at = edge * Eigen::Vector3d(number(), number(), number());
      // Some are much larger than the others.
      const double scale = i % 97 == 0 ? 12 * size : size;
      const Eigen::Vector3d half = scale * Eigen::Vector3d(0.3 + number(), 0.3 + number(), 0.3 + number());
      boxes.push_back({at - half, at + half});
      velocity.push_back(speed * Eigen::Vector3d(number() - 0.5, number() - 0.5, number() - 0.5));
    }
  }
  void step() {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      boxes[i].min += velocity[i];
      boxes[i].max += velocity[i];
    }
  }
};

std::vector<ProxyPair> all_pairs(const std::vector<AxisBox>& boxes) {
  std::vector<ProxyPair> pairs;
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    for (std::uint32_t j = i + 1; j < boxes.size(); ++j) {
      if (test::overlap(boxes[i], boxes[j])) pairs.push_back({i, j});
    }
  }
  return pairs;
}

TEST_P(BroadPhaseMethods, FollowACloudAtAnySpeed) {
  for (const double speed : {0.0, 0.01, 0.1, 3.0}) {
    Cloud cloud(7, 900, 0.3, speed);
    BroadPhase broad({.method = std::string(GetParam())});
    std::vector<ProxyId> ids;
    for (const AxisBox& box : cloud.boxes) ids.push_back(broad.add(box));
    for (int step = 0; step < 12; ++step) {
      broad.update();
      ASSERT_EQ(std::vector<ProxyPair>(broad.pairs().begin(), broad.pairs().end()), all_pairs(cloud.boxes));
      cloud.step();
      // Now and then only some move.
      if (step % 4 == 3) {
        for (std::size_t i = 0; i < 40; ++i) broad.move(ids[i], cloud.boxes[i]);
        for (std::size_t i = 40; i < ids.size(); ++i) cloud.boxes[i] = broad.box(ids[i]);
      } else {
        broad.move(ids, cloud.boxes);
      }
    }
  }
}

TEST_P(BroadPhaseMethods, GiveTheSameForAnyNumberOfThreads) {
  std::vector<std::vector<ProxyPair>> reports;
  for (const int threads : {1, 2, 4}) {
    std::vector<ProxyPair> report;
    for (const double speed : {0.02, 2.0}) {
      Cloud cloud(3, 8000, 0.3, speed);
      BroadPhase broad({.method = std::string(GetParam()), .threads = threads});
      std::vector<ProxyId> ids;
      for (const AxisBox& box : cloud.boxes) ids.push_back(broad.add(box));
      for (int step = 0; step < 4; ++step) {
        broad.update();
        report.insert(report.end(), broad.pairs().begin(), broad.pairs().end());
        report.insert(report.end(), broad.began().begin(), broad.began().end());
        report.insert(report.end(), broad.ended().begin(), broad.ended().end());
        // What was tried when does not decide the result, but the time it takes does decide what is tried.
        if (GetParam() != "auto") report.push_back({0, static_cast<std::uint32_t>(broad.stats().candidates)});
        cloud.step();
        broad.move(ids, cloud.boxes);
      }
    }
    ASSERT_GT(report.size(), 8000U);
    reports.push_back(std::move(report));
  }
  EXPECT_EQ(reports[1], reports[0]);
  EXPECT_EQ(reports[2], reports[0]);
}

/// All at one place, in two far clusters, on a line: orders and grids have no cells to tell them apart.
TEST_P(BroadPhaseMethods, FindPairsInCrowds) {
  for (int kind = 0; kind < 3; ++kind) {
    Cloud cloud(5, 300, 0.3, 0);
    for (std::size_t i = 0; i < cloud.boxes.size(); ++i) {
      AxisBox& box = cloud.boxes[i];
      if (kind == 0) box = {{1, 2, 3}, {1, 2, 3 + static_cast<double>(i % 2)}};
      if (kind == 1) {
        box.min.array() += i % 2 == 0 ? 1e6 : 0;
        box.max.array() += i % 2 == 0 ? 1e6 : 0;
      }
      if (kind == 2) {
        const auto x = std::ldexp(1.0, static_cast<int>(i) - 150);
        box = {{x, 0, 0}, {2 * x, 1, 1}};
      }
    }
    BroadPhase broad({.method = std::string(GetParam())});
    for (const AxisBox& box : cloud.boxes) broad.add(box);
    broad.update();
    ASSERT_EQ(std::vector<ProxyPair>(broad.pairs().begin(), broad.pairs().end()), all_pairs(cloud.boxes));
  }
}

void expect_error(ErrorCode code, const std::string& part, const std::function<void()>& call) {
  try {
    call();
    FAIL() << "accepted: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(BroadPhase, RefusesWhatIsWrongByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_error(ErrorCode::unknown_name, "no broad phase is called 'magic'", [] { BroadPhase({.method = "magic"}); });
  expect_error(ErrorCode::invalid_argument, "margin is nan", [&] { BroadPhase({.margin = nan}); });
  expect_error(ErrorCode::invalid_argument, "cell is -1", [] { BroadPhase({.cell = -1}); });

  BroadPhase broad;
  const AxisBox box{{0, 0, 0}, {1, 1, 1}};
  expect_error(ErrorCode::not_finite, "the proxy to add: the lower end of the bounds along y is NaN", [&] {
    broad.add(AxisBox{{0, nan, 0}, {1, 1, 1}});
  });
  expect_error(ErrorCode::not_finite, "along z are at infinity", [&] {
    broad.add(AxisBox{{0, 0, infinity}, {1, 1, infinity}});
  });
  broad.add(box);
  const ProxyId id = broad.add(box);
  expect_error(ErrorCode::invalid_argument, "proxy 1 (generation 1): bounds along x end at 1", [&] {
    broad.move(id, AxisBox{{2, 0, 0}, {1, 1, 1}});
  });
  Dop<18> dop{};
  dop.high[4] = nan;
  expect_error(ErrorCode::not_finite, "proxy 1 (generation 1): the upper end of the bounds along x+z is NaN",
               [&] { broad.move(id, dop); });
  expect_error(ErrorCode::not_finite, "proxy 1 (generation 1) at the end: the upper end of the bounds along z is NaN",
               [&] {
                 broad.move(id, SweptBox{box, {{0, 0, 0}, {1, 1, nan}}});
               });
  expect_error(ErrorCode::invalid_argument, "1 boxes for 2 proxies", [&] {
    broad.move(std::vector{id, id}, std::vector{box});
  });
  expect_error(ErrorCode::invalid_argument, "proxy 1 (generation 1) makes no pair with itself",
               [&] { broad.exclude(id, id); });
  expect_error(ErrorCode::not_finite, "the origin of the ray", [&] { broad.ray({nan, 0, 0}, {1, 0, 0}, 1); });
  expect_error(ErrorCode::invalid_argument, "the direction of the ray is zero", [&] {
    broad.ray({0, 0, 0}, {0, 0, 0}, 1);
  });
  broad.remove(id);
  expect_error(ErrorCode::bad_index, "there is no proxy 1 (generation 1)", [&] { broad.move(id, box); });
  expect_error(ErrorCode::bad_index, "there is no proxy 1 (generation 1)", [&] { broad.remove(id); });

  broad.update();
  EXPECT_EQ(broad.pairs().size(), 0U) << "an error must leave no trace";
}

TEST(BroadPhase, AnIndexIsNotUsedAgainBeforeItsEndIsOld) {
  BroadPhase broad;
  const AxisBox box{{0, 0, 0}, {1, 1, 1}};
  broad.add(box);
  const ProxyId id = broad.add(box, {}, 42);
  broad.update();
  broad.remove(id);
  EXPECT_NE(broad.add(box).index, id.index);
  broad.update();
  ASSERT_EQ(broad.ended().size(), 1U);
  EXPECT_EQ(broad.ended()[0], (ProxyPair{0, id.index}));
  EXPECT_NE(broad.add(box).index, id.index);
  EXPECT_EQ(broad.id(id.index), id);
  EXPECT_EQ(broad.value(id.index), 42U);
  broad.update();
  const ProxyId again = broad.add(box);
  EXPECT_EQ(again.index, id.index);
  EXPECT_NE(again, id);
  EXPECT_FALSE(broad.contains(id));
}

TEST(BroadPhase, BoxesThatMoveTellWhenTheyMayTouch) {
  BroadPhase broad;
  const AxisBox unit{{0, 0, 0}, {1, 1, 1}};
  const auto at = [&](double x, double y) {
    return AxisBox{unit.min + Eigen::Vector3d(x, y, 0), unit.max + Eigen::Vector3d(x, y, 0)};
  };
  broad.add(unit);
  broad.add(SweptBox{at(3, 0), at(-5, 0)});   // from x = 1 on until x = -1: t = 1/4 to 1/2
  broad.add(SweptBox{at(-3, 3), at(5, 3)});   // passes above
  broad.add(SweptBox{at(-3, -3), at(3, 3)});  // diagonally through the middle: from t = 1/3 to 2/3
  broad.add(SweptBox{at(0, -3), at(6, 3)});   // beside: when it is level with the box it is past it
  broad.update();
  const std::vector<ProxyPair> pairs(broad.pairs().begin(), broad.pairs().end());
  ASSERT_EQ(pairs.size(), broad.intervals().size());
  ASSERT_TRUE(std::binary_search(pairs.begin(), pairs.end(), ProxyPair{0, 1}));
  EXPECT_NEAR(broad.intervals()[0].begin, 0.25, 1e-8);
  EXPECT_NEAR(broad.intervals()[0].end, 0.5, 1e-8);
  ASSERT_EQ(pairs[1], (ProxyPair{0, 3}));
  EXPECT_NEAR(broad.intervals()[1].begin, 1.0 / 3, 1e-8);
  EXPECT_NEAR(broad.intervals()[1].end, 2.0 / 3, 1e-8);
  EXPECT_FALSE(std::binary_search(pairs.begin(), pairs.end(), ProxyPair{0, 2}));
  EXPECT_FALSE(std::binary_search(pairs.begin(), pairs.end(), ProxyPair{0, 4}));
  EXPECT_GT(broad.stats().never_close, 0U);
}

}  // namespace
}  // namespace carom
