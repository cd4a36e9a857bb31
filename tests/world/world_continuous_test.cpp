#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"
#include "oracle/placed.hpp"
#include "oracle/scene_frames.hpp"
#include "world/light_sheet.hpp"

/// The response is switched off in these tests: what keeps things apart is the net alone.
namespace carom {
namespace {

using Eigen::Vector3d;

constexpr ContactOptions no_response{.distance = 0.01, .stiffness = 0, .damping = 0};

WorldOptions weak_world(double dt, Detection detection = Detection::continuous) {
  return {.gravity = {0, 0, 0},
          .dt = dt,
          .contact = no_response,
          .detection = detection,
          .response = "penalty",
          .threads = 1};
}

/// Soft enough for a step of 0.01 s.
ParticleBody soft(const std::string& name, TriangleMesh mesh, const Vector3d& velocity,
                  std::vector<Index> pinned = {}) {
  return {.name = name,
          .mesh = std::move(mesh),
          .mass = 1,
          .stretch_stiffness = 2,
          .bend_stiffness = 0.1,
          .spring_damping = 0.02,
          .air_damping = 0,
          .pinned = std::move(pinned),
          .velocity = velocity};
}

ParticleBody bullet(const Vector3d& centre, const Vector3d& velocity) {
  return soft("bullet", placed(make_icosphere(0.05, 1), centre), velocity);
}

std::vector<Index> border(const TriangleMesh& sheet, double half) {
  std::vector<Index> vertices;
  for (std::size_t v = 0; v < sheet.positions.size(); ++v) {
    const Vector3d& p = sheet.positions[v];
    if (std::abs(p.x()) > half - 1e-9 || std::abs(p.z()) > half - 1e-9) vertices.push_back(static_cast<Index>(v));
  }
  return vertices;
}

std::size_t crossings(const World& world) {
  const oracle::Joined joined = oracle::join(world);
  const Surface surface(joined.positions.size(), joined.triangles, joined.object_of_triangle);
  return intersections(surface, joined.positions, {.threads = 1}).size();
}

/// How often a ray from p meets the body; exact, as a segment is a triangle of no area.
int hits_on_the_way(const World& world, BodyId body, const Vector3d& p, const Vector3d& direction) {
  const Vector3d far = p + 1000 * direction;
  int hits = 0;
  for (const Triangle& t : world.triangles(body)) {
    TrianglePoints points;
    for (std::size_t k = 0; k < 3; ++k) points[k] = world.positions(body)[static_cast<std::size_t>(t[k])];
    if (intersects({p, far, far}, points)) ++hits;
  }
  return hits;
}

std::uint64_t counted(const World& world, std::string_view name) {
  for (const Counted& entry : world.stats()[Stage::commit].counted()) {
    if (entry.name == name) return entry.count;
  }
  return 0;
}

double kinetic_energy(const World& world, BodyId body) {
  double sum = 0;  // masses differ, but each vertex is slowed down only
  for (const Vector3d& v : world.velocities(body)) sum += v.squaredNorm();
  return sum;
}

constexpr double speeds[] = {1, 30, 300, 1e4};
constexpr double steps_of_time[] = {0.001, 0.01};

TEST(WorldContinuous, BulletsOfAnySpeedStayOnTheirSideOfAStaticSheet) {
  for (const double speed : speeds) {
    for (const double dt : steps_of_time) {
      World world(weak_world(dt));
      world.add(FixedBody{"sheet", make_sheet(1, 1, 3, 3)});
      const BodyId id = world.add(bullet({0.07, 0.2, 0.03}, {0.1 * speed, -speed, 0}));
      std::uint64_t limited = 0;
      double energy = kinetic_energy(world, id);
      for (int step = 0; step < 250 && (step < 8 || limited == 0); ++step) {
        world.step();
        limited += world.stats()[Stage::commit].limited;
        for (const Vector3d& p : world.positions(id)) ASSERT_GT(p.y(), 0) << speed << ' ' << dt << ' ' << step;
        ASSERT_EQ(crossings(world), 0U) << speed << ' ' << dt << ' ' << step;
        ASSERT_EQ(counted(world, "unresolved"), 0U);
        if (limited == 0) energy = kinetic_energy(world, id);
      }
      EXPECT_GT(limited, 0U) << "it never arrived";
      EXPECT_LT(kinetic_energy(world, id), energy);
    }
  }
}

TEST(WorldContinuous, WithoutItAFastBulletPasses) {
  World world(weak_world(0.001, Detection::discrete));
  world.add(FixedBody{"sheet", make_sheet(1, 1, 3, 3)});
  const BodyId id = world.add(bullet({0.07, 0.2, 0.03}, {0, -1e3, 0}));
  world.step();
  for (const Vector3d& p : world.positions(id)) EXPECT_LT(p.y(), 0);
  EXPECT_EQ(counted(world, "rounds"), 0U);
}

TEST(WorldContinuous, BulletsOfAnySpeedStayOnTheirSideOfASheetOfParticles) {
  for (const double speed : speeds) {
    for (const double dt : steps_of_time) {
      World world(weak_world(dt));
      const TriangleMesh mesh = make_sheet(1, 1, 6, 6);
      const BodyId sheet = world.add(soft("sheet", mesh, {0, 0, 0}, border(mesh, 0.5)));
      const BodyId id = world.add(bullet({0.07, 0.2, 0.03}, {0, -speed, 0}));
      std::uint64_t limited = 0;
      for (int step = 0; step < 250 && (step < 8 || limited == 0); ++step) {
        world.step();
        limited += world.stats()[Stage::commit].limited;
        ASSERT_EQ(crossings(world), 0U) << speed << ' ' << dt << ' ' << step;
        for (const Vector3d& p : world.positions(id)) {
          ASSERT_EQ(hits_on_the_way(world, sheet, p, {0, 1, 0}), 0) << speed << ' ' << dt << ' ' << step;
          ASSERT_GE(hits_on_the_way(world, sheet, p, {0, -1, 0}), 1) << speed << ' ' << dt << ' ' << step;
        }
      }
      EXPECT_GT(limited, 0U) << "it never arrived";
    }
  }
}

World sheet_on_needle(int threads) {
  WorldOptions options = weak_world(0.005);
  options.threads = threads;
  options.gravity = {0, -9.81, 0};
  World world(options);
  world.add(FixedBody{
      "needle",
      {{{0, 0.3, 0}, {0.01, -1, 0.01}, {-0.01, -1, 0.01}, {0, -1, -0.01}}, {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}}}});
  world.add(soft("sheet", placed(make_sheet(1, 1, 8, 8), {0.02, 0.6, 0.03}), {0, -100, 0}));
  return world;
}

TEST(WorldContinuous, ANeedleDoesNotPierceASheetThatFallsOnItAt100MetresASecond) {
  World world = sheet_on_needle(1);
  const BodyId sheet = world.bodies()[1];
  for (int step = 0; step < 30; ++step) {
    world.step();
    ASSERT_EQ(crossings(world), 0U) << step;
    ASSERT_EQ(counted(world, "unresolved"), 0U);
    if (step < 5) {
      ASSERT_EQ(hits_on_the_way(world, sheet, {0, 0.3, 0}, {0, 1, 0}) % 2, 1) << "the tip is below";
    }
  }
}

TEST(WorldContinuous, TheSameBitsForAnyNumberOfThreads) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    World world = sheet_on_needle(threads);
    std::uint64_t rounds = 0;
    for (int step = 0; step < 10; ++step) {
      world.step();
      rounds += counted(world, "rounds");
    }
    EXPECT_GT(rounds, 12U) << "nothing was limited";
    hashes.push_back(world.state_hash() ^ rounds);
  }
  EXPECT_EQ(hashes[1], hashes[0]);
  EXPECT_EQ(hashes[2], hashes[0]);
}

/// Two upright cloths, one above the other and across it: only edges meet.
World crossing_cloths(Detection detection) {
  World world(weak_world(0.01, detection));
  const double quarter = std::numbers::pi / 2;
  const Eigen::Quaterniond upright(Eigen::AngleAxisd(quarter, Vector3d::UnitX()));
  const Eigen::Quaterniond across(Eigen::AngleAxisd(quarter, Vector3d::UnitY()));
  world.add(soft("lower", placed(make_sheet(1, 1, 4, 4), {0.01, -0.52, 0.02}, upright), {0, 40, 0}));
  world.add(soft("upper", placed(make_sheet(1, 1, 4, 4), {0, 0.52, 0}, across * upright), {0, -60, 0}));
  return world;
}

TEST(WorldContinuous, CrossingEdgesOfTwoClothsDoNotPass) {
  World free = crossing_cloths(Detection::discrete);
  free.step();
  EXPECT_GT(crossings(free), 0U);
  World world = crossing_cloths(Detection::continuous);
  for (int step = 0; step < 25; ++step) {
    world.step();
    if (step == 0) {
      EXPECT_GT(world.stats()[Stage::commit].limited, 0U);
    }
    ASSERT_EQ(crossings(world), 0U) << step;
    ASSERT_EQ(counted(world, "unresolved"), 0U);
  }
}

/// Any number of soft sheets and balls, thrown at each other and at a box.
RC_GTEST_PROP(WorldContinuousProperty, AStartWithoutIntersectionsStaysWithout, ()) {
  const auto number = [](double low, double high) {
    return low + (high - low) * *rc::gen::inRange(0, 1'000'001) / 1e6;
  };
  const auto vector = [&](double size) {
    return Vector3d(number(-size, size), number(-size, size), number(-size, size));
  };
  World world(weak_world(*rc::gen::element(0.001, 0.01)));
  world.add(FixedBody{"box", make_box({0.5, 0.02, 0.5}, 2)});
  const int count = *rc::gen::inRange(1, 4);
  for (int i = 0; i < count; ++i) {
    const double speed = std::pow(10, number(0, 4));
    const Vector3d centre(number(-0.3, 0.3), (i % 2 == 0 ? 1 : -1) * (0.6 + 1.2 * i), number(-0.3, 0.3));
    const Vector3d aim = (vector(0.2) - centre).normalized();
    Eigen::Quaterniond turn(number(0.1, 1), number(-1, 1), number(-1, 1), number(-1, 1));
    turn.normalize();
    const TriangleMesh mesh = *rc::gen::arbitrary<bool>() ? make_sheet(0.6, 0.6, 3, 3) : make_icosphere(0.2, 1);
    world.add(soft("thing", placed(mesh, centre, turn), speed * aim));
  }
  RC_ASSERT(crossings(world) == 0U);
  for (int step = 0; step < 12; ++step) {
    world.step();
    RC_ASSERT(crossings(world) == 0U);
    RC_ASSERT(counted(world, "unresolved") == 0U);
  }
}

/// From rest, at the origin: turned about the z axis and moved up.
ScriptedBody paddle(TriangleMesh mesh, double turn, double rise) {
  return {"paddle", mesh, [mesh, turn, rise](double time, std::span<Vector3d> positions) {
            const Eigen::AngleAxisd rotation(turn * time, Vector3d::UnitZ());
            for (std::size_t v = 0; v < positions.size(); ++v)
              positions[v] = rotation * mesh.positions[v] + Vector3d(0, rise * time, 0);
          }};
}

TEST(WorldContinuous, AKinematicBodyTakesAlongWhatIsInItsWay) {
  struct Case {
    double turn, rise;
  };
  for (const Case& c : {Case{0, 20}, Case{0, 1000}, Case{20, 0}, Case{-30, 10}}) {
    World world(weak_world(0.01));
    world.add(paddle(make_box({1, 0.05, 1}, 3), c.turn, c.rise));
    world.add(soft("lower", placed(make_sheet(0.8, 0.8, 4, 4), {0.02, 0.1, 0.01}), {0, 0, 0}));
    world.add(soft("upper", placed(make_sheet(0.8, 0.8, 4, 4), {0, 0.14, 0}), {0, -5, 0}));
    std::uint64_t limited = 0;
    for (int step = 0; step < 12; ++step) {
      world.step();
      limited += world.stats()[Stage::commit].limited;
      ASSERT_EQ(counted(world, "unresolved"), 0U) << c.turn << ' ' << c.rise << ' ' << step;
      ASSERT_EQ(crossings(world), 0U) << c.turn << ' ' << c.rise << ' ' << step;
    }
    EXPECT_GT(limited, 0U);
  }
}

/// Nothing can be done between two that both move as told; the step ends and says so.
TEST(WorldContinuous, WhatIsCrushedIsCountedAsUnresolved) {
  World world(weak_world(0.01));
  world.add(FixedBody{"ceiling", placed(make_box({2, 0.1, 2}), {0, 0.3, 0})});
  world.add(paddle(make_box({1, 0.05, 1}), 0, 20));
  world.add(soft("sheet", placed(make_sheet(0.5, 0.5, 2, 2), {0.02, 0.1, 0.01}), {0, 0, 0}));
  std::uint64_t unresolved = 0;
  for (int step = 0; step < 4; ++step) {
    world.step();
    unresolved += counted(world, "unresolved");
  }
  EXPECT_GT(unresolved, 0U);
}

bool passes(Detection of_world, std::optional<Detection> of_sheet, std::optional<Detection> of_bullet, bool excluded) {
  World world(weak_world(0.001, of_world));
  const BodyId sheet = world.add(FixedBody{.name = "sheet", .mesh = make_sheet(1, 1, 3, 3), .detection = of_sheet});
  ParticleBody body = bullet({0.07, 0.2, 0.03}, {0, -1e3, 0});
  body.detection = of_bullet;
  const BodyId id = world.add(std::move(body));
  if (excluded) world.exclude(sheet, id);
  world.step();
  return world.positions(id)[0].y() < 0;
}

TEST(WorldContinuous, TwoBodiesAreContinuousIfEitherIs) {
  using enum Detection;
  EXPECT_TRUE(passes(discrete, {}, {}, false));
  EXPECT_FALSE(passes(discrete, continuous, {}, false));
  EXPECT_FALSE(passes(discrete, {}, continuous, false));
  EXPECT_FALSE(passes(continuous, {}, {}, false));
  EXPECT_FALSE(passes(continuous, discrete, {}, false));
  EXPECT_TRUE(passes(continuous, discrete, discrete, false));
  EXPECT_TRUE(passes(continuous, {}, {}, true)) << "filters hold here, too";
}

TEST(WorldContinuous, APairMayDifferFromItsBodiesAndItsWorld) {
  for (const Detection rule : {Detection::discrete, Detection::continuous}) {
    const Detection other = rule == Detection::discrete ? Detection::continuous : Detection::discrete;
    World world(weak_world(0.001, rule));
    const BodyId as_the_rule = world.add(FixedBody{"right", placed(make_sheet(1, 1, 3, 3), {2, 0, 0})});
    const BodyId as_the_pair = world.add(FixedBody{"left", make_sheet(1, 1, 3, 3)});
    const BodyId left = world.add(bullet({0.07, 0.2, 0.03}, {0, -1e4, 0}));
    const BodyId right = world.add(bullet({2.07, 0.2, 0.03}, {0, -1e4, 0}));
    world.set_detection(left, as_the_pair, rule);
    world.set_detection(as_the_pair, left, other);                         // the last word counts, in either order
    world.set_detection(as_the_pair, as_the_rule, Detection::continuous);  // neither can be held back
    world.step();
    const auto passed = [&](BodyId id) { return world.positions(id)[0].y() < 0; };
    EXPECT_EQ(passed(left), other == Detection::discrete);
    EXPECT_EQ(passed(right), rule == Detection::discrete);
    world.remove(as_the_pair);
    world.step();
  }
}

TEST(WorldContinuous, WhatTouchesFromTheStartIsFreeToLeave) {
  World world(weak_world(0.01));
  world.add(FixedBody{"floor", make_sheet(1, 1, 3, 3)});
  const BodyId sheet = world.add(soft("sheet", make_sheet(0.5, 0.5, 2, 2), {0, 1, 0}));
  world.step();
  for (const Vector3d& p : world.positions(sheet)) EXPECT_NEAR(p.y(), 0.01, 1e-12);
  EXPECT_EQ(world.stats()[Stage::commit].limited, 0U);
}

/// With a response, what falls comes to rest where it would without the net.
TEST(WorldContinuous, IsNotInTheWayOfTheResponse) {
  std::vector<double> heights;
  for (const Detection detection : {Detection::discrete, Detection::continuous}) {
    World world({.dt = 0.002,
                 .contact = {.distance = 0.02, .stiffness = 500, .damping = 1},
                 .detection = detection,
                 .response = "penalty"});
    world.add(FixedBody{"floor", make_box({2, 0.2, 2}, 3)});
    const BodyId sheet = world.add(light_sheet(6, 0.15, 0.05, 0.5));
    for (int i = 0; i < 1000; ++i) world.step();
    heights.push_back(world.positions(sheet)[0].y());
  }
  EXPECT_NEAR(heights[1], heights[0], 1e-3);
}

}  // namespace
}  // namespace carom
