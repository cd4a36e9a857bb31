#pragma once

#include <map>
#include <string>

#include "carom/io/scene.hpp"

namespace carom {

/// As in a scene file.
std::string to_json(const ShapeSpec& shape);

/// Meshes of rigid bodies by the text that describes them: equal ones are read, built and decomposed once.
using MeshShapes = std::map<std::string, Shape>;

/// build_rigid() with the meshes that were built before.
RigidBody build_rigid(const BodySpec& body, MeshShapes& meshes);

}  // namespace carom
