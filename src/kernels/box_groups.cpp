#include "kernels/box_groups.hpp"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/box_groups.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, node_children>;

/// Bit l: the box whose six numbers are `stride` apart overlaps place l of the group.
HWY_INLINE std::uint32_t overlaps(const float* box, std::size_t stride, const float* group) {
  const D d;
  std::uint32_t result = 0;
  for (std::size_t at = 0; at < node_children; at += hn::Lanes(d)) {
    const auto row = [&](std::size_t k) { return hn::LoadU(d, group + k * node_children + at); };
    const auto side = [&](std::size_t k) { return hn::Set(d, box[k * stride]); };
    const auto x = hn::And(hn::Le(side(0), row(3)), hn::Le(row(0), side(3)));
    const auto y = hn::And(hn::Le(side(1), row(4)), hn::Le(row(1), side(4)));
    const auto z = hn::And(hn::Le(side(2), row(5)), hn::Le(row(2), side(5)));
    const auto mask = hn::And(hn::And(x, y), z);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, mask, bits);
    result |= static_cast<std::uint32_t>(bits[0]) << at;
  }
  return result;
}

HWY_INLINE const float* place(const float* groups, std::uint32_t box) {
  return groups + box / node_children * group_floats + box % node_children;
}

std::size_t join(const NodePair* pairs, std::size_t count, const float* nodes, const float* groups, bool with_itself,
                 NodePair* out) {
  std::size_t n = 0;
  for (std::size_t p = 0; p < count; ++p) {
    const float* a = groups + pairs[p].a * group_floats;
    const float* b = groups + pairs[p].b * group_floats;
    const auto first_a = static_cast<std::uint32_t>(pairs[p].a * node_children);
    const auto first_b = static_cast<std::uint32_t>(pairs[p].b * node_children);
    if (a == b) {
      for (std::uint32_t i = 0; i < node_children; ++i) {
        std::uint32_t bits = overlaps(a + i, node_children, b) & (~0U << i << (with_itself ? 0U : 1U));
        for (; bits != 0; bits &= bits - 1) {
          out[n++] = {first_a + i, first_b + static_cast<std::uint32_t>(std::countr_zero(bits))};
        }
      }
      continue;
    }
    // Most boxes of either group are nowhere near the other group.
    const std::uint32_t columns = overlaps(place(nodes, pairs[p].a), node_children, b);
    if (columns == 0) continue;
    std::uint32_t rows = overlaps(place(nodes, pairs[p].b), node_children, a);
    // All bits first: one loop of unforeseeable length instead of one a row.
    std::uint64_t bits = 0;
    for (; rows != 0; rows &= rows - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(rows));
      bits |= static_cast<std::uint64_t>(overlaps(a + i, node_children, b)) << (node_children * i);
    }
    for (; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(bits));
      out[n++] = {first_a + bit / 8, first_b + bit % 8};
    }
  }
  return n;
}

std::size_t descend(const NodePair* pairs, std::size_t count, const float* asked, const float* groups, NodePair* out) {
  std::size_t n = 0;
  for (std::size_t p = 0; p < count; ++p) {
    const auto first = static_cast<std::uint32_t>(pairs[p].b * node_children);
    std::uint32_t bits = overlaps(asked + std::size_t{6} * pairs[p].a, 1, groups + pairs[p].b * group_floats);
    for (; bits != 0; bits &= bits - 1) {
      out[n++] = {pairs[p].a, first + static_cast<std::uint32_t>(std::countr_zero(bits))};
    }
  }
  return n;
}

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace carom::kernels {

HWY_EXPORT(join);
HWY_EXPORT(descend);

std::size_t join_groups(const NodePair* pairs, std::size_t count, const float* nodes, const float* groups,
                        bool with_itself, NodePair* out) {
  return HWY_DYNAMIC_DISPATCH(join)(pairs, count, nodes, groups, with_itself, out);
}

std::size_t descend_groups(const NodePair* pairs, std::size_t count, const float* asked, const float* groups,
                           NodePair* out) {
  return HWY_DYNAMIC_DISPATCH(descend)(pairs, count, asked, groups, out);
}

namespace {

bool overlaps_plainly(const float* a, std::size_t stride_a, const float* b, std::size_t stride_b) {
  bool all = true;
  for (std::size_t k = 0; k < 3; ++k) {
    all = all && a[k * stride_a] <= b[(k + 3) * stride_b] && b[k * stride_b] <= a[(k + 3) * stride_a];
  }
  return all;
}

}  // namespace

std::size_t join_groups_reference(const NodePair* pairs, std::size_t count, const float* /*nodes*/, const float* groups,
                                  bool with_itself, NodePair* out) {
  std::size_t n = 0;
  for (std::size_t p = 0; p < count; ++p) {
    for (std::uint32_t i = 0; i < node_children; ++i) {
      for (std::uint32_t j = 0; j < node_children; ++j) {
        const auto a = static_cast<std::uint32_t>(pairs[p].a * node_children + i);
        const auto b = static_cast<std::uint32_t>(pairs[p].b * node_children + j);
        if (a > b || (a == b && !with_itself)) continue;
        if (overlaps_plainly(groups + pairs[p].a * group_floats + i, node_children,
                             groups + pairs[p].b * group_floats + j, node_children)) {
          out[n++] = {a, b};
        }
      }
    }
  }
  return n;
}

std::size_t descend_groups_reference(const NodePair* pairs, std::size_t count, const float* asked, const float* groups,
                                     NodePair* out) {
  std::size_t n = 0;
  for (std::size_t p = 0; p < count; ++p) {
    for (std::uint32_t j = 0; j < node_children; ++j) {
      if (overlaps_plainly(asked + std::size_t{6} * pairs[p].a, 1, groups + pairs[p].b * group_floats + j,
                           node_children)) {
        out[n++] = {pairs[p].a, static_cast<std::uint32_t>(pairs[p].b * node_children + j)};
      }
    }
  }
  return n;
}

}  // namespace carom::kernels
#endif
