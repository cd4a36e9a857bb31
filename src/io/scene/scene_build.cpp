#include <algorithm>
#include <map>
#include <new>
#include <set>
#include <stdexcept>

#include "carom/io/scene.hpp"
#include "carom/io/tetrahedra_file.hpp"
#include "core/check.hpp"
#include "io/scene/scene_mesh.hpp"
#include "io/scene/scene_motion.hpp"
#include "io/scene_shapes.hpp"
#include "world/option_difference.hpp"

namespace carom {
namespace {

/// Copy of a description with its mesh, from its source.
template <class Description>
Description with_mesh(const Description& description, const MeshSource& source) {
  Description built = description;
  built.mesh = build(source);
  return built;
}

/// Result of a builder whose errors do not know whose mesh, motion or shape it is.
template <class Builder>
auto build_named(const std::string& name, Builder&& builder) try {
  return builder();
} catch (const Error& error) {
  fail(error.code(), "body '{}': {}", name, error.what());
} catch (const std::bad_alloc&) {
  fail(ErrorCode::unsupported, "body '{}': not enough memory for its mesh", name);
} catch (const std::length_error&) {
  fail(ErrorCode::unsupported, "body '{}': not enough memory for its mesh", name);
}

BodyId add_body(World& world, const SceneBody& body, MeshShapes& meshes) {
  const auto add = [&](const auto& description) {
    if constexpr (std::is_same_v<std::decay_t<decltype(description)>, RigidSceneBody>)
      return world.add(build(description, meshes));
    else
      return world.add(build(description));
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

/// Triangles of a region, those that are listed and those whose centers are in its box.
std::vector<Index> triangles_of(const RegionSource& region, const TriangleMesh& mesh) {
  std::vector<Index> triangles = region.triangles;
  if (!region.inside) return triangles;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    Eigen::Vector3d center(0, 0, 0);
    for (const Index v : mesh.triangles[t]) center += mesh.positions[static_cast<std::size_t>(v)] / 3;
    const bool inside =
        (center.array() >= region.inside->min.array()).all() && (center.array() <= region.inside->max.array()).all();
    if (inside) triangles.push_back(static_cast<Index>(t));
  }
  return triangles;
}

/// Attachments and seams, once all bodies are there.
void join_bodies(const Scene& scene, const std::map<std::string_view, BodyId>& ids, World& world) {
  const auto find = [&](const std::string& name, const char* list, std::size_t i, const char* field) {
    const auto found = ids.find(name);
    require(found != ids.end(), ErrorCode::unknown_name, "{}[{}].{}: no body is called '{}'", list, i, field, name);
    return found->second;
  };
  const auto with_place = [&](const char* list, std::size_t i, auto&& act) {
    try {
      act();
    } catch (const Error& error) {
      fail(error.code(), "{}[{}]: {}", list, i, error.what());
    }
  };
  for (std::size_t i = 0; i < scene.attachments.size(); ++i) {
    const SceneAttachment& given = scene.attachments[i];
    const BodyId body = find(given.body, "attachments", i, "body");
    const BodyId to = find(given.to, "attachments", i, "to");
    with_place("attachments", i, [&] { world.attach(body, given.vertices, to); });
  }
  for (std::size_t i = 0; i < scene.seams.size(); ++i) {
    const SceneSeam& given = scene.seams[i];
    const Seam seam{.a = find(given.a, "seams", i, "a"),
                    .vertices_a = given.vertices_a,
                    .b = find(given.b, "seams", i, "b"),
                    .vertices_b = given.vertices_b,
                    .duration = given.duration,
                    .tear_force = given.tear_force};
    with_place("seams", i, [&] { world.sew(seam); });
  }
}

/// Blades, and what resists them.
void add_cutting(const SceneBody& body, BodyId id, World& world) {
  if (const auto* scripted = std::get_if<ScriptedSceneBody>(&body.body); scripted != nullptr && scripted->blade)
    world.add_blade(id, *scripted->blade);
  if (const auto* rigid = std::get_if<RigidSceneBody>(&body.body); rigid != nullptr && rigid->blade)
    world.add_blade(id, *rigid->blade);
  std::visit(
      [&](const auto& described) {
        if constexpr (requires { described.fracture_energy; }) {
          if (described.fracture_energy > 0) world.set_fracture_energy(id, described.fracture_energy);
        }
      },
      body.body);
}

World build_unnamed(const Scene& scene) {
  World world(scene.world);
  refuse_idle_options(scene);
  std::map<std::string_view, BodyId> ids;
  MeshShapes meshes;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    try {
      const BodyId id = add_body(world, scene.bodies[i], meshes);
      ids[scene.bodies[i].name()] = id;
      add_cutting(scene.bodies[i], id, world);
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
  join_bodies(scene, ids, world);
  return world;
}

}  // namespace

SceneBody::SceneBody(std::string name, Description description) : body(std::move(description)) {
  this->name() = std::move(name);
}
std::string& SceneBody::name() {
  return std::visit([](auto& description) -> std::string& { return description.name; }, body);
}
const std::string& SceneBody::name() const {
  return std::visit([](const auto& description) -> const std::string& { return description.name; }, body);
}
CollisionFilter& SceneBody::filter() {
  return std::visit([](auto& description) -> CollisionFilter& { return description.filter; }, body);
}
const CollisionFilter& SceneBody::filter() const {
  return std::visit([](const auto& description) -> const CollisionFilter& { return description.filter; }, body);
}

FixedBody build(const FixedSceneBody& body) {
  return build_named(body.name, [&] { return with_mesh<FixedBody>(body, body.source); });
}
ScriptedBody build(const ScriptedSceneBody& body) {
  return build_named(body.name, [&] { return build_scripted(body); });
}
ParticleBody build(const ParticleSceneBody& body) {
  return build_named(body.name, [&] { return with_mesh<ParticleBody>(body, body.source); });
}

ClothBody build(const ClothSceneBody& body) {
  ClothBody built = build_named(body.name, [&] { return with_mesh<ClothBody>(body, body.source); });
  const auto fabric_of = [](const std::string& name, const std::optional<Fabric>& properties) {
    return properties ? *properties : fabric_by_name(name);
  };
  built.fabric = fabric_of(body.fabric_name, body.fabric_properties);
  for (const RegionSource& region : body.region_sources)
    built.regions.push_back(
        {triangles_of(region, built.mesh), fabric_of(region.fabric_name, region.fabric_properties)});
  for (const MovingPinsSource& pins : body.moving_pins_sources)
    built.moving_pins.push_back({pins.vertices, build_named(body.name, [&] { return build_motion(pins.keyframes); })});
  if (const std::optional<WindSource>& wind = body.wind_source) {
    built.wind = {.velocity = wind->velocity,
                  .density = wind->density,
                  .law = wind->law,
                  .normal_drag = wind->normal_drag,
                  .tangent_drag = wind->tangent_drag,
                  .drag = wind->drag,
                  .lift = wind->lift,
                  .linear_pressure = wind->linear_pressure,
                  .gust_strength = wind->gust_strength,
                  .gust_period = wind->gust_period,
                  .gust_seed = wind->gust_seed};
  }
  return built;
}

SoftBody build(const SoftSceneBody& body) {
  const auto* file = std::get_if<FileSource>(&body.source.shape);
  if (file == nullptr || !is_tetrahedra_file(file->path))
    return build_named(body.name, [&] { return with_mesh<SoftBody>(body, body.source); });
  SoftBody built = body;
  built.tetrahedra = build_named(body.name, [&] {
    require(body.source.dents.empty() && file->up == FileSource{}.up && file->unit == FileSource{}.unit,
            ErrorCode::unsupported, "{}: dents, up and unit are of surfaces; leave them out for tetrahedra",
            file->path.string());
    return read_tetrahedra(file->path);
  });
  build_named(body.name, [&] { place(body.source.placement, built.tetrahedra.positions); });
  return built;
}

bool has_surfaces(const Scene& scene) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                     [](const SceneBody& body) { return !std::holds_alternative<RigidSceneBody>(body.body); });
}

bool has_responding_bodies(const Scene& scene) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const SceneBody& body) {
    return std::holds_alternative<RigidSceneBody>(body.body) || std::holds_alternative<ParticleSceneBody>(body.body) ||
           std::holds_alternative<ClothSceneBody>(body.body) || std::holds_alternative<SoftSceneBody>(body.body);
  });
}

World build_world(const Scene& scene) try { return build_unnamed(scene); } catch (const Error& error) {
  if (scene.file.empty()) throw;
  fail(error.code(), "{}: {}", scene.file, error.what());
}

}  // namespace carom
