#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bodies/rigid_limits.hpp"
#include "carom/detect/detect.hpp"
#include "carom/io/mesh_read_options.hpp"
#include "carom/io/scene.hpp"
#include "core/parallel.hpp"
#include "decomposition/limits.hpp"
#include "field/limits.hpp"
#include "io/json/json_field.hpp"
#include "io/scene/scene_cloth_fields.hpp"
#include "io/scene/scene_rotation.hpp"
#include "io/scene/scene_soft_fields.hpp"
#include "world/option_fields.hpp"

/// The fields of a scene file: each with its name, where its value lives, and what it may be. The
/// reader, the writer and the test of the schema are visitors of this one description, so that
/// they cannot disagree.
namespace carom {

/// Names of the alternatives of SceneBody, in their order; the first four are those of MotionModel.
inline constexpr std::array<std::string_view, 6> motion_names{"fixed", "scripted", "particles",
                                                              "rigid", "cloth",    "soft"};
/// Number of a body's kind in `motion_names`.
inline std::size_t kind_of(const SceneBody::Description& body) {
  const auto* rigid = std::get_if<RigidSceneBody>(&body);
  return rigid != nullptr ? static_cast<std::size_t>(rigid->motion) : body.index();
}
/// Names of MeshSolid.
inline constexpr std::array<std::string_view, 3> mesh_solid_names{"by_normals", "inside", "surface"};
/// Names of the alternatives of ShapeSource; the first of them are those of ConvexSource.
inline constexpr std::array<std::string_view, 11> shape_names{
    "sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "half_space", "hull", "triangle", "mesh", "compound"};
inline constexpr std::span<const std::string_view> convex_names = std::span(shape_names).first(9);
inline constexpr std::array<std::string_view, 11> generator_names{
    "box", "icosphere", "torus", "trefoil", "sheet", "roll", "extrusion", "revolution", "ribbon", "figure", "shirt"};

template <class V>
void describe(V& v, BoxSource& box) {
  v.vector("size", box.size, Presence::shown, Sign::positive);
  v.integer("segments", box.segments, Presence::shown, {.min = 1});
}

template <class V>
void describe(V& v, IcosphereSource& sphere) {
  v.number("radius", sphere.radius, Presence::shown, Sign::positive);
  v.integer("subdivisions", sphere.subdivisions, Presence::shown, {.min = 0});
}

template <class V>
void describe(V& v, TorusSource& torus) {
  v.number("radius", torus.radius, Presence::shown, Sign::positive);
  v.number("tube_radius", torus.tube_radius, Presence::shown, Sign::positive);
  v.integer("around", torus.around, Presence::shown, {.min = 3});
  v.integer("across", torus.across, Presence::shown, {.min = 3});
}

template <class V>
void describe(V& v, TrefoilSource& knot) {
  v.number("radius", knot.radius, Presence::shown, Sign::positive);
  v.number("height", knot.height, Presence::shown, Sign::not_negative);
  v.number("tube_radius", knot.tube_radius, Presence::shown, Sign::positive);
  v.integer("along", knot.along, Presence::shown, {.min = 3});
  v.integer("across", knot.across, Presence::shown, {.min = 3});
}

template <class V>
void describe(V& v, SheetSource& sheet) {
  v.number("size_x", sheet.size_x, Presence::shown, Sign::positive);
  v.number("size_z", sheet.size_z, Presence::shown, Sign::positive);
  v.integer("segments_x", sheet.segments_x, Presence::shown, {.min = 1});
  v.integer("segments_z", sheet.segments_z, Presence::shown, {.min = 1});
}

template <class V>
void describe(V& v, RollSource& roll) {
  v.number("inner_radius", roll.inner_radius, Presence::shown, Sign::positive);
  v.number("gap", roll.gap, Presence::shown, Sign::positive);
  v.number("turns", roll.turns, Presence::shown, Sign::positive);
  v.number("width", roll.width, Presence::shown, Sign::positive);
  v.integer("along", roll.along, Presence::shown, {.min = 1});
  v.integer("across", roll.across, Presence::shown, {.min = 1});
}

template <class V>
void describe(V& v, ExtrusionSource& extrusion) {
  v.polygon("outline", extrusion.outline);
  v.number("length", extrusion.length, Presence::shown, Sign::positive);
}

template <class V>
void describe(V& v, RevolutionSource& revolution) {
  v.polygon("profile", revolution.profile);
  v.integer("around", revolution.around, Presence::shown, {.min = 3});
}

template <class V>
void describe(V& v, RibbonSource& ribbon) {
  v.points("path", ribbon.path);
  v.number("width", ribbon.width, Presence::shown, Sign::positive);
  v.integer("along", ribbon.along, Presence::shown, {.min = 1});
  v.integer("across", ribbon.across, Presence::shown, {.min = 1});
}

template <class V>
void describe(V& v, FigureSource& figure) {
  v.number("height", figure.height, Presence::shown, Sign::positive);
  v.integer("around", figure.around, Presence::shown, {.min = 8});
}

template <class V>
void describe(V& v, ShirtSource& shirt) {
  v.number("width", shirt.width, Presence::shown, Sign::positive);
  v.number("length", shirt.length, Presence::shown, Sign::positive);
  v.number("sleeve_length", shirt.sleeve_length, Presence::shown, Sign::positive);
  v.number("sleeve_width", shirt.sleeve_width, Presence::shown, Sign::positive);
  v.number("neck_width", shirt.neck_width, Presence::shown, Sign::positive);
  v.number("neck_depth", shirt.neck_depth, Presence::shown, Sign::positive);
  v.number("distance", shirt.distance, Presence::shown, Sign::positive);
  v.number("edge", shirt.edge, Presence::shown, Sign::positive);
}

template <class V>
void describe(V& v, Dent& dent) {
  v.vector("center", dent.center, Presence::required, Sign::any);
  v.direction("direction", dent.direction, Presence::required);
  v.number("radius", dent.radius, Presence::required, Sign::positive);
  v.number("depth", dent.depth, Presence::required, Sign::any);
}

template <class V>
void describe(V& v, AxisRotation& rotation) {
  v.direction("axis", rotation.axis, Presence::required);
  v.number("degrees", rotation.degrees, Presence::required, Sign::any);
}

template <class V>
void describe(V& v, QuaternionRotation& rotation) {
  v.quaternion("quaternion", rotation.quaternion);
}

template <class V>
void describe(V& v, EulerRotation& rotation) {
  v.vector("euler_degrees", rotation.euler_degrees, Presence::required, Sign::any);
  v.choice("order", rotation.order, euler_order_names, Presence::quiet);
}

/// Fields that a Placement and a PoseSource have in common.
template <class V, class Posed>
void describe_pose(V& v, Posed& pose) {
  v.vector("position", pose.position, Presence::quiet, Sign::any);
  v.rotation("rotation", pose.rotation_axis, pose.rotation_degrees);
}

template <class V>
void describe(V& v, Placement& placement) {
  describe_pose(v, placement);
  v.scale("scale", placement.scale);
}

/// Besides its path, which takes the place of the generator's name.
template <class V>
void describe(V& v, FileSource& file) {
  v.name_of("up", file.up, mesh_up_names(), Presence::quiet);
  v.name_of("unit", file.unit, mesh_unit_names(), Presence::quiet);
}

template <class V>
void describe(V& v, MeshSource& mesh) {
  v.shape("generator", generator_names, "file", mesh.shape);
  v.list("dents", mesh.dents, Presence::quiet);
  describe(v, mesh.placement);
}

template <class V>
void describe(V& v, FieldOptions& field) {
  v.number("tolerance", field.tolerance, Presence::quiet, Sign{.min = min_field_tolerance, .max = max_field_tolerance});
  v.number("band", field.band, Presence::quiet, Sign{.min = 0, .max = max_field_band});
  v.number("far_error", field.far_error, Presence::quiet, Sign{.min = 0, .max = 1});
}

template <class V>
void describe(V& v, FixedSceneBody& body) {
  v.object("mesh", body.source, Presence::required);
  v.flag("cuttable", body.cuttable, Presence::quiet);
  v.number("fracture_energy", body.fracture_energy, Presence::quiet, Sign::not_negative);
  describe(v, body.material);
  v.optional_object("field", body.field);
}

template <class V>
void describe(V& v, Keyframe& key) {
  v.number("time", key.time, Presence::required, Sign::any);
  describe(v, key.placement);
  v.number("morph", key.morph, Presence::quiet, Sign::any);
}

template <class V>
void describe(V& v, AnimationOptions& animation) {
  v.text("name", animation.name, Presence::quiet);
  v.flag("loop", animation.loop, Presence::quiet);
  v.number("speed", animation.speed, Presence::quiet, Sign::positive);
  v.number("frame_time", animation.frame_time, Presence::quiet, Sign::positive);
}

template <class V>
void describe(V& v, ScriptedSceneBody& body) {
  v.object("mesh", body.source, Presence::required);
  v.optional_object("morph_target", body.morph_target);
  v.optional_object("animation", body.animation);
  v.list("keyframes", body.keyframes, Presence::quiet);
  v.optional_object("blade", body.blade);
  v.flag("cuttable", body.cuttable, Presence::quiet);
  v.number("fracture_energy", body.fracture_energy, Presence::quiet, Sign::not_negative);
  describe(v, body.material);
  v.optional_object("field", body.field);
}

template <class V>
void describe(V& v, ParticleSceneBody& body) {
  v.object("mesh", body.source, Presence::required);
  v.number("mass", body.mass, Presence::shown, Sign::positive);
  v.number("stretch_stiffness", body.stretch_stiffness, Presence::shown, Sign::not_negative);
  v.number("bend_stiffness", body.bend_stiffness, Presence::shown, Sign::not_negative);
  v.number("spring_damping", body.spring_damping, Presence::shown, Sign::not_negative);
  v.number("air_damping", body.air_damping, Presence::shown, Sign::not_negative);
  v.indices("pinned", body.pinned, Presence::quiet);
  v.vector("velocity", body.velocity, Presence::quiet, Sign::any);
  v.number("pressure", body.pressure, Presence::quiet, Sign::not_negative);
  v.number("fracture_energy", body.fracture_energy, Presence::quiet, Sign::not_negative);
  v.number("importance", body.importance, Presence::quiet, Sign::not_negative);
  v.flag("sleeping_allowed", body.sleeping_allowed, Presence::quiet);
  describe(v, body.material);
}

template <class V>
void describe(V& v, SphereShape& sphere) {
  v.number("radius", sphere.radius, Presence::required, Sign::positive);
}

template <class V>
void describe(V& v, BoxShape& box) {
  v.vector("half", box.half, Presence::required, Sign::positive);
}

template <class V, class Round>
void describe_round(V& v, Round& shape) {
  v.number("radius", shape.radius, Presence::required, Sign::positive);
  v.number("half_length", shape.half_length, Presence::required, Sign::positive);
}
template <class V>
void describe(V& v, CapsuleShape& capsule) {
  describe_round(v, capsule);
}
template <class V>
void describe(V& v, CylinderShape& cylinder) {
  describe_round(v, cylinder);
}
template <class V>
void describe(V& v, ConeShape& cone) {
  describe_round(v, cone);
}

template <class V>
void describe(V& v, EllipsoidShape& ellipsoid) {
  v.vector("radii", ellipsoid.radii, Presence::required, Sign::positive);
}

template <class V>
void describe(V& v, HalfSpaceShape& half_space) {
  v.direction("normal", half_space.normal, Presence::shown);
  v.number("offset", half_space.offset, Presence::shown, Sign::any);
}

template <class V>
void describe(V& v, HullShape& hull) {
  v.points("points", hull.points);
}

template <class V>
void describe(V& v, TriangleShape& triangle) {
  v.vector("a", triangle.a, Presence::required, Sign::any);
  v.vector("b", triangle.b, Presence::required, Sign::any);
  v.vector("c", triangle.c, Presence::required, Sign::any);
}

template <class V>
void describe(V& v, MeshShape& shape) {
  v.object("mesh", shape.mesh, Presence::required);
  v.choice("solid", shape.solid, mesh_solid_names, Presence::quiet);
}

template <class V>
void describe(V& v, ConvexSource& convex) {
  v.kind("kind", convex_names, convex.shape);
  v.number("margin", convex.margin, Presence::quiet, Sign::not_negative);
}

template <class V>
void describe(V& v, PartSource& part) {
  v.object("shape", part.shape, Presence::required);
  describe_pose(v, part.pose);
}

template <class V>
void describe(V& v, CompoundShape& compound) {
  v.list("parts", compound.parts, Presence::required);
}

template <class V>
void describe(V& v, ShapeSource& shape) {
  v.kind("kind", shape_names, shape.shape);
  v.number("margin", shape.margin, Presence::quiet, Sign::not_negative);
}

template <class V>
void describe(V& v, MassOverride& given) {
  v.number("mass", given.mass, Presence::required, Sign::positive);
  v.vector("center", given.center, Presence::quiet, Sign::any);
  v.matrix("inertia", given.inertia, Presence::required);
}

template <class V>
void describe(V& v, DecomposeOptions& decomposition) {
  v.number("tolerance", decomposition.tolerance, Presence::quiet,
           Sign{.min = min_decompose_tolerance, .max = max_decompose_tolerance});
  v.integer("max_parts", decomposition.max_parts, Presence::quiet, {.min = 1, .max = max_decompose_parts});
}

template <class V>
void describe(V& v, RigidSceneBody& body) {
  v.object("shape", body.source, Presence::required);
  describe_pose(v, body.placement);
  v.number("density", body.density, Presence::quiet, Sign::positive);
  v.mass("mass", body.mass);
  v.vector("velocity", body.velocity, Presence::quiet, Sign::any);
  v.vector("angular_velocity", body.angular_velocity, Presence::quiet, Sign::any);
  describe(v, body.material);
  v.optional_object("blade", body.blade);
  v.number("torsional_friction", body.torsional_friction, Presence::quiet, Sign::not_negative);
  v.number("rolling_friction", body.rolling_friction, Presence::quiet, Sign::not_negative);
  v.number("linear_damping", body.linear_damping, Presence::quiet, Sign::not_negative);
  v.number("angular_damping", body.angular_damping, Presence::quiet, Sign::not_negative);
  v.flags("locked_translation", body.locked_translation, Presence::quiet);
  v.flags("locked_rotation", body.locked_rotation, Presence::quiet);
  v.flag("sleeping_allowed", body.sleeping_allowed, Presence::quiet);
  v.object("decomposition", body.decomposition, Presence::quiet);
  v.optional_object("field", body.field_options);
}

template <class V>
void describe(V& v, CollisionFilter& filter) {
  v.bits("group", filter.group, Presence::quiet);
  v.bits("mask", filter.mask, Presence::quiet);
}

template <class V>
void describe(V& v, SceneBody& body) {
  std::string name = body.name();
  v.name("name", name);
  v.body_kind("kind", body.body);
  body.name() = std::move(name);
  describe(v, body.filter());
  // Rigid bodies do not pass through each other, with no flag to set.
  std::visit(
      [&](auto& description) {
        if constexpr (requires { description.detection; })
          v.optional_choice("detection", description.detection, detection_names);
      },
      body.body);
}

template <class V>
void describe(V& v, SceneBounds& box) {
  v.vector("min", box.min, Presence::required, Sign::any);
  v.vector("max", box.max, Presence::required, Sign::any);
}

template <class V>
void describe(V& v, Scene& scene) {
  v.ignored("$schema");  // for editors
  v.name("name", scene.name);
  v.text("description", scene.description, Presence::quiet);
  v.integer("steps", scene.steps, Presence::shown, {.min = 0});
  v.number("dt", scene.world.dt, Presence::shown, Sign::positive);
  v.vector("gravity", scene.world.gravity, Presence::shown, Sign::any);
  v.integer("threads", scene.world.threads, Presence::quiet, {.min = 0, .max = max_threads});
  v.number("time_budget", scene.world.time_budget, Presence::quiet, Sign::not_negative);
  v.number("inner_step_cost", scene.world.inner_step_cost, Presence::quiet, Sign::not_negative);
  v.name_of("method", scene.world.method, detect_methods(), Presence::quiet);
  v.integer("sphere_depth", scene.world.sphere_depth, Presence::quiet, {.min = 1, .max = 32});
  v.choice("detection", scene.world.detection, detection_names, Presence::quiet);
  v.object("contact", scene.world.contact, Presence::shown);
  v.name_of("response", scene.world.response, response_names(), Presence::quiet);
  v.object("solver", scene.world.solver, Presence::quiet);
  v.list("bodies", scene.bodies, Presence::required);
  v.body_pairs("excluded_bodies", scene.excluded_bodies, scene.bodies, Presence::quiet);
  v.body_pairs("continuous_pairs", scene.continuous_pairs, scene.bodies, Presence::quiet);
  v.body_pairs("discrete_pairs", scene.discrete_pairs, scene.bodies, Presence::quiet);
  v.list("attachments", scene.attachments, Presence::quiet);
  v.list("seams", scene.seams, Presence::quiet);
  v.optional_object("bounds", scene.bounds);
}

}  // namespace carom
