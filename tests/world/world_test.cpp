#include "carom/world/world.hpp"

#include <gtest/gtest.h>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "oracle/brute_force.hpp"
#include "oracle/placed.hpp"
#include "world/light_sheet.hpp"

namespace carom {
namespace {

ScriptedBody falling_ball(double speed) {
  const TriangleMesh mesh = make_icosphere(0.5, 2);
  return {"ball", mesh, [mesh, speed](double time, std::span<Eigen::Vector3d> positions) {
            for (std::size_t i = 0; i < positions.size(); ++i) {
              positions[i] = mesh.positions[i] + Eigen::Vector3d(0, 1 - speed * time, 0);
            }
          }};
}

TEST(World, ContactsOfAStepAreThoseOfBruteForce) {
  World world({.dt = 0.05, .contact = {.distance = 0.05, .immovable = true}, .response = "penalty"});
  const BodyId floor = world.add(FixedBody{"floor", make_box({3, 0.2, 3}, 6)});
  const BodyId ball = world.add(falling_ball(1));
  std::vector<Triangle> triangles(world.triangles(floor).begin(), world.triangles(floor).end());
  std::vector<Index> objects(triangles.size(), 0);
  const auto first = static_cast<Index>(world.positions(floor).size());
  for (const Triangle& t : world.triangles(ball)) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  objects.resize(triangles.size(), 1);

  std::size_t total = 0;
  for (int i = 0; i < 16; ++i) {
    world.step();
    std::vector<Eigen::Vector3d> positions(world.positions(floor).begin(), world.positions(floor).end());
    positions.insert(positions.end(), world.positions(ball).begin(), world.positions(ball).end());
    const auto expected = oracle::brute_force(positions.size(), triangles, objects, positions, 0.05, PairScope::all);
    ASSERT_EQ(world.contacts().size(), expected.size()) << "step " << i;
    for (std::size_t c = 0; c < expected.size(); ++c) {
      const WorldContact& contact = world.contacts()[c];
      EXPECT_EQ(contact.distance, expected[c].distance);
      const bool vertex_face = expected[c].kind == ContactKind::vertex_face;
      EXPECT_EQ(contact.anchor_a.feature, vertex_face ? FeatureKind::vertex : FeatureKind::edge);
      EXPECT_EQ(contact.anchor_b.feature, vertex_face ? FeatureKind::face : FeatureKind::edge);
      const Index first_triangle = static_cast<Index>(world.triangles(floor).size());
      const auto global = [&](const ContactAnchor& anchor, bool of_ball) {
        const Index vertices_before = of_ball ? first : 0;
        if (anchor.feature == FeatureKind::edge)
          return std::array{anchor.vertices[0] + vertices_before, anchor.vertices[1] + vertices_before};
        const Index triangles_before = of_ball ? first_triangle : 0;
        return std::array{anchor.index + (anchor.feature == FeatureKind::vertex ? vertices_before : triangles_before),
                          none};
      };
      EXPECT_EQ(global(contact.anchor_a, contact.body_a == ball), expected[c].a);
      EXPECT_EQ(global(contact.anchor_b, contact.body_b == ball), expected[c].b);
    }
    total += expected.size();
  }
  EXPECT_GT(total, 100U);
  EXPECT_EQ(world.steps(), 16U);
  EXPECT_DOUBLE_EQ(world.time(), 0.8);
}

TEST(World, AContactKeepsItsIdWhileItLasts) {
  World world({.dt = 0.01, .contact = {.distance = 0.05, .pairs = PairScope::between, .immovable = true}});
  world.add(FixedBody{"floor", make_box({3, 0.2, 3}, 4)});
  world.add(falling_ball(0.1));
  std::vector<WorldContact> before;
  std::size_t lasting = 0;
  for (int i = 0; i < 450; ++i) {
    world.step();
    for (const WorldContact& now : world.contacts()) {
      const auto same =
          std::find_if(before.begin(), before.end(), [&](const WorldContact& old) { return old.id == now.id; });
      if (same == before.end()) {
        EXPECT_EQ(now.age, 0U);
      } else {
        ++lasting;
        EXPECT_EQ(now.age, same->age + 1);
        EXPECT_EQ(now.anchor_a.feature, same->anchor_a.feature);
        EXPECT_EQ(now.anchor_a.vertices, same->anchor_a.vertices);
        EXPECT_EQ(now.anchor_b.vertices, same->anchor_b.vertices);
        EXPECT_EQ(now.body_a, same->body_a);
      }
    }
    before.assign(world.contacts().begin(), world.contacts().end());
  }
  EXPECT_GT(lasting, 100U);
}

TEST(World, AParticleSheetComesToRestOnAFloor) {
  World world({.dt = 0.002,
               .contact = {.distance = 0.02, .stiffness = 500, .damping = 1, .pairs = PairScope::between},
               .response = "penalty"});
  world.add(FixedBody{"floor", make_box({2, 0.2, 2}, 3)});
  const BodyId sheet = world.add(light_sheet(8, 0.15, 0.05, 0.5));
  for (int i = 0; i < 2000; ++i) world.step();
  for (const Eigen::Vector3d& p : world.positions(sheet)) {
    EXPECT_GT(p.y(), 0.1) << "not through the floor";
    EXPECT_LT(p.y(), 0.125) << "and lying on it";
  }
  for (const Eigen::Vector3d& v : world.velocities(sheet)) EXPECT_LT(v.norm(), 0.05);
  EXPECT_GT(world.contacts().size(), 50U);
}

/// Absurd stiffness is limited, not exploded.
TEST(World, DoesNotBlowUpUnderStiffContacts) {
  World world({.dt = 0.002, .contact = {.distance = 0.03, .stiffness = 1e12, .damping = 100}, .response = "penalty"});
  world.add(FixedBody{"floor", make_box({2, 0.2, 2}, 3)});
  const BodyId sheet = world.add(light_sheet(6, 0.14, 0.02, 0.1));
  std::uint64_t limited = 0;
  for (int i = 0; i < 1000; ++i) {
    world.step();
    limited += world.stats()[Stage::respond].limited;
    for (const Eigen::Vector3d& v : world.velocities(sheet)) ASSERT_LT(v.norm(), 20) << "step " << i;
  }
  EXPECT_GT(limited, 0U);
}

TEST(World, BodiesComeAndGo) {
  World world({.dt = 0.01, .contact = {.distance = 0.05, .immovable = true}});
  const BodyId a = world.add(FixedBody{"a", make_box({1, 1, 1})});
  const BodyId b = world.add(FixedBody{"b", placed(make_box({1, 1, 1}), {1.02, 0, 0})});
  world.step();
  EXPECT_FALSE(world.contacts().empty());
  world.remove(a);
  EXPECT_TRUE(world.contacts().empty()) << "they would name a body that is gone";
  world.step();
  EXPECT_TRUE(world.contacts().empty());
  EXPECT_EQ(world.bodies(), std::vector{b});
  EXPECT_THROW(world.remove(a), Error);
  EXPECT_THROW(world.positions(a), Error);
  const BodyId c = world.add(FixedBody{"c", placed(make_box({1, 1, 1}), {2.04, 0, 0})});
  EXPECT_NE(c, a);
  world.step();
  EXPECT_FALSE(world.contacts().empty());
  for (const WorldContact& contact : world.contacts()) {
    EXPECT_TRUE(contact.body_a == b || contact.body_a == c);
    EXPECT_TRUE(contact.body_b == b || contact.body_b == c);
  }
}

TEST(World, AnEmptyWorldSteps) {
  World world({});
  world.step();
  EXPECT_EQ(world.steps(), 1U);
}

TEST(World, OptionsAreChecked) {
  const auto message = [](const WorldOptions& options) -> std::string {
    try {
      const World world(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({.dt = 0}), "dt is 0; expected a positive number");
  EXPECT_EQ(message({.dt = std::nan("")}), "dt is nan; expected a positive number");
  EXPECT_EQ(message({.contact = {.distance = -1}}), "contact.distance is -1; expected a positive number");
  EXPECT_EQ(message({.contact = {.stiffness = -1}}), "contact.stiffness is -1; expected a number that is not negative");
  EXPECT_EQ(message({.contact = {.surface_factor = -1}}),
            "contact.surface_factor is -1; expected a number that is not negative");
  EXPECT_NE(message({.gravity = {0, std::nan(""), 0}}).find("gravity is (0, nan, 0)"), std::string::npos);
  EXPECT_NE(message({.method = "x"}).find("'x'"), std::string::npos);
  EXPECT_NE(message({.threads = -1}).find("threads is -1"), std::string::npos);
}

TEST(World, AMotionThatGoesWrongIsNamedAndTheStateKept) {
  World world({.dt = 0.01});
  const TriangleMesh mesh = make_box({1, 1, 1});
  const BodyId body =
      world.add(ScriptedBody{"lift", mesh, [mesh](double time, std::span<Eigen::Vector3d> positions) {
                               std::copy(mesh.positions.begin(), mesh.positions.end(), positions.begin());
                               if (time > 0.015) positions[5].x() = std::nan("");
                             }});
  world.step();
  const std::uint64_t hash = world.state_hash();
  try {
    world.step();
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_finite);
    EXPECT_NE(std::string(error.what()).find("body 'lift': its motion puts vertex 5"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(world.state_hash(), hash);
  EXPECT_EQ(world.steps(), 1U);
  EXPECT_TRUE(world.positions(body)[5].allFinite());
}

TEST(World, SpeedsThatNoStepResolvesAreRefusedAndTheStateKept) {
  World world({.gravity = {0, -8e7, 0}, .dt = 1});
  const BodyId body = world.add(ParticleBody{.name = "sheet",
                                             .mesh = make_sheet(1, 1, 2, 2),
                                             .stretch_stiffness = 0,
                                             .bend_stiffness = 0,
                                             .spring_damping = 0,
                                             .air_damping = 0});
  const std::uint64_t start = world.state_hash();
  world.step();
  const std::uint64_t hash = world.state_hash();
  EXPECT_NE(hash, start);
  for (int attempt = 0; attempt < 3; ++attempt) {
    try {
      world.step();
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unstable);
      EXPECT_NE(std::string(error.what()).find("body 'sheet': vertex 0 moves at 1.6e+08 m/s"), std::string::npos)
          << error.what();
    }
    EXPECT_EQ(world.state_hash(), hash);
    EXPECT_EQ(world.steps(), 1U);
  }
  EXPECT_TRUE(world.positions(body)[0].allFinite());
}

/// The motion fails where the contacts have been found already; none of it may be seen.
TEST(World, AFailedStepChangesNeitherContactsNorStatistics) {
  World world(
      {.gravity = {0, -1e300, 0}, .dt = 1e4, .contact = {.distance = 0.05, .immovable = true}, .response = "penalty"});
  world.add(FixedBody{"a", make_box({1, 1, 1})});
  world.add(FixedBody{"b", placed(make_box({1, 1, 1}), {1.02, 0, 0})});
  world.step();
  const std::vector<WorldContact> before(world.contacts().begin(), world.contacts().end());
  ASSERT_FALSE(before.empty());
  const std::uint64_t narrow = world.stats()[Stage::narrow].out;
  world.add(ParticleBody{.name = "sheet",
                         .mesh = make_sheet(1, 1, 2, 2),
                         .stretch_stiffness = 0,
                         .bend_stiffness = 0,
                         .spring_damping = 0,
                         .air_damping = 0});
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_THROW(
        {
          for (int i = 0; i < 100; ++i) world.step();
        },
        Error);
    EXPECT_EQ(world.stats()[Stage::narrow].out, narrow);
    ASSERT_EQ(world.contacts().size(), before.size());
    EXPECT_EQ(world.contacts()[0].id, before[0].id);
    EXPECT_EQ(world.contacts()[0].age, world.steps() - 1);
  }
}

}  // namespace
}  // namespace carom
