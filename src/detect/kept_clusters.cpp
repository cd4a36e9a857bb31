#include "detect/kept_clusters.hpp"

#include <algorithm>
#include <utility>

namespace carom::detection {

namespace {

/// Measuring the motion of a cluster costs about half of what a list of a pair saves.
constexpr std::uint64_t min_use = 2;

/// Calls: after two in which too few lists were made or used, so many go by before lists are tried again.
constexpr std::uint32_t first_pause = 2;
constexpr std::uint32_t longest_pause = 16;

}  // namespace

/// Lists of clusters that the edit left as they were stay.
void KeptClusters::follow_edit(const Surface& surface, const mesh::SurfaceClusters& clusters) {
  const AppliedEdit& edit = surface.last_edit();
  if (clusters.loose || edit.before != revision_ || clusters.made_after == revision_) {
    revision_ = 0;
    return;
  }
  for (std::size_t c = 0; c < std::min(motions_.size(), clusters.changed_after.size()); ++c)
    if (clusters.changed_after[c] == revision_) motions_[c].placed = 0;
  revision_ = surface.revision();
}

bool KeptClusters::begin(const Surface& surface, const mesh::SurfaceClusters& clusters,
                         const kernels::SearchUnits& units, const kernels::SearchUnits& end_units, bool step) {
  active_ = false;
  if (idle_ > 0) {
    --idle_;
    forget();
    return false;
  }
  if (revision_ != 0 && revision_ != surface.revision()) follow_edit(surface, clusters);
  // Calls are counted from 2, so that what was never placed was not placed in the call before.
  const bool same = revision_ != 0 && per_unit_ == units.per_unit && call_ < ~0U - 1;
  revision_ = 0;  // of none, should memory run out on the way
  const std::size_t count = clusters.clusters.size();
  if (!same) {
    call_ = 1;
    motions_.assign(count, {});
    places_.assign(count, {kernels::no_store, 0});
  }
  was_step_ = same && step_;
  step_ = step;
  ++call_;
  motions_.resize(count);
  places_before_.swap(places_);
  places_before_.resize(count, {kernels::no_store, 0});
  places_.assign(count, {kernels::no_store, 0});
  per_unit_ = units.per_unit;
  std::copy_n(was_step_ ? end_corner_ : start_corner_, 3, corner_);
  std::copy_n(units.corner, 3, start_corner_);
  std::copy_n(end_units.corner, 3, end_corner_);
  revision_ = surface.revision();
  active_ = true;
  return true;
}

kernels::MotionOfClusters KeptClusters::motion(std::span<const kernels::PlacedCluster> placed,
                                               std::span<const kernels::PlacedCluster> placed_end) {
  if (!active_) return {};
  return {.clusters = motions_.data(),
          .before = was_step_ ? placed_end.data() : placed.data(),
          .corner_before = corner_,
          .call = call_};
}

kernels::MotionOfClusters KeptClusters::motion_to_end(std::span<const kernels::PlacedCluster> placed) {
  if (!active_) return {};
  return {
      .clusters = motions_.data(), .before = placed.data(), .corner_before = start_corner_, .call = call_, .end = true};
}

void KeptClusters::hand_over(std::span<kernels::SearchHits* const> hits, kernels::SearchIn& in) {
  if (!active_) return;
  const std::uint64_t revision = std::exchange(revision_, 0);  // of none, should memory run out on the way
  if (before_.size() < hits.size()) before_.resize(hits.size());
  revision_ = revision;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    std::swap(before_[i], hits[i]->kept);
    hits[i]->kept.clear();
    hits[i]->kept_number = static_cast<std::uint32_t>(i);
  }
  in.motions = motions_.data();
  in.kept_before = before_.data();
  in.kept_places = places_before_.data();
  in.kept_now = places_.data();
  in.call = call_;
}

void KeptClusters::end(const kernels::SearchCounts& counts) {
  if (!active_) return;
  const std::uint64_t used = counts.kept_pairs + counts.added_pairs;
  const auto placed = [&] {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(motions_, [&](const kernels::ClusterMotion& motion) { return motion.placed == call_; }));
  };
  if (used > 0 && (min_use * used >= motions_.size() || min_use * used >= placed())) {
    pause_ = 0;
  } else if (call_ > 2) {
    pause_ = std::clamp(2 * pause_, first_pause, longest_pause);
    idle_ = pause_;
  }
}

}  // namespace carom::detection
