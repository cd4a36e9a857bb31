#pragma once

#include <cstdint>

namespace carom {

/// Filter of what may touch what: a body, an object of a surface, a proxy of a broad phase.
struct CollisionFilter {
  std::uint32_t group = 1;          ///< bits: what it is
  std::uint32_t mask = 0xffffffff;  ///< bits: what it touches

  friend bool operator==(const CollisionFilter&, const CollisionFilter&) = default;
};

/// Whether two may touch: the mask of each has a bit of the other's group. One with itself: whether it may touch
/// itself.
constexpr bool may_collide(const CollisionFilter& a, const CollisionFilter& b) {
  return (a.group & b.mask) != 0 && (b.group & a.mask) != 0;
}

}  // namespace carom
