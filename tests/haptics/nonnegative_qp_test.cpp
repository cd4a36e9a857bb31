#include "haptics/nonnegative_qp.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

namespace carom::haptics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

NonnegativeQp make(const MatrixXd& g, const VectorXd& r) {
  NonnegativeQp qp;
  qp.size = static_cast<std::size_t>(r.size());
  for (Eigen::Index i = 0; i < r.size(); ++i) {
    qp.right[static_cast<std::size_t>(i)] = r[i];
    for (Eigen::Index j = 0; j < r.size(); ++j)
      qp.matrix[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = g(i, j);
  }
  return qp;
}

VectorXd solution(const NonnegativeQp& qp) {
  VectorXd x(static_cast<Eigen::Index>(qp.size));
  for (std::size_t i = 0; i < qp.size; ++i) x[static_cast<Eigen::Index>(i)] = qp.x[i];
  return x;
}

/// The slow twin: the minimum over each choice of unknowns that are not zero, the best that is feasible.
VectorXd brute_force(const MatrixXd& g, const VectorXd& r) {
  const auto n = static_cast<unsigned>(r.size());
  VectorXd best = VectorXd::Zero(r.size());
  double least = 0;
  for (unsigned choice = 1; choice < (1U << n); ++choice) {
    std::vector<Eigen::Index> set;
    for (unsigned i = 0; i < n; ++i)
      if ((choice >> i & 1U) != 0) set.push_back(i);
    MatrixXd part(set.size(), set.size());
    VectorXd right(set.size());
    for (std::size_t i = 0; i < set.size(); ++i) {
      right[static_cast<Eigen::Index>(i)] = r[set[i]];
      for (std::size_t j = 0; j < set.size(); ++j)
        part(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = g(set[i], set[j]);
    }
    const VectorXd y = part.ldlt().solve(right);
    if ((y.array() < 0).any()) continue;
    const double value = 0.5 * y.dot(part * y) - right.dot(y);
    if (value >= least) continue;
    least = value;
    best.setZero();
    for (std::size_t i = 0; i < set.size(); ++i) best[set[i]] = y[static_cast<Eigen::Index>(i)];
  }
  return best;
}

/// Planes in six dimensions, some of them compliant: what a tool solves.
MatrixXd random_matrix(std::mt19937& random, Eigen::Index n) {
  std::normal_distribution<double> normal;
  const MatrixXd rows = MatrixXd::NullaryExpr(n, 6, [&] { return normal(random); });
  MatrixXd g = rows * rows.transpose();
  for (Eigen::Index i = 0; i < n; ++i) g(i, i) += i % 2 == 0 ? 0.5 : 1e-7 * g(i, i);
  return g;
}

TEST(NonnegativeQp, IsTheMinimumThatTryingAllSetsFinds) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 300; ++round) {
    const auto n = static_cast<Eigen::Index>(1 + random() % 8);
    const MatrixXd g = random_matrix(random, n);
    const VectorXd r = VectorXd::NullaryExpr(n, [&] { return normal(random); });
    NonnegativeQp qp = make(g, r);
    ASSERT_TRUE(solve(qp));
    const VectorXd x = solution(qp);
    const VectorXd expected = brute_force(g, r);
    const auto value = [&](const VectorXd& y) { return 0.5 * y.dot(g * y) - r.dot(y); };
    EXPECT_NEAR(value(x), value(expected), 1e-7 * (1 + std::abs(value(expected)))) << "round " << round;
    EXPECT_GE(x.minCoeff(), 0);
  }
}

TEST(NonnegativeQp, SatisfiesTheConditionsOfAMinimumWithAllPlanes) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 100; ++round) {
    const auto n = static_cast<Eigen::Index>(NonnegativeQp::capacity);
    const MatrixXd g = random_matrix(random, n);
    const VectorXd r = VectorXd::NullaryExpr(n, [&] { return normal(random); });
    NonnegativeQp qp = make(g, r);
    ASSERT_TRUE(solve(qp)) << "round " << round;
    const VectorXd x = solution(qp);
    const VectorXd w = g * x - r;
    EXPECT_GE(x.minCoeff(), 0);
    // Random planes may leave no room: forces are then as large as the regularization lets them be.
    const double size = std::max(1.0, x.maxCoeff());
    EXPECT_GE(w.minCoeff(), -1e-12 * size);
    EXPECT_LT((x.array() * w.array()).abs().maxCoeff(), 1e-12 * size * size);
  }
}

TEST(NonnegativeQp, NothingWantedIsNothing) {
  NonnegativeQp qp = make(MatrixXd::Identity(3, 3), VectorXd::Constant(3, -1));
  EXPECT_TRUE(solve(qp));
  EXPECT_EQ(solution(qp), VectorXd::Zero(3));
  qp.size = 0;
  EXPECT_TRUE(solve(qp));
}

}  // namespace
}  // namespace carom::haptics
