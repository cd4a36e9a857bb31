#pragma once

#include <Eigen/Geometry>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "carom/mesh/mesh.hpp"
#include "io/mesh/gltf_data.hpp"
#include "io/mesh/gltf_sampler.hpp"

/// Rigs of glTF files: nodes that move, and the vertices that move with them.
namespace carom::io {

/// Node, in the frame of its parent.
struct RigNode {
  std::size_t parent = none_node;
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();  ///< if nothing of it is animated
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();
  std::optional<GltfSampler> moved, turned, scaled, weighted;

  static constexpr std::size_t none_node = static_cast<std::size_t>(-1);
};

/// Vertices of one node that has a mesh.
struct RigPart {
  std::size_t node = 0;
  std::size_t first = 0;                                ///< of its vertices among all
  std::vector<Eigen::Vector3d> positions{};             ///< as in the file
  std::vector<std::vector<Eigen::Vector3d>> targets{};  ///< of morphs: displacements of all vertices
  std::vector<double> weights{};                        ///< of morphs, if they are not animated
  std::vector<std::size_t> joints{};                    ///< nodes of the skin; empty: moves with its node
  std::vector<Eigen::Matrix4d> inverse_bind{};          ///< of each joint
  std::vector<std::vector<std::pair<std::size_t, double>>> influences{};  ///< of each vertex: joints and weights
};

struct Rig {
  std::vector<RigNode> nodes{};      ///< parents may come after their children
  std::vector<std::size_t> order{};  ///< parents first
  std::vector<RigPart> parts{};
  std::vector<Triangle> triangles{};
  std::size_t vertex_count = 0;
  double duration = 0;                    ///< s, of the animation
  std::vector<std::string> animations{};  ///< names of all

  /// Positions at a time of the animation.
  void pose(double time, std::span<Eigen::Vector3d> positions) const;
};

/// Rig of a file with one of its animations, by name; empty: the first, if there is one. Throws Error that names the
/// element.
Rig read_rig(GltfData& data, const std::string& name, const std::string& animation);

}  // namespace carom::io
