#include "kernels/node_pairs.hpp"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/node_pairs.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef CAROM_KERNELS_NODE_PAIRS_ONCE
#define CAROM_KERNELS_NODE_PAIRS_ONCE
namespace carom::kernels {

inline bool in_scope(const NodeLevel& level, NodeScope scope, std::uint32_t a, std::uint32_t b) {
  if (scope == NodeScope::all) return true;
  const std::int32_t object_a = level.object[a];
  const std::int32_t object_b = level.object[b];
  if (object_a < 0 || object_b < 0) return true;
  return (object_a == object_b) == (scope == NodeScope::self);
}

}  // namespace carom::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, node_children>;

/// Bit l: place `lane` of group `a` overlaps place l of group `b`.
template <std::size_t directions>
HWY_INLINE std::uint32_t overlaps(const float* a, std::size_t lane, const float* b) {
  const D d;
  std::uint32_t result = 0;
  for (std::size_t at = 0; at < node_children; at += hn::Lanes(d)) {
    auto mask = hn::Eq(hn::Zero(d), hn::Zero(d));
    for (std::size_t k = 0; k < directions; ++k) {
      const auto low = hn::Set(d, a[k * node_children + lane]);
      const auto high = hn::Set(d, a[(directions + k) * node_children + lane]);
      mask = hn::And(mask, hn::And(hn::Le(low, hn::LoadU(d, b + (directions + k) * node_children + at)),
                                   hn::Le(hn::LoadU(d, b + k * node_children + at), high)));
    }
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, mask, bits);
    result |= static_cast<std::uint32_t>(bits[0]) << at;
  }
  return result;
}

template <std::size_t directions>
HWY_INLINE std::size_t expand_as(const NodePair* pairs, std::size_t count, const NodeLevel& children, NodeScope scope,
                                 NodePair* out) {
  constexpr std::size_t group_size = 2 * directions * node_children;
  std::size_t n = 0;
  for (std::size_t p = 0; p < count; ++p) {
    const float* a = children.groups + pairs[p].a * group_size;
    const float* b = children.groups + pairs[p].b * group_size;
    const auto first_a = static_cast<std::uint32_t>(pairs[p].a * node_children);
    const auto first_b = static_cast<std::uint32_t>(pairs[p].b * node_children);
    for (std::uint32_t i = 0; i < node_children; ++i) {
      std::uint32_t bits = overlaps<directions>(a, i, b);
      if (a == b) bits &= ~0U << i;
      for (; bits != 0; bits &= bits - 1) {
        const NodePair pair = {first_a + i, first_b + static_cast<std::uint32_t>(std::countr_zero(bits))};
        if (in_scope(children, scope, pair.a, pair.b)) out[n++] = pair;
      }
    }
  }
  return n;
}

std::size_t expand_pairs(const NodePair* pairs, std::size_t count, const NodeLevel& children, NodeScope scope,
                         NodePair* out) {
  switch (children.directions) {
    case 3:
      return expand_as<3>(pairs, count, children, scope, out);
    case 7:
      return expand_as<7>(pairs, count, children, scope, out);
    default:
      return expand_as<9>(pairs, count, children, scope, out);
  }
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(expand_pairs);

std::size_t expand(const NodePair* pairs, std::size_t count, const NodeLevel& children, NodeScope scope,
                   NodePair* out) {
  return HWY_DYNAMIC_DISPATCH(expand_pairs)(pairs, count, children, scope, out);
}

std::size_t expand_reference(const NodePair* pairs, std::size_t count, const NodeLevel& children, NodeScope scope,
                             NodePair* out) {
  const std::size_t directions = children.directions;
  const auto end = [&](std::uint32_t node, std::size_t row) {
    return children.groups[(node / node_children * 2 * directions + row) * node_children + node % node_children];
  };
  std::size_t n = 0;
  for (std::size_t p = 0; p < count; ++p) {
    for (std::uint32_t i = 0; i < node_children; ++i) {
      for (std::uint32_t j = 0; j < node_children; ++j) {
        const auto a = static_cast<std::uint32_t>(pairs[p].a * node_children + i);
        const auto b = static_cast<std::uint32_t>(pairs[p].b * node_children + j);
        bool overlap = a <= b;
        for (std::size_t k = 0; k < directions; ++k) {
          overlap = overlap && end(a, k) <= end(b, directions + k) && end(b, k) <= end(a, directions + k);
        }
        if (overlap && in_scope(children, scope, a, b)) out[n++] = {a, b};
      }
    }
  }
  return n;
}

}  // namespace carom::kernels
#endif
