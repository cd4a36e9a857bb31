#pragma once

#include <span>

#include "bodies/body.hpp"

namespace carom::sheet {
struct CutOutcome;
}

namespace carom {

/// The checks at the boundary: each throws Error that names the body and the element.
Body make_body(FixedBody description);
Body make_body(ScriptedBody description);
Body make_body(ParticleBody description);
Body make_body(ClothBody description);
Body make_body(SoftBody description);
/// Constraints of cloth, or its springs, from its triangles as they are now; the longest step of springs of particles.
void make_model(Body& body);
/// The same after a cut of a sheet, in time of the cut where that can be: see cloth::Model::change().
void change_model(const sheet::CutOutcome& cut, Body& body);

}  // namespace carom
