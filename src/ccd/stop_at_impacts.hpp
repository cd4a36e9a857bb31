#pragma once

#include "ccd/limit_bodies.hpp"

namespace carom::ccd {

/// Takes away the speed at which sides approach each other whose motion was cut short, by impulses with friction that
/// are as large on the one side as on the other. For the response `penalty`: its contacts are those of the predicted
/// end of a step, and a vertex that is predicted to be through a surface would be pushed on.
void stop_at_impacts(const BodiesIn& in, const BodiesScratch& scratch, contact::CoupledBodies& coupled,
                     bodies::Vertices& vertices, SlotSpan<rigid::Motion> next);

}  // namespace carom::ccd
