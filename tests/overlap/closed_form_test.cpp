#include <gtest/gtest.h>

#include "carom/mesh/generate.hpp"
#include "oracle/placed.hpp"
#include "overlap/parts.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;
using namespace overlap_parts;

constexpr double bore = 5e-3;
constexpr double hub_radius = 12e-3;
constexpr double hub_length = 30e-3;
constexpr int sides = 48;

TriangleMesh hub() {
  return ring(bore, hub_radius, 0, hub_length, sides);
}

TEST(OverlapClosedForm, AnExactFitOfAPinInItsBoreIsATouch) {
  // Flush, longer on both sides, shorter: the cylinders coincide to the last bit.
  for (const auto& [low, high] : {std::pair{0.0, hub_length}, {-0.01, hub_length + 0.01}, {0.01, 0.02}}) {
    const std::vector<Clash> found = check(hub(), ring(0, bore, low, high, sides));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, ClashKind::touch);
    EXPECT_NEAR(found[0].distance, 0, 1e-11);
    EXPECT_NEAR(found[0].point_a.head<2>().norm(), bore, 1e-4) << "on the bore, but for its flat sides";
    EXPECT_EQ(found[0].volume, 0);
  }
}

/// Cube of 1 m of which the top ends, at one edge, in many vertices and the front in one edge: between them is a fan of
/// triangles without area, as OpenSCAD writes them.
TriangleMesh cube_with_flat_fan(bool from_left) {
  TriangleMesh mesh;
  for (const double z : {0.0, 1.0})
    for (const double y : {0.0, 1.0})
      for (const double x : {0.0, 1.0}) mesh.positions.emplace_back(x, y, z);
  mesh.triangles = {{4, 0, 1}, {5, 4, 1}, {0, 2, 1}, {1, 2, 3}, {2, 6, 3},
                    {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  if (!from_left) std::swap(mesh.triangles[0], mesh.triangles[1]);  // searches begin at the apex of the fan
  constexpr int parts = 16;
  std::vector<Index> edge{4};
  std::vector<Index> row{none};
  for (int i = 1; i < parts; ++i) {
    edge.push_back(static_cast<Index>(mesh.positions.size()));
    mesh.positions.emplace_back(double(i) / parts, 0, 1);
    row.push_back(static_cast<Index>(mesh.positions.size()));
    mesh.positions.emplace_back(double(i) / parts, 0.75, 1);
  }
  edge.push_back(5);
  mesh.triangles.insert(mesh.triangles.end(),
                        {Triangle{4, edge[1], row[1]}, Triangle{4, row[1], 6}, Triangle{row.back(), 7, 6},
                         Triangle{5, 7, row.back()}, Triangle{edge[parts - 1], 5, row.back()}});
  for (std::size_t i = 1; i + 1 < row.size(); ++i)
    mesh.triangles.insert(mesh.triangles.end(),
                          {Triangle{edge[i], edge[i + 1], row[i]}, Triangle{edge[i + 1], row[i + 1], row[i]},
                           Triangle{row[i], row[i + 1], 6}});
  const Index apex = from_left ? edge.front() : edge.back();
  for (std::size_t i = 0; i + 1 < edge.size(); ++i) {
    if (edge[i] != apex && edge[i + 1] != apex) mesh.triangles.push_back({apex, edge[i + 1], edge[i]});
  }
  return mesh;
}

TEST(OverlapClosedForm, FansOfTrianglesWithoutAreaHideNothing) {
  constexpr double width = 0.2;
  for (const bool from_left : {false, true}) {
    const TriangleMesh cube = cube_with_flat_fan(from_left);
    for (const double low : {0.04, 0.21, 0.41, 0.59, 0.76}) {
      // A slab over the edge with the fan, 0.5 m below the front and the top.
      const TriangleMesh slab = placed(make_box({width, 1, 1}, 1), {low + 0.5 * width, 0, 1});
      for (const std::vector<Clash>& found : {check(cube, slab), check(slab, cube)}) {
        ASSERT_EQ(found.size(), 1U);
        ASSERT_EQ(found[0].kind, ClashKind::overlap);
        EXPECT_EQ(found[0].regions.size(), 1U);
        EXPECT_NEAR(found[0].volume, width * 0.5 * 0.5, 1e-6) << low;
        // The edge of the slab in the cube is nearest to a side wall, or it passes the middle.
        const double from_wall = std::min({low + width, 1 - low, 0.5});
        EXPECT_NEAR(-found[0].distance, from_wall, 1e-2) << low;
      }
    }
  }
}

TEST(OverlapClosedForm, ACavityThatAFaceCutsIsNoPlaceOfItsOwn) {
  // A slab with a face at z = 0 over a block with a cavity; one triangle of the face holds all of the cut, a ring that
  // nothing joins to the cavity. Points of both are on the face but for rounding.
  const TriangleMesh slab = placed(make_box({0.1, 0.1, 0.03}, 1), {0.03, 0, -0.015});
  for (int i = 0; i < 20; ++i) {
    const double height = 0.011 + 3.7e-4 * i;
    const double low = -0.0037 - 1.3e-4 * i;
    const TriangleMesh cavity = placed(make_box({0.011, 0.007, height}, 1), {0.0001 * i, 0, low + 0.5 * height});
    const TriangleMesh block = joined(make_box({0.02, 0.02, 0.04}, 1), inside_out(cavity));
    for (const std::vector<Clash>& found : {check(slab, block), check(block, slab)}) {
      ASSERT_EQ(found.size(), 1U);
      EXPECT_EQ(found[0].regions.size(), 1U) << i;
      const double volume = 0.02 * 0.02 * 0.02 - 0.011 * 0.007 * -low;
      EXPECT_NEAR(found[0].regions[0].volume, volume, 1e-5 * volume) << i;
    }
  }
}

TEST(OverlapClosedForm, ASquarePegInItsHoleIsATouch) {
  const TriangleMesh plate = ring(bore, hub_radius, 0, hub_length, 4);
  for (const auto& [low, high] : {std::pair{0.0, hub_length}, {-0.01, hub_length + 0.01}}) {
    const std::vector<Clash> found = check(plate, ring(0, bore, low, high, 4));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, ClashKind::touch);
  }
}

TEST(OverlapClosedForm, AnInterferenceFitIsAsDeepAsItIsTooThick) {
  for (const double more : {1e-6, 1e-5, 1e-4, 1e-3}) {
    for (const auto& [low, high] : {std::pair{0.0, hub_length}, {-0.01, hub_length + 0.01}}) {
      const std::vector<Clash> found = check(hub(), ring(0, bore + more, low, high, sides));
      ASSERT_EQ(found.size(), 1U);
      const Clash& clash = found[0];
      ASSERT_EQ(clash.kind, ClashKind::overlap) << more;
      ASSERT_EQ(clash.regions.size(), 1U);
      const ClashRegion& region = clash.regions[0];
      // Between flat sides it is `more` times the cosine of half their angle, at the corners `more`.
      const double shallow = more * std::cos(std::numbers::pi / sides);
      for (const LocalDepth& depth : {region.in_a, region.in_b}) {
        EXPECT_GE(depth.depth, shallow * (1 - 1e-4)) << more;
        EXPECT_LE(depth.depth, more * (1 + 1e-4)) << more;
        EXPECT_GE(depth.depth + depth.error, shallow * (1 - 1e-4)) << more;
        EXPECT_LE(depth.error, std::max(0.02 * more, 0.6e-6 * 0.06)) << "half of the tolerance is fine enough";
      }
      const double volume = hub_length * (polygon_area(bore + more, sides) - polygon_area(bore, sides));
      EXPECT_NEAR(clash.volume, volume, clash.volume_error) << more;
      EXPECT_LT(clash.volume_error, 1e-4 * volume) << more;
      EXPECT_NEAR(region.box.min.z(), 0, 1e-10);
      EXPECT_NEAR(region.box.max.z(), hub_length, 1e-10);
      EXPECT_NEAR(region.box.max.x(), bore + more, 1e-10);
      // Out of the wall, towards the axis.
      EXPECT_NEAR(region.normal.z(), 0, 1e-3);
      EXPECT_NEAR((region.point_a - region.point_b).norm(), region.depth, 1e-9);
      EXPECT_LT(region.normal.dot(Vector3d(region.point_b.x(), region.point_b.y(), 0)), 0);
    }
  }
}

TEST(OverlapClosedForm, TheToleranceIsOneOfLocalDepth) {
  const TriangleMesh pin = ring(0, bore + 1e-5, -0.01, hub_length + 0.01, sides);
  EXPECT_EQ(check(hub(), pin, {.tolerance = 2e-5})[0].kind, ClashKind::touch);
  EXPECT_EQ(check(hub(), pin, {.tolerance = 0.9e-5})[0].kind, ClashKind::overlap);
}

TEST(OverlapClosedForm, APegInAPlateIsHalfThePlateDeep) {
  // Vertices of neither are inside the other: the peg passes the plate between its rings.
  const TriangleMesh plate = placed(make_box({0.1, 0.1, 0.01}, 1), Vector3d(0, 0, 0.005));
  const std::vector<Clash> found = check(plate, ring(0, 0.02, -0.05, 0.05, 64));
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].regions.size(), 1U) << "one place, not one where it goes in and one where it comes out";
  const ClashRegion& region = found[0].regions[0];
  EXPECT_NEAR(region.in_a.depth, 0.005, 0.005 * 6e-3);
  EXPECT_GE(region.in_a.depth + region.in_a.error, 0.005 * (1 - 1e-9));
  EXPECT_NEAR(region.in_b.depth, 0.02, 0.02 * 6e-3) << "the middle of the plate's face is at the axis";
  EXPECT_NEAR(found[0].volume, 0.01 * polygon_area(0.02, 64), found[0].volume_error);
}

TEST(OverlapClosedForm, APartInsideAnotherHasItsWholeVolume) {
  const TriangleMesh large = make_box({0.1, 0.1, 0.1}, 3);
  const TriangleMesh small = placed(make_box({0.01, 0.01, 0.01}, 2), Vector3d(0.02, 0, 0));
  const std::vector<Clash> found = check(large, small);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, ClashKind::overlap);
  EXPECT_NEAR(found[0].volume, 1e-6, found[0].volume_error);
  ASSERT_EQ(found[0].regions.size(), 1U);
  // Its far face is 0.1 / 2 - 0.015 below the nearest side, its other faces at most 0.1 / 2 - 0.005.
  EXPECT_NEAR(found[0].regions[0].in_a.depth, 0.035, 0.035 * 6e-3);
  EXPECT_NEAR(found[0].regions[0].box.min.x(), 0.015, 1e-9);
}

TEST(OverlapClosedForm, CoincidentCopiesOverlapByAllTheyHave) {
  for (const TriangleMesh& part : {make_box({0.1, 0.08, 0.06}, 2), hub(), make_icosphere(0.05, 3)}) {
    double volume = 0;
    for (const Triangle& t : part.triangles) {
      volume += part.positions[static_cast<std::size_t>(t[0])]
                    .cross(part.positions[static_cast<std::size_t>(t[1])])
                    .dot(part.positions[static_cast<std::size_t>(t[2])]) /
                6;
    }
    const std::vector<Clash> found = check(part, part);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, ClashKind::overlap);
    EXPECT_NEAR(found[0].volume, volume, found[0].volume_error);
    EXPECT_LT(found[0].volume_error, 1e-6 * volume);
  }
  // No ball in a box has a larger radius than half its shortest side.
  const TriangleMesh box = make_box({0.1, 0.08, 0.06}, 2);
  const Clash clash = check(box, box)[0];
  EXPECT_LE(-clash.distance, 0.03 * (1 + 1e-9));
  EXPECT_GE(-clash.distance, 0.02);
  EXPECT_GE(-clash.distance + clash.error, 0.03 * (1 - 1e-9)) << "the largest ball is within the error";
}

TEST(OverlapClosedForm, EachPlaceHasItsOwnDepthAndVolume) {
  const TriangleMesh beam = make_box({4, 0.5, 0.5}, 1);
  TriangleMesh legs = placed(make_box({0.25, 1, 0.25}, 1), Vector3d(-1.5, -0.625, 0));
  legs = joined(legs, placed(make_box({0.25, 1, 0.25}, 1), Vector3d(1.5, -0.6875, 0)));
  const Clash clash = check(beam, legs)[0];
  ASSERT_EQ(clash.regions.size(), 2U);
  EXPECT_NEAR(clash.regions[0].depth, 0.125, 1e-9);
  EXPECT_NEAR(clash.regions[0].volume, 0.25 * 0.25 * 0.125, clash.regions[0].volume_error);
  EXPECT_NEAR(clash.regions[1].depth, 0.0625, 1e-9);
  EXPECT_NEAR(clash.regions[1].volume, 0.25 * 0.25 * 0.0625, clash.regions[1].volume_error);
  EXPECT_NEAR(clash.regions[0].normal.y(), -1, 1e-9) << "the legs go down";
}

TEST(OverlapClosedForm, InsideOutAndHollowPartsHaveTheSameVolume) {
  const TriangleMesh a = make_box({1, 1, 1}, 2);
  const TriangleMesh b = placed(a, Vector3d(0.75, 0, 0));
  for (const bool turned_a : {false, true}) {
    for (const bool turned_b : {false, true}) {
      const Clash clash = check(turned_a ? inside_out(a) : a, turned_b ? inside_out(b) : b)[0];
      EXPECT_NEAR(clash.volume, 0.25, clash.volume_error);
      EXPECT_NEAR(clash.distance, -0.25, 1e-9);
    }
  }
  // A box with a cavity: the wall is 0.25 thick.
  const TriangleMesh hollow = joined(a, inside_out(make_box({0.5, 0.5, 0.5}, 1)));
  const Clash clash = check(hollow, placed(make_box({2, 0.25, 0.25}, 1), Vector3d(1, 0, 0)))[0];
  EXPECT_NEAR(clash.volume, 0.25 * 0.25 * 0.25, clash.volume_error);
}

TEST(OverlapClosedForm, RankByVolume) {
  // A thin deep overlap and a broad shallow one.
  const MeshOptions solid{.solid = MeshSolid::inside};
  const std::vector<Shape::Part> parts{{Shape::mesh(make_box({1, 1, 1}), solid)},
                                       {Shape::mesh(placed(make_box({0.1, 0.1, 1}), Vector3d(0, 0, 0.75)), solid)},
                                       {Shape::mesh(placed(make_box({1, 1, 1}), Vector3d(0.875, 0, 0)), solid)}};
  const std::vector<Clash> by_depth = find_clashes(parts);
  const std::vector<Clash> by_volume = find_clashes(parts, {.rank = ClashRank::volume});
  ASSERT_EQ(by_depth.size(), 2U);
  ASSERT_EQ(by_volume.size(), 2U);
  EXPECT_EQ(by_depth[0].b, 1);
  EXPECT_EQ(by_volume[0].b, 2);
}

TEST(OverlapClosedForm, TheTranslationApartIsThereOnRequest) {
  const TriangleMesh pin = ring(0, bore + 1e-5, -0.01, hub_length + 0.01, sides);
  const Clash clash = check(hub(), pin, {.separation = true})[0];
  ASSERT_TRUE(clash.separation.has_value());
  EXPECT_GT(clash.separation->length, hub_radius);
  EXPECT_FALSE(check(hub(), pin)[0].separation.has_value());
}

TEST(OverlapClosedForm, OpenSurfacesThatCrossHaveADepthAtLeast) {
  TriangleMesh open = make_box({1, 1, 1}, 4);
  open.triangles.resize(open.triangles.size() - 2);
  const Clash clash = check(open, placed(open, Vector3d(0.3, 0.2, 0.1)))[0];
  EXPECT_EQ(clash.kind, ClashKind::overlap);
  EXPECT_TRUE(std::isnan(clash.volume));
  EXPECT_EQ(clash.error, INFINITY);
  EXPECT_GT(-clash.distance, 0);
  EXPECT_LE(-clash.distance, 0.25 * std::sqrt(2)) << "no more than a triangle is large";
}

}  // namespace
}  // namespace carom
