#pragma once

#include <random>

#include "carom/io/scene.hpp"

/// What scenes of rigid bodies are put together from.
namespace carom::scenes {

inline PoseSource at(double x, double y, double z) {
  return {.position = {x, y, z}};
}

/// Below y = 0, without end.
inline SceneBody ground() {
  RigidSceneBody body;
  body.source.shape = HalfSpaceShape{};
  body.motion = MotionModel::fixed;
  return {"ground", body};
}

inline RigidSceneBody box(const Eigen::Vector3d& half, const PoseSource& pose, MotionModel kind = MotionModel::rigid) {
  RigidSceneBody body;
  body.source.shape = BoxShape{half};
  body.placement = pose;
  body.motion = kind;
  return body;
}

/// Numbers that look random, the same on every machine: the engine is fixed by the C++ standard, its distributions are
/// not.
class Chance {
 public:
  explicit Chance(std::uint32_t seed) : engine_(seed) {}

  /// In [low, high).
  double number(double low, double high) {
    const std::uint32_t bits = engine_();
    return low + (high - low) * 0x1p-32 * bits;
  }
  int integer(int smallest, int largest) { return smallest + static_cast<int>(number(0, largest - smallest + 1)); }
  Eigen::Vector3d in_cube(double half) {
    const double x = number(-half, half);
    const double y = number(-half, half);
    return {x, y, number(-half, half)};
  }
  /// Of unit length, all directions alike.
  Eigen::Vector3d direction() {
    for (;;) {
      const Eigen::Vector3d p = in_cube(1);
      if (p.squaredNorm() <= 1 && p.squaredNorm() > 0.01) return p.normalized();
    }
  }

 private:
  std::mt19937 engine_;
};

/// Of 12 to 24 corners on a ball.
HullShape random_hull(Chance& chance, double radius);

}  // namespace carom::scenes
