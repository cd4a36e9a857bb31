#pragma once

#include "carom/scene.hpp"
#include "carom/world.hpp"

namespace carom {

/// The mesh of a kinematic body at rest, and how it moves:
/// x(t) = key(t) * placement * blend(mesh, target, morph(t)).
/// Throws Error that names the field.
KinematicBody build_kinematic(const std::string& name, const KinematicSpec& spec);

}  // namespace carom
