#pragma once

#include <Eigen/Core>
#include <span>
#include <string_view>

namespace carom {

/// What cloth is made of, in the units in which fabrics are measured. Stiffness is force over width and strain, and of
/// bending moment over width and curvature.
struct Fabric {
  double density = 0.15;         ///< kg/m^2
  double warp_stiffness = 2000;  ///< N/m
  double weft_stiffness = 2000;  ///< N/m
  double shear_stiffness = 500;  ///< N/m
  double bend_stiffness = 1e-5;  ///< N m
  double warp_damping = 0;       ///< N s/m
  double weft_damping = 0;       ///< N s/m
  double shear_damping = 0;      ///< N s/m
  double bend_damping = 0;       ///< N m s
  double strain_limit = 0;       ///< along warp and weft, not exceeded but for what inner steps leave; 0 = none
};

/// Names that fabric_by_name() takes: "silk", "cotton", "denim", "leather".
std::span<const std::string_view> fabric_names();
/// A typical fabric of its kind. Throws Error(unknown_name) that lists the names.
Fabric fabric_by_name(std::string_view name);

/// Air that moves past cloth, or through which it moves. Each triangle is pushed along its normal by the pressure of
/// the normal part of the relative velocity, and along itself by the drag of the rest.
struct Wind {
  Eigen::Vector3d velocity{0, 0, 0};  ///< m/s
  double density = 0;                 ///< kg/m^3; air has 1.2; 0 = no air
  double normal_drag = 1.2;           ///< coefficient, of a plate across the wind
  double tangent_drag = 0.05;         ///< coefficient, of a plate along the wind
};

}  // namespace carom
