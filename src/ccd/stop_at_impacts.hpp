#pragma once

#include "ccd/limit_bodies.hpp"

namespace carom::ccd {

/// Takes away the speed at which sides approach each other whose motion was cut short, by impulses with friction that
/// are as large on the one side as on the other. For the response `penalty`, whose contacts are those of the predicted
/// end of a step: a vertex that is predicted to be through a surface would be pushed on. And for cloth, whose vertices
/// would be accelerated for as long as something stops them.
/// With `cloth` only the stops of cloth count, and not those of soft bodies, which move with their nodes.
void stop_at_impacts(const BodiesIn& in, const BodiesScratch& scratch, const BodyMap* cloth,
                     contact::CoupledBodies& coupled, bodies::Vertices& vertices, SlotSpan<rigid::Motion> next);

}  // namespace carom::ccd
