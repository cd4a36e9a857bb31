#include "bench/broad_scenes.hpp"

#include <cmath>
#include <random>

namespace carom::bench {

namespace {

/// Metres a body has for itself along each axis; the bodies are 0.5 to 1.5 m long.
constexpr double spacing = 1.6;

class Draw {
 public:
  double number(double low, double high) { return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53; }
  Eigen::Vector3d vector(double low, double high) {
    const double x = number(low, high);
    const double y = number(low, high);
    return {x, y, number(low, high)};
  }

 private:
  std::mt19937_64 random_{5};
};

Shape draw_shape(Draw& draw, Bodies bodies, int number) {
  const Eigen::Vector3d half = draw.vector(0.25, 0.75);
  switch (bodies) {
    case Bodies::boxes:
      return Shape::box(half);
    case Bodies::rods:
      return Shape::box({0.1 * half.x(), 0.1 * half.y(), 1.4 * half.z()});
    case Bodies::plates:
      return Shape::box({1.2 * half.x(), 1.2 * half.y(), 0.1 * half.z()});
    case Bodies::balls:
      return Shape::sphere(half.x());
    case Bodies::mixed:
      break;
  }
  if (number % 4 == 0) return Shape::sphere(0.8 * half.x());
  if (number % 4 == 1) return Shape::cylinder(0.7 * half.x(), half.y());
  return Shape::box(half);
}

}  // namespace

std::string_view to_string(Bodies bodies) {
  switch (bodies) {
    case Bodies::mixed:
      return "mixed";
    case Bodies::boxes:
      return "boxes";
    case Bodies::rods:
      return "rods";
    case Bodies::plates:
      return "plates";
    case Bodies::balls:
      return "balls";
  }
  return "";
}

BroadScene::BroadScene(std::size_t count, double speed, Bodies bodies) : speed_(speed) {
  Draw draw;
  edge_ = spacing * std::cbrt(static_cast<double>(count));
  for (int i = 0; i < 64; ++i) shapes_.push_back(draw_shape(draw, bodies, i));
  for (std::size_t i = 0; i < count; ++i) {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translation() = draw.vector(0, edge_);
    const Eigen::Vector3d axis = draw.vector(-1, 1);
    pose.linear() = Eigen::AngleAxisd(draw.number(0, 3), axis.normalized()).toRotationMatrix();
    poses_.push_back(pose);
    // A vector of this box is 0.96 long on average.
    velocity_.push_back(speed / 0.96 * draw.vector(-1, 1));
    spin_.push_back(speed * draw.vector(-1, 1));
  }
  boxes_.resize(count);
  for (std::size_t i = 0; i < count; ++i) bound(i);
}

void BroadScene::bound(std::size_t i) {
  boxes_[i] = shape(i).bounding_box(poses_[i]);
}

void BroadScene::step() {
  if (speed_ == 0) return;
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    Eigen::Isometry3d& pose = poses_[i];
    pose.translation() += velocity_[i];
    for (Eigen::Index k = 0; k < 3; ++k) {
      const double x = pose.translation()[k];
      if ((x < 0 && velocity_[i][k] < 0) || (x > edge_ && velocity_[i][k] > 0)) velocity_[i][k] = -velocity_[i][k];
    }
    const double angle = spin_[i].norm();
    if (angle > 0) pose.linear() = Eigen::AngleAxisd(angle, spin_[i] / angle).toRotationMatrix() * pose.linear();
    bound(i);
  }
}

}  // namespace carom::bench
