#include <new>
#include <stdexcept>

#include "carom/scene.hpp"
#include "core/check.hpp"
#include "io/scene_mesh.hpp"
#include "io/scene_motion.hpp"

namespace carom {
namespace {

StaticBody build_body(const std::string& name, const StaticSpec& spec) {
  return {name, build(spec.mesh)};
}

KinematicBody build_body(const std::string& name, const KinematicSpec& spec) {
  return build_kinematic(name, spec);
}

ParticleBody build_body(const std::string& name, const ParticleSpec& spec) {
  return {name,
          build(spec.mesh),
          spec.mass,
          spec.stretch_stiffness,
          spec.bend_stiffness,
          spec.spring_damping,
          spec.air_damping,
          spec.pinned};
}

/// Errors of meshes and motions do not know whose they are; those of the world do.
template <class Spec>
auto build_named(const std::string& name, const Spec& spec) try {
  return build_body(name, spec);
} catch (const Error& error) {
  fail(error.code(), "body '{}': {}", name, error.what());
} catch (const std::bad_alloc&) {
  fail(ErrorCode::unsupported, "body '{}': its mesh does not fit into the memory", name);
} catch (const std::length_error&) {
  fail(ErrorCode::unsupported, "body '{}': its mesh does not fit into the memory", name);
}

}  // namespace

World build_world(const Scene& scene) {
  World world(scene.world);
  for (const BodySpec& body : scene.bodies) {
    std::visit([&](const auto& spec) { world.add(build_named(body.name, spec)); }, body.body);
  }
  return world;
}

}  // namespace carom
