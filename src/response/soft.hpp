#pragma once

#include <span>
#include <vector>

#include "bodies/rigid.hpp"
#include "carom/core/stats.hpp"
#include "contact/cached_manifold.hpp"
#include "core/context.hpp"
#include "core/phased_loop.hpp"
#include "kernels/soft_contact.hpp"
#include "response/response.hpp"

/// Stage `respond` for rigid bodies, by soft constraints in substeps (after Catto, "Solver2D", 2024, called TGS soft
/// there): in each substep all contacts are solved once as stiff springs with dampers that push overlaps out, positions
/// follow, and all are solved once more as rigid ones, which takes away the velocity that pushing out has given.
///
/// Differences from the published form:
/// - The spring of a contact carries only what its load is beyond that of late (`reference`), so a stack at rest does
///   not sink into itself by the weight it carries. The load is learned slowly: spring and learning together are a
///   controller with an integral part, and on the slow modes of a tall stack, which the solver does not get to the
///   bottom of within a step, a fast one would swing up.
/// - Gaps below `soft_zone` are closed as gently as overlaps are opened. At rest a contact is at zero, and must not
///   change its nature there.
/// - Points of one pair are solved together, by their small matrix; friction acts at their centre.
/// - The impulses of a substep are handed to the next as the change of velocity that they made, which is one pass over
///   the bodies instead of one over the contacts.
/// - Velocities are summed up in double precision from the impulses at the end, so that momentum is kept to rounding
///   although the impulses are single.
namespace carom::soft {

using response::In;

/// Effect of all contacts on a body over the step.
struct Outcome {
  math::Vec3 impulse;  ///< N s
  math::Vec3 moment;   ///< N m s about the centre of mass
};

struct Scratch {
  struct Lanes {
    std::int32_t pair[kernels::soft_lanes];
  };
  struct Loop {
    int what = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  std::vector<kernels::SoftBody> bodies;
  std::vector<kernels::SoftMass> masses;
  std::vector<kernels::SoftBody> begin;  ///< velocities at the beginning of a substep
  BySlot<std::int32_t> row;              ///< row of a body; -1 if no contact has it
  std::vector<BodySlot> rows;            ///< bodies that have a row
  std::vector<Outcome> outcome;          ///< outcome of each row
  std::vector<kernels::SoftBatch> batches;
  std::vector<Lanes> lanes;
  std::vector<std::uint8_t> bounces;  ///< 1 for a batch of which some lane bounces
  std::vector<std::int32_t> row_a;    ///< row of body a of each contact; -1 if it does not move
  std::vector<std::int32_t> row_b;
  std::vector<std::int32_t> colour;
  std::vector<std::uint64_t> used;
  std::vector<std::uint32_t> place;   ///< batch and lane of each contact
  std::vector<std::uint32_t> counts;  ///< number of contacts of each color and number of points
  /// Batches that are solved before those of the next run: of one colour, or, in one block and in their order, of
  /// several, or of none.
  struct Run {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool one_block = false;
  };
  std::vector<Run> runs;
  std::size_t colours = 0;
  std::vector<Loop> loops;
  std::vector<std::uint32_t> blocks;
  PhasedLoop runner;
};

/// Solves the contacts of one step: pairs get their impulses, and the bodies that they hold their motion.
void run(Context& context, const In& in, const SolverOptions& options, ManifoldSpan<contact::CachedManifold> pairs,
         Scratch& scratch, const response::Out& out, StageStats& stats);

}  // namespace carom::soft
