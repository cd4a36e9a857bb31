#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "carom/core/error.hpp"
#include "carom/io/scene.hpp"

/// Fields that can be written in more than one form.
namespace carom {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Scene scene_of(const std::string& body) {
  return parse_scene(R"({"name": "s", "gravity": [0, 0, 0], "bodies": [)" + body + "]}", "my.json", "");
}

Matrix3d rotation_of(const Scene& scene) {
  return build(std::get<RigidSceneBody>(scene.bodies[0].body)).pose.linear();
}

Scene turned(const std::string& rotation) {
  return scene_of(R"({"name": "a", "kind": "rigid", "shape": {"kind": "sphere", "radius": 1}, "rotation": )" +
                  rotation + "}");
}

Matrix3d about(char letter, double degrees) {
  return Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vector3d::Unit(letter - 'x')).toRotationMatrix();
}

TEST(SceneForms, QuaternionsOfAnyLengthAreRotations) {
  // Twice half a quarter turn about z.
  for (const char* quaternion :
       {"[1, 0, 0, 1]", "[-1, 0, 0, -1]", "[3e-200, 0, 0, 3e-200]", "[7e200, 0, 0, 7e200]", "[5e-324, 0, 0, 5e-324]"}) {
    const Matrix3d r = rotation_of(turned(fmt::format(R"({{"quaternion": {}}})", quaternion)));
    EXPECT_LT((r - about('z', 90)).norm(), 1e-14) << quaternion;
  }
  EXPECT_LT((rotation_of(turned(R"({"quaternion": [0, 0, 2, 0]})")) - about('y', 180)).norm(), 1e-14);
  EXPECT_EQ(rotation_of(turned(R"({"quaternion": [-2, 0, 0, 0]})")), Matrix3d::Identity());
  const Matrix3d general = rotation_of(turned(R"({"quaternion": [1, 2, -3, 4]})"));
  EXPECT_LT((general - Eigen::Quaterniond(1, 2, -3, 4).normalized().toRotationMatrix()).norm(), 1e-14);
}

TEST(SceneForms, EulerAnglesTurnAboutFixedAxesInTheirOrder) {
  // x first: y goes to z, and z stays where it is in the turn about z.
  const Matrix3d r = rotation_of(turned(R"({"euler_degrees": [90, 0, 90]})"));
  EXPECT_LT((r * Vector3d(0, 1, 0) - Vector3d(0, 0, 1)).norm(), 1e-14);
  EXPECT_LT((r * Vector3d(1, 0, 0) - Vector3d(0, 1, 0)).norm(), 1e-14);
  const Vector3d degrees(20, -130, 415);
  for (const std::string order : {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"}) {
    Matrix3d expected = Matrix3d::Identity();
    for (const char letter : order) expected = about(letter, degrees[letter - 'x']) * expected;
    const Matrix3d found =
        rotation_of(turned(fmt::format(R"({{"euler_degrees": [20, -130, 415], "order": "{}"}})", order)));
    EXPECT_LT((found - expected).norm(), 1e-14) << order;
  }
}

TEST(SceneForms, ARotationIsWrittenAgainAsTheSame) {
  for (const char* rotation : {R"({"quaternion": [1, 2, -3, 4]})", R"({"euler_degrees": [20, -130, 415]})",
                               R"({"axis": [1, 2, 3], "degrees": -500})"}) {
    const Scene scene = turned(rotation);
    const Scene again = parse_scene(to_json(scene), "again.json", "");
    EXPECT_EQ(rotation_of(again), rotation_of(scene));
  }
}

TEST(SceneForms, OneNumberScalesAlongAllAxes) {
  const auto mesh = [](const char* scale) {
    const Scene scene = scene_of(
        fmt::format(R"({{"name": "a", "kind": "fixed", "mesh": {{"generator": "box", "scale": {}}}}})", scale));
    return build(std::get<FixedSceneBody>(scene.bodies[0].body).source).positions;
  };
  EXPECT_EQ(mesh("2.5"), mesh("[2.5, 2.5, 2.5]"));
  EXPECT_NE(mesh("2.5"), mesh("1"));
}

/// Poses after a second of tumbling, with the mass or the density given.
std::vector<Eigen::Matrix4d> tumble(const std::string& shape, const std::string& mass) {
  const Scene scene = scene_of(R"({"name": "a", "kind": "rigid", "velocity": [1, 2, 3],
      "angular_velocity": [1, 2, 3], "shape": )" +
                               shape + ", " + mass + "}");
  World world = build_world(scene);
  const BodyId body = world.bodies()[0];
  std::vector<Eigen::Matrix4d> poses;
  for (int step = 0; step < 100; ++step) {
    world.step();
    poses.emplace_back(world.pose(body).matrix());
  }
  poses.emplace_back(Eigen::Matrix4d::Constant(world.mass(body)));
  return poses;
}

TEST(SceneForms, AMassAloneHasTheInertiaOfTheShape) {
  // Volumes of 48 and, of two boxes of different sizes side by side, 8 + 1.
  const std::string box = R"({"kind": "box", "half": [1, 2, 3]})";
  const std::string pair = R"({"kind": "compound", "parts": [{"shape": {"kind": "box", "half": [1, 1, 1]}},
      {"shape": {"kind": "box", "half": [0.5, 0.5, 0.5]}, "position": [1.5, 0, 0]}]})";
  for (const auto& [shape, volume] : {std::pair(box, 48.0), std::pair(pair, 9.0)}) {
    const auto expected = tumble(shape, fmt::format(R"("density": {})", 3 / volume));
    const auto found = tumble(shape, R"("mass": 3)");
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_LT((found[i] - expected[i]).norm(), 1e-11) << i;
    EXPECT_EQ(found.back()(0, 0), 3);
  }
}

TEST(SceneForms, AMassAloneIsWrittenAgainAsANumber) {
  const Scene scene =
      scene_of(R"({"name": "a", "kind": "rigid", "shape": {"kind": "sphere", "radius": 1}, "mass": 0.1})");
  const std::string json = to_json(scene);
  EXPECT_NE(json.find("\"mass\": 0.1"), std::string::npos) << json;
  EXPECT_EQ(to_json(parse_scene(json, "again.json", "")), json);
}

TEST(SceneForms, AShapeWithoutVolumeHasNoInertia) {
  const Scene scene = scene_of(R"({"name": "a", "kind": "rigid", "mass": 2,
      "shape": {"kind": "triangle", "a": [0, 0, 0], "b": [1, 0, 0], "c": [0, 1, 0]}})");
  try {
    build_world(scene);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "my.json: bodies[0]: body 'a' is a triangle without volume, which has no inertia; "
                 "expected a mass with its inertia");
  }
}

}  // namespace
}  // namespace carom
