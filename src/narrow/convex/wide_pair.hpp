#pragma once

#include <cmath>

#include "narrow/convex/wide_simplex.hpp"

namespace carom::convex {

/// Two cores whose difference is seen in a unit of its own size, a power of two, so that no product leaves the range of
/// doubles and nothing is rounded.
class WidePair {
 public:
  WidePair(const Core& a, const Core& b, const RelativePose& pose)
      : pair_{{a}, {b}, pose},
        size_(pair_.scale() > 0 ? std::ldexp(1, std::ilogb(pair_.scale())) : 1),
        inverse_(1 / size_) {}

  double size() const { return size_; }
  double scale() const { return inverse_ * pair_.scale(); }
  double radius() const { return pair_.radius(); }  ///< in metres
  Vertex support(const Vec3& d) const { return seen(pair_.support(d)); }

  Vertex seen(Vertex w) const {
    w.y = inverse_ * w.y;
    return w;
  }
  Vertex unseen(Vertex w) const {
    w.y = size_ * w.y;
    return w;
  }
  Simplex seen(Simplex s) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.count); ++i) s.vertices[i] = seen(s.vertices[i]);
    return s;
  }
  Simplex unseen(Simplex s) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.count); ++i) s.vertices[i] = unseen(s.vertices[i]);
    return s;
  }

 private:
  Pair<AnySupport, AnySupport> pair_;
  double size_;
  double inverse_;
};

}  // namespace carom::convex
