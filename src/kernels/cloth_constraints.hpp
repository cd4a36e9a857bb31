#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Compliant constraints of cloth (XPBD: Macklin, Mueller and Chentanez 2016), eight at a time, in double precision.
/// No two constraints of a batch, nor of batches that are projected side by side, have a vertex in common. The
/// operations of cloth_constraints_reference.cpp in the same order, so the results have the same bits on every target.
namespace carom::kernels {

inline constexpr std::size_t cloth_lanes = 8;

/// A vertex: where it would be at the end of the inner step (m), and its inverse mass (1/kg).
struct alignas(32) ClothPoint {
  double x = 0, y = 0, z = 0, inverse_mass = 0;
};

/// Triangles with three strains each, which are solved together: along the warp, along the weft, and the shear between
/// the two. Column `axis` of
/// the deformation gradient is gradient[axis][0] (p1 - p0) + gradient[axis][1] (p2 - p0).
struct alignas(64) StretchBatch {
  double gradient[2][2][cloth_lanes];  ///< 1/m
  double compliance[3][cloth_lanes];   ///< 1/J: one over stiffness and area
  double damping[3][cloth_lanes];      ///< s: damping over stiffness
  double limit[cloth_lanes];           ///< strain along warp and weft that is not exceeded; infinite if none
  std::int32_t corners[3][cloth_lanes];
};

/// Edges between two triangles. The curvature across one is the length of the sum of weight[k] p[k] (Bergou et al.
/// 2006); the weights add up to zero, and that of the first vertex is left out.
struct alignas(64) BendBatch {
  double weight[3][cloth_lanes];   ///< of vertices 1 to 3; none
  double compliance[cloth_lanes];  ///< m^2/J
  double damping[cloth_lanes];     ///< s: damping over stiffness
  /// m; that length at rest, negative where the edge is bent away from the normals.
  double rest[cloth_lanes];
  std::int32_t vertices[4][cloth_lanes];  ///< both ends of the edge, the corners opposite to it
};

/// Moves the points towards what the constraints want, over an inner step of h (s). `before`: the points at the start
/// of the inner step; read where there is damping only.
struct ClothStep {
  double h = 0;
  /// s, over which bending acts in this inner step: a multiple of h where others go by without it.
  double bend_interval = 0;
  ClothPoint* points = nullptr;
  const ClothPoint* before = nullptr;
  bool damped = false;   ///< some constraint has damping
  bool limited = false;  ///< some strain has a limit
};
void project_stretch(std::span<const StretchBatch> batches, const ClothStep& step);
/// `flat`: no edge of these is bent at rest.
void project_bending(std::span<const BendBatch> batches, const ClothStep& step, bool flat);

/// The same, one constraint after the other.
void project_stretch_reference(std::span<const StretchBatch> batches, const ClothStep& step);
void project_bending_reference(std::span<const BendBatch> batches, const ClothStep& step, bool flat);

/// Shorter vectors have no direction; m, or none for columns of the deformation gradient.
inline constexpr double cloth_min_length = 1e-150;

}  // namespace carom::kernels
