#pragma once

#include <memory>
#include <string_view>

#include "carom/shape/shape.hpp"

namespace carom::bench {

/// Someone who answers queries on pairs of meshes and convex shapes.
class MeshPeer {
 public:
  virtual ~MeshPeer() = default;
  virtual std::string_view name() const = 0;
  /// A mesh, a box or a hull; numbered as they come.
  virtual void add(const Shape& shape) = 0;
  virtual bool collide(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) = 0;
  virtual double distance(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) = 0;
  /// How many pairs of triangles meet.
  virtual double contacts(int a, const Eigen::Isometry3d& pose_a, int b, const Eigen::Isometry3d& pose_b) = 0;
};

std::unique_ptr<MeshPeer> make_mesh_carom();
std::unique_ptr<MeshPeer> make_mesh_fcl();

}  // namespace carom::bench
