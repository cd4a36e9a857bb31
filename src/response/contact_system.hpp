#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "carom/core/stats.hpp"
#include "contact/cached_manifold.hpp"
#include "core/context.hpp"
#include "response/response.hpp"

/// The contacts of a step as equations in double precision: what the responses `impulse` and `lcp` solve, each in its
/// way, and how bodies move with what they found.
///
/// Guarantees of the form of the step, for any solver and any residual:
/// - *Momentum.* Both impulses of a contact point act at one place, and bodies move with the velocity that they end
///   with: x' = x + dt v'. Then x' x p' summed over a pair is what it was, so linear and angular momentum are kept to
///   rounding.
/// - *Energy.* With that step a body gains J.v' - m |v' - v|^2 / 2 under constant forces, J being what contacts gave it
///   (so for its turn). So energy does not grow if J.v' summed over an island is not positive. At a solution it is not:
///   normal impulses leave a point at rest or still closing its gap, friction is against the slip. Short of a solution
///   all impulses of the island are made smaller by one factor until it holds (`take_back`).
namespace carom::contacts {

using math::Mat3;
using math::Vec3;

struct Body {
  Vec3 v;  ///< m/s, as solved so far
  Vec3 w;
  Vec3 free_v;           ///< what forces add to v in this step
  Vec3 free_w;           ///< to w, at the orientation of the beginning
  Vec3 inverse_mass;     ///< along the axes of the world; 0 where locked, and for what does not move
  Mat3 inverse_inertia;  ///< in the world
  Vec3 impulse;          ///< N s, that contacts gave so far
  Vec3 moment;           ///< N m s about the centre of mass
  Vec3 correction_v;     ///< m/s, moves overlapping bodies apart in this step and is then forgotten
  Vec3 correction_w;
  bool moves = false;
  bool touched = false;
};

/// One direction at a point. Its speed is that of b against a.
struct Row {
  Vec3 along;
  Vec3 turn_a;  ///< arm x along
  Vec3 turn_b;
  Vec3 spin_a;  ///< inverse inertia times that
  Vec3 spin_b;
  double inverse_effective_mass = 0;  ///< 1/kg; change of speed by a unit of impulse
};

struct Point {
  BodySlot a{};
  BodySlot b{};
  Row normal;
  Row tangent[2];
  double tangent_cross = 0;  ///< 1/kg; how the two tangents act on each other
  double gap = 0;            ///< m
  double speed = 0;          ///< m/s, along the normal at the beginning
  double pull = 0;           ///< m/s^2, by which forces bring the bodies together
  double friction = 0;
  double restitution = 0;
  double torsion = 0;  ///< m
  double rolling = 0;  ///< m
  // Found by the solver, N s and N m s.
  double normal_impulse = 0;
  double friction_impulse[2] = {0, 0};
  double torsion_impulse = 0;
  double rolling_impulse[2] = {0, 0};
  double before[3] = {0, 0, 0};   ///< N s, normal and friction impulse before the last round
  double trend[3] = {0, 0, 0};    ///< N s, by which rounds have changed them of late, see solve_resting()
  double apart = 0;               ///< m/s, by which it is to be opened, see `move_apart`
  double correction_impulse = 0;  ///< N s, impulse of the motion apart
  Vec3 impact;                    ///< what collisions at the beginning of the step gave to b
  double impact_normal_impulse = 0;
};

struct Contact {
  ManifoldIndex pair{};
  std::uint32_t first = 0;  ///< first of its points
  std::uint32_t count = 0;
  /// 1/kg, how a push at one point changes the speed at another, and (nearly) its inverse in kg, see settle_points().
  double coupling[convex::max_manifold_points][convex::max_manifold_points] = {};
  double inverse[convex::max_manifold_points][convex::max_manifold_points] = {};
};

/// Bodies that touch each other, directly or over others that move.
struct Island {
  std::uint32_t first_contact = 0;
  std::uint32_t end_contact = 0;
  std::uint32_t first_point = 0;
  std::uint32_t end_point = 0;
  std::uint32_t first_body = 0;
  std::uint32_t end_body = 0;
  // Statistics of its solution.
  std::uint64_t rounds = 0;
  std::uint64_t impacts = 0;
  std::uint64_t limited = 0;
  double residual = 0;
};

struct System {
  BySlot<Body> bodies;             ///< all bodies of the world; those that nothing touches mean nothing
  std::vector<BodySlot> touched;   ///< bodies that move and are touched
  BySlot<std::int32_t> island_of;  ///< number of an island, at its root
  std::vector<Contact> contacts;   ///< island by island
  std::vector<Point> points;       ///< in the order of `contacts`
  std::vector<Island> islands;
  std::vector<BodySlot> members;  ///< bodies, island by island
  std::vector<BodySlot> alone;    ///< bodies that touch deforming bodies only
  std::vector<std::uint32_t> next;
};

inline double speed_along(const Row& row, const Body& a, const Body& b) {
  return dot(row.along, b.v - a.v) + dot(row.turn_b, b.w) - dot(row.turn_a, a.w);
}

inline Vec3 scaled(const Vec3& a, const Vec3& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}

inline void apply_impulse(const Row& row, double impulse, Body& a, Body& b) {
  if (a.moves) {
    a.v = a.v - impulse * scaled(a.inverse_mass, row.along);
    a.w = a.w - impulse * row.spin_a;
  }
  if (b.moves) {
    b.v = b.v + impulse * scaled(b.inverse_mass, row.along);
    b.w = b.w + impulse * row.spin_b;
  }
}

/// A direction at a point with these arms. For a turn alone `along` is zero and both `turn` are its axis.
Row make_row(const Vec3& along, const Vec3& turn_a, const Vec3& turn_b, const Body& a, const Body& b);
/// Change of the speed along p by a unit of impulse along q; both between the same two bodies.
double coupling(const Row& p, const Row& q, const Body& a, const Body& b);

/// Two unit vectors that make a right-handed frame with the normal.
void tangents(const Vec3& normal, Vec3& t1, Vec3& t2);

/// Sorts what touches into islands and writes down the equations of each point. Also tells the points of the pairs with
/// what speed they meet.
void build(Context& context, const response::In& in, ManifoldSpan<contact::CachedManifold> pairs, System& system);

/// Forces act: velocities of the bodies of an island become those of the end of the step without contacts.
void add_forces(System& system, const Island& island);

/// Normal impulses at the points of one pair that leave none of them closing by more than it may: all at once by the
/// inverse of their matrix, or where one of them would pull, one by one in either order, and the mean of both. So the
/// four corners of a face share a load evenly, and nothing that stands straight is tipped by the order of its points.
/// `speed` is by how much each point keeps its gap (m/s, negative: not), `normal_impulse` what it has so far (N s).
void settle_points(const Contact& contact, const double* speed, double* normal_impulse);

/// Impulses of the step (normal, friction, torsional and rolling) made smaller by one factor for the whole island, and
/// the velocities with them, if they would add energy.
void take_back(System& system, const Island& island);

/// Largest of |min(z, w)| over the points: z the impulse and w the speed by which the gap is kept, both made
/// comparable by the root of the point's stiffness; relative to the largest speed, made so, that there was to take
/// away. 0 if each point either does not push or keeps its gap exactly.
double residual(const System& system, const Island& island, double dt);

/// m/s, by which the motion that was found opens a point.
inline double moved_apart(const Row& row, const Body& a, const Body& b) {
  return dot(row.along, b.correction_v - a.correction_v) + dot(row.turn_b, b.correction_w) -
         dot(row.turn_a, a.correction_w);
}

/// Finds a motion that opens each point by its `apart`, or more; where that is below zero, the point may come nearer.
void move_apart(System& system, const Island& island);

/// Finds a motion that moves what overlaps by more than `slop` apart, no faster than `fastest`.
void separate(System& system, const Island& island, double slop, double fastest, double dt);

/// Where a body goes with what contacts gave it.
rigid::Motion moved(const response::In& in, const Body& body, BodySlot index);

/// Impulses to the pairs, and the motion of the bodies.
void finish(Context& context, const response::In& in, ManifoldSpan<contact::CachedManifold> pairs, System& system,
            const response::Out& out);

/// Adds what islands took to `stats`, their rounds under this name. Returns the largest residual.
double count(const System& system, std::size_t points, const char* rounds_name, StageStats& stats);

}  // namespace carom::contacts
