#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "carom/mesh/generate.hpp"
#include "carom/mesh/mesh.hpp"
#include "carom/world/world.hpp"

/// Scenes: a world described by data, as JSON and as structs with the same names. The format is
/// described in docs/formats.md and by docs/scene.schema.json.
namespace carom {

/// Where a mesh comes from: made from numbers, or read from a file (relative to the scene's file).
struct BoxSource {
  Eigen::Vector3d size{1, 1, 1};
  int segments = 1;
};
struct IcosphereSource {
  double radius = 1;
  int subdivisions = 3;
};
struct TorusSource {
  double radius = 1;
  double tube_radius = 0.4;
  int around = 40;
  int across = 20;
};
struct TrefoilSource {
  double radius = 1;
  double height = 0.5;
  double tube_radius = 0.2;
  int along = 165;
  int across = 12;
};
struct SheetSource {
  double size_x = 1;
  double size_z = 1;
  int segments_x = 20;
  int segments_z = 20;
};
struct RollSource {
  double inner_radius = 0.2;
  double gap = 0.02;
  double turns = 4;
  double width = 1;
  int along = 100;
  int across = 20;
};
struct ExtrusionSource {
  std::vector<Eigen::Vector2d> outline;  ///< m, corners (x, y)
  double length = 1;                     ///< m, along z
};
struct RevolutionSource {
  std::vector<Eigen::Vector2d> profile;  ///< m, corners (radius, y)
  int around = 40;
};
struct FileSource {
  std::filesystem::path path;
  std::string up = "as-is";   ///< as MeshReadOptions::up
  std::string unit = "file";  ///< as MeshReadOptions::unit
};

/// A place, a turn and a stretch; applied as scale, then rotation, then position.
struct Placement {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();        ///< m
  Eigen::Vector3d rotation_axis = Eigen::Vector3d::UnitY();  ///< any length but zero
  double rotation_degrees = 0;
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();  ///< positive
};

struct MeshSource {
  std::variant<BoxSource, IcosphereSource, TorusSource, TrefoilSource, SheetSource, RollSource, ExtrusionSource,
               RevolutionSource, FileSource>
      shape;
  std::vector<Dent> dents;  ///< applied in order, before the placement
  Placement placement;
};

/// Builds the mesh; all objects of a file become one.
TriangleMesh build(const MeshSource& source);

struct FixedSpec {
  MeshSource mesh;
  double friction = 0.6;
  double restitution = 0;
};

/// Between keyframes position, scale and morph are interpolated smoothly (zero velocity at each
/// key), rotation along the shortest arc; before the first and after the last the body rests.
struct Keyframe {
  double time = 0;      ///< s, ascending
  Placement placement;  ///< acts on the placed mesh, around the origin of the world
  double morph = 0;     ///< 0 = the mesh, 1 = the morph target; others between and beyond
};

struct ScriptedSpec {
  MeshSource mesh;
  std::optional<MeshSource> morph_target;  ///< same triangles; its placement is relative to that of the mesh
  std::vector<Keyframe> keyframes;
  double friction = 0.6;
  double restitution = 0;
};

/// A ParticleBody without what all bodies of a scene have; the words are the same.
struct ParticleSpec {
  MeshSource mesh;
  double mass = 1;
  double stretch_stiffness = 500;
  double bend_stiffness = 5;
  double spring_damping = 0.5;
  double air_damping = 0.1;
  std::vector<Index> pinned{};
  Eigen::Vector3d velocity{0, 0, 0};
  double pressure = 0;
  bool sleeping_allowed = true;
  double friction = 0.6;
  double restitution = 0;
};

/// A Wind that blows where it is given.
struct WindSpec {
  Eigen::Vector3d velocity{0, 0, 0};
  double density = 1.2;
  double normal_drag = 1.2;
  double tangent_drag = 0.05;
};

/// A ClothBody without what all bodies of a scene have; the words are the same.
struct ClothSpec {
  MeshSource mesh;
  std::string fabric = "cotton";              ///< see fabric_names()
  std::optional<Fabric> fabric_properties{};  ///< instead of those of the named fabric
  Eigen::Vector3d warp{1, 0, 0};
  std::vector<Index> pinned{};
  Eigen::Vector3d velocity{0, 0, 0};
  double air_damping = 0;
  std::optional<WindSpec> wind{};
  int inner_steps = 0;
  bool sleeping_allowed = true;
  double friction = 0.6;
  double restitution = 0;
};

/// Solids of rigid bodies, with the words and frames of the makers of Shape.
struct SphereShape {
  double radius = 0.5;
};
struct BoxShape {
  Eigen::Vector3d half{0.5, 0.5, 0.5};
};
struct CapsuleShape {
  double radius = 0.25;
  double half_length = 0.5;
};
struct CylinderShape {
  double radius = 0.5;
  double half_length = 0.5;
};
struct ConeShape {
  double radius = 0.5;
  double half_length = 0.5;
};
struct EllipsoidShape {
  Eigen::Vector3d radii{0.5, 0.5, 0.5};
};
struct HalfSpaceShape {
  Eigen::Vector3d normal{0, 1, 0};
  double offset = 0;
};
struct HullShape {
  std::vector<Eigen::Vector3d> points;
};
struct TriangleShape {
  Eigen::Vector3d a{0, 0, 0};
  Eigen::Vector3d b{1, 0, 0};
  Eigen::Vector3d c{0, 0, -1};
};
struct MeshShape {
  MeshSource mesh;
  MeshSolid solid = MeshSolid::by_normals;
};

/// A place and a turn; applied as rotation, then position.
struct PoseSpec {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();        ///< m
  Eigen::Vector3d rotation_axis = Eigen::Vector3d::UnitY();  ///< any length but zero
  double rotation_degrees = 0;
};

struct ConvexSpec {
  std::variant<SphereShape, BoxShape, CapsuleShape, CylinderShape, ConeShape, EllipsoidShape, HalfSpaceShape, HullShape,
               TriangleShape>
      shape;
  double margin = 0;  ///< m, see Shape
};
struct PartSpec {
  ConvexSpec shape;
  PoseSpec pose;  ///< in the frame of the compound
};
struct CompoundShape {
  std::vector<PartSpec> parts;
};

struct ShapeSpec {
  std::variant<SphereShape, BoxShape, CapsuleShape, CylinderShape, ConeShape, EllipsoidShape, HalfSpaceShape, HullShape,
               TriangleShape, MeshShape, CompoundShape>
      shape;
  double margin = 0;  ///< m, see Shape
};

/// Throws Error that names the field.
Shape build(const ShapeSpec& spec);

/// A RigidBody without what all bodies of a scene have; the words are the same.
struct RigidSpec {
  ShapeSpec shape;
  PoseSpec pose;
  MotionModel motion = MotionModel::rigid;
  double density = 1000;
  std::optional<MassOverride> mass{};
  Eigen::Vector3d velocity{0, 0, 0};
  Eigen::Vector3d angular_velocity{0, 0, 0};
  double friction = 0.6;
  double restitution = 0;
  double torsional_friction = 0;
  double rolling_friction = 0;
  double linear_damping = 0;
  double angular_damping = 0;
  std::array<bool, 3> locked_translation{false, false, false};
  std::array<bool, 3> locked_rotation{false, false, false};
  bool sleeping_allowed = true;
  DecomposeOptions decomposition{};
};

struct BodySpec {
  std::string name;
  std::variant<FixedSpec, ScriptedSpec, ParticleSpec, RigidSpec, ClothSpec> body;
  std::uint32_t group = 1;               ///< bits, see ObjectGroup
  std::uint32_t mask = 0xffffffff;       ///< bits
  std::optional<Detection> detection{};  ///< as the world if not given; not of rigid bodies
};

/// Where bodies are expected to stay: one whose centre is outside, or not finite, is lost.
struct SceneBounds {
  Eigen::Vector3d min{-100, -100, -100};  ///< m
  Eigen::Vector3d max{100, 100, 100};     ///< m
};

struct Scene {
  std::string name;
  std::string description;
  int steps = 100;
  WorldOptions world;
  std::vector<BodySpec> bodies;
  std::vector<std::array<std::string, 2>> excluded_bodies{};  ///< names of bodies that make no contacts with each other
  /// Names of bodies for World::set_detection.
  std::vector<std::array<std::string, 2>> continuous_pairs{};
  std::vector<std::array<std::string, 2>> discrete_pairs{};
  std::optional<SceneBounds> bounds{};
  std::string file{};  ///< it was read from, for messages; not part of what is written
};

/// Each throws Error whose message names the file, the path of the field and what was expected.
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
/// Whether a body is rigid, cloth or made of particles: `response` and `rigid` are of these.
bool has_responding_bodies(const Scene& scene);
/// Of a scene's body that is a RigidSpec. Throws Error that names the body.
RigidBody build_rigid(const BodySpec& body);

struct BuiltinScene {
  std::string_view name;
  std::string_view description;
  Scene (*make)();
};
std::span<const BuiltinScene> builtin_scenes();

/// A built-in name, or else the path of a scene file.
Scene find_scene(const std::string& name_or_path);

}  // namespace carom
