#pragma once

#include <vector>

#include "bodies/body.hpp"
#include "response/anchor_joint.hpp"

/// Joints of a world: stitches of seams, and vertices that rigid bodies hold.
namespace carom {

struct Joint {
  /// Point of a deforming body, on up to two of its vertices, or of one that is not moved by contacts vertex by vertex.
  struct Side {
    BodyId body;
    std::array<Index, 2> vertices{none, none};  ///< none: `local` of a rigid body or of a triangle
    std::array<double, 2> weights{1, 0};
    Eigen::Vector3d local{0, 0, 0};  ///< m, in the frame of the triangle or of the shape
    Index triangle = none;           ///< of a fixed or scripted body with vertices of its own
  };
  Side a;
  Side b;
  Eigen::Vector3d offset{0, 0, 0};  ///< m, from a to b at the beginning
  double begin = 0;                 ///< s
  double duration = 0;              ///< s, in which the offset shrinks to nothing; then it stays so
  double tear_force = 0;            ///< N; 0: never
  double force = 0;                 ///< N, mean over the last step
  bool stitch = false;              ///< of a seam

  Eigen::Vector3d wanted(double time) const;  ///< m, from a to b
};

}  // namespace carom
