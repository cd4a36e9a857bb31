#pragma once

#include "narrow/convex/moving_pair.hpp"
#include "shapes/shape_data.hpp"

namespace carom::mesh {

/// A convex shape or a mesh on its way, perhaps as part of a body.
struct MovingPart {
  const shapes::ShapeData& data;
  const convex::SweptPose& swept_pose;
  const Eigen::Isometry3d* pose;  ///< in the frame of the body, if it is not the whole body

  /// Some core that goes along.
  convex::MovingCore with(const shapes::Core& core) const {
    return pose != nullptr ? convex::MovingCore(core, swept_pose, *pose) : convex::MovingCore(core, swept_pose);
  }
  convex::MovingCore core() const { return with(data.core); }
};

/// The first contact of two of which one at least is a mesh, before the time `end`; they are apart at the start.
///
/// A box around triangles goes with them: what is cast is the box, coarsely, and the answer is never late, so the
/// triangles in it meet nothing before. Boxes are opened in the order of these times, each looking from the time of its
/// parent on, until the next box is later than the earliest triangle.
CastResult cast(const MovingPart& a, const MovingPart& b, double end, const CastOptions& options);

}  // namespace carom::mesh
