#include <array>

#include "carom/mesh/closest.hpp"
#include "geometry/point_segment.hpp"
#include "math/safe_range.hpp"

// Closest point of a triangle, relative to the vertex: the vertex is the origin.
//
// Candidates are the closest points of the three edges and, if it is inside, the foot of the
// perpendicular on the face. Every candidate is a convex combination of the corners and is judged
// by its own distance, so a poor normal can make the answer farther than the truth but never nearer.
//
// How far? Let L be the length of the triangle, h its height, D the distance, eps = 2^-53. The foot is
// found by one step from the best edge point, which is at most h beside it. The cross products of
// that step are wrong by eps (D + h) L, so the foot is wrong by eps (D + h) L / h along the triangle.
// If D <= h that is eps L. If D is larger, an error e along the triangle lengthens the
// distance by e^2 / 2D only, and the edge point itself is too long by h^2 / 2D only; the smaller of
// these two is at most eps L / 2 for every h. So slivers are as exact as fat triangles. Starting
// from a corner instead of the best edge point would lose a factor L / h.
//
// The same bound covers the normal, whichever two edges it is made of: its direction is wrong by eps L / h,
// which moves the foot by eps D L / h. Choosing the two shortest edges for it, as one would without the edge
// points, gained nothing in the tests and costs a choice.
//
// Permuting the corners may change the last bits: the face point is built from one corner.
namespace carom {
namespace {

using namespace math;
using namespace geometry;

struct TrianglePoint {
  std::array<double, 3> weights;
  double squared_distance;
};

std::size_t next(std::size_t corner) {
  return corner == 2 ? 0 : corner + 1;
}

TrianglePoint closest_on_edges(const std::array<Vec3, 3>& corners, Vec3& point) {
  SegmentPoint best = closest_to_origin(corners[0], corners[1]);
  std::size_t edge = 0;
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
    const SegmentPoint candidate = closest_to_origin(corners[k], corners[next(k)]);
    if (candidate.squared_distance < best.squared_distance) {
      best = candidate;
      edge = k;
    }
  }
  TrianglePoint result{{0, 0, 0}, best.squared_distance};
  result.weights[edge] = best.weight_u;
  result.weights[next(edge)] = best.weight_v;
  point = best.point;
  return result;
}

TrianglePoint closest_to_origin(const std::array<Vec3, 3>& corners) {
  Vec3 edge_point;
  const TrianglePoint on_edge = closest_on_edges(corners, edge_point);

  const Vec3 ab = corners[1] - corners[0];
  const Vec3 ac = corners[2] - corners[0];
  const Vec3 normal = cross(ab, ac);
  const double normal2 = dot(normal, normal);
  const Vec3 to_origin = -edge_point;

  TrianglePoint on_face;
  on_face.weights[1] = on_edge.weights[1] + dot(normal, cross(to_origin, ac)) / normal2;
  on_face.weights[2] = on_edge.weights[2] + dot(normal, cross(ab, to_origin)) / normal2;
  on_face.weights[0] = (1 - on_face.weights[1]) - on_face.weights[2];
  const auto& w = on_face.weights;
  const Vec3 face_point = w[0] * corners[0] + w[1] * corners[1] + w[2] * corners[2];
  on_face.squared_distance = dot(face_point, face_point);

  // A triangle of zero area has NaN weights (0 / 0) or infinite ones here; no comparison lets them in.
  const bool inside = w[0] >= 0 && w[1] >= 0 && w[2] >= 0;
  return inside && on_face.squared_distance < on_edge.squared_distance ? on_face : on_edge;
}

}  // namespace

VertexTriangleClosest closest_vertex_triangle(const Eigen::Vector3d& p, const Eigen::Vector3d& a,
                                              const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  std::array<Vec3, 3> corners = {to_vec3(a) - to_vec3(p), to_vec3(b) - to_vec3(p), to_vec3(c) - to_vec3(p)};
  int exponent = 0;
  const double largest = largest_coordinate(corners);
  if (!in_safe_range(largest)) {
    if (!(largest <= differences_may_overflow)) {
      const Vec3 q = 0.25 * to_vec3(p);
      corners = {0.25 * to_vec3(a) - q, 0.25 * to_vec3(b) - q, 0.25 * to_vec3(c) - q};
      exponent = 2;
    }
    exponent += take_out_exponent(corners);
  }
  const TrianglePoint closest = closest_to_origin(corners);
  VertexTriangleClosest result;
  result.weights = {closest.weights[0], closest.weights[1], closest.weights[2]};
  // Rounding never takes the point out of the triangle's box, nor to infinity.
  const auto& w = closest.weights;
  const Vec3 p0 = to_vec3(a);
  const Vec3 p1 = to_vec3(b);
  const Vec3 p2 = to_vec3(c);
  result.point =
      to_eigen(lower(higher(w[0] * p0 + w[1] * p1 + w[2] * p2, lower(lower(p0, p1), p2)), higher(higher(p0, p1), p2)));
  result.distance = std::sqrt(closest.squared_distance);
  if (exponent != 0) result.distance = std::ldexp(result.distance, exponent);
  return result;
}

}  // namespace carom
