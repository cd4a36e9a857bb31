#include <algorithm>
#include <map>
#include <new>
#include <set>
#include <stdexcept>

#include "carom/io/scene.hpp"
#include "core/check.hpp"
#include "io/scene/scene_mesh.hpp"
#include "io/scene/scene_motion.hpp"
#include "io/scene_shapes.hpp"
#include "world/option_difference.hpp"

namespace carom {
namespace {

FixedBody build_body(const std::string& name, const FixedSpec& spec) {
  return {.name = name, .mesh = build(spec.mesh), .friction = spec.friction, .restitution = spec.restitution};
}

ScriptedBody build_body(const std::string& name, const ScriptedSpec& spec) {
  return build_scripted(name, spec);
}

ParticleBody build_body(const std::string& name, const ParticleSpec& spec) {
  return {.name = name,
          .mesh = build(spec.mesh),
          .mass = spec.mass,
          .stretch_stiffness = spec.stretch_stiffness,
          .bend_stiffness = spec.bend_stiffness,
          .spring_damping = spec.spring_damping,
          .air_damping = spec.air_damping,
          .pinned = spec.pinned,
          .velocity = spec.velocity,
          .pressure = spec.pressure,
          .sleeping_allowed = spec.sleeping_allowed,
          .friction = spec.friction,
          .restitution = spec.restitution};
}

ClothBody build_body(const std::string& name, const ClothSpec& spec) {
  ClothBody body{.name = name,
                 .mesh = build(spec.mesh),
                 .fabric = spec.fabric_properties ? *spec.fabric_properties : fabric_by_name(spec.fabric),
                 .warp = spec.warp,
                 .pinned = spec.pinned,
                 .velocity = spec.velocity,
                 .air_damping = spec.air_damping,
                 .inner_steps = spec.inner_steps,
                 .sleeping_allowed = spec.sleeping_allowed,
                 .friction = spec.friction,
                 .restitution = spec.restitution};
  if (spec.wind) {
    body.wind = {.velocity = spec.wind->velocity,
                 .density = spec.wind->density,
                 .normal_drag = spec.wind->normal_drag,
                 .tangent_drag = spec.wind->tangent_drag};
  }
  return body;
}

/// Errors of meshes and motions do not know whose they are; those of the world do.
template <class Spec>
auto build_named(const std::string& name, const Spec& spec) try {
  return build_body(name, spec);
} catch (const Error& error) {
  fail(error.code(), "body '{}': {}", name, error.what());
} catch (const std::bad_alloc&) {
  fail(ErrorCode::unsupported, "body '{}': not enough memory for its mesh", name);
} catch (const std::length_error&) {
  fail(ErrorCode::unsupported, "body '{}': not enough memory for its mesh", name);
}

BodyId add_body(World& world, const BodySpec& body, MeshShapes& meshes) {
  const auto add = [&](const auto& spec) {
    if constexpr (std::is_same_v<std::decay_t<decltype(spec)>, RigidSpec>)
      return world.add(build_rigid(body, meshes));
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

/// Options that would do nothing, unless they are at their default, are a mistake of the one who wrote the scene.
void refuse_idle_options(const Scene& scene) {
  if (scene.bodies.empty()) return;
  const bool responds = has_responding_bodies(scene);
  const bool surfaces = has_surfaces(scene);
  constexpr const char* of_surfaces = "{}: does nothing where all bodies are rigid; leave it out";
  for (const OptionDifference& option : differences(scene.world, {})) {
    const std::string_view name = option.name;
    if (name == "dt" || name == "gravity") continue;
    const bool of_surface = name == "detection" || name.starts_with("contact.");
    require(surfaces || !of_surface, ErrorCode::invalid_argument, of_surfaces, name);
    require(responds || of_surface, ErrorCode::invalid_argument,
            "{}: does nothing where no body is rigid or made of particles; leave it out", name);
  }
  require(surfaces || scene.world.method == WorldOptions{}.method, ErrorCode::invalid_argument, of_surfaces, "method");
}

World build_unnamed(const Scene& scene) {
  World world(scene.world);
  refuse_idle_options(scene);
  std::map<std::string_view, BodyId> ids;
  MeshShapes meshes;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    try {
      ids[scene.bodies[i].name] = add_body(world, scene.bodies[i], meshes);
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
            "discrete_pairs: '{}' and '{}' are also in continuous_pairs", world.name(a), world.name(b));
    world.set_detection(a, b, Detection::discrete);
  });
  return world;
}

}  // namespace

bool has_surfaces(const Scene& scene) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                     [](const BodySpec& body) { return !std::holds_alternative<RigidSpec>(body.body); });
}

bool has_responding_bodies(const Scene& scene) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const BodySpec& body) {
    return std::holds_alternative<RigidSpec>(body.body) || std::holds_alternative<ParticleSpec>(body.body) ||
           std::holds_alternative<ClothSpec>(body.body);
  });
}

World build_world(const Scene& scene) try { return build_unnamed(scene); } catch (const Error& error) {
  if (scene.file.empty()) throw;
  fail(error.code(), "{}: {}", scene.file, error.what());
}

}  // namespace carom
