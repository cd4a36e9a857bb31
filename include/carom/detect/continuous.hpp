#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/detect/contact.hpp"

/// Time at which two features meet that move over a step: the elementary tests of continuous detection.
///
/// Every vertex goes straight and at constant speed from its start to its end; time runs from 0 to 1. A
/// pair collides if the exact paths, of the doubles as given, come as close as the separation at some time.
///
/// What is promised, for every finite input, degenerate and of any size:
/// - never a false no, and the reported time is never later than the exact first time;
/// - a false yes only if the paths come within `Impact::tolerance` of colliding; with `exact`, none;
/// - the work is bounded: by `budget`, and in exact mode by a fixed number of exact operations.
namespace carom {

struct ContinuousOptions {
  /// m, not negative: closer than this or at this distance is a collision. 0: a touch.
  double separation = 0;
  /// Tolerance, not negative; relative to the motion, the longest path of a vertex of one feature as seen from one of
  /// the other. Pairs that miss each other by less than this may count as colliding, and the time may be earlier by as
  /// much. It is a leave to stop: most answers are good to rounding.
  double tolerance = 1e-6;
  /// Exact mode: decide what rounding leaves open in exact arithmetic: no false yes either. Only for separation 0.
  bool exact = false;
  /// Budget, at least 1: points of time looked at for one pair. When it is used up before the tolerance is reached, the
  /// answer is yes, at the time up to which the pair surely has not collided. Nearly all pairs need fewer than 10.
  int budget = 256;
};

/// Positions of the four vertices at the start and at the end of the step.
/// vertex_face: the vertex; the triangle's corners. edge_edge: both ends of a; both ends of b.
struct FeatureMotion {
  std::array<Eigen::Vector3d, 4> start;
  std::array<Eigen::Vector3d, 4> end;
};

struct Impact {
  bool collides = false;
  /// The budget was used up, or rounding kept the search from the tolerance asked for; `tolerance` says what was
  /// reached.
  bool limited = false;
  /// Time in [0, 1]: nothing collides before. 1 if nothing collides at all.
  double time = 1;
  /// m: the exact paths come closer than separation + this. 0 if the collision is certain.
  double tolerance = 0;
  /// Shares of the four vertices in the contact points at `time`, as in Contact.
  std::array<double, 4> weights{};
  /// Unit, from a to b, as the features approach each other; zero if nothing collides.
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
};

/// First impact of one pair. Throws Error: not_finite (names the vertex), invalid_argument (names the option),
/// unsupported (exact with a separation).
Impact first_impact(ContactKind kind, const FeatureMotion& motion, const ContinuousOptions& options = {});

/// Many pairs: impacts[i] is what first_impact gives for motions[i], to the last bit. Those that surely miss are
/// recognised several at a time, so this is much faster. In the calling thread, and without allocating but in exact
/// arithmetic; cut the spans to use several. Errors name the query; `impacts` must be as long as `motions`.
void first_impacts(ContactKind kind, std::span<const FeatureMotion> motions, const ContinuousOptions& options,
                   std::span<Impact> impacts);

/// Impact of one of many queries.
struct IndexedImpact {
  std::size_t query = 0;
  Impact impact;
};

/// First impacts of features of a mesh: pairs[i] are the four vertices of query i, in the order of FeatureMotion.
/// Appends those that collide to `hits`, in the order of the queries.
void first_impacts(ContactKind kind, std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> end,
                   std::span<const std::array<Index, 4>> pairs, const ContinuousOptions& options,
                   std::vector<IndexedImpact>& hits);

/// Largest distance of a point from its straight path at the same time if in truth it turns about an axis at
/// constant speed: `radius` m from the axis, by `angle` rad over the step. To handle turning bodies safely, add this
/// for both features to the separation. (The chord of a function f over a step is wrong by at most max|f''| / 8.)
double chord_deviation(double radius, double angle);

}  // namespace carom
