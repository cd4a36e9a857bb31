#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "carom/query/query.hpp"
#include "carom/world/world.hpp"
#include "scenes/rigid_parts.hpp"

// Plates and balls in a row along a line, with room to move: whatever they do to each other, none changes places.
namespace carom {

/// piston: a scripted plate pushes the row. thrown: three against three. light: light balls between heavy plates.
enum class RowKind { piston, thrown, light };

struct Row {
  World world;
  std::vector<BodyId> ids;
  std::vector<Shape> shapes;
  std::vector<double> thickness;  ///< m, of each body: half of a plate, half of the radius of a ball
  bool closed = true;             ///< no scripted body

  explicit Row(const WorldOptions& options) : world(options) {}

  double along(std::size_t i) const { return world.center_of_mass(ids[i]).z(); }
};

inline Row make_row(RowKind kind, const std::string& response, std::uint32_t seed) {
  scenes::Chance chance(seed);
  const auto power = [&](double low, double high) { return std::pow(10, chance.number(low, high)); };
  WorldOptions options;
  options.dt = chance.integer(0, 1) == 0 ? 1.0 / 60 : 1e-3;
  options.gravity.setZero();
  options.solver.sleep.enabled = false;
  options.response = response;
  options.threads = 1;  // rows of six bodies: threads would wait for each other a hundred times longer than they work
  Row row(options);
  const double restitution = 0.5 * chance.integer(0, 2);
  const double friction = 0.5 * chance.integer(0, 1);
  // Rails take up momentum.
  const bool on_rail = chance.integer(0, 3) == 0;
  row.closed = !on_rail;
  double z = 0;
  const auto add = [&](bool plate, double half, double density, double speed, MotionModel body_kind) {
    RigidBody body;
    body.name = plate ? "plate" : "ball";
    body.shape = plate ? Shape::box({1, 1, half}) : Shape::sphere(half);
    body.motion = body_kind;
    body.density = density;
    body.material.restitution = restitution;
    body.material.friction = friction;
    if (on_rail && body_kind == MotionModel::rigid) {
      body.locked_translation = {true, true, false};
      body.locked_rotation = {true, true, true};
    }
    z += half;
    body.pose.translation().z() = z;
    z += half;
    body.velocity = {0, 0, speed};
    row.ids.push_back(row.world.add(body));
    row.shapes.push_back(body.shape);
    row.thickness.push_back(plate ? half : 0.5 * half);
  };
  const auto gap = [&] { z += power(-3, 0.3); };
  if (kind == RowKind::piston) {
    row.closed = false;
    add(true, power(-2, -1), 1000, power(0.7, 3), MotionModel::scripted);
  }
  const int count = kind == RowKind::piston ? chance.integer(1, 5) : 6;
  for (int i = 0; i < count; ++i) {
    if (i > 0 || kind == RowKind::piston) gap();
    const bool heavy = kind == RowKind::light ? i == 0 || i == count - 1 : chance.integer(0, 1) == 0;
    const double half = heavy ? power(-2, -0.7) : power(-1.5, -0.5);
    const double density = kind == RowKind::light ? (heavy ? 1000 : power(-1, 3)) : power(1, 4);
    const double toward = i < count / 2 ? 1 : -1;
    const double speed = kind == RowKind::piston ? chance.number(-5, 5) : toward * power(0, 3);
    add(heavy, half, density, speed, MotionModel::rigid);
  }
  return row;
}

/// Of a row over its steps.
struct RowCheck {
  std::string failure;     ///< empty if there is none
  double overlap = 0;      ///< the largest, as a part of the thickness of the thinner body
  bool scattered = false;  ///< a body left the line or tilted, and it was not followed to the end
};

/// Steps of a row. No two bodies may change places. Two in a row that overlap by 2 would have: in between, contacts and
/// the slack of slow ones may reach 5/4. A closed row gains no energy (springs only take some) and keeps its momentum.
inline RowCheck run_row(Row& row, int steps) {
  RowCheck check;
  const std::size_t count = row.ids.size();
  const auto kinetic = [&] {
    double sum = 0;
    for (const BodyId id : row.ids) {
      const Eigen::Vector3d w = row.world.angular_velocity(id);
      sum += 0.5 * row.world.mass(id) * row.world.velocity(id).squaredNorm() + 0.5 * w.dot(row.world.inertia(id) * w);
    }
    return sum;
  };
  const auto momentum = [&] {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (const BodyId id : row.ids) sum += row.world.mass(id) * row.world.velocity(id);
    return sum;
  };
  const double energy = row.closed ? kinetic() : 0;
  const Eigen::Vector3d before = row.closed ? momentum() : Eigen::Vector3d::Zero();
  double scale = 0;
  if (row.closed) {
    for (const BodyId id : row.ids) scale += row.world.mass(id) * row.world.velocity(id).norm();
  }
  for (int step = 0; step < steps && check.failure.empty(); ++step) {
    row.world.step();
    const auto fail = [&](const std::string& what) {
      if (check.failure.empty()) check.failure = what + " in step " + std::to_string(step);
    };
    if (row.closed) {
      if (!(kinetic() <= (1 + 1e-9) * energy)) fail("energy x " + std::to_string(kinetic() / energy));
      if (!((momentum() - before).norm() <= 1e-9 * scale)) fail("momentum");
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Eigen::Isometry3d pose = row.world.pose(row.ids[i]);
      const bool plate = row.shapes[i].kind() == ShapeKind::box;
      // Balls pass beside each other when they are off the line by their radii together, of which `thickness` is half.
      const double off_line = pose.translation().head<2>().norm();
      check.scattered |= plate ? off_line > 0.3 || pose.linear()(2, 2) < 0.95 : off_line > 0.5 * row.thickness[i];
    }
    if (check.scattered) return check;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      if (!(row.along(i) < row.along(i + 1))) fail("bodies " + std::to_string(i) + " and the next change places");
      const double distance =
          carom::distance(row.shapes[i], row.world.pose(row.ids[i]), row.shapes[i + 1], row.world.pose(row.ids[i + 1]))
              .distance;
      const double overlap = -distance / std::min(row.thickness[i], row.thickness[i + 1]);
      check.overlap = std::max(check.overlap, overlap);
      if (overlap > 1.25) fail("bodies " + std::to_string(i) + " and the next overlap by " + std::to_string(overlap));
    }
  }
  return check;
}

}  // namespace carom
