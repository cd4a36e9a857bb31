#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/query/query.hpp"
#include "carom/world/world.hpp"
#include "rigid/rigid_scene.hpp"

// Dynamic bodies whose shape is a mesh: they collide as their convex decomposition.
namespace carom {
namespace {

using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double pi = std::numbers::pi;

/// An L of two bars, 1 m thick.
TriangleMesh l_mesh() {
  return make_extrusion(std::vector<Vector2d>{{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}}, 1);
}

/// Half of a hollow ball, with walls of 0.1 m; the rim is at y = 0.
TriangleMesh bowl_mesh() {
  std::vector<Vector2d> profile{{0, -0.5}};
  for (int i = 1; i <= 10; ++i) profile.emplace_back(0.5 * std::sin(pi * i / 20), -0.5 * std::cos(pi * i / 20));
  for (int i = 10; i >= 1; --i) profile.emplace_back(0.4 * std::sin(pi * i / 20), -0.4 * std::cos(pi * i / 20));
  profile.emplace_back(0, -0.4);
  return make_revolution(profile, 24);
}

/// Shapes that several tests use: decomposed once for all of them.
const Shape& ring_shape() {
  static const Shape shape = Shape::mesh(make_torus(0.5, 0.1, 32, 12));
  return shape;
}
const Shape& bowl_shape() {
  static const Shape shape = Shape::mesh(bowl_mesh());
  return shape;
}

RigidBody mesh_body(const std::string& name, const Shape& shape, const Isometry3d& pose = Isometry3d::Identity()) {
  RigidBody body;
  body.name = name;
  body.shape = shape;
  body.pose = pose;
  return body;
}

struct BoxPart {
  Vector3d center;
  Vector3d half;
  double sign = 1;
};

/// Mass properties of boxes added to or taken from each other, at a density of 1.
MassProperties sum_of_boxes(const std::vector<BoxPart>& parts) {
  MassProperties sum;
  for (const BoxPart& p : parts) {
    const double volume = p.sign * 8 * p.half.prod();
    sum.volume += volume;
    sum.center += volume * p.center;
  }
  sum.center /= sum.volume;
  for (const BoxPart& p : parts) {
    const double volume = p.sign * 8 * p.half.prod();
    const Vector3d d = p.center - sum.center;
    const Vector3d square = p.half.cwiseAbs2();
    sum.inertia += volume / 3 * (square.sum() * Matrix3d::Identity() - Matrix3d(square.asDiagonal()));
    sum.inertia += volume * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose());
  }
  return sum;
}

void expect_mass(const TriangleMesh& mesh, const MassProperties& unit) {
  const Isometry3d pose = at(1, 2, 3) * Eigen::AngleAxisd(0.8, Vector3d(1, -2, 3).normalized());
  World world(rigid_options(1.0 / 60));
  RigidBody body = mesh_body("part", Shape::mesh(mesh), pose);
  body.density = 700;
  const BodyId id = world.add(body);
  EXPECT_NEAR(world.mass(id), 700 * unit.volume, 1e-9 * world.mass(id));
  EXPECT_LT((world.center_of_mass(id) - pose * unit.center).norm(), 1e-9);
  const Matrix3d inertia = 700 * pose.linear() * unit.inertia * pose.linear().transpose();
  EXPECT_LT((world.inertia(id) - inertia).cwiseAbs().maxCoeff(), 1e-9 * inertia.cwiseAbs().maxCoeff());
}

TEST(ConcaveBody, HasTheMassOfAnLShape) {
  expect_mass(l_mesh(), sum_of_boxes({{{1.5, 0.5, 0}, {1.5, 0.5, 0.5}}, {{0.5, 2, 0}, {0.5, 1, 0.5}}}));
}

TEST(ConcaveBody, HasTheMassOfAHollowBox) {
  TriangleMesh mesh = make_box({2, 4, 6});
  const TriangleMesh inner = make_box({1, 2, 3});
  const auto first = static_cast<Index>(mesh.positions.size());
  mesh.positions.insert(mesh.positions.end(), inner.positions.begin(), inner.positions.end());
  for (const Triangle& t : inner.triangles) mesh.triangles.push_back({t[0] + first, t[2] + first, t[1] + first});
  expect_mass(mesh, sum_of_boxes({{Vector3d::Zero(), {1, 2, 3}}, {Vector3d::Zero(), {0.5, 1, 1.5}, -1}}));
}

TEST(ConcaveBody, HasTheMassOfAPipe) {
  constexpr int n = 16;
  constexpr double length = 3;
  const std::vector<Vector2d> profile{{0.6, -1.5}, {0.8, -1.5}, {0.8, 1.5}, {0.6, 1.5}};
  // A regular polygon of n corners at the distance r has the area n/2 r^2 sin(2 pi/n), and about its center the second
  // moment area r^2 (2 + cos(2 pi/n)) / 6.
  const auto area = [](double r) { return n / 2.0 * r * r * std::sin(2 * pi / n); };
  const auto moment = [&](double r) { return area(r) * r * r * (2 + std::cos(2 * pi / n)) / 6; };
  MassProperties unit;
  const double section = area(0.8) - area(0.6);
  const double polar = moment(0.8) - moment(0.6);
  unit.volume = length * section;
  const double across = length * polar / 2 + section * length * length * length / 12;
  unit.inertia = Vector3d(across, length * polar, across).asDiagonal();
  expect_mass(make_revolution(profile, n), unit);
}

TEST(ConcaveBody, KeepsTheShapeGivenAndSaysHowFarItsCollidersAre) {
  World world(rigid_options(1.0 / 60));
  const Shape& ring = ring_shape();
  const BodyId id = world.add(mesh_body("ring", ring));
  EXPECT_EQ(&world.shape(id).data(), &ring.data());
  const Decomposition expected = decompose(ring);
  EXPECT_EQ(world.collision_shape(id).kind(), ShapeKind::compound);
  EXPECT_EQ(world.collision_shape(id).parts().size(), expected.parts.size());
  EXPECT_EQ(world.collider_error(id), expected.error);
  EXPECT_GT(world.collider_error(id), 0);
  EXPECT_LE(world.collider_error(id), 0.02 * 2 * std::hypot(0.6 * std::sqrt(2.0), 0.1));

  RigidBody fine = mesh_body("fine", ring, at(3, 0, 0));
  fine.decomposition.tolerance = 0.01;
  const BodyId fine_id = world.add(fine);
  EXPECT_LT(world.collider_error(fine_id), world.collider_error(id));
  EXPECT_GT(world.collision_shape(fine_id).parts().size(), world.collision_shape(id).parts().size());

  RigidBody fixed = mesh_body("fixed", ring, at(6, 0, 0));
  fixed.motion = MotionModel::fixed;
  const BodyId fixed_id = world.add(fixed);
  EXPECT_EQ(&world.collision_shape(fixed_id).data(), &ring.data()) << "collides as it is";
  EXPECT_EQ(world.collider_error(fixed_id), 0);
  EXPECT_EQ(world.collider_error(world.add(ball_body("ball", 1, at(9, 0, 0)))), 0);
}

TEST(ConcaveBody, AConvexMeshIsOneHullWithoutError) {
  World world(rigid_options(1.0 / 60));
  TriangleMesh turned = make_box({1, 2, 3}, 4);
  for (Vector3d& p : turned.positions) p = Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()) * p;
  for (const TriangleMesh& mesh : {make_box({1, 2, 3}, 4), turned, make_icosphere(1, 3)}) {
    const BodyId id = world.add(mesh_body("convex", Shape::mesh(mesh)));
    EXPECT_EQ(world.collision_shape(id).kind(), ShapeKind::hull);
    EXPECT_EQ(world.collider_error(id), 0);
  }
}

TEST(ConcaveBody, OneShapeIsDecomposedOnce) {
  World world(rigid_options(1.0 / 60));
  const Shape shape = Shape::mesh(l_mesh());
  const BodyId a = world.add(mesh_body("a", shape));
  const BodyId b = world.add(mesh_body("b", shape, at(5, 0, 0)));
  const BodyId other = world.add(mesh_body("other", Shape::mesh(l_mesh()), at(10, 0, 0)));
  ASSERT_EQ(world.collision_shape(a).parts().size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto hull = [&](BodyId id) { return &world.collision_shape(id).parts()[i].shape.data(); };
    EXPECT_EQ(hull(a), hull(b));
    EXPECT_NE(hull(a), hull(other)) << "another shape, though it is equal";
  }
}

/// Steps a world until a body is asleep, or for ten seconds.
void settle(World& world, BodyId id) {
  for (int i = 0; i < 600 && !world.asleep(id); ++i) world.step();
}

WorldOptions sleepy(int threads = 1) {
  WorldOptions options = rigid_options(1.0 / 60, threads);
  options.solver.sleep.enabled = true;
  return options;
}

/// Height of a body that is dropped on a post 2 m high, once it rests.
double height_over_post(const Shape& shape) {
  World world(sleepy());
  world.add(floor_body());
  RigidBody post;
  post.name = "post";
  post.motion = MotionModel::fixed;
  post.shape = Shape::cylinder(0.2, 1);
  post.pose = at(0, 1, 0) * Eigen::AngleAxisd(pi / 2, Vector3d::UnitX());
  world.add(post);
  const BodyId id = world.add(mesh_body("dropped", shape, at(0.02, 2.3, 0.01)));
  settle(world, id);
  EXPECT_TRUE(world.asleep(id));
  const Vector3d center = world.center_of_mass(id);
  EXPECT_LT(std::hypot(center.x(), center.z()), 0.25) << "the post is in the hole, or carries it";
  return center.y();
}

TEST(ConcaveBody, ARingThreadsAPostAndItsHullDoesNot) {
  const Shape& ring = ring_shape();
  EXPECT_NEAR(height_over_post(ring), 0.1, 0.02);
  EXPECT_NEAR(height_over_post(Shape::hull(ring.vertices())), 2.1, 0.01);
}

TEST(ConcaveBody, ABowlCatchesABall) {
  World world(sleepy());
  world.add(floor_body());
  const Shape& bowl = bowl_shape();
  const BodyId bowl_id = world.add(mesh_body("bowl", bowl, at(0, 0.51, 0)));
  const BodyId ball_id = world.add(ball_body("ball", 0.15, at(0.1, 1, 0.05)));
  settle(world, ball_id);
  EXPECT_TRUE(world.asleep(ball_id));
  const Vector3d in_bowl = world.pose(bowl_id).inverse() * world.center_of_mass(ball_id);
  // At the bottom, whose inner side is 0.4 m below the rim.
  EXPECT_LT(std::hypot(in_bowl.x(), in_bowl.z()), 0.1);
  EXPECT_LT(in_bowl.y(), -0.4 + 0.15 + 0.02);
  const double gap = distance(Shape::sphere(0.15), world.pose(ball_id), bowl, world.pose(bowl_id)).distance;
  EXPECT_GT(gap, -1e-3);
  EXPECT_LT(gap, world.collider_error(bowl_id) + 1e-3);
}

TEST(ConcaveBody, ContactsAreWithinTheStatedErrorOfTheMesh) {
  const Shape& ring = ring_shape();
  const Shape ball = Shape::sphere(0.05);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  int compared = 0;
  for (int i = 0; i < 400 && compared < 100; ++i) {
    const Vector3d p(0.7 * unit(random), 0.2 * unit(random), 0.7 * unit(random));
    const QueryResult near = distance(ring, Isometry3d::Identity(), ball, at(p.x(), p.y(), p.z()));
    if (near.distance < 0) continue;
    constexpr double true_distance = 1e-4;  // near enough to touch
    const Vector3d q = p - (near.distance - true_distance) * near.normal;
    WorldOptions options = rigid_options(1.0 / 60);
    options.gravity.setZero();
    World world(options);
    const BodyId id = world.add(mesh_body("ring", ring));
    world.add(ball_body("ball", 0.05, at(q.x(), q.y(), q.z())));
    world.step();
    double nearest = INFINITY;
    for (const WorldContact& c : world.contacts()) nearest = std::min(nearest, c.distance);
    EXPECT_LE(nearest, true_distance + 1e-6) << q.transpose();
    EXPECT_GE(nearest, true_distance - world.collider_error(id) - 1e-6) << q.transpose();
    ++compared;
  }
  EXPECT_EQ(compared, 100);
}

TEST(ConcaveBody, AMarginIsAroundTheParts) {
  World world(sleepy());
  world.add(floor_body());
  const BodyId id = world.add(mesh_body("l", Shape::mesh(l_mesh()).with_margin(0.1), at(0, 0.15, 0)));
  settle(world, id);
  EXPECT_NEAR(world.pose(id).translation().y(), 0.1, 1e-3);
}

/// Concave bodies that fall on each other.
World falling_parts(int threads) {
  World world(sleepy(threads));
  world.add(floor_body());
  const std::array<Shape, 3> shapes{Shape::mesh(l_mesh()).scaled(0.3), ring_shape(), bowl_shape()};
  for (int i = 0; i < 9; ++i) {
    const Isometry3d pose = at(0.3 * (i % 2), 1 + 0.8 * i, 0.2 * (i % 3)) *
                            Eigen::AngleAxisd(0.9 * i, Vector3d(1, 0.5 * i, -1).normalized());
    world.add(mesh_body("part", shapes[static_cast<std::size_t>(i) % 3], pose));
  }
  return world;
}

TEST(ConcaveBody, MovesTheSameForAnyNumberOfThreadsAndAfterARestore) {
  World one = falling_parts(1);
  World two = falling_parts(2);
  World four = falling_parts(4);
  const auto step = [](World& world, int steps) {
    for (int i = 0; i < steps; ++i) world.step();
  };
  step(one, 100);
  const World::Snapshot saved = one.snapshot();
  step(one, 100);
  step(two, 200);
  step(four, 200);
  EXPECT_FALSE(one.contacts().empty());
  EXPECT_EQ(one.state_hash(), two.state_hash());
  EXPECT_EQ(one.state_hash(), four.state_hash());
  const std::uint64_t hash = one.state_hash();
  one.restore(saved);
  step(one, 100);
  EXPECT_EQ(one.state_hash(), hash);
  World other(sleepy(2));
  other.restore(saved);
  step(other, 100);
  EXPECT_EQ(other.state_hash(), hash);
}

void expect_refused(const RigidBody& body, ErrorCode code, const std::string& message) {
  World world(rigid_options(1.0 / 60));
  try {
    world.add(body);
    FAIL() << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(std::string(error.what()), message);
  }
  EXPECT_TRUE(world.bodies().empty());
}

TEST(ConcaveBody, WhatIsNoSolidIsRefusedWithWhatToDo) {
  expect_refused(mesh_body("sheet", Shape::mesh(make_sheet(1, 1, 2, 2))), ErrorCode::bad_mesh,
                 "body 'sheet' is a rigid mesh: decompose: the piece of the mesh with triangle 0 is open; expected "
                 "closed pieces, or a body that is fixed or scripted");
  TriangleMesh room = make_box({1, 1, 1});
  for (Triangle& t : room.triangles) std::swap(t[1], t[2]);
  expect_refused(mesh_body("room", Shape::mesh(room)), ErrorCode::bad_mesh,
                 "body 'room' is a rigid mesh: decompose: the mesh faces inward and is a room; expected triangles that "
                 "face outward, or solid = inside, or a body that is fixed or scripted");
  expect_refused(mesh_body("skin", Shape::mesh(make_box({1, 1, 1}), {.solid = MeshSolid::surface})),
                 ErrorCode::bad_mesh,
                 "body 'skin' is a rigid mesh: decompose: the mesh has solid = surface, and no inside; expected "
                 "by_normals or inside, or a body that is fixed or scripted");
  const TriangleMesh flat{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}};
  expect_refused(mesh_body("flat", Shape::mesh(flat, {.solid = MeshSolid::inside})), ErrorCode::bad_mesh,
                 "body 'flat' is a rigid mesh: decompose: the mesh is flat; expected a solid, or a body that is "
                 "fixed or scripted");
}

TEST(ConcaveBody, OptionsOutOfRangeOrOfOthersAreRefused) {
  RigidBody body = mesh_body("l", Shape::mesh(l_mesh()));
  body.decomposition.tolerance = 2;
  expect_refused(body, ErrorCode::invalid_argument,
                 "body 'l' is a rigid mesh: decompose: tolerance is 2; expected a fraction from 0.0001 to 1");
  body.decomposition = {.tolerance = 0.01};
  body.motion = MotionModel::fixed;
  expect_refused(body, ErrorCode::invalid_argument,
                 "body 'l' is a fixed mesh; decomposition is for rigid meshes, leave it out");
  RigidBody ball = ball_body("ball", 1, at(0, 0, 0));
  ball.decomposition.max_parts = 3;
  expect_refused(ball, ErrorCode::invalid_argument,
                 "body 'ball' is a rigid sphere; decomposition is for rigid meshes, leave it out");
}

TEST(ConcaveBody, AMeshInACompoundIsRefusedByName) {
  try {
    Shape::compound(std::vector<Shape::Part>{{Shape::sphere(1)}, {Shape::mesh(l_mesh())}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "compound: part 1 is a mesh, expected a convex shape; decompose() makes convex parts of it");
  }
}

}  // namespace
}  // namespace carom
