#include "carom/query/clash.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "carom/core/error.hpp"
#include "carom/query/query.hpp"

namespace carom {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;

Isometry3d at(double x, double y, double z) {
  return Isometry3d(Eigen::Translation3d(x, y, z));
}

std::vector<Shape::Part> scattered(int count, double width) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Shape::Part> parts;
  for (int i = 0; i < count; ++i) {
    const double size = 0.3 + 0.2 * unit(random);
    const Shape shape = i % 3 == 0   ? Shape::box({size, 0.5 * size, 0.2})
                        : i % 3 == 1 ? Shape::sphere(size)
                                     : Shape::capsule(0.2, size);
    Isometry3d pose = at(width * unit(random), width * unit(random), width * unit(random));
    pose.rotate(Eigen::AngleAxisd(3 * unit(random), Vector3d(unit(random), unit(random), 1).normalized()));
    parts.push_back({shape, pose});
  }
  return parts;
}

TEST(Clash, EveryPairAsClosePairByPairAndTheWorstFirst) {
  const std::vector<Shape::Part> parts = scattered(200, 2.5);
  for (const double clearance : {0.0, 0.1}) {
    std::size_t expected = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t j = i + 1; j < parts.size(); ++j) {
        const double d = distance(parts[i].shape, parts[i].pose, parts[j].shape, parts[j].pose).distance;
        if (d <= clearance) ++expected;
      }
    }
    ASSERT_GT(expected, 50U);
    const std::vector<Clash> found = find_clashes(parts, {.clearance = clearance, .tolerance = 0, .threads = 1});
    EXPECT_EQ(found.size(), expected);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto& [kind, a, b, d, error, volume, volume_error, box, point_a, point_b, normal, regions, separation] =
          found[i];
      EXPECT_LT(a, b);
      if (i > 0) {
        EXPECT_LE(found[i - 1].distance, d);
      }
      const Shape::Part& pa = parts[static_cast<std::size_t>(a)];
      const Shape::Part& pb = parts[static_cast<std::size_t>(b)];
      EXPECT_EQ(d, distance(pa.shape, pa.pose, pb.shape, pb.pose).distance);
      EXPECT_EQ(kind, d < 0 ? ClashKind::overlap : d == 0 ? ClashKind::touch : ClashKind::close);
      EXPECT_NEAR((point_b - point_a - d * normal).norm(), 0, 1e-9);
      EXPECT_TRUE(regions.empty());
    }
    const std::vector<Clash> threaded = find_clashes(parts, {.clearance = clearance, .tolerance = 0, .threads = 3});
    ASSERT_EQ(threaded.size(), found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(threaded[i].a, found[i].a);
      EXPECT_EQ(threaded[i].b, found[i].b);
      EXPECT_EQ(threaded[i].distance, found[i].distance);
    }
  }
}

TEST(Clash, PartsThatFitButForRoundingTouch) {
  const Shape box = Shape::box({0.5, 0.5, 0.5});
  const auto kind_at = [&](double x, const ClashOptions& options) -> std::optional<ClashKind> {
    const std::vector<Clash> found =
        find_clashes(std::vector<Shape::Part>{{box, at(0, 0, 0)}, {box, at(x, 0, 0)}}, options);
    if (found.empty()) return {};
    return found[0].kind;
  };
  EXPECT_EQ(kind_at(1 - 1e-7, {}), ClashKind::touch);
  EXPECT_EQ(kind_at(1 + 1e-7, {}), ClashKind::touch);
  EXPECT_EQ(kind_at(1 - 1e-5, {}), ClashKind::overlap);
  EXPECT_EQ(kind_at(1 + 1e-5, {}), std::nullopt);
  EXPECT_EQ(kind_at(1 + 1e-5, {.clearance = 2e-5}), ClashKind::close);
  EXPECT_EQ(kind_at(1 - 1e-5, {.tolerance = 1e-4}), ClashKind::touch);
  EXPECT_EQ(kind_at(1 - 1e-7, {.tolerance = 0}), ClashKind::overlap);
}

TEST(Clash, ProgressIsToldAndMayEndIt) {
  const std::vector<Shape::Part> parts = scattered(150, 2);
  std::size_t last = 0;
  std::size_t total = 0;
  const std::size_t all = find_clashes(parts, {.progress =
                                                   [&](const ClashProgress& state) {
                                                     EXPECT_GE(state.done, last);
                                                     last = state.done;
                                                     total = state.total;
                                                     return true;
                                                   }})
                              .size();
  EXPECT_EQ(last, total);
  EXPECT_GT(total, 64U) << "or it is told only once";
  EXPECT_LT(find_clashes(parts, {.progress = [](const ClashProgress& state) { return state.done == 0; }}).size(), all);
}

TEST(Clash, WhatEndsItIsTheLastToBeTold) {
  const std::vector<Shape::Part> parts = scattered(200, 2.5);
  std::vector<std::size_t> told;
  find_clashes(parts, {.threads = 1, .progress = [&](const ClashProgress& state) {
                         told.push_back(state.done);
                         return told.size() < 2;
                       }});
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0], 0U);
}

TEST(Clash, HalfSpacesArePartsToo) {
  const std::vector<Shape::Part> pieces{{Shape::half_space(Vector3d::UnitX(), -5)}, {Shape::sphere(1), at(9, 9, 9)}};
  const std::vector<Shape::Part> parts{{Shape::half_space(Vector3d::UnitZ(), 0)},
                                       {Shape::sphere(1), at(0, 0, 0.5)},
                                       {Shape::sphere(1), at(0, 0, 7)},
                                       {Shape::sphere(1), at(-5, 0, 20)},
                                       {Shape::compound(pieces)}};
  const std::vector<Clash> found = find_clashes(parts, {.tolerance = 0, .threads = 1});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(std::pair(found[0].a, found[0].b), std::pair(Index{0}, Index{4}));  // without end
  EXPECT_EQ(std::pair(found[1].a, found[1].b), std::pair(Index{3}, Index{4}));
  EXPECT_NEAR(found[1].distance, -1, 1e-12);
  EXPECT_EQ(std::pair(found[2].a, found[2].b), std::pair(Index{0}, Index{1}));
  EXPECT_NEAR(found[2].distance, -0.5, 1e-12);
}

TEST(Clash, APartThatIsTooFarAwayIsNamed) {
  const std::vector<Shape::Part> parts{{Shape::sphere(1)}, {Shape::sphere(1), at(1e70, 0, 0)}};
  try {
    find_clashes(parts);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("part 1"), std::string::npos) << error.what();
  }
}

TEST(Clash, WhatIsWrongIsNamed) {
  const std::vector<Shape::Part> parts{{Shape::sphere(1), at(0, 0, 0)}, {Shape::sphere(1), at(NAN, 0, 0)}};
  const auto message = [&](const ClashOptions& options) {
    try {
      find_clashes(parts, options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message({}).find("part 1"), std::string::npos) << message({});
  EXPECT_NE(message({.clearance = -1}).find("clearance is -1"), std::string::npos);
  EXPECT_NE(message({.tolerance = NAN}).find("tolerance is nan"), std::string::npos);
  EXPECT_TRUE(find_clashes({}).empty());
}

}  // namespace
}  // namespace carom
