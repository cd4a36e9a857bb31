#pragma once

/// Largest values that options of rigid bodies may have.
namespace carom {

/// Far beyond what anything slips with, and single precision can still compute with it.
inline constexpr double max_friction = 1e9;
/// Ratio to critical; more is not stable.
inline constexpr double max_penalty_damping = 1.5;

}  // namespace carom
