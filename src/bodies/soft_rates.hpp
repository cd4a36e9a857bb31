#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

/// Frequencies of the elements of soft bodies, which say how long inner steps may be.
namespace carom::solid {

/// Stiffness against a change of volume as linear elasticity has it, over that against shear (J). The energy has
/// mu / 2 |F|^2 + lambda / 2 (det F - 1)^2 - mu (det F - 1): at rest its second derivative along X is
/// mu (|X|^2 + X : X^T) + (lambda - mu) tr(X)^2.
double linear_ratio(double shear, double volume);
/// As far as inner steps follow it.
double followed_ratio(double shear, double volume);

/// Square of the largest frequency at rest of an element whose F sees inverse masses with the eigenvalues `seen`, over
/// its shear.
double frequency_of(const Eigen::Vector3d& seen, double ratio);

/// How much of a body its inner steps resolve.
std::uint64_t resolved_amount(std::uint64_t all);

/// Unit in which the sizes are whole numbers, so that their sums do not depend on the order.
double unit_of(std::span<const double> sizes);
/// No less than the size.
std::uint64_t units_of(double size, double unit);

}  // namespace carom::solid
