#include "narrow/mesh/volume_pairs.hpp"

#include <Eigen/LU>

namespace carom::mesh {

DopView::DopView(const RelativePose& pose) {
  const auto axes = dop_axes();
  for (std::size_t k = 0; k < 9; ++k) {
    Mixture& m = mixtures_[k];
    m.scale = 1 / axes[k].norm();
    m.offset = dot(detail::to_vec3(axes[k]), pose.t);
    const Eigen::Vector3d d = detail::to_eigen(pose.rotate_back(detail::to_vec3(axes[k])));
    // Of all threes of axes the one with the least sum of weights: those around d. With signs, every three that spans
    // space will do; there are 84.
    double best = INFINITY;
    for (int i = 0; i < 9; ++i) {
      for (int j = i + 1; j < 9; ++j) {
        for (int l = j + 1; l < 9; ++l) {
          Eigen::Matrix3d basis;
          basis << axes[static_cast<std::size_t>(i)], axes[static_cast<std::size_t>(j)],
              axes[static_cast<std::size_t>(l)];
          // Entries are 0 and +-1: a basis has a determinant of at least 1.
          if (std::abs(basis.determinant()) < 0.5) continue;
          const Eigen::Vector3d w = basis.inverse() * d;
          const double sum = std::abs(w[0]) * axes[static_cast<std::size_t>(i)].norm() +
                             std::abs(w[1]) * axes[static_cast<std::size_t>(j)].norm() +
                             std::abs(w[2]) * axes[static_cast<std::size_t>(l)].norm();
          if (!(sum < best)) continue;
          best = sum;
          m.axis = {i, j, l};
          m.weight = {w[0], w[1], w[2]};
        }
      }
    }
  }
}

void DopView::extent(const Mixture& m, const Volume& b, double& low, double& high) const {
  low = m.offset;
  high = m.offset;
  for (std::size_t i = 0; i < 3; ++i) {
    const double w = m.weight[i];
    const auto axis = static_cast<std::size_t>(m.axis[i]);
    const double p = w * b.low[axis];
    const double q = w * b.high[axis];
    low += std::min(p, q);
    high += std::max(p, q);
  }
}

bool DopView::apart(const Volume& a, const Volume& b, double reach) const {
  for (std::size_t k = 0; k < 9; ++k) {
    double low;
    double high;
    extent(mixtures_[k], b, low, high);
    if ((std::max(low - a.high[k], a.low[k] - high)) * mixtures_[k].scale > reach) return true;
  }
  return false;
}

double DopView::gap(const Volume& a, const Volume& b) const {
  double gap = 0;
  double squared = 0;
  for (std::size_t k = 0; k < 9; ++k) {
    double low;
    double high;
    extent(mixtures_[k], b, low, high);
    const double g = std::max(low - a.high[k], a.low[k] - high) * mixtures_[k].scale;
    gap = std::max(gap, g);
    // The first three are perpendicular.
    if (k < 3 && g > 0) squared += g * g;
  }
  return std::max(gap, std::sqrt(squared));
}

}  // namespace carom::mesh
