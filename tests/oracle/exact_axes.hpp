#pragma once

#include <optional>
#include <span>
#include <vector>

#include "oracle/exact_distance.hpp"

/// Convex hulls of points that go straight, in rational arithmetic: every direction that could be a normal of their
/// difference is tried, whatever the hulls look like.
namespace carom::oracle {

struct ExactInterval {
  mpq_class first;                ///< 0 if they have a common point at time 0
  std::optional<mpq_class> last;  ///< none if they stay together for good
  bool overlap = false;           ///< at time 0, by more than a touch
};

/// When the hull of b, moving by `velocity` a unit of time, has a common point with that of a; none if at no
/// time from 0 on. Both hulls together must span all dimensions. In the plane, z is 0.
std::optional<ExactInterval> contact_interval(std::span<const Eigen::Vector3d> a, std::span<const Eigen::Vector3d> b,
                                              const Eigen::Vector3d& velocity, int dimensions);

/// The largest gap over all those directions, its square with the sign of the gap.
mpq_class signed_squared_gap(std::span<const Eigen::Vector3d> a, std::span<const Eigen::Vector3d> b, int dimensions);

}  // namespace carom::oracle
