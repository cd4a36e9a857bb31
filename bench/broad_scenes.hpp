#pragma once

#include <Eigen/Geometry>
#include <string_view>
#include <vector>

#include "carom/shape/shape.hpp"

namespace carom::bench {

enum class Bodies { mixed, boxes, rods, plates, balls };
std::string_view to_string(Bodies bodies);

/// Bodies of different sizes that fly through a room, turn, and come back from its walls; so many that
/// each overlaps one or two others by its bounds.
class BroadScene {
 public:
  /// `speed`: mean way in a step, in sizes of a body.
  BroadScene(std::size_t count, double speed, Bodies bodies = Bodies::mixed);

  std::size_t size() const { return poses_.size(); }
  void step();

  const Shape& shape(std::size_t i) const { return shapes_[i % shapes_.size()]; }
  const Eigen::Isometry3d& pose(std::size_t i) const { return poses_[i]; }
  const std::vector<AxisBox>& boxes() const { return boxes_; }

 private:
  void bound(std::size_t i);

  double edge_;
  double speed_;
  std::vector<Shape> shapes_;
  std::vector<Eigen::Isometry3d> poses_;
  std::vector<Eigen::Vector3d> velocity_;
  std::vector<Eigen::Vector3d> spin_;  // axis times angle in a step
  std::vector<AxisBox> boxes_;
};

}  // namespace carom::bench
