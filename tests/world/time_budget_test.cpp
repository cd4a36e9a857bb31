#include "world/time_budget.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "carom/core/error.hpp"
#include "oracle/apart.hpp"

/// Time budgets by importance.
namespace carom {
namespace {

using Eigen::Vector3d;
using namespace time_budget;

/// Two equal sheets beside each other that fall on balls of their own.
struct Sheets {
  World world;
  std::array<BodyId, 2> sheets;
};

Sheets falling_sheets(const Shortage& shortage) {
  Sheets made{.world = World(options_of(shortage)), .sheets = {}};
  for (const std::size_t k : {0U, 1U}) {
    const Vector3d place(2.0 * static_cast<double>(k), 0, 0);
    RigidBody ball{.name = "ball", .shape = Shape::sphere(0.2), .motion = MotionModel::fixed};
    ball.pose.translation() = place;
    made.world.add(ball);
    ClothBody sheet;
    sheet.name = "sheet";
    sheet.mesh = mixed::level_sheet(12, 0.6, place + Vector3d(0.01, 0.25, 0.02));
    sheet.inner_steps = asked;
    sheet.importance = shortage.importance[k];
    made.sheets[k] = made.world.add(sheet);
  }
  return made;
}

/// s for which both sheets have all their inner steps.
double whole_budget(const World& world, BodyId sheet) {
  return 2 * asked * cost * static_cast<double>(world.positions(sheet).size()) / for_inner_steps;
}

/// m, of vertices of a sheet in two worlds.
double farthest_apart(const Sheets& a, const Sheets& b, std::size_t sheet) {
  const auto positions = a.world.positions(a.sheets[sheet]);
  double farthest = 0;
  for (std::size_t v = 0; v < positions.size(); ++v)
    farthest = std::max(farthest, (positions[v] - b.world.positions(b.sheets[sheet])[v]).norm());
  return farthest;
}

TEST(TimeBudget, TheLessImportantBodyLosesItsInnerStepsFirst) {
  const double whole = [] {
    const Sheets any = falling_sheets({});
    return whole_budget(any.world, any.sheets[0]);
  }();
  for (const std::size_t important : {0U, 1U}) {
    const std::size_t other = 1 - important;
    // One has all, the other 152.
    Shortage shortage{.budget = 312.0 / 320 * whole * (1 + 1e-9), .distance = 0.02};
    shortage.importance[important] = 5;
    Sheets short_of_time = falling_sheets(shortage);
    Sheets unlimited = falling_sheets({.budget = 1e3, .distance = 0.02});
    const double energy = short_of_time.world.balance().energy();
    for (int i = 0; i < 60; ++i) {
      short_of_time.world.step();
      unlimited.world.step();
      ASSERT_EQ(count_of(short_of_time.world.stats()[Stage::respond], "rounds"), 1U) << i;
      ASSERT_EQ(count_of(unlimited.world.stats()[Stage::respond], "rounds"), 1U) << i;
      const std::vector<LimitedBody>& limited = short_of_time.world.limited_bodies();
      ASSERT_EQ(limited.size(), 1U) << i;
      EXPECT_EQ(limited[0].body, short_of_time.sheets[other]) << i;
      EXPECT_EQ(limited[0].inner_steps, 152) << i;
      EXPECT_EQ(limited[0].left_out, 8) << i;
      EXPECT_EQ(static_cast<std::uint64_t>(limited[0].left_out),
                count_of(short_of_time.world.stats()[Stage::respond], "inner steps left out"));
      ASSERT_EQ(oracle::count_intersections(short_of_time.world), 0U) << i;
      ASSERT_LE(short_of_time.world.balance().energy(), energy + 1e-9) << i;
      // Later on what is rounded in one of them and not in the other has grown.
      if (i >= 20) continue;
      EXPECT_LT(farthest_apart(short_of_time, unlimited, important), 1e-8) << "as if there were no budget, " << i;
      if (i == 19) {
        EXPECT_GT(short_of_time.world.contacts().size(), 100U);
        EXPECT_GT(farthest_apart(short_of_time, unlimited, other), 1e-6);
      }
    }
    EXPECT_TRUE(unlimited.world.limited_bodies().empty());
  }
}

TEST(TimeBudget, EqualBodiesLoseAlikeAndNoneIsLeftWithoutWhatItNeeds) {
  Sheets made = falling_sheets({.budget = 1e-12});
  const double energy = made.world.balance().energy();
  for (int i = 0; i < 60; ++i) {
    made.world.step();
    ASSERT_EQ(made.world.limited_bodies().size(), 2U);
    for (const LimitedBody& body : made.world.limited_bodies())
      EXPECT_GE(body.inner_steps, 9 * body.left_out) << "nine tenths";
    ASSERT_EQ(oracle::count_intersections(made.world), 0U) << i;
    ASSERT_LE(made.world.balance().energy(), energy + 1e-9) << i;
  }
}

/// However unimportant, whatever the budget.
TEST(TimeBudget, SoftBodiesAndClothKeepWhatHoldsTheirEnergy) {
  World world(options_of({.budget = 1e-12}));
  RigidBody ground{.name = "ground", .shape = Shape::half_space({0, 1, 0}, 0), .motion = MotionModel::fixed};
  world.add(ground);
  SoftBody ball;
  ball.name = "ball";
  ball.mesh = placed(make_icosphere(0.1, 2), Vector3d(0, 0.2, 0));
  ball.degrees_of_freedom = 600;
  ball.elasticity = {.density = 500, .young_modulus = 3e4, .poisson_ratio = 0.4, .damping = 0.01};
  ball.importance = 0;
  const BodyId soft = world.add(ball);
  // Held along one side: with a quarter of its inner steps it swings up to where it never was.
  ClothBody sheet;
  sheet.name = "sheet";
  sheet.mesh = mixed::level_sheet(12, 0.6, {1, 1, 0});
  sheet.pinned = mixed::vertices_where(sheet.mesh, [](const Vector3d& p) { return p.z() > 0.29; });
  sheet.inner_steps = 48;
  sheet.importance = 0;
  const BodyId cloth = world.add(sheet);
  const double energy = world.balance().energy();
  std::map<BodyId, int> steps;
  for (int i = 0; i < 120; ++i) {
    world.step();
    for (const LimitedBody& body : world.limited_bodies()) {
      EXPECT_GE(body.inner_steps, 9 * body.left_out) << i;
      ++steps[body.body];
    }
    ASSERT_EQ(oracle::count_intersections(world), 0U) << i;
    ASSERT_LE(world.balance().energy(), energy + 1e-9) << i;
  }
  EXPECT_GT(steps[cloth], 60);
  EXPECT_TRUE(world.asleep(soft) || steps[soft] > 0);
}

/// A sheet on which a plate slides has its inner steps before one that nothing touches, though both have the default.
TEST(TimeBudget, WhatAToolTouchesComesFirst) {
  const std::size_t vertices = static_cast<std::size_t>(13 * 13);
  const double whole = 2 * asked * cost * static_cast<double>(vertices) / for_inner_steps;
  World world(options_of({.budget = 312.0 / 320 * whole * (1 + 1e-9)}));
  std::array<BodyId, 2> sheets;
  for (const std::size_t k : {0U, 1U}) {
    const Vector3d place(2.0 * static_cast<double>(k), 0, 0);
    RigidBody table{.name = "table", .shape = Shape::box({0.5, 0.1, 0.5}), .motion = MotionModel::fixed};
    table.pose.translation() = place;
    world.add(table);
    ClothBody sheet;
    sheet.name = "sheet";
    sheet.mesh = mixed::level_sheet(12, 0.6, place + Vector3d(0, 0.107, 0));
    sheet.inner_steps = asked;
    sheets[k] = world.add(sheet);
  }
  // On the second sheet, which would otherwise come after the first.
  RigidBody iron{.name = "iron", .shape = Shape::box({0.1, 0.05, 0.1}), .motion = MotionModel::scripted};
  iron.pose.translation() = Vector3d(1.95, 0.165, 0);
  iron.velocity = {0.1, 0, 0};
  world.add(iron);
  int told = 0;
  for (int i = 0; i < 30; ++i) {
    world.step();
    if (i < 5) continue;
    ASSERT_EQ(world.limited_bodies().size(), 1U) << i;
    EXPECT_EQ(world.limited_bodies()[0].body, sheets[0]) << i;
    ++told;
  }
  EXPECT_EQ(told, 25);
}

/// Of two sheets that hang, the one that a hand pulls.
TEST(TimeBudget, WhatAHandPullsComesFirst) {
  const double whole = 2 * asked * cost * 13 * 13 / for_inner_steps;
  World world(options_of({.budget = 312.0 / 320 * whole * (1 + 1e-9)}));
  std::array<BodyId, 2> sheets;
  for (const std::size_t k : {0U, 1U}) {
    ClothBody sheet;
    sheet.name = "sheet";
    sheet.mesh = mixed::level_sheet(12, 0.6, {2.0 * static_cast<double>(k), 0, 0});
    sheet.pinned = mixed::vertices_where(sheet.mesh, [](const Vector3d& p) { return p.z() > 0.29; });
    sheet.inner_steps = asked;
    sheets[k] = world.add(sheet);
  }
  for (int i = 0; i < 12; ++i) {
    const std::size_t pulled = i / 4 % 2 == 0 ? 1 : 0;
    world.pull(sheets[pulled], 0, Pull{.target = world.positions(sheets[pulled])[0], .stiffness = 10, .max_force = 1});
    world.step();
    ASSERT_EQ(world.limited_bodies().size(), 1U) << i;
    EXPECT_EQ(world.limited_bodies()[0].body, sheets[1 - pulled]) << i;
  }
  world.step();
  EXPECT_EQ(world.limited_bodies().size(), 2U) << "nobody pulls";
}

/// Of two sheets that nothing moves or pulls, the one that falls on something has all its inner steps when it does.
TEST(TimeBudget, WhatHasJustMetSomethingComesNext) {
  const double whole = 2 * asked * cost * 13 * 13 / for_inner_steps;
  World world(options_of({.budget = 312.0 / 320 * whole * (1 + 1e-9), .distance = 0.02}));
  std::array<BodyId, 2> sheets;
  for (const std::size_t k : {0U, 1U}) {
    ClothBody sheet;
    sheet.name = "sheet";
    sheet.mesh = mixed::level_sheet(12, 0.6, {2.0 * static_cast<double>(k), 0.14, 0});
    sheet.inner_steps = asked;
    sheets[k] = world.add(sheet);
  }
  RigidBody table{.name = "table", .shape = Shape::box({0.5, 0.1, 0.5}), .motion = MotionModel::fixed};
  table.pose.translation().x() = 2;
  const BodyId below = world.add(table);
  const auto pushed = [&] {
    for (const WorldContact& c : world.contacts()) {
      if (c.body_a == below && c.impulse > 0) return true;
    }
    return false;
  };
  int in_the_air = 0;
  for (world.step(); !pushed(); world.step()) {
    EXPECT_EQ(world.limited_bodies().size(), 2U) << in_the_air;
    ASSERT_LT(++in_the_air, 20);
  }
  EXPECT_GT(in_the_air, 2);
  ASSERT_EQ(world.limited_bodies().size(), 1U);
  EXPECT_EQ(world.limited_bodies()[0].body, sheets[0]);
}

/// A sheet of no importance that lies on an important one is solved with it; one beside them loses inner steps.
TEST(TimeBudget, BodiesThatTouchLoseAsOne) {
  const double one = asked * cost * 13 * 13 / for_inner_steps;
  World world(options_of({.budget = 472.0 / 480 * 3 * one * (1 + 1e-9)}));
  const auto add = [&](const Vector3d& place, double importance) {
    ClothBody sheet;
    sheet.name = "sheet";
    sheet.mesh = mixed::level_sheet(12, 0.6, place);
    sheet.inner_steps = asked;
    sheet.importance = importance;
    return world.add(sheet);
  };
  for (const double x : {0.0, 2.0}) {
    RigidBody table{.name = "table", .shape = Shape::box({0.5, 0.1, 0.5}), .motion = MotionModel::fixed};
    table.pose.translation().x() = x;
    world.add(table);
  }
  add({0, 0.116, 0}, 0);
  add({0, 0.108, 0}, 5);
  const BodyId beside = add({2, 0.108, 0}, 3);
  for (int i = 0; i < 20; ++i) {
    world.step();
    if (i < 3) continue;
    ASSERT_EQ(world.limited_bodies().size(), 1U) << i;
    EXPECT_EQ(world.limited_bodies()[0].body, beside) << i;
  }
}

TEST(TimeBudget, SameHashForAnyNumberOfThreadsWhereTheCostIsGiven) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4, 1}) {
    Shortage shortage{.budget = 0, .threads = threads};
    shortage.importance[1] = 3;
    const Sheets any = falling_sheets(shortage);
    shortage.budget = 0.96 * whole_budget(any.world, any.sheets[0]);
    Sheets made = falling_sheets(shortage);
    for (int i = 0; i < 30; ++i) made.world.step();
    EXPECT_EQ(made.world.limited_bodies().size(), 1U);
    hashes.push_back(made.world.state_hash());
    const World::Snapshot snapshot = made.world.snapshot();
    for (int i = 0; i < 5; ++i) made.world.step();
    const std::uint64_t later = made.world.state_hash();
    made.world.restore(snapshot);
    EXPECT_TRUE(made.world.limited_bodies().empty()) << "of no step";
    for (int i = 0; i < 5; ++i) made.world.step();
    EXPECT_EQ(made.world.state_hash(), later);
  }
  for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes[0]);
}

TEST(TimeBudget, ImportanceIsCheckedByName) {
  World world(options_of({}));
  ClothBody sheet;
  sheet.name = "sheet";
  sheet.mesh = mixed::level_sheet(2, 1);
  sheet.importance = -1;
  try {
    world.add(sheet);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "body 'sheet': importance is -1; expected a number that is not negative");
  }
}

/// A ball on a plate that no force moves has no deforming body in its island: it is solved with the first group, and
/// what its contacts push stays.
TEST(TimeBudget, RigidBodiesOnSurfacesThatNoForceMovesRest) {
  constexpr double vertices = 13 * 13;
  const auto ball_after = [&](double budget, double speed, bool fixed) {
    World world(options_of({.budget = budget, .distance = 0.02}));
    const TriangleMesh mesh = placed(make_box({6, 0.1, 0.4}, 8), Vector3d(1, 0.05, 0.1));
    if (fixed) {
      world.add(FixedBody{.name = "plate", .mesh = mesh, .cuttable = true});
    } else {
      ScriptedBody plate{.name = "plate", .mesh = mesh};
      plate.motion = [rest = mesh.positions, speed](double time, std::span<Vector3d> p) {
        for (std::size_t v = 0; v < p.size(); ++v) p[v] = rest[v] + Vector3d(0, speed * time, 0);
      };
      world.add(plate);
    }
    for (int k = 0; k < 2; ++k) {
      ClothBody sheet{.name = "sheet", .mesh = mixed::level_sheet(12, 0.6, {2.0 * k, 0.6, 0})};
      sheet.inner_steps = asked;
      sheet.importance = 1 + k;
      sheet.pinned = mixed::vertices_where(sheet.mesh, [](const Vector3d& p) { return p.z() > 0.29; });
      world.add(sheet);
    }
    RigidBody ball{.name = "ball", .shape = Shape::sphere(0.06), .density = 200};
    ball.pose.translation() = Vector3d(-1, 0.2, 0.05);
    const BodyId id = world.add(ball);
    std::size_t limited = 0;
    for (int i = 0; i < 90; ++i) {
      world.step();
      limited += world.limited_bodies().size();
    }
    EXPECT_EQ(limited > 0, budget < 1) << "one sheet has fewer inner steps than the other";
    return world.center_of_mass(id).y();
  };
  // Enough for all inner steps of the second sheet, and not of the first.
  const double short_of = 312.0 / 320 * (2 * asked * cost * vertices / for_inner_steps) * (1 + 1e-9);
  EXPECT_NEAR(ball_after(short_of, 0, false), ball_after(1e3, 0, false), 1e-6);
  EXPECT_NEAR(ball_after(short_of, 0.02, false), ball_after(1e3, 0.02, false), 1e-6);
  EXPECT_NEAR(ball_after(short_of, 0, true), ball_after(1e3, 0, true), 1e-6);
}

/// With a given cost a step depends on the budget, so a snapshot is of that budget.
TEST(TimeBudget, SnapshotsOfAnotherBudgetAreRefusedWhereTheCostIsGiven) {
  const World one(options_of({.budget = 0.01}));
  World other(options_of({.budget = 0.02}));
  try {
    other.restore(one.snapshot());
    FAIL() << "the budgets differ";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("time_budget"), std::string::npos) << error.what();
  }
}

/// A tear that is refused, as a vertex of the pinned border is in no triangle with an area after it, ends the step as
/// without a budget: nothing has changed.
TEST(TimeBudget, StepsThatAreRefusedChangeNothing) {
  for (const double budget : {0.0, 1.0}) {
    WorldOptions options = options_of({.budget = budget});
    options.contact.distance = 0.004;
    World world(options);
    ClothBody cloth{.name = "cloth", .mesh = make_sheet(1, 1, 4, 4)};
    for (Vector3d& p : cloth.mesh.positions) p = Vector3d(p.x(), -p.z(), 0);
    const auto at_height = [&](double low, double high) {
      return mixed::vertices_where(cloth.mesh, [&](const Vector3d& p) { return p.y() > low && p.y() < high; });
    };
    std::vector<Index> top = at_height(0.49, 0.51);
    std::ranges::sort(top, {}, [&](Index v) { return cloth.mesh.positions[static_cast<std::size_t>(v)].x(); });
    const std::vector<Index> bottom = at_height(-0.51, -0.49);
    cloth.mesh.triangles.push_back({top[1], top[3], top[2]});
    cloth.mesh.triangles.push_back({top[0], top[2], top[1]});
    cloth.pinned = top;
    cloth.fabric.tear_strain = 0.02;
    const BodyId id = world.add(cloth);
    bool refused = false;
    for (int i = 0; i < 200 && !refused; ++i) {
      for (const Index v : bottom) {
        const double x = world.positions(id)[static_cast<std::size_t>(v)].x();
        world.pull(id, v, {.target = {x, -1.2, 0}, .stiffness = 2000, .damping = 10});
      }
      const std::uint64_t hash = world.state_hash();
      const double time = world.time();
      const std::size_t vertices = world.positions(id).size();
      try {
        world.step();
      } catch (const Error&) {
        refused = true;
        EXPECT_EQ(world.state_hash(), hash) << "budget " << budget;
        EXPECT_EQ(world.time(), time) << "budget " << budget;
        EXPECT_EQ(world.positions(id).size(), vertices) << "budget " << budget;
      }
    }
    EXPECT_TRUE(refused) << "budget " << budget;
  }
}

}  // namespace
}  // namespace carom
