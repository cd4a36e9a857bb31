#include "bodies/scripted.hpp"

#include "core/check.hpp"

namespace carom::scripted {

void place(const Body& body, double time, std::span<Eigen::Vector3d> positions) {
  body.script(time, positions);
  if (body.offset) {
    for (Eigen::Vector3d& p : positions) p = *body.offset * p;
  }
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const Eigen::Vector3d& p = positions[v];
    require(is_finite(p), ErrorCode::not_finite,
            "body '{}': its motion puts vertex {} at ({}, {}, {}) at time {} s; expected finite", body.name, v, p.x(),
            p.y(), p.z(), time);
  }
}

}  // namespace carom::scripted
