#include "math/rigid_fit.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "oracle/soup.hpp"

namespace carom {
namespace {

using Points = std::vector<Eigen::Vector3d>;

Points random_points(std::mt19937_64& random, int count) {
  Points points;
  for (int i = 0; i < count; ++i)
    points.emplace_back(oracle::uniform(random), oracle::uniform(random), oracle::uniform(random));
  return points;
}

double largest_rest(const RigidMotion& motion, const Points& from, const Points& to) {
  double largest = 0;
  for (std::size_t i = 0; i < from.size(); ++i) largest = std::max(largest, (to[i] - motion(from[i])).norm());
  return largest;
}

void expect_rotation(const RigidMotion& motion) {
  EXPECT_LT((motion.rotation * motion.rotation.transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-14);
  EXPECT_GT(motion.rotation.determinant(), 0);
}

TEST(RigidFit, FindsTheMotionThatWasMade) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    const Points from = random_points(random, 3 + i % 40);
    const Points numbers = random_points(random, 2);
    const Eigen::AngleAxisd turn(6 * numbers[0].x(), (numbers[0] - Eigen::Vector3d(0, 0.5, 0.5)).normalized());
    Points to;
    for (const Eigen::Vector3d& p : from) to.push_back(turn * p + 10 * numbers[1]);
    const RigidMotion motion = fit_rigid(from, to);
    expect_rotation(motion);
    EXPECT_LT(largest_rest(motion, from, to), 1e-12);
    for (std::size_t k = 0; k < from.size(); ++k) EXPECT_LT((motion.back(to[k]) - from[k]).norm(), 1e-12);
  }
}

TEST(RigidFit, IsARotationWhateverThePoints) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    Points from = random_points(random, 1 + i % 5);
    Points to = random_points(random, 1 + i % 5);
    if (i % 3 == 0)
      for (Eigen::Vector3d& p : from) p.x() = 0;
    if (i % 4 == 0)
      for (std::size_t k = 0; k < to.size(); ++k) to[k] = -from[k];  // a mirror image
    if (i % 7 == 0) to.assign(to.size(), to[0]);
    expect_rotation(fit_rigid(from, to));
  }
}

TEST(RigidFit, StandsStillWhereNumbersOverflow) {
  const Points from{{1e200, 0, 0}, {0, 1e200, 0}};
  const Points to{{0, 1e200, 0}, {-1e200, 0, 0}};
  EXPECT_EQ(fit_rigid(from, to).rotation, Eigen::Matrix3d::Identity());
  EXPECT_EQ(fit_rigid({}, {}).shift, Eigen::Vector3d::Zero());
}

}  // namespace
}  // namespace carom
