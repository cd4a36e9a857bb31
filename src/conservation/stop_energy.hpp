#pragma once

#include "bodies/vertices.hpp"

namespace carom::conservation {

struct StopEnergy {
  double left = 0;  ///< J, of what stops gave in this round, that could not be taken
  double all = 0;   ///< J, kinetic and elastic, of the bodies that got it
};

/// Elastic energy that cloth got as continuous detection stopped some of its vertices while the rest went on, taken
/// from the speeds at which edges become longer and shorter: around stopped vertices first, then in the whole body.
/// Impulses are along edges, so momentum and angular momentum stay. What there is not in these speeds stays in
/// `vertices.stop_energy`, to be taken as the strain sets the cloth in motion, as long as there is that much strain.
/// `stopped`: whether some vertex was stopped at all.
StopEnergy take_stop_energy(const BodyMap& bodies, const rigid::Bodies& table, const Eigen::Vector3d& gravity,
                            bool stopped, bodies::Vertices& vertices);

}  // namespace carom::conservation
