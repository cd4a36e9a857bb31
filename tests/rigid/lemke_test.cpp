#include "response/lemke.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <optional>
#include <random>

// Complementarity against the slow and obvious way: every choice of which unknowns are positive.
namespace carom {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

lemke::Result solve(const MatrixXd& m, const VectorXd& q, VectorXd& z) {
  const RowMajor rows = m;
  z.resize(q.size());
  lemke::Scratch scratch;
  const auto n = static_cast<std::size_t>(q.size());
  return lemke::solve({rows.data(), n * n}, {q.data(), n}, 50 * n + 100, scratch, {z.data(), n});
}

double violation(const MatrixXd& m, const VectorXd& q, const VectorXd& z) {
  const VectorXd w = m * z + q;
  return z.cwiseMin(w).cwiseAbs().maxCoeff() / q.cwiseAbs().maxCoeff();
}

/// w of a solution, found by trying all; it is the only one where M is symmetric and positive semidefinite.
std::optional<VectorXd> by_trying_all(const MatrixXd& m, const VectorXd& q) {
  const Eigen::Index n = q.size();
  for (unsigned choice = 0; choice < (1U << n); ++choice) {
    std::vector<Eigen::Index> in;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (((choice >> i) & 1U) != 0) in.push_back(i);
    }
    VectorXd z = VectorXd::Zero(n);
    if (!in.empty()) z(in) = m(in, in).fullPivLu().solve(-q(in));
    const VectorXd w = m * z + q;
    if (z.minCoeff() > -1e-9 && w.minCoeff() > -1e-9 && z.cwiseProduct(w).cwiseAbs().maxCoeff() < 1e-9) return w;
  }
  return std::nullopt;
}

TEST(Lemke, AgreesWithTryingAll) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + trial % 8;
    // Of full rank, or with redundant contacts: more of them than the bodies have ways to move.
    const int rank = trial % 2 == 0 ? n : (n + 1) / 2;
    MatrixXd j(n, rank);
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < rank; ++k) j(i, k) = number(random);
    }
    const MatrixXd m = j * j.transpose();
    VectorXd u(rank);
    for (int k = 0; k < rank; ++k) u(k) = number(random);
    const VectorXd q = j * u;  // speeds that bodies can have: then there is a solution
    if (q.cwiseAbs().maxCoeff() == 0) continue;
    VectorXd z;
    const lemke::Result result = solve(m, q, z);
    ASSERT_EQ(result.outcome, lemke::Outcome::solved) << trial;
    EXPECT_LT(violation(m, q, z), 1e-9) << trial;
    EXPECT_NEAR(result.residual, violation(m, q, z), 1e-12);
    const std::optional<VectorXd> w = by_trying_all(m, q);
    ASSERT_TRUE(w.has_value());
    EXPECT_LT((m * z + q - *w).cwiseAbs().maxCoeff(), 1e-7) << trial;
  }
}

TEST(Lemke, SolvesWhatIsDegenerate) {
  // Many equal contacts under one body: every ratio ties.
  const int n = 40;
  const MatrixXd m = MatrixXd::Ones(n, n);
  const VectorXd q = VectorXd::Constant(n, -1);
  VectorXd z;
  const lemke::Result result = solve(m, q, z);
  ASSERT_EQ(result.outcome, lemke::Outcome::solved);
  EXPECT_LT(violation(m, q, z), 1e-12);
  EXPECT_NEAR(z.sum(), 1, 1e-12);
}

TEST(Lemke, FrictionOfASledge) {
  // One point of mass 1 pressed on by 1 N s and pulled by p: [push, along, against, slip], friction 0.5.
  MatrixXd m = MatrixXd::Zero(4, 4);
  m(0, 0) = 1;
  m(1, 1) = m(2, 2) = 1;
  m(1, 2) = m(2, 1) = -1;
  m(1, 3) = m(2, 3) = 1;
  m(3, 0) = 0.5;
  m(3, 1) = m(3, 2) = -1;
  for (const double p : {0.3, 0.49, 0.51, 2.0, -2.0}) {
    const VectorXd q = (VectorXd(4) << -1, p, -p, 0).finished();
    VectorXd z;
    ASSERT_EQ(solve(m, q, z).outcome, lemke::Outcome::solved);
    const double slips = p + z(1) - z(2);
    EXPECT_NEAR(slips, std::abs(p) < 0.5 ? 0 : p > 0 ? p - 0.5 : p + 0.5, 1e-12) << p;
    EXPECT_NEAR(z(3), std::abs(slips), 1e-12);
  }
}

TEST(Lemke, SaysWhenThereIsNoAnswer) {
  const MatrixXd m = MatrixXd::Zero(1, 1);
  const VectorXd q = VectorXd::Constant(1, -1);
  VectorXd z;
  EXPECT_EQ(solve(m, q, z).outcome, lemke::Outcome::ray);
}

}  // namespace
}  // namespace carom
