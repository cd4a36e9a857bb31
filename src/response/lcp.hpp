#pragma once

#include "carom/core/stats.hpp"
#include "response/contact_system.hpp"
#include "response/lemke.hpp"

/// Stage `respond` for rigid bodies, as linear complementarity problems, in the two parts of Zara's course on
/// collisions of rigid objects:
/// - *Colliding.* Impulses f >= 0 with d'+ = A f + d'- >= -e d'- and f (d'+ + e d'-) = 0, all contacts of an island at
///   once. (The course lacks the minus sign before e; a_ij has the arm of i on the left and of j on the right.)
/// - *Resting.* Forces g >= 0 with d'' = A g + b >= 0 and g d'' = 0. Here d'' is the difference over the step: what a
///   contact must not do is to end the step closing faster than its gap allows, (d' at the end + gap / dt) / dt >= 0.
///   With the derivative at the beginning instead, errors of one step would be none of the next one's business.
///
/// Friction is Coulomb's with a cone of `lcp_directions` edges (Stewart and Trinkle 1996, Anitescu and Potra 1997): at
/// each point also impulses b_j >= 0 along directions t_j and a slip speed s >= 0 with
///   t_j.v + s >= 0, zero where b_j > 0;   friction g - sum b_j >= 0, zero where s > 0.
///
/// Solved by pivoting, so exact but for rounding. Islands with more than `lcp_points` points, and what the solver does
/// not solve (which the theory excludes for the second part, but not rounding), are left to the rounds of `impulse`;
/// `limited` counts them.
namespace carom::lcp {

/// Working memory for one island.
struct Work {
  struct Mix {
    double part[3];
  };
  std::vector<Mix> mixes;        ///< mixes of the unknowns of a point, see lcp.cpp
  std::vector<double> delassus;  ///< 3 by 3 for each two points: normal and two tangents
  std::vector<double> matrix;
  std::vector<double> right;
  std::vector<double> z;
  std::vector<double> unit;           ///< unit of each unknown, see lcp.cpp
  std::vector<std::uint32_t> offset;  ///< first unknown of each point
  std::vector<double> wanted;         ///< m/s, least speed along the normal at the end
  std::vector<double> before;         ///< m/s, three speeds of each point
  std::vector<double> found;          ///< N s, three impulses of each point
  lemke::Scratch lemke;
};

struct Scratch {
  contacts::System system;
  double residual = 0;  ///< residual of the last step, the largest of all islands, see lemke::Result
  std::vector<Work> work;
};

void run(Context& context, const response::In& in, const SolverOptions& options,
         ManifoldSpan<contact::CachedManifold> pairs, Scratch& scratch, const response::Out& out, StageStats& stats);

}  // namespace carom::lcp
