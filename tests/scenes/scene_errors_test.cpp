#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "carom/core/error.hpp"
#include "carom/io/scene.hpp"

namespace carom {
namespace {

std::string error_of(const std::string& json) {
  try {
    parse_scene(json, "my.json", "");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string with_body(const std::string& body) {
  return R"({"name": "s", "bodies": [)" + body + "]}";
}

std::string with_mesh(const std::string& mesh) {
  return with_body(R"({"name": "a", "kind": "fixed", "mesh": )" + mesh + "}");
}

std::string with_fields(const std::string& fields) {
  return R"({"name": "s", "bodies": [], )" + fields + "}";
}

std::string kinematic(const std::string& fields) {
  return with_body(R"({"name": "a", "kind": "scripted", "mesh": {"generator": "box"}, )" + fields + "}");
}

std::string particles(const std::string& fields) {
  return with_body(R"({"name": "a", "kind": "particles", "mesh": {"generator": "sheet"}, )" + fields + "}");
}

struct BadScene {
  std::string json;
  std::string message;
};

void expect_messages(const std::vector<BadScene>& cases) {
  for (const BadScene& bad : cases) EXPECT_EQ(error_of(bad.json), bad.message) << bad.json;
}

TEST(SceneErrors, SyntaxIsNamedByLineAndColumn) {
  expect_messages({
      {"", "my.json:1:1: there is nothing here; expected an object"},
      {" // only this\n", "my.json:2:1: there is nothing here; expected an object"},
      {"{\n  \"name\": \"s\",\n}", "my.json:2:14: a comma before the closing }; expected none after the last item"},
      {"{\"pinned\": [1,\n 2, // the last\n]}",
       "my.json:2:3: a comma before the closing ]; expected none after the last item"},
      {"{\"name\": 'x'}", "my.json:1:10: a text in single quotes; expected double quotes"},
      {"{'name': 1}", "my.json:1:2: a text in single quotes; expected double quotes"},
      {"{\n  name: \"x\"}", "my.json:2:3: a name without quotes; expected \"name\""},
      {"{} {}", "my.json:1:4: text after the end of the document; expected none"},
      {R"({"dt": NaN})", "my.json:1:8: NaN is not a number in JSON; expected a finite number"},
      {R"({"dt": nan})", "my.json:1:8: nan is not a number in JSON; expected a finite number"},
      {R"({"dt": -inf})", "my.json:1:8: -inf is not a number in JSON; expected a finite number"},
      {R"({"gravity": [0, Infinity, 0]})", "my.json:1:17: Infinity is not a number in JSON; expected a finite number"},
      {R"({"dt": 1e999})", "my.json:1:8: 1e999 is too large for a number"},
      {R"({"dt": .5})", "my.json:1:8: .5 is not a number in JSON; expected a digit first, or a minus and a digit"},
      {R"({"dt": +1})", "my.json:1:8: +1 is not a number in JSON; expected a digit first, or a minus and a digit"},
      {R"({"dt": 01})", "my.json:1:8: 01 is not a number in JSON; expected no zero before other digits"},
      {R"({"sleep": True})", "my.json:1:11: True is not JSON; expected true"},
      {R"({"name": s})",
       "my.json:1:10: s is not JSON; expected a number, a text in double quotes, true, false, null, a list or an "
       "object"},
      {R"({"name" "s"})", "my.json:1:9: expected a colon after the name of a field"},
      {"{\"name\": \"s\"\n \"steps\": 3}", "my.json:2:2: expected a comma or } after a field"},
      {R"({"gravity": [0 1, 0]})", "my.json:1:16: expected a comma or ] after an item"},
      {R"({3: 1})", "my.json:1:2: expected the name of a field in double quotes"},
      {"{\n\"bodies\": [1, 2",
       "my.json:2:16: the text ends, but the list that begins at 2:11 is not closed; expected ]"},
      {"{\"name\": \"\xff\"}", "my.json:1:11: invalid string: ill-formed UTF-8 byte"},
      {"{\"name\": \"unfinished", "my.json:1:10: a text that is not closed; expected \" at its end"},
      {"{\"dt\": 1 /* no end", "my.json:1:19: a comment is // to the end of the line, or between /* and */"},
      {"{\"dt\": 1 / 2}", "my.json:1:11: a comment is // to the end of the line, or between /* and */"},
  });
}

TEST(SceneErrors, CommentsAreNoErrors) {
  const Scene scene = parse_scene(R"(// first
{
  /* a name
     with "quotes" */
  "name": "a // b",  // last
  "bodies": [/* none */]
}
// end)",
                                  "my.json", "");
  EXPECT_EQ(scene.name, "a // b");
}

TEST(SceneErrors, DocumentsThatSayTwoThingsAreRefused) {
  expect_messages({
      {R"({"name": "a", "name": "b"})", "my.json: name: this field is given twice"},
      {with_mesh(R"({"generator": "box", "size": [1, 1, 1], "size": [2, 2, 2]})"),
       "my.json: bodies[0].mesh.size: this field is given twice"},
      {R"({"odd \n name": 1, "odd \n name": 2})", R"(my.json: ["odd \n name"]: this field is given twice)"},
  });
}

TEST(SceneErrors, NestingIsBounded) {
  const std::string deep = error_of(std::string(1'000'000, '['));
  EXPECT_TRUE(deep.starts_with("my.json: [0][0][0]")) << deep;
  EXPECT_TRUE(deep.ends_with(": values are nested more than 64 deep")) << deep;
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  EXPECT_TRUE(error_of(objects).ends_with(".a.a: values are nested more than 64 deep"));
}

TEST(SceneErrors, TypesOfTheScene) {
  expect_messages({
      {"[]", "my.json: expected an object, got a list of 0 items"},
      {"{}", "my.json: missing field \"bodies\""},
      {R"({"name": "s"})", "my.json: missing field \"bodies\""},
      {R"({"name": 3, "bodies": []})", "my.json: name: expected a text, got 3"},
      {R"({"name": "s", "bodies": {}})", "my.json: bodies: expected a list, got an object"},
      {R"({"name": "s", "bodies": [7]})", "my.json: bodies[0]: expected an object, got 7"},
      {with_fields(R"("steps": -1)"), "my.json: steps: expected an integer of at least 0, got -1"},
      {with_fields(R"("steps": 1.5)"), "my.json: steps: expected an integer of at least 0, got 1.5"},
      {with_fields(R"("steps": 3000000000)"),
       "my.json: steps: expected an integer of at most 2147483647, got 3000000000"},
      {with_fields(R"("steps": "10")"), "my.json: steps: expected an integer of at least 0, got \"10\""},
      {with_fields(R"("dt": 0)"), "my.json: dt: expected a positive number, got 0"},
      {with_fields(R"("dt": null)"), "my.json: dt: expected a positive number, got null"},
      {with_fields(R"("gravity": [0, -9.81])"),
       "my.json: gravity: expected a list of 3 numbers, got a list of 2 items"},
      {with_fields(R"("gravity": [0, "down", 0])"), "my.json: gravity[1]: expected a number, got \"down\""},
      {with_fields(R"("threads": -2)"), "my.json: threads: expected an integer from 0 to 1024, got -2"},
      {with_fields(R"("threads": 1025)"), "my.json: threads: expected an integer of at most 1024, got 1025"},
      {with_fields(R"("detection": "sometimes")"),
       R"(my.json: detection: expected one of "discrete", "continuous", got "sometimes")"},
      {particles(R"("detection": true)"),
       R"(my.json: bodies[0].detection: expected one of "discrete", "continuous", got true)"},
      {particles(R"("velocity": 3)"), "my.json: bodies[0].velocity: expected a list of 3 numbers, got 3"},
      {with_fields(R"("contact": {"distance": 0})"), "my.json: contact.distance: expected a positive number, got 0"},
      {with_fields(R"("contact": {"stiffness": -1})"),
       "my.json: contact.stiffness: expected a number of at least 0, got -1"},
      {with_fields(R"("contact": {"pairs": "both"})"),
       R"(my.json: contact.pairs: expected one of "between", "self", "all", got "both")"},
      {with_fields(R"("contact": {"pairs": true})"),
       R"(my.json: contact.pairs: expected one of "between", "self", "all", got true)"},
  });
  EXPECT_TRUE(error_of(with_fields(R"("method": "magic")")).starts_with("my.json: method: expected one of \"auto\""));
}

TEST(SceneErrors, UnknownFieldsSuggestTheNearest) {
  expect_messages({
      {with_fields(R"("step": 3)"), R"(my.json: step: unknown field; did you mean "steps"?)"},
      {R"({"nmae": "s", "bodies": []})", R"(my.json: nmae: unknown field; did you mean "name"?)"},
      {particles(R"("mas": 1)"), R"(my.json: bodies[0].mas: unknown field; did you mean "mass"?)"},
      {with_mesh(R"({"generator": "torus", "tube-radius": 1})"),
       R"(my.json: bodies[0].mesh["tube-radius"]: unknown field; did you mean "tube_radius"?)"},
      {with_mesh(R"({"generater": "torus"})"),
       R"(my.json: bodies[0].mesh.generater: unknown field; did you mean "generator"?)"},
      {with_mesh(R"({"flie": "a.obj"})"), R"(my.json: bodies[0].mesh.flie: unknown field; did you mean "file"?)"},
      {with_body(R"({"name": "a", "kind": "fixed", "mesh": {"generator": "box"}, "stretch_stiffness": 1})"),
       R"(my.json: bodies[0].stretch_stiffness: unknown field; the fields here are "name", "kind", "mesh", "cuttable", "fracture_energy", "friction", "restitution", "field", "group", "mask", "detection")"},
      {R"({"name": "s", "bodies": [], "": 1})",
       R"(my.json: [""]: unknown field; the fields here are "$schema", "name", "description", "steps", "dt", )"
       R"("gravity", "threads", "time_budget", "inner_step_cost", "method", "sphere_depth", "detection", "contact", )"
       R"("response", "solver", "bodies", )"
       R"("excluded_bodies", "continuous_pairs", "discrete_pairs", "attachments", "seams", "bounds")"},
  });
}

TEST(SceneErrors, Filters) {
  const std::string two = R"({"name": "s", "bodies": [{"name": "a", "kind": "fixed", "mesh": {"generator": "box"}},
                             {"name": "b", "kind": "fixed", "mesh": {"generator": "box"}}], "excluded_bodies": )";
  expect_messages({
      {with_fields(R"("contact": {"surface_factor": -1})"),
       "my.json: contact.surface_factor: expected a number of at least 0, got -1"},
      {particles(R"("group": -1)"), "my.json: bodies[0].group: expected an integer of 0 to 4294967295, got -1"},
      {particles(R"("mask": 4294967296)"),
       "my.json: bodies[0].mask: expected an integer of 0 to 4294967295, got 4294967296"},
      {particles(R"("mask": 1.5)"), "my.json: bodies[0].mask: expected an integer of 0 to 4294967295, got 1.5"},
      {particles(R"("mask": "all")"), "my.json: bodies[0].mask: expected an integer of 0 to 4294967295, got \"all\""},
      {two + R"("a"})", "my.json: excluded_bodies: expected a list, got \"a\""},
      {two + R"([["a", "b"], "a"]})",
       "my.json: excluded_bodies[1]: expected a list of the names of 2 bodies, got \"a\""},
      {two + R"([["a"]]})",
       "my.json: excluded_bodies[0]: expected a list of the names of 2 bodies, got a list of 1 item"},
      {two + R"([["a", "b"], ["b", "c"]]})", "my.json: excluded_bodies[1][1]: expected the name of a body, got \"c\""},
      {two + R"([["a", 2]]})", "my.json: excluded_bodies[0][1]: expected a text, got 2"},
  });
}

TEST(SceneErrors, Bodies) {
  expect_messages({
      {with_body("{}"), "my.json: bodies[0]: missing field \"kind\""},
      {with_body(R"({"name": "a"})"), "my.json: bodies[0]: missing field \"kind\""},
      {with_body(R"({"name": "a", "kind": "fixed"})"), "my.json: bodies[0]: missing field \"mesh\""},
      {with_body(R"({"name": "a", "kind": "fluid"})"),
       R"(my.json: bodies[0].kind: expected one of "fixed", "scripted", "particles", "rigid", "cloth", "soft", got "fluid")"},
      {with_body(R"({"name": "a", "kind": "fixed", "mesh": {"generator": "box"}},
                    {"name": "a", "kind": "fixed", "mesh": {"generator": "box"}})"),
       "my.json: bodies[1].name: bodies[0] has the same name"},
      {particles(R"("mass": 0)"), "my.json: bodies[0].mass: expected a positive number, got 0"},
      {particles(R"("pinned": [0, -1])"), "my.json: bodies[0].pinned[1]: expected an integer of at least 0, got -1"},
      {particles(R"("pinned": 3)"), "my.json: bodies[0].pinned: expected a list of vertices, got 3"},
      {kinematic(R"("keyframes": [{"morph": 1}])"), "my.json: bodies[0].keyframes[0]: missing field \"time\""},
      {kinematic(R"("keyframes": [{"time": 1.5}, {"time": 1}])"),
       "my.json: bodies[0].keyframes[1].time: expected a time after 1.5, got 1"},
      {kinematic(R"("keyframes": [{"time": 0, "rotation": {"axis": [0, 0, 0], "degrees": 3}}])"),
       "my.json: bodies[0].keyframes[0].rotation.axis: expected a direction, got a vector of length 0"},
      {kinematic(R"("keyframes": [{"time": 0, "rotation": {"axis": [0, 0, 1]}}])"),
       "my.json: bodies[0].keyframes[0].rotation: missing field \"degrees\""},
      {kinematic(R"("keyframes": [{"time": 0, "scale": [1, 0, 1]}])"),
       "my.json: bodies[0].keyframes[0].scale[1]: expected a positive number, got 0"},
      {kinematic(R"("keyframes": [{"time": 0, "scale": 0}])"),
       "my.json: bodies[0].keyframes[0].scale: expected a positive number, got 0"},
      {kinematic(R"("keyframes": [{"time": 0, "scale": "2"}])"),
       "my.json: bodies[0].keyframes[0].scale: expected a positive number or a list of 3, got \"2\""},
      {kinematic(R"("morph_target": null)"), "my.json: bodies[0].morph_target: expected an object, got null"},
  });
}

TEST(SceneErrors, RigidBodies) {
  const auto rigid = [](const std::string& fields) {
    return with_body(R"({"name": "a", "kind": "rigid", )" + fields + "}");
  };
  const auto ball = [&](const std::string& fields) {
    return rigid(R"("shape": {"kind": "sphere", "radius": 1}, )" + fields);
  };
  expect_messages({
      {with_body(R"({"name": "a", "kind": "rigid"})"), "my.json: bodies[0]: missing field \"shape\""},
      {rigid(R"("shape": {})"), "my.json: bodies[0].shape: missing field \"kind\""},
      {rigid(R"("shape": {"kind": "cube"})"),
       R"(my.json: bodies[0].shape.kind: expected one of "sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", )"
       R"("half_space", "hull", "triangle", "mesh", "compound", got "cube")"},
      {rigid(R"("shape": {"kind": "sphere"})"), "my.json: bodies[0].shape: missing field \"radius\""},
      {rigid(R"("shape": {"kind": "sphere", "radius": 0})"),
       "my.json: bodies[0].shape.radius: expected a positive number, got 0"},
      {rigid(R"("shape": {"kind": "box", "half": [1, -1, 1]})"),
       "my.json: bodies[0].shape.half[1]: expected a positive number, got -1"},
      {rigid(R"("shape": {"kind": "sphere", "half": [1, 1, 1]})"),
       "my.json: bodies[0].shape: missing field \"radius\""},
      {rigid(R"("shape": {"kind": "half_space", "normal": [0, 0, 0]})"),
       "my.json: bodies[0].shape.normal: expected a direction, got a vector of length 0"},
      {rigid(R"("shape": {"kind": "hull", "points": []})"),
       "my.json: bodies[0].shape.points: expected at least one point, got a list of 0 items"},
      {rigid(R"("shape": {"kind": "hull", "points": [[0, 0]]})"),
       "my.json: bodies[0].shape.points[0]: expected a list of 3 numbers, got a list of 2 items"},
      {rigid(R"("shape": {"kind": "compound", "parts": []})"),
       "my.json: bodies[0].shape.parts: expected at least one part, got a list of 0 items"},
      {rigid(R"("shape": {"kind": "compound", "parts": [{"shape": {"kind": "mesh"}}]})"),
       R"(my.json: bodies[0].shape.parts[0].shape.kind: expected one of "sphere", "box", "capsule", "cylinder", "cone", )"
       R"("ellipsoid", "half_space", "hull", "triangle", got "mesh")"},
      {rigid(R"("shape": {"kind": "mesh", "mesh": {"generator": "cube"}})"),
       R"(my.json: bodies[0].shape.mesh.generator: expected one of "box", "icosphere", "torus", "trefoil", "sheet", "roll", "extrusion", "revolution", "ribbon", "figure", "shirt", got "cube")"},
      {ball(R"("rigid_kind": "static")"),
       R"(my.json: bodies[0].rigid_kind: unknown field; "kind" says "fixed", "scripted" or "rigid" instead)"},
      {ball(R"("restitution": 1.5)"), "my.json: bodies[0].restitution: expected a number from 0 to 1, got 1.5"},
      {ball(R"("density": 0)"), "my.json: bodies[0].density: expected a positive number, got 0"},
      {ball(R"("mass": 0)"), "my.json: bodies[0].mass: expected a positive number, got 0"},
      {ball(R"("mass": "3")"), "my.json: bodies[0].mass: expected a positive number or an object, got \"3\""},
      {ball(R"("friction": 1e10)"),
       "my.json: bodies[0].friction: expected a number from 0 to 1000000000, got 10000000000"},
      {ball(R"("rotation": {"quaternion": [0, 0, 0, 0]})"),
       "my.json: bodies[0].rotation.quaternion: expected a quaternion, got one of length 0"},
      {ball(R"("rotation": {"quaternion": [0, 0, 1]})"),
       "my.json: bodies[0].rotation.quaternion: expected a list of 4 numbers w, x, y, z, got a list of 3 items"},
      {ball(R"("rotation": {"euler_degrees": [0, 0, 1], "order": "zxz"})"),
       R"(my.json: bodies[0].rotation.order: expected one of "xyz", "xzy", "yxz", "yzx", "zxy", "zyx", got "zxz")"},
      {ball(R"("rotation": {"quaternion": [1, 0, 0, 0], "degrees": 3})"),
       R"(my.json: bodies[0].rotation.degrees: unknown field; the fields here are "quaternion")"},
      {ball(R"("rotation": {})"),
       R"(my.json: bodies[0].rotation: missing field "axis" or "quaternion" or "euler_degrees")"},
      {ball(R"("rotation": [0, 0, 90])"), "my.json: bodies[0].rotation: expected an object, got a list of 3 items"},
      {with_body(R"({"name": "a", "kind" : "static", "mesh": {"generator": "box"}})"),
       R"(my.json: bodies[0].kind: "static" is called "fixed")"},
      {with_body(R"({"name": "a", "kind" : "kinematic", "shape": {"kind": "sphere", "radius": 1}})"),
       R"(my.json: bodies[0].kind: "kinematic" is called "scripted")"},
      {with_body(R"({"name": "a", "kind": "dynamic", "shape": {"kind": "sphere", "radius": 1}})"),
       R"(my.json: bodies[0].kind: "dynamic" is called "rigid")"},
      {with_body(R"({"name": "a", "kind": "particles", "shape": {"kind": "sphere", "radius": 1}})"),
       R"(my.json: bodies[0]: missing field "mesh")"},
      {rigid(R"("mesh": {"generator": "box"})"),
       R"(my.json: bodies[0].kind: a rigid body has a "shape" and no "mesh"; expected "shape": {"kind": "mesh", "mesh": ...})"},
      {ball(R"("mass": {"mass": 3})"), "my.json: bodies[0].mass: missing field \"inertia\""},
      {ball(R"("mass": {"mass": 3, "inertia": [1, 1, 1]})"),
       "my.json: bodies[0].mass.inertia[0]: expected a list of 3 numbers, got 1"},
      {ball(R"("mass": {"mass": 3, "inertia": [[1, 0, 0]]})"),
       "my.json: bodies[0].mass.inertia: expected a list of 3 rows of 3 numbers, got a list of 1 item"},
      {ball(R"("locked_rotation": [true, false])"),
       "my.json: bodies[0].locked_rotation: expected a list of 3 times true or false, got a list of 2 items"},
      {ball(R"("locked_rotation": [true, false, 1])"),
       "my.json: bodies[0].locked_rotation[2]: expected true or false, got 1"},
      {ball(R"("decomposition": {"max_parts": 0})"),
       "my.json: bodies[0].decomposition.max_parts: expected an integer from 1 to 4096, got 0"},
      {ball(R"("sleeping_allowed": "no")"), "my.json: bodies[0].sleeping_allowed: expected true or false, got \"no\""},
      {ball(R"("detection": "continuous")"),
       R"(my.json: bodies[0].detection: unknown field; the fields here are "name", "kind", "shape", "position", "rotation", )"
       R"("density", "mass", "velocity", "angular_velocity", "friction", "restitution", "blade", )"
       R"("torsional_friction", "rolling_friction", "linear_damping", "angular_damping", "locked_translation", "locked_rotation", "sleeping_allowed", "decomposition", "field", "group", "mask")"},
      {with_fields(R"("solver": {"soft": {"substeps": 0}})"),
       "my.json: solver.soft.substeps: expected an integer from 1 to 1000, got 0"},
      {with_fields(R"("solver": {"lcp": {"directions": 3}})"),
       "my.json: solver.lcp.directions: expected an even integer from 2 to 64, got 3"},
      {with_fields(R"("solver": {"penalty": {"damping": 1.6}})"),
       "my.json: solver.penalty.damping: expected a number from 0 to 1.5, got 1.6"},
      {with_fields(R"("solver": {"sleep": {"enabled": 1}})"),
       "my.json: solver.sleep.enabled: expected true or false, got 1"},
      {with_fields(R"("bounds": {"min": [0, 0, 0]})"), "my.json: bounds: missing field \"max\""},
      {with_fields(R"("bounds": {"min": [0, 0, 0], "max": [1, 0, 1]})"),
       "my.json: bounds: expected \"min\" below \"max\" along each axis"},
  });
}

TEST(SceneErrors, ResponsesAreNamed) {
  const std::string message = error_of(with_fields(R"("response": "magic")"));
  EXPECT_TRUE(message.starts_with("my.json: response: expected one of \"soft\"")) << message;
  EXPECT_TRUE(message.ends_with(", got \"magic\"")) << message;
}

TEST(SceneErrors, Meshes) {
  expect_messages({
      {with_mesh("{}"), R"(my.json: bodies[0].mesh: missing field "generator" or "file")"},
      {with_mesh(R"({"generator": "box", "file": "a.obj"})"),
       R"(my.json: bodies[0].mesh.file: a mesh has a "generator" or a "file", not both)"},
      {with_mesh(R"({"file": ""})"), R"(my.json: bodies[0].mesh.file: expected the name of a file, got "")"},
      {with_mesh(R"({"file": "a\u0000.obj"})"),
       R"(my.json: bodies[0].mesh.file: expected the name of a file, got "a\u0000.obj")"},
      {with_mesh(R"({"file": "a.obj", "unit": "mile"})"),
       R"(my.json: bodies[0].mesh.unit: expected one of "file", "m", "cm", "mm", "um", "in", "ft", got "mile")"},
      {with_mesh(R"({"generator": "box", "up": "z"})"),
       R"(my.json: bodies[0].mesh.up: unknown field; the fields here are "file", "generator", "size", "segments", "dents", "position", "rotation", "scale")"},
      {with_mesh(R"({"generator": "cube"})"),
       R"(my.json: bodies[0].mesh.generator: expected one of "box", "icosphere", "torus", "trefoil", "sheet", "roll", "extrusion", "revolution", "ribbon", "figure", "shirt", got "cube")"},
      {with_mesh(R"({"generator": "extrusion", "outline": [[0, 0], [1, 0]]})"),
       "my.json: bodies[0].mesh.outline: expected at least 3 corners, got a list of 2 items"},
      {with_mesh(R"({"generator": "revolution", "profile": [[0, 0], [1, 0], [1]]})"),
       "my.json: bodies[0].mesh.profile[2]: expected a list of 2 numbers, got a list of 1 item"},
      {with_mesh(R"({"generator": "torus", "tube_radius": -0.5})"),
       "my.json: bodies[0].mesh.tube_radius: expected a positive number, got -0.5"},
      {with_mesh(R"({"generator": "torus", "around": 2})"),
       "my.json: bodies[0].mesh.around: expected an integer of at least 3, got 2"},
      {with_mesh(R"({"generator": "box", "dents": [{"center": [0, 0, 0]}]})"),
       "my.json: bodies[0].mesh.dents[0]: missing field \"direction\""},
      {with_mesh(R"({"generator": "box", "dents": [{"centre": [0, 0, 0]}]})"),
       "my.json: bodies[0].mesh.dents[0].centre: unknown field; did you mean \"center\"?"},
      {with_mesh(R"({"generator": "icosphere", "subdivisions": 15})"),
       "my.json: bodies[0].mesh: 2.15e+10 triangles are more than the 715827882 that can be numbered"},
      {with_mesh(R"({"generator": "icosphere", "subdivisions": 2147483647})"),
       "my.json: bodies[0].mesh: inf triangles are more than the 715827882 that can be numbered"},
      {with_mesh(R"({"generator": "box", "segments": 2147483647})"),
       "my.json: bodies[0].mesh: 5.53e+19 triangles are more than the 715827882 that can be numbered"},
  });
}

TEST(SceneErrors, MessagesStayShortAndReadable) {
  const std::string long_text(100'000, 'x');
  EXPECT_LT(error_of(with_fields("\"dt\": \"" + long_text + "\"")).size(), 200U);
  EXPECT_LT(error_of(with_fields("\"" + long_text + "\": 1")).size(), 400U);
  EXPECT_LT(error_of("{\"" + long_text).size(), 200U);
  EXPECT_LT(error_of("{\"dt\": 1" + std::string(100'000, '0') + "e999}").size(), 200U);
}

TEST(SceneErrors, NumbersMayBeWrittenInAnyWay) {
  const Scene scene = parse_scene(with_fields(R"("steps": 40.0, "dt": 2e-3, "threads": 1E0)"), "my.json", "");
  EXPECT_EQ(scene.steps, 40);
  EXPECT_EQ(scene.world.dt, 0.002);
  EXPECT_EQ(scene.world.threads, 1);
}

}  // namespace
}  // namespace carom
