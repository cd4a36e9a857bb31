#include <array>

#include "carom/mesh/closest.hpp"
#include "geometry/point_segment.hpp"
#include "math/safe_range.hpp"

// Closest points of two edges, from the differences of their end points alone.
//
// Candidates are each end point against the other edge (4), and the pair of interior points. Every
// candidate is a pair of convex combinations and is judged by its own distance, so a poor
// direction of nearly parallel edges can make the answer farther than the truth but never nearer.
//
// The interior pair: with n = da x db, the plane through edge b along n cuts edge a where the signed
// distances of a's ends to it balance. The point found is projected on edge b. At an angle phi between
// edges of length L it is wrong by eps L / phi along the edge, but walking along one of two
// nearly parallel edges changes the distance by phi times the walk only: eps L remains. (The textbook
// determinant ac - b^2 is wrong by eps / phi^2 instead: useless below phi = 1e-8.) If the edges are
// D apart, n's direction error adds (eps D / phi)^2 / 2D, while the end points alone
// are too long by (phi L)^2 / 2D; the smaller of these is at most eps L / 2 for every phi.
//
// The same is done from edge b to edge a, and each formula treats the two ends of an edge alike. So
// swapping the edges, or the ends of an edge, gives the same distance to the last bit. The points
// may be others where several pairs are equally close.
namespace carom {
namespace {

using namespace math;
using namespace geometry;

/// Two edges as the kernel needs them: end points of a minus end points of b, and directions.
struct EdgeDifferences {
  // a0 - b0, a0 - b1, a1 - b0, a1 - b1, a1 - a0, b1 - b0
  std::array<Vec3, 6> d;
};

struct EdgePair {
  double a0 = 1;  ///< weights of the end points
  double a1 = 0;
  double b0 = 1;
  double b1 = 0;
  double squared_distance = 0;
};

EdgePair nearer(const EdgePair& first, const EdgePair& second) {
  return second.squared_distance < first.squared_distance ? second : first;
}

/// A point of edge a, with its differences to both ends of edge b, against edge b.
EdgePair from_point_on_a(double a0, double a1, const Vec3& to_b0, const Vec3& to_b1) {
  const SegmentPoint on_b = closest_to_origin(to_b0, to_b1);
  return {a0, a1, on_b.weight_u, on_b.weight_v, on_b.squared_distance};
}

EdgePair from_point_on_b(double b0, double b1, const Vec3& to_a0, const Vec3& to_a1) {
  const SegmentPoint on_a = closest_to_origin(to_a0, to_a1);
  return {on_a.weight_u, on_a.weight_v, b0, b1, on_a.squared_distance};
}

/// Where a segment, with its ends at signed distances h0 and h1 from a plane, crosses it.
struct Crossing {
  bool inside = false;
  double weight0 = 1;
  double weight1 = 0;
};

Crossing cross_plane(double h0, double h1) {
  const bool inside = (h0 > 0 && h1 < 0) || (h0 < 0 && h1 > 0);
  const double sum = inside ? h0 - h1 : 1.0;
  return {inside, inside ? -h1 / sum : 1.0, inside ? h0 / sum : 0.0};
}

EdgePair closest(const EdgeDifferences& edges) {
  const auto& [a0b0, a0b1, a1b0, a1b1, da, db] = edges.d;
  EdgePair best = from_point_on_a(1, 0, a0b0, a0b1);
  best = nearer(best, from_point_on_a(0, 1, a1b0, a1b1));
  best = nearer(best, from_point_on_b(1, 0, a0b0, a1b0));
  best = nearer(best, from_point_on_b(0, 1, a0b1, a1b1));

  // Distances are measured from the middle of the other edge, which favours neither end. Parallel
  // edges have n = 0: nothing crosses, and an end point is as good as any other point.
  const Vec3 n = cross(da, db);
  const Vec3 across_b = cross(db, n);
  const Crossing on_a = cross_plane(dot(a0b0 + a0b1, across_b), dot(a1b0 + a1b1, across_b));
  if (on_a.inside) {
    const Vec3 to_b0 = on_a.weight0 * a0b0 + on_a.weight1 * a1b0;
    const Vec3 to_b1 = on_a.weight0 * a0b1 + on_a.weight1 * a1b1;
    best = nearer(best, from_point_on_a(on_a.weight0, on_a.weight1, to_b0, to_b1));
  }
  const Vec3 across_a = cross(da, n);
  const Crossing on_b = cross_plane(dot(a0b0 + a1b0, across_a), dot(a0b1 + a1b1, across_a));
  if (on_b.inside) {
    const Vec3 to_a0 = on_b.weight0 * a0b0 + on_b.weight1 * a0b1;
    const Vec3 to_a1 = on_b.weight0 * a1b0 + on_b.weight1 * a1b1;
    best = nearer(best, from_point_on_b(on_b.weight0, on_b.weight1, to_a0, to_a1));
  }
  return best;
}

EdgeDifferences differences(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  return {{a0 - b0, a0 - b1, a1 - b0, a1 - b1, a1 - a0, b1 - b0}};
}

/// Rounding never takes the point out of the edge's box, nor to infinity.
Eigen::Vector3d combine(double w0, const Vec3& p0, double w1, const Vec3& p1) {
  return to_eigen(lower(higher(w0 * p0 + w1 * p1, lower(p0, p1)), higher(p0, p1)));
}

}  // namespace

EdgeEdgeClosest closest_edge_edge(const Eigen::Vector3d& a0, const Eigen::Vector3d& a1, const Eigen::Vector3d& b0,
                                  const Eigen::Vector3d& b1) {
  EdgeDifferences edges = differences(to_vec3(a0), to_vec3(a1), to_vec3(b0), to_vec3(b1));
  int exponent = 0;
  const double largest = largest_coordinate(edges.d);
  if (!in_safe_range(largest)) {
    if (!(largest <= differences_may_overflow)) {
      edges = differences(0.25 * to_vec3(a0), 0.25 * to_vec3(a1), 0.25 * to_vec3(b0), 0.25 * to_vec3(b1));
      exponent = 2;
    }
    exponent += take_out_exponent(edges.d);
  }
  const EdgePair pair = closest(edges);
  EdgeEdgeClosest result;
  result.s = pair.a1;
  result.t = pair.b1;
  result.point_a = combine(pair.a0, to_vec3(a0), pair.a1, to_vec3(a1));
  result.point_b = combine(pair.b0, to_vec3(b0), pair.b1, to_vec3(b1));
  result.distance = std::sqrt(pair.squared_distance);
  if (exponent != 0) result.distance = std::ldexp(result.distance, exponent);
  return result;
}

}  // namespace carom
