#include <Eigen/Eigenvalues>
#include <cmath>

#include "core/check.hpp"
#include "geometry/check_pose.hpp"
#include "shapes/enclosing_sphere.hpp"
#include "shapes/shape_data.hpp"
#include "shapes/surface_moments.hpp"

namespace carom {
namespace {

/// Where the shape begins and ends along an axis of the world.
std::pair<double, double> extent(const Shape& shape, const Eigen::Isometry3d& pose, const Eigen::Vector3d& axis) {
  const Eigen::Vector3d d = pose.linear().transpose() * axis;
  const double origin = axis.dot(pose.translation());
  return {d.dot(shape.support(-d)) + origin, d.dot(shape.support(d)) + origin};
}

template <int K>
Dop<K> dop(const Shape& shape, const Eigen::Isometry3d& pose) {
  Dop<K> result;
  for (std::size_t i = 0; i < K / 2; ++i) {
    std::tie(result.low[i], result.high[i]) = extent(shape, pose, dop_axes()[i]);
  }
  return result;
}

/// Box of a mesh that is not turned, in one pass: the same numbers as by support points, in a sixth of the time.
AxisBox box_of_corners(const TriangleMesh& mesh, double margin, const Eigen::Vector3d& translation) {
  AxisBox box{Eigen::Vector3d::Constant(INFINITY), Eigen::Vector3d::Constant(-INFINITY)};
  for (const Triangle& t : mesh.triangles) {
    for (const Index i : t) {
      const Eigen::Vector3d& p = mesh.positions[static_cast<std::size_t>(i)];
      box.min = box.min.cwiseMin(p);
      box.max = box.max.cwiseMax(p);
    }
  }
  const Eigen::Vector3d around = Eigen::Vector3d::Constant(margin);
  return {(box.min - around) + translation, (box.max + around) + translation};
}

void check_bounded(const Shape& shape, const char* what) {
  require(shape.kind() != ShapeKind::half_space, ErrorCode::invalid_argument, "a half-space has no {}", what);
}

}  // namespace

std::span<const Eigen::Vector3d, 13> dop_axes() {
  static const std::array<Eigen::Vector3d, 13> axes{{{1, 0, 0},
                                                     {0, 1, 0},
                                                     {0, 0, 1},
                                                     {1, 1, 0},
                                                     {1, 0, 1},
                                                     {0, 1, 1},
                                                     {1, -1, 0},
                                                     {1, 0, -1},
                                                     {0, 1, -1},
                                                     {1, 1, 1},
                                                     {1, 1, -1},
                                                     {1, -1, 1},
                                                     {-1, 1, 1}}};
  return axes;
}

BoundingSphere Shape::bounding_sphere() const {
  check_bounded(*this, "bounding sphere");
  const Eigen::Vector3d size = math::to_eigen(data_->core.size);
  const double radius = data_->core.radius;
  switch (data_->kind) {
    case ShapeKind::sphere:
    case ShapeKind::capsule:
    case ShapeKind::box:
    case ShapeKind::cylinder:
      return {Eigen::Vector3d::Zero(), size.norm() + radius};
    case ShapeKind::ellipsoid:
      return {Eigen::Vector3d::Zero(), size.maxCoeff() + radius};
    case ShapeKind::cone: {
      // Through the apex and the rim, unless the base alone asks for more.
      const double h = 2 * size.z();
      if (size.x() >= h) return {{0, 0, -size.z()}, size.x() + radius};
      const double r = (h * h + size.x() * size.x()) / (2 * h);
      return {{0, 0, size.z() - r}, r + radius};
    }
    case ShapeKind::hull:
    case ShapeKind::triangle: {
      BoundingSphere sphere = shapes::enclosing_sphere(data_->hull->points);
      sphere.radius += radius;
      return sphere;
    }
    case ShapeKind::mesh: {
      std::vector<Eigen::Vector3d> used;
      for (const Triangle& t : data_->mesh->mesh.triangles) {
        for (const Index i : t) used.push_back(data_->mesh->mesh.positions[static_cast<std::size_t>(i)]);
      }
      BoundingSphere sphere = shapes::enclosing_sphere(used);
      sphere.radius += data_->margin;
      return sphere;
    }
    default:
      break;
  }
  // A compound: round the middle of its box, large enough for the sphere of each part.
  const AxisBox box = bounding_box(Eigen::Isometry3d::Identity());
  BoundingSphere sphere{0.5 * (box.min + box.max), 0};
  for (const Part& part : data_->parts) {
    const BoundingSphere s = part.shape.bounding_sphere();
    sphere.radius = std::max(sphere.radius, (part.pose * s.center - sphere.center).norm() + s.radius);
  }
  return sphere;
}

AxisBox Shape::bounding_box(const Eigen::Isometry3d& pose) const {
  check_bounded(*this, "bounding box");
  check_pose(pose, "bounding_box", "pose");
  if (kind() == ShapeKind::mesh && pose.linear() == Eigen::Matrix3d::Identity()) {
    return box_of_corners(data_->mesh->mesh, data_->margin, pose.translation());
  }
  AxisBox box;
  for (Eigen::Index k = 0; k < 3; ++k) {
    std::tie(box.min[k], box.max[k]) = extent(*this, pose, Eigen::Vector3d::Unit(k));
  }
  return box;
}

Dop<18> Shape::dop18(const Eigen::Isometry3d& pose) const {
  check_bounded(*this, "18-DOP");
  check_pose(pose, "dop18", "pose");
  return dop<18>(*this, pose);
}

Dop<26> Shape::dop26(const Eigen::Isometry3d& pose) const {
  check_bounded(*this, "26-DOP");
  check_pose(pose, "dop26", "pose");
  return dop<26>(*this, pose);
}

OrientedBox Shape::oriented_box(const Eigen::Isometry3d& pose) const {
  check_bounded(*this, "oriented box");
  check_pose(pose, "oriented_box", "pose");
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(shapes::surface_covariance(*this));
  Eigen::Matrix3d axes = solver.eigenvectors();
  if (!axes.allFinite()) axes.setIdentity();
  axes.col(2) = axes.col(0).cross(axes.col(1));
  Eigen::Isometry3d frame = Eigen::Isometry3d::Identity();
  frame.linear() = axes;
  // In the frame of the axes the box is an ordinary one.
  const AxisBox box = bounding_box(frame.inverse());
  frame.translation() = axes * (0.5 * (box.min + box.max));
  return {pose * frame, 0.5 * (box.max - box.min)};
}

}  // namespace carom
