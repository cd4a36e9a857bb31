#pragma once

#include "carom/query.hpp"
#include "narrow/convex/epa.hpp"
#include "shapes/core.hpp"

/// One pair of convex shapes. `part_a` and `part_b` of the results are left as they are.
namespace carom::convex {

enum class Question { collide, distance, penetration };

/// The answer in the frame of the first shape. Points are on the shapes, radii included.
struct LocalResult {
  double distance = 0;
  double error = 0;
  Vec3 normal;
  Vec3 point_a;
  Vec3 point_b;
  Simplex features;  ///< whose vertices carry the closest points
  int iterations = 0;
  bool limited = false;
};

QueryResult query(Question question, const shapes::Core& a, const Eigen::Isometry3d& pose_a, const shapes::Core& b,
                  const Eigen::Isometry3d& pose_b, QueryCache* cache);

}  // namespace carom::convex
