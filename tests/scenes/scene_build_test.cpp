#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>

#include "carom/core/error.hpp"
#include "carom/io/scene.hpp"
#include "io/scene/scene_fields.hpp"
#include "world/option_difference.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

std::vector<Vector3d> at(const ScriptedBody& body, double time) {
  std::vector<Vector3d> positions(body.mesh.positions.size(), Vector3d::Constant(NAN));
  body.motion(time, positions);
  return positions;
}

void expect_near(const std::vector<Vector3d>& left, const std::vector<Vector3d>& right, double tolerance = 1e-12) {
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) EXPECT_LT((left[i] - right[i]).norm(), tolerance) << i;
}

std::string error_of(const Scene& scene) {
  try {
    build_world(scene);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

Keyframe key(double time, const Vector3d& position, double degrees = 0, double morph = 0) {
  Keyframe result{.time = time, .placement = {}, .morph = morph};
  result.placement.position = position;
  result.placement.rotation_degrees = degrees;
  return result;
}

TEST(SceneBuild, PlacesScaleThenRotationThenPosition) {
  MeshSource source;
  source.placement = {.position = {10, 0, 0}, .rotation_axis = {0, 0, 5}, .rotation_degrees = 90, .scale = {2, 1, 1}};
  const TriangleMesh plain = build(MeshSource{});
  const TriangleMesh placed = build(source);
  EXPECT_EQ(placed.triangles, plain.triangles);
  for (std::size_t i = 0; i < plain.positions.size(); ++i) {
    const Vector3d& p = plain.positions[i];
    EXPECT_LT((placed.positions[i] - Vector3d(10 - p.y(), 2 * p.x(), p.z())).norm(), 1e-12);
  }
}

TEST(SceneBuild, SoftBodyOfAFileOfTetrahedraFalls) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "carom-scene-tetrahedra";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "two.vtk") << "# vtk DataFile Version 5.1\ntwo\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                                       "POINTS 5 double\n0 0 0 1 0 0 0 1 0\n0 0 1 0 0 -1\nCELLS 3 8\n"
                                       "OFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 0 1 2 4\n"
                                       "CELL_TYPES 2\n10\n10\n";
  std::ofstream(folder / "scene.json")
      << R"({"name": "two", "steps": 10, "dt": 0.01, "gravity": [0, -10, 0], "contact": {"distance": 0.01},
             "bodies": [{"name": "organ", "kind": "soft", "mesh": {"file": "two.vtk", "position": [0, 5, 0]},
                         "elasticity": {"density": 300, "young_modulus": 1e5, "poisson_ratio": 0.3}}]})";
  World world = build_world(find_scene((folder / "scene.json").string()));
  const BodyId organ = world.bodies()[0];
  EXPECT_EQ(world.soft_state(organ).elements, 2U);
  EXPECT_EQ(world.triangles(organ).size(), 6U);
  EXPECT_NEAR(world.soft_state(organ).mass, 300.0 / 3, 1e-9);
  for (int i = 0; i < 10; ++i) world.step();
  EXPECT_NEAR(world.balance().momentum.y(), -100 * 10 * 0.1, 1e-6);
  EXPECT_NEAR(world.positions(organ)[0].y(), 5 - 0.05, 0.01);
  std::ofstream(folder / "two.vtk") << "# vtk DataFile Version 5.1\ntwo\nBINARY\n";
  const std::string error = [&] {
    try {
      build_world(find_scene((folder / "scene.json").string()));
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  }();
  EXPECT_NE(error.find("body 'organ'"), std::string::npos) << error;
  EXPECT_NE(error.find("two.vtk, line 3: a binary file"), std::string::npos) << error;
  std::filesystem::remove_all(folder);
}

TEST(SceneBuild, SmallestClothFallsAndTakesItsFabricByName) {
  const auto parse = [](const std::string& fields) {
    return parse_scene(
        R"({"name": "n", "bodies": [{"name": "c", "kind": "cloth", "mesh": {"generator": "sheet"})" + fields + "}]}",
        "scene.json", ".");
  };
  World world = build_world(parse(""));
  const BodyId cloth = world.bodies()[0];
  const double height = world.positions(cloth)[0].y();
  for (int k = 0; k < 10; ++k) world.step();
  const double t = world.time();
  EXPECT_NEAR(world.positions(cloth)[0].y(), height - 0.5 * 9.81 * t * t, 0.06 * t * t * 9.81);

  const auto mass = [&](const std::string& fields) { return build_world(parse(fields)).balance().mass; };
  EXPECT_NEAR(mass(R"(, "fabric": "denim")") / mass(R"(, "fabric": "silk")"),
              fabric_by_name("denim").density / fabric_by_name("silk").density, 1e-12);
  EXPECT_NEAR(mass(R"(, "fabric_properties": {"density": 0.3})") / mass(""), 0.3 / fabric_by_name("cotton").density,
              1e-12);
  // Wind blows where it is given.
  World windy = build_world(parse(R"(, "wind": {"velocity": [0, 5, 0]})"));
  windy.step();
  EXPECT_GT(windy.velocities(windy.bodies()[0])[0].y(), -9.81 * windy.time() + 1e-3);
}

TEST(SceneBuild, DentsTakeADirectionOfAnyLength) {
  MeshSource source;
  source.shape = SheetSource{.size_x = 2, .size_z = 2, .segments_x = 2, .segments_z = 2};
  source.dents = {{.center = {0, 0, 0}, .direction = {0, -7, 0}, .radius = 0.5, .depth = 0.25}};
  double lowest = 0;
  for (const Vector3d& p : build(source).positions) lowest = std::min(lowest, p.y());
  EXPECT_DOUBLE_EQ(lowest, -0.25);
}

TEST(SceneBuild, MotionRestsOutsideItsKeys) {
  ScriptedSceneBody spec;
  spec.keyframes = {key(1, {1, 0, 0}), key(2, {2, 0, 0}, 90)};
  const ScriptedBody body = build(spec);
  EXPECT_EQ(at(body, -5), at(body, 1));
  EXPECT_EQ(at(body, 2), at(body, 100));
  for (std::size_t i = 0; i < body.mesh.positions.size(); ++i) {
    EXPECT_EQ(at(body, 1)[i], body.mesh.positions[i] + Vector3d(1, 0, 0));
  }
}

TEST(SceneBuild, MotionWithoutKeysStaysAtThePlacement) {
  ScriptedSceneBody spec;
  spec.source.placement.position = {1, 2, 3};
  const ScriptedBody body = build(spec);
  EXPECT_EQ(at(body, 3), body.mesh.positions);
}

TEST(SceneBuild, MotionIsSmoothBetweenItsKeys) {
  ScriptedSceneBody spec;
  spec.keyframes = {key(0, {0, 0, 0}), key(2, {8, 0, 0}, 90)};
  spec.keyframes[1].placement.scale = {3, 3, 3};
  const ScriptedBody body = build(spec);
  // Half way in time is half way in everything; a quarter of the time is 5/32 of the way.
  const double turn = std::numbers::pi / 2;
  for (const auto& [time, s] : {std::pair{1.0, 0.5}, std::pair{0.5, 5.0 / 32}}) {
    std::vector<Vector3d> expected;
    for (const Vector3d& p : body.mesh.positions) {
      expected.push_back(Vector3d(8 * s, 0, 0) + Eigen::AngleAxisd(turn * s, Vector3d::UnitY()) * ((1 + 2 * s) * p));
    }
    expect_near(at(body, time), expected);
  }
}

TEST(SceneBuild, RotationTakesTheShortestArc) {
  ScriptedSceneBody spec;
  spec.keyframes = {key(0, {0, 0, 0}, 10), key(1, {0, 0, 0}, 350)};
  const ScriptedBody body = build(spec);
  expect_near(at(body, 0.5), body.mesh.positions);
}

TEST(SceneBuild, MorphBlendsBeforeThePlacement) {
  ScriptedSceneBody spec;
  spec.source.placement = {
      .position = {0, 5, 0}, .rotation_axis = {0, 0, 1}, .rotation_degrees = 90, .scale = {1, 1, 1}};
  spec.morph_target = MeshSource{.shape = BoxSource{.size = {3, 1, 1}, .segments = 1}, .dents = {}, .placement = {}};
  spec.keyframes = {key(0, {0, 0, 0}, 0, 0), key(2, {0, 0, 0}, 0, 1)};
  const ScriptedBody body = build(spec);
  MeshSource half = spec.source;
  half.shape = BoxSource{.size = {2, 1, 1}, .segments = 1};
  expect_near(at(body, 1), build(half).positions);
  half.shape = spec.morph_target->shape;
  expect_near(at(body, 2), build(half).positions);
}

TEST(SceneBuild, PlacementOfTheMorphTargetIsRelativeToTheMesh) {
  ScriptedSceneBody spec;
  spec.source.placement.position = {0, 5, 0};
  spec.morph_target = MeshSource{};
  spec.morph_target->placement.scale = {2, 2, 2};
  spec.keyframes = {key(0, {0, 0, 0}, 0, 1)};
  MeshSource expected = spec.source;
  expected.placement.scale = {2, 2, 2};
  expect_near(at(build(spec), 0), build(expected).positions);
}

TEST(SceneBuild, ErrorsNameTheBody) {
  Scene scene;
  ScriptedSceneBody spec;
  scene.bodies = {{"good", FixedSceneBody{}}, {"bad", spec}};
  auto& bad = std::get<ScriptedSceneBody>(scene.bodies[1].body);

  bad.morph_target = MeshSource{.shape = BoxSource{.size = {1, 1, 1}, .segments = 2}, .dents = {}, .placement = {}};
  EXPECT_EQ(error_of(scene), "body 'bad': morph_target: 26 vertices, but the mesh has 8");
  bad.morph_target.reset();

  bad.keyframes = {key(1, {0, 0, 0}), key(1, {0, 0, 0})};
  EXPECT_EQ(error_of(scene), "body 'bad': keyframes[1].time: 1 is not after the one before");
  bad.keyframes = {key(0, {NAN, 0, 0})};
  EXPECT_EQ(error_of(scene), "body 'bad': keyframes[0].position: not finite");
  bad.keyframes = {key(0, {0, 0, 0})};
  bad.keyframes[0].placement.scale = {0, 1, 1};
  EXPECT_EQ(error_of(scene), "body 'bad': keyframes[0].scale: must be positive");
  bad.keyframes.clear();

  bad.source.placement.rotation_axis.setZero();
  EXPECT_EQ(error_of(scene), "body 'bad': rotation.axis: a direction of length 0");
  bad.source.placement = {};
  bad.source.dents = {{.center = {0, 0, 0}, .direction = {0, 0, 0}, .radius = 1, .depth = 1}};
  EXPECT_EQ(error_of(scene), "body 'bad': dents[0].direction: a direction of length 0");
  bad.source.dents.clear();

  bad.source.shape = IcosphereSource{.radius = 1, .subdivisions = 15};
  EXPECT_EQ(error_of(scene), "body 'bad': 2.15e+10 triangles are more than the 715827882 that can be numbered");
  bad.source.shape = TorusSource{.radius = 1, .tube_radius = -1, .around = 10, .across = 10};
  EXPECT_TRUE(error_of(scene).starts_with("body 'bad': make_torus: tube_radius is -1"));
  bad.source.shape = FileSource{"nowhere/nothing.obj"};
  const std::string missing = error_of(scene);
  EXPECT_TRUE(missing.starts_with("body 'bad': ")) << missing;
  EXPECT_NE(missing.find("nowhere/nothing.obj"), std::string::npos) << missing;
}

TEST(SceneBuild, FieldsOfFixedAndScriptedBodiesReachTheWorld) {
  const char* text = R"({
    "dt": 0.005, "gravity": [0, 0, 0],
    "bodies": [
      {"name": "post", "kind": "fixed", "mesh": {"generator": "box"}, "field": {"tolerance": 0.01}},
      {"name": "hand", "kind": "scripted", "mesh": {"generator": "box", "position": [3, 0, 0]}, "field": {},
       "keyframes": [{"time": 0, "scale": 2}, {"time": 1, "scale": 2, "position": [0, 1, 0]}]},
      {"name": "in post", "kind": "particles", "mesh": {"generator": "sheet", "size_x": 0.1, "size_z": 0.1,
       "segments_x": 1, "segments_z": 1, "position": [0, 0.2, 0]}},
      {"name": "in hand", "kind": "particles", "mesh": {"generator": "sheet", "size_x": 0.1, "size_z": 0.1,
       "segments_x": 1, "segments_z": 1, "position": [6, 0.4, 0]}}]})";
  World world = build_world(parse_scene(text, "fields.json", ""));
  world.step();
  // Only a field tells how deep a surface is in a scripted body: the upper side is 0.3 m and 0.6 m away.
  std::map<std::string, double> deepest;
  for (const WorldContact& c : world.contacts()) {
    double& depth = deepest[world.name(c.body_b)];
    depth = std::min(depth, c.distance);
  }
  EXPECT_NEAR(deepest["in post"], -0.3, 0.02);
  EXPECT_NEAR(deepest["in hand"], -0.6, 0.04);
}

TEST(SceneBuild, FieldOfABodyThatMorphsIsRefused) {
  ScriptedSceneBody spec;
  spec.name = "blob";
  spec.morph_target = MeshSource{};
  spec.field = FieldOptions{};
  Scene scene;
  scene.bodies = {spec};
  EXPECT_EQ(error_of(scene), "body 'blob': field: does not go together with morph_target, which changes the shape");
}

TEST(SceneBuild, TriangleOfAMorphTargetThatDiffersIsNamed) {
  // The same counts, but not the same surface.
  ScriptedSceneBody spec;
  spec.source.shape = SheetSource{.size_x = 1, .size_z = 1, .segments_x = 2, .segments_z = 5};
  spec.morph_target = MeshSource{
      .shape = SheetSource{.size_x = 1, .size_z = 1, .segments_x = 5, .segments_z = 2}, .dents = {}, .placement = {}};
  Scene scene;
  scene.bodies = {{"sheet", spec}};
  const std::string message = error_of(scene);
  EXPECT_TRUE(message.starts_with("body 'sheet': morph_target: triangle ")) << message;
}

TEST(SceneBuild, FilesAreRelativeToTheFolderOfTheScene) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "carom_scene_build_test" / "inner";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "one.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  std::ofstream(folder / "scene.json")
      << R"({"name": "s", "bodies": [{"name": "a", "kind": "fixed", "mesh": {"file": "one.obj", "position": [0, 0, 7]}}]})";
  const Scene scene = load_scene(folder / "scene.json");
  EXPECT_EQ(std::get<FileSource>(std::get<FixedSceneBody>(scene.bodies[0].body).source.shape).path, folder / "one.obj");
  const World world = build_world(scene);
  EXPECT_EQ(world.positions(world.bodies()[0])[1], Vector3d(1, 0, 7));
  EXPECT_EQ(find_scene((folder / "scene.json").string()).name, "s");
  std::filesystem::remove_all(folder.parent_path());
}

TEST(SceneBuild, FiltersReachTheWorld) {
  Scene scene;
  scene.world.contact.distance = 0.05;
  EXPECT_FALSE(scene.world.contact.immovable);
  scene.world.contact.immovable = true;
  for (const double x : {0.0, 1.02, 2.04}) {
    FixedSceneBody box;
    box.source.placement.position.x() = x;
    scene.bodies.push_back({"box " + std::to_string(scene.bodies.size()), box});
  }
  const auto contacts = [&] {
    World world = build_world(scene);
    world.step();
    return world.contacts().size();
  };
  const std::size_t all = contacts();  // the two gaps are alike
  scene.excluded_bodies = {{"box 1", "box 0"}};
  EXPECT_EQ(contacts(), all / 2);
  scene.bodies[2].filter().group = 2;
  scene.bodies[1].filter().mask = 1;
  EXPECT_EQ(contacts(), 0U);
  scene.excluded_bodies = {{"box 1", "sphere"}};
  EXPECT_EQ(error_of(scene), "excluded_bodies[0]: no body is called 'sphere'");
  scene.excluded_bodies = {};
  scene.continuous_pairs = {{"box 0", "box 1"}};
  scene.discrete_pairs = {{"box 1", "box 0"}};
  EXPECT_EQ(error_of(scene), "discrete_pairs: 'box 1' and 'box 0' are also in continuous_pairs");
  scene.continuous_pairs = {{"box 0", "sphere"}};
  EXPECT_EQ(error_of(scene), "continuous_pairs[0]: no body is called 'sphere'");
}

TEST(SceneBuild, FilesThatCannotBeReadAreNamed) {
  for (const char* path : {"no/such/scene.json", "."}) {
    try {
      load_scene(path);
      FAIL() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::io);
      EXPECT_TRUE(std::string(error.what()).starts_with(std::string(path) + ": cannot ")) << error.what();
    }
  }
}

Scene scene_of(const std::string& bodies, const std::string& fields = "") {
  return parse_scene(R"({"name": "s", "bodies": [)" + bodies + "]" + fields + "}", "my.json", "");
}

TEST(SceneBuild, RigidBodiesAreWhereTheyWerePut) {
  const Scene scene = scene_of(R"({"name": "a", "kind": "rigid", "shape": {"kind": "box", "half": [1, 2, 3]},
    "position": [4, 5, 6], "rotation": {"axis": [0, 0, 3], "degrees": 90}, "density": 10, "velocity": [0, 1, 0]})");
  const World world = build_world(scene);
  const BodyId body = world.bodies()[0];
  EXPECT_EQ(world.name(body), "a");
  EXPECT_EQ(world.motion(body), MotionModel::rigid);
  EXPECT_NEAR(world.mass(body), 10 * 2 * 4 * 6, 1e-9);
  EXPECT_EQ(world.velocity(body), Vector3d(0, 1, 0));
  // A quarter turn about z takes x to y.
  EXPECT_LT((world.pose(body) * Vector3d(1, 0, 0) - Vector3d(4, 6, 6)).norm(), 1e-12);
}

TEST(SceneBuild, CompoundsHaveTheirPartsInPlace) {
  const Scene scene = scene_of(R"({"name": "a", "kind": "rigid", "shape": {"kind": "compound", "parts": [
    {"shape": {"kind": "sphere", "radius": 1}, "position": [0, 3, 0]},
    {"shape": {"kind": "box", "half": [1, 1, 1]}, "rotation": {"axis": [0, 1, 0], "degrees": 45}}]}})");
  const World world = build_world(scene);
  const Shape& shape = world.shape(world.bodies()[0]);
  EXPECT_NEAR(shape.support({0, 1, 0}).y(), 4, 1e-12);
  EXPECT_NEAR(shape.support({1, 0, 0}).x(), std::sqrt(2.0), 1e-12);
}

TEST(SceneBuild, ExcludedRigidBodiesPassThroughEachOther) {
  const std::string ball = R"({"name": "ball", "kind": "rigid", "shape": {"kind": "sphere", "radius": 0.5},
    "position": [0, 0.5, 0]}, {"name": "ground", "kind": "fixed",
    "shape": {"kind": "half_space"}})";
  World resting = build_world(scene_of(ball));
  World falling = build_world(scene_of(ball, R"(, "excluded_bodies": [["ground", "ball"]])"));
  for (int i = 0; i < 20; ++i) {
    resting.step();
    falling.step();
  }
  EXPECT_NEAR(resting.pose(resting.bodies()[0]).translation().y(), 0.5, 1e-3);
  // 0.2 s of free fall.
  EXPECT_NEAR(falling.pose(falling.bodies()[0]).translation().y(), 0.5 - 0.5 * 9.81 * 0.2 * 0.2, 0.02);
}

TEST(SceneBuild, ErrorsOfRigidBodiesNameThem) {
  Scene scene = scene_of(R"({"name": "a", "kind": "rigid", "shape": {"kind": "half_space"}})");
  EXPECT_EQ(error_of(scene),
            "my.json: bodies[0]: body 'a' is a half-space, which has no mass; expected it to be fixed");
  auto& body = std::get<RigidSceneBody>(scene.bodies[0].body);
  CompoundShape compound;
  compound.parts.resize(2);
  compound.parts[1].shape.shape = SphereShape{-1};
  body.source.shape = compound;
  EXPECT_TRUE(error_of(scene).starts_with("my.json: bodies[0]: body 'a': parts[1]: ")) << error_of(scene);
  scene.world.response = "magic";
  EXPECT_TRUE(error_of(scene).starts_with("my.json: response is 'magic'")) << error_of(scene);
}

TEST(SceneBuild, ErrorsNameTheFileAndThePlaceInIt) {
  const std::string ground = R"({"name": "ground", "kind": "fixed",
    "shape": {"kind": "half_space"}}, )";
  // Three points in a line: each of them is fine, and only the hull is not.
  const std::string flat = R"({"name": "flat", "kind": "rigid", "shape": {"kind": "hull",
    "points": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}})";
  EXPECT_TRUE(error_of(scene_of(ground + flat)).starts_with("my.json: bodies[1]: body 'flat'"))
      << error_of(scene_of(ground + flat));
  const std::string missing = R"({"name": "lost", "kind": "fixed", "mesh": {"file": "nowhere.obj"}})";
  EXPECT_TRUE(error_of(scene_of(missing)).starts_with("my.json: bodies[0]: body 'lost': "))
      << error_of(scene_of(missing));
  const std::string ball = R"({"name": "ball", "kind": "rigid", "shape": {"kind": "sphere", "radius": 1}})";
  Scene odd = scene_of(ball);
  odd.world.solver.lcp.directions = 5;  // which the parser would not let pass
  EXPECT_EQ(error_of(odd), "my.json: solver.lcp.directions is 5; expected an even number from 2 to 64");
}

TEST(SceneBuild, OptionsThatWouldDoNothingAreRefused) {
  const std::string ball = R"({"name": "ball", "kind": "rigid", "shape": {"kind": "sphere", "radius": 1}})";
  const std::string box = R"({"name": "box", "kind": "fixed", "mesh": {"generator": "box"}})";
  const std::string rigid_only = ": does nothing where all bodies are rigid; leave it out";
  EXPECT_EQ(error_of(scene_of(ball, R"(, "method": "grid")")), "my.json: method" + rigid_only);
  EXPECT_EQ(error_of(scene_of(ball, R"(, "detection": "continuous")")), "my.json: detection" + rigid_only);
  EXPECT_EQ(error_of(scene_of(ball, R"(, "contact": {"stiffness": 3})")), "my.json: contact.stiffness" + rigid_only);
  const std::string meshes_only = ": does nothing where no body is rigid or made of particles; leave it out";
  EXPECT_EQ(error_of(scene_of(box, R"(, "response": "lcp")")), "my.json: response" + meshes_only);
  EXPECT_EQ(error_of(scene_of(box, R"(, "solver": {"soft": {"substeps": 8}})")),
            "my.json: solver.soft.substeps" + meshes_only);
  // What is given as it is anyway does no harm.
  const std::string defaults = R"(, "method": "auto", "detection": "discrete", "contact": {"distance": 0.01},
    "response": "soft", "solver": {"soft": {"substeps": 4}})";
  EXPECT_EQ(error_of(scene_of(ball, defaults)), "no error");
  EXPECT_EQ(error_of(scene_of(box, defaults)), "no error");
}

TEST(SceneBuild, BodiesOfAllKindsShareAScene) {
  const std::string ball = R"({"name": "ball", "kind": "rigid", "shape": {"kind": "sphere", "radius": 0.1}})";
  const std::string box = R"({"name": "box", "kind": "fixed", "mesh": {"generator": "box", "position": [3, 0, 0]}})";
  const std::string mover = R"({"name": "mover", "kind": "scripted",
    "mesh": {"generator": "box", "position": [-3, 0, 0]}})";
  const std::string cloth = R"({"name": "cloth", "kind": "particles",
    "mesh": {"generator": "sheet", "position": [0, 1, 0]}})";
  // Each option acts on a body that is there.
  const std::string options = R"(, "method": "grid", "detection": "continuous", "contact": {"distance": 0.02},
    "response": "impulse", "dt": 0.0005, "solver": {"soft": {"substeps": 8}})";
  EXPECT_EQ(error_of(scene_of(ball + ", " + box + ", " + mover + ", " + cloth, options)), "no error");
  EXPECT_EQ(error_of(scene_of(ball + ", " + box, options)), "no error");
  EXPECT_EQ(error_of(scene_of(cloth, options)), "no error");
  // The exact solver has no particles, whatever else is in the scene.
  const std::string lcp = R"(, "response": "lcp")";
  EXPECT_EQ(error_of(scene_of(ball + ", " + cloth, lcp)),
            "my.json: bodies[1]: body 'cloth': the response 'lcp' does not take particles; 'soft', 'impulse' and "
            "'penalty' do");
  EXPECT_EQ(error_of(scene_of(ball + ", " + box + ", " + mover, lcp)), "no error");
}

TEST(SceneBuild, ASheetWithNothingButItsDefaultsRuns) {
  Scene scene =
      parse_scene(R"({"name": "x", "bodies": [{"name": "c", "kind": "particles", "mesh": {"generator": "sheet"}}]})",
                  "my.json", {});
  World world = build_world(scene);
  for (int i = 0; i < scene.steps; ++i) world.step();
  // Free fall against air of 0.1 / s, all of it alike: the closed form at the end, as near as steps of first order are.
  const double k = 0.1;
  const double t = world.time();
  const double fall = 9.81 / k * (t - (1 - std::exp(-k * t)) / k);
  for (const Eigen::Vector3d& p : world.positions(world.bodies()[0])) EXPECT_NEAR(p.y(), -fall, 0.02 * fall);
}

TEST(SceneBuild, MaterialAndPressureReachTheBodies) {
  // Two sheets on a slope of 20 degrees, whose tangent is 0.36: the rough one stays, the smooth one slides.
  const auto moved = [](double friction) {
    Scene scene = scene_of(R"({"name": "slope", "kind": "fixed", "friction": 1,
        "shape": {"kind": "half_space", "normal": [0.34202014, 0.93969262, 0]}},
      {"name": "sheet", "kind": "particles", "mass": 0.1, "friction": 1, "mesh": {"generator": "sheet", "size_x": 0.2,
        "size_z": 0.2, "segments_x": 4, "segments_z": 4, "rotation": {"axis": [0, 0, 1], "degrees": -20},
        "position": [0.00342, 0.0094, 0]}})");
    std::get<ParticleSceneBody>(scene.bodies[1].body).material.friction = friction;
    World world = build_world(scene);
    const Eigen::Vector3d start = world.positions(world.bodies()[1])[0];
    for (int i = 0; i < 50; ++i) world.step();
    return (world.positions(world.bodies()[1])[0] - start).norm();
  };
  EXPECT_LT(moved(1), 0.01);
  EXPECT_GT(moved(0.01), 0.2);

  const std::string balloon = R"({"name": "balloon", "kind": "particles", "pressure": -1,
    "mesh": {"generator": "icosphere"}})";
  EXPECT_THROW(scene_of(balloon), Error);
  const std::string open = R"({"name": "open", "kind": "particles", "pressure": 10, "mesh": {"generator": "sheet"}})";
  EXPECT_TRUE(error_of(scene_of(open)).starts_with("my.json: bodies[0]: body 'open': pressure needs a closed mesh"));
}

TEST(SceneBuild, RigidBodiesHaveNoDetectionToChoose) {
  const std::string bodies = R"({"name": "a", "kind": "fixed", "shape": {"kind": "half_space"}},
    {"name": "b", "kind": "scripted", "shape": {"kind": "sphere", "radius": 1}})";
  EXPECT_TRUE(error_of(scene_of(bodies, R"(, "continuous_pairs": [["a", "b"]])"))
                  .starts_with("my.json: set_detection: body 'a' is rigid"));
}

/// Visitor of scene_fields.hpp that changes the field with a number.
struct OneChanged {
  std::size_t wanted = 0;
  std::size_t seen = 0;
  std::string name{};

  bool is_it(std::string_view field) {
    if (seen++ != wanted) return false;
    name = field;
    return true;
  }
  void number(std::string_view field, double& value, Presence, Sign) {
    if (is_it(field)) value += 1;
  }
  void integer(std::string_view field, int& value, Presence, const IntegerRange&) {
    if (is_it(field)) value += 1;
  }
  void flag(std::string_view field, bool& value, Presence) {
    if (is_it(field)) value = !value;
  }
  template <class Enum>
  void choice(std::string_view field, Enum& value, std::span<const std::string_view>, Presence) {
    if (is_it(field)) value = static_cast<Enum>(value == Enum{} ? 1 : 0);
  }
  template <class Options>
  void object(std::string_view field, Options& options, Presence) {
    const bool found = !name.empty();
    describe(*this, options);
    if (!found && !name.empty()) name = std::string(field) + "." + name;
  }
};

TEST(OptionDifference, NamesEveryFieldOfAScene) {
  const auto each = [](const std::string& group, auto member) {
    std::size_t i = 0;
    for (;; ++i) {
      WorldOptions changed;
      OneChanged change{.wanted = i};
      describe(change, changed.*member);
      if (change.name.empty()) break;
      const std::vector<OptionDifference> found = differences(changed, {});
      ASSERT_EQ(found.size(), 1U) << group << change.name;
      EXPECT_EQ(found[0].name, group + change.name);
      EXPECT_NE(found[0].a, found[0].b);
    }
    EXPECT_GT(i, 4U);
  };
  each("contact.", &WorldOptions::contact);
  each("solver.", &WorldOptions::solver);
}

}  // namespace
}  // namespace carom
