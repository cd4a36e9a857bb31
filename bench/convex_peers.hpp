#pragma once

#include <Eigen/Geometry>
#include <memory>
#include <string_view>

#include "carom/shape/shape.hpp"

/// Libraries that answer questions about two convex shapes, each by the same three calls.
namespace carom::bench {

class ConvexPeer {
 public:
  virtual ~ConvexPeer() = default;
  virtual std::string_view name() const = 0;
  /// A hull or a box; shapes are numbered as they come.
  virtual void add(const Shape& shape) = 0;
  virtual bool collide(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) = 0;
  /// Where they are apart.
  virtual double distance(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) = 0;
  /// Where they overlap.
  virtual double depth(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) = 0;
};

std::unique_ptr<ConvexPeer> make_convex_carom();
std::unique_ptr<ConvexPeer> make_convex_fcl();
std::unique_ptr<ConvexPeer> make_convex_bullet();

}  // namespace carom::bench
