#include "response/penalty.hpp"

#include <gtest/gtest.h>

#include "narrow/proximity.hpp"

namespace carom::penalty {
namespace {

using Points = std::vector<Eigen::Vector3d>;

// A vertex 0.004 above a triangle, at weights (1/2, 1/4, 1/4).
const Points points{{0.25, 0.25, 0.004}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
const std::vector<Contact> one{narrow::vertex_face(points, 0, 0, {1, 2, 3})};
constexpr double dt = 0.001;

TEST(Penalty, PushesWithStiffnessTimesDepthSharedByWeights) {
  const std::vector<double> inverse_mass{0.5, 1, 1, 2};
  Points velocities(4, Eigen::Vector3d::Zero());
  Scratch scratch;
  StageStats stats;
  run({one, inverse_mass, dt}, {.distance = 0.01, .stiffness = 100, .damping = 0}, scratch, velocities, stats);
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
  Scratch scratch;
  StageStats stats;
  run({one, inverse_mass, dt}, {.distance = 0.01, .stiffness = 100, .damping = 5}, scratch, velocities, stats);
  EXPECT_NE(velocities[0], old[0]);
  EXPECT_LT((momentum() - before).norm(), 1e-15);
}

TEST(Penalty, DampsApproachAndNeverPulls) {
  const std::vector<double> inverse_mass{1, 0, 0, 0};
  const ContactOptions options{.distance = 0.01, .stiffness = 100, .damping = 10};
  const auto change = [&](double speed) {
    Points velocities{{0, 0, speed}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    Scratch scratch;
    StageStats stats;
    run({one, inverse_mass, dt}, options, scratch, velocities, stats);
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
  Scratch scratch;
  StageStats stats;
  run({one, inverse_mass, dt}, {}, scratch, velocities, stats);
  EXPECT_EQ(stats.in, 1U);
  EXPECT_EQ(stats.out, 0U);
  EXPECT_EQ(stats.culled_total(), 1U);
}

/// However stiff and however many: a vertex that a thousand contacts push never goes further in
/// one step than out of the contact distance, and the limit is reported.
TEST(Penalty, TooStiffContactsAreLimitedAndSaySo) {
  const std::vector<double> inverse_mass{1, 0, 0, 0};
  const std::vector<Contact> many(1000, one[0]);
  Points velocities(4, Eigen::Vector3d::Zero());
  Scratch scratch;
  StageStats stats;
  run({many, inverse_mass, dt}, {.distance = 0.01, .stiffness = 1e9, .damping = 0}, scratch, velocities, stats);
  EXPECT_EQ(stats.limited, 1000U);
  EXPECT_NEAR(velocities[0].z() * dt, 0.01 - 0.004, 1e-12);
}

}  // namespace
}  // namespace carom::penalty
