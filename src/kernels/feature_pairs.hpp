#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Which features of one short list may touch which of another: the innermost loop of detection.
namespace carom::kernels {

/// Boxes of features as six rows of floats, min x, y, z and max x, y, z, each `stride` long, and
/// the vertices of the features as rows of numbers: two for edges, one for vertices, three for triangles.
/// A vector may read up to `feature_lanes` places beyond the end of the last row; what it reads there
/// does not count.
struct FeatureRows {
  const float* boxes = nullptr;
  const std::int32_t* vertices = nullptr;
  std::uint32_t stride = 0;
  std::uint32_t count = 0;
};

inline constexpr std::uint32_t feature_lanes = 16;  ///< the widest vector there is
inline constexpr std::uint32_t max_features = 48;   ///< in one list: the edges of 16 loose triangles

/// Place in a, place in b.
struct FeaturePair {
  std::uint8_t a;
  std::uint8_t b;
};

/// Six numbers, min and max, that hold all boxes of a list.
using Hull = std::span<const float, 6>;

struct FeatureCount {
  std::uint32_t pairs = 0;     ///< written
  std::uint32_t adjacent = 0;  ///< boxes overlap, too, but the features share a vertex
};

/// Write the pairs whose boxes overlap (closed: touching is overlapping) and that share no vertex, by
/// a and then by b. `out` has room for max_features * max_features.
FeatureCount edge_pairs(const FeatureRows& a, Hull hull_a, const FeatureRows& b, Hull hull_b, FeaturePair* out);
/// Within one list: a < b.
FeatureCount edge_pairs(const FeatureRows& a, FeaturePair* out);
FeatureCount vertex_triangle_pairs(const FeatureRows& vertices, Hull hull_a, const FeatureRows& triangles, Hull hull_b,
                                   FeaturePair* out);
/// Of any features, those that share vertices not left out.
FeatureCount box_pairs(const FeatureRows& a, Hull hull_a, const FeatureRows& b, Hull hull_b, FeaturePair* out);
FeatureCount box_pairs(const FeatureRows& a, FeaturePair* out);

/// Whether two lists of numbers have one in common. May read up to `feature_lanes` places beyond the end of the second.
bool have_common(std::span<const std::int32_t> a, std::span<const std::int32_t> b);

/// The same, one by one: features of a that have `vertices_a` vertices each, of b that have
/// `vertices_b`; 0 looks at boxes only. `within`: b is a, and a < b.
FeatureCount feature_pairs_reference(const FeatureRows& a, int vertices_a, const FeatureRows& b, int vertices_b,
                                     bool within, FeaturePair* out);

}  // namespace carom::kernels
