#pragma once

#include <vector>

#include "math/vec3.hpp"

namespace carom::mesh {

/// Which region a place belongs to: the one whose box is nearest, of equals the first. When a region is moved
/// apart, what crosses on the way counts for it if it happens there; pushing another region deeper does not count.
class RegionBoxes {
 public:
  void start() { boxes_.push_back({{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}}); }
  /// To the region started last.
  void add(const math::Vec3& p) {
    boxes_.back().low = math::lower(boxes_.back().low, p);
    boxes_.back().high = math::higher(boxes_.back().high, p);
  }
  std::size_t size() const { return boxes_.size(); }

  bool belongs(const math::Vec3& p, std::size_t region) const {
    const double own = squared(p, boxes_[region]);
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const double other = squared(p, boxes_[i]);
      if (other < own || (other == own && i < region)) return false;
    }
    return true;
  }

 private:
  struct Box {
    math::Vec3 low, high;
  };
  static double squared(const math::Vec3& p, const Box& box) {
    const math::Vec3 d = math::higher(math::higher(box.low - p, p - box.high), {0, 0, 0});
    return dot(d, d);
  }
  std::vector<Box> boxes_;
};

}  // namespace carom::mesh
