#pragma once

namespace carom {

/// Range of DecomposeOptions: a tolerance below it is near the rounding of the planes that cut, one above it has no
/// effect, and more parts than this take minutes to find.
inline constexpr double min_decompose_tolerance = 1e-4;
inline constexpr double max_decompose_tolerance = 1;
inline constexpr int max_decompose_parts = 4096;

}  // namespace carom
