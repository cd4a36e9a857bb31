#pragma once

#include <functional>
#include <span>

#include "carom/mesh/mesh.hpp"

/// Figure that wears cloth: made from a few numbers, like a draftsman's jointed one.
namespace carom {

/// Standing figure with its feet on the x-z plane, facing +z, its arms stretched out to both sides: trunk with head,
/// upper and lower arms, hands, thighs, shins and feet, each closed and oriented outward; they overlap at the joints.
/// `around` is the number of segments around the trunk, at least 8. Throws Error(invalid_argument) that names the
/// parameter.
TriangleMesh make_figure(double height, int around);

/// How many seconds the walk of a figure takes, and how long it stands before it.
inline constexpr double figure_walk_duration = 6;
inline constexpr double figure_walk_start = 1.5;

/// Walk of make_figure(height, around): positions of all its vertices at a time (s). It stands for 1.5 s, then lowers
/// its arms within a second and walks along +z with the stride of its size, until 6 s.
std::function<void(double time, std::span<Eigen::Vector3d> positions)> make_figure_walk(double height, int around);

}  // namespace carom
