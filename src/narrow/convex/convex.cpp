#include "narrow/convex/convex.hpp"

#include <algorithm>

#include "narrow/convex/box_box.hpp"
#include "narrow/convex/canonical_order.hpp"
#include "narrow/convex/gjk_warm_start.hpp"
#include "narrow/convex/half_space.hpp"
#include "narrow/convex/minkowski_faces.hpp"
#include "narrow/convex/refine_depth.hpp"
#include "narrow/convex/wide.hpp"

namespace carom::convex {
namespace {

using shapes::CoreKind;

void name_corners(LocalResult& result, const Simplex& s) {
  result.corners = s.count;
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.count); ++i) {
    result.corners_a[i] = s.vertices[i].ia;
    result.corners_b[i] = s.vertices[i].ib;
  }
}

/// From points of the cores to points of the rounded shapes.
void round(LocalResult& result, const Core& a, const Core& b, const Vec3& on_a, const Vec3& on_b) {
  result.point_a = on_a + a.radius * result.normal;
  result.point_b = on_b - b.radius * result.normal;
}

using HullPair = Pair<HullSupport, HullSupport>;

/// Solid hulls, whose cores overlap. False if they are not solid enough.
bool overlapping_hulls(const HullPair& pair, const Vec3& guess, LocalResult& result) {
  HullDepth f;
  if (!hull_depth(*pair.a.core.hull, *pair.b.core.hull, pair.pose, pair.scale(), guess, f)) return false;
  result.distance = -(f.depth + pair.radius());
  result.normal = f.n;
  result.iterations += f.supports;
  if (f.has_points) {
    result.corners = f.corners;
    std::copy(f.corners_a.begin(), f.corners_a.end(), result.corners_a.begin());
    std::copy(f.corners_b.begin(), f.corners_b.end(), result.corners_b.begin());
  } else {
    // Moved out along the normal, what is closest is somewhere in the middle of what lies on each other.
    RelativePose out = pair.pose;
    out.t = out.t + (f.depth + 1e-3 * pair.scale()) * f.n;
    const Gjk g = gjk(HullPair{pair.a, pair.b, out}, -f.n, false);
    if (!(g.lower > 0)) return false;
    name_corners(result, g.simplex);
    f.on_a = g.simplex.on_a();
  }
  round(result, pair.a.core, pair.b.core, f.on_a, f.on_a - f.depth * f.n);
  return true;
}

/// `guess` is a direction in which the depth may be small, or zero.
template <class P>
void overlapping(const P& pair, const Gjk& g, const Vec3& guess, LocalResult& result) {
  if constexpr (std::is_same_v<P, HullPair>) {
    result.iterations = g.iterations;
    if (overlapping_hulls(pair, guess, result)) return;
  }
  const auto wide = [&] { return wide_epa(pair.a.core, pair.b.core, pair.pose, g); };
  Epa e = g.wide ? wide() : epa(pair, g);
  if (pair.polytopes() && !g.wide && (e.limited || e.doubtful)) e = wide();
  if (e.limited) try_face_normals(pair, e);
  if (e.limited || !pair.polytopes()) refine(pair, e);
  result.distance = -(e.depth + pair.radius());
  result.error = e.limited || pair.polytopes() ? std::max(e.depth - e.lower, 0.0) : 0;
  result.normal = e.n;
  result.iterations = g.iterations + e.iterations;
  result.limited = e.limited;
  name_corners(result, e.simplex);
  const Vec3 on_a = e.simplex.on_a();
  // On round shapes the simplex may be a little beside where the normal leaves: along the surface, which costs less
  // than a normal that does not fit the points.
  round(result, pair.a.core, pair.b.core, on_a, on_a - e.depth * e.n);
}

/// Whatever the points are, the first verdict stands: never positive where it was `touching`, never 0 where `apart`.
template <class P>
void separate(const P& pair, const Gjk& g, LocalResult& result) {
  const double r = pair.radius();
  // The axis of the lower bound is that of v where GJK converged; where the gap is but rounding, v is short of digits
  // and the axis is sound.
  result.normal = unit(g.lower > 0 ? -g.lower_axis : -g.v);
  result.distance = g.verdict == Verdict::touching ? std::min(g.upper - r, 0.0) : g.upper - r;
  result.error = g.upper - g.lower;
  result.iterations = g.iterations;
  result.limited = g.limited;
  name_corners(result, g.simplex);
  const Vec3 on_a = g.simplex.on_a();
  round(result, pair.a.core, pair.b.core, on_a, on_a - g.v);
}

/// Stopped at a separating axis: the gap along it.
template <class P>
void bound_only(const P& pair, const Gjk& g, LocalResult& result) {
  const Vertex& w = g.lower_vertex;
  result.normal = unit(-g.lower_axis);
  result.distance = g.lower - pair.radius();
  result.iterations = g.iterations;
  result.error = INFINITY;
  result.corners_a[0] = w.ia;
  result.corners_b[0] = w.ib;
  result.corners = 1;
  round(result, pair.a.core, pair.b.core, w.a, w.a - w.y);
}

Vec3 start_axis(const Vec3& t) {
  return dot(t, t) > 0 ? -t : Vec3{1, 0, 0};
}

/// Without a look at the corners.
template <class P>
bool overlap_deeply(const P& pair) {
  if constexpr (std::is_same_v<P, HullPair>) return balls_overlap(*pair.a.core.hull, *pair.b.core.hull, pair.pose);
  return false;
}

template <class P>
bool touches(const P& pair, QueryCache* cache) {
  if (overlap_deeply(pair)) return true;
  if (cache == nullptr) return gjk(pair, start_axis(pair.pose.t), true).verdict == Verdict::touching;
  return warm_gjk(pair, start_axis(pair.pose.t), true, *cache).verdict == Verdict::touching;
}

template <class P>
void answer(const P& pair, Question question, QueryCache* cache, LocalResult& result) {
  const bool no_depth = question == Question::gap || question == Question::verdict;
  const auto touching_only = [&] {
    result.distance = -pair.radius();
    result.normal = {1, 0, 0};
  };
  const Vec3 guess = cache == nullptr ? Vec3{} : -math::to_vec3(cache->axis);
  if constexpr (std::is_same_v<P, HullPair>) {
    if (overlap_deeply(pair)) {
      if (no_depth) return touching_only();
      if (overlapping_hulls(pair, guess, result)) {
        if (cache != nullptr) {
          cache->axis = math::to_eigen(-result.normal);
          cache->corner_count = 0;
        }
        return;
      }
      result = {};
    }
  }
  const Vec3 axis = start_axis(pair.pose.t);
  // Rounded shapes that touch without their cores overlapping need the distance after all.
  const bool only_verdict = (question == Question::penetration || question == Question::verdict) && pair.radius() == 0;
  const Gjk g = cache == nullptr ? gjk(pair, axis, only_verdict) : warm_gjk(pair, axis, only_verdict, *cache);
  if (only_verdict && g.verdict == Verdict::apart && g.lower > 0) return bound_only(pair, g, result);
  if (g.overlap && no_depth) return touching_only();
  if (g.overlap) {
    overlapping(pair, g, guess, result);
    // GJK ends with no axis; the way out is the one to begin with the next time, apart or not.
    if (cache != nullptr) cache->axis = math::to_eigen(-result.normal);
    return;
  }
  separate(pair, g, result);
}

/// Rounding must not turn a touch into a gap: the axes are trusted beyond this.
double box_slack(const Core& a, const Core& b, const Vec3& t) {
  return 1e-15 * (a.reach + b.reach + std::abs(t.x) + std::abs(t.y) + std::abs(t.z));
}

using BoxPair = Pair<BoxSupport, BoxSupport>;

bool touches(const BoxPair& pair, QueryCache*) {
  const double r = pair.radius();
  const double enough = r + box_slack(pair.a.core, pair.b.core, pair.pose.t);
  const BoxAxes axes = box_axes(pair.a.core, pair.b.core, pair.pose, enough);
  if (axes.gap > enough) return false;
  if (axes.gap <= 0) return true;
  return gjk(pair, -axes.n, true).verdict == Verdict::touching;
}

void answer(const BoxPair& pair, Question question, QueryCache* cache, LocalResult& result) {
  const Core& a = pair.a.core;
  const Core& b = pair.b.core;
  const double r = pair.radius();
  const double enough = r + box_slack(a, b, pair.pose.t);
  const BoxAxes axes = box_axes(a, b, pair.pose, enough);
  if (axes.gap <= 0) {
    box_depth(a, b, pair.pose, axes, result);
    result.distance -= r;
    return round(result, a, b, result.point_a, result.point_b);
  }
  const bool apart = axes.gap > enough;
  const auto gap_along_axis = [&] {
    Gjk g;
    g.lower = axes.gap;
    g.lower_axis = -axes.n;
    g.lower_vertex = pair.support(axes.n);
    bound_only(pair, g, result);
  };
  if (apart && question == Question::penetration) return gap_along_axis();
  const Vec3 start = apart ? start_axis(pair.pose.t) : -axes.n;
  const Gjk g = cache == nullptr ? gjk(pair, start, false) : warm_gjk(pair, start, false, *cache);
  if (!apart && g.overlap) return overlapping(pair, g, {}, result);
  if (apart && !(g.lower > 0)) {
    // A gap of a few units of rounding, which only the axes saw.
    result.distance = axes.gap - r;
    result.normal = axes.n;
    result.error = g.upper;
    result.iterations = g.iterations;
    name_corners(result, g.simplex);
    const Vec3 on_a = g.simplex.on_a();
    return round(result, a, b, on_a, on_a + axes.gap * axes.n);
  }
  separate(pair, g, result);
  if (apart) result.distance = std::max(result.distance, axes.gap - r);
}

template <class Body>
void with_pair(const Core& a, const Core& b, const RelativePose& pose, Body&& body) {
  if (a.kind == CoreKind::hull && b.kind == CoreKind::hull) {
    body(HullPair{{a}, {b}, pose});
  } else if (a.kind == CoreKind::box && b.kind == CoreKind::box) {
    body(BoxPair{{a}, {b}, pose});
  } else {
    body(Pair<AnySupport, AnySupport>{{a}, {b}, pose});
  }
}

ShapeFeature feature(const Core& core, const std::array<std::uint32_t, 4>& corners, int count) {
  ShapeFeature feature;
  if (core.kind != CoreKind::box && core.kind != CoreKind::hull) return feature;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count) && kept < 3; ++i) {
    const auto corner = static_cast<Index>(corners[i]);
    bool known = false;
    for (std::size_t k = 0; k < kept; ++k) known = known || feature.corners[k] == corner;
    if (known) continue;
    // Ascending.
    std::size_t at = kept++;
    for (; at > 0 && feature.corners[at - 1] > corner; --at) feature.corners[at] = feature.corners[at - 1];
    feature.corners[at] = corner;
  }
  return feature;
}

}  // namespace

bool collides(const Core& a, const Eigen::Isometry3d& pose_a, const Core& b, const Eigen::Isometry3d& pose_b,
              QueryCache* cache) {
  if (swapped(a, pose_a, b, pose_b)) return collides(b, pose_b, a, pose_a, cache);
  const RelativePose pose = relative_pose(pose_a, pose_b);
  if (b.kind == CoreKind::half_space) {
    LocalResult result;
    half_space_against(a, b, pose, result);
    return result.distance <= 0;
  }
  bool result = false;
  with_pair(a, b, pose, [&](const auto& pair) { result = touches(pair, cache); });
  return result;
}

void query(Question question, const Core& a, const Eigen::Isometry3d& pose_a, const Core& b,
           const Eigen::Isometry3d& pose_b, QueryCache* cache, QueryResult& result) {
  if (swapped(a, pose_a, b, pose_b)) {
    query(question, b, pose_b, a, pose_a, cache, result);
    std::swap(result.point_a, result.point_b);
    std::swap(result.feature_a, result.feature_b);
    result.normal = -result.normal;
    return;
  }
  const RelativePose pose = relative_pose(pose_a, pose_b);
  LocalResult local;
  if (b.kind == CoreKind::half_space) {
    half_space_against(a, b, pose, local);
  } else {
    with_pair(a, b, pose, [&](const auto& pair) { answer(pair, question, cache, local); });
  }
  result.distance = local.distance;
  result.error = local.error;
  result.iterations = local.iterations;
  result.limited = local.limited;
  result.normal = pose_a.linear() * math::to_eigen(local.normal);
  result.point_a = pose_a * math::to_eigen(local.point_a);
  result.point_b = pose_a * math::to_eigen(local.point_b);
  result.feature_a = feature(a, local.corners_a, local.corners);
  result.feature_b = feature(b, local.corners_b, local.corners);
}

}  // namespace carom::convex
