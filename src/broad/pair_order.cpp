#include "broad/pair_order.hpp"

#include <cmath>

namespace carom::broad {
namespace {

carom::Box narrowed(const ColliderBox& box) {
  const auto f = [](double x) { return static_cast<float>(x); };
  return {{f(box.low.x), f(box.low.y), f(box.low.z)}, {f(box.high.x), f(box.high.y), f(box.high.z)}};
}

bool bounded(const carom::Box& box) {
  float sum = 0;
  for (std::size_t k = 0; k < 3; ++k) sum += std::abs(box.min[k]) + std::abs(box.max[k]);
  return std::isfinite(sum);
}

}  // namespace

void PairOrder::sort_colliders(Workers& workers, ColliderSpan<const ColliderBox> boxes) {
  age_ = 0;
  boxes_.resize(boxes.size());
  parallel_for(workers, boxes.size(), collider_grain,
               [&](std::size_t c) { boxes_[c] = narrowed(boxes[ColliderIndex(c)]); });
  items_.clear();
  for (std::uint32_t c = 0; c < boxes_.size(); ++c) {
    if (bounded(boxes_[c])) items_.push_back(c);
  }
  order_.run(workers, boxes_, items_, colliders_);
  std::erase(colliders_, broad::SpatialOrder::no_item);
  for (std::uint32_t c = 0; c < boxes_.size(); ++c) {
    if (!bounded(boxes_[c])) colliders_.push_back(c);
  }
}

void PairOrder::list(Workers& workers) {
  append_.run(workers, colliders_.size(), collider_grain, places_,
              [&](std::size_t begin, std::size_t end, std::vector<std::uint32_t>& out, std::size_t) {
                for (std::size_t k = begin; k < end; ++k) {
                  const std::uint32_t c = colliders_[k];
                  for (std::uint32_t i = begin_[c]; i < begin_[c + 1]; ++i) out.push_back(i);
                }
              });
}

}  // namespace carom::broad
