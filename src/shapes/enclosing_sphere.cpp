#include "shapes/enclosing_sphere.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

// Zouiouche 2012, 2.3.2 takes three support points; in space there are up to four.
namespace carom::shapes {
namespace {

struct Ball {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  double squared = -1;
};

/// The smallest sphere with all of up to four points on it; with fewer than four its centre is in their affine hull.
/// An answer that is not a number (points on a line, say) becomes an empty ball.
Ball through(std::span<const Eigen::Vector3d> support) {
  if (support.empty()) return {};
  const auto n = static_cast<Eigen::Index>(support.size()) - 1;
  if (n == 0) return {support[0], 0};
  Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 3> edges(3, n);
  for (Eigen::Index i = 0; i < n; ++i) edges.col(i) = support[static_cast<std::size_t>(i) + 1] - support[0];
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3> gram = edges.transpose() * edges;
  const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1> weights = gram.fullPivLu().solve(0.5 * gram.diagonal());
  const Eigen::Vector3d to_center = edges * weights;
  if (!to_center.allFinite()) return {};
  return {support[0] + to_center, to_center.squaredNorm()};
}

bool holds(const Ball& ball, const Eigen::Vector3d& p, double slack) {
  return (p - ball.center).squaredNorm() <= ball.squared + slack;
}

Ball welzl(std::vector<Eigen::Vector3d>& points, std::size_t count, std::array<Eigen::Vector3d, 4>& support,
           std::size_t supports, double slack) {
  Ball ball = through({support.data(), supports});
  if (supports == 4) return ball;
  for (std::size_t i = 0; i < count; ++i) {
    if (holds(ball, points[i], slack)) continue;
    support[supports] = points[i];
    ball = welzl(points, i, support, supports + 1, slack);
    std::rotate(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(i),
                points.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return ball;
}

}  // namespace

BoundingSphere enclosing_sphere(std::span<const Eigen::Vector3d> points) {
  // About the first point, so that the place of the shape costs no digits.
  std::vector<Eigen::Vector3d> local;
  double largest = 0;
  for (const Eigen::Vector3d& p : points) {
    local.push_back(p - points[0]);
    largest = std::max(largest, local.back().squaredNorm());
  }
  std::vector<Eigen::Vector3d> order = local;
  std::array<Eigen::Vector3d, 4> support;
  const Ball ball = welzl(order, order.size(), support, 0, 1e-14 * largest);
  BoundingSphere sphere{ball.center + points[0], 0};
  for (const Eigen::Vector3d& p : points) sphere.radius = std::max(sphere.radius, (p - sphere.center).norm());
  sphere.radius *= 1 + 4e-16;
  return sphere;
}

}  // namespace carom::shapes
