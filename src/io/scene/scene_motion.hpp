#pragma once

#include "carom/io/scene.hpp"
#include "carom/world/world.hpp"

namespace carom {

/// The mesh of a scripted body at rest, and how it moves: x(t) = key(t) * placement * blend(mesh, target, morph(t)).
/// Throws Error that names the field.
ScriptedBody build_scripted(const ScriptedSceneBody& body);

/// Motion by keyframes, which act on the positions that it is given.
MotionFunction build_motion(const std::vector<Keyframe>& keyframes);

}  // namespace carom
