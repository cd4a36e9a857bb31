#pragma once

#include <Eigen/Core>

#include "carom/core/stats.hpp"
#include "response/contact_system.hpp"
#include "response/penalty_force.hpp"

/// Stage `respond` for rigid bodies, by springs and dampers (Dequidt, Grisoni, Meseure and Chaillou): a point that
/// overlaps by d is pushed by k d + c d', never pulled. Each step is made of `penalty_substeps` explicit ones, in which
/// bodies move and the overlap of the points follows them.
///
/// - *Bounce.* c is such that a ball leaves with the share of its speed that restitution says, in these substeps; where
/// nothing bounces, `penalty_damping` times the critical one. Of several points it is that of their
///   speeds together, as far as that is stable.
/// - *Friction.* A spring along the surface, one a pair, that is stretched by the slip and slides where it would pull
///   more than friction allows (Cundall and Strack 1979), shared out to the points as they are pressed, and a damper at
///   each point. So what stands on a slope stays.
/// - *Stability.* Of a mass on a spring with a damper, x' = x + h v', the step is stable if h^2 k / m + 2 h c / m < 4.
///   Let e be the largest eigenvalue of M^-1 sum J^T J of a body, over its points, J taking the motion of the body to
///   the velocity of the point. Where a and b meet, |J_a u_a + J_b u_b|^2 is no more than (e_a + e_b) / e_a |J_a u_a|^2
///   + (e_a + e_b) / e_b |J_b u_b|^2; so with k (e_a + e_b) for k / m at each point the whole is as stable as the mass
///   on the spring. A stiffness that is given and exceeds this is refused, one that is not is chosen well below.
///   e is of the pose that a body has: when it has turned within the step so that it gives way more, as a thin one
///   does, its springs become softer for the rest of the step.
///
/// - *Energy.* What is found overlapping, as it turned or came faster than it was seen, has not pressed its spring on
///   the way, and would be thrown back by what nobody has given. So the springs of a pair begin a step with no more
///   energy than they ended the last one with: their points rest at a part of their overlap. In the substep in which a
///   point begins or ends to overlap it pushes for the part of it in which it does.
/// - *Overlaps.* That part, by which no spring is pressed, is opened with `resting_speed` by a motion without velocity,
///   as in `impulse`. So nothing gains speed by it, and nothing that is off by a little in each step sinks in further
///   and further. What is being opened does not fall asleep.
///
/// The two forces of a point act at one place and bodies move with the velocity that a substep ends with: momentum is
/// kept to rounding. Energy is not gained but for what springs hold and give back.
namespace carom::rigid_penalty {

using math::Mat3;
using math::Vec3;

/// A body within the step.
struct Moving {
  Vec3 start;  ///< m, centre of mass at the beginning
  Vec3 x;
  math::Quat q;
  Vec3 v;
  Vec3 w;
  Vec3 momentum;  ///< angular
  Vec3 impulse;   ///< N s of this substep
  Vec3 moment;
  bool pushed = false;
  bool remeasured = false;                   ///< its inverse effective mass is measured again
  math::Quat measured;                       ///< its rotation when its inverse effective mass was measured
  double inverse_effective_mass = 0;         ///< 1/kg, see above
  double normal_inverse_effective_mass = 0;  ///< the same along the normals alone
};

struct Spring {
  double stiffness = 0;               ///< N/m
  double damping = 0;                 ///< N s/m along the normal
  double drag = 0;                    ///< N s/m along the surface
  double inverse_effective_mass = 0;  ///< 1/kg along the normal, of both bodies
  double impact_inverse_effective_mass =
      0;                 ///< 1/kg, for speeds of the points of the pair in the ratio in which they began the step
  bool bounces = false;  ///< the damping is that of a restitution
  double pull = 0;       ///< m/s^2, by which forces bring them together
  double bearable = 0;   ///< 1/kg, of both bodies in all directions, that it is soft enough for
  double gap = 0;        ///< m
  double rest = 0;       ///< m, the gap at which it does not push; not above zero
  double force = 0;      ///< N, of this substep
  double total = 0;      ///< N s, of the step
  Vec3 place;            ///< m, where it acts
  Vec3 beside;           ///< m, from the farthest point of a body that rolls to there
  bool rolls = false;    ///< where it acts goes along with what is farthest, see `follow`
  double opening = 0;    ///< m/s, of the gap
  Vec3 slip;             ///< m/s
};

struct Scratch {
  contacts::System system;
  BySlot<Moving> moving;
  std::vector<Spring> springs;  ///< springs of all points of the system
  /// Sums of J^T J over the points of a body.
  struct Sums {
    Eigen::Matrix<double, 6, 6> all;      ///< in all directions
    Eigen::Matrix<double, 6, 6> normals;  ///< along the normals alone
  };
  BySlot<Sums> sums;
  ReboundTable rebounds;
};

/// Throws Error(unstable) that names the bodies and the largest stable stiffness, before anything has changed.
void run(Context& context, const response::In& in, const SolverOptions& options,
         ManifoldSpan<contact::CachedManifold> pairs, Scratch& scratch, const response::Out& out, StageStats& stats);

}  // namespace carom::rigid_penalty
