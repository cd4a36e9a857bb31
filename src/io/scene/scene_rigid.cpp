#include <fmt/format.h>

#include "carom/io/scene.hpp"
#include "core/check.hpp"
#include "io/scene/scene_mesh.hpp"
#include "io/scene_shapes.hpp"

namespace carom {
namespace {

Eigen::Isometry3d build_pose(const PoseSpec& spec) {
  const Transform transform = to_transform(
      {.position = spec.position, .rotation_axis = spec.rotation_axis, .rotation_degrees = spec.rotation_degrees});
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = transform.rotation.toRotationMatrix();
  pose.translation() = transform.position;
  return pose;
}

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
    for (const PartSpec& part : s.parts) {
      try {
        parts.push_back({with_margin(std::visit(*this, part.shape.shape), part.shape.margin), build_pose(part.pose)});
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

Shape build(const ShapeSpec& spec) {
  return SolidBuilder::with_margin(std::visit(SolidBuilder{}, spec.shape), spec.margin);
}

namespace {

Shape build_once(const ShapeSpec& spec, MeshShapes& meshes) {
  if (!std::holds_alternative<MeshShape>(spec.shape)) return build(spec);
  const std::string key = to_json(spec);
  const auto known = meshes.find(key);
  return known != meshes.end() ? known->second : meshes.emplace(key, build(spec)).first->second;
}

}  // namespace

RigidBody build_rigid(const BodySpec& body) {
  MeshShapes meshes;
  return build_rigid(body, meshes);
}

RigidBody build_rigid(const BodySpec& body, MeshShapes& meshes) try {
  const auto* spec = std::get_if<RigidSpec>(&body.body);
  require(spec != nullptr, ErrorCode::invalid_argument, "not a rigid body");
  require(!body.detection, ErrorCode::unsupported, "detection: rigid bodies are always continuous; leave it out");
  return {.name = body.name,
          .shape = build_once(spec->shape, meshes),
          .pose = build_pose(spec->pose),
          .motion = spec->motion,
          .density = spec->density,
          .mass = spec->mass,
          .velocity = spec->velocity,
          .angular_velocity = spec->angular_velocity,
          .friction = spec->friction,
          .restitution = spec->restitution,
          .torsional_friction = spec->torsional_friction,
          .rolling_friction = spec->rolling_friction,
          .linear_damping = spec->linear_damping,
          .angular_damping = spec->angular_damping,
          .locked_translation = spec->locked_translation,
          .locked_rotation = spec->locked_rotation,
          .filter = body.filter,
          .sleeping_allowed = spec->sleeping_allowed,
          .decomposition = spec->decomposition};
} catch (const Error& error) {
  fail(error.code(), "body '{}': {}", body.name, error.what());
}

}  // namespace carom
