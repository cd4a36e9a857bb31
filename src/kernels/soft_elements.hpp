#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Elements of soft bodies: stable neo-Hookean material (Smith, de Goes and Kim 2018) as compliant constraints, eight
/// elements at a time, in double precision. No two elements of a batch, nor of batches that are projected side by side,
/// have a node in common. The operations of soft_elements_reference.cpp in the same order, so the results have the same
/// bits on every target.
///
/// An element of volume V with the deformation gradient F has the energy V (mu / 2 |F|^2 + lambda / 2 (det F - a)^2),
/// a = 1 + mu / lambda: the two constraints of Macklin and Mueller (2021), the first as a vector. A projection is the
/// step of Newton's method for this energy and the inertia of the nodes, in which the curvature of the determinant
/// counts by its size: its matrix is positive for every shape, inverted ones included.
///
/// Elements that share nodes disturb each other in a projection. Where the inner step resolves an element, its force is
/// that of the shape without the others, and acts in full: a body at rest is then at the minimum of its energy. Where
/// it does not, or is far from rest, the element sees what those before it have done, and gives way (adr/0016).
namespace carom::kernels {

inline constexpr std::size_t element_lanes = 8;

/// A node: where it would be at the end of the inner step (m), and its inverse mass (1/kg).
struct alignas(32) ElementPoint {
  double x = 0, y = 0, z = 0, inverse_mass = 0;
};

/// Cubes with eight nodes, corner c at (c & 1, c >> 1 & 1, c >> 2 & 1). The first term is integrated over the trilinear
/// shape, and so holds the four hourglass modes; the determinant is that of the center, so that nearly incompressible
/// cubes do not lock (selective reduced integration).
struct alignas(64) VoxelBatch {
  double shear[element_lanes];    ///< J: mu V
  double volume[element_lanes];   ///< J: lambda V
  double inertia[element_lanes];  ///< 1/(kg m^2): largest inverse mass of a node over twice the square of the size
  double rate[element_lanes];     ///< 1/s^2: see ElementStep
  double follow[element_lanes];   ///< see follow_of()
  std::int32_t nodes[8][element_lanes];
};

/// Tetrahedra. Column `axis` of F is the sum over k of gradient[axis][k] (p[k + 1] - p[0]).
struct alignas(64) TetrahedronBatch {
  double gradient[3][3][element_lanes];  ///< 1/m
  double shear[element_lanes];           ///< J: mu V
  double volume[element_lanes];          ///< J: lambda V
  double inertia[element_lanes];         ///< 1/(kg m^2): bound on the eigenvalues of the inverse masses seen by F
  double rate[element_lanes];            ///< 1/s^2: see ElementStep
  double follow[element_lanes];          ///< see follow_of()
  std::int32_t nodes[4][element_lanes];
};

/// Shape at rest of the elements of a batch that is not as made: their deformation gradient is F times G.
struct alignas(64) RestBatch {
  double g[3][3][element_lanes];  ///< G by row and column
  double scale[element_lanes];    ///< bound on the largest eigenvalue of G G^T: inertia is seen through it
};

/// An inner step of h (s). An element is resolved by it if h^2 times its `rate` is at most `stable_rate`: the square of
/// its largest frequency at rest with the part of the mass of each node that is its own, such that the parts of all
/// elements are the whole mass. No frequency of a body is above the largest of its elements so.
struct ElementStep {
  double h = 0;
  ElementPoint* points = nullptr;
  const ElementPoint* before = nullptr;  ///< the points at the start of the inner step; for damping
  const ElementPoint* ends = nullptr;    ///< the points before the first projection
  double damping = 0;                    ///< s: viscosity over shear modulus
  double inverse_size = 0;               ///< 1/m, of voxels
};
/// Moves the points towards what the elements want. `rest`: of each batch; null if all are as made.
void project_voxels(std::span<const VoxelBatch> batches, const ElementStep& step, const RestBatch* rest = nullptr);
void project_tetrahedra(std::span<const TetrahedronBatch> batches, const ElementStep& step,
                        const RestBatch* rest = nullptr);

/// Takes strain rates of the shape before the inner step from the points, each element from what those before it have
/// left: stable for any damping. A body at rest has none, so it does not feel it.
void damp_voxels(std::span<const VoxelBatch> batches, const ElementStep& step);
void damp_tetrahedra(std::span<const TetrahedronBatch> batches, const ElementStep& step);
void damp_voxels_reference(std::span<const VoxelBatch> batches, const ElementStep& step);
void damp_tetrahedra_reference(std::span<const TetrahedronBatch> batches, const ElementStep& step);

/// The same, one element after the other.
void project_voxels_reference(std::span<const VoxelBatch> batches, const ElementStep& step,
                              const RestBatch* rest = nullptr);
void project_tetrahedra_reference(std::span<const TetrahedronBatch> batches, const ElementStep& step,
                                  const RestBatch* rest = nullptr);

/// Integral of the squared gradient of an hourglass mode of two and of three axes, in units of that of one axis.
inline constexpr double hourglass_of_two = 2.0 / 3;
inline constexpr double hourglass_of_three = 1.0 / 3;
/// Largest frequency of a body, squared and times the square of the inner step, up to which forces of shapes without
/// the others are stable.
inline constexpr double stable_rate = 4.0 / 3;
/// Weight of the curvature in the divisor of a force of an element that is resolved: at rest, where it is `inertia`
/// times 2 shear + 3 volume, half of what inertia is, so that forces act in full, up to twice that curvature.
inline double follow_of(double rate, double inertia, double shear, double volume) {
  const double own = inertia * (2 * shear + 3 * volume);
  return own > 0 ? 0.5 / stable_rate * rate / own : 0;
}
/// Below every square of a cofactor that counts.
inline constexpr double element_min_square = 1e-300;

}  // namespace carom::kernels
