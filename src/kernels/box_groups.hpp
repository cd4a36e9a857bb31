#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/node_pairs.hpp"

/// Boxes in groups of eight, the levels of a tree whose node i has the boxes of group i of the level below as children.
/// A group is six rows of eight: min x, y, z, max x, y, z. A place without a box holds NaN, which overlaps nothing.
namespace carom::kernels {

inline constexpr std::size_t group_floats = 6 * node_children;

/// For each pair of groups (a <= b), the pairs of boxes of the one and the other that overlap, as numbers 8 group +
/// place; of a group with itself each box with itself, if `with_itself`, and with later ones. `nodes` are the boxes
/// of the groups, one level up. Writes at most 64 a pair and returns how many.
std::size_t join_groups(const NodePair* pairs, std::size_t count, const float* nodes, const float* groups,
                        bool with_itself, NodePair* out);
std::size_t join_groups_reference(const NodePair* pairs, std::size_t count, const float* nodes, const float* groups,
                                  bool with_itself, NodePair* out);

/// For each pair of a box asked for (six floats: min, max) and a group, the boxes of the group that it overlaps, as
/// pairs (a, 8 group + place). Writes at most 8 a pair and returns how many.
std::size_t descend_groups(const NodePair* pairs, std::size_t count, const float* asked, const float* groups,
                           NodePair* out);
std::size_t descend_groups_reference(const NodePair* pairs, std::size_t count, const float* asked, const float* groups,
                                     NodePair* out);

}  // namespace carom::kernels
