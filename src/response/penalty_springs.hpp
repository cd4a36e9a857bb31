#pragma once

#include "response/rigid_penalty.hpp"

/// The springs of the response `penalty` at the two ends of a step: how stiff they are, where they rest, what they
/// hold, and what of an overlap none of them is pressed by.
namespace carom::rigid_penalty {

/// Springs of all points: as stiff as was given, if that is stable, or as is.
void stiffen(const response::In& in, const SolverOptions& options, ManifoldSpan<const contact::CachedManifold> pairs,
             Scratch& scratch);

/// J, in the springs of a pair as they are now.
double energy(std::span<const Spring> springs, double h);

/// Opening speeds of the points of a pair at the end of the step: an overlap without spring force is opened with
/// `resting_speed`, and once begun, all of it.
void ask_apart(const contact::CachedManifold& pair, double resting_speed, double dt, std::span<const Spring> springs,
               std::span<contacts::Point> points);

/// Whether what the pair asked for is being done and there is more to do. What is wedged is not opened by anything, and
/// may come to rest.
bool is_opening(const contacts::System& s, double resting_speed, double dt, std::span<const Spring> springs,
                std::span<const contacts::Point> points);

}  // namespace carom::rigid_penalty
