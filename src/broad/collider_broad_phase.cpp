#include "broad/collider_broad_phase.hpp"

namespace carom::broad {
namespace {

constexpr std::size_t changed_grain = 4096;
constexpr std::size_t moved_grain = 1024;

AxisBox axis_box(const ColliderBox& box) {
  return {math::to_eigen(box.low), math::to_eigen(box.high)};
}

/// Filter of a proxy: a vacant collider meets nothing.
CollisionFilter filter_of(bool vacant) {
  return vacant ? CollisionFilter{0, 0} : CollisionFilter{};
}

}  // namespace

bool ColliderBroadPhase::update(Workers& workers, ColliderSpan<const rigid::Collider> colliders,
                                ColliderSpan<const ColliderBox> boxes, ColliderSpan<const std::uint8_t> changed) {
  if (!broad_) {
    // The boxes are larger than what they hold already.
    broad_.emplace(BroadPhaseOptions{.method = "tree", .margin = 0});
    ids_.clear();
    vacant_.clear();
  }
  broad_->work_with(workers);
  append_.run(workers, ids_.size(), changed_grain, moved_,
              [&](std::size_t begin, std::size_t end, std::vector<ProxyId>& out, std::size_t) {
                out.resize(end - begin);
                std::size_t n = 0;
                for (const ColliderIndex i : IndexRange<ColliderIndex>(begin, end)) {
                  out[n] = ids_[i];
                  n += changed[i] != 0 ? 1 : 0;
                }
                out.resize(n);
              });
  bool regrouped = false;
  for (const ColliderIndex i : ids_.indices()) {
    const bool vacant = colliders[i].vacant();
    if (vacant == (vacant_[i] != 0)) continue;
    broad_->set_filter(ids_[i], filter_of(vacant));
    vacant_[i] = vacant ? 1 : 0;
    regrouped = true;
  }
  if (moved_.empty() && !regrouped && ids_.size() == boxes.size()) return false;
  moved_boxes_.resize(moved_.size());
  parallel_for(workers, moved_.size(), moved_grain,
               [&](std::size_t i) { moved_boxes_[i] = axis_box(boxes[ColliderIndex(moved_[i].index)]); });
  broad_->move(moved_, moved_boxes_);
  for (const ColliderIndex i : IndexRange<ColliderIndex>(ids_.size(), boxes.size())) {
    const bool vacant = colliders[i].vacant();
    ids_.push_back(broad_->add(axis_box(boxes[i]), filter_of(vacant)));
    vacant_.push_back(vacant ? 1 : 0);
  }
  broad_->update();
  return !broad_->began().empty() || !broad_->ended().empty();
}

void ColliderBroadPhase::overlapping(const ColliderBox& box, std::vector<ColliderIndex>& found) const {
  found.clear();
  for (const ProxyId id : broad_->overlapping(axis_box(box))) found.push_back(ColliderIndex(id.index));
}

}  // namespace carom::broad
