#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <variant>
#include <vector>

#include "carom/io/mesh_source.hpp"
#include "carom/shape/shape.hpp"

/// Shapes as data: how they are made, as scene files have them.
namespace carom {

/// Solids, with the words and frames of the makers of Shape.
struct SphereShape {
  double radius = 0.5;
};
struct BoxShape {
  Eigen::Vector3d half{0.5, 0.5, 0.5};
};
struct CapsuleShape {
  double radius = 0.25;
  double half_length = 0.5;
};
struct CylinderShape {
  double radius = 0.5;
  double half_length = 0.5;
};
struct ConeShape {
  double radius = 0.5;
  double half_length = 0.5;
};
struct EllipsoidShape {
  Eigen::Vector3d radii{0.5, 0.5, 0.5};
};
struct HalfSpaceShape {
  Eigen::Vector3d normal{0, 1, 0};
  double offset = 0;
};
struct HullShape {
  std::vector<Eigen::Vector3d> points;
};
struct TriangleShape {
  Eigen::Vector3d a{0, 0, 0};
  Eigen::Vector3d b{1, 0, 0};
  Eigen::Vector3d c{0, 0, -1};
};
struct MeshShape {
  MeshSource mesh;
  MeshSolid solid = MeshSolid::by_normals;
};

/// Pose as data, a place and a turn: applied as rotation, then position.
struct PoseSource {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();        ///< m
  Eigen::Vector3d rotation_axis = Eigen::Vector3d::UnitY();  ///< any length but zero
  double rotation_degrees = 0;
};

/// Convex shape as data, a part of a compound.
struct ConvexSource {
  std::variant<SphereShape, BoxShape, CapsuleShape, CylinderShape, ConeShape, EllipsoidShape, HalfSpaceShape, HullShape,
               TriangleShape>
      shape;
  double margin = 0;  ///< m, see Shape
};
struct PartSource {
  ConvexSource shape;
  PoseSource pose;  ///< in the frame of the compound
};
struct CompoundShape {
  std::vector<PartSource> parts;
};

/// Shape as data: what makes it.
struct ShapeSource {
  std::variant<SphereShape, BoxShape, CapsuleShape, CylinderShape, ConeShape, EllipsoidShape, HalfSpaceShape, HullShape,
               TriangleShape, MeshShape, CompoundShape>
      shape;
  double margin = 0;  ///< m, see Shape
};

/// Shape and pose of a source. Each throws Error that names the field.
Shape build(const ShapeSource& source);
Eigen::Isometry3d build(const PoseSource& source);

}  // namespace carom
