#include <gtest/gtest.h>

#include <cmath>

#include "carom/core/error.hpp"
#include "carom/mesh/closest.hpp"
#include "oracle/apart.hpp"
#include "world/mixed.hpp"

/// Soft bodies attached to meshes with vertices of their own.
namespace carom {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;

WorldOptions options(int threads = 1) {
  WorldOptions o;
  o.dt = 1.0 / 60;
  o.contact.distance = 0.005;
  o.threads = threads;
  return o;
}

/// A cube of 0.2 m whose upper side is at a height of 1.1 m.
SoftBody cube() {
  SoftBody body;
  body.name = "cube";
  body.mesh = placed(make_box({0.2, 0.2, 0.2}, 4), Vector3d(0, 1, 0));
  body.degrees_of_freedom = 600;
  body.elasticity = {.density = 300, .young_modulus = 1e5, .poisson_ratio = 0.3, .damping = 0.01};
  return body;
}

/// A level sheet of 0.4 m, 1 cm above the cube.
TriangleMesh plate_mesh() {
  return mixed::level_sheet(4, 0.4, {0.01, 1.11, 0.02});
}

std::vector<Index> upper_side(const World& world, BodyId id) {
  std::vector<Index> list;
  for (std::size_t v = 0; v < world.positions(id).size(); ++v) {
    if (world.positions(id)[v].y() > 1.099) list.push_back(static_cast<Index>(v));
  }
  return list;
}

/// Orthonormal frame of a triangle, by its definition: first edge, normal, and what is at right angles to both.
Isometry3d frame_of(const std::array<Vector3d, 3>& t) {
  Isometry3d frame = Isometry3d::Identity();
  frame.translation() = t[0];
  frame.linear().col(0) = (t[1] - t[0]).normalized();
  frame.linear().col(2) = (t[1] - t[0]).cross(t[2] - t[0]).normalized();
  frame.linear().col(1) = frame.linear().col(2).cross(frame.linear().col(0));
  return frame;
}

std::array<Vector3d, 3> corners(const World& world, BodyId mesh, std::size_t triangle) {
  std::array<Vector3d, 3> list;
  for (std::size_t k = 0; k < 3; ++k)
    list[k] = world.positions(mesh)[static_cast<std::size_t>(world.triangles(mesh)[triangle][k])];
  return list;
}

/// A place beside a mesh that goes with its nearest triangle.
struct Carried {
  std::size_t triangle = 0;
  Vector3d local;
  Vector3d place(const World& world, BodyId mesh) const { return frame_of(corners(world, mesh, triangle)) * local; }
};

Carried carried_by(const World& world, BodyId mesh, const Vector3d& place) {
  Carried best;
  double nearest = INFINITY;
  for (std::size_t t = 0; t < world.triangles(mesh).size(); ++t) {
    const std::array<Vector3d, 3> c = corners(world, mesh, t);
    const double distance = closest_vertex_triangle(place, c[0], c[1], c[2]).distance;
    if (distance >= nearest) continue;
    nearest = distance;
    best = {t, frame_of(c).inverse() * place};
  }
  return best;
}

ScriptedBody scripted_plate(const MotionFunction& motion) {
  ScriptedBody plate;
  plate.name = "plate";
  plate.mesh = plate_mesh();
  plate.motion = motion;
  return plate;
}

/// Runs a world in which a cube hangs on a plate. Returns the largest distance of an attached vertex from where the
/// plate has it.
double farthest_off(World& world, BodyId plate, BodyId soft, int steps) {
  const std::vector<Index> held = upper_side(world, soft);
  EXPECT_GE(held.size(), 25U);
  std::vector<Carried> carried;
  for (const Index v : held)
    carried.push_back(carried_by(world, plate, world.positions(soft)[static_cast<std::size_t>(v)]));
  world.attach(soft, held, plate);
  double farthest = 0;
  for (int i = 0; i < steps; ++i) {
    world.step();
    EXPECT_EQ(oracle::count_intersections(world), 0U) << i;
    for (std::size_t k = 0; k < held.size(); ++k) {
      const Vector3d& at = world.positions(soft)[static_cast<std::size_t>(held[k])];
      farthest = std::max(farthest, (at - carried[k].place(world, plate)).norm());
    }
  }
  return farthest;
}

double mean_height(const World& world, BodyId id) {
  double sum = 0;
  for (const Vector3d& p : world.positions(id)) sum += p.y();
  return sum / static_cast<double>(world.positions(id).size());
}

TEST(SoftAttach, HangsOnAFixedMeshUntilItIsLetGo) {
  World world(options());
  FixedBody plate;
  plate.name = "plate";
  plate.mesh = plate_mesh();
  const BodyId mesh = world.add(plate);
  const BodyId soft = world.add(cube());
  EXPECT_LT(farthest_off(world, mesh, soft, 60), 1e-3);
  EXPECT_NEAR(mean_height(world, soft), 1, 0.01);
  // Half of them go with detach(), the others with the plate.
  std::vector<Index> held;
  for (std::size_t v = 0; v < world.positions(soft).size(); ++v) {
    if (world.positions(soft)[v].y() > 1.098) held.push_back(static_cast<Index>(v));
  }
  held.resize(held.size() / 2);
  world.detach(soft, held);
  for (int i = 0; i < 10; ++i) world.step();
  EXPECT_GT(mean_height(world, soft), 0.95) << "the others hold it";
  world.remove(mesh);
  EXPECT_EQ(world.joint_count(), 0U);
  const double before = mean_height(world, soft);
  for (int i = 0; i < 30; ++i) world.step();
  EXPECT_LT(mean_height(world, soft), before - 0.8) << "it falls";
}

/// Turns, moves and bends into a trough at the same time.
void bend(double time, std::span<Vector3d> positions) {
  const std::vector<Vector3d> rest = plate_mesh().positions;
  const double s = 0.5 - 0.5 * std::cos(2 * std::min(time, 1.5));
  const Eigen::AngleAxisd turn(0.8 * s, Vector3d(1, 2, 0).normalized());
  const Vector3d pivot(0, 1.1, 0);
  for (std::size_t v = 0; v < positions.size(); ++v) {
    Vector3d p = rest[v];
    p.y() += 1.5 * s * p.x() * p.x();
    positions[v] = pivot + turn * (p - pivot) + s * Vector3d(0.3, 0.2, -0.1);
  }
}

TEST(SoftAttach, FollowsAScriptedMeshThatMovesTurnsAndBends) {
  World world(options());
  const BodyId mesh = world.add(scripted_plate(bend));
  const BodyId soft = world.add(cube());
  EXPECT_LT(farthest_off(world, mesh, soft, 100), 2e-3);
}

TEST(SoftAttach, FollowsAMeshWithAFieldWithoutBeingPushedOff) {
  World world(options());
  ScriptedBody post;
  post.name = "post";
  post.mesh = placed(make_box({0.1, 0.1, 0.1}, 2), Vector3d(0, 1.152, 0));
  post.motion = [rest = post.mesh.positions](double time, std::span<Vector3d> positions) {
    for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = rest[v] + Vector3d(0.2 * time, 0, 0);
  };
  post.field = FieldOptions{};
  const BodyId mesh = world.add(post);
  const BodyId soft = world.add(cube());
  std::vector<Index> held;
  for (const Index v : upper_side(world, soft)) {
    const Vector3d& p = world.positions(soft)[static_cast<std::size_t>(v)];
    if (std::abs(p.x()) < 0.06 && std::abs(p.z()) < 0.06) held.push_back(v);
  }
  ASSERT_EQ(held.size(), 9U);
  const Vector3d before = world.positions(soft)[static_cast<std::size_t>(held[0])];
  world.attach(soft, held, mesh);
  for (int i = 0; i < 60; ++i) world.step();
  const Vector3d now = world.positions(soft)[static_cast<std::size_t>(held[0])];
  EXPECT_LT((now - before - Vector3d(0.2, 0, 0)).norm(), 3e-3);
}

TEST(SoftAttach, SameHashForAnyNumberOfThreadsAndAfterRestore) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    World world(options(threads));
    const BodyId mesh = world.add(scripted_plate(bend));
    const BodyId soft = world.add(cube());
    world.attach(soft, upper_side(world, soft), mesh);
    for (int i = 0; i < 20; ++i) world.step();
    const World::Snapshot snapshot = world.snapshot();
    for (int i = 0; i < 20; ++i) world.step();
    hashes.push_back(world.state_hash());
    world.restore(snapshot);
    for (int i = 0; i < 20; ++i) world.step();
    hashes.push_back(world.state_hash());
  }
  for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes[0]);
}

TEST(SoftAttach, AMeshWithoutAnAreaIsRefusedAndNothingIsHeld) {
  World world(options());
  FixedBody line;
  line.name = "line";
  line.mesh.positions = {{0, 1.2, 0}, {1, 1.2, 0}, {2, 1.2, 0}};
  line.mesh.triangles = {{0, 1, 2}};
  const BodyId mesh = world.add(line);
  const BodyId soft = world.add(cube());
  const std::vector<Index> held = upper_side(world, soft);
  try {
    world.attach(soft, held, mesh);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "attach: body 'line' has no triangle with an area");
  }
  EXPECT_EQ(world.joint_count(), 0U);
  try {
    world.detach(soft, held);
    FAIL() << "something was held";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("detach: nothing holds vertex ")) << error.what();
  }
}

}  // namespace
}  // namespace carom
