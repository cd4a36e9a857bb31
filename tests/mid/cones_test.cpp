#include "mid/cones.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

#include "carom/mesh/generate.hpp"
#include "geometry/triangle_triangle.hpp"
#include "oracle/exact_distance.hpp"
#include "oracle/soup.hpp"

namespace carom::mid {
namespace {

using Eigen::Vector3d;

/// Twin of the culling: whether some pair of triangles of the patch has more in common than shared corners.
bool cuts_itself(std::span<const Index> members, std::span<const Triangle> triangles,
                 std::span<const Vector3d> positions) {
  const auto at = [&](Index v) { return positions[static_cast<std::size_t>(v)]; };
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = i + 1; j < members.size(); ++j) {
      const Triangle& a = triangles[static_cast<std::size_t>(members[i])];
      const Triangle& b = triangles[static_cast<std::size_t>(members[j])];
      std::vector<Vector3d> shared;
      for (const Index v : a)
        if (std::find(b.begin(), b.end(), v) != b.end()) shared.push_back(at(v));
      const TrianglePoints points_a{at(a[0]), at(a[1]), at(a[2])};
      const TrianglePoints points_b{at(b[0]), at(b[1]), at(b[2])};
      if (shared.size() == 3 || geometry::meet_beyond(points_a, points_b, shared)) return true;
    }
  return false;
}

std::vector<bool> injective(const Patches& patches, std::span<const Vector3d> positions) {
  std::vector<bool> result;
  for (std::size_t patch = 0; patch < patches.members.size(); ++patch) {
    std::vector<ContourEdge> room(contour_size(patches, patch));
    result.push_back(patch_is_injective(patches, patch, positions, room));
  }
  return result;
}

/// All triangles in one patch, whatever their normals.
Patches one_patch(const TriangleMesh& mesh) {
  Patches patches;
  partition(mesh.triangles, mesh.positions, {.min_cosine = -2, .max_triangles = mesh.triangles.size()}, patches);
  return patches;
}

TEST(Cones, EveryTriangleIsInOnePatchAndContoursAreWhatIsNotGlued) {
  const TriangleMesh ball = make_icosphere(1, 3);
  Patches patches;
  partition(ball.triangles, ball.positions, {.max_triangles = 200}, patches);
  std::vector<int> seen(ball.triangles.size(), 0);
  for (const Index t : patches.members.items) ++seen[static_cast<std::size_t>(t)];
  EXPECT_EQ(seen, std::vector<int>(ball.triangles.size(), 1));
  for (std::size_t patch = 0; patch < patches.members.size(); ++patch) {
    EXPECT_LE(patches.members[patch].size(), 200U);
    std::vector<std::array<Index, 2>> inner;  // sides of the patch, those with an opposite one taken out
    for (const Index t : patches.members[patch])
      for (std::size_t k = 0; k < 3; ++k) {
        const auto& corners = ball.triangles[static_cast<std::size_t>(t)];
        const std::array<Index, 2> side{corners[k], corners[(k + 1) % 3]};
        const auto opposite = std::find(inner.begin(), inner.end(), std::array{side[1], side[0]});
        if (opposite == inner.end()) {
          inner.push_back(side);
        } else {
          inner.erase(opposite);
        }
      }
    std::vector<std::array<Index, 2>> contour;
    for (std::size_t loop = 0; loop < patches.loops[patch].size(); ++loop) {
      const auto number = static_cast<std::size_t>(patches.loops.offsets[patch]) + loop;
      const Index begin = patches.loops.items[number];
      const Index end = patches.loop_end[number];
      for (Index i = begin; i < end; ++i)
        contour.push_back({patches.contour[static_cast<std::size_t>(i)],
                           patches.contour[static_cast<std::size_t>(i + 1 == end ? begin : i + 1)]});
    }
    std::sort(inner.begin(), inner.end());
    std::sort(contour.begin(), contour.end());
    EXPECT_EQ(contour, inner);
  }
  const std::vector<bool> good = injective(patches, ball.positions);
  EXPECT_EQ(std::count(good.begin(), good.end(), false), 0) << "a ball has only patches that do not fold";
}

TEST(Cones, FlatSheetsRingsAndBentOnesAreInjective) {
  TriangleMesh sheet = make_sheet(1, 1, 6, 6);
  EXPECT_TRUE(injective(one_patch(sheet), sheet.positions)[0]);
  for (Vector3d& p : sheet.positions) p.y() = std::cos(3 * p.x());
  EXPECT_TRUE(injective(one_patch(sheet), sheet.positions)[0]);
  TriangleMesh ring = make_sheet(1, 1, 6, 6);  // without its middle: two loops
  std::erase_if(ring.triangles, [&](const Triangle& t) {
    Vector3d centre = Vector3d::Zero();
    for (const Index v : t) centre += ring.positions[static_cast<std::size_t>(v)] / 3;
    return centre.cwiseAbs().maxCoeff() < 0.2;
  });
  const Patches patches = one_patch(ring);
  EXPECT_EQ(patches.loops[0].size(), 2U);
  EXPECT_TRUE(injective(patches, ring.positions)[0]);
}

/// Around its middle the fan turns twice, all triangles turning the same way.
TEST(Cones, ABranchPointIsNotInjective) {
  TriangleMesh fan;
  fan.positions.push_back(Vector3d::Zero());
  for (int i = 0; i < 12; ++i) {
    const double angle = 4 * M_PI * i / 12;
    const double radius = 1 + 0.01 * i;
    fan.positions.emplace_back(radius * std::cos(angle), 0.1 * i, -radius * std::sin(angle));
    fan.triangles.push_back({0, i + 1, (i + 1) % 12 + 1});
  }
  const Patches patches = one_patch(fan);
  ASSERT_EQ(patches.members.size(), 1U);
  EXPECT_TRUE(cuts_itself(patches.members[0], fan.triangles, fan.positions));
  EXPECT_FALSE(injective(patches, fan.positions)[0]);
}

/// A staircase of more than one turn: locally flat, and above itself. It does not cut itself, but the projection
/// cannot tell.
TEST(Cones, AStaircaseIsNotInjective) {
  TriangleMesh stairs;
  for (int i = 0; i <= 40; ++i) {
    const double angle = 0.2 * i;
    for (const double radius : {1.0, 2.0})
      stairs.positions.emplace_back(radius * std::cos(angle), 0.05 * i, -radius * std::sin(angle));
    if (i == 0) continue;
    stairs.triangles.push_back({2 * i - 2, 2 * i - 1, 2 * i + 1});
    stairs.triangles.push_back({2 * i - 2, 2 * i + 1, 2 * i});
  }
  EXPECT_FALSE(injective(one_patch(stairs), stairs.positions)[0]);
  stairs.triangles.resize(56);  // less than a turn
  EXPECT_TRUE(injective(one_patch(stairs), stairs.positions)[0]);
}

/// Two sheets that change places across a slit, so that each of its ends is a branch point. All triangles turn
/// the same way, and the two loops of the contour are simple and apart: only their number tells.
TEST(Cones, TwoLoopsThatTurnTheSameWayAreNotInjective) {
  TriangleMesh mesh;
  const auto vertex = [](int x, int y, int sheet) {  // of 5 x 5 each
    const bool end_of_slit = y == 2 && (x == 1 || x == 3);
    return 25 * (end_of_slit ? 0 : sheet) + 5 * y + x;
  };
  for (int sheet = 0; sheet < 2; ++sheet)
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 5; ++x) {
        const bool border = x == 0 || x == 4 || y == 0 || y == 4;
        mesh.positions.push_back((border && sheet == 1 ? 1.5 : 1.0) * Vector3d(x - 2, y - 2, 0));
      }
  for (int sheet = 0; sheet < 2; ++sheet)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x) {
        const auto corner = [&](int i, int j) {
          const bool in_slit = j == 2 && i == 2;
          return vertex(i, j, in_slit && y < 2 ? 1 - sheet : sheet);
        };
        mesh.triangles.push_back({corner(x, y), corner(x + 1, y), corner(x + 1, y + 1)});
        mesh.triangles.push_back({corner(x, y), corner(x + 1, y + 1), corner(x, y + 1)});
      }
  const Patches patches = one_patch(mesh);
  ASSERT_EQ(patches.members.size(), 1U);
  ASSERT_EQ(patches.loops[0].size(), 2U);
  EXPECT_EQ(patches.contour.size(), 32U);
  EXPECT_TRUE(cuts_itself(patches.members[0], mesh.triangles, mesh.positions));
  EXPECT_FALSE(injective(patches, mesh.positions)[0]);
}

TEST(Cones, NothingIsGluedAlongAnEdgeOfThreeTriangles) {
  // Two triangles glued, and a third one on their common edge: nothing is glued there.
  const TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 1, 1}}, {{0, 1, 2}, {2, 1, 3}, {2, 1, 4}}};
  Patches patches;
  partition(mesh.triangles, mesh.positions, {.min_cosine = -2}, patches);
  EXPECT_EQ(patches.members.size(), 3U);
}

TEST(Cones, DeadAndDegenerateTrianglesAreInNoPatch) {
  const TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}},
                          {{none, none, none}, {0, 1, 2}, {0, 1, 3}, {0, 0, 1}}};
  Patches patches;
  partition(mesh.triangles, mesh.positions, {}, patches);
  EXPECT_EQ(patches.members.items, std::vector<Index>{1});
}

/// A sheet of small integers: folded over random lines, with noise, at times flattened.
TriangleMesh random_sheet(std::mt19937_64& random, int segments) {
  TriangleMesh sheet = make_sheet(2 * segments, 2 * segments, segments, segments);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const int noise = below(3);
  for (Vector3d& p : sheet.positions) {
    for (int k = 0; k < 3; ++k) p[k] = std::round(p[k]) + (noise == 0 ? 0 : below(2 * noise + 1) - noise);
    if (noise == 2) p.y() = below(4);
  }
  for (int fold = below(3); fold > 0; --fold) {
    const int at = below(2 * segments) - segments;
    const bool along_x = below(2) == 0;
    for (Vector3d& p : sheet.positions) {
      double& x = along_x ? p.x() : p.z();
      if (x > at) {
        x = 2 * at - x;
        p.y() += fold;
      }
    }
  }
  return sheet;
}

RC_GTEST_PROP(Cones, WhatIsInjectiveNeverCutsItself, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const TriangleMesh sheet = random_sheet(random, 4);
  Patches patches;
  partition(sheet.triangles, sheet.positions,
            {.min_cosine = *rc::gen::element(-2.0, 0.1, 0.5), .max_triangles = *rc::gen::element(6U, 1000U)}, patches);
  const std::vector<bool> good = injective(patches, sheet.positions);
  bool any = false;
  for (std::size_t patch = 0; patch < good.size(); ++patch) {
    if (!good[patch]) continue;
    any = any || patches.members[patch].size() > 3;
    RC_ASSERT(!cuts_itself(patches.members[patch], sheet.triangles, sheet.positions));
  }
  RC_CLASSIFY(any, "something is culled");
}

}  // namespace
}  // namespace carom::mid
