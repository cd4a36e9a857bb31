#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "carom/io/scene.hpp"
#include "carom/mesh/generate.hpp"
#include "oracle/apart.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

std::vector<BodyId> cloths_of(const Scene& scene, const World& world) {
  std::vector<BodyId> list;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (std::holds_alternative<ClothSceneBody>(scene.bodies[i].body)) list.push_back(world.bodies()[i]);
  }
  return list;
}

/// Strains of the edges of cloth, whose positions at the start are those at rest.
class Strains {
 public:
  Strains(const World& world, std::vector<BodyId> cloths) : cloths_(std::move(cloths)) {
    for (const BodyId id : cloths_) {
      rest_.emplace_back();
      for_each_edge(world, id, [&](double length) { rest_.back().push_back(length); });
    }
  }

  /// So that no more than one in a hundred is larger.
  double p99(const World& world) {
    strains_.clear();
    for (std::size_t i = 0; i < cloths_.size(); ++i) {
      auto rest = rest_[i].begin();
      for_each_edge(world, cloths_[i], [&](double length) { strains_.push_back(length / *rest++ - 1); });
    }
    const auto at = strains_.begin() + static_cast<std::ptrdiff_t>(strains_.size() * 99 / 100);
    std::nth_element(strains_.begin(), at, strains_.end());
    return *at;
  }

 private:
  /// Of triangle after triangle: seams that close change vertices of triangles, not triangles.
  template <class Use>
  static void for_each_edge(const World& world, BodyId id, Use&& use) {
    const std::span<const Eigen::Vector3d> x = world.positions(id);
    for (const Triangle& t : world.triangles(id)) {
      for (std::size_t k = 0; k < 3; ++k)
        use((x[static_cast<std::size_t>(t[k])] - x[static_cast<std::size_t>(t[(k + 1) % 3])]).norm());
    }
  }

  std::vector<BodyId> cloths_;
  std::vector<std::vector<double>> rest_;  // m, lengths of the edges
  std::vector<double> strains_;
};

/// What a scene may have at most, in any frame: several times what its loads do, and a small part of what cloth has
/// that blows up (strains of hundreds, 1e3 J and more).
struct Bound {
  std::string_view scene;
  double strain = 0;   // 99th percentile
  double elastic = 0;  // J
};

/// Scenes of cloth to their end, at three lengths of a step: no two triangles intersect in any frame, and nothing is
/// strained beyond what its loads do.
class ClothSoak : public testing::TestWithParam<Bound> {};

TEST_P(ClothSoak, NothingPassesThroughAnythingOrBlowsUp) {
  const auto [name, max_strain, max_elastic] = GetParam();
  for (const int frequency : {30, 60, 120}) {
    Scene scene = find_scene(std::string(name));
    const double duration = scene.steps * scene.world.dt;
    scene.world.dt = 1.0 / frequency;
    World world = build_world(scene);
    Strains strains(world, cloths_of(scene, world));
    ASSERT_EQ(oracle::count_intersections(world), 0U);
    const int steps = static_cast<int>(std::lround(duration * frequency));
    std::uint64_t limited = 0;
    double strain = 0;
    double elastic = 0;
    for (int step = 1; step <= steps; ++step) {
      world.step();
      limited += world.stats()[Stage::commit].limited;
      ASSERT_EQ(oracle::count_intersections(world), 0U) << name << ", dt 1/" << frequency << ", step " << step;
      strain = std::max(strain, strains.p99(world));
      elastic = std::max(elastic, world.balance().elastic_energy);
      ASSERT_LT(strain, max_strain) << name << ", dt 1/" << frequency << ", step " << step;
      ASSERT_LT(elastic, max_elastic) << name << ", dt 1/" << frequency << ", step " << step;
    }
    std::printf("%s at 1/%d: %d steps, %llu vertices limited, none intersecting; strain %.2f%%, elastic %.3g J\n",
                name.data(), frequency, steps, static_cast<unsigned long long>(limited), 100 * strain, elastic);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, ClothSoak,
                         testing::Values(Bound{"cloth-on-ball-18", 0.5, 50}, Bound{"cloth-on-ball-69", 0.5, 50},
                                         Bound{"cloth-on-ball-200", 0.5, 50}, Bound{"flag", 0.5, 50},
                                         Bound{"stack", 0.5, 50}, Bound{"needle", 0.5, 50},
                                         Bound{"trampoline", 0.5, 300}, Bound{"net-catch", 0.5, 100},
                                         Bound{"curtain", 0.5, 50}, Bound{"twist", 3, 2000},
                                         Bound{"table-edge", 1.5, 300}, Bound{"reef-knot", 1, 300},
                                         Bound{"balloon", 1.5, 500}, Bound{"shirt", 1, 100}),
                         [](const auto& bound) {
                           std::string name(bound.param.scene);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Stories by number: layers of any fabric, and a ball that comes up through them at any speed, in steps of any length.
/// Nothing intersects, and the sheets have no more energy than the push can have given them.
TEST(ClothStory, LayersThatAreHitNeitherIntersectNorBlowUp) {
  constexpr int stories = 40;
  for (int story = 0; story < stories; ++story) {
    std::mt19937_64 random(static_cast<std::uint64_t>(story));
    const auto between = [&](double low, double high) { return low + (high - low) * oracle::uniform(random); };
    const auto one_of = [&](int count) { return static_cast<int>(between(0, count - 1e-9)); };
    WorldOptions o;
    o.dt = 1.0 / std::array{20, 30, 60, 120}[static_cast<std::size_t>(one_of(4))];
    o.contact.distance = between(0.003, 0.012);
    World world(o);
    const double radius = between(0.1, 0.2);
    const double rise = between(0.3, 3);  // m/s
    const double drift = between(-0.5, 0.5);
    ScriptedBody ball{.name = "ball", .mesh = make_icosphere(radius, 3)};
    const double gap = between(0.02, 0.2);
    for (Eigen::Vector3d& p : ball.mesh.positions) p.y() -= radius + gap;
    ball.motion = [start = ball.mesh.positions, rise, drift](double time, std::span<Eigen::Vector3d> x) {
      const double t = std::min(time, 0.4);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = start[i] + t * Eigen::Vector3d(drift, rise, 0.3 * drift);
    };
    ball.material.friction = between(0, 1);
    world.add(ball);
    const int layers = 1 + one_of(5);
    const std::string_view fabric = fabric_names()[static_cast<std::size_t>(one_of(4))];
    const int segments = 8 + one_of(14);
    for (int layer = 0; layer < layers; ++layer) {
      ClothBody body;
      body.name = "layer " + std::to_string(layer);
      body.mesh = make_sheet(0.8, 0.8, segments, segments);
      const Eigen::AngleAxisd turn(between(0, 3), Eigen::Vector3d::UnitY());
      for (Eigen::Vector3d& p : body.mesh.positions)
        p = turn * p + Eigen::Vector3d(0, 0.01 + layer * (o.contact.distance + 0.005), 0);
      body.fabric = fabric_by_name(fabric);
      body.material.friction = between(0, 1);
      world.add(body);
    }
    const double speed = std::hypot(rise, drift) + 9.81 * 0.5;
    const double bound = 4 * world.balance().mass * speed * speed + 1;
    for (int step = 1; step * o.dt < 0.8; ++step) {
      world.step();
      ASSERT_EQ(oracle::count_intersections(world), 0U) << "story " << story << ", step " << step;
      ASSERT_LT(world.balance().elastic_energy, bound)
          << "story " << story << ", step " << step << ": " << layers << " layers of " << fabric << ", dt " << o.dt;
    }
  }
}

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

/// Strip of 1 m x 0.1 m along x, and the mass of the vertices in its middle.
ClothBody light_strip(double stiffness) {
  ClothBody body;
  body.name = "strip";
  body.mesh = make_sheet(1, 0.1, 20, 2);
  body.fabric = {.density = 0.1,
                 .warp_stiffness = stiffness,
                 .weft_stiffness = stiffness,
                 .shear_stiffness = 0.25 * stiffness,
                 .bend_stiffness = 0};
  return body;
}
constexpr double middle_mass = 0.1 * 0.1 / (20 * 2);  // kg, of a vertex in the middle row

/// Round bar across the middle of a strip between two pinned ends: a V, whose halves pull up by the stretch that it
/// has.
TEST(ClothLoad, WeightOfAHundredThousandVerticesIsCarriedInContact) {
  const double mass = heavy_ratio * middle_mass;
  const double damping = 8;
  const double sag = 0.1;
  const double half = std::hypot(0.5, sag);
  // 2 T sag / half = weight, T = stiffness * width * strain.
  // Damping acts on what gravity gives in a step, so it carries a part of the weight (docs/limits.md).
  const double weight = 9.81 * mass / (1 + damping / 60);
  const double stiffness = weight * half / (2 * sag) / (0.1 * (half / 0.5 - 1));
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
  bar.linear_damping = damping;
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
