#pragma once

namespace carom {

/// Material of a body: what its contacts need to know.
struct Material {
  double friction = 0.6;   ///< Coulomb's coefficient; two bodies have the geometric mean of theirs
  double restitution = 0;  ///< 0 = no bounce, 1 = none lost; two bodies have the larger of theirs

  friend bool operator==(const Material&, const Material&) = default;
};

}  // namespace carom
