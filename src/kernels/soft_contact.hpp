#pragma once

#include <cstddef>
#include <cstdint>

/// Contacts of the response `soft`, eight pairs of bodies at a time, one a lane. No two lanes of a batch, and no two
/// batches that are solved at the same time, write to one body.
///
/// A pair has up to four points with one normal, and friction at their centre: along two tangents together, and against
/// twisting about the normal. Impulses are those of one substep. Everything is single precision and in the frame of the
/// world, relative to the centres of mass at the beginning of the step.
namespace carom::kernels {

inline constexpr std::size_t soft_lanes = 8;
inline constexpr std::size_t soft_points = 4;

/// What changes while contacts are solved; one cache line.
struct alignas(64) SoftBody {
  float velocity[8];      ///< linear 3, angular 3, unused 2
  float displacement[8];  ///< since the beginning of the step, likewise: m and rad
};

/// What does not.
struct alignas(64) SoftMass {
  float inverse_mass[4];     ///< along the axes of the world; unused 1
  float inverse_inertia[8];  ///< xx xy xz yy yz zz, in the world; unused 2
  float reach;               ///< m, of the body from its centre of mass; not read here
  float unused[3];
};

using SoftLane = float[soft_lanes];

struct alignas(32) SoftPoint {
  SoftLane arm_a[3];  ///< in: from the centre of mass of a to the point; after soft_prepare() its cross product with n
  SoftLane arm_b[3];  ///< the same of b
  SoftLane gap;       ///< in; m, at the beginning of the step; `soft_no_gap` where there is no point
  SoftLane lever;     ///< in; m, from the centre of the points
  SoftLane impulse;   ///< in, out; N s
  SoftLane learned_load;            ///< in; N s that the spring of the contact need not carry
  SoftLane total;                   ///< out; of all substeps but the last
  SoftLane mass;                    ///< kg that an impulse at the point moves along the normal
  SoftLane inverse_effective_mass;  ///< 1/kg, its inverse
  SoftLane approach;                ///< in; m/s along the normal where the bodies touch
};

/// So far away that no impulse comes of it.
inline constexpr float soft_no_gap = 1e9F;

struct alignas(64) SoftBatch {
  std::int32_t a[soft_lanes];  ///< rows of the bodies
  std::int32_t b[soft_lanes];
  std::int32_t write_a[soft_lanes];  ///< the same, or -1 if nothing moves it
  std::int32_t write_b[soft_lanes];
  SoftLane normal[3];    ///< in; from a to b
  SoftLane friction;     ///< in
  SoftLane restitution;  ///< in
  SoftLane pull;         ///< in; m/s^2, by which forces bring the bodies together
  SoftLane bias_rate;    ///< in; 1/s, of how an overlap shrinks
  SoftLane mass_scale;   ///< in; of the spring and damper, see soft.cpp
  SoftLane impulse_scale;
  SoftLane arm_a[3];             ///< in; to the centre of the points
  SoftLane arm_b[3];             ///< in
  SoftLane first_tangent[3];     ///< in: impulse of friction; after soft_prepare() the first tangent
  SoftLane second_tangent[3];    ///< the second
  SoftLane friction_impulse[2];  ///< along the tangents
  SoftLane torsion_impulse;      ///< in, out; N m s about the normal
  SoftLane friction_total[2];    ///< out
  SoftLane torsion_total;        ///< out
  SoftLane mass_a[3];
  SoftLane mass_b[3];
  SoftLane inertia_a[6];
  SoftLane inertia_b[6];
  SoftLane friction_mass[3];  ///< inverse of the 2 by 2 matrix of the tangents: 00 01 11
  SoftLane torsion_mass;
  SoftLane coupling[6];  ///< of points 01 02 03 12 13 23: what an impulse at one does to the velocity at the other
  SoftLane block[10];    ///< inverse of the matrix of the points: 00 01 11 02 12 22 03 13 23 33
  SoftPoint points[soft_points];
  std::int32_t point_count = 0;  ///< of the lane with the most
};

struct SoftStep {
  float h = 0;               ///< s, of a substep
  float max_push_speed = 0;  ///< m/s
  float bounce_speed = 0;
  /// m; gaps up to this are treated like overlaps, the other way round: so there is nothing sudden about touching.
  float zone = 0;
  /// Times the change that would settle a pair: beyond 1, below 2, neighbours that depend on each other in a long chain
  /// settle sooner. Not when pushing.
  float over = 1;
  float add = 0;  ///< 1: pushing adds the impulses that it finds to the totals; 0: it does not
};

void soft_prepare(SoftBatch* batches, std::size_t count, const SoftMass* masses);
/// Applies the impulses as they are.
void soft_warm_start(const SoftBatch* batches, std::size_t count, SoftBody* bodies);
/// With `push` overlaps are pushed out; without it velocities are corrected.
void soft_solve(SoftBatch* batches, std::size_t count, SoftBody* bodies, const SoftStep& step, bool use_bias);
/// What was approaching fast leaves with its share of the speed. The impulse goes to the totals, and is not kept for
/// the next step.
void soft_bounce(SoftBatch* batches, std::size_t count, SoftBody* bodies, const SoftStep& step);

}  // namespace carom::kernels
