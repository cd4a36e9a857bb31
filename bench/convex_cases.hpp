#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "carom/shape/shape.hpp"

namespace carom::bench {

struct ConvexQuery {
  int a = 0;
  int b = 0;
  Eigen::Isometry3d pose_a;
  Eigen::Isometry3d pose_b;
};

/// Pairs of shapes of about size 1, and how they lie.
///   far       some sizes apart
///   near      a gap or an overlap of up to 1% of the size, as many of each
///   apart     a gap of up to 1% of the size
///   touching  a gap or an overlap of 1e-9
///   deep      one's centre is well inside the other
struct ConvexCases {
  std::string shapes_name;
  std::vector<Shape> shapes;
  std::vector<ConvexQuery> far, near, apart, touching, deep;
};

/// Hulls of points on a sphere with this many corners; 0 for boxes.
ConvexCases make_convex_cases(int corners, int count);

/// A pair on its way through each other, step by step: 10 degrees and 1% of the size each, or as asked (rad, m).
using ConvexMotion = std::vector<ConvexQuery>;
std::vector<ConvexMotion> make_convex_motions(const ConvexCases& cases, int count, int steps, double angle = 0.1745,
                                              double travel = 0.02);

}  // namespace carom::bench
