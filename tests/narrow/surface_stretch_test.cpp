#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "carom/mesh/generate.hpp"
#include "narrow/surface_balls.hpp"

// Balls along a surface that stretches.
namespace carom::narrow {
namespace {

using Eigen::Vector3d;

struct StretchedSheet {
  TriangleMesh mesh = make_sheet(1, 1, 12, 12);
  Surface surface{mesh.positions.size(), std::vector<Triangle>(mesh.triangles), {}};
};

/// All shortest paths, with lengths of edges as they are told.
template <class Length>
std::vector<double> shortest_paths(const Surface& surface, std::size_t from, const Length& length) {
  std::vector<double> path(surface.vertex_count(), INFINITY);
  path[from] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Triangle& t : surface.triangles()) {
      for (std::size_t k = 0; k < 3; ++k) {
        for (const auto& [a, b] : {std::pair{t[k], t[(k + 1) % 3]}, std::pair{t[(k + 1) % 3], t[k]}}) {
          const double longer = path[static_cast<std::size_t>(a)] + length(a, b);
          if (longer >= path[static_cast<std::size_t>(b)]) continue;
          path[static_cast<std::size_t>(b)] = longer;
          changed = true;
        }
      }
    }
  }
  return path;
}

struct BallsOfSheet {
  Workers workers{2};
  Arena arena;
  Context context{workers, arena};
  SurfaceBalls balls;

  void find(const StretchedSheet& sheet, double radius, std::span<const Vector3d> now) {
    balls.begin(sheet.surface, sheet.mesh.positions, 1, radius, now);
    for (std::size_t v = 0; v < sheet.surface.vertex_count(); ++v) balls.want(static_cast<Index>(v));
    balls.find(context);
  }
};

std::vector<Vector3d> deformed(const StretchedSheet& sheet, double size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const double phase = std::uniform_real_distribution<double>(0, 3)(random);
  std::vector<Vector3d> now = sheet.mesh.positions;
  for (Vector3d& p : now) {
    p.x() *= 1 + size * (1 + std::sin(4 * p.z() + phase));
    p.y() += 0.5 * size * std::sin(9 * p.x());
    p.z() *= 1 - 0.3 * std::min(1.0, size);
  }
  return now;
}

/// What is left out is nearer than the radius by the larger of both lengths, and what is nearer than a twentieth below
/// it is left out.
TEST(SurfaceStretch, BallsAreThoseOfTheStretchedSurfaceToATwentieth) {
  const StretchedSheet sheet;
  constexpr double radius = 0.31;
  BallsOfSheet found;
  int members = 0;
  int fewer = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const double size : {0.0, 0.02, 0.1, 0.4, 1.5, 0.2, 0.0}) {
      const std::vector<Vector3d> now = deformed(sheet, size, seed);
      found.find(sheet, radius, now);
      const auto at = [](const auto& list, Index v) -> const Vector3d& { return list[static_cast<std::size_t>(v)]; };
      const auto longer = [&](Index a, Index b) {
        return std::max((at(now, a) - at(now, b)).norm(),
                        (at(sheet.mesh.positions, a) - at(sheet.mesh.positions, b)).norm());
      };
      const auto rest = [&](Index a, Index b) {
        return (at(sheet.mesh.positions, a) - at(sheet.mesh.positions, b)).norm();
      };
      for (std::size_t v = 0; v < sheet.surface.vertex_count(); v += 7) {
        const std::vector<double> paths = shortest_paths(sheet.surface, v, longer);
        const std::vector<double> at_rest = shortest_paths(sheet.surface, v, rest);
        for (std::size_t w = 0; w < paths.size(); ++w) {
          const bool in = found.balls.contains(static_cast<Index>(v), static_cast<Index>(w));
          EXPECT_TRUE(in || !(paths[w] < radius * (1 - 1e-6)));
          EXPECT_FALSE(in && paths[w] > 1.0501 * radius);
          members += in ? 1 : 0;
          fewer += !in && at_rest[w] < 0.99 * radius ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(members, 1000);
  EXPECT_GT(fewer, 100) << "some are neighbors at rest and not when the sheet is stretched";
}

/// However it came to where it is: what is kept is what a search from scratch finds.
TEST(SurfaceStretch, KeptBallsAreThoseOfASearchFromScratch) {
  const StretchedSheet sheet;
  constexpr double radius = 0.31;
  BallsOfSheet kept;
  std::vector<Vector3d> now = sheet.mesh.positions;
  kept.find(sheet, radius, now);
  EXPECT_EQ(kept.balls.searched(), now.size());
  kept.find(sheet, radius, now);
  EXPECT_EQ(kept.balls.searched(), now.size()) << "nothing has changed";
  int partly = 0;
  std::mt19937_64 random(5);
  for (int step = 0; step < 40; ++step) {
    // One vertex goes away from the others, or back.
    const std::size_t v = std::uniform_int_distribution<std::size_t>(0, now.size() - 1)(random);
    now[v] = sheet.mesh.positions[v] + Vector3d(0, std::uniform_real_distribution<double>(0, 0.3)(random), 0);
    const std::size_t before = kept.balls.searched();
    kept.find(sheet, radius, now);
    partly += kept.balls.searched() - before < now.size() ? 1 : 0;
    BallsOfSheet fresh;
    fresh.find(sheet, radius, now);
    for (std::size_t a = 0; a < now.size(); a += 3) {
      for (std::size_t b = 0; b < now.size(); ++b)
        ASSERT_EQ(kept.balls.contains(static_cast<Index>(a), static_cast<Index>(b)),
                  fresh.balls.contains(static_cast<Index>(a), static_cast<Index>(b)))
            << "step " << step << ", " << a << " to " << b;
    }
  }
  EXPECT_GT(partly, 25) << "mostly only balls around it are found again";
}

}  // namespace
}  // namespace carom::narrow
