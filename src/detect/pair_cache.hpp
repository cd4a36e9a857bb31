#pragma once

#include <span>
#include <vector>

#include "detect/candidates.hpp"
#include "detect/common_motion.hpp"
#include "narrow/narrow.hpp"

/// Pairs of features that may soon touch are found once and then watched, for as long as the scene moves slowly.
///
/// Every vertex has a reference, a place where it was not long ago, in a frame that moves rigidly with the scene, or
/// with its object where pairs within objects are all that is watched. Watched are all pairs of features that are
/// closer than distance + skin at the references. While no vertex is farther than half the skin from its reference,
/// every pair closer than the distance is among them: each end of the pair came nearer by half the skin at most, and a
/// rigid motion changes no distance. Where vertices have gone farther, they get new references, and the pairs around
/// them are found again: what did not move costs one comparison a vertex. When most of the scene has gone too far, all
/// starts again, with a skin that fits how fast things move; when they move so fast that no skin would last, nothing is
/// watched and every call looks from scratch.
///
/// None of this shows in the contacts: which pairs are watched only decides what is measured.
namespace carom::detection {

class PairCache {
 public:
  /// Pairs within objects or pairs between them.
  explicit PairCache(PairScope scope) : scope_(scope) {}

  /// True: pairs() holds every pair of features of this scope closer than the distance, in canonical order. False:
  /// it does not, and the caller has to look for itself. `candidates.bounds` must be of these positions.
  bool follow(Context& context, const bounds::In& in, const CandidateOptions& options, Candidates& candidates,
              narrow::Scratch& narrow, PipelineStats& stats);

  std::span<const narrow::Hit> pairs() const { return pairs_; }

 private:
  using Points = CommonMotion::Points;

  bool follow_edit(const bounds::In& in, const Candidates& candidates);
  bool same_question(const CandidateOptions& options) const;
  static double widest_skin(const bounds::In& in, double distance);
  double skin_for(const bounds::In& in, double distance, double motion) const;
  void find_clusters(Context& context, const bounds::In& in, std::span<const std::uint8_t> touched,
                     Candidates& candidates, StageStats& stats) const;
  void find_features(Context& context, const bounds::In& in, const Candidates& candidates, narrow::Scratch& narrow,
                     StageStats& stats) const;
  bool start(Context& context, const bounds::In& in, Candidates& candidates, narrow::Scratch& narrow,
             PipelineStats& stats);
  std::uint64_t mark_far(Context& context, const bounds::In& in, std::span<const bounds::Out::Piece> pieces);
  bool is_fast(const Surface& surface) const;
  bool by_clusters() const { return method_ == mid::Method::clusters; }
  void search(Context& context, const bounds::In& in, std::span<const std::uint8_t> touched, Candidates& candidates,
              narrow::Scratch& narrow, PipelineStats& stats) const;
  bool touch_clusters(Context& context, const bounds::In& in, Candidates& candidates);
  template <class Cluster>
  bool touch_clusters_of(Context& context, std::span<const Cluster> clusters);
  void repair(Context& context, const bounds::In& in, Candidates& candidates, narrow::Scratch& narrow,
              PipelineStats& stats);

  // The question that is being followed. Its distance may change: what the list reaches beyond it is the skin.
  PairScope scope_;
  std::uint64_t revision_ = 0;
  mid::Method method_ = mid::Method::bvh;
  std::vector<std::uint8_t> marks_;  ///< of objects, see mid::Bvh::In

  bool watching_ = false;
  int wait_ = 0;         ///< calls until a list is tried again
  double reach_ = 0;     ///< m: all pairs closer than this at their references are in the list
  double skin_ = 0;      ///< m: the reach beyond the distance of this call
  bool edited_ = false;  ///< the surface, since the last call
  Points references_;
  std::vector<narrow::Hit> pairs_;
  CommonMotion common_;
  Points last_sample_;  ///< in the call before
  Points sample_;
  Points reference_sample_;

  // Working memory.
  std::vector<std::uint8_t> touched_;  ///< vertices: beyond half the skin, then all that get new references
  std::vector<std::uint8_t> far_clusters_;
  std::vector<std::uint64_t> partial_;
  std::vector<narrow::Hit> kept_;
  OrderedAppend<narrow::Hit> append_;
};

}  // namespace carom::detection
