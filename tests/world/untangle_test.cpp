#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <vector>

#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"
#include "oracle/apart.hpp"

/// Worlds whose surfaces intersect at the start: they come apart, and do not intersect again.
namespace carom {
namespace {

using Eigen::Vector3d;

ClothBody cloth(std::string name, TriangleMesh mesh) {
  ClothBody body;
  body.name = std::move(name);
  body.mesh = std::move(mesh);
  body.air_damping = 0.5;
  return body;
}

TriangleMesh turned_sheet(double size, int segments, double degrees, const Vector3d& place) {
  TriangleMesh mesh = make_sheet(size, size, segments, segments);
  const Eigen::AngleAxisd turn(degrees * std::numbers::pi / 180, Vector3d::UnitX());
  for (Vector3d& p : mesh.positions) p = turn * p + place;
  return mesh;
}

/// Steps until nothing intersects, and as many again in which nothing may. Returns the first number.
int steps_until_apart(World& world, int at_most) {
  int steps = 0;
  while (oracle::count_intersections(world) > 0 && steps < at_most) {
    world.step();
    EXPECT_FALSE(world.tangles().empty());
    ++steps;
  }
  EXPECT_EQ(oracle::count_intersections(world), 0U) << "after " << steps << " steps";
  for (int i = 0; i < 60; ++i) {
    world.step();
    const std::size_t again = oracle::count_intersections(world);
    EXPECT_EQ(again, 0U) << i << " steps after they came apart";
    if (again > 0) break;
  }
  EXPECT_TRUE(world.tangles().empty());
  return steps;
}

WorldOptions floating() {
  return {.gravity = {0, 0, 0}, .dt = 1.0 / 60, .contact = {.distance = 0.005}};
}

TEST(Untangle, TwoSheetsPushedThroughEachOther) {
  World world(floating());
  const BodyId a = world.add(cloth("a", make_sheet(1, 1, 20, 20)));
  const BodyId b = world.add(cloth("b", turned_sheet(0.6, 12, 80, {0.013, 0.09, 0.02})));
  const std::size_t before = oracle::count_intersections(world);
  ASSERT_GT(before, 10U);
  const Vector3d momentum = world.balance().momentum;
  world.step();
  ASSERT_EQ(world.tangles().size(), 1U);
  const WorldTangle tangle = world.tangles()[0];
  EXPECT_EQ(tangle.a, b) << "b hangs through by less than half";
  EXPECT_EQ(tangle.b, a);
  EXPECT_EQ(tangle.pairs, before);
  EXPECT_NEAR(tangle.center.y(), 0, 1e-9) << "where the plane of a is";
  EXPECT_LT((world.balance().momentum - momentum).norm(), 1e-9);
  const int steps = steps_until_apart(world, 120);
  EXPECT_GT(steps, 2);
}

TEST(Untangle, WhereThreeBodiesMeetEachPairHasItsOwnContour) {
  // Two sheets, a few millimeters apart, go through the same triangles of a third.
  World world(floating());
  const BodyId a = world.add(cloth("a", make_sheet(1, 1, 5, 5)));
  const BodyId b = world.add(cloth("b", turned_sheet(0.6, 12, 80, {0.013, 0.09, 0.02})));
  const BodyId c = world.add(cloth("c", turned_sheet(0.6, 12, 80, {0.013, 0.09, 0.045})));
  const std::array<BodyId, 3> bodies{a, b, c};
  const auto corners = [&](BodyId id, Index triangle) {
    const auto& t = world.triangles(id)[static_cast<std::size_t>(triangle)];
    const auto at = [&](Index v) { return world.positions(id)[static_cast<std::size_t>(v)]; };
    return TrianglePoints{at(t[0]), at(t[1]), at(t[2])};
  };
  std::map<BodyId, std::vector<TrianglePoints>> start;
  for (const BodyId id : bodies) {
    for (Index t = 0; t < static_cast<Index>(world.triangles(id).size()); ++t) start[id].push_back(corners(id, t));
  }
  world.step();
  ASSERT_EQ(world.tangles().size(), 2U);
  std::set<BodyId> with_a;
  for (const WorldTangle& tangle : world.tangles()) {
    ASSERT_TRUE(tangle.a == a || tangle.b == a) << "b and c do not intersect";
    with_a.insert(tangle.a == a ? tangle.b : tangle.a);
    std::size_t pairs = 0;
    for (const TrianglePoints& p : start[tangle.a]) {
      for (const TrianglePoints& q : start[tangle.b]) pairs += intersects(p, q) ? 1 : 0;
    }
    EXPECT_EQ(tangle.pairs, pairs);
    ASSERT_GE(tangle.triangles[0], 0);
    ASSERT_GE(tangle.triangles[1], 0);
    EXPECT_TRUE(intersects(start[tangle.a].at(static_cast<std::size_t>(tangle.triangles[0])),
                           start[tangle.b].at(static_cast<std::size_t>(tangle.triangles[1]))));
  }
  EXPECT_EQ(with_a, (std::set{b, c}));
  steps_until_apart(world, 240);
}

TEST(Untangle, SheetFoldedThroughItself) {
  // A strip that bends up, over and down through its own beginning.
  TriangleMesh strip = make_sheet(1.6, 0.3, 48, 9);
  for (Vector3d& p : strip.positions) {
    const double s = p.x() + 0.8;  // along the strip
    const double straight = 0.5;
    const double radius = 0.16;
    const double z = p.z();
    if (s < straight) {
      p = {s, 0, z};
    } else {
      const double angle = (s - straight) / radius;
      const double bent = std::min(angle, 1.55 * std::numbers::pi);
      p = {straight + radius * std::sin(bent), radius * (1 - std::cos(bent)), z};
      const double rest = (angle - bent) * radius;
      p += rest * Vector3d(std::cos(bent), std::sin(bent), 0);
    }
  }
  World world(floating());
  const BodyId body = world.add(cloth("strip", strip));
  ASSERT_GT(oracle::count_intersections(world), 5U);
  world.step();
  ASSERT_FALSE(world.tangles().empty());
  EXPECT_EQ(world.tangles()[0].a, body);
  EXPECT_EQ(world.tangles()[0].b, body);
  steps_until_apart(world, 180);
}

TEST(Untangle, SheetThroughABox) {
  World world(floating());
  world.add(FixedBody{.name = "box", .mesh = make_box({0.3, 0.3, 0.3}, 4)});
  const BodyId sheet = world.add(cloth("sheet", turned_sheet(1, 24, 0, {0.01, 0.07, 0.02})));
  ASSERT_GT(oracle::count_intersections(world), 20U);
  steps_until_apart(world, 240);
  double highest = -INFINITY;
  for (const Vector3d& p : world.positions(sheet)) highest = std::max(highest, p.y());
  EXPECT_GT(highest, 0.15) << "it went over the top, which was nearer";
}

TEST(Untangle, SheetsAtTheSamePlace) {
  World world(floating());
  world.add(cloth("a", make_sheet(0.5, 0.5, 6, 6)));
  world.add(cloth("b", make_sheet(0.5, 0.5, 6, 6)));
  ASSERT_GT(oracle::count_intersections(world), 50U);
  steps_until_apart(world, 60);
}

TEST(Untangle, StateDoesNotDependOnThreads) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    WorldOptions options = floating();
    options.threads = threads;
    World world(options);
    world.add(cloth("a", make_sheet(1, 1, 20, 20)));
    world.add(cloth("b", turned_sheet(0.6, 12, 80, {0.013, 0.09, 0.02})));
    for (int i = 0; i < 6; ++i) world.step();
    hashes.push_back(world.state_hash());
  }
  EXPECT_EQ(hashes[1], hashes[0]);
  EXPECT_EQ(hashes[2], hashes[0]);
}

TEST(Untangle, NothingIsTangledWhereNothingIntersects) {
  World world(floating());
  world.add(cloth("a", make_sheet(1, 1, 10, 10)));
  world.add(cloth("b", turned_sheet(0.6, 6, 80, {0.013, 0.4, 0.02})));
  world.step();
  EXPECT_TRUE(world.tangles().empty());
}

}  // namespace
}  // namespace carom
