#include "oracle/apart.hpp"

#include "carom/detect/intersect.hpp"
#include "carom/query/query.hpp"
#include "oracle/scene_frames.hpp"

namespace carom::oracle {
namespace {

std::size_t count_in_solids(const World& world, BodyId surface) {
  std::size_t count = 0;
  const auto positions = world.positions(surface);
  for (const BodyId solid : world.bodies()) {
    if (world.motion(solid) == MotionModel::particles || !world.positions(solid).empty()) continue;
    for (const Triangle& t : world.triangles(surface)) {
      const auto corner = [&](std::size_t k) { return positions[static_cast<std::size_t>(t[k])]; };
      const Shape triangle = Shape::triangle(corner(0), corner(1), corner(2));
      const auto found = distance(world.shape(solid), world.pose(solid), triangle, Eigen::Isometry3d::Identity());
      if (found.distance < 0) ++count;
    }
  }
  return count;
}

}  // namespace

std::size_t count_intersections(const World& world) {
  const Joined joined = join(world);
  const auto bodies = world.bodies();
  const auto moved = [&](Index triangle) {
    const Index object = joined.object_of_triangle[static_cast<std::size_t>(triangle)];
    return world.motion(bodies[static_cast<std::size_t>(object)]) == MotionModel::particles;
  };
  std::size_t count = 0;
  const Surface surface(joined.positions.size(), joined.triangles, joined.object_of_triangle);
  for (const Intersection& pair : intersections(surface, joined.positions)) {
    if (moved(pair.a) || moved(pair.b)) ++count;
  }
  for (const BodyId body : bodies) {
    if (world.motion(body) == MotionModel::particles) count += count_in_solids(world, body);
  }
  return count;
}

}  // namespace carom::oracle
