#include "bodies/soft_rates.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "bodies/soft.hpp"

namespace carom::solid {
namespace {

using kernels::element_lanes;
using kernels::VoxelBatch;

/// Stiffness against a change of volume over that against shear that inner steps follow, at most: that of a Poisson
/// ratio of 0.4983. What is stiffer is not resolved, and gives way more than it should. With 5, that of 0.4, a ball of
/// a ratio of 0.4999 that lay on the ground got 2.6 J from nothing, more than it had had.
constexpr double followed_stiffness = 300;
/// Squares of frequencies of shapes far from rest over those at rest for which inner steps leave room. With 1, a ball
/// of a Poisson ratio of 0.4999 got 1% of its energy from the ground it fell on.
constexpr double shape_margin = 1.5;
/// Binary digits of whole numbers that stand for the largest of some sizes: ten million of them have less than 63.
constexpr int unit_bits = 38;

}  // namespace

double linear_ratio(double shear, double volume) {
  return shear > 0 ? volume / shear - 1 : 0;
}

double followed_ratio(double shear, double volume) {
  return linear_ratio(shear, std::min(volume, followed_stiffness * shear));
}

double frequency_of(const Eigen::Vector3d& seen, double ratio) {
  // In the axes of the inverse masses, and times their roots s, X splits into three pairs off the diagonal, of at most
  // s_i^2 + s_j^2, and the diagonal, of 2 s_i^2 and the ratio times s s^T, which has a larger one.
  const Eigen::Vector3d s = seen.cwiseMax(0).cwiseSqrt();
  Eigen::Matrix3d diagonal = ratio * s * s.transpose();
  diagonal.diagonal() += 2 * seen;
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(diagonal, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
}

// With half of the elements instead, however little they hold, a knot that sinks into itself lay with 4% more elastic
// energy, at as many inner steps.
std::uint64_t resolved_amount(std::uint64_t all) {
  return all - all / 10;
}

double unit_of(std::span<const double> sizes) {
  return std::ldexp(*std::ranges::max_element(sizes), -unit_bits);
}

std::uint64_t units_of(double size, double unit) {
  return static_cast<std::uint64_t>(std::ceil(size / unit));
}

void Model::add_stiffness(std::size_t lane, bool comes) {
  const VoxelBatch& batch = voxels_[lane / element_lanes];
  const std::uint64_t units = units_of(batch.shear[lane % element_lanes], stiffness_unit_);
  for (const auto& corner : batch.nodes) {
    std::uint64_t& sum = stiffness_[static_cast<std::size_t>(corner[lane % element_lanes])];
    sum = comes ? sum + units : sum - units;
  }
}

void Model::set_nodes(std::size_t lane, const std::array<Index, 8>& nodes) {
  VoxelBatch& batch = voxels_[lane / element_lanes];
  for (std::size_t c = 0; c < 8; ++c) batch.nodes[c][lane % element_lanes] = nodes[c];
}

void Model::set_rate(std::size_t lane) {
  VoxelBatch& batch = voxels_[lane / element_lanes];
  const std::size_t k = lane % element_lanes;
  double lightest = 0;
  double stiffest = 0;
  for (const auto& corner : batch.nodes) {
    const auto node = static_cast<std::size_t>(corner[k]);
    lightest = std::max(lightest, inverse_mass_[node]);
    stiffest = std::max(stiffest, inverse_mass_[node] * static_cast<double>(stiffness_[node]));
  }
  // What the modes of a voxel see of the inverse mass of its nodes, and the same of its part of their mass.
  const double seen = 0.5 * inverse_size_ * inverse_size_;
  batch.inertia[k] = seen * lightest;
  batch.rate[k] = seen * stiffness_unit_ * stiffest * (2 + 3 * linear_ratio(batch.shear[k], batch.volume[k]));
  batch.follow[k] = kernels::follow_of(batch.rate[k], batch.inertia[k], batch.shear[k], batch.volume[k]);
}

Model::FollowedRate Model::rate_of_lane(std::size_t lane) const {
  const VoxelBatch& batch = voxels_[lane / element_lanes];
  const std::size_t k = lane % element_lanes;
  const double followed = (2 + 3 * followed_ratio(batch.shear[k], batch.volume[k])) /
                          (2 + 3 * linear_ratio(batch.shear[k], batch.volume[k]));
  return {batch.rate[k] * followed, units_of(volume_[lane], volume_unit_)};
}

/// Most of the body is slower: elements at the border of a lattice have lighter nodes, and what holds little of it
/// would make the inner steps of all short.
Model::ResolvedRate Model::resolved_rate_of(std::vector<FollowedRate> rates) {
  std::erase_if(rates, [](const FollowedRate& each) { return !(each.rate > 0); });
  std::ranges::sort(rates, {}, &FollowedRate::rate);
  ResolvedRate result;
  for (const FollowedRate& each : rates) result.all += each.share;
  std::uint64_t sum = 0;
  for (const FollowedRate& each : rates) {
    if (sum >= resolved_amount(result.all) && each.rate > result.rate) break;
    if (each.rate > result.rate) {
      result.rate = each.rate;
      result.below = sum;
      result.equal = 0;
    }
    result.equal += each.share;
    sum += each.share;
  }
  return result;
}

double Model::largest_rate() const {
  double largest = 0;
  for (const VoxelBatch& batch : voxels_) largest = std::max(largest, *std::ranges::max_element(batch.rate));
  for (const kernels::TetrahedronBatch& batch : tetrahedra_)
    largest = std::max(largest, *std::ranges::max_element(batch.rate));
  return largest;
}

void Model::set_inner_step() {
  inner_step_ = resolved_rate_.rate > 0 ? std::sqrt(kernels::stable_rate / (shape_margin * resolved_rate_.rate))
                                        : std::numeric_limits<double>::infinity();
}

}  // namespace carom::solid
