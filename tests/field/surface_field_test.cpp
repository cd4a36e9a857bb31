#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "carom/body/cloth.hpp"
#include "carom/core/error.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/mesh/surface_builder.hpp"
#include "world/mixed.hpp"

/// Distance fields of fixed and scripted bodies with vertices of their own.
namespace carom {
namespace {

using Eigen::AngleAxisd;
using Eigen::Isometry3d;
using Eigen::Vector3d;

constexpr double thickness = 0.01;
constexpr FieldOptions torus_field{.tolerance = 0.004};

WorldOptions options_with(Detection detection) {
  WorldOptions options;
  options.dt = 0.005;
  options.detection = detection;
  options.contact.distance = thickness;
  return options;
}

TriangleMesh torus_mesh() {
  return make_torus(0.4, 0.15, 32, 16);
}

/// Turns about the y axis at 1.5 rad/s and moves at a constant velocity.
Isometry3d steady_pose(double time) {
  Isometry3d pose = Isometry3d::Identity();
  pose.translation() = time * Vector3d(0.3, 0.2, -0.1);
  pose.linear() = AngleAxisd(1.5 * time, Vector3d::UnitY()).toRotationMatrix();
  return pose;
}

MotionFunction along(const std::function<Isometry3d(double)>& pose, const TriangleMesh& mesh) {
  return [pose, rest = mesh.positions](double time, std::span<Vector3d> positions) {
    for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = pose(time) * rest[v];
  };
}

RigidBody rigid_torus(MotionModel motion) {
  RigidBody body{.name = "torus", .shape = Shape::mesh(torus_mesh()), .motion = motion};
  body.field = DistanceField(body.shape, torus_field);
  if (motion == MotionModel::scripted) {
    body.velocity = {0.3, 0.2, -0.1};
    body.angular_velocity = {0, 1.5, 0};
  }
  return body;
}

FixedBody fixed_torus() {
  FixedBody body;
  body.name = "torus";
  body.mesh = torus_mesh();
  body.field = torus_field;
  return body;
}

ScriptedBody scripted_torus(const std::function<Isometry3d(double)>& pose = steady_pose) {
  ScriptedBody body;
  body.name = "torus";
  body.mesh = torus_mesh();
  body.motion = along(pose, body.mesh);
  body.field = torus_field;
  return body;
}

ClothBody sheet_at(const Vector3d& place, double size, int cells) {
  ClothBody cloth;
  cloth.name = "sheet";
  cloth.mesh = mixed::level_sheet(cells, size, place);
  return cloth;
}

/// Contacts of a cloth with a mesh that is a rigid body, and one with vertices of its own, step by step.
void expect_same_contacts(const RigidBody& rigid, const std::function<BodyId(World&)>& add_surface) {
  World one(options_with(Detection::discrete));
  World two(options_with(Detection::discrete));
  one.add(rigid);
  add_surface(two);
  const BodyId cloth = one.add(sheet_at({0.02, 0.165, 0}, 1.2, 20));
  ASSERT_EQ(two.add(sheet_at({0.02, 0.165, 0}, 1.2, 20)), cloth);
  std::size_t most = 0;
  // Later on what is rounded in one of them and not in the other has grown.
  for (int step = 0; step < 24; ++step) {
    one.step();
    two.step();
    const auto a = one.contacts();
    const auto b = two.contacts();
    ASSERT_EQ(a.size(), b.size()) << step;
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].body_a, b[i].body_a);
      EXPECT_EQ(a[i].anchor_b.vertices, b[i].anchor_b.vertices);
      EXPECT_NEAR(a[i].distance, b[i].distance, 1e-7) << step;
      EXPECT_LT((a[i].normal - b[i].normal).norm(), 1e-5) << step;
      EXPECT_NEAR(a[i].normal_speed, b[i].normal_speed, 1e-5) << step;
      EXPECT_NEAR(a[i].impulse, b[i].impulse, 1e-6) << step;
    }
    most = std::max(most, a.size());
  }
  EXPECT_GT(most, 30U);
  for (std::size_t v = 0; v < one.positions(cloth).size(); ++v)
    EXPECT_LT((one.positions(cloth)[v] - two.positions(cloth)[v]).norm(), 1e-6);
}

TEST(SurfaceField, AFixedMeshHasTheContactsOfARigidBodyThatIsFixed) {
  expect_same_contacts(rigid_torus(MotionModel::fixed), [](World& world) { return world.add(fixed_torus()); });
}

TEST(SurfaceField, AScriptedMeshHasTheContactsOfARigidBodyThatMovesTheSame) {
  expect_same_contacts(rigid_torus(MotionModel::scripted), [](World& world) { return world.add(scripted_torus()); });
}

/// The mesh is a rigid mesh for balls, and a field for the sheet.
TEST(SurfaceField, AFixedMeshBesideRigidBodiesKeepsItsField) {
  World world(options_with(Detection::continuous));
  world.add(fixed_torus());
  RigidBody ball{.name = "ball", .shape = Shape::sphere(0.05)};
  ball.pose.translation() = Vector3d(-0.4, 0.25, 0);
  ball.locked_translation = {true, false, true};
  const BodyId rolling = world.add(ball);
  ClothBody inside = sheet_at({0.4, 0.08, 0}, 0.06, 3);
  const BodyId sheet = world.add(inside);
  world.step();
  double deepest = 0;
  for (const WorldContact& c : world.contacts()) deepest = std::min(deepest, c.distance);
  EXPECT_LT(deepest, -0.05) << "the field tells the depth";
  for (int i = 0; i < 300; ++i) world.step();
  EXPECT_NEAR(world.pose(rolling).translation().y(), 0.2, 0.005);
  for (const Vector3d& p : world.positions(sheet))
    EXPECT_GT(std::hypot(std::hypot(p.x(), p.z()) - 0.4, p.y()), 0.15 - 0.005);
}

std::size_t crossings(const World& world, BodyId body, BodyId mesh_body) {
  SurfaceBuilder both;
  for (const BodyId id : {body, mesh_body}) {
    TriangleMesh mesh{std::vector<Vector3d>(world.positions(id).begin(), world.positions(id).end()), {}};
    mesh.triangles.assign(world.triangles(id).begin(), world.triangles(id).end());
    both.add(mesh);
  }
  return intersections(both.surface(), both.positions(), {.pairs = PairScope::between}).size();
}

TEST(SurfaceField, NothingPassesThroughTheMesh) {
  const auto thrown_up = [](double time) { return mixed::at({0, 4 * time, 0}); };
  for (const bool moves : {false, true}) {
    WorldOptions options = options_with(Detection::continuous);
    options.gravity.setZero();
    World world(options);
    const BodyId tool = moves ? world.add(scripted_torus(thrown_up)) : world.add(fixed_torus());
    ClothBody cloth = sheet_at({0.05, 0.3, 0.02}, 1.2, 16);
    cloth.velocity = {0, -8, 0};
    const BodyId sheet = world.add(cloth);
    std::size_t most = 0;
    for (int i = 0; i < 60; ++i) {
      world.step();
      ASSERT_EQ(crossings(world, sheet, tool), 0U) << moves << " step " << i;
      most = std::max(most, world.contacts().size());
    }
    EXPECT_GT(most, 50U) << moves;
  }
}

/// A plate that slides carries what lies on it, by friction alone.
TEST(SurfaceField, AScriptedPlateCarriesClothAndSoftBodiesByFriction) {
  constexpr double speed = 0.2;
  WorldOptions options = options_with(Detection::continuous);
  World world(options);
  ScriptedBody plate;
  plate.name = "plate";
  plate.mesh = make_box({2, 0.2, 1}, 4);
  plate.motion = along([](double time) { return mixed::at({speed * time, 0, 0}); }, plate.mesh);
  plate.field = FieldOptions{};
  plate.material.friction = 0.8;
  world.add(plate);
  ClothBody cloth = sheet_at({-0.5, 0.112, 0}, 0.3, 8);
  cloth.material.friction = 0.8;
  const BodyId sheet = world.add(cloth);
  SoftBody block;
  block.name = "block";
  block.mesh = placed(make_box({0.2, 0.2, 0.2}, 4), Vector3d(0.3, 0.212, 0));
  block.voxel_size = 0.05;
  block.elasticity = {.density = 300, .young_modulus = 5e4, .poisson_ratio = 0.3, .damping = 0.02};
  block.material.friction = 0.8;
  const BodyId soft = world.add(block);
  const auto mean_of = [](std::span<const Vector3d> list) {
    Vector3d sum = Vector3d::Zero();
    for (const Vector3d& p : list) sum += p;
    return Vector3d(sum / static_cast<double>(list.size()));
  };
  const std::array<Vector3d, 2> before{mean_of(world.positions(sheet)), mean_of(world.positions(soft))};
  const int steps = 300;
  for (int i = 0; i < steps; ++i) world.step();
  const double expected = speed * steps * options.dt;
  for (const std::size_t k : {0U, 1U}) {
    const BodyId id = k == 0 ? sheet : soft;
    EXPECT_NEAR(mean_of(world.velocities(id)).x(), speed, 0.01) << k;
    // Friction of 0.8 g brings it to speed within 26 ms.
    EXPECT_NEAR(mean_of(world.positions(id)).x() - before[k].x(), expected, 0.03 * expected) << k;
    EXPECT_NEAR(mean_of(world.positions(id)).y() - before[k].y(), 0, 0.015) << k;
  }
}

/// A hand that moves a scripted body by its offset takes the field along.
TEST(SurfaceField, TheFieldFollowsAnOffset) {
  World world(options_with(Detection::discrete));
  ScriptedBody body = scripted_torus([](double) { return Isometry3d::Identity(); });
  const BodyId torus = world.add(body);
  const BodyId sheet = world.add(sheet_at({0, 0.7, 0}, 1.2, 16));
  world.set_offset(torus, mixed::at({0, 0.5, 0}));
  for (int i = 0; i < 150; ++i) world.step();
  double nearest = INFINITY;
  for (const Vector3d& p : world.positions(sheet))
    nearest = std::min(nearest, std::hypot(std::hypot(p.x(), p.z()) - 0.4, p.y() - 0.5) - 0.15);
  EXPECT_GT(nearest, thickness - 0.008);
  EXPECT_LT(nearest, 2 * thickness);
}

TEST(SurfaceField, IsTheSameForAnyNumberOfThreadsAndAfterRestore) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    WorldOptions options = options_with(Detection::continuous);
    options.threads = threads;
    World world(options);
    world.add(scripted_torus());
    world.add(sheet_at({0.02, 0.2, 0}, 0.9, 20));
    for (int i = 0; i < 40; ++i) world.step();
    const World::Snapshot snapshot = world.snapshot();
    for (int i = 0; i < 10; ++i) world.step();
    hashes.push_back(world.state_hash());
    world.restore(snapshot);
    for (int i = 0; i < 10; ++i) world.step();
    hashes.push_back(world.state_hash());
  }
  for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes[0]);
}

template <class Act>
std::string message_of(Act&& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SurfaceField, AMotionThatChangesTheShapeIsRefusedInTheStepWhereItDoes) {
  World world(options_with(Detection::discrete));
  ScriptedBody body = scripted_torus();
  // From 0.05 s on vertex 7 goes off.
  body.motion = [move = body.motion](double time, std::span<Vector3d> positions) {
    move(time, positions);
    if (time > 0.052) positions[7] += Vector3d(0, 0.01, 0);
  };
  // Another body before it, whose motion is in the table when the step fails.
  ScriptedBody other = scripted_torus([](double time) { return mixed::at({0, -2 + time, 0}); });
  other.name = "other";
  world.add(other);
  world.add(body);
  for (int i = 0; i < 10; ++i) world.step();
  const std::uint64_t before = world.state_hash();
  EXPECT_TRUE(message_of([&] { world.step(); }).starts_with("body 'torus': its motion changes its shape at time 0.055"))
      << message_of([&] { world.step(); });
  EXPECT_NE(message_of([&] { world.step(); }).find("where vertex 7 is 0.0099"), std::string::npos)
      << message_of([&] { world.step(); });
  EXPECT_EQ(world.state_hash(), before);
  EXPECT_EQ(world.steps(), 10U);
}

TEST(SurfaceField, AMotionThatMirrorsOrGrowsIsRefused) {
  for (const bool mirror : {true, false}) {
    World world(options_with(Detection::discrete));
    ScriptedBody body = scripted_torus();
    body.motion = [mirror, rest = body.mesh.positions](double time, std::span<Vector3d> positions) {
      for (std::size_t v = 0; v < positions.size(); ++v) {
        positions[v] = rest[v];
        if (time > 0) positions[v] = mirror ? Vector3d(-rest[v].x(), rest[v].y(), rest[v].z()) : 1.001 * rest[v];
      }
    };
    world.add(body);
    EXPECT_TRUE(message_of([&] { world.step(); }).starts_with("body 'torus': its motion changes its shape"))
        << mirror << message_of([&] { world.step(); });
  }
}

TEST(SurfaceField, AMeshWithoutAnInsideIsRefusedByName) {
  World world(options_with(Detection::discrete));
  FixedBody open;
  open.name = "sheet";
  open.mesh = mixed::level_sheet(2, 1);
  open.field = FieldOptions{};
  EXPECT_TRUE(message_of([&] { world.add(open); }).starts_with("body 'sheet': field: "))
      << message_of([&] { world.add(open); });
  FixedBody torus = fixed_torus();
  torus.field->tolerance = -1;
  EXPECT_TRUE(message_of([&] { world.add(torus); }).starts_with("body 'torus': field: "))
      << message_of([&] { world.add(torus); });
  EXPECT_TRUE(world.bodies().empty());
}

/// What a body with a field holds is not pushed off by the field.
TEST(SurfaceField, VerticesThatTheBodyHoldsMakeNoContactsWithItsField) {
  for (const bool scripted : {false, true}) {
    WorldOptions options = options_with(Detection::discrete);
    options.gravity.setZero();
    World world(options);
    const auto still = [](double) { return Isometry3d::Identity(); };
    const BodyId torus = scripted ? world.add(scripted_torus(still)) : world.add(rigid_torus(MotionModel::fixed));
    const BodyId sheet = world.add(sheet_at({0.4, 0.05, 0}, 0.06, 3));
    std::vector<Index> all;
    for (Index v = 0; v < 16; ++v) all.push_back(v);
    world.attach(sheet, all, torus);
    const std::vector<Vector3d> before(world.positions(sheet).begin(), world.positions(sheet).end());
    for (int i = 0; i < 20; ++i) world.step();
    EXPECT_TRUE(world.contacts().empty()) << scripted;
    for (std::size_t v = 0; v < before.size(); ++v)
      EXPECT_LT((world.positions(sheet)[v] - before[v]).norm(), 1e-9) << scripted;
  }
}

}  // namespace
}  // namespace carom
