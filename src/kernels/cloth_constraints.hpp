#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Compliant constraints of cloth (XPBD: Macklin, Mueller and Chentanez 2016), sixteen at a time. Vertices are where
/// they were at the start of the step, in double precision, and an offset from there, in single precision: what
/// triangles and edges were at the start is in their bases, so that single precision is relative to what has changed
/// since. No two constraints of a batch, nor of batches that are projected side by side, have a vertex in common. The
/// operations of cloth_constraints_reference.cpp in the same order, so the results have the same bits on every target.
namespace carom::kernels {

/// As many as the widest vectors have; narrower ones take a batch in parts, with the same bits.
inline constexpr std::size_t cloth_lanes = 16;

/// Four numbers of a vertex, such as where it is (m), or its velocity (m/s), and its inverse mass (1/kg).
struct alignas(32) ClothPoint {
  double x = 0, y = 0, z = 0, inverse_mass = 0;
};

/// A vertex: from where it was at the start of the step to where it would be at the end of the inner step (m), less
/// what all have in common, and its inverse mass (1/kg).
struct alignas(16) ClothOffset {
  float x = 0, y = 0, z = 0, inverse_mass = 0;
};

/// Triangles with three strains each, which are solved together: along the warp, along the weft, and the shear between
/// the two. Column `axis` of
/// the deformation gradient is gradient[axis][0] (p1 - p0) + gradient[axis][1] (p2 - p0).
struct alignas(64) StretchBatch {
  float gradient[2][2][cloth_lanes];  ///< 1/m
  float compliance[3][cloth_lanes];   ///< 1/J: one over stiffness and area
  std::int32_t corners[3][cloth_lanes];
  float damping[3][cloth_lanes];  ///< s: damping over stiffness
  float limit[cloth_lanes];       ///< strain along warp and weft that is not exceeded; infinite if none
};
/// Gradients of the same triangles, in double precision.
struct alignas(64) StretchGradient {
  double gradient[2][2][cloth_lanes];  ///< 1/m
};
/// The same triangles at the start of the step.
struct alignas(64) StretchBase {
  float column[2][3][cloth_lanes];  ///< of the deformation gradient
  float excess[3][cloth_lanes];     ///< squares of the two columns less 1, and their product
  float weight[3][cloth_lanes];     ///< 1/(kg m^2): sums of inverse masses and gradients, of 0 0, 0 1 and 1 1
};

/// Edges between two triangles. The curvature across one is the length of the sum of weight[k] p[k] (Bergou et al.
/// 2006); the weights add up to zero, and that of the first vertex is left out.
struct alignas(64) BendBatch {
  float weight[3][cloth_lanes];           ///< of vertices 1 to 3; none
  float compliance[cloth_lanes];          ///< m^2/J
  std::int32_t vertices[4][cloth_lanes];  ///< both ends of the edge, the corners opposite to it
  // What is seldom read comes last.
  float damping[cloth_lanes];  ///< s: damping over stiffness
  /// m; that length at rest, negative where the edge is bent away from the normals.
  float rest[cloth_lanes];
};
/// Weights of the same edges, in double precision.
struct alignas(64) BendWeight {
  double weight[3][cloth_lanes];
};
/// The same edges at the start of the step.
struct alignas(64) BendBase {
  float bend[3][cloth_lanes];  ///< m, the sum
};
/// The same edges there, if some are bent at rest: by themselves, as bending is bound by what is read.
struct alignas(64) BendEdges {
  float edge[3][3][cloth_lanes];  ///< m, from vertex 0 to the others
};

/// Moves the points towards what the constraints want, over an inner step of h (s). `before`: the points at the start
/// of the inner step; read where there is damping only.
struct ClothStep {
  double h = 0;
  /// s, over which bending acts in this inner step: a multiple of h where others go by without it.
  double bend_interval = 0;
  ClothOffset* points = nullptr;
  const ClothOffset* before = nullptr;
  bool damped = false;   ///< some constraint has damping
  bool limited = false;  ///< some strain has a limit
};
/// Bases of batches from where the vertices are at the start of the step (m), and their inverse masses. The last point
/// is that of lanes without a constraint, of no inverse mass. Without `edges` these are not noted.
void note_stretch(std::span<const StretchBatch> batches, const StretchGradient* gradients, const ClothPoint* points,
                  StretchBase* bases);
void note_bending(std::span<const BendBatch> batches, const BendWeight* weights, const ClothPoint* points,
                  BendBase* bases, BendEdges* edges);
/// As many bases as batches.
void project_stretch(std::span<const StretchBatch> batches, const StretchBase* bases, const ClothStep& step);
/// Without `edges` no edge is bent at rest.
void project_bending(std::span<const BendBatch> batches, const BendBase* bases, const BendEdges* edges,
                     const ClothStep& step);

/// The same, one constraint after the other.
void note_stretch_reference(std::span<const StretchBatch> batches, const StretchGradient* gradients,
                            const ClothPoint* points, StretchBase* bases);
void note_bending_reference(std::span<const BendBatch> batches, const BendWeight* weights, const ClothPoint* points,
                            BendBase* bases, BendEdges* edges);
void project_stretch_reference(std::span<const StretchBatch> batches, const StretchBase* bases, const ClothStep& step);
void project_bending_reference(std::span<const BendBatch> batches, const BendBase* bases, const BendEdges* edges,
                               const ClothStep& step);

/// Square of a column of the deformation gradient below which a triangle counts as so thin.
inline constexpr float cloth_min_square = 1e-6F;
/// Part of its diagonal that a pivot keeps at least: triangles of which one corner moves have two directions only.
inline constexpr float cloth_min_pivot = 1e-6F;
/// Shorter bends have no direction; m.
inline constexpr float cloth_min_length = 1e-18F;

}  // namespace carom::kernels
