#include "bodies/particles.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "bodies/make_body.hpp"
#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"

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

TEST(Particles, MassFollowsAreaAndAddsUp) {
  const Body body = make_body(ParticleBody{.name = "sheet", .mesh = make_sheet(2, 1, 4, 3), .mass = 0.7});
  double total = 0;
  for (const double inverse : body.inverse_mass) total += 1 / inverse;
  EXPECT_NEAR(total, 0.7, 1e-12);
  // A corner has one or two of the triangles that an inner vertex has more of.
  const auto [lightest, heaviest] = std::minmax_element(body.inverse_mass.begin(), body.inverse_mass.end());
  EXPECT_GT(*heaviest, 2 * *lightest);
}

TEST(Particles, SpringsAlongEdgesAndAcrossInnerEdges) {
  const TriangleMesh mesh = make_sheet(1, 1, 1, 1);
  ASSERT_EQ(mesh.triangles.size(), 2U);
  const Body body =
      make_body(ParticleBody{.name = "square", .mesh = mesh, .stretch_stiffness = 10, .bend_stiffness = 3});
  std::size_t stretch = 0;
  std::size_t bend = 0;
  for (const Spring& spring : body.springs) {
    (spring.stiffness == 10 ? stretch : bend) += 1;
    if (spring.stiffness == 3) {
      EXPECT_NEAR(spring.rest_length, std::sqrt(2.0), 1e-15);
    }
  }
  EXPECT_EQ(stretch, 5U);
  EXPECT_EQ(bend, 1U);
}

/// One step of semi-implicit Euler: velocities from the forces at the present positions, then positions.
void euler_step(Body& body, const Eigen::Vector3d& gravity, double dt) {
  std::vector<Eigen::Vector3d> forces(body.positions.size());
  const std::vector<Eigen::Vector3d> none(body.positions.size(), Eigen::Vector3d::Zero());
  particles::add_forces(body, gravity, dt, body.positions, none, body.velocities, forces);
  for (std::size_t v = 0; v < body.positions.size(); ++v) {
    if (body.inverse_mass[v] > 0) body.positions[v] += dt * body.velocities[v];
  }
}

TEST(Particles, FreeFallIsThatOfSemiImplicitEuler) {
  Body body = make_body(ParticleBody{.name = "sheet", .mesh = make_sheet(1, 1, 2, 2), .air_damping = 0});
  const std::vector<Eigen::Vector3d> start = body.positions;
  const Eigen::Vector3d gravity(0, -9.81, 0);
  constexpr double dt = 0.01;
  constexpr int steps = 100;
  const std::vector<Eigen::Vector3d>& positions = body.positions;
  const std::vector<Eigen::Vector3d>& velocities = body.velocities;
  for (int i = 0; i < steps; ++i) {
    euler_step(body, gravity, dt);
  }
  for (std::size_t v = 0; v < start.size(); ++v) {
    EXPECT_NEAR(velocities[v].y(), -9.81 * dt * steps, 1e-12);
    EXPECT_NEAR(positions[v].y() - start[v].y(), -9.81 * dt * dt * steps * (steps + 1) / 2, 1e-12);
    EXPECT_NEAR(positions[v].x(), start[v].x(), 1e-15);
  }
}

TEST(Particles, AStretchedSpringSwingsWithItsPeriod) {
  // One triangle, two corners pinned, the third swings along the height of the triangle.
  TriangleMesh mesh{{{-0.5, 0, 0}, {0.5, 0, 0}, {0, 2, 0}}, {{0, 1, 2}}};
  Body body = make_body(ParticleBody{.name = "t",
                                     .mesh = mesh,
                                     .mass = 3,
                                     .stretch_stiffness = 50,
                                     .bend_stiffness = 0,
                                     .spring_damping = 0,
                                     .air_damping = 0,
                                     .pinned = {0, 1}});
  EXPECT_EQ(body.inverse_mass[0], 0);
  // Two springs of stiffness k at an angle with cos^2 = h^2 / l^2 to the direction of motion.
  const double length_squared = 0.25 + 4;
  const double omega = std::sqrt(2 * 50 * (4 / length_squared) / 1.0);  // a third of 3 kg
  body.positions[2].y() += 1e-4;
  constexpr double dt = 1e-4;
  double previous = 1e-4;
  double crossing = 0;
  const std::vector<Eigen::Vector3d>& positions = body.positions;
  for (int i = 1; i < 100'000 && crossing == 0; ++i) {
    euler_step(body, Eigen::Vector3d::Zero(), dt);
    const double offset = positions[2].y() - 2;
    if (previous > 0 && offset <= 0) crossing = i * dt - dt * (-offset) / (previous - offset);
    previous = offset;
  }
  EXPECT_NEAR(crossing, M_PI / 2 / omega, 1e-3 * M_PI / 2 / omega);
  EXPECT_EQ(positions[0], mesh.positions[0]);
}

TEST(Particles, RefusesAStepThatWouldBlowUpAndNamesTheLongestThatWouldNot) {
  const Body body =
      make_body(ParticleBody{.name = "drape", .mesh = make_sheet(1, 1, 10, 10), .mass = 0.1, .stretch_stiffness = 500});
  const std::string message = error_of([&] { particles::check_step(body, 0.1); });
  EXPECT_NE(message.find("body 'drape': a step of 0.1 s is too long"), std::string::npos) << message;
  const std::size_t at = message.find("longest stable step is ");
  ASSERT_NE(at, std::string::npos);
  const double longest = std::stod(message.substr(at + 23));
  EXPECT_GT(longest, 0);
  EXPECT_NO_THROW(particles::check_step(body, 0.99 * longest));
  EXPECT_THROW(particles::check_step(body, 1.01 * longest), Error);

  // At the step it names, a disturbed sheet keeps swinging and does not grow.
  Body moving = body;
  for (std::size_t v = 0; v < moving.positions.size(); ++v) moving.positions[v].x() *= v % 2 == 0 ? 1.05 : 0.95;
  const std::vector<Eigen::Vector3d>& positions = moving.positions;
  double furthest = 0;
  for (int i = 0; i < 5000; ++i) {
    euler_step(moving, Eigen::Vector3d::Zero(), 0.99 * longest);
  }
  for (const Eigen::Vector3d& p : positions) furthest = std::max(furthest, p.norm());
  EXPECT_LT(furthest, 2);
}

TEST(MakeBody, NamesBodyAndElement) {
  const TriangleMesh good = make_sheet(1, 1, 2, 2);
  TriangleMesh nan = good;
  nan.positions[4].z() = std::nan("");
  TriangleMesh index = good;
  index.triangles[3][1] = 99;
  TriangleMesh loose = good;
  loose.positions.emplace_back(5, 5, 5);
  EXPECT_NE(error_of([&] {
              make_body(FixedBody{"wall", nan});
            }).find("body 'wall': position of vertex 4"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              make_body(FixedBody{"wall", index});
            }).find("body 'wall': triangle 3 uses vertex 99"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              make_body(FixedBody{"wall", {}});
            }).find("body 'wall' has no triangles"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              make_body(ScriptedBody{"lift", good, {}});
            }).find("body 'lift' is scripted"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              make_body(ParticleBody{.name = "rag", .mesh = good, .mass = -1});
            }).find("body 'rag': mass is -1"),
            std::string::npos);
  EXPECT_NE(error_of([&] { make_body(ParticleBody{.name = "rag", .mesh = loose}); }).find("body 'rag': vertex 9"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              make_body(ParticleBody{.name = "rag", .mesh = good, .bend_stiffness = -2});
            }).find("bend_stiffness is -2"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              make_body(ParticleBody{.name = "rag", .mesh = good, .pinned = {0, 9}});
            }).find("pinned names vertex 9"),
            std::string::npos);
}

}  // namespace
}  // namespace carom
