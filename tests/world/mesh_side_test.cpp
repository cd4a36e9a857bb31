#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mixed.hpp"

/// Particles against rigid meshes that are closed, and so have an inside.
namespace carom {
namespace {

using Eigen::Vector3d;

enum class MeshBody { fixed_vertices, fixed_shape, scripted_shape };

constexpr double half = 0.5;  ///< m, of the box
constexpr double thickness = 0.01;

BodyId add_box(World& world, MeshBody kind, double margin = 0, const Vector3d& velocity = Vector3d::Zero()) {
  const TriangleMesh mesh = make_box({2 * half, 2 * half, 2 * half}, 3);
  if (kind == MeshBody::fixed_vertices) return world.add(FixedBody{.name = "box", .mesh = mesh});
  return world.add(RigidBody{.name = "box",
                             .shape = margin > 0 ? Shape::mesh(mesh).with_margin(margin) : Shape::mesh(mesh),
                             .motion = kind == MeshBody::scripted_shape ? MotionModel::scripted : MotionModel::fixed,
                             .velocity = velocity});
}

ParticleBody sheet_at(const Vector3d& place, double size, int cells) {
  ParticleBody sheet{.name = "sheet", .mesh = mixed::level_sheet(cells, size, place), .mass = 2 * size * size};
  sheet.stretch_stiffness = 20;
  sheet.bend_stiffness = 0.1;
  sheet.spring_damping = 0.02;
  sheet.air_damping = 1;
  return sheet;
}

WorldOptions options_for(const std::string& response, Detection detection, double stiffness = 100) {
  WorldOptions options;
  options.dt = 0.004;
  options.response = response;
  options.detection = detection;
  options.contact.distance = thickness;
  options.contact.stiffness = stiffness;
  options.contact.damping = 0.2;
  return options;
}

double lowest(const World& world, BodyId body) {
  double y = INFINITY;
  for (const Vector3d& p : world.positions(body)) y = std::min(y, p.y());
  return y;
}

/// A sheet that begins below the upper face of a box comes out above it, whoever the box is and however contacts are
/// answered.
TEST(MeshSide, ParticlesThatBeginInsideComeOutOnTheRightSide) {
  for (const char* response : {"soft", "impulse", "penalty"}) {
    for (const Detection detection : {Detection::discrete, Detection::continuous}) {
      for (const MeshBody kind : {MeshBody::fixed_vertices, MeshBody::fixed_shape, MeshBody::scripted_shape}) {
        for (const double depth : {0.003, 0.05}) {  // within the contact distance, and far beyond it
          World world(options_for(response, detection));
          add_box(world, kind);
          const BodyId sheet = world.add(sheet_at({0, half - depth, 0}, 0.4, 6));
          world.step();
          for (const WorldContact& c : world.contacts()) {
            EXPECT_NEAR(c.distance, -depth, 1e-3);
            EXPECT_NEAR(std::abs(c.normal.y()), 1, 1e-6);
          }
          EXPECT_EQ(world.contacts().size(), 49U) << "one for each vertex";
          for (int i = 0; i < 400; ++i) world.step();
          const auto where = [&] {
            return std::string(response) + (detection == Detection::continuous ? " continuous " : " discrete ") +
                   std::to_string(static_cast<int>(kind)) + " depth " + std::to_string(depth);
          };
          EXPECT_GT(lowest(world, sheet), half) << where();
          EXPECT_LT(lowest(world, sheet), half + 2 * thickness) << where();
        }
      }
    }
  }
}

/// A sheet larger than a box falls over it, and no vertex is in the box when it has come to rest.
TEST(MeshSide, ASheetOnAClosedMeshRestsOutside) {
  for (const char* response : {"soft", "impulse", "penalty"}) {
    // Springs of penalty contacts must hold what hangs over the rim.
    World world(options_for(response, Detection::discrete, 400));
    add_box(world, MeshBody::fixed_shape);
    const BodyId sheet = world.add(sheet_at({0, half + 0.02, 0}, 1.6, 16));
    for (int i = 0; i < 500; ++i) {
      world.step();
      for (const Vector3d& p : world.positions(sheet))
        ASSERT_FALSE(p.cwiseAbs().maxCoeff() < half - 0.5 * thickness) << response << " step " << i;
    }
    int over = 0;
    for (const Vector3d& p : world.positions(sheet)) {
      if (std::abs(p.x()) > half - 0.05 || std::abs(p.z()) > half - 0.05) continue;
      ++over;
      EXPECT_GT(p.y(), half) << response;
    }
    EXPECT_GT(over, 20) << response;
  }
}

/// Sheets below the upper face of a thin plate are pushed up, though the lower face is within the contact distance,
/// too.
TEST(MeshSide, AThinPlateIsLeftByTheNearerFace) {
  const double plate = 0.012;  // m, its height
  for (const bool above : {true, false}) {
    WorldOptions options = options_for("soft", Detection::discrete);
    options.gravity.setZero();
    World world(options);
    world.add(FixedBody{.name = "plate", .mesh = make_box({1, plate, 1}, 4)});
    const BodyId sheet = world.add(sheet_at({0, (above ? 0.15 : -0.15) * plate, 0}, 0.4, 6));
    for (int i = 0; i < 200; ++i) world.step();
    for (const Vector3d& p : world.positions(sheet)) EXPECT_GT((above ? 1 : -1) * p.y(), 0.5 * plate);
  }
}

/// A margin keeps particles as much farther from the mesh.
TEST(MeshSide, TheMarginOfAMeshCounts) {
  const double margin = 0.03;
  std::vector<double> rest;
  for (const double m : {0.0, margin}) {
    World world(options_for("soft", Detection::discrete));
    add_box(world, MeshBody::fixed_shape, m);
    const BodyId sheet = world.add(sheet_at({0, half + 0.045, 0}, 0.4, 6));
    for (int i = 0; i < 500; ++i) world.step();
    rest.push_back(lowest(world, sheet));
    for (const WorldContact& c : world.contacts())
      EXPECT_NEAR((c.point_b - c.point_a).dot(c.normal), c.distance, 1e-12);
  }
  EXPECT_NEAR(rest[1] - rest[0], margin, 1e-3);
}

/// A scripted mesh that rises into a sheet carries it along, and does not swallow it.
TEST(MeshSide, AScriptedMeshCarriesWhatItRunsInto) {
  for (const char* response : {"soft", "impulse", "penalty"}) {
    World world(options_for(response, Detection::discrete));
    add_box(world, MeshBody::scripted_shape, 0, {0, 0.5, 0});
    const BodyId sheet = world.add(sheet_at({0, half - 0.002, 0}, 0.4, 6));
    for (int i = 0; i < 250; ++i) world.step();
    EXPECT_GT(lowest(world, sheet), half + 0.5 * world.time() - 0.5 * thickness) << response;
  }
}

/// Contacts of bodies that may not touch stay away, also inside.
TEST(MeshSide, FiltersHoldInside) {
  for (const bool by_mask : {true, false}) {
    World world(options_for("soft", Detection::discrete));
    const BodyId box = add_box(world, MeshBody::fixed_shape);
    ParticleBody description = sheet_at({0, 0, 0}, 0.4, 6);
    if (by_mask) description.filter.mask = 2;
    const BodyId sheet = world.add(std::move(description));
    if (!by_mask) world.exclude(box, sheet);
    world.step();
    EXPECT_TRUE(world.contacts().empty());
  }
}

/// A sheet with pinned vertices inside of a mesh sleeps, and stays asleep.
TEST(MeshSide, SheetsThatArePinnedInsideSleep) {
  World world(options_for("soft", Detection::discrete));
  add_box(world, MeshBody::fixed_shape);
  ParticleBody description = sheet_at({half, half + 0.02, 0}, 0.4, 6);
  for (Vector3d& p : description.mesh.positions) {
    if (p.x() < half - 0.19) p.y() = half - 0.05;
  }
  description.pinned = mixed::vertices_where(description.mesh, [](const Vector3d& p) { return p.y() < half; });
  ASSERT_EQ(description.pinned.size(), 7U);
  description.air_damping = 5;
  const BodyId sheet = world.add(std::move(description));
  for (int i = 0; i < 5000 && !world.asleep(sheet); ++i) world.step();
  ASSERT_TRUE(world.asleep(sheet));
  const std::size_t contacts = world.contacts().size();
  for (int i = 0; i < 10; ++i) {
    world.step();
    EXPECT_TRUE(world.asleep(sheet));
    EXPECT_EQ(world.contacts().size(), contacts);
  }
}

TEST(MeshSide, IsTheSameForAnyNumberOfThreadsAndAfterARestore) {
  const auto run = [](int threads, bool restored) {
    WorldOptions options = options_for("soft", Detection::continuous);
    options.threads = threads;
    World world(options);
    add_box(world, MeshBody::fixed_shape);
    world.add(sheet_at({0.2, half - 0.02, 0.1}, 1.2, 20));
    for (int i = 0; i < 20; ++i) world.step();
    if (restored) {
      const World::Snapshot snapshot = world.snapshot();
      for (int i = 0; i < 5; ++i) world.step();
      world.restore(snapshot);
    }
    for (int i = 0; i < 20; ++i) world.step();
    return world.state_hash();
  };
  const std::uint64_t one = run(1, false);
  EXPECT_EQ(run(2, false), one);
  EXPECT_EQ(run(4, false), one);
  EXPECT_EQ(run(1, true), one);
}

}  // namespace
}  // namespace carom
