#include <fmt/format.h>

#include "carom/io/scene.hpp"
#include "core/check.hpp"
#include "io/scene/scene_mesh.hpp"
#include "io/scene_shapes.hpp"

namespace carom {
namespace {

struct SolidBuilder {
  Shape operator()(const SphereShape& s) const { return Shape::sphere(s.radius); }
  Shape operator()(const BoxShape& s) const { return Shape::box(s.half); }
  Shape operator()(const CapsuleShape& s) const { return Shape::capsule(s.radius, s.half_length); }
  Shape operator()(const CylinderShape& s) const { return Shape::cylinder(s.radius, s.half_length); }
  Shape operator()(const ConeShape& s) const { return Shape::cone(s.radius, s.half_length); }
  Shape operator()(const EllipsoidShape& s) const { return Shape::ellipsoid(s.radii); }
  Shape operator()(const HalfSpaceShape& s) const { return Shape::half_space(s.normal, s.offset); }
  Shape operator()(const HullShape& s) const { return Shape::hull(s.points); }
  Shape operator()(const TriangleShape& s) const { return Shape::triangle(s.a, s.b, s.c); }
  Shape operator()(const MeshShape& s) const { return Shape::mesh(build(s.mesh), {.solid = s.solid}); }
  Shape operator()(const CompoundShape& s) const {
    std::vector<Shape::Part> parts;
    for (const PartSource& part : s.parts) {
      try {
        parts.push_back({with_margin(std::visit(*this, part.shape.shape), part.shape.margin), build(part.pose)});
      } catch (const Error& error) {
        fail(error.code(), "parts[{}]: {}", parts.size(), error.what());
      }
    }
    return Shape::compound(parts);
  }

  static Shape with_margin(const Shape& shape, double margin) {
    return margin == 0 ? shape : shape.with_margin(margin);
  }
};

}  // namespace

Eigen::Isometry3d build(const PoseSource& source) {
  const Transform transform = to_transform({.position = source.position,
                                            .rotation_axis = source.rotation_axis,
                                            .rotation_degrees = source.rotation_degrees});
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = transform.rotation.toRotationMatrix();
  pose.translation() = transform.position;
  return pose;
}

Shape build(const ShapeSource& source) {
  return SolidBuilder::with_margin(std::visit(SolidBuilder{}, source.shape), source.margin);
}

namespace {

Shape build_once(const ShapeSource& source, MeshShapes& meshes) {
  if (!std::holds_alternative<MeshShape>(source.shape)) return build(source);
  const std::string key = to_json(source);
  const auto known = meshes.find(key);
  return known != meshes.end() ? known->second : meshes.emplace(key, build(source)).first->second;
}

}  // namespace

RigidBody build(const RigidSceneBody& body) {
  MeshShapes meshes;
  return build(body, meshes);
}

RigidBody build(const RigidSceneBody& body, MeshShapes& meshes) try {
  RigidBody built = body;
  built.shape = build_once(body.source, meshes);
  built.pose = build(body.placement);
  if (body.field_options) built.field = DistanceField(built.shape, *body.field_options);
  return built;
} catch (const Error& error) {
  fail(error.code(), "body '{}': {}", body.name, error.what());
}

}  // namespace carom
