#pragma once

#include "bodies/rigid_limits.hpp"
#include "carom/io/scene.hpp"
#include "core/field.hpp"

/// The fields of cloth, and of what holds it, in a scene file; see scene_fields.hpp.
namespace carom {

template <class V>
void describe(V& v, Material& material) {
  v.number("friction", material.friction, Presence::quiet, Sign::zero_to(max_friction));
  v.number("restitution", material.restitution, Presence::quiet, Sign::zero_to_one);
}

template <class V>
void describe(V& v, Fabric& fabric) {
  v.number("density", fabric.density, Presence::shown, Sign::positive);
  v.number("warp_stiffness", fabric.warp_stiffness, Presence::shown, Sign::positive);
  v.number("weft_stiffness", fabric.weft_stiffness, Presence::shown, Sign::positive);
  v.number("shear_stiffness", fabric.shear_stiffness, Presence::shown, Sign::not_negative);
  v.number("bend_stiffness", fabric.bend_stiffness, Presence::shown, Sign::not_negative);
  v.number("warp_damping", fabric.warp_damping, Presence::quiet, Sign::not_negative);
  v.number("weft_damping", fabric.weft_damping, Presence::quiet, Sign::not_negative);
  v.number("shear_damping", fabric.shear_damping, Presence::quiet, Sign::not_negative);
  v.number("bend_damping", fabric.bend_damping, Presence::quiet, Sign::not_negative);
  v.number("strain_limit", fabric.strain_limit, Presence::quiet, Sign::not_negative);
  v.number("tear_strain", fabric.tear_strain, Presence::quiet, Sign::not_negative);
}

template <class V>
void describe(V& v, WindSource& wind) {
  v.vector("velocity", wind.velocity, Presence::required, Sign::any);
  v.number("density", wind.density, Presence::quiet, Sign::not_negative);
  v.choice("law", wind.law, wind_law_names(), Presence::quiet);
  v.number("normal_drag", wind.normal_drag, Presence::quiet, Sign::not_negative);
  v.number("tangent_drag", wind.tangent_drag, Presence::quiet, Sign::not_negative);
  v.number("drag", wind.drag, Presence::quiet, Sign::not_negative);
  v.number("lift", wind.lift, Presence::quiet, Sign::not_negative);
  v.number("linear_pressure", wind.linear_pressure, Presence::quiet, Sign::not_negative);
  v.number("gust_strength", wind.gust_strength, Presence::quiet, Sign::not_negative);
  v.number("gust_period", wind.gust_period, Presence::quiet, Sign::positive);
  v.integer("gust_seed", wind.gust_seed, Presence::quiet, {.min = 0});
}

template <class V>
void describe(V& v, RegionSource& region) {
  v.any_of({"triangles", "inside"});
  v.indices("triangles", region.triangles, Presence::quiet);
  v.optional_object("inside", region.inside);
  v.fabric("fabric", region.fabric_name, "fabric_properties", region.fabric_properties);
}

template <class V>
void describe(V& v, MovingPinsSource& pins) {
  v.indices("vertices", pins.vertices, Presence::required);
  v.list("keyframes", pins.keyframes, Presence::required);
}

template <class V>
void describe(V& v, VerletOptions& verlet) {
  v.integer("iterations", verlet.iterations, Presence::quiet, {.min = 0});
  v.number("max_strain", verlet.max_strain, Presence::quiet, Sign::not_negative);
}

template <class V>
void describe(V& v, Blade& blade) {
  v.points("edge", blade.edge);
}

template <class V>
void describe(V& v, ClothSceneBody& body) {
  v.object("mesh", body.source, Presence::required);
  v.fabric("fabric", body.fabric_name, "fabric_properties", body.fabric_properties);
  v.list("regions", body.region_sources, Presence::quiet);
  v.direction("warp", body.warp, Presence::quiet);
  v.number("thickness", body.thickness, Presence::quiet, Sign::not_negative);
  v.indices("pinned", body.pinned, Presence::quiet);
  v.list("moving_pins", body.moving_pins_sources, Presence::quiet);
  v.vector("velocity", body.velocity, Presence::quiet, Sign::any);
  v.number("air_damping", body.air_damping, Presence::quiet, Sign::not_negative);
  v.optional_object("wind", body.wind_source);
  v.number("pressure", body.pressure, Presence::quiet, Sign::not_negative);
  v.choice("integrator", body.integrator, cloth_integrator_names(), Presence::quiet);
  v.object("verlet", body.verlet, Presence::quiet);
  v.integer("inner_steps", body.inner_steps, Presence::quiet, {.min = 0});
  v.number("importance", body.importance, Presence::quiet, Sign::not_negative);
  v.integer("levels", body.levels, Presence::quiet, {.min = 1, .max = 3});
  v.number("level_hold", body.level_hold, Presence::quiet, Sign::not_negative);
  v.number("fracture_energy", body.fracture_energy, Presence::quiet, Sign::not_negative);
  v.flag("sleeping_allowed", body.sleeping_allowed, Presence::quiet);
  describe(v, body.material);
}

template <class V>
void describe(V& v, SceneAttachment& attachment) {
  v.text("body", attachment.body, Presence::required);
  v.indices("vertices", attachment.vertices, Presence::required);
  v.text("to", attachment.to, Presence::required);
}

template <class V>
void describe(V& v, SceneSeam& seam) {
  v.text("a", seam.a, Presence::required);
  v.indices("vertices_a", seam.vertices_a, Presence::required);
  v.text("b", seam.b, Presence::required);
  v.indices("vertices_b", seam.vertices_b, Presence::required);
  v.number("duration", seam.duration, Presence::quiet, Sign::not_negative);
  v.number("tear_force", seam.tear_force, Presence::quiet, Sign::not_negative);
}

}  // namespace carom
