#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "carom/body/scripted.hpp"
#include "carom/mesh/mesh.hpp"

/// Meshes that files animate, for bodies that are worn: see ScriptedBody.
namespace carom {

struct AnimationOptions {
  std::string name{};            ///< of the animation; empty: the first of the file
  bool loop = true;              ///< begins again at its end; otherwise the last pose stays
  double speed = 1;              ///< seconds of the file in a second of the world
  double frame_time = 1 / 30.0;  ///< s, from frame to frame of a replay, which has no times of its own
};

/// Mesh whose vertices move as a file says.
struct AnimatedMesh {
  TriangleMesh mesh{};                    ///< at time 0
  MotionFunction motion{};                ///< holds all that it needs
  double duration = 0;                    ///< s of the world, until it begins again or stays
  std::vector<std::string> animations{};  ///< names of all in the file
};

/// Reads an animated mesh. Of glTF 2 (.gltf, .glb): skins, morph targets and nodes that move, with samplers LINEAR,
/// STEP and CUBICSPLINE; vertices at exactly the same position of one node are one. Of a replay (.replay), as a cache
/// of vertices: positions between two frames are on the line between them. Throws Error that names the file and the
/// element.
AnimatedMesh read_animated_mesh(const std::filesystem::path& path, const AnimationOptions& options = {});

}  // namespace carom
