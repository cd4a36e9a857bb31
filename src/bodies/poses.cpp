#include "bodies/poses.hpp"

namespace carom::rigid {

Eigen::Isometry3d Poses::shape(const Bodies& bodies, ColliderIndex collider) const {
  const Collider& c = bodies.colliders[collider];
  const Mat3& r = rotation[c.body];
  const Mat3 turn = r * c.rotation;
  const Vec3 place = r * c.place + bodies.motion[c.body].x;
  Eigen::Isometry3d pose;
  pose.matrix() << turn.x.x, turn.y.x, turn.z.x, place.x,  //
      turn.x.y, turn.y.y, turn.z.y, place.y,               //
      turn.x.z, turn.y.z, turn.z.z, place.z,               //
      0, 0, 0, 1;
  return pose;
}

}  // namespace carom::rigid
