#pragma once

#include "bodies/body.hpp"

namespace carom {

/// The checks at the boundary: each throws Error that names the body and the element.
Body make_body(StaticBody description);
Body make_body(KinematicBody description);
Body make_body(ParticleBody description);

}  // namespace carom
