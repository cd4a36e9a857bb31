#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "carom/core/error.hpp"
#include "carom/io/scene.hpp"
#include "scenes/schema_validator.hpp"

/// The schema and the parser on the same documents.
namespace carom {
namespace {

using nlohmann::json;
using test::SchemaValidator;

/// Every field of a scene, its options and bodies of meshes.
constexpr std::string_view meshes = R"({
  "$schema": "scene.schema.json", "name": "all", "description": "every field", "steps": 3, "dt": 0.01,
  "gravity": [0, -9.81, 0], "threads": 2, "time_budget": 0.1, "inner_step_cost": 1e-6, "method": "grid", "sphere_depth": 9, "detection": "continuous",
  "contact": {"distance": 0.01, "stiffness": 1, "damping": 1, "pairs": "self", "surface_factor": 2, "immovable": true,
              "edges": false, "nearest_only": true},
  "response": "lcp",
  "solver": {"soft": {"substeps": 4, "contact_hertz": 30, "contact_damping": 2, "load_time_constant": 5,
                      "initial_iterations": 10},
             "impulse": {"rounds": 5, "tolerance": 0.1}, "lcp": {"max_points": 5, "directions": 6},
             "penalty": {"stiffness": 1, "damping": 1, "substeps": 2},
             "sleep": {"enabled": false, "speed": 0.1, "after": 1}, "max_push_speed": 3, "soft_zone": 0.1,
             "speculative_distance": 0.1, "resting_speed": 0.1, "bounce_speed": 0.2},
  "bodies": [
    {"name": "a", "kind": "fixed", "group": 1, "mask": 2, "detection": "discrete", "friction": 0.5, "restitution": 0.5,
     "cuttable": true, "fracture_energy": 10, "field": {"tolerance": 0.01, "band": 0.02, "far_error": 0.5},
     "mesh":
      {"generator": "box", "size": [1, 2, 3], "segments": 2,
       "dents": [{"center": [0, 0, 0], "direction": [0, 1, 0], "radius": 1, "depth": -0.1}],
       "position": [1, 2, 3], "rotation": {"axis": [0, 0, 1], "degrees": 30}, "scale": [1, 2, 3]}},
    {"name": "b", "kind": "scripted", "blade": {"edge": [[0, 0, 0], [0, 1, 0]]}, "group": 1, "mask": 2, "detection": "discrete", "friction": 0.5,
     "restitution": 0.5, "cuttable": true, "fracture_energy": 10, "field": {"tolerance": 0.01},
     "mesh": {"generator": "icosphere", "radius": 1, "subdivisions": 2, "dents": [], "position": [1, 2, 3],
              "rotation": {"quaternion": [1, 0, 0, 2]}, "scale": 2},
     "animation": {"name": "walk", "loop": false, "speed": 2, "frame_time": 0.1},
     "morph_target": {"generator": "torus", "radius": 2, "tube_radius": 1, "around": 5, "across": 6, "dents": [],
                      "position": [1, 2, 3], "rotation": {"euler_degrees": [10, 20, 30], "order": "zxy"},
                      "scale": 2},
     "keyframes": [{"time": 0}, {"time": 4, "position": [1, 2, 3], "rotation": {"euler_degrees": [10, 20, 30]},
                    "scale": 2, "morph": 0.5}]},
    {"name": "c", "kind": "particles", "group": 1, "mask": 2, "detection": "discrete", "mesh":
      {"generator": "trefoil", "radius": 1, "height": 0.5, "tube_radius": 0.1, "along": 9, "across": 5, "dents": [],
       "position": [1, 2, 3], "rotation": {"axis": [0, 0, 1], "degrees": 30}, "scale": [1, 2, 3]},
     "mass": 2, "stretch_stiffness": 3, "bend_stiffness": 4, "spring_damping": 5, "air_damping": 6, "pinned": [0, 3],
     "velocity": [1, 2, 3], "friction": 0.5, "restitution": 0.5, "pressure": 10, "fracture_energy": 10, "importance": 2,
     "sleeping_allowed": false},
    {"name": "j", "kind": "soft", "group": 1, "mask": 2, "detection": "discrete", "mesh": {"generator": "box"},
     "voxel_size": 0.5, "degrees_of_freedom": 100, "cuttable": true, "fracture_energy": 10,
     "elasticity": {"density": 900, "young_modulus": 1e4, "poisson_ratio": 0.3, "damping": 0.01},
     "regions": [{"min": [0, 0, 0], "max": [1, 1, 1], "stiffness": 2}],
     "fixed": [{"min": [0, 0, 0], "max": [1, 1, 1]}],
     "actuators": [{"min": [0, 0, 0], "max": [1, 1, 1], "stretch": [1, 1, 0.5],
                    "keys": [{"time": 0, "value": 0}, {"time": 1, "value": 1}]}],
     "plasticity": {"yield_strain": 0.1, "flow_rate": 1, "max_strain": 0.5}, "pressure": 1, "thickness": 0.01,
     "velocity": [1, 2, 3], "air_damping": 1, "importance": 2, "inner_steps": 3, "field": {"tolerance": 0.01},
     "sleeping_allowed": false, "friction": 0.5, "restitution": 0.5},
    {"name": "i", "kind": "cloth", "group": 1, "mask": 2, "detection": "discrete", "mesh": {"generator": "sheet"},
     "fabric_properties": {"density": 0.1, "warp_stiffness": 1, "weft_stiffness": 2, "shear_stiffness": 3,
                           "bend_stiffness": 4, "warp_damping": 5, "weft_damping": 6, "shear_damping": 7,
                           "bend_damping": 8, "strain_limit": 9, "tear_strain": 1},
     "fracture_energy": 10,
     "regions": [{"triangles": [0, 1], "inside": {"min": [0, 0, 0], "max": [1, 1, 1]}, "fabric": "denim"},
                 {"triangles": [2], "fabric_properties": {"density": 0.1}}],
     "thickness": 0.01, "moving_pins": [{"vertices": [1], "keyframes": [{"time": 0}]}], "pressure": 1,
     "integrator": "verlet", "verlet": {"iterations": 3, "max_strain": 0.2},
     "warp": [0, 0, 1], "pinned": [0, 3], "velocity": [1, 2, 3], "air_damping": 1,
     "wind": {"velocity": [1, 2, 3], "density": 1, "law": "linear", "normal_drag": 2, "tangent_drag": 3, "drag": 1,
              "lift": 1, "linear_pressure": 2, "gust_strength": 0.5, "gust_period": 2, "gust_seed": 1}, "importance": 2, "inner_steps": 4, "levels": 2, "level_hold": 0.5,
     "sleeping_allowed": false, "friction": 0.5, "restitution": 0.5},
    {"name": "k", "kind": "cloth", "mesh": {"generator": "sheet"}, "fabric": "silk"},
    {"name": "d", "kind": "fixed", "mesh":
      {"generator": "sheet", "size_x": 1, "size_z": 2, "segments_x": 3, "segments_z": 4, "dents": [],
       "position": [1, 2, 3], "rotation": {"axis": [0, 0, 1], "degrees": 30}, "scale": [1, 2, 3]}},
    {"name": "e", "kind": "fixed", "mesh":
      {"generator": "roll", "inner_radius": 1, "gap": 0.1, "turns": 2, "width": 1, "along": 3, "across": 4,
       "dents": [], "position": [1, 2, 3], "rotation": {"axis": [0, 0, 1], "degrees": 30}, "scale": [1, 2, 3]}},
    {"name": "g", "kind": "fixed", "mesh":
      {"generator": "extrusion", "outline": [[0, 0], [1, 0], [0, 1]], "length": 2, "dents": [], "position": [1, 2, 3],
       "rotation": {"axis": [0, 0, 1], "degrees": 30}, "scale": [1, 2, 3]}},
    {"name": "h", "kind": "fixed", "mesh":
      {"generator": "revolution", "profile": [[0, 0], [1, 0], [0, 1]], "around": 5, "dents": [], "position": [1, 2, 3],
       "rotation": {"axis": [0, 0, 1], "degrees": 30}, "scale": [1, 2, 3]}},
    {"name": "r", "kind": "fixed", "mesh":
      {"generator": "ribbon", "path": [[0, 0, 0], [1, 0, 0], [1, 1, 0]], "width": 0.1, "along": 5, "across": 2, "dents": [],
       "position": [1, 2, 3], "rotation": {"axis": [0, 0, 1], "degrees": 30}, "scale": [1, 2, 3]}},
    {"name": "s", "kind": "fixed", "mesh":
      {"generator": "figure", "height": 1.6, "around": 12, "dents": [], "position": [1, 2, 3],
       "rotation": {"axis": [0, 0, 1], "degrees": 30}, "scale": [1, 2, 3]}},
    {"name": "t", "kind": "fixed", "mesh":
      {"generator": "shirt", "width": 0.5, "length": 0.5, "sleeve_length": 0.1, "sleeve_width": 0.2, "neck_width": 0.2,
       "neck_depth": 0.1, "distance": 0.3, "edge": 0.05, "dents": [], "position": [1, 2, 3],
       "rotation": {"axis": [0, 0, 1], "degrees": 30}, "scale": [1, 2, 3]}},
    {"name": "f", "kind": "fixed", "mesh":
      {"file": "f.obj", "up": "z", "unit": "mm", "dents": [], "position": [1, 2, 3], "rotation": {"axis": [0, 0, 1], "degrees": 30},
       "scale": [1, 2, 3]}}],
  "attachments": [{"body": "i", "vertices": [5], "to": "b"}],
  "seams": [{"a": "i", "vertices_a": [6], "b": "c", "vertices_b": [7], "duration": 2, "tear_force": 3}],
  "excluded_bodies": [["a", "b"]], "continuous_pairs": [["a", "c"]], "discrete_pairs": [["b", "c"]],
  "bounds": {"min": [-1, -1, -1], "max": [3, 3, 3]}
})";

/// Every field of rigid bodies and their shapes.
constexpr std::string_view solids = R"({
  "name": "all", "bodies": [
    {"name": "a", "kind": "rigid", "blade": {"edge": [[0, 0, 0], [0, 1, 0]]}, "group": 1, "mask": 2, "shape": {"kind": "sphere", "radius": 1, "margin": 0.1},
     "position": [1, 2, 3], "rotation": {"quaternion": [1, 0, 0, 2]}, "density": 2,
     "mass": {"mass": 2, "center": [1, 2, 3], "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]},
     "velocity": [1, 2, 3], "angular_velocity": [1, 2, 3], "friction": 0.5, "restitution": 0.5,
     "torsional_friction": 0.1, "rolling_friction": 0.1, "linear_damping": 0.1, "angular_damping": 0.1,
     "locked_translation": [true, false, false], "locked_rotation": [true, false, false], "sleeping_allowed": false,
     "decomposition": {"tolerance": 0.5, "max_parts": 3},
     "field": {"tolerance": 0.01, "band": 0.1, "far_error": 0.5}},
    {"name": "b", "kind": "scripted", "mass": 3, "shape": {"kind": "box", "half": [1, 2, 3], "margin": 0.1}},
    {"name": "c", "kind": "rigid", "shape": {"kind": "capsule", "radius": 1, "half_length": 2, "margin": 0.1}},
    {"name": "d", "kind": "rigid", "shape": {"kind": "cylinder", "radius": 1, "half_length": 2, "margin": 0.1}},
    {"name": "e", "kind": "rigid", "shape": {"kind": "cone", "radius": 1, "half_length": 2, "margin": 0.1}},
    {"name": "f", "kind": "rigid", "shape": {"kind": "ellipsoid", "radii": [1, 2, 3], "margin": 0.1}},
    {"name": "g", "kind": "fixed", "shape": {"kind": "half_space", "normal": [0, 1, 0], "offset": 1, "margin": 0.1}},
    {"name": "h", "kind": "rigid", "shape": {"kind": "hull", "points": [[0, 0, 0], [1, 2, 3]], "margin": 0.1}},
    {"name": "i", "kind": "rigid", "shape":
      {"kind": "triangle", "a": [0, 0, 0], "b": [1, 0, 0], "c": [0, 1, 0], "margin": 0.1}},
    {"name": "j", "kind": "rigid", "shape": {"kind": "mesh", "mesh": {"generator": "box"}, "solid": "inside", "margin": 0.1}},
    {"name": "k", "kind": "rigid", "shape": {"kind": "compound", "margin": 0.1, "parts": [
      {"shape": {"kind": "sphere", "radius": 1}, "position": [1, 2, 3], "rotation": {"axis": [0, 1, 0], "degrees": 9}}
    ]}}]
})";

/// What the parser says of a document, empty if it accepts it.
std::string complaint(const json& document) {
  try {
    parse_scene(document.dump(), "s.json", "");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Values of all types, at and beyond the bounds of the fields.
const json replacements = json::parse(R"([
  null, true, -1, 0, 0.5, 1, 1.5, 1.6, 2, 3, 3.0, 64, 65, 1000, 1024, 1025, 1e5, 100001, 1e9, 2147483647, 2147483648,
  4294967295, 4294967296, 1e300, "", "x", "soft", "bvh", "xyz", "all", "fixed", "static", "box", [], [1, 2], [1, 2, 3],
  [0, 0, 0], [1, -2, 3], [1, 2, 3, 4], [0, 0, 0, 0], [true, false, true], [[1, 2, 3]], [[1, 2], [3, 4], [5, 7]], [["a", "b"]], ["a", "b"],
  [[1, 0, 0], [0, 1, 0], [0, 0, 1]], {}, {"axis": [0, 0, 1], "degrees": 3}, {"quaternion": [0, 0, 0, 1]},
  {"euler_degrees": [0, 0, 1], "order": "yxz"}, {"kind": "sphere", "radius": 1}, {"generator": "box"},
  {"kind": "mesh", "mesh": {"generator": "box"}}
])");

/// What a schema cannot say.
bool is_beyond_a_schema(const std::string& message) {
  constexpr std::array<std::string_view, 5> parts{"has the same name", "expected a time after",
                                                  "expected \"min\" below", "expected the name of a body",
                                                  "triangles are more than"};
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return message.find(part) != message.npos; });
}

struct Tally {
  int accepted = 0;
  int refused = 0;
};

void compare(SchemaValidator& schema, const json& document, const std::string& change, Tally& tally) {
  const bool valid = schema.accepts(document);
  const std::string message = complaint(document);
  ++(message.empty() ? tally.accepted : tally.refused);
  if (valid != message.empty() && !(valid && is_beyond_a_schema(message))) {
    ADD_FAILURE() << change << ": the schema says " << (valid ? "yes" : "no") << ", the parser "
                  << (message.empty() ? "yes" : message);
  }
}

/// Each value of the document replaced, each field left out, and one more in each object.
void compare_changes(SchemaValidator& schema, json& document, json& value, const std::string& path, Tally& tally) {
  const json original = value;
  for (const json& replacement : replacements) {
    value = replacement;
    compare(schema, document, path + " = " + replacement.dump(), tally);
  }
  value = original;
  if (value.is_object()) {
    value["unknown"] = 1;
    compare(schema, document, path + " with another field", tally);
    value = original;
    for (const auto& [name, unused] : original.items()) {
      value.erase(name);
      compare(schema, document, path + " without " + name, tally);
      value = original;
      compare_changes(schema, document, value[name], path + "/" + name, tally);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < original.size(); ++i) {
      compare_changes(schema, document, value[i], path + "/" + std::to_string(i), tally);
    }
  }
}

/// Short ones, as each is read thousands of times: one for each body, and one for the rest of the scene.
std::vector<json> documents() {
  std::vector<json> result;
  json scene = json::parse(meshes);
  for (const json& list : {scene["bodies"], json::parse(solids)["bodies"]}) {
    for (const json& body : list) result.push_back({{"name", "one"}, {"bodies", json::array({body})}});
  }
  for (json& body : scene["bodies"]) {
    body = {{"name", body["name"]}, {"kind", "fixed"}, {"mesh", {{"generator", "box"}}}};
  }
  result.push_back(std::move(scene));
  return result;
}

TEST(SchemaAgreement, SchemaAndParserRefuseTheSame) {
  SchemaValidator schema(json::parse(scene_schema()));
  Tally tally;
  std::vector<json> all = documents();
  for (json& document : all) {
    ASSERT_EQ(complaint(document), "");
    ASSERT_TRUE(schema.accepts(document));
    compare_changes(schema, document, document, "", tally);
  }
  EXPECT_GT(tally.accepted, 1000);
  EXPECT_GT(tally.refused, 1000);
}

TEST(SchemaAgreement, TheDocumentsOfThisTestHaveEveryField) {
  const json schema = json::parse(scene_schema());
  SchemaValidator validator(schema);
  EXPECT_TRUE(validator.accepts(json::parse(meshes)));
  EXPECT_TRUE(validator.accepts(json::parse(solids)));
  const auto expect_seen = [&](const std::string& definition, const json& rule) {
    if (!rule.contains("properties")) return;
    for (const auto& [name, unused] : rule["properties"].items()) {
      EXPECT_TRUE(validator.seen().contains(definition + "/" + name)) << definition << "/" << name;
    }
  };
  expect_seen("scene", schema);
  for (const auto& [name, definition] : schema["$defs"].items()) expect_seen(name, definition);
}

TEST(SchemaAgreement, BuiltinScenesAreValid) {
  SchemaValidator schema(json::parse(scene_schema()));
  for (const BuiltinScene& builtin : builtin_scenes()) {
    EXPECT_TRUE(schema.accepts(json::parse(to_json(builtin.make())))) << builtin.name;
  }
}

}  // namespace
}  // namespace carom
