#pragma once

#include <cstdint>
#include <vector>

#include "math/vec3.hpp"

namespace carom::shapes {

using math::Vec3;

struct HullData;

/// The normals of a solid hull: its faces as points on the sphere, its edges as arcs between them. From these, those of
/// another hull and the crossings of their arcs come all faces of the difference of the two.
///
/// Faces have an order of their own here, by groups of kernels::facet_lanes whose normals are close to each other:
/// a group is ruled out as a whole, and what a query reads is close in memory. Floats are for bounds, which
/// leave room for their rounding; what is exact is computed from the doubles.
struct HullFan {
  struct Face {
    Vec3 n;
    double offset;  ///< of the hull along n
    std::uint32_t first;
    std::uint16_t count;   ///< edges from `first`, in order
    std::uint16_t number;  ///< in HullData
  };
  struct Edge {
    std::uint16_t from;  ///< corners, counter-clockwise round the face
    std::uint16_t to;
    std::uint16_t beyond;  ///< face on the other side, in the order of the fan
  };

  std::vector<Face> faces;
  std::vector<Edge> edges;
  std::vector<float> groups;  ///< as kernels::FanRows wants them, and so the next
  std::uint32_t group_stride = 0;
  std::vector<float> blocks;
  std::vector<float> corners;  ///< x, y, z, 0 of each
  /// A ball inside.
  Vec3 centre;
  double radius = 0;

  /// False for hulls too thin to have sound normals, or too large.
  bool usable() const { return radius > 0; }
};

inline constexpr std::size_t max_fan_faces = 16384;
/// Smallest radius of a fan, as a fraction of the size: thinner hulls have normals short of digits.
inline constexpr double min_fan_radius = 1e-3;

/// Leaves `hull.fan` unusable where it would not be sound.
void build_fan(HullData& hull);
/// After the corners of a hull were made larger or smaller.
void scale_fan(HullData& hull, double factor);

}  // namespace carom::shapes
