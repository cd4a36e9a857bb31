#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "carom/body/filter.hpp"
#include "carom/core/id.hpp"
#include "carom/core/unset.hpp"
#include "carom/query/query.hpp"

/// Questions to the bodies of a World, see World::ray and the like.
namespace carom {

/// Bodies that a query asks: those that may_collide() with its filter, which has all groups unless one is given.
struct QueryFilter {
  CollisionFilter filter{.group = 0xffffffff, .mask = 0xffffffff};
  std::vector<BodyId> excluded{};  ///< bodies that are not asked, such as the one that looks
};

/// Hit: where a ray, or a shape that moves, first meets a body.
///
/// Rays are exact to rounding for every shape, rounded ones included: the hit is that of a shape whose surface is moved
/// by no more than 1e-14 of its size and of its distance from the origin of the ray. A ray that misses by more is no
/// hit, and so is none of what is beyond the limit. Surfaces are met from both sides. A ray that starts inside a body,
/// or on it to rounding, hits it at time 0. What has no thickness across the ray (a triangle seen edge-on, a segment)
/// is met if the ray passes within rounding of it.
/// A cast has the tolerance of CastOptions.
struct WorldHit {
  BodyId body;
  double time = unset;  ///< time of the hit: of a ray in lengths of its direction, of a cast from 0 to 1
  Eigen::Vector3d point = Eigen::Vector3d::Constant(unset);  ///< on the body, in the world
  Eigen::Vector3d normal =
      Eigen::Vector3d::Constant(unset);  ///< unit, against the ray; minus its direction at a start inside
};

/// The body that is nearest to a shape. In `closest` the shape is a, the body b.
struct WorldClosest {
  BodyId body;
  QueryResult closest;
};

}  // namespace carom
