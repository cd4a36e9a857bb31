#pragma once

#include <limits>
#include <span>
#include <vector>

#include "carom/detect/continuous.hpp"
#include "carom/mesh/surface.hpp"
#include "ccd/own_motion.hpp"
#include "contact/near_pair.hpp"
#include "core/context.hpp"
#include "detect/flat_clusters.hpp"

/// Certificate that nothing meets in a step, from the pairs of features that are near each other at its start. Where it
/// is given, the search for impacts (limit_surface_motion.hpp) would find none, at a fraction of the cost; where it is
/// not, nothing is said.
///
/// - A pair closer than `distance` is in the list, with its distance d at the start. It does not meet if no vertex of
///   one side moves against a vertex of the other by d or more. Nor does it if n.(b - a) > 0 for its normal n and all
///   vertices a of one side and b of the other, at the start and at the end: it is so at all times between, as these
///   are linear in time, and a plane keeps the two apart.
/// - A pair within an object that turns and shifts as a whole is also seen from the object (own_motion.hpp). It does
///   not meet if what moves it besides is less than c times its distance, c the cosine of half the turn. The same holds
///   for clusters in what follows, with c times their distance.
/// - Any other pair is at least `distance` apart at the start. Two clusters of the surface that move by T1 and T2, but
///   for r1 and r2, come closer by at most M = |T1 - T2| + r1 + r2. They do not meet if M < distance, nor if their
///   boxes are more than M apart.
/// - Pairs of clusters that are flat (detect/flat_clusters.hpp) are not in the list. They do not meet if their patch
///   faces its axis over the whole step, and moves by less than the reach against the cluster.
/// - What is left is tested pair by pair, exactly.
/// Bounds have a slack for rounding, and motion that clusters have in common does not count, so what falls far or turns
/// in a step is certified as easily as what rests.
namespace carom::ccd {

struct CertificateIn {
  const Surface& surface;
  std::span<const Eigen::Vector3d> start;
  std::span<const Eigen::Vector3d> end;
  std::span<const contact::NearPair> pairs;  ///< all that count and are closer than `distance` at the start
  double distance = 0;                       ///< m
  /// m, instead of that, of pairs of one object, if less.
  double self_distance = std::numeric_limits<double>::infinity();
  double near = 0;                ///< m; clusters closer than this count for `near_motion`
  double motion_of_interest = 0;  ///< m; `near_motion` and `self_motion` are no less
  /// Pairs of clusters that the list does not have, as of the start; or none.
  detection::FlatClusters* flat = nullptr;
};

struct CertificateScratch {
  struct Motion {
    Eigen::Vector3d low, high;              ///< m, box over the step
    Eigen::Vector3d start_low, start_high;  ///< m, box at the start
    Eigen::Vector3d middle;                 ///< m, mean of the vertices at the start; not of blocks
    Eigen::Vector3d shift;                  ///< m, in common
    double rest = 0;                        ///< m, farther than that
    bool loose = false;                     ///< of a block: a flat cluster in it may meet something of its patch
  };
  using ClusterPair = std::array<std::uint32_t, 2>;
  struct Chunk {
    std::vector<std::array<Index, 4>> vertex_face;
    std::vector<std::array<Index, 4>> edge_edge;
    std::vector<IndexedImpact> hits;
    std::uint64_t tested = 0;
    double near_motion = 0;
    double self_motion = 0;
    std::array<ClusterPair, 2> fastest{};  ///< pairs that have these
  };
  std::vector<Motion> clusters;
  std::vector<Motion> blocks;
  std::vector<Eigen::Vector3d> middles, shifts;  ///< m, of each cluster
  OwnMotion own;
  std::vector<Eigen::Vector3d> moves;  ///< m, of each vertex over the step
  std::vector<std::array<std::uint32_t, 2>> block_pairs;
  std::vector<Chunk> chunks;
  std::vector<std::uint8_t> apart;  ///< flat clusters that meet nothing of their patches
  std::uint64_t tested = 0;         ///< pairs that were tested exactly in the last call
  /// m, largest motion of two clusters against each other in the last call, of those that were near at its start
  /// and have no vertex in common; of one object, but for how it moves as a whole. Negative if the surface has no
  /// clusters.
  double near_motion = 0;
  double self_motion = 0;  ///< m, the same of one object, but for what is near along it
  /// Pairs of clusters that had these motions in some call before. They make calls faster, and change no result.
  std::array<ClusterPair, 2> fastest{};
};

/// Whether no two features meet on their way from start to end. Answer and `near_motion` do not depend on the number
/// of threads.
bool certify_motion(Context& context, const CertificateIn& in, CertificateScratch& scratch);

}  // namespace carom::ccd
