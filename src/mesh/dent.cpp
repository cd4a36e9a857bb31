#include "carom/mesh/generate.hpp"
#include "mesh/generate_check.hpp"

namespace carom {

void apply_dent(const Dent& dent, std::span<Eigen::Vector3d> positions) {
  require(is_finite(dent.center), ErrorCode::invalid_argument, "apply: dent.center is not finite");
  // Loose enough for a direction that was normalised in single precision.
  require(std::abs(dent.direction.norm() - 1) <= 1e-6, ErrorCode::invalid_argument,
          "apply: dent.direction has length {}; expected 1", dent.direction.norm());
  mesh::require_positive("apply", "dent.radius", dent.radius);
  require(std::isfinite(dent.depth), ErrorCode::invalid_argument, "apply: dent.depth is {}; expected a finite number",
          dent.depth);
  for (Eigen::Vector3d& p : positions) {
    const double ratio = ((p - dent.center) / dent.radius).squaredNorm();
    if (ratio < 1) p += dent.depth * (1 - ratio) * (1 - ratio) * dent.direction;
  }
}

}  // namespace carom
