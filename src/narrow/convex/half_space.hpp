#pragma once

#include "narrow/convex/convex.hpp"

/// Pairs that need no iteration.
namespace carom::convex {

/// b is the half-space.
void half_space_against(const Core& a, const Core& b, const RelativePose& pose, LocalResult& result);

}  // namespace carom::convex
