#pragma once

#include <cstddef>
#include <cstdint>

/// One level of the walk down a tree of eight children a node, in pairs of nodes.
namespace carom::kernels {

inline constexpr std::size_t node_children = 8;

struct NodePair {
  std::uint32_t a = 0;  ///< a <= b
  std::uint32_t b = 0;
  friend bool operator==(const NodePair&, const NodePair&) = default;
};

/// Whether two nodes may make pairs, by the objects they belong to.
enum class NodeScope : std::uint8_t { between, self, all };

/// The volumes of one level of the tree: intervals along `directions` directions. Node i is lane
/// i % 8 of group i / 8; a group has `directions` rows of eight lower ends and as many of upper ends.
/// A place without a node holds NaN, which overlaps nothing.
struct NodeLevel {
  const float* groups = nullptr;
  std::size_t directions = 3;
  const std::int32_t* object = nullptr;  ///< of each node; negative if it has several
};

/// The pairs of children that overlap of `count` pairs of nodes; a node with itself gives each of its
/// children with itself and with its later brothers. Writes at most 64 a pair and returns how many.
std::size_t expand(const NodePair* pairs, std::size_t count, const NodeLevel& children, NodeScope scope, NodePair* out);
std::size_t expand_reference(const NodePair* pairs, std::size_t count, const NodeLevel& children, NodeScope scope,
                             NodePair* out);

}  // namespace carom::kernels
