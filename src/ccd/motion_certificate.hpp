#pragma once

#include <span>
#include <vector>

#include "carom/detect/continuous.hpp"
#include "carom/mesh/surface.hpp"
#include "contact/near_pair.hpp"
#include "core/context.hpp"

/// Certificate that nothing meets in a step, from the pairs of features that are near each other at its start. Where it
/// is given, the search for impacts (limit_surface_motion.hpp) would find none, at a fraction of the cost; where it is
/// not, nothing is said.
///
/// - A pair closer than `distance` is in the list, with its distance d at the start. It does not meet if no vertex of
///   one side moves against a vertex of the other by d or more. Nor does it if n.(b - a) > 0 for its normal n and all
///   vertices a of one side and b of the other, at the start and at the end: it is so at all times between, as these
///   are linear in time, and a plane keeps the two apart.
/// - Any other pair is at least `distance` apart at the start. Two clusters of the surface that move by T1 and T2, but
///   for r1 and r2, come closer by at most M = |T1 - T2| + r1 + r2. They do not meet if M < distance, nor if their
///   boxes are more than M apart.
/// - What is left is tested pair by pair, exactly.
/// Bounds have a slack for rounding, and motion that clusters have in common does not count, so cloth that falls far
/// in a step is certified as easily as cloth at rest.
namespace carom::ccd {

struct CertificateIn {
  const Surface& surface;
  std::span<const Eigen::Vector3d> start;
  std::span<const Eigen::Vector3d> end;
  std::span<const contact::NearPair> pairs;  ///< all that count and are closer than `distance` at the start
  double distance = 0;                       ///< m
  double near = 0;                           ///< m; clusters closer than this count for `near_motion`
};

struct CertificateScratch {
  struct Motion {
    Eigen::Vector3d low, high;              ///< m, box over the step
    Eigen::Vector3d start_low, start_high;  ///< m, box at the start
    Eigen::Vector3d shift;                  ///< m, in common
    double rest = 0;                        ///< m, farther than that
  };
  struct Chunk {
    std::vector<std::array<Index, 4>> vertex_face;
    std::vector<std::array<Index, 4>> edge_edge;
    std::vector<IndexedImpact> hits;
    std::uint64_t tested = 0;
    double near_motion = 0;
  };
  std::vector<Motion> clusters;
  std::vector<Motion> blocks;
  std::vector<Eigen::Vector3d> moves;  ///< m, of each vertex over the step
  std::vector<std::array<std::uint32_t, 2>> block_pairs;
  std::vector<Chunk> chunks;
  std::uint64_t tested = 0;  ///< pairs that were tested exactly in the last call
  /// m, largest motion of two clusters against each other in the last call, of those that were near at its start
  /// and have no vertex in common; negative if the surface has no clusters.
  double near_motion = 0;
};

/// Whether no two features meet on their way from start to end. Answer and `near_motion` do not depend on the number
/// of threads.
bool certify_motion(Context& context, const CertificateIn& in, CertificateScratch& scratch);

}  // namespace carom::ccd
