#pragma once

#include <span>
#include <vector>

#include "carom/mesh/surface.hpp"
#include "kernels/cluster_search.hpp"
#include "mesh/surface_clusters.hpp"

namespace carom::detection {

/// What a search by clusters keeps from call to call: how clusters moved, and for pairs of clusters that move slowly
/// against each other a list of the features that are close. What moves fast somewhere has no lists there and is
/// searched as in a call by itself; the other lists are not touched by it.
///
/// None of this shows in what is found: a list is used only while it holds every pair within the distance.
class KeptClusters {
 public:
  /// At the start of a call. False: this call keeps nothing, as it would not pay.
  bool begin(const Surface& surface, const mesh::SurfaceClusters& clusters, const kernels::SearchUnits& units,
             const kernels::SearchUnits& end_units, bool step);
  /// Clusters have been placed for something else.
  void forget() {
    revision_ = 0;
    active_ = false;
  }

  /// For placing clusters at the start and at the end of a step, or where they are.
  kernels::MotionOfClusters motion(std::span<const kernels::PlacedCluster> placed,
                                   std::span<const kernels::PlacedCluster> placed_end);
  kernels::MotionOfClusters motion_to_end(std::span<const kernels::PlacedCluster> placed);

  /// What the last call kept, of each of `hits`, is what this one looks up.
  void hand_over(std::span<kernels::SearchHits* const> hits, kernels::SearchIn& in);
  void end(const kernels::SearchCounts& counts);

 private:
  void follow_edit(const Surface& surface, const mesh::SurfaceClusters& clusters);

  std::uint64_t revision_ = 0;  ///< of the surface whose clusters were placed last; 0: of none
  bool active_ = false;
  bool step_ = false;      ///< this call is of a step
  bool was_step_ = false;  ///< the one before
  double per_unit_ = 0;
  double corner_[3] = {0, 0, 0};      ///< of what was placed last
  double end_corner_[3] = {0, 0, 0};  ///< of the end of a step
  double start_corner_[3] = {0, 0, 0};
  std::uint32_t call_ = 0;
  std::uint32_t idle_ = 0;   ///< calls that keep nothing
  std::uint32_t pause_ = 0;  ///< so many were the last time
  std::vector<kernels::ClusterMotion> motions_;
  std::vector<kernels::KeptStore> before_;
  std::vector<kernels::KeptPlace> places_, places_before_;
};

}  // namespace carom::detection
