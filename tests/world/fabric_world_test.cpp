#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "carom/core/error.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

// What cloth is made of and what holds it: regions, meshes of all sorts, pins that move, attachments, gas, wind.
namespace carom {
namespace {

using Eigen::Vector3d;

WorldOptions quiet(double dt = 1.0 / 60) {
  WorldOptions o;
  o.dt = dt;
  o.threads = 1;
  o.solver.sleep.enabled = false;
  return o;
}

/// Sheet of 1 m that hangs from y = 0 in the plane x = 0; its first vertices are the upper edge.
ClothBody curtain(const std::string& name, int along, int across, double width = 0.2) {
  ClothBody body;
  body.name = name;
  body.mesh = make_sheet(1, width, along, across);
  for (Vector3d& p : body.mesh.positions) p = Vector3d(0, p.x() - 0.5, p.z());
  body.warp = {0, 1, 0};
  return body;
}

std::vector<Index> where(const TriangleMesh& mesh, const auto& is) {
  std::vector<Index> list;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (is(mesh.positions[v])) list.push_back(static_cast<Index>(v));
  }
  return list;
}

std::vector<Index> top_of(const TriangleMesh& mesh) {
  return where(mesh, [](const Vector3d& p) { return p.y() > -1e-9; });
}

template <class Make>
std::string error_of(Make&& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

RigidBody box(const std::string& name, const Vector3d& half, const Vector3d& at) {
  RigidBody body{.name = name, .shape = Shape::box(half)};
  body.pose.translation() = at;
  return body;
}

TEST(FabricWorld, RegionsHaveMassesAndStiffnessesOfTheirOwn) {
  // Upper half of 50 N/m, lower half of 200 N/m and four times the density: hangs as two springs in a row.
  ClothBody body = curtain("two", 20, 4);
  body.fabric = {
      .density = 0.2, .warp_stiffness = 50, .weft_stiffness = 50, .shear_stiffness = 50, .bend_stiffness = 0};
  Fabric lower = body.fabric;
  lower.density = 0.4;
  lower.warp_stiffness = 200;
  FabricRegion region{{}, lower};
  for (std::size_t t = 0; t < body.mesh.triangles.size(); ++t) {
    double y = 0;
    for (const Index v : body.mesh.triangles[t]) y += body.mesh.positions[static_cast<std::size_t>(v)].y() / 3;
    if (y < -0.5) region.triangles.push_back(static_cast<Index>(t));
  }
  body.regions = {region};
  body.pinned = top_of(body.mesh);
  body.air_damping = 8;
  body.inner_steps = 80;
  body.filter.mask = 0;
  World world(quiet());
  const BodyId id = world.add(body);
  for (int k = 0; k < 180; ++k) world.step();
  const double g = 9.81;
  // Upper half: carries the lower (0.5 m of 0.4) and itself; lower: itself.
  const double truth = (0.4 * 0.5 * 0.5 + 0.2 * 0.125) * g / 50 + 0.4 * 0.125 * g / 200;
  double low = 0;
  for (const Vector3d& p : world.positions(id)) low = std::min(low, p.y());
  EXPECT_NEAR(-low - 1, truth, 0.03 * truth);

  body.regions[0].triangles = {1000};
  EXPECT_EQ(error_of([&] { world.add(body); }),
            "body 'two': regions[0].triangles[0] is 1000, but there are 160 triangles");
}

TEST(FabricWorld, MeshesThatAreNotQuiteManifoldFallAsOthersDo) {
  // Two squares whose common edge has vertices of its own in each, one triangle inside out, an edge with three
  // triangles, a triangle without an area, and a vertex in no triangle.
  ClothBody body;
  body.name = "odd";
  // The triangle without an area lies on its neighbors, so that continuous detection would hold it.
  body.detection = Detection::discrete;
  body.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0},
                         {2, 0, 0}, {1, 0, 1}, {2, 0, 1}, {1, 1, 0}, {9, 9, 9}};
  body.mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 6, 7}, {1, 3, 8}, {0, 1, 5}};
  WorldOptions o = quiet();
  o.contact.distance = 0.001;
  World world(o);
  const BodyId id = world.add(body);
  for (int k = 0; k < 30; ++k) world.step();
  const auto x = world.positions(id);
  EXPECT_EQ(x[9], Vector3d(9, 9, 9)) << "in no triangle";
  EXPECT_EQ(x[1], x[4]);
  EXPECT_EQ(x[3], x[6]);
  // Semi-implicit Euler falls by g dt^2 n (n + 1) / 2 of inner steps; within a hundredth of g t^2 / 2.
  for (std::size_t v = 0; v < 9; ++v) {
    ASSERT_TRUE(x[v].allFinite());
    EXPECT_NEAR(x[v].y() - body.mesh.positions[v].y(), -0.5 * 9.81 * 0.25, 0.03) << v;
  }
}

TEST(FabricWorld, ElementsThatCannotBeAreNamed) {
  World world(quiet());
  ClothBody body = curtain("flag", 2, 2);
  body.mesh.positions.emplace_back(4 * body.mesh.positions[1] - 3 * body.mesh.positions[0]);
  body.mesh.triangles.push_back({0, 1, 9});
  EXPECT_EQ(error_of([&] { world.add(body); }),
            "body 'flag': vertex 9 is in no triangle with an area, so its mass would be zero; triangle 8 has none");
  body = curtain("flag", 2, 2);
  body.pressure = 10;
  EXPECT_NE(error_of([&] { world.add(body); }).find("pressure needs a closed mesh, but the edge of vertices"),
            std::string::npos);
  body = curtain("flag", 2, 2);
  body.moving_pins = {{{77}, [](double, std::span<Vector3d>) {}}};
  EXPECT_EQ(error_of([&] { world.add(body); }),
            "body 'flag': moving_pins[0] names vertex 77, but there are 9 vertices");
  body.moving_pins = {{{3}, {}}};
  EXPECT_EQ(error_of([&] { world.add(body); }), "body 'flag': moving_pins[0] has no motion");
}

TEST(FabricWorld, PinsGoWhereTheyAreTold) {
  ClothBody body = curtain("curtain", 10, 4);
  const std::vector<Index> top = top_of(body.mesh);
  const auto shift = [](double time) { return Vector3d(0.5 * std::sin(3 * time), 0, 0.2 * time); };
  body.moving_pins = {{top, [&](double time, std::span<Vector3d> x) {
                         for (Vector3d& p : x) p += shift(time);
                       }}};
  World world(quiet());
  const BodyId id = world.add(body);
  for (int k = 0; k < 60; ++k) {
    world.step();
    for (const Index v : top) {
      const auto i = static_cast<std::size_t>(v);
      EXPECT_LT((world.positions(id)[i] - body.mesh.positions[i] - shift(world.time())).norm(), 1e-12);
    }
  }
  // The rest follows: no farther away than the cloth is long.
  for (const Vector3d& p : world.positions(id)) EXPECT_LT((p - shift(world.time())).norm(), 1.1);
}

TEST(FabricWorld, VerticesFollowScriptedAndFixedBodies) {
  ClothBody body = curtain("curtain", 8, 4);
  const std::vector<Index> top = top_of(body.mesh);
  const std::vector<Index> left{top[0], top[1]};
  const std::vector<Index> right{top[3], top[4]};
  WorldOptions o = quiet();
  World world(o);
  RigidBody rod = box("rod", {0.02, 0.02, 0.3}, {0, 0.025, 0});
  rod.motion = MotionModel::scripted;
  rod.velocity = {0.5, 0.1, 0};
  rod.angular_velocity = {0, 1, 0};
  const BodyId held_by = world.add(rod);
  ScriptedBody plate;
  plate.name = "plate";
  plate.mesh = make_box({0.04, 0.02, 0.4}, 1);
  const std::vector<Vector3d> at_rest = plate.mesh.positions;
  // Turns about z and shears.
  const auto place = [](double t, const Vector3d& p) {
    const Vector3d up = p + Vector3d(0, 0.03, 0);
    return Vector3d(std::cos(t) * up.x() - std::sin(t) * up.y() + 0.3 * t, std::sin(t) * up.x() + std::cos(t) * up.y(),
                    up.z() + 0.2 * t * up.x());
  };
  plate.motion = [&](double t, std::span<Vector3d> x) {
    for (std::size_t v = 0; v < x.size(); ++v) x[v] = place(t, at_rest[v]);
  };
  plate.filter.mask = 0;
  const BodyId plate_id = world.add(plate);
  const BodyId id = world.add(body);
  world.attach(id, left, held_by);
  const Eigen::Isometry3d before = world.pose(held_by);
  for (int k = 0; k < 30; ++k) {
    world.step();
    for (const Index v : left) {
      const Vector3d wanted =
          world.pose(held_by) * (before.inverse() * body.mesh.positions[static_cast<std::size_t>(v)]);
      EXPECT_LT((world.positions(id)[static_cast<std::size_t>(v)] - wanted).norm(), 1e-9);
    }
  }
  // The other end goes with the plate from now on, in the frame of its nearest triangle.
  const Vector3d first = world.positions(id)[static_cast<std::size_t>(right[1])];
  world.attach(id, right, plate_id);
  world.step();
  EXPECT_LT((world.positions(id)[static_cast<std::size_t>(right[1])] - first).norm(), 0.05);
  EXPECT_EQ(
      error_of([&] { world.attach(id, right, plate_id); }),
      "attach: vertex " + std::to_string(right[0]) + " of body 'curtain' is pinned or held already, or in no triangle");
  const auto held_place = [&] {
    return Vector3d(world.pose(held_by) * (before.inverse() * body.mesh.positions[static_cast<std::size_t>(left[0])]));
  };
  EXPECT_LT((world.positions(id)[static_cast<std::size_t>(left[0])] - held_place()).norm(), 1e-9);
  world.detach(id, left);
  for (int k = 0; k < 30; ++k) world.step();
  EXPECT_GT((world.positions(id)[static_cast<std::size_t>(left[0])] - held_place()).norm(), 0.1) << "let go";
  EXPECT_EQ(error_of([&] { world.detach(id, left); }),
            "detach: nothing holds vertex " + std::to_string(left[0]) + " of body 'curtain'");
}

TEST(FabricWorld, RigidBodyHangsFromClothAndMomentumIsKept) {
  // Strip of 0.2 m width with a box of 0.5 kg at its lower edge: stretched by weight over stiffness.
  ClothBody body = curtain("strip", 10, 2);
  body.fabric = {
      .density = 0.2, .warp_stiffness = 500, .weft_stiffness = 500, .shear_stiffness = 200, .bend_stiffness = 0};
  const std::vector<Index> low = where(body.mesh, [](const Vector3d& p) { return p.y() < -1 + 1e-9; });
  body.inner_steps = 120;
  body.air_damping = 3;
  for (const bool pinned : {true, false}) {
    World world([&] {
      WorldOptions o = quiet();
      if (!pinned) o.gravity.setZero();
      return o;
    }());
    if (pinned)
      body.pinned = top_of(body.mesh);
    else
      body.pinned.clear(), body.air_damping = 0;
    const BodyId id = world.add(body);
    RigidBody weight = box("weight", {0.02, 0.05, 0.1}, {0, -1.06, 0});
    weight.mass = MassOverride{.mass = 0.5, .inertia_from_shape = true};
    weight.linear_damping = pinned ? 3 : 0;
    if (!pinned) weight.velocity = {0.3, -1, 0.2};
    const BodyId hung = world.add(weight);
    world.attach(id, low, hung);
    EXPECT_EQ(world.joint_count(), low.size());
    const Vector3d momentum = world.balance().momentum;
    for (int k = 0; k < 180; ++k) world.step();
    // Attached vertices are where the box has them.
    for (const Index v : low) {
      const Vector3d local = body.mesh.positions[static_cast<std::size_t>(v)] - Vector3d(0, -1.06, 0);
      EXPECT_LT((world.positions(id)[static_cast<std::size_t>(v)] - world.pose(hung) * local).norm(), 1e-3) << pinned;
    }
    if (pinned) {
      const double truth = 9.81 * (0.5 / 0.2 + 0.2 / 2) / 500;
      EXPECT_NEAR(-world.pose(hung).translation().y() - 1.06, truth, 0.05 * truth);
    } else {
      EXPECT_LT((world.balance().momentum - momentum).norm(), 1e-9 * momentum.norm());
      EXPECT_LT((world.velocity(hung) - Vector3d(0.3, -1, 0.2)).y(), 1) << "it pulls the cloth";
      EXPECT_GT(world.velocity(hung).y(), -0.999);
    }
  }
}

TEST(FabricWorld, GasHoldsAndItsEnergyIsInTheBalance) {
  ClothBody body;
  body.name = "balloon";
  body.mesh = make_icosphere(0.3, 3);
  body.fabric = {
      .density = 0.1, .warp_stiffness = 500, .weft_stiffness = 500, .shear_stiffness = 250, .bend_stiffness = 0};
  body.pressure = 60;
  body.inner_steps = 200;
  body.air_damping = 30;
  WorldOptions o = quiet();
  o.gravity.setZero();
  World world(o);
  const BodyId id = world.add(body);
  const double start = world.balance().energy();
  EXPECT_NEAR(start, 0, 1e-20) << "as at rest";
  double most = -INFINITY;
  for (int k = 0; k < 60; ++k) {
    world.step();
    most = std::max(most, world.balance().energy());
  }
  // What the gas does goes into motion and cloth: without its energy these would be 0.4 J.
  EXPECT_LT(most, 0.01);
  EXPECT_LT(world.balance().momentum.norm(), 1e-12);
  // Equilibrium: tension p r / 2 = E e along both directions, with p = 60 (r0 / r)^3.
  double e = 0;
  for (int k = 0; k < 50; ++k) e = 60 / std::pow(1 + e, 3) * 0.3 * (1 + e) / 2 / 500;
  double radius = 0;
  for (const Vector3d& p : world.positions(id)) radius += p.norm() / 642;
  EXPECT_NEAR(radius, 0.3 * (1 + e), 0.1 * 0.3 * e);
  // Energy of cloth and gas there, by the same numbers: on the sphere of the mesh, whose area is a hundredth smaller.
  const double volume = 4.0 / 3 * std::numbers::pi * 0.027;
  const double truth = 500 * e * e * 4 * std::numbers::pi * 0.09 - 60 * volume * 3 * std::log(1 + e);
  EXPECT_NEAR(world.balance().energy(), truth, 0.1 * std::abs(truth));
}

TEST(FabricWorld, ThicknessIsThatOfTheBody) {
  for (const double thickness : {0.004, 0.02}) {
    World world(quiet());
    world.add(RigidBody{.name = "floor", .shape = Shape::half_space({0, 1, 0}, 0), .motion = MotionModel::fixed});
    ClothBody body;
    body.name = "sheet";
    body.mesh = make_sheet(0.4, 0.4, 6, 6);
    for (Vector3d& p : body.mesh.positions) p.y() = 0.03;
    body.thickness = thickness;
    const BodyId id = world.add(body);
    for (int k = 0; k < 60; ++k) world.step();
    for (const Vector3d& p : world.positions(id)) EXPECT_NEAR(p.y(), thickness, 0.05 * thickness);
  }
}

}  // namespace
}  // namespace carom
