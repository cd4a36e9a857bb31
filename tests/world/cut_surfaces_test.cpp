#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <random>
#include <set>

#include "carom/core/error.hpp"
#include "carom/mesh/closest.hpp"
#include "oracle/placed.hpp"
#include "world/blade_world.hpp"

// Fixed and scripted surfaces that blades cut.
namespace carom {
namespace {

/// Place of a point of the scripted sheet at a time: it bends, turns and goes away. No function of the plane alone.
Vector3d waved(const Vector3d& rest, double time) {
  const double angle = 0.7 * time;
  const Vector3d bent(rest.x(), rest.y() + 0.2 * std::sin(3 * rest.x() + 5 * time) * rest.z(),
                      rest.z() * (1 + 0.3 * time));
  return Eigen::AngleAxisd(angle, Vector3d::UnitY()) * bent + Vector3d(0, 0.4 * time, 0);
}

MotionFunction waves(TriangleMesh mesh) {
  return [mesh = std::move(mesh)](double time, std::span<Vector3d> positions) {
    ASSERT_EQ(positions.size(), mesh.positions.size());
    for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = waved(mesh.positions[v], time);
  };
}

/// What the motion of a body does with its sheet of 1 m.
enum class Kind { fixed, still, waving };

BodyId add_sheet(World& world, Kind kind, const TriangleMesh& mesh) {
  if (kind == Kind::fixed) return world.add(FixedBody{.name = "sheet", .mesh = mesh, .cuttable = true});
  MotionFunction motion = waves(mesh);
  if (kind == Kind::still) {
    motion = [mesh](double, std::span<Vector3d> positions) {
      std::copy(mesh.positions.begin(), mesh.positions.end(), positions.begin());
    };
  }
  return world.add(ScriptedBody{.name = "sheet", .mesh = mesh, .motion = std::move(motion), .cuttable = true});
}

double area_of_all(const World& world, const std::set<BodyId>& bodies) {
  double area = 0;
  for (const BodyId id : bodies) area += area_of(world, id);
  return area;
}

TEST(CutSurfaces, KnifeThroughASheetMakesTwo) {
  for (const Kind kind : {Kind::fixed, Kind::still}) {
    World world(weightless());
    const BodyId id = add_sheet(world, kind, make_sheet(1, 1, 10, 10));
    add_knife(world, {-0.7, 0, 0.03}, {1.5, 0, 0});
    double length = 0;
    std::vector<BodyId> pieces;
    for (int i = 0; i < 60; ++i) {
      world.step();
      for (const WorldCut& cut : world.cuts()) {
        EXPECT_EQ(cut.body, id);
        length += cut.length;
        pieces.insert(pieces.end(), cut.pieces.begin(), cut.pieces.end());
      }
    }
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_EQ(world.name(pieces[0]), "sheet-1");
    EXPECT_EQ(world.motion(pieces[0]), world.motion(id));
    EXPECT_NEAR(length, 1, 0.1);
    EXPECT_NEAR(area_of(world, id) + area_of(world, pieces[0]), 1, 1e-12);
    EXPECT_NEAR(area_of(world, pieces[0]), 0.47, 0.03);
    for (const BodyId body : {id, pieces[0]}) {
      EXPECT_TRUE(inspect(mesh_of(world, body)).manifold());
      for (const Vector3d& p : world.positions(body)) EXPECT_EQ(p.y(), 0);
    }
  }
}

TEST(CutSurfaces, KnifeThatStopsHalfWayLeavesASlit) {
  for (const Kind kind : {Kind::fixed, Kind::still}) {
    World world(weightless());
    const BodyId id = add_sheet(world, kind, make_sheet(1, 1, 10, 10));
    const BodyId knife = add_knife(world, {-0.7, 0, 0.03}, {1.5, 0, 0});
    const auto run = [&](double speed, int steps) {
      world.set_velocity(knife, {speed, 0, 0}, {0, 0, 0});
      double length = 0;
      for (int i = 0; i < steps; ++i) {
        world.step();
        for (const WorldCut& cut : world.cuts()) length += cut.length;
      }
      return length;
    };
    EXPECT_NEAR(run(1.5, 30), 0.55, 0.11);
    const MeshReport report = inspect(mesh_of(world, id));
    EXPECT_EQ(report.components, 1U);
    EXPECT_EQ(report.boundary_loops, 1U);
    EXPECT_NEAR(run(-1.5, 30) + run(1.5, 28), 0, 1e-12);  // through its own cut
    EXPECT_NEAR(run(1.5, 42), 0.45, 0.11);
    EXPECT_EQ(world.bodies().size(), 3U);
  }
}

TEST(CutSurfaces, NothingIsMissedAtAnySpeedWhileTheSheetMovesAway) {
  for (const double speed : {5.0, 50.0, 500.0}) {
    World world(weightless());
    add_sheet(world, Kind::waving, make_sheet(1, 1, 9, 9));
    add_knife(world, {-0.8, 0.02, 0.021}, {speed, 0.4, 0});
    const int steps = static_cast<int>(std::ceil(1.7 / (speed / 60))) + 1;
    for (int i = 0; i < steps; ++i) world.step();
    EXPECT_EQ(world.bodies().size(), 3U) << speed;
  }
}

TEST(CutSurfaces, PiecesFollowTheMotionOfTheWhole) {
  // New vertices stay where they are in their triangles, so the pieces cover the surface that the motion makes.
  World world(weightless());
  const TriangleMesh mesh = make_sheet(1, 1, 7, 7);
  std::set<BodyId> bodies{add_sheet(world, Kind::waving, mesh)};
  // Across at four times, through what was cut before.
  const std::array<Vector3d, 4> along{Vector3d(1, 0, 0.3), Vector3d(0.2, 0, 1), Vector3d(1, 0, -1),
                                      Vector3d(-1, 0, 0.1)};
  for (const Vector3d& direction : along) {
    for (int i = 0; i < 7; ++i) world.step();
    const Vector3d middle(0.013, 0.4 * world.time(), 0.021);
    cut_all(world, straight(middle - direction, middle + direction), bodies);
    for (int i = 0; i < 3; ++i) world.step();
    TriangleMesh whole = mesh;
    for (Vector3d& p : whole.positions) p = waved(p, world.time());
    double area = 0;
    for (const Triangle& t : whole.triangles) {
      const auto corner = [&](std::size_t k) { return whole.positions[static_cast<std::size_t>(t[k])]; };
      area += 0.5 * (corner(1) - corner(0)).cross(corner(2) - corner(0)).norm();
    }
    EXPECT_NEAR(area_of_all(world, bodies), area, 1e-12);
    for (const BodyId id : bodies) {
      expect_surface(world, id);
      const auto positions = world.positions(id);
      const auto velocities = world.velocities(id);
      for (std::size_t v = 0; v < positions.size(); ++v) {
        double nearest = INFINITY;
        for (const Triangle& t : whole.triangles) {
          const auto corner = [&](std::size_t k) { return whole.positions[static_cast<std::size_t>(t[k])]; };
          nearest = std::min(nearest, closest_vertex_triangle(positions[v], corner(0), corner(1), corner(2)).distance);
        }
        EXPECT_LT(nearest, 1e-14);
        EXPECT_GT(velocities[v].norm(), 0.1);  // all of it goes up at 0.4 m/s and turns
      }
    }
  }
  EXPECT_GE(bodies.size(), 6U);
}

TEST(CutSurfaces, AnyPathLeavesManifoldsOfTheSameArea) {
  EXPECT_TRUE(rc::check("paths at random, crossing each other", [] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::uniform_real_distribution<double> place(-0.7, 0.7);
    std::uniform_real_distribution<double> tilt(-0.3, 0.3);
    const Kind kind = std::array{Kind::fixed, Kind::still, Kind::waving}[random() % 3];
    World world(weightless());
    const TriangleMesh mesh =
        random() % 3 == 0 ? make_icosphere(0.4, 1)
                          : make_sheet(1, 1, 1 + static_cast<int>(random() % 7), 1 + static_cast<int>(random() % 7));
    const bool closed = inspect(mesh).watertight();
    std::set<BodyId> bodies{add_sheet(world, kind, mesh)};
    for (int path = 0; path < 4; ++path) {
      const double area = area_of_all(world, bodies);
      BladePath blade;
      for (int pose = 0; pose < 4; ++pose) {
        const double x = place(random);
        const double z = place(random);
        blade.poses.push_back({{x + tilt(random), -0.6, z + tilt(random)}, {x, 0.6, z}});
      }
      cut_all(world, blade, bodies);
      std::size_t components = 0;
      for (const BodyId b : bodies) {
        expect_surface(world, b);
        const TriangleMesh now = mesh_of(world, b);
        RC_ASSERT(inspect(now).oriented());
        components += static_cast<std::size_t>(build_topology(now.positions.size(), now.triangles).component_count);
      }
      RC_ASSERT(components == bodies.size());
      RC_ASSERT(std::abs(area_of_all(world, bodies) - area) < 1e-12 * area);
      world.step();
    }
    RC_CLASSIFY(closed);
    RC_CLASSIFY(bodies.size() > 1);
  }));
}

TEST(CutSurfaces, CrossingCutsMakeAsManyPiecesAsThereAreFields) {
  for (const Kind kind : {Kind::fixed, Kind::still}) {
    World world(weightless());
    std::set<BodyId> bodies{add_sheet(world, kind, make_sheet(1, 1, 16, 16))};
    for (int i = 0; i < 4; ++i) {
      const double at = -0.31 + 0.2 * i;
      cut_all(world, straight({-0.7, 0, at}, {0.7, 0, at}), bodies);
      cut_all(world, straight({at, 0, -0.7}, {at, 0, 0.7}), bodies);
    }
    EXPECT_EQ(bodies.size(), 25U);
    EXPECT_NEAR(area_of_all(world, bodies), 1, 1e-12);
    for (int i = 0; i < 3; ++i) world.step();
  }
}

TEST(CutSurfaces, SameBitsForAnyNumberOfThreadsAndFromASnapshotInTheMiddle) {
  for (const Kind kind : {Kind::fixed, Kind::waving}) {
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2, 4}) {
      WorldOptions options = weightless(threads);
      options.gravity = {0, -9.81, 0};
      World world(options);
      add_sheet(world, kind, make_sheet(1, 1, 10, 10));
      add_knife(world, {-0.7, 0, 0.03}, {1.5, 0.4, 0});
      // What lies on it.
      ParticleBody net{.name = "net", .mesh = make_sheet(0.8, 0.8, 6, 6), .mass = 0.2};
      for (Vector3d& p : net.mesh.positions) p.y() += 0.2;
      net.filter = {.group = 1, .mask = 1};
      world.add(net);
      for (int i = 0; i < 20; ++i) world.step();
      const World::Snapshot middle = world.snapshot();
      World other(options);
      for (int i = 0; i < 40; ++i) world.step();
      hashes.push_back(world.state_hash());
      world.restore(middle);
      other.restore(middle);
      for (int i = 0; i < 40; ++i) {
        world.step();
        other.step();
      }
      EXPECT_EQ(world.state_hash(), hashes.back());
      EXPECT_EQ(other.state_hash(), hashes.back());
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
  }
}

/// A plate that falls on a fixed sheet, edge first.
struct Fall {
  double y = 0;  ///< m, of the plate in the end
  double cut = 0;
};
Fall fall_on_sheet(bool cuttable, bool with_blade, double energy) {
  WorldOptions options = weightless();
  options.gravity = {0, -9.81, 0};
  World world(options);
  const BodyId sheet = world.add(FixedBody{.name = "sheet", .mesh = make_sheet(1, 1, 10, 10), .cuttable = cuttable});
  if (energy > 0) world.set_fracture_energy(sheet, energy);
  RigidBody plate;
  plate.name = "plate";
  plate.shape = Shape::box({0.8, 0.1, 0.002});
  plate.pose.translation() = Vector3d(0, 0.3, 0.021);
  plate.mass = MassOverride{.mass = 1, .inertia_from_shape = true};
  plate.locked_rotation = {true, true, true};
  const BodyId id = world.add(plate);
  if (with_blade) world.add_blade(id, {{{-0.8, -0.1, 0}, {0.8, -0.1, 0}}});
  Fall fall;
  for (int i = 0; i < 60; ++i) {
    world.step();
    for (const WorldCut& cut : world.cuts()) fall.cut += cut.length;
  }
  fall.y = world.pose(id).translation().y();
  return fall;
}

TEST(CutSurfaces, FreeBladeFallsThroughWhatItCutsAndRestsOnWhatItDoesNot) {
  const Fall through = fall_on_sheet(true, true, 0);
  EXPECT_NEAR(through.cut, 1, 0.15);
  EXPECT_LT(through.y, -1);
  for (const Fall& held :
       {fall_on_sheet(true, false, 0), fall_on_sheet(false, true, 0), fall_on_sheet(true, true, 1e6)}) {
    EXPECT_EQ(held.cut, 0);
    EXPECT_NEAR(held.y, 0.1, 0.01);
  }
}

TEST(CutSurfaces, BallThatSleepsWakesAndRestsOnAPieceAfterTheCut) {
  WorldOptions options = weightless();
  options.gravity = {0, -9.81, 0};
  World world(options);
  const BodyId sheet = world.add(FixedBody{.name = "sheet", .mesh = make_sheet(1, 1, 10, 10), .cuttable = true});
  RigidBody ball;
  ball.name = "ball";
  ball.shape = Shape::sphere(0.05);
  ball.pose.translation() = Vector3d(0.2, 0.055, 0.23);
  const BodyId id = world.add(ball);
  for (int i = 0; i < 120; ++i) world.step();
  EXPECT_TRUE(world.asleep(id));
  const WorldCut cut = world.cut(sheet, straight({-0.7, 0, 0.021}, {0.7, 0, 0.021}));
  ASSERT_EQ(cut.pieces.size(), 1U);
  EXPECT_FALSE(world.asleep(id));
  for (int i = 0; i < 120; ++i) world.step();
  EXPECT_NEAR(world.pose(id).translation().y(), 0.05, 0.006);
  EXPECT_TRUE(world.asleep(id));
  std::set<BodyId> touched;
  for (const WorldContact& contact : world.contacts()) touched.insert({contact.body_a, contact.body_b});
  EXPECT_EQ(touched.size(), 2U);  // the ball and the part below it
}

TEST(CutSurfaces, WhatIsRefusedIsNamed) {
  World world(weightless());
  const BodyId fixed = add_sheet(world, Kind::fixed, make_sheet(1, 1, 2, 2));
  const BodyId table = world.add(FixedBody{.name = "table", .mesh = make_sheet(3, 3, 2, 2)});
  const BodyId cloth = world.add(ClothBody{.name = "cloth", .mesh = make_sheet(1, 1, 2, 2)});
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(message([&] {
              world.add_blade(fixed, {{{0, 0, 0}, {1, 0, 0}}});
            }),
            "add_blade: body 'sheet' is cuttable, and its triangles do not stay; expected one that nothing cuts");
  EXPECT_EQ(message([&] { world.attach(cloth, std::vector<Index>{0}, fixed); }),
            "attach: body 'sheet' is cuttable, and its triangles do not stay; expected one that nothing cuts");
  EXPECT_EQ(message([&] {
              world.cut(table, straight({-1, 0, 0}, {1, 0, 0}));
            }),
            "cut: body 'table' is fixed and not cuttable; expected cloth, particles or a body that was made to be cut");
  EXPECT_EQ(
      message([&] {
        world.add(FixedBody{.name = "ball", .mesh = make_icosphere(1, 1), .cuttable = true, .field = FieldOptions{}});
      }),
      "body 'ball': a field does not go with cuttable; leave it out");
  EXPECT_EQ(message([&] {
              world.add(ScriptedBody{.name = "ball",
                                     .mesh = make_icosphere(1, 1),
                                     .motion = [](double, std::span<Eigen::Vector3d>) {},
                                     .cuttable = true,
                                     .field = FieldOptions{}});
            }),
            "body 'ball': a field does not go with cuttable; leave it out");
}

/// A query between a cut and the next step sees the surface as it was cut: a piece by itself.
TEST(CutSurfaces, QueriesSeeACutAtOnce) {
  World world(weightless());
  const BodyId id = add_sheet(world, Kind::fixed, make_sheet(1, 1, 10, 10));
  const auto hit = [&] { return world.closest_ray_hit({0.05, 1, 0.4}, {0, -1, 0}, 2); };
  ASSERT_TRUE(hit());
  EXPECT_EQ(hit()->body, id);
  const WorldCut cut = world.cut(id, straight({-0.7, 0, 0.13}, {0.7, 0, 0.13}));
  ASSERT_EQ(cut.pieces.size(), 1U);
  ASSERT_TRUE(hit());
  EXPECT_EQ(hit()->body, cut.pieces[0]);
}

TEST(CutSurfaces, SurroundingsAreNotCutUnlessTold) {
  World world(weightless());
  const BodyId table = world.add(FixedBody{.name = "table", .mesh = make_sheet(1, 1, 10, 10)});
  add_knife(world, {-0.7, 0, 0.03}, {120, 0, 0});
  world.step();
  EXPECT_TRUE(world.cuts().empty());
  EXPECT_TRUE(world.not_cut().empty());  // it is meant to stay whole
  EXPECT_EQ(world.triangles(table).size(), 200U);
}

/// What holds a vertex holds its copies after a cut: an edge that hangs on a bar goes with it on both sides of the cut.
TEST(CutSurfaces, VerticesThatAreHeldStayHeldWhenACutPartsThem) {
  for (const bool is_cloth : {true, false}) {
    World world(weightless());
    const TriangleMesh bar = placed(make_box({1.2, 0.05, 0.05}, 2), Vector3d(0, 0, -0.6));
    const BodyId holder = world.add(ScriptedBody{.name = "bar",
                                                 .mesh = bar,
                                                 .motion =
                                                     [rest = bar.positions](double time, std::span<Vector3d> p) {
                                                       for (std::size_t v = 0; v < p.size(); ++v)
                                                         p[v] = rest[v] + Vector3d(0, 0.3 * time, 0);
                                                     },
                                                 .filter = {.group = 2, .mask = 0}});
    const TriangleMesh sheet = make_sheet(1, 1, 10, 10);
    const BodyId id =
        is_cloth ? world.add(ClothBody{.name = "cloth", .mesh = sheet})
                 : world.add(ParticleBody{
                       .name = "net", .mesh = sheet, .mass = 0.3, .stretch_stiffness = 300, .spring_damping = 0.1});
    std::vector<Index> held;
    for (std::size_t v = 0; v < sheet.positions.size(); ++v) {
      if (sheet.positions[v].z() < -0.49) held.push_back(static_cast<Index>(v));
    }
    world.attach(id, held, holder);
    for (int i = 0; i < 5; ++i) world.step();
    // Through the held vertex in the middle, half of the way down.
    const WorldCut cut = world.cut(id, {{{{0.001, -1, -0.7}, {0.001, 1, -0.7}}, {{0.001, -1, 0}, {0.001, 1, 0}}}});
    ASSERT_TRUE(cut.pieces.empty());
    ASSERT_GT(cut.separated, 3U);
    const double time = world.time();
    const double height = world.positions(id)[static_cast<std::size_t>(held[0])].y();
    for (int i = 0; i < 60; ++i) world.step();
    std::size_t pinned = 0;
    for (std::size_t v = 0; v < world.positions(id).size(); ++v) {
      if (world.inverse_mass(id, static_cast<Index>(v)) > 0) continue;
      ++pinned;
      EXPECT_NEAR(world.positions(id)[v].y() - height, 0.3 * (world.time() - time), 1e-9) << world.name(id) << ' ' << v;
    }
    EXPECT_EQ(pinned, held.size() + 1) << "the vertex in the middle became two";
  }
}

}  // namespace
}  // namespace carom
