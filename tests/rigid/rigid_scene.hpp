#pragma once

#include <string>
#include <vector>

#include "carom/world/world.hpp"

// Small worlds that several tests use.
namespace carom {

inline Eigen::Isometry3d at(double x, double y, double z) {
  return Eigen::Isometry3d(Eigen::Translation3d(x, y, z));
}

inline RigidBody floor_body(double friction = 0.6) {
  RigidBody body;
  body.name = "floor";
  body.shape = Shape::half_space({0, 1, 0}, 0);
  body.motion = MotionModel::fixed;
  body.material.friction = friction;
  return body;
}

inline RigidBody box_body(const std::string& name, const Eigen::Vector3d& half, const Eigen::Isometry3d& pose) {
  RigidBody body;
  body.name = name;
  body.shape = Shape::box(half);
  body.pose = pose;
  return body;
}

inline RigidBody ball_body(const std::string& name, double radius, const Eigen::Isometry3d& pose) {
  RigidBody body;
  body.name = name;
  body.shape = Shape::sphere(radius);
  body.pose = pose;
  return body;
}

/// Unit boxes, `base` in the lowest row, with gaps beside and none between the rows.
inline std::vector<BodyId> add_pyramid(World& world, int base) {
  std::vector<BodyId> ids;
  for (int row = 0; row < base; ++row) {
    for (int i = 0; i < base - row; ++i) {
      ids.push_back(world.add(box_body("box", {0.5, 0.5, 0.5}, at((i - 0.5 * (base - row)) * 1.05, 0.5 + row, 0))));
    }
  }
  return ids;
}

/// J, kinetic and of height.
inline double energy(const World& world, const std::vector<BodyId>& ids) {
  double sum = 0;
  for (const BodyId id : ids) {
    const Eigen::Vector3d w = world.angular_velocity(id);
    sum += 0.5 * world.mass(id) * world.velocity(id).squaredNorm() + 0.5 * w.dot(world.inertia(id) * w) -
           world.mass(id) * world.options().gravity.dot(world.center_of_mass(id));
  }
  return sum;
}

inline WorldOptions rigid_options(double dt, int threads = 1) {
  WorldOptions options;
  options.dt = dt;
  options.threads = threads;
  options.solver.sleep.enabled = false;
  return options;
}

}  // namespace carom
