#pragma once

#include <span>

#include "bodies/vertices.hpp"
#include "contact/tangles.hpp"

namespace carom::response {

/// Impulses on both sides of every tangle, with which they come apart at a speed of their own; momentum is kept. They
/// change the velocities at the start of the step.
void untangle(std::span<const contact::Tangle> tangles, bodies::Vertices& vertices);

}  // namespace carom::response
