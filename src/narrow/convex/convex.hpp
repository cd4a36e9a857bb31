#pragma once

#include "carom/query/query.hpp"
#include "narrow/convex/epa.hpp"
#include "shapes/core.hpp"

/// One pair of convex shapes. `part_a` and `part_b` of the results are left as they are.
namespace carom::convex {

/// `gap` and `verdict` are distance and penetration without a search for the depth: where cores overlap the distance is
/// minus the radii, and nothing else of the result counts.
enum class Question { distance, penetration, gap, verdict };

/// The answer in the frame of the first shape. Points are on the shapes, radii included.
struct LocalResult {
  double distance = 0;
  double error = 0;
  Vec3 normal;
  Vec3 point_a;
  Vec3 point_b;
  /// Corners that carry the closest points, of each shape.
  std::array<std::uint32_t, 4> corners_a;
  std::array<std::uint32_t, 4> corners_b;
  int corners = 0;
  int iterations = 0;
  bool limited = false;
};

bool collides(const shapes::Core& a, const Eigen::Isometry3d& pose_a, const shapes::Core& b,
              const Eigen::Isometry3d& pose_b, QueryCache* cache);
/// Distance, or penetration.
void query(Question question, const shapes::Core& a, const Eigen::Isometry3d& pose_a, const shapes::Core& b,
           const Eigen::Isometry3d& pose_b, QueryCache* cache, QueryResult& result);

}  // namespace carom::convex
