#pragma once

#include <random>

#include "carom/detect/continuous.hpp"

/// Pairs of moving features on which root finders fail, each kind of degeneracy made on purpose.
namespace carom::oracle {

enum class Degeneracy : std::uint8_t {
  none,           ///< anywhere in a cube
  grid,           ///< small integers: everything coincides with everything
  contact,        ///< made to touch at a time, often at corners and on sides
  near_miss,      ///< made to touch, then moved by the last bits
  in_a_plane,     ///< coplanar all the time, in a plane that may be any
  turning_plane,  ///< coplanar all the time, in a plane that turns
  still,          ///< no motion at all
  translation,    ///< one side rigid
  collapsed,      ///< edges of no length, triangles of no area, coincident points
  parallel,       ///< edges, or the path and the plane
  huge,           ///< up to 1e150 and beyond
  tiny,           ///< subnormal differences
  mixed_scales,   ///< each axis of another size
  far_away,       ///< small features, large coordinates
  touch_at_start,
  touch_at_end,
  wild,  ///< every coordinate of another size, some zero
};
inline constexpr int degeneracy_count = 17;

FeatureMotion make_moving_pair(ContactKind kind, Degeneracy degeneracy, std::mt19937_64& random);

}  // namespace carom::oracle
