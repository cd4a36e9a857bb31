#include "narrow/mesh/volume_pairs.hpp"

#include <Eigen/LU>

namespace carom::mesh {

namespace {

/// Three axes that span space, and the inverse of the matrix of their columns.
struct Basis {
  std::array<int, 3> axis;
  std::array<Vec3, 3> rows;
  std::array<double, 3> length;
};

const std::vector<Basis>& bases() {
  static const std::vector<Basis> all = [] {
    std::vector<Basis> found;
    const auto axes = dop_axes();
    for (std::size_t i = 0; i < 9; ++i) {
      for (std::size_t j = i + 1; j < 9; ++j) {
        for (std::size_t l = j + 1; l < 9; ++l) {
          Eigen::Matrix3d basis;
          basis << axes[i], axes[j], axes[l];
          // Entries are 0 and +-1: a basis has a determinant of at least 1.
          if (std::abs(basis.determinant()) < 0.5) continue;
          const Eigen::Matrix3d inverse = basis.inverse();
          found.push_back({{static_cast<int>(i), static_cast<int>(j), static_cast<int>(l)},
                           {math::to_vec3(inverse.row(0).transpose()), math::to_vec3(inverse.row(1).transpose()),
                            math::to_vec3(inverse.row(2).transpose())},
                           {axes[i].norm(), axes[j].norm(), axes[l].norm()}});
        }
      }
    }
    return found;
  }();
  return all;
}

}  // namespace

/// Mixture of the three axes around d: of all threes the one with the least sum of weights.
DopView::Mixture DopView::mix(const Vec3& d) {
  Mixture m;
  double best = INFINITY;
  for (const Basis& basis : bases()) {
    const std::array<double, 3> w{dot(basis.rows[0], d), dot(basis.rows[1], d), dot(basis.rows[2], d)};
    const double sum =
        std::abs(w[0]) * basis.length[0] + std::abs(w[1]) * basis.length[1] + std::abs(w[2]) * basis.length[2];
    if (!(sum < best)) continue;
    best = sum;
    m.axis = basis.axis;
    m.weight = w;
  }
  return m;
}

DopView::DopView(const RelativePose& pose) : pose_(pose) {
  const auto axes = dop_axes();
  for (std::size_t k = 0; k < 9; ++k) {
    const Vec3 axis = math::to_vec3(axes[k]);
    mixtures_[k] = mix(pose.rotate_back(axis));
    mixtures_[k].scale = 1 / axes[k].norm();
    mixtures_[k].offset = dot(axis, pose.t);
  }
}

void DopView::aim(const Vec3& n) {
  of_a_ = mix(n);
  of_b_ = mix(pose_.rotate_back(n));
  of_b_.offset = dot(n, pose_.t);
}

double DopView::along(const Volume& a, const Volume& b) const {
  double low_a;
  double high_a;
  double low_b;
  double high_b;
  extent(of_a_, a, low_a, high_a);
  extent(of_b_, b, low_b, high_b);
  return low_b - high_a;
}

void DopView::extent(const Mixture& m, const Volume& b, double& low, double& high) {
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

double DopView::gap(const Volume& a, const Volume& b, double) const {
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
