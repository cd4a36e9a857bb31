#pragma once

#include "carom/core/stats.hpp"
#include "response/contact_system.hpp"

/// Stage `respond` for rigid bodies, by impulses one after the other (Hahn 1988, Mirtich and Canny 1995; accumulated
/// and kept from step to step as by Catto 2005), in two parts as in Zara's course on rigid collisions:
/// - *Colliding.* What meets faster than `bounce_speed` and would touch within the step bounces first. Pairs take turns
///   and each answers the speed with which its bodies meet when its turn comes, until none meets so fast. So a blow
///   goes through a row of balls one by one, and the last one leaves alone, as in Newton's cradle. The points of one
///   pair bounce at once: a box that lands flat does not tip.
/// - *Resting.* Then forces act, and rounds over all points find impulses that hold what touches, with friction,
/// without
///   bounce. A gap may close but no more.
/// Overlaps are opened by a motion that leaves no velocity behind. contact_system.hpp says why energy cannot grow.
///
/// Islands are solved side by side; within one, in order. So a large pile gains nothing from threads: that is what
/// `soft` is for.
namespace carom::impulse {

struct Scratch {
  contacts::System system;
  double residual = 0;  ///< residual of the last step, the largest of all islands, see contacts::residual
};

void run(Context& context, const response::In& in, const SolverOptions& options,
         ManifoldSpan<contact::CachedManifold> pairs, Scratch& scratch, const response::Out& out, StageStats& stats);

/// The second part for one island, whose bodies have the velocities of the end of the step without contacts. Starts
/// from the impulses that the points have.
void solve_resting(contacts::System& system, contacts::Island& island, const SolverOptions& options, double dt);

/// Both parts for one island, whose bodies have the velocities of the beginning of the step.
void solve_island(contacts::System& system, contacts::Island& island, const SolverOptions& options, double dt);

/// The speed with which a point leaves that meets with `speed` < 0 while there is a `gap` > 0 yet. It bounces before it
/// touches, and so that it rises as high as if it had fallen on to the touch and bounced there. 0: not at all.
double rebound(const contacts::Point& point, double speed);

}  // namespace carom::impulse
