#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "carom/core/error.hpp"
#include "carom/io/replay.hpp"
#include "carom/io/scene.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

/// A scene whose body is moved by a replay of two frames in which its triangle goes along x by one.
class SceneAnimation : public testing::Test {
 protected:
  SceneAnimation() : folder_(std::filesystem::temp_directory_path() / "carom-scene-animation") {
    std::filesystem::create_directories(folder_);
    ReplayWriter writer(folder_ / "walk.replay", 3, std::vector<Triangle>{{0, 1, 2}}, std::vector<Index>{0});
    for (const double x : {0.0, 1.0}) writer.write_frame(std::vector<Vector3d>{{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}});
    writer.close();
  }
  ~SceneAnimation() override { std::filesystem::remove_all(folder_); }

  Scene parse(const std::string& members) const {
    return parse_scene(R"({"name": "walk", "bodies": [{"name": "figure", "kind": "scripted", )" + members + "}]}",
                       "my.json", folder_);
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(SceneAnimation, MovesTheMeshUnderItsPlacementAndKeyframes) {
  const Scene scene = parse(R"("mesh": {"file": "walk.replay", "scale": 2},
      "animation": {"loop": false, "frame_time": 0.5},
      "keyframes": [{"time": 0}, {"time": 1, "position": [0, 0, 7]}])");
  const ScriptedBody body = build(std::get<ScriptedSceneBody>(scene.bodies[0].body));
  EXPECT_EQ(body.mesh.triangles.size(), 1U);
  std::vector<Vector3d> positions(3);
  body.motion(0.25, positions);
  EXPECT_NEAR(positions[0].x(), 1, 1e-12) << "half of the way, twice as large";
  body.motion(1, positions);
  EXPECT_LT((positions[1] - Vector3d(4, 0, 7)).norm(), 1e-12);
  // What is written reads back.
  const Scene again = parse_scene(to_json(scene), "again.json", {});
  const auto& read = std::get<ScriptedSceneBody>(again.bodies[0].body);
  ASSERT_TRUE(read.animation.has_value());
  EXPECT_FALSE(read.animation->loop);
  EXPECT_DOUBLE_EQ(read.animation->frame_time, 0.5);
}

TEST_F(SceneAnimation, WhatDoesNotGoTogetherIsRefusedByName) {
  const auto refused = [&](const std::string& members) {
    try {
      build(std::get<ScriptedSceneBody>(parse(members).bodies[0].body));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused(R"("mesh": {"generator": "sheet"}, "animation": {})"),
            "body 'figure': animation: the mesh is made by a generator that has none; expected a file or the generator "
            "'figure'");
  EXPECT_NE(refused(R"("mesh": {"file": "walk.replay"}, "animation": {"name": "run"})").find("called 'run'"),
            std::string::npos);
  EXPECT_NE(refused(R"("mesh": {"file": "walk.replay", "up": "z"}, "animation": {})").find("up and unit"),
            std::string::npos);
}

}  // namespace
}  // namespace carom
