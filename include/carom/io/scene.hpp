#pragma once

#include <concepts>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "carom/io/animated_mesh.hpp"
#include "carom/io/mesh_source.hpp"
#include "carom/io/shape_source.hpp"
#include "carom/world/world.hpp"

/// Scenes: a world described by data, as JSON and as the descriptions that World::add takes. The format is described in
/// docs/formats.md and by docs/scene.schema.json.
namespace carom {

/// Bounds within which bodies are expected to stay: one whose centre is outside, or not finite, is lost.
struct SceneBounds {
  Eigen::Vector3d min{-100, -100, -100};  ///< m
  Eigen::Vector3d max{100, 100, 100};     ///< m
};

/// Key of a motion. Between keyframes position, scale and morph are interpolated smoothly (zero velocity at each
/// key), rotation along the shortest arc; before the first and after the last the body rests.
struct Keyframe {
  double time = 0;        ///< s, ascending
  Placement placement{};  ///< acts on the placed mesh, around the origin of the world
  double morph = 0;       ///< 0 = the mesh, 1 = the morph target; others between and beyond
};

// Bodies of a scene: the descriptions that World::add takes, and the sources of what is too large to write down. What
// the sources stand for is filled in by build().

struct FixedSceneBody : FixedBody {
  MeshSource source{};         ///< source of `mesh`
  double fracture_energy = 0;  ///< J/m^2, for World::set_fracture_energy; of what is `cuttable`
};

struct ScriptedSceneBody : ScriptedBody {
  MeshSource source{};                       ///< source of `mesh`
  std::optional<MeshSource> morph_target{};  ///< same triangles; its placement is relative to that of the mesh
  /// Animation that the file of the mesh holds, see read_animated_mesh(). Keyframes act on top of it.
  std::optional<AnimationOptions> animation{};
  std::vector<Keyframe> keyframes{};  ///< make `motion`, with the animation if there is one
  std::optional<Blade> blade{};       ///< for World::add_blade
  double fracture_energy = 0;         ///< J/m^2, for World::set_fracture_energy; of what is `cuttable`
};

struct ParticleSceneBody : ParticleBody {
  MeshSource source{};         ///< source of `mesh`
  double fracture_energy = 0;  ///< J/m^2, for World::set_fracture_energy
};

/// Wind of a scene: air unless another density is given.
struct WindSource {
  Eigen::Vector3d velocity{0, 0, 0};  ///< m/s
  double density = 1.2;               ///< kg/m^3
  WindLaw law = WindLaw::plate;
  double normal_drag = 1.2;  ///< these and the others: see Wind
  double tangent_drag = 0.05;
  double drag = 1.2;
  double lift = 0.6;
  double linear_pressure = 1;
  double gust_strength = 0;
  double gust_period = 1;
  int gust_seed = 0;
};

/// Region of cloth: of a fabric by name or with properties of its own.
struct RegionSource {
  std::vector<Index> triangles{};
  std::optional<SceneBounds> inside{};        ///< triangles whose centers are in this box, as the mesh is placed
  std::string fabric_name = "cotton";         ///< see fabric_names()
  std::optional<Fabric> fabric_properties{};  ///< instead of a name
};

/// Moving pins of a scene. Keyframes act on the placed vertices, around the origin of the world.
struct MovingPinsSource {
  std::vector<Index> vertices{};
  std::vector<Keyframe> keyframes{};
};

struct ClothSceneBody : ClothBody {
  MeshSource source{};                                  ///< source of `mesh`
  std::string fabric_name = "cotton";                   ///< name of `fabric`, see fabric_names()
  std::optional<Fabric> fabric_properties{};            ///< instead of a name
  std::vector<RegionSource> region_sources{};           ///< sources of `regions`
  std::optional<WindSource> wind_source{};              ///< source of `wind`
  std::vector<MovingPinsSource> moving_pins_sources{};  ///< sources of `moving_pins`
  double fracture_energy = 0;                           ///< J/m^2, for World::set_fracture_energy
};

struct SoftSceneBody : SoftBody {
  MeshSource source{};         ///< source of `mesh`, or of `tetrahedra` if it is a file of these, see read_tetrahedra()
  double fracture_energy = 0;  ///< J/m^2, for World::set_fracture_energy; of what is `cuttable`
};

struct RigidSceneBody : RigidBody {
  ShapeSource source{};                         ///< source of `shape`
  PoseSource placement{};                       ///< source of `pose`
  std::optional<FieldOptions> field_options{};  ///< options of `field`
  std::optional<Blade> blade{};                 ///< for World::add_blade
};

/// Descriptions with mesh, motion, shape and pose from their sources, for World::add. Each throws Error that names the
/// body and the field.
FixedBody build(const FixedSceneBody& body);
ScriptedBody build(const ScriptedSceneBody& body);
ParticleBody build(const ParticleSceneBody& body);
ClothBody build(const ClothSceneBody& body);
SoftBody build(const SoftSceneBody& body);
RigidBody build(const RigidSceneBody& body);

/// Body of a scene, of any kind.
struct SceneBody {
  using Description =
      std::variant<FixedSceneBody, ScriptedSceneBody, ParticleSceneBody, RigidSceneBody, ClothSceneBody, SoftSceneBody>;

  SceneBody() = default;
  template <class Body>
  requires std::constructible_from<Description, Body> SceneBody(Body description)
      : body(std::move(description)) {}  // NOLINT(google-explicit-constructor)
  SceneBody(std::string name, Description description);

  Description body;

  // Parts that the descriptions have in common.
  std::string& name();
  const std::string& name() const;
  CollisionFilter& filter();
  const CollisionFilter& filter() const;
};

/// Vertices of a body that World::attach holds at another.
struct SceneAttachment {
  std::string body{};
  std::vector<Index> vertices{};
  std::string to{};
};

/// Seam, see Seam; bodies by name.
struct SceneSeam {
  std::string a{};
  std::vector<Index> vertices_a{};
  std::string b{};
  std::vector<Index> vertices_b{};
  double duration = 1;
  double tear_force = 0;
};

struct Scene {
  std::string name;
  std::string description;
  int steps = 100;
  WorldOptions world;
  std::vector<SceneBody> bodies;
  std::vector<std::array<std::string, 2>> excluded_bodies{};  ///< names of bodies that make no contacts with each other
  /// Names of bodies for World::set_detection.
  std::vector<std::array<std::string, 2>> continuous_pairs{};
  std::vector<std::array<std::string, 2>> discrete_pairs{};
  std::vector<SceneAttachment> attachments{};
  std::vector<SceneSeam> seams{};
  std::optional<SceneBounds> bounds{};
  std::string file{};  ///< it was read from, for messages; not part of what is written
};

/// Scene from a file or a text. Each throws Error whose message names the file, the path of the field and what was
/// expected.
Scene load_scene(const std::filesystem::path& path);
Scene parse_scene(std::string_view json, const std::string& file_name, const std::filesystem::path& folder);
std::string to_json(const Scene& scene);
/// The JSON Schema that every scene file satisfies.
std::string_view scene_schema();

/// Throws Error that names the file of the scene, if it has one, and the body or the field: also if an option would do
/// nothing, as `response` where nothing is moved by contacts, or `method`, `detection` and `contact` where all bodies
/// are rigid.
World build_world(const Scene& scene);
/// Whether a body has vertices: `method`, `detection` and `contact` are of these.
bool has_surfaces(const Scene& scene);
/// Whether a body is rigid, cloth, soft or made of particles: `response` and `rigid` are of these.
bool has_responding_bodies(const Scene& scene);

struct BuiltinScene {
  std::string_view name;
  std::string_view description;
  Scene (*make)();
};
std::span<const BuiltinScene> builtin_scenes();

/// A built-in name, or else the path of a scene file.
Scene find_scene(const std::string& name_or_path);

}  // namespace carom
