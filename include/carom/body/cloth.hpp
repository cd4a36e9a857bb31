#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "carom/body/detection.hpp"
#include "carom/body/fabric.hpp"
#include "carom/body/filter.hpp"
#include "carom/body/material.hpp"
#include "carom/body/scripted.hpp"
#include "carom/mesh/mesh.hpp"

namespace carom {

/// Triangles of cloth that are of another fabric than the rest.
struct FabricRegion {
  std::vector<Index> triangles{};
  Fabric fabric{};
};

/// Pinned vertices that move as they are told.
struct MovingPins {
  std::vector<Index> vertices{};
  /// Gets the positions of these vertices at rest, in their order, and puts in others: the same for the same time, as
  /// it is asked several times in a step.
  MotionFunction motion{};
};

/// Integrator of cloth between contacts.
enum class ClothIntegrator : std::uint8_t {
  compliant,  ///< compliant constraints, projected once in each inner step (adr/0014)
  verlet,     ///< Verlet steps with springs along the edges and limited lengths (Zouiouche 2012, V.5.1)
};
/// Names of ClothIntegrator, in its order.
std::span<const std::string_view> cloth_integrator_names();

/// Options of the integrator `verlet`.
struct VerletOptions {
  int iterations = 15;  ///< over the lengths of all springs, in each inner step
  /// Strain beyond which a spring is brought back (Provot 1995). 0: lengths are those at rest, and springs push
  /// nothing.
  double max_strain = 0.1;
};

/// Description of cloth: a sheet of particles that resists stretch, shear and bending by compliant constraints
/// (adr/0014). Needs the response `soft`. Vertices at exactly the same position are one; vertices in no triangle stay
/// where they are.
struct ClothBody {
  std::string name{};
  TriangleMesh mesh{};                  ///< also the rest shape
  Fabric fabric{};                      ///< see fabric_by_name()
  std::vector<FabricRegion> regions{};  ///< a later one wins where two have a triangle in common
  Eigen::Vector3d warp{1, 0, 0};        ///< direction of the warp at rest, of any length but zero
  double thickness = 0;                 ///< m, distance to others and itself; 0 = ContactOptions::distance
  std::vector<Index> pinned{};          ///< vertices that never move
  std::vector<MovingPins> moving_pins{};
  Eigen::Vector3d velocity{0, 0, 0};  ///< m/s, at the beginning, of all that is not pinned
  double air_damping = 0;             ///< 1/s, of the velocity
  Wind wind{};
  /// Pa over that outside, while the volume is that of the rest shape; it falls as the volume grows. The mesh must be
  /// closed and face outward. 0 = none.
  double pressure = 0;
  ClothIntegrator integrator = ClothIntegrator::compliant;
  VerletOptions verlet{};
  /// Inner steps of a step. The strain beyond that of the fabric falls with their square. 0 = as many as keep it near a
  /// hundredth; of `verlet`: as many as the response takes.
  int inner_steps = 0;
  /// Levels of detail, 1 to 3. With more than one, vertices move by themselves around contacts only; elsewhere a
  /// quarter of them for each level above the first, and the others follow these. All of them collide.
  int levels = 1;
  double level_hold = 0.25;  ///< s without contacts after which vertices are taken back; shorter ones would flicker
  /// Where WorldOptions::time_budget does not suffice, inner steps are left out of the bodies with the least importance
  /// first. Of equal ones those that a hand pulls, or a tool touches, and those with fresh contacts keep theirs
  /// longest.
  double importance = 1;
  bool sleeping_allowed = true;
  Material material{};
  CollisionFilter filter{};
  std::optional<Detection> detection{};  ///< continuous if not given
};

}  // namespace carom
