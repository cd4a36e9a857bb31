#include "world/look_order.hpp"

#include <cmath>

namespace carom::rigid {
namespace {

carom::Box narrowed(const Box& box) {
  const auto f = [](double x) { return static_cast<float>(x); };
  return {{f(box.low.x), f(box.low.y), f(box.low.z)}, {f(box.high.x), f(box.high.y), f(box.high.z)}};
}

bool bounded(const carom::Box& box) {
  float sum = 0;
  for (std::size_t k = 0; k < 3; ++k) sum += std::abs(box.min[k]) + std::abs(box.max[k]);
  return std::isfinite(sum);
}

}  // namespace

void LookOrder::sort_colliders(Workers& workers, std::span<const Box> boxes) {
  age_ = 0;
  boxes_.clear();
  items_.clear();
  for (const Box& box : boxes) {
    boxes_.push_back(narrowed(box));
    if (bounded(boxes_.back())) items_.push_back(static_cast<std::uint32_t>(boxes_.size()) - 1);
  }
  order_.run(workers, boxes_, items_, colliders_);
  std::erase(colliders_, broad::SpatialOrder::no_item);
  for (std::uint32_t c = 0; c < boxes_.size(); ++c) {
    if (!bounded(boxes_[c])) colliders_.push_back(c);
  }
}

void LookOrder::list() {
  places_.clear();
  for (const std::uint32_t c : colliders_) {
    for (std::uint32_t i = begin_[c]; i < begin_[c + 1]; ++i) places_.push_back(i);
  }
}

}  // namespace carom::rigid
