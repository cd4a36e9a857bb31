#pragma once

#include <map>
#include <string>

#include "carom/io/scene.hpp"

namespace carom {

/// Text of a shape in a scene file.
std::string to_json(const ShapeSource& shape);

/// Meshes of rigid bodies by the text that describes them: equal ones are read, built and decomposed once.
using MeshShapes = std::map<std::string, Shape>;

/// Description of a rigid body with its shape, as build() of scene.hpp, from the meshes that were built before.
RigidBody build(const RigidSceneBody& body, MeshShapes& meshes);

}  // namespace carom
