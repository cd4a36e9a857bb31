#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "carom/core/error.hpp"
#include "carom/io/scene.hpp"

// Scenes with cloth, and what holds it.
namespace carom {
namespace {

template <class Make>
std::string error_of(Make&& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SceneCloth, TheSmallestSceneRuns) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "small cloth.json";
  std::ofstream(path) << R"({"bodies":[{"kind":"cloth","mesh":{"generator":"sheet"}}]})";
  const Scene scene = load_scene(path);
  std::filesystem::remove(path);
  EXPECT_EQ(scene.name, "small cloth") << "as its file";
  ASSERT_EQ(scene.bodies.size(), 1U);
  EXPECT_EQ(scene.bodies[0].name(), "cloth 1");
  EXPECT_EQ(scene.world.response, "soft");
  World world = build_world(scene);
  const double start = world.positions(world.bodies()[0])[0].y();
  for (int k = 0; k < 20; ++k) world.step();
  EXPECT_NEAR(world.positions(world.bodies()[0])[0].y() - start, -0.5 * 9.81 * 0.04, 0.02);
  // Written, it has its names.
  const Scene again = parse_scene(to_json(scene), "other.json", "");
  EXPECT_EQ(again.name, "small cloth");
  EXPECT_EQ(again.bodies[0].name(), "cloth 1");
}

TEST(SceneCloth, MovingPinsWithoutKeyframesAreRefusedByName) {
  const Scene scene = parse_scene(R"({"bodies": [{"kind": "cloth", "name": "flag", "mesh": {"generator": "sheet"},
    "moving_pins": [{"vertices": [0], "keyframes": []}]}]})",
                                  "s.json", "");
  EXPECT_EQ(error_of([&] { build_world(scene); }),
            "s.json: bodies[0]: body 'flag': keyframes is empty; expected at least one, which says where the pins are");
}

TEST(SceneCloth, NamesThatAreNotGivenAreKindAndNumberAndUnique) {
  const Scene scene = parse_scene(R"({"bodies": [
    {"kind": "cloth", "mesh": {"generator": "sheet"}},
    {"kind": "cloth", "mesh": {"generator": "sheet"}, "name": "cloth 2"},
    {"kind": "fixed", "shape": {"kind": "half_space"}},
    {"kind": "cloth", "mesh": {"generator": "sheet"}},
    {"kind": "rigid", "shape": {"kind": "sphere", "radius": 1}},
    {"kind": "fixed", "mesh": {"generator": "box"}}], "excluded_bodies": [["cloth 1", "fixed 2"]]})",
                                  "a/b/odd.name.json", "");
  std::vector<std::string> names;
  for (const SceneBody& body : scene.bodies) names.push_back(body.name());
  EXPECT_EQ(names, (std::vector<std::string>{"cloth 1", "cloth 2", "fixed 1", "cloth 3", "rigid 1", "fixed 2"}));
  EXPECT_EQ(scene.name, "odd.name");
}

TEST(SceneCloth, FabricIsANameOrPropertiesAndRegionsAreSomewhere) {
  const auto refused = [](const std::string& members) {
    try {
      parse_scene(R"({"bodies": [{"kind": "cloth", "mesh": {"generator": "sheet"}, )" + members + "}]}", "s.json", "");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused(R"("fabric": "denim", "fabric_properties": {"density": 1})"),
            "s.json: bodies[0].fabric: cloth has a \"fabric\" or \"fabric_properties\", not both");
  EXPECT_EQ(refused(R"("regions": [{"inside": {"min": [0, 0, 0], "max": [1, 1, 1]}, "fabric": "silk",
                                    "fabric_properties": {"density": 1}}])"),
            "s.json: bodies[0].regions[0].fabric: cloth has a \"fabric\" or \"fabric_properties\", not both");
  const std::string nowhere = refused(R"("regions": [{"fabric": "denim"}])");
  EXPECT_NE(nowhere.find("bodies[0].regions[0]"), nowhere.npos) << nowhere;
  EXPECT_NE(nowhere.find("triangles"), nowhere.npos) << nowhere;
  EXPECT_EQ(refused(R"("regions": [{"triangles": [0], "fabric": "denim"}])"), "accepted");
  // What is written has one of the two.
  const Scene scene = find_scene("trampoline");
  EXPECT_EQ(to_json(parse_scene(to_json(scene), "again.json", {})), to_json(scene));
}

TEST(SceneCloth, RegionsPinsAttachmentsAndSeamsAreBuilt) {
  const Scene scene = parse_scene(R"({"name": "s", "gravity": [0, 0, 0], "bodies": [
    {"name": "flag", "kind": "cloth", "fabric": "silk",
     "mesh": {"generator": "sheet", "segments_x": 4, "segments_z": 4},
     "regions": [{"triangles": [0, 1], "fabric": "denim"},
                 {"inside": {"min": [0, -1, -1], "max": [1, 1, 1]}, "fabric_properties": {"density": 1}}],
     "moving_pins": [{"vertices": [0], "keyframes": [{"time": 0}, {"time": 1, "position": [0, 1, 0]}]}]},
    {"name": "other", "kind": "cloth",
     "mesh": {"generator": "sheet", "segments_x": 4, "segments_z": 4, "position": [0, 0.5, 0]}},
    {"name": "ball", "kind": "rigid", "shape": {"kind": "sphere", "radius": 0.1}, "position": [0, -1, 0]}],
   "attachments": [{"body": "flag", "vertices": [12], "to": "ball"}],
   "seams": [{"a": "flag", "vertices_a": [24], "b": "other", "vertices_b": [24], "duration": 0.1}]})",
                                  "s.json", "");
  World world = build_world(scene);
  EXPECT_EQ(world.joint_count(), 2U);
  // Half of the sheet of 1 m^2 has density 1, two of 32 triangles are denim or in that half, the rest is silk.
  const double silk = fabric_by_name("silk").density;
  const double denim = fabric_by_name("denim").density;
  const double cotton = fabric_by_name("cotton").density;
  const double ball = 4.0 / 3 * 3.14159265358979 * 1e-3 * 1000;
  const ClothBody flag = build(std::get<ClothSceneBody>(scene.bodies[0].body));
  double mass = cotton + ball;
  double pinned = 0;
  for (std::size_t t = 0; t < 32; ++t) {
    double x = 0;
    for (const Index v : flag.mesh.triangles[t]) x += flag.mesh.positions[static_cast<std::size_t>(v)].x() / 3;
    const double density = x >= 0 ? 1 : t < 2 ? denim : silk;
    mass += density / 32;
    for (const Index v : flag.mesh.triangles[t]) pinned += v == 0 ? density / 96 : 0;
  }
  EXPECT_NEAR(world.balance().mass, mass - pinned, 1e-9);
  for (int k = 0; k < 50; ++k) world.step();
  // Halfway in time is halfway up.
  EXPECT_NEAR(world.positions(world.bodies()[0])[0].y(), 0.5, 1e-9);
  // And back to text.
  EXPECT_EQ(to_json(parse_scene(to_json(scene), "s.json", "")), to_json(scene));
}

TEST(SceneCloth, MistakesAreNamedByTheirPath) {
  const auto with = [](const std::string& rest) {
    return error_of([&] {
      build_world(parse_scene(R"({"name": "s", "bodies": [{"name": "flag", "kind": "cloth",
        "mesh": {"generator": "sheet"}}, {"name": "ball", "kind": "rigid", "shape": {"kind": "sphere", "radius": 0.1},
        "position": [0, -1, 0]}], )" +
                                  rest + "}",
                              "s.json", ""));
    });
  };
  EXPECT_EQ(with(R"("attachments": [{"body": "flag", "vertices": [0], "to": "bal"}])"),
            "s.json: attachments[0].to: no body is called 'bal'");
  EXPECT_EQ(with(R"("attachments": [{"body": "flag", "vertices": [9999], "to": "ball"}])"),
            "s.json: attachments[0]: attach: body 'flag' has no vertex 9999, only 441 vertices");
  EXPECT_EQ(with(R"("seams": [{"a": "flag", "vertices_a": [0], "b": "flog", "vertices_b": [1]}])"),
            "s.json: seams[0].b: no body is called 'flog'");
  EXPECT_EQ(with(R"("seams": [{"a": "flag", "vertices_a": [0], "b": "flag"}])"),
            "s.json: seams[0]: missing field \"vertices_b\"");
}

}  // namespace
}  // namespace carom
