#include "broad/rigid_broad.hpp"

namespace carom::rigid {
namespace {

AxisBox axis_box(const Box& box) {
  return {detail::to_eigen(box.low), detail::to_eigen(box.high)};
}

}  // namespace

bool ColliderBroadPhase::update(std::span<const Box> boxes, std::span<const std::uint8_t> changed) {
  if (!broad_) {
    // The boxes are larger than what they hold already.
    broad_.emplace(BroadPhaseOptions{.method = "tree", .margin = 0});
    ids_.clear();
  }
  bool any = ids_.size() < boxes.size();
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    if (changed[i] == 0) continue;
    broad_->move(ids_[i], axis_box(boxes[i]));
    any = true;
  }
  while (ids_.size() < boxes.size()) ids_.push_back(broad_->add(axis_box(boxes[ids_.size()])));
  if (!any) return false;
  broad_->update();
  return !broad_->began().empty() || !broad_->ended().empty();
}

void ColliderBroadPhase::overlapping(const Box& box, std::vector<std::int32_t>& found) const {
  found.clear();
  for (const ProxyId id : broad_->overlapping(axis_box(box))) found.push_back(static_cast<std::int32_t>(id.index));
}

}  // namespace carom::rigid
