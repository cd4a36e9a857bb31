#include <gtest/gtest.h>

#include "narrow/proximity.hpp"
#include "response/anchor_penalty.hpp"

namespace carom::anchor_penalty {
namespace {

using Points = std::vector<Eigen::Vector3d>;

// A vertex 0.004 above a triangle, at weights (1/2, 1/4, 1/4).
const Points points{{0.25, 0.25, 0.004}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
const contact::AnchorContact one = [] {
  const Contact found = narrow::vertex_face(points, 0, 0, {1, 2, 3});
  contact::AnchorContact c;
  c.a = {.count = 1, .vertices = {0, none, none, none}, .weights = {found.weights[0]}};
  c.b = {.count = 3, .vertices = {1, 2, 3, none}, .weights = {found.weights[1], found.weights[2], found.weights[3]}};
  c.normal = math::to_vec3(found.normal);
  c.distance = found.distance;
  c.gap = found.distance - 0.01;  // that of the contact distance of all tests
  return c;
}();
constexpr double dt = 0.001;

/// Frictionless contacts of these vertices over one step.
void push(std::vector<contact::AnchorContact> contacts, const std::vector<double>& inverse_mass,
          const ContactOptions& options, Points& velocities, StageStats& stats) {
  Points displacements(velocities.size(), Eigen::Vector3d::Zero());
  Scratch scratch;
  run({.state = {.bodies = {}, .velocities = velocities, .displacements = displacements, .inverse_mass = inverse_mass},
       .dt = dt},
      options, contacts, scratch, stats);
}

TEST(Penalty, PushesWithStiffnessTimesDepthSharedByWeights) {
  const std::vector<double> inverse_mass{0.5, 1, 1, 2};
  Points velocities(4, Eigen::Vector3d::Zero());
  StageStats stats;
  push({one}, inverse_mass, {.distance = 0.01, .stiffness = 100, .damping = 0}, velocities, stats);
  const double impulse = 100 * (0.01 - 0.004) * dt;
  EXPECT_NEAR(velocities[0].z(), impulse * 0.5, 1e-15);
  EXPECT_NEAR(velocities[1].z(), -impulse * 0.5 * 1, 1e-15);
  EXPECT_NEAR(velocities[2].z(), -impulse * 0.25 * 1, 1e-15);
  EXPECT_NEAR(velocities[3].z(), -impulse * 0.25 * 2, 1e-15);
  EXPECT_EQ(stats.out, 1U);
  EXPECT_EQ(stats.limited, 0U);
}

TEST(Penalty, KeepsMomentum) {
  const std::vector<double> inverse_mass{0.5, 1, 0.25, 2};
  Points velocities{{0, 0, -1}, {0.1, 0, 0.2}, {0, 0, 0}, {0, 0.3, 0}};
  const auto momentum = [&] {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < 4; ++i) sum += velocities[i] / inverse_mass[i];
    return sum;
  };
  const Eigen::Vector3d before = momentum();
  const Points old = velocities;
  StageStats stats;
  push({one}, inverse_mass, {.distance = 0.01, .stiffness = 100, .damping = 5}, velocities, stats);
  EXPECT_NE(velocities[0], old[0]);
  EXPECT_LT((momentum() - before).norm(), 1e-15);
}

TEST(Penalty, DampsApproachAndNeverPulls) {
  const std::vector<double> inverse_mass{1, 0, 0, 0};
  const ContactOptions options{.distance = 0.01, .stiffness = 100, .damping = 10};
  const auto change = [&](double speed) {
    Points velocities{{0, 0, speed}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    StageStats stats;
    push({one}, inverse_mass, options, velocities, stats);
    EXPECT_EQ(velocities[1], Eigen::Vector3d::Zero()) << "what has no inverse mass does not move";
    return velocities[0].z() - speed;
  };
  const double depth_force = 100 * (0.01 - 0.004);
  EXPECT_NEAR(change(0), depth_force * dt, 1e-15);
  EXPECT_NEAR(change(-0.5), (depth_force + 10 * 0.5) * dt, 1e-15);
  EXPECT_EQ(change(+5), 0) << "leaving fast enough: damping may cancel the push, not reverse it";
}

TEST(Penalty, ContactsBetweenImmovablesAreCounted) {
  const std::vector<double> inverse_mass{0, 0, 0, 0};
  Points velocities(4, Eigen::Vector3d::Zero());
  StageStats stats;
  push({one}, inverse_mass, {}, velocities, stats);
  EXPECT_EQ(stats.in, 1U);
  EXPECT_EQ(stats.out, 0U);
  EXPECT_EQ(stats.culled_total(), 1U);
}

/// However stiff and however many: a vertex that a thousand contacts push never goes further in
/// one step than out of the contact distance, and the limit is reported.
TEST(Penalty, TooStiffContactsAreLimitedAndSaySo) {
  const std::vector<double> inverse_mass{1, 0, 0, 0};
  const std::vector<contact::AnchorContact> many(1000, one);
  Points velocities(4, Eigen::Vector3d::Zero());
  StageStats stats;
  push(many, inverse_mass, {.distance = 0.01, .stiffness = 1e9, .damping = 0}, velocities, stats);
  EXPECT_EQ(stats.limited, 1000U);
  EXPECT_NEAR(velocities[0].z() * dt, 0.01 - 0.004, 1e-12);
}

/// Contact 0.004 above a fixed triangle, sliding at 1 m/s: friction takes mu times the normal impulse, and no more than
/// what stops the slip.
TEST(Penalty, FrictionTakesCoulombsShareAndNeverReversesTheSlip) {
  const std::vector<double> inverse_mass{2, 0, 0, 0};
  const ContactOptions options{.distance = 0.01, .stiffness = 100, .damping = 0};
  contact::AnchorContact rough = one;
  rough.friction = 0.5;
  const double impulse = 100 * (0.01 - 0.004) * dt;
  for (const double slip : {1.0, 1e-3, 1e-5}) {
    Points velocities{{slip, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    StageStats stats;
    push({rough}, inverse_mass, options, velocities, stats);
    EXPECT_NEAR(velocities[0].x(), std::max(0.0, slip - 0.5 * impulse * 2), 1e-15) << slip;
    EXPECT_NEAR(velocities[0].z(), impulse * 2, 1e-15);
  }
}

/// Rigid ball of 2 kg pressed 0.006 m into the contact distance of a free triangle, off its centre: what the vertices
/// receive the ball receives with the opposite sign, and its moment is about the centre of mass.
TEST(Penalty, RigidBodiesReceiveTheOppositeImpulseAndItsMoment) {
  const std::vector<double> inverse_mass{1, 1, 1, 2};
  contact::AnchorContact c = one;
  c.a = {.rigid = 0, .arm = {0.1, 0, -0.2}};
  c.friction = 0.3;
  std::vector<contact::CoupledBody> bodies(1);
  bodies[0].v = {0.5, 0, -1};
  bodies[0].inverse_mass = {0.5, 0.5, 0.5};
  bodies[0].inverse_inertia = {{3, 0, 0}, {0, 3, 0}, {0, 0, 3}};
  Points velocities(4, Eigen::Vector3d::Zero());
  Points displacements = velocities;
  std::vector<contact::AnchorContact> contacts{c};
  Scratch scratch;
  StageStats stats;
  run({.state =
           {.bodies = bodies, .velocities = velocities, .displacements = displacements, .inverse_mass = inverse_mass},
       .dt = dt},
      {.distance = 0.01, .stiffness = 100, .damping = 5}, contacts, scratch, stats);
  Eigen::Vector3d received = Eigen::Vector3d::Zero();
  for (std::size_t v = 1; v < 4; ++v) received += velocities[v] / inverse_mass[v];
  const Eigen::Vector3d impulse = math::to_eigen(bodies[0].impulse);
  EXPECT_GT(impulse.norm(), 0);
  EXPECT_LT((received + impulse).norm(), 1e-15);
  EXPECT_NEAR(impulse.z(), (100 * 0.006 + 5 * 1) * dt, 1e-15);
  EXPECT_NEAR(impulse.x(), -0.3 * impulse.z(), 1e-15);
  const Eigen::Vector3d moment = Eigen::Vector3d(0.1, 0, -0.2).cross(impulse);
  EXPECT_LT((math::to_eigen(bodies[0].moment) - moment).norm(), 1e-15);
}

}  // namespace
}  // namespace carom::anchor_penalty
