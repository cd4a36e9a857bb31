#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "carom/body/detection.hpp"
#include "carom/body/elasticity.hpp"
#include "carom/body/filter.hpp"
#include "carom/body/material.hpp"
#include "carom/field/distance_field.hpp"
#include "carom/mesh/mesh.hpp"
#include "carom/mesh/tetrahedra.hpp"

namespace carom {

/// Description of a soft body: a solid that deforms (adr/0016). Its nodes are the corners of a lattice of voxels that
/// is made of the surface on the spot, or of tetrahedra; its surface is what collides, and follows the nodes. Needs the
/// response `soft` or `penalty`.
struct SoftBody {
  std::string name{};
  TriangleMesh mesh{};           ///< closed surface at rest; empty if tetrahedra are given
  TetrahedralMesh tetrahedra{};  ///< instead of voxels; their boundary is the surface
  /// m, edge of a voxel; 0: as `degrees_of_freedom` asks for.
  double voxel_size = 0;
  /// Coordinates of nodes of the lattice, at most and nearly; the number of triangles does not matter. 0 = 3000, unless
  /// `voxel_size` is given.
  int degrees_of_freedom = 0;
  /// Whether blades cut it (World::add_blade, World::cut). The surface is then that of the lattice, with its corners
  /// moved to the mesh, and neither `tetrahedra` nor `field` go with it. Voxels less than a third full are left out:
  /// their mass goes to the nearest.
  bool cuttable = false;
  Elasticity elasticity{};
  std::vector<SoftRegion> regions{};  ///< stiffer or softer parts
  std::vector<FixedRegion> fixed{};   ///< parts that never move
  std::vector<Actuator> actuators{};  ///< parts whose shape at rest changes
  Plasticity plasticity{};
  /// Pa over that outside, on the surface from inside, while the volume is that at rest; it falls as the volume grows.
  double pressure = 0;
  double thickness = 0;               ///< m, distance to others and itself; 0 = ContactOptions::distance
  Eigen::Vector3d velocity{0, 0, 0};  ///< m/s, at the beginning, of all that is not fixed
  double air_damping = 0;             ///< 1/s, of the velocity
  /// Inner steps of a step; 0 = as many as resolve most of the elements.
  int inner_steps = 0;
  /// Makes a distance field of the surface at rest, which deforms with the body: World::depth_in() then tells depth and
  /// the way out of it (Fisher and Lin 2001).
  std::optional<FieldOptions> field{};
  /// Where WorldOptions::time_budget does not suffice, inner steps are left out of the bodies with the least importance
  /// first. Of equal ones those that a hand pulls, or a tool touches, and those with fresh contacts keep theirs
  /// longest.
  double importance = 1;
  bool sleeping_allowed = true;
  Material material{};
  CollisionFilter filter{};
  std::optional<Detection> detection{};  ///< continuous if not given
};

/// What a soft body is made of, and how it is now.
struct SoftState {
  std::size_t nodes = 0;
  std::size_t elements = 0;   ///< voxels or tetrahedra
  double voxel_size = 0;      ///< m; 0 if it has none
  double mass = 0;            ///< kg, fixed parts included
  double rest_volume = 0;     ///< m^3
  double volume = 0;          ///< m^3
  double elastic_energy = 0;  ///< J
};

/// Where a point is to the surface of a soft body, by its deformed field.
struct SoftDepth {
  double distance = 0;              ///< m, signed: negative inside; as long as the body is strained little near it
  Eigen::Vector3d normal{0, 0, 0};  ///< unit, the way out
};

}  // namespace carom
