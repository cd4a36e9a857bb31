#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "carom/generate.hpp"
#include "carom/mesh.hpp"
#include "carom/world.hpp"

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
struct FileSource {
  std::filesystem::path path;
};

/// A place, a turn and a stretch; applied as scale, then rotation, then position.
struct Placement {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();        ///< m
  Eigen::Vector3d rotation_axis = Eigen::Vector3d::UnitY();  ///< any length but zero
  double rotation_degrees = 0;
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();  ///< positive
};

struct MeshSource {
  std::variant<BoxSource, IcosphereSource, TorusSource, TrefoilSource, SheetSource, RollSource, FileSource> shape;
  std::vector<Dent> dents;  ///< applied in order, before the placement
  Placement placement;
};

/// Builds the mesh; all objects of a file become one.
TriangleMesh build(const MeshSource& source);

struct StaticSpec {
  MeshSource mesh;
};

/// Between keyframes position, scale and morph are interpolated smoothly (zero velocity at each
/// key), rotation along the shortest arc; before the first and after the last the body rests.
struct Keyframe {
  double time = 0;      ///< s, ascending
  Placement placement;  ///< acts on the placed mesh, around the origin of the world
  double morph = 0;     ///< 0 = the mesh, 1 = the morph target; others between and beyond
};

struct KinematicSpec {
  MeshSource mesh;
  std::optional<MeshSource> morph_target;  ///< same triangles; its placement is relative to that of the mesh
  std::vector<Keyframe> keyframes;
};

struct ParticleSpec {
  MeshSource mesh;
  double mass = 1;
  double stretch_stiffness = 500;
  double bend_stiffness = 5;
  double spring_damping = 0.5;
  double air_damping = 0.1;
  std::vector<Index> pinned{};
  Eigen::Vector3d velocity{0, 0, 0};
};

struct BodySpec {
  std::string name;
  std::variant<StaticSpec, KinematicSpec, ParticleSpec> body;
  std::uint32_t group = 1;               ///< bits, see ObjectGroup
  std::uint32_t mask = 0xffffffff;       ///< bits
  std::optional<Detection> detection{};  ///< as the world if not given
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
};

/// Each throws Error whose message names the file, the path of the field and what was expected.
Scene load_scene(const std::filesystem::path& path);
Scene parse_scene(std::string_view json, const std::string& file_name, const std::filesystem::path& folder);
std::string to_json(const Scene& scene);
/// The JSON Schema that every scene file satisfies.
std::string_view scene_schema();

/// Throws Error that names the body.
World build_world(const Scene& scene);

struct BuiltinScene {
  std::string_view name;
  std::string_view description;
  Scene (*make)();
};
std::span<const BuiltinScene> builtin_scenes();

/// A built-in name, or else the path of a scene file.
Scene find_scene(const std::string& name_or_path);

}  // namespace carom
