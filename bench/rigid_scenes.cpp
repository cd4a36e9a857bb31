#include "bench/rigid_scenes.hpp"

#include <cmath>
#include <random>

#include "carom/generate.hpp"

namespace carom::bench {
namespace {

Eigen::Isometry3d at(double x, double y, double z) {
  return Eigen::Isometry3d(Eigen::Translation3d(x, y, z));
}

RigidBody ground() {
  RigidBody body;
  body.name = "ground";
  body.shape = Shape::half_space({0, 1, 0}, 0);
  body.kind = RigidKind::static_body;
  return body;
}

RigidBody box(const Eigen::Vector3d& half, const Eigen::Isometry3d& pose, RigidKind kind = RigidKind::dynamic) {
  RigidBody body;
  body.name = "box";
  body.shape = Shape::box(half);
  body.pose = pose;
  body.kind = kind;
  return body;
}

Shape random_hull(std::mt19937& random, double radius) {
  std::normal_distribution<double> number(0, 1);
  std::uniform_int_distribution<int> corners(12, 24);
  std::vector<Eigen::Vector3d> points;
  for (int i = corners(random); i > 0; --i)
    points.push_back(radius * Eigen::Vector3d(number(random), number(random), number(random)).normalized());
  return Shape::hull(points);
}

}  // namespace

RigidScene pyramid_scene(int base) {
  RigidScene scene{"pyramid " + std::to_string(base), {ground()}};
  for (int row = 0; row < base; ++row) {
    for (int i = 0; i < base - row; ++i)
      scene.bodies.push_back(box({0.5, 0.5, 0.5}, at((i - 0.5 * (base - row)) * 1.05, 0.5 + row, 0)));
  }
  return scene;
}

namespace {

/// Hulls in layers of `across` by `across` over a pit, 1.25 m for each.
RigidScene hulls_in_a_pit(const std::string& name, int count, int across) {
  RigidScene scene{name, {ground()}};
  const double half = 0.625 * across;
  const double wall = 20;
  for (const double side : {-1.0, 1.0}) {
    scene.bodies.push_back(box({0.5, wall, half + 1}, at(side * (half + 0.5), wall, 0), RigidKind::static_body));
    scene.bodies.push_back(box({half + 1, wall, 0.5}, at(0, wall, side * (half + 0.5)), RigidKind::static_body));
  }
  scene.bounds = {Eigen::Vector3d(-half, 0, -half), Eigen::Vector3d(half, 1e9, half)};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int i = 0; i < count; ++i) {
    RigidBody body;
    body.name = "hull";
    body.shape = random_hull(random, 0.3 + 0.1 * number(random));
    const int layer = i / (across * across);
    const double x = (i % across + 0.5) / across * 2 - 1;
    const double z = (i / across % across + 0.5) / across * 2 - 1;
    body.pose = at((half - 0.6) * x + 0.1 * number(random), 0.8 + 0.9 * layer, (half - 0.6) * z + 0.1 * number(random));
    scene.bodies.push_back(body);
  }
  return scene;
}

}  // namespace

RigidScene pile_scene(int count) {
  return hulls_in_a_pit("pile " + std::to_string(count), count, 8);
}

RigidScene wide_pile_scene(int count, int layers) {
  const int across = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count) / layers)));
  return hulls_in_a_pit("wide pile " + std::to_string(count), count, across);
}

RigidScene spheres_scene(int count) {
  RigidScene scene{"spheres on bricks " + std::to_string(count), {ground()}};
  for (int row = 0; row < 6; ++row) {
    for (int i = 0; i < 10; ++i) {
      const double shift = row % 2 == 0 ? 0 : 0.5;
      scene.bodies.push_back(box({0.48, 0.25, 0.5}, at(i - 5 + shift, 0.25 + 0.5 * row, 0)));
    }
  }
  std::mt19937 random(2);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int i = 0; i < count; ++i) {
    RigidBody body;
    body.name = "sphere";
    body.shape = Shape::sphere(0.25);
    body.pose = at(4 * number(random), 4 + 0.08 * i, 1.5 * number(random));
    scene.bodies.push_back(body);
  }
  return scene;
}

RigidScene terrain_scene(int count) {
  const double half = 25;
  const int across = 20;
  TriangleMesh hills = make_sheet(2 * half, 2 * half, 250, 200);
  for (Eigen::Vector3d& p : hills.positions) p.y() = 0.5 * std::sin(0.7 * p.x()) * std::cos(0.6 * p.z());
  RigidBody floor;
  floor.name = "hills";
  floor.shape = Shape::mesh(hills);
  floor.kind = RigidKind::static_body;
  RigidScene scene{"terrain " + std::to_string(count), {floor}};
  scene.bounds = {Eigen::Vector3d(-half, -1, -half), Eigen::Vector3d(half, 1e9, half)};
  std::mt19937 random(4);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int i = 0; i < count; ++i) {
    RigidBody body;
    body.name = "hull";
    body.shape = random_hull(random, 0.3 + 0.1 * number(random));
    const double x = (i % across + 0.5) / across * 2 - 1;
    const double z = (i / across % across + 0.5) / across * 2 - 1;
    body.pose = at(0.6 * half * x + 0.1 * number(random), 3 + 0.9 * (i / (across * across)),
                   0.6 * half * z + 0.1 * number(random));
    scene.bodies.push_back(body);
  }
  return scene;
}

RigidScene flying_scene(int count) {
  RigidScene scene{"flying " + std::to_string(count), {}};
  scene.bounds = {Eigen::Vector3d::Constant(-1e9), Eigen::Vector3d::Constant(1e9)};
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  const double size = 0.8 * std::cbrt(static_cast<double>(count));
  for (int i = 0; i < count; ++i) {
    RigidBody body = box({0.1, 0.15, 0.2}, at(size * number(random), size * number(random), size * number(random)));
    body.velocity = 2 * Eigen::Vector3d(number(random), number(random), number(random));
    body.angular_velocity = 2 * Eigen::Vector3d(number(random), number(random), number(random));
    scene.bodies.push_back(body);
  }
  return scene;
}

}  // namespace carom::bench
