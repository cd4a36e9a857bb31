#pragma once

#include <Eigen/Core>
#include <cstdint>
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
  double tear_strain = 0;        ///< strain of an edge at which the cloth tears there; 0 = never
};

/// Names that fabric_by_name() takes: "silk", "cotton", "denim", "leather".
std::span<const std::string_view> fabric_names();
/// A typical fabric of its kind. Throws Error(unknown_name) that lists the names.
Fabric fabric_by_name(std::string_view name);

/// Law by which air pushes a triangle. All forces are in proportion to its area.
enum class WindLaw : std::uint8_t {
  plate,      ///< pressure of the normal part of the relative velocity, and drag of the rest
  lift_drag,  ///< drag along the relative velocity and lift across it, each with a coefficient of its own
  linear,     ///< along the normal, in proportion to the normal part of the wind (Zouiouche 2012, V.5.1)
};
/// Names of WindLaw, in its order.
std::span<const std::string_view> wind_law_names();

/// Air that moves past cloth, or through which it moves. Forces that grow with the square of the relative velocity are
/// implicit in it: they brake, but never turn round.
struct Wind {
  Eigen::Vector3d velocity{0, 0, 0};  ///< m/s
  double density = 0;                 ///< kg/m^3; air has 1.2; 0 = no air
  WindLaw law = WindLaw::plate;
  double normal_drag = 1.2;    ///< `plate`: coefficient, of a plate across the wind
  double tangent_drag = 0.05;  ///< `plate`: coefficient, of a plate along the wind
  double drag = 1.2;           ///< `lift_drag`: coefficient, of a plate across the wind
  double lift = 0.6;           ///< `lift_drag`: coefficient
  double linear_pressure = 1;  ///< `linear`: Pa for each m/s
  double gust_strength = 0;    ///< largest change of the speed by gusts, as a fraction of it; 0 = none
  double gust_period = 1;      ///< s, mean time from gust to gust
  int gust_seed = 0;           ///< another number makes other gusts

  /// m/s; velocity with its gusts at a time (s). The same on every machine, smooth in time.
  Eigen::Vector3d at(double time) const;
};

}  // namespace carom
