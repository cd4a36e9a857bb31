#pragma once

#include <span>
#include <vector>

#include "carom/detect/compact_contacts.hpp"
#include "core/context.hpp"
#include "kernels/closest.hpp"
#include "narrow/hit.hpp"
#include "narrow/pair_sort.hpp"

namespace carom::narrow {

/// The contacts of sorted hits, in the same order: what vertex_face() and edge_edge() of
/// narrow/proximity.hpp make of each, bit by bit, many at once.
void build_contacts(Context& context, std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> positions,
                    std::span<const Hit> hits, std::vector<Contact>& contacts);

/// At most so many are built in one go.
inline constexpr std::size_t few_contacts = kernels::closest_batch;

/// The same of the first of some hits, no more than `few_contacts`, up to where another kind begins; returns how many.
std::size_t build_few_contacts(std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> positions,
                               std::span<const Hit> hits, std::span<Contact> contacts);

/// Pairs of features by number, in canonical order: eight bytes each.
struct FeaturePairs {
  std::span<const std::uint64_t> vertex_triangle;  ///< the vertex in the upper half, the triangle in the lower one
  std::span<const std::uint64_t> edge_edge;        ///< places in `edges`, the lower one in the upper half
  std::span<const Edge> edges;
  std::size_t size() const { return vertex_triangle.size() + edge_edge.size(); }
};
inline FeaturePairs feature_pairs(const NumberedPairs& pairs, std::span<const Edge> edges) {
  return {pairs.vertex_triangle.span(), pairs.edge_edge.span(), edges};
}

/// The same of these.
void build_contacts(Context& context, const FeaturePairs& pairs, std::span<const Triangle> triangles,
                    std::span<const Eigen::Vector3d> positions, std::vector<Contact>& contacts);

/// The same in the compact form.
void build_contacts(Context& context, const FeaturePairs& pairs, std::span<const Triangle> triangles,
                    std::span<const Eigen::Vector3d> positions, CompactContacts& contacts);

/// Those from `first` on, as many as `contacts` has room for, by one thread.
void build_some_contacts(const FeaturePairs& pairs, std::span<const Triangle> triangles,
                         std::span<const Eigen::Vector3d> positions, std::size_t first, std::span<Contact> contacts);

/// Sorted hits by number. `edges` are ascending.
void number_features(Context& context, std::span<const Hit> hits, std::span<const Edge> edges, NumberedPairs& pairs);

}  // namespace carom::narrow
