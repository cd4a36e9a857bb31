#include "carom/io/animated_mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "carom/io/replay.hpp"
#include "io/gltf_text.hpp"
#include "io/temp_folder.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;
using test::expect_error;

/// Buffer of a file, with an accessor for each list that was added.
struct Lists {
  io::ByteWriter buffer;
  std::string views;
  std::string accessors;

  int add(const std::vector<float>& values, const std::string& type, int components) {
    const std::size_t offset = buffer.bytes().size();
    for (const float value : values) buffer.put(value);
    return describe(offset, values.size() * 4, 5126, type, values.size() / static_cast<std::size_t>(components));
  }
  int add_bytes(const std::vector<std::uint8_t>& values, const std::string& type, int components) {
    const std::size_t offset = buffer.bytes().size();
    for (const std::uint8_t value : values) buffer.put(value);
    return describe(offset, values.size(), 5121, type, values.size() / static_cast<std::size_t>(components));
  }
  std::string text(const std::string& members) const {
    return test::gltf_text(members + R"(, "bufferViews": [)" + views + R"(], "accessors": [)" + accessors + "]",
                           buffer);
  }

 private:
  int describe(std::size_t offset, std::size_t size, int component, const std::string& type, std::size_t count) {
    const std::string comma = next_ == 0 ? "" : ", ";
    views += comma + R"({"buffer": 0, "byteOffset": )" + std::to_string(offset) + R"(, "byteLength": )" +
             std::to_string(size) + "}";
    accessors += comma + R"({"bufferView": )" + std::to_string(next_) + R"(, "componentType": )" +
                 std::to_string(component) + R"(, "count": )" + std::to_string(count) + R"(, "type": ")" + type + "\"}";
    return next_++;
  }
  int next_ = 0;
};

constexpr float root_half = 0.70710678F;

/// A strip of two triangles from x = 0 to x = 2 on two joints at x = 0 and x = 1; the second turns a quarter about z in
/// a second, by a sampler of the given kind.
std::string arm(const std::string& kind, int joints_in_vertices = 1, const std::string& animation = "wave") {
  Lists lists;
  lists.add({0, 0, 0, 0, 1, 0, 2, 0, 0, 2, 1, 0}, "VEC3", 3);
  lists.add_bytes({0, 0, 0, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(joints_in_vertices), 0, 0, 0,
                   static_cast<std::uint8_t>(joints_in_vertices), 0, 0, 0},
                  "VEC4", 4);
  lists.add({1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0}, "VEC4", 4);  // weights need not add up to one
  lists.add({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 1}, "MAT4",
            16);
  lists.add({0, 1}, "SCALAR", 1);
  if (kind == "CUBICSPLINE") {
    lists.add({0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, root_half, root_half, 0, 0, 0, 0}, "VEC4", 4);
  } else {
    lists.add({0, 0, 0, 1, 0, 0, root_half, root_half}, "VEC4", 4);
  }
  lists.add_bytes({0, 2, 1, 1, 2, 3}, "SCALAR", 1);
  return lists.text(R"("nodes": [{"mesh": 0, "skin": 0, "translation": [50, 0, 0]}, {"children": [2]},
      {"translation": [1, 0, 0]}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 6}]}],
    "skins": [{"joints": [1, 2], "inverseBindMatrices": 3}],
    "animations": [{"name": ")" +
                    animation + R"(", "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}],
      "samplers": [{"input": 4, "output": 5, "interpolation": ")" +
                    kind + R"("}]}])");
}

std::vector<Vector3d> pose(const AnimatedMesh& mesh, double time) {
  std::vector<Vector3d> positions(mesh.mesh.positions.size());
  mesh.motion(time, positions);
  return positions;
}

/// The end of the arm, at (2, 0, 0) when it is straight, after a turn of its second half.
Vector3d hand(double angle) {
  return {1 + std::cos(angle), std::sin(angle), 0};
}

TEST(AnimatedMesh, SkinsTurnAsTheirJointsDo) {
  const test::TempFolder folder;
  const double quarter = std::numbers::pi / 2;
  for (const auto& [kind, half] : {std::pair{"LINEAR", quarter / 2}, {"STEP", 0.0}}) {
    const AnimatedMesh mesh = read_animated_mesh(folder.file("arm.gltf", arm(kind)), {.loop = false});
    EXPECT_EQ(mesh.animations, std::vector<std::string>{"wave"});
    EXPECT_DOUBLE_EQ(mesh.duration, 1);
    ASSERT_EQ(mesh.mesh.positions.size(), 4U);
    ASSERT_EQ(mesh.mesh.triangles.size(), 2U);
    EXPECT_LT((mesh.mesh.positions[2] - Vector3d(2, 0, 0)).norm(), 1e-6) << "the node of a skin does not move it";
    EXPECT_LT((pose(mesh, 0.5)[2] - hand(half)).norm(), 1e-6) << kind;
    EXPECT_LT((pose(mesh, 0.5)[0] - Vector3d(0, 0, 0)).norm(), 1e-6) << "the shoulder stays";
    EXPECT_LT((pose(mesh, 1)[2] - hand(quarter)).norm(), 1e-6);
    EXPECT_LT((pose(mesh, 7)[2] - hand(quarter)).norm(), 1e-6) << "without a loop it stays";
  }
}

TEST(AnimatedMesh, CubicSamplersFollowHermite) {
  const test::TempFolder folder;
  const AnimatedMesh mesh = read_animated_mesh(folder.file("arm.gltf", arm("CUBICSPLINE")), {.loop = false});
  // Without tangents, s = 3 u^2 - 2 u^3 of the way from one quaternion to the other, made a unit again.
  for (const double u : {0.25, 0.5, 0.8}) {
    const double s = 3 * u * u - 2 * u * u * u;
    const double half_angle = std::atan2(s * root_half, 1 - s + s * root_half);
    EXPECT_LT((pose(mesh, u)[2] - hand(2 * half_angle)).norm(), 1e-6) << u;
  }
}

TEST(AnimatedMesh, LoopsAndHasASpeed) {
  const test::TempFolder folder;
  const auto path = folder.file("arm.gltf", arm("LINEAR"));
  const AnimatedMesh mesh = read_animated_mesh(path, {.name = "wave", .speed = 2});
  EXPECT_DOUBLE_EQ(mesh.duration, 0.5);
  EXPECT_LT((pose(mesh, 0.25)[2] - hand(std::numbers::pi / 4)).norm(), 1e-6);
  EXPECT_LT((pose(mesh, 0.75)[2] - pose(mesh, 0.25)[2]).norm(), 1e-9);
}

TEST(AnimatedMesh, MorphTargetsAddUpByTheirWeights) {
  Lists lists;
  lists.add({0, 0, 0, 1, 0, 0, 0, 1, 0}, "VEC3", 3);
  lists.add({0, 0, 1, 0, 0, 1, 0, 0, 1}, "VEC3", 3);
  lists.add({1, 0, 0, 0, 0, 0, 0, 0, 0}, "VEC3", 3);
  lists.add({0, 2}, "SCALAR", 1);
  lists.add({0, 0, 1, 0.5F}, "SCALAR", 1);
  const test::TempFolder folder;
  const auto path = folder.file("face.gltf", lists.text(R"("nodes": [{"mesh": 0, "translation": [0, 3, 0]}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}, {"POSITION": 2}]}]}],
    "animations": [{"channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
      "samplers": [{"input": 3, "output": 4}]}])"));
  const AnimatedMesh mesh = read_animated_mesh(path);
  EXPECT_LT((pose(mesh, 0)[0] - Vector3d(0, 3, 0)).norm(), 1e-9);
  EXPECT_LT((pose(mesh, 1)[0] - Vector3d(0.25, 3, 0.5)).norm(), 1e-9);
  EXPECT_LT((pose(mesh, 1)[1] - Vector3d(1, 3, 0.5)).norm(), 1e-9);
}

TEST(AnimatedMesh, ReplaysAreCachesOfVertices) {
  const test::TempFolder folder;
  const auto path = folder / "cache.replay";
  {
    const std::vector<Triangle> triangles{{0, 1, 2}};
    const std::vector<Index> objects{0};
    ReplayWriter writer(path, 3, triangles, objects);
    for (const double x : {0.0, 1.0, 3.0})
      writer.write_frame(std::vector<Vector3d>{{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}});
    writer.close();
  }
  const AnimatedMesh mesh = read_animated_mesh(path, {.loop = false, .frame_time = 0.5});
  EXPECT_DOUBLE_EQ(mesh.duration, 1);
  EXPECT_DOUBLE_EQ(pose(mesh, 0.25)[0].x(), 0.5);
  EXPECT_DOUBLE_EQ(pose(mesh, 0.75)[0].x(), 2);
  EXPECT_DOUBLE_EQ(pose(mesh, 9)[0].x(), 3);
}

TEST(AnimatedMesh, ErrorsNameTheCulprit) {
  const test::TempFolder folder;
  const auto read = [&](const std::string& text, const AnimationOptions& options = {}) {
    return [&folder, text, options] { read_animated_mesh(folder.file("bad.gltf", text), options); };
  };
  expect_error(ErrorCode::unknown_name, {"bad.gltf", "'run'", "'wave'"}, read(arm("LINEAR"), {.name = "run"}));
  expect_error(ErrorCode::bad_index, {"bad.gltf", "primitives[0]", "vertex 2 has joint 5; the skin has 2"},
               read(arm("LINEAR", 5)));
  expect_error(ErrorCode::unknown_name, {"bad.gltf", "interpolation", "\"LINEAR\", \"STEP\", \"CUBICSPLINE\""},
               read(arm("BEZIER")));
  std::string text = arm("LINEAR");
  text.replace(text.find(R"("node": 2)"), 9, R"("node": 9)");
  expect_error(ErrorCode::bad_index, {"bad.gltf", "target.node", "there is no nodes[9]"}, read(text));
  text = arm("LINEAR");
  text.replace(text.find(R"("joints": [1, 2])"), 16, R"("joints": [1, 7])");
  expect_error(ErrorCode::bad_index, {"skins[0].joints[1]", "there is no nodes[7]"}, read(text));
  text = arm("LINEAR");
  text.replace(text.find(R"("children": [2])"), 15, R"("children": [1])");
  expect_error(ErrorCode::bad_format, {"nodes[1] is among its own children"}, read(text));
  expect_error(ErrorCode::invalid_argument, {"speed is 0"}, read(arm("LINEAR"), {.speed = 0}));
  expect_error(ErrorCode::unknown_name, {"walk.obj", ".gltf, .glb or .replay"},
               [&] { read_animated_mesh(folder.file("walk.obj", std::string_view("v 0 0 0"))); });
}

}  // namespace
}  // namespace carom
