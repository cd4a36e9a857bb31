#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "carom/io/animated_mesh.hpp"
#include "carom/io/replay.hpp"
#include "carom/io/scene.hpp"
#include "carom/mesh/generate.hpp"
#include "io/gltf_text.hpp"
#include "oracle/apart.hpp"

// Cloth on bodies that files move: a skin of glTF, and a cache of vertices.
namespace carom {
namespace {

using Eigen::Vector3d;

constexpr double walk = 0.3;  // m, that the body goes along x between 0.5 and 1.5 s

/// Body like an egg of 30 cm x 50 cm with two joints: the lower one goes along x, the upper one bows by 20 degrees.
std::string skinned_egg() {
  const TriangleMesh egg = make_icosphere(1, 2);
  io::ByteWriter buffer;
  std::string views;
  std::string accessors;
  int next = 0;
  const auto note = [&](std::size_t begin, int component, std::size_t count, const std::string& type) {
    const std::string comma = next == 0 ? "" : ", ";
    views += comma + R"({"buffer": 0, "byteOffset": )" + std::to_string(begin) + R"(, "byteLength": )" +
             std::to_string(buffer.bytes().size() - begin) + "}";
    accessors += comma + R"({"bufferView": )" + std::to_string(next++) + R"(, "componentType": )" +
                 std::to_string(component) + R"(, "count": )" + std::to_string(count) + R"(, "type": ")" + type + "\"}";
  };
  const auto add = [&](const std::vector<float>& values, std::size_t components, const std::string& type) {
    const std::size_t begin = buffer.bytes().size();
    for (const float value : values) buffer.put(value);
    note(begin, 5126, values.size() / components, type);
  };
  const auto add_bytes = [&](const std::vector<std::uint8_t>& values, std::size_t components, const std::string& type) {
    const std::size_t begin = buffer.bytes().size();
    for (const std::uint8_t value : values) buffer.put(value);
    note(begin, 5121, values.size() / components, type);
    while (buffer.bytes().size() % 4 != 0) buffer.put(std::uint8_t{0});
  };
  std::vector<float> places;
  std::vector<std::uint8_t> joints;
  std::vector<float> weights;
  for (const Vector3d& p : egg.positions) {
    for (const double x : {0.15 * p.x(), 0.25 * p.y(), 0.15 * p.z()}) places.push_back(static_cast<float>(x));
    for (const int joint : {0, 1, 0, 0}) joints.push_back(static_cast<std::uint8_t>(joint));
    const auto upper = static_cast<float>(std::clamp(0.5 + p.y(), 0.0, 1.0));
    for (const float weight : {1 - upper, upper, 0.0F, 0.0F}) weights.push_back(weight);
  }
  std::vector<std::uint8_t> corners;
  for (const Triangle& t : egg.triangles) {
    for (const Index v : t) corners.push_back(static_cast<std::uint8_t>(v));
  }
  add(places, 3, "VEC3");
  add_bytes(joints, 4, "VEC4");
  add(weights, 4, "VEC4");
  add_bytes(corners, 1, "SCALAR");
  add({0, 0.5F, 1.5F, 2}, 1, "SCALAR");
  add({0, 0, 0, 0, 0, 0, walk, 0, 0, walk, 0, 0}, 3, "VEC3");
  add({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.17364818F, 0.98480775F, 0, 0, 0.17364818F, 0.98480775F}, 4, "VEC4");
  return test::gltf_text(R"("nodes": [{"mesh": 0, "skin": 0}, {"children": [2]}, {}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 3}]}],
    "skins": [{"joints": [1, 2]}],
    "animations": [{"name": "walk",
      "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}},
                   {"sampler": 1, "target": {"node": 2, "path": "rotation"}}],
      "samplers": [{"input": 4, "output": 5}, {"input": 4, "output": 6}]}],
    "bufferViews": [)" + views +
                             R"(], "accessors": [)" + accessors + "]",
                         buffer);
}

class SceneWorn : public testing::Test {
 protected:
  SceneWorn() : folder_(std::filesystem::temp_directory_path() / "carom-scene-worn") {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "egg.gltf") << skinned_egg();
  }
  ~SceneWorn() override { std::filesystem::remove_all(folder_); }

  /// A cloth that falls on the body, which then walks and bows.
  Scene scene_of(const std::string& file) const {
    return parse_scene(R"({"name": "worn", "contact": {"distance": 0.008}, "bodies": [
      {"name": "body", "kind": "scripted", "friction": 0.8, "mesh": {"file": ")" +
                           file + R"("}, "animation": {"loop": false}},
      {"name": "cape", "kind": "cloth", "friction": 0.8, "air_damping": 1,
       "mesh": {"generator": "sheet", "size_x": 0.6, "size_z": 0.6, "segments_x": 14, "segments_z": 14,
                "position": [0.004, 0.262, 0.003]}}]})",
                       "worn.json", folder_);
  }

  static void expect_worn(const Scene& scene) {
    World world = build_world(scene);
    const BodyId body = world.bodies()[0];
    const BodyId cape = world.bodies()[1];
    const auto mean = [&](BodyId id) {
      double sum = 0;
      for (const Vector3d& p : world.positions(id)) sum += p.x();
      return sum / static_cast<double>(world.positions(id).size());
    };
    for (int step = 1; step <= 105; ++step) {
      world.step();
      ASSERT_EQ(oracle::count_intersections(world), 0U) << "step " << step;
    }
    EXPECT_GT(mean(body), 0.12) << "the body walks, and bows back";
    EXPECT_NEAR(mean(cape), mean(body), 0.1) << "and wears the cape";
    double highest = -1;
    for (const Vector3d& p : world.positions(cape)) highest = std::max(highest, p.y());
    EXPECT_GT(highest, 0.2) << "which is still on its top";
  }

  std::filesystem::path folder_;
};

TEST_F(SceneWorn, BodyOfASkinKeepsItsCapeOn) {
  expect_worn(scene_of("egg.gltf"));
}

TEST_F(SceneWorn, BodyOfACacheOfVerticesKeepsItsCapeOn) {
  const ScriptedBody body = build(std::get<ScriptedSceneBody>(scene_of("egg.gltf").bodies[0].body));
  std::vector<Vector3d> positions(body.mesh.positions.size());
  ReplayWriter writer(folder_ / "egg.replay", positions.size(), body.mesh.triangles,
                      std::vector<Index>(body.mesh.triangles.size(), 0));
  for (int frame = 0; frame <= 60; ++frame) {
    body.motion(frame / 30.0, positions);
    writer.write_frame(positions);
  }
  writer.close();
  expect_worn(scene_of("egg.replay"));
}

}  // namespace
}  // namespace carom
