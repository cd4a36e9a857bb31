#include <map>
#include <new>
#include <set>
#include <stdexcept>

#include "carom/scene.hpp"
#include "core/check.hpp"
#include "io/scene_mesh.hpp"
#include "io/scene_motion.hpp"

namespace carom {
namespace {

StaticBody build_body(const std::string& name, const StaticSpec& spec) {
  return {.name = name, .mesh = build(spec.mesh)};
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
          spec.pinned,
          spec.velocity};
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

BodyId add_body(World& world, const BodySpec& body) {
  const auto add = [&](const auto& spec) {
    if constexpr (std::is_same_v<std::decay_t<decltype(spec)>, RigidSpec>)
      return world.add(build_rigid(body));
    else {
      auto built = build_named(body.name, spec);
      built.group = body.group;
      built.mask = body.mask;
      built.detection = body.detection;
      return world.add(std::move(built));
    }
  };
  return std::visit(add, body.body);
}

World build_unnamed(const Scene& scene) {
  World world(scene.world);
  std::map<std::string_view, BodyId> ids;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    try {
      ids[scene.bodies[i].name] = add_body(world, scene.bodies[i]);
    } catch (const Error& error) {
      if (scene.file.empty()) throw;
      fail(error.code(), "bodies[{}]: {}", i, error.what());
    }
  }
  const auto for_each_pair = [&](const char* field, const std::vector<std::array<std::string, 2>>& pairs, auto&& act) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      for (const std::string& name : pairs[i])
        require(ids.contains(name), ErrorCode::unknown_name, "{}[{}]: no body is called '{}'", field, i, name);
      act(ids[pairs[i][0]], ids[pairs[i][1]]);
    }
  };
  for_each_pair("excluded_bodies", scene.excluded_bodies, [&](BodyId a, BodyId b) { world.exclude(a, b); });
  std::set<std::array<BodyId, 2>> continuous;
  for_each_pair("continuous_pairs", scene.continuous_pairs, [&](BodyId a, BodyId b) {
    continuous.insert({std::min(a, b), std::max(a, b)});
    world.set_detection(a, b, Detection::continuous);
  });
  for_each_pair("discrete_pairs", scene.discrete_pairs, [&](BodyId a, BodyId b) {
    require(!continuous.contains({std::min(a, b), std::max(a, b)}), ErrorCode::invalid_argument,
            "discrete_pairs: '{}' and '{}' are named in continuous_pairs, too", world.name(a), world.name(b));
    world.set_detection(a, b, Detection::discrete);
  });
  return world;
}

}  // namespace

World build_world(const Scene& scene) try { return build_unnamed(scene); } catch (const Error& error) {
  if (scene.file.empty()) throw;
  fail(error.code(), "{}: {}", scene.file, error.what());
}

}  // namespace carom
