#include <gtest/gtest.h>

#include "carom/mesh/generate.hpp"
#include "mid_check.hpp"
#include "oracle/placed.hpp"
#include "oracle/soup_gen.hpp"

namespace carom {
namespace {

TEST(MidMethods, FindEachPairOfOverlappingBoxesOnceInAnySoup) {
  MidCheck check;
  std::size_t pairs = 0;
  EXPECT_TRUE(rc::check("every method finds the pairs of the twin", [&] {
    const auto [soup, distance] = oracle::draw_soup(50);
    pairs += check.compare(soup, distance);
    RC_ASSERT(!testing::Test::HasFailure());
  }));
  EXPECT_GT(pairs, 10'000U) << "the soups must have something to find";
}

oracle::Soup joined(const std::vector<TriangleMesh>& meshes) {
  oracle::Soup soup;
  for (const TriangleMesh& mesh : meshes) {
    const auto first = static_cast<Index>(soup.positions.size());
    const Index object = soup.object_of_triangle.empty() ? 0 : soup.object_of_triangle.back() + 1;
    soup.positions.insert(soup.positions.end(), mesh.positions.begin(), mesh.positions.end());
    for (const Triangle& t : mesh.triangles) soup.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    soup.object_of_triangle.resize(soup.triangles.size(), object);
  }
  return soup;
}

TEST(MidMethods, FindThePairsOfBallsOnATableOfTwoTriangles) {
  std::vector<TriangleMesh> meshes{make_sheet(10, 10, 1, 1)};
  for (int i = 0; i < 4; ++i) meshes.push_back(placed(make_icosphere(1, 2), {2.02 * i - 3, 1.01, 0.3}));
  EXPECT_GT(MidCheck().compare(joined(meshes), 0.05), 5'000U);
}

TEST(MidMethods, FindThePairsOfManyObjects) {
  std::vector<TriangleMesh> meshes;
  for (int i = 0; i < 27; ++i) {
    meshes.push_back(placed(make_icosphere(0.52, 1), Eigen::Vector3d(i % 3, i / 3 % 3, i / 9)));
  }
  EXPECT_GT(MidCheck().compare(joined(meshes), 0.02), 5'000U);
}

/// Objects whose triangles do not stand together.
TEST(MidMethods, DoNotNeedTheTrianglesOfAnObjectInARow) {
  oracle::Soup soup = joined({make_icosphere(1, 2), placed(make_icosphere(1, 2), {1.5, 0, 0})});
  oracle::Soup mixed = soup;
  const std::size_t half = soup.triangles.size() / 2;
  for (std::size_t i = 0; i < soup.triangles.size(); ++i) {
    mixed.triangles[i] = soup.triangles[i % 2 * half + i / 2];
    mixed.object_of_triangle[i] = soup.object_of_triangle[i % 2 * half + i / 2];
  }
  EXPECT_GT(MidCheck().compare(mixed, 0.05), 1'000U);
}

/// All corners on the borders of cells: a sheet whose triangles are all of one size.
TEST(MidMethods, FindThePairsOfALevelSheet) {
  EXPECT_GT(
      MidCheck().compare(joined({make_sheet(1, 1, 12, 12), placed(make_sheet(1, 1, 12, 12), {0, 0.125, 0})}), 0.125),
      5'000U);
}

TEST(MidMethods, TakeNothingAndOneTriangle) {
  MidCheck check;
  EXPECT_EQ(check.compare({}, 1), 0U);
  EXPECT_EQ(check.compare({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}, {0}}, 1), 0U);
  EXPECT_EQ(check.compare({{{0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, {0, 0}}, 1e-300), 2U) << "twice the same point";
}

/// Triangles that were taken out leave an empty box behind.
TEST(MidMethods, LeaveDeadTrianglesAndObjectsWithoutAnyAlone) {
  MidCheck check;
  oracle::Soup soup = joined({make_icosphere(1, 2), placed(make_icosphere(1, 2), {1.9, 0, 0}), make_sheet(3, 3, 1, 1)});
  Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  const std::size_t all = check.compare(surface, soup.positions, 0.05);
  SurfaceEdit edit;
  for (Index i = 0; i < static_cast<Index>(soup.triangles.size()); ++i) {
    // Some of the first ball and all of the second; the sheet comes last and stays, so numbers do, too.
    if (i < 320 ? i % 3 == 0 : i < 640) edit.removed.push_back(i);
  }
  surface.edit(edit);
  ASSERT_EQ(surface.triangles().size(), soup.triangles.size());
  const std::size_t left = check.compare(surface, soup.positions, 0.05);
  EXPECT_GT(left, 100U);
  EXPECT_LT(left, all);
  // Beyond the range of float, where boxes are infinite and an empty box overlaps all of them.
  for (Eigen::Vector3d& p : soup.positions) p *= 1e40;
  EXPECT_GT(check.compare(surface, soup.positions, 1e38), 100U);
}

TEST(MidMethods, LeaveOutObjectsThatMayNotTouch) {
  const oracle::Soup soup = joined({make_icosphere(1, 2), placed(make_icosphere(1, 2), {1.5, 0, 0}),
                                    placed(make_icosphere(1, 1), {0.7, 0.9, 0}), make_sheet(3, 3, 1, 1)});
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  MidCheck check;
  const std::size_t all = check.compare(surface, soup.positions, 0.05);
  broad::ObjectFilter filter;
  const std::vector<std::array<Index, 2>> two{{0, 1}, {2, 2}};
  filter.set({.excluded_objects = two}, surface);
  const std::size_t some = check.compare(surface, soup.positions, 0.05, &filter);
  EXPECT_GT(some, 100U);
  EXPECT_LT(some, all);
  const std::vector<std::array<Index, 2>> each{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 1},
                                               {1, 2}, {1, 3}, {2, 2}, {2, 3}, {3, 3}};
  filter.set({.excluded_objects = each}, surface);
  EXPECT_EQ(check.compare(surface, soup.positions, 0.05, &filter), 0U);
}

/// Duplicates of one triangle: all pairs overlap, in a cell that is larger than what is gone through
/// pair by pair.
TEST(MidMethods, FindThePairsOfACrowdedCell) {
  oracle::Soup soup{
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, std::vector<Triangle>(150, {0, 1, 2}), std::vector<Index>(150, 0)};
  EXPECT_EQ(MidCheck().compare(soup, 0.1), 2U * 150 * 149 / 2) << "for the scopes all and self";
}

TEST(MidMethods, CountCellsAndEntries) {
  const TriangleMesh sheet = make_sheet(1, 1, 8, 8);
  const Surface surface(sheet.positions.size(), sheet.triangles);
  DetectScratch scratch;
  std::vector<Contact> contacts;
  PipelineStats stats;
  detect(surface, sheet.positions, {.distance = 0.01, .method = "grid"}, scratch, contacts, stats);
  const auto counted = stats[Stage::mid].counted();
  ASSERT_EQ(counted.size(), 3U);
  EXPECT_EQ(counted[0].name, "triangles");
  EXPECT_EQ(counted[0].count, sheet.triangles.size());
  EXPECT_EQ(counted[1].name, "cells");
  EXPECT_EQ(counted[2].name, "entries");
  // A cell is as long as the box of a triangle, 1/8 and a bit, and the sheet is 8 triangles long.
  EXPECT_EQ(counted[1].count, 64U);
  EXPECT_GE(counted[2].count, sheet.triangles.size());
  EXPECT_LE(counted[2].count, 8 * sheet.triangles.size());
}

}  // namespace
}  // namespace carom
