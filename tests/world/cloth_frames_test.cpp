#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "carom/io/scene.hpp"
#include "carom/mesh/generate.hpp"
#include "oracle/apart.hpp"

// Cloth, frame by frame: nothing intersects, and the continuous stage has little to do at rest. `make soak` runs the
// scenes to their end.
namespace carom {
namespace {

class ClothFrames : public testing::TestWithParam<std::string> {};

TEST_P(ClothFrames, NothingIntersectsInTheFirstSteps) {
  Scene scene = find_scene(GetParam());
  scene.world.dt = 1.0 / 30;  // the longest step, in which most may go wrong
  World world = build_world(scene);
  ASSERT_EQ(oracle::count_intersections(world), 0U);
  for (int step = 1; step <= (GetParam() == "stack" ? 8 : 30); ++step) {
    world.step();
    ASSERT_EQ(oracle::count_intersections(world), 0U) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, ClothFrames, testing::Values("twist", "stack", "needle", "table-edge"),
                         [](const auto& scene) {
                           std::string name = scene.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Ten layers on a ball: at rest fewer than one vertex in a hundred is held back in any step, and nothing intersects.
TEST(ClothLayers, TenAtRestOnABallAreHardlyHeldBack) {
  WorldOptions o;
  o.dt = 1.0 / 60;
  o.contact.distance = 0.004;
  o.threads = 1;
  World world(o);
  RigidBody ball{.name = "ball", .shape = Shape::sphere(0.3)};
  ball.motion = MotionModel::fixed;
  ball.material.friction = 0.4;
  world.add(ball);
  std::size_t vertices = 0;
  for (int layer = 0; layer < 10; ++layer) {
    ClothBody body;
    body.name = "layer " + std::to_string(layer);
    body.mesh = make_sheet(0.6, 0.6, 10, 10);
    for (Eigen::Vector3d& p : body.mesh.positions)
      p += Eigen::Vector3d(0.002 * layer, 0.31 + 0.01 * layer, 0.001 * layer);
    body.material.friction = 0.4;
    vertices += body.mesh.positions.size();
    world.add(body);
  }
  for (int step = 1; step <= 90; ++step) {
    world.step();
    ASSERT_EQ(oracle::count_intersections(world), 0U) << "step " << step;
    if (step > 60) {
      EXPECT_LT(world.stats()[Stage::commit].limited, vertices / 100) << "step " << step;
    }
  }
}

}  // namespace
}  // namespace carom
