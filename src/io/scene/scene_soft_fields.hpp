#pragma once

#include "carom/io/scene.hpp"
#include "core/field.hpp"

/// The fields of soft bodies in a scene file; see scene_fields.hpp.
namespace carom {

template <class V>
void describe(V& v, Elasticity& elasticity) {
  v.number("density", elasticity.density, Presence::shown, Sign::positive);
  v.number("young_modulus", elasticity.young_modulus, Presence::shown, Sign::positive);
  v.number("poisson_ratio", elasticity.poisson_ratio, Presence::shown, Sign::zero_to(max_poisson_ratio));
  v.number("damping", elasticity.damping, Presence::quiet, Sign::not_negative);
}

/// Fields of all boxes within the rest shape.
template <class V, class Box>
void describe_box(V& v, Box& box) {
  v.vector("min", box.min, Presence::required, Sign::any);
  v.vector("max", box.max, Presence::required, Sign::any);
}

template <class V>
void describe(V& v, SoftRegion& region) {
  describe_box(v, region);
  v.number("stiffness", region.stiffness, Presence::required, Sign::positive);
}

template <class V>
void describe(V& v, FixedRegion& region) {
  describe_box(v, region);
}

template <class V>
void describe(V& v, ActivationKey& key) {
  v.number("time", key.time, Presence::required, Sign::any);
  v.number("value", key.value, Presence::required, Sign::zero_to_one);
}

template <class V>
void describe(V& v, Actuator& actuator) {
  describe_box(v, actuator);
  v.vector("stretch", actuator.stretch, Presence::required, Sign::positive);
  v.list("keys", actuator.keys, Presence::required);
}

template <class V>
void describe(V& v, Plasticity& plasticity) {
  v.number("yield_strain", plasticity.yield_strain, Presence::shown, Sign::not_negative);
  v.number("flow_rate", plasticity.flow_rate, Presence::quiet, Sign::not_negative);
  v.number("max_strain", plasticity.max_strain, Presence::quiet, Sign::not_negative);
}

template <class V>
void describe(V& v, SoftSceneBody& body) {
  v.object("mesh", body.source, Presence::required);
  v.number("voxel_size", body.voxel_size, Presence::quiet, Sign::not_negative);
  v.integer("degrees_of_freedom", body.degrees_of_freedom, Presence::quiet, {.min = 0});
  v.flag("cuttable", body.cuttable, Presence::quiet);
  v.number("fracture_energy", body.fracture_energy, Presence::quiet, Sign::not_negative);
  v.object("elasticity", body.elasticity, Presence::shown);
  v.list("regions", body.regions, Presence::quiet);
  v.list("fixed", body.fixed, Presence::quiet);
  v.list("actuators", body.actuators, Presence::quiet);
  v.object("plasticity", body.plasticity, Presence::quiet);
  v.number("pressure", body.pressure, Presence::quiet, Sign::not_negative);
  v.number("thickness", body.thickness, Presence::quiet, Sign::not_negative);
  v.vector("velocity", body.velocity, Presence::quiet, Sign::any);
  v.number("air_damping", body.air_damping, Presence::quiet, Sign::not_negative);
  v.integer("inner_steps", body.inner_steps, Presence::quiet, {.min = 0});
  v.number("importance", body.importance, Presence::quiet, Sign::not_negative);
  v.optional_object("field", body.field);
  v.flag("sleeping_allowed", body.sleeping_allowed, Presence::quiet);
  describe(v, body.material);
}

}  // namespace carom
