#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "carom/body/motion_model.hpp"
#include "carom/core/id.hpp"

namespace carom {

/// Edge of a body that cuts: a chain of points, carried by the body. Whatever it passes through within a step is cut,
/// at any speed. Contacts keep sheets off a body by their thickness, so a chain on the surface of the body cuts what is
/// pressed against it (World::set_fracture_energy); one that is ahead of it by more cuts at touch.
struct Blade {
  /// m, two points or more: in the frame of the shape of a rigid body; where the mesh is at rest of a scripted one.
  std::vector<Eigen::Vector3d> edge{};
};

/// Cut of a body in a step.
struct WorldCut {
  BodyId body;                   ///< which was cut, and keeps the largest part
  std::vector<BodyId> pieces{};  ///< bodies that came off it, new in this step
  std::size_t crossed = 0;       ///< edges of a surface, or links between voxels of a soft body, that blades met
  std::size_t separated = 0;     ///< vertices of a surface, or nodes of a soft body, that became two or more
  double length = 0;             ///< m, of the new cut at rest; of a surface
  double area = 0;               ///< m^2, of the new cut at rest; of a soft body
};

}  // namespace carom
