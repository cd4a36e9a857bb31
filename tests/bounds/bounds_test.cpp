#include "bounds/bounds.hpp"

#include <gtest/gtest.h>

#include "carom/core/error.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

TEST(BoxRounding, NeverLosesThePoint) {
  std::mt19937_64 random(7);
  std::vector<double> values{0.0, -0.0, 1e-320, -1e-320, 1e-46, 1e38, -1e38, 1e39, -1e39, 1e300, -1e300, 1.0, -1.0};
  for (int i = 0; i < 100'000; ++i) {
    values.push_back((oracle::uniform(random) - 0.5) * std::pow(10.0, oracle::uniform(random) * 100 - 50));
  }
  for (const double x : values) {
    // Beyond the range of float the bound is the largest float; what counts is the order.
    const double inside = std::clamp(x, -static_cast<double>(FLT_MAX), static_cast<double>(FLT_MAX));
    ASSERT_LE(static_cast<double>(round_down(x)), inside) << x;
    ASSERT_GE(static_cast<double>(round_up(x)), inside) << x;
  }
  for (std::size_t i = 1; i < values.size(); ++i) {
    const auto [low, high] = std::minmax(values[i - 1], values[i]);
    ASSERT_LE(round_down(low), round_up(high));
  }
}

TEST(Bounds, BoxesOfFeaturesWithinReachOverlap) {
  const oracle::Soup soup = oracle::make_soup(3, {});
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  Workers workers(2);
  Arena arena;
  Context context{workers, arena};
  bounds::Out out;
  StageStats stats;
  const double distance = 0.25;
  bounds::run(context, {surface, soup.positions}, {.distance = distance}, out, stats);
  EXPECT_EQ(stats.in, soup.triangles.size());
  for (std::size_t t = 0; t < soup.triangles.size(); ++t) {
    for (const Index corner : soup.triangles[t]) {
      for (int k = 0; k < 3; ++k) {
        const double x = soup.positions[static_cast<std::size_t>(corner)][k];
        const auto i = static_cast<std::size_t>(k);
        EXPECT_LE(static_cast<double>(out.triangles[t].min[i]), x - distance / 2);
        EXPECT_GE(static_cast<double>(out.triangles[t].max[i]), x + distance / 2);
        const Box& object = out.objects[static_cast<std::size_t>(soup.object_of_triangle[t])];
        EXPECT_LE(object.min[i], out.triangles[t].min[i]);
        EXPECT_GE(object.max[i], out.triangles[t].max[i]);
      }
    }
  }
}

TEST(Bounds, NamesTheVertexThatIsNotFinite) {
  oracle::Soup soup = oracle::make_soup(3, {});
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  Workers workers(1);
  Arena arena;
  Context context{workers, arena};
  bounds::Out out;
  StageStats stats;
  for (const double bad : {std::nan(""), static_cast<double>(INFINITY), -static_cast<double>(INFINITY)}) {
    for (const std::size_t vertex : {std::size_t{0}, std::size_t{17}, soup.positions.size() - 1}) {
      std::vector<Eigen::Vector3d> positions = soup.positions;
      positions[vertex].y() = bad;
      try {
        bounds::run(context, {surface, positions}, {.distance = 1}, out, stats);
        ADD_FAILURE() << "accepted " << bad;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::not_finite);
        EXPECT_NE(std::string(error.what()).find("vertex " + std::to_string(vertex) + " "), std::string::npos)
            << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace carom
