#pragma once

#include <array>
#include <string_view>

#include "carom/detect.hpp"
#include "carom/scene.hpp"
#include "io/json_field.hpp"

/// The fields of a scene file: each with its name, where its value lives, and what it may be. The
/// reader, the writer and the test of the schema are visitors of this one description, so that
/// they cannot disagree.
namespace carom {

enum class Presence {
  required,  ///< an error if missing
  shown,     ///< has a default, but is always written
  quiet,     ///< not written while at its default
};

inline constexpr std::array<std::string_view, 3> body_kind_names{"static", "kinematic", "particles"};
inline constexpr std::array<std::string_view, 6> generator_names{"box",     "icosphere", "torus",
                                                                 "trefoil", "sheet",     "roll"};
inline constexpr std::array<std::string_view, 2> detection_names{"discrete", "continuous"};
inline constexpr std::array<std::string_view, 3> pair_scope_names{"between", "self", "all"};

template <class V>
void describe(V& v, BoxSource& box) {
  v.vector("size", box.size, Presence::shown, Sign::positive);
  v.integer("segments", box.segments, Presence::shown, {.least = 1});
}

template <class V>
void describe(V& v, IcosphereSource& sphere) {
  v.number("radius", sphere.radius, Presence::shown, Sign::positive);
  v.integer("subdivisions", sphere.subdivisions, Presence::shown, {.least = 0});
}

template <class V>
void describe(V& v, TorusSource& torus) {
  v.number("radius", torus.radius, Presence::shown, Sign::positive);
  v.number("tube_radius", torus.tube_radius, Presence::shown, Sign::positive);
  v.integer("around", torus.around, Presence::shown, {.least = 3});
  v.integer("across", torus.across, Presence::shown, {.least = 3});
}

template <class V>
void describe(V& v, TrefoilSource& knot) {
  v.number("radius", knot.radius, Presence::shown, Sign::positive);
  v.number("height", knot.height, Presence::shown, Sign::not_negative);
  v.number("tube_radius", knot.tube_radius, Presence::shown, Sign::positive);
  v.integer("along", knot.along, Presence::shown, {.least = 3});
  v.integer("across", knot.across, Presence::shown, {.least = 3});
}

template <class V>
void describe(V& v, SheetSource& sheet) {
  v.number("size_x", sheet.size_x, Presence::shown, Sign::positive);
  v.number("size_z", sheet.size_z, Presence::shown, Sign::positive);
  v.integer("segments_x", sheet.segments_x, Presence::shown, {.least = 1});
  v.integer("segments_z", sheet.segments_z, Presence::shown, {.least = 1});
}

template <class V>
void describe(V& v, RollSource& roll) {
  v.number("inner_radius", roll.inner_radius, Presence::shown, Sign::positive);
  v.number("gap", roll.gap, Presence::shown, Sign::positive);
  v.number("turns", roll.turns, Presence::shown, Sign::positive);
  v.number("width", roll.width, Presence::shown, Sign::positive);
  v.integer("along", roll.along, Presence::shown, {.least = 1});
  v.integer("across", roll.across, Presence::shown, {.least = 1});
}

template <class V>
void describe(V& v, Dent& dent) {
  v.vector("centre", dent.centre, Presence::required, Sign::any);
  v.direction("direction", dent.direction, Presence::required);
  v.number("radius", dent.radius, Presence::required, Sign::positive);
  v.number("depth", dent.depth, Presence::required, Sign::any);
}

template <class V>
void describe(V& v, Placement& placement) {
  v.vector("position", placement.position, Presence::quiet, Sign::any);
  v.group("rotation", Presence::quiet, [&placement](V& rotation) {
    rotation.direction("axis", placement.rotation_axis, Presence::required);
    rotation.number("degrees", placement.rotation_degrees, Presence::required, Sign::any);
  });
  v.vector("scale", placement.scale, Presence::quiet, Sign::positive);
}

template <class V>
void describe(V& v, MeshSource& mesh) {
  v.shape("generator", generator_names, "file", mesh.shape);
  v.list("dents", mesh.dents, Presence::quiet);
  describe(v, mesh.placement);
}

template <class V>
void describe(V& v, StaticSpec& body) {
  v.object("mesh", body.mesh, Presence::required);
}

template <class V>
void describe(V& v, Keyframe& key) {
  v.number("time", key.time, Presence::required, Sign::any);
  describe(v, key.placement);
  v.number("morph", key.morph, Presence::quiet, Sign::any);
}

template <class V>
void describe(V& v, KinematicSpec& body) {
  v.object("mesh", body.mesh, Presence::required);
  v.optional_object("morph_target", body.morph_target);
  v.list("keyframes", body.keyframes, Presence::quiet);
}

template <class V>
void describe(V& v, ParticleSpec& body) {
  v.object("mesh", body.mesh, Presence::required);
  v.number("mass", body.mass, Presence::shown, Sign::positive);
  v.number("stretch_stiffness", body.stretch_stiffness, Presence::shown, Sign::not_negative);
  v.number("bend_stiffness", body.bend_stiffness, Presence::shown, Sign::not_negative);
  v.number("spring_damping", body.spring_damping, Presence::shown, Sign::not_negative);
  v.number("air_damping", body.air_damping, Presence::shown, Sign::not_negative);
  v.indices("pinned", body.pinned, Presence::quiet);
  v.vector("velocity", body.velocity, Presence::quiet, Sign::any);
}

template <class V>
void describe(V& v, BodySpec& body) {
  v.text("name", body.name, Presence::required);
  v.kind("kind", body_kind_names, body.body);
  v.bits("group", body.group, Presence::quiet);
  v.bits("mask", body.mask, Presence::quiet);
  v.optional_choice("detection", body.detection, detection_names);
}

template <class V>
void describe(V& v, ContactOptions& contact) {
  v.number("distance", contact.distance, Presence::shown, Sign::positive);
  v.number("stiffness", contact.stiffness, Presence::shown, Sign::not_negative);
  v.number("damping", contact.damping, Presence::shown, Sign::not_negative);
  v.choice("pairs", contact.pairs, pair_scope_names, Presence::shown);
  v.number("surface_factor", contact.surface_factor, Presence::quiet, Sign::not_negative);
}

template <class V>
void describe(V& v, Scene& scene) {
  v.ignored("$schema");  // for editors
  v.text("name", scene.name, Presence::required);
  v.text("description", scene.description, Presence::quiet);
  v.integer("steps", scene.steps, Presence::shown, {.least = 0});
  v.number("dt", scene.world.dt, Presence::shown, Sign::positive);
  v.vector("gravity", scene.world.gravity, Presence::shown, Sign::any);
  v.integer("threads", scene.world.threads, Presence::quiet, {.least = 0});
  v.name_of("method", scene.world.method, detect_methods(), Presence::quiet);
  v.choice("detection", scene.world.detection, detection_names, Presence::quiet);
  v.object("contact", scene.world.contact, Presence::shown);
  v.list("bodies", scene.bodies, Presence::required);
  v.body_pairs("excluded_bodies", scene.excluded_bodies, scene.bodies, Presence::quiet);
  v.body_pairs("continuous_pairs", scene.continuous_pairs, scene.bodies, Presence::quiet);
  v.body_pairs("discrete_pairs", scene.discrete_pairs, scene.bodies, Presence::quiet);
}

}  // namespace carom
