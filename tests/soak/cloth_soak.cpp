#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "carom/io/scene.hpp"
#include "carom/mesh/generate.hpp"
#include "oracle/apart.hpp"

namespace carom {
namespace {

/// Scenes of cloth to their end, at three lengths of a step: no two triangles intersect in any frame.
class ClothSoak : public testing::TestWithParam<std::string_view> {};

TEST_P(ClothSoak, NothingPassesThroughAnything) {
  for (const int frequency : {30, 60, 120}) {
    Scene scene = find_scene(std::string(GetParam()));
    const double duration = scene.steps * scene.world.dt;
    scene.world.dt = 1.0 / frequency;
    World world = build_world(scene);
    ASSERT_EQ(oracle::count_intersections(world), 0U);
    const int steps = static_cast<int>(std::lround(duration * frequency));
    std::uint64_t limited = 0;
    for (int step = 1; step <= steps; ++step) {
      world.step();
      limited += world.stats()[Stage::commit].limited;
      ASSERT_EQ(oracle::count_intersections(world), 0U) << GetParam() << ", dt 1/" << frequency << ", step " << step;
    }
    std::printf("%s at 1/%d: %d steps, %llu vertices limited, none intersecting\n", GetParam().data(), frequency, steps,
                static_cast<unsigned long long>(limited));
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, ClothSoak,
                         testing::Values("cloth-on-ball-18", "cloth-on-ball-69", "flag", "stack", "needle",
                                         "trampoline", "net-catch", "curtain", "twist", "table-edge", "reef-knot"),
                         [](const auto& scene) {
                           std::string name(scene.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Ten minutes of a flag in gusts, and of a cloth on a ball that moves to and fro without end.
TEST(ClothTenMinutes, AllNumbersStayFiniteAndNothingIntersects) {
  Scene scene = find_scene("cloth-on-ball-18");
  auto& ball = std::get<ScriptedSceneBody>(scene.bodies[0].body);
  ball.keyframes.clear();
  for (int k = 0; k <= 300; ++k)
    ball.keyframes.push_back({.time = 2.0 * k, .placement = {.position = {k % 2 == 0 ? -0.3 : 0.3, 0, 0}}});
  auto& cloth = std::get<ClothSceneBody>(scene.bodies[1].body);
  cloth.source.placement.position = {-0.3, 0.54, 0};
  cloth.sleeping_allowed = false;

  Scene flags = find_scene("flag");
  auto& flag = std::get<ClothSceneBody>(flags.bodies[1].body);
  flag.source.shape = SheetSource{.size_x = 1.5, .size_z = 1, .segments_x = 18, .segments_z = 12};
  flag.pinned.clear();
  for (Index row = 0; row <= 12; ++row) flag.pinned.push_back(19 * row);
  flag.wind_source->gust_strength = 0.8;

  for (const Scene& each : {scene, flags}) {
    World world = build_world(each);
    const BodyId id = world.bodies()[1];
    const TriangleMesh rest = build(std::get<ClothSceneBody>(each.bodies[1].body)).mesh;
    for (int step = 1; step <= 36000; ++step) {
      world.step();
      if (step % 60 != 0) continue;
      ASSERT_TRUE(std::isfinite(world.balance().kinetic_energy)) << each.name << ", step " << step;
      if (step % 600 != 0) continue;
      ASSERT_EQ(oracle::count_intersections(world), 0U) << each.name << ", step " << step;
      double longest = 0;
      for (const Triangle& t : rest.triangles) {
        const auto length = [&](std::span<const Eigen::Vector3d> x) {
          return (x[static_cast<std::size_t>(t[0])] - x[static_cast<std::size_t>(t[1])]).norm();
        };
        longest = std::max(longest, length(world.positions(id)) / length(rest.positions));
      }
      ASSERT_LT(longest, 1.5) << each.name << ", step " << step;
    }
  }
}

constexpr double heavy_ratio = 1e5;  // of a body to the vertices that carry it

/// Strip of 1 m x 0.1 m along x, and the mass of the vertices in its middle. Inner steps are more than those that it
/// would take by itself: what carries is the inertia of one row of vertices, which gives way by its square
/// (docs/limits.md).
ClothBody light_strip(double stiffness) {
  ClothBody body;
  body.name = "strip";
  body.mesh = make_sheet(1, 0.1, 20, 2);
  body.fabric = {.density = 0.1,
                 .warp_stiffness = stiffness,
                 .weft_stiffness = stiffness,
                 .shear_stiffness = 0.25 * stiffness,
                 .bend_stiffness = 0};
  body.inner_steps = 1000;
  return body;
}
constexpr double middle_mass = 0.1 * 0.1 / (20 * 2);  // kg, of a vertex in the middle row

/// Round bar across the middle of a strip between two pinned ends: a V, whose halves pull up by the stretch that it
/// has.
TEST(ClothLoad, WeightOfAHundredThousandVerticesIsCarriedInContact) {
  const double mass = heavy_ratio * middle_mass;
  const double sag = 0.1;
  const double half = std::hypot(0.5, sag);
  // 2 T sag / half = weight, T = stiffness * width * strain.
  const double stiffness = 9.81 * mass * half / (2 * sag) / (0.1 * (half / 0.5 - 1));
  ClothBody body = light_strip(stiffness);
  for (std::size_t v = 0; v < body.mesh.positions.size(); ++v) {
    if (std::abs(body.mesh.positions[v].x()) > 0.4999) body.pinned.push_back(static_cast<Index>(v));
  }
  body.air_damping = 5;
  WorldOptions o;
  o.dt = 1.0 / 60;
  o.threads = 1;
  o.solver.sleep.enabled = false;
  o.contact.distance = 0.004;
  World world(o);
  world.add(body);
  RigidBody bar{.name = "bar", .shape = Shape::capsule(0.006, 0.06)};
  bar.mass = MassOverride{.mass = mass, .inertia_from_shape = true};
  bar.pose.translation() = Eigen::Vector3d(0, 0.011, 0);
  bar.linear_damping = 8;
  bar.locked_rotation = {true, true, true};
  const BodyId id = world.add(bar);
  for (int k = 0; k < 120; ++k) {
    world.step();
    ASSERT_LT(std::abs(world.center_of_mass(id).y()), 3 * sag) << "step " << k;
  }
  // Its lowest line is a thickness above the strip.
  EXPECT_NEAR(0.01 - world.center_of_mass(id).y(), sag, 0.05 * sag);
}

}  // namespace
}  // namespace carom
