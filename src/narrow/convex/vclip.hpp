#pragma once

#include "carom/query/closest_features.hpp"
#include "narrow/convex/pair.hpp"
#include "narrow/convex/polyhedron.hpp"

namespace carom::convex {

/// Mirtich's V-Clip. Two features are closest if each has a point of the other in its Voronoi region, that is nearer to
/// it than to any of its neighbours. If not, the plane that says so leads to a neighbour that is nearer, or of lower
/// dimension at the same distance; so it ends. An edge is clipped by the planes of a region, and the way the distance
/// changes at the ends of what is left tells on which side to go on; closest points of features, which parallel edges
/// and faces have many of, are not needed before the end.
struct Vclip {
  enum class Ending { apart, overlap, undecided };
  Ending ending = Ending::undecided;
  std::array<PolyhedronFeature, 2> features;
  Vec3 point_a;  ///< in the frame of a
  Vec3 point_b;
  int iterations = 0;
};

/// `pose` is of b in the frame of a. Features to begin with that do not exist are replaced.
Vclip vclip(const Polyhedron& a, const Polyhedron& b, const RelativePose& pose, const FeatureCache& start);

}  // namespace carom::convex
