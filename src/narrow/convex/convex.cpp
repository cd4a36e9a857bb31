#include "narrow/convex/convex.hpp"

#include <algorithm>

#include "narrow/convex/closed_form.hpp"
#include "narrow/convex/order.hpp"

namespace carom::convex {
namespace {

using shapes::CoreKind;

Vec3 unit(const Vec3& d) {
  // Scaled first: what is tiny would vanish when squared.
  const double largest = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
  const Vec3 scaled = (1 / largest) * d;
  return (1 / std::sqrt(dot(scaled, scaled))) * scaled;
}

/// From points of the cores to points of the rounded shapes.
void round(LocalResult& result, const Core& a, const Core& b, const Vec3& on_a, const Vec3& on_b) {
  result.point_a = on_a + a.radius * result.normal;
  result.point_b = on_b - b.radius * result.normal;
}

template <class P>
LocalResult overlapping(const P& pair, const Gjk& g) {
  LocalResult result;
  const Epa e = epa(pair, g);
  const double r = pair.radius();
  result.distance = -(e.depth + r);
  result.error = e.limited ? e.depth - e.lower : 0;
  result.normal = e.n;
  result.features = e.simplex;
  result.iterations = g.iterations + e.iterations;
  result.limited = e.limited;
  const Vec3 on_a = e.simplex.on_a();
  round(result, pair.a.core, pair.b.core, on_a, on_a - e.depth * e.n);
  return result;
}

/// Whatever the points were, the first verdict stands: never positive where it was `touching`, never 0 where `apart`.
template <class P>
LocalResult separate(const P& pair, const Gjk& g) {
  LocalResult result;
  const double r = pair.radius();
  result.normal = unit(-g.v);
  result.distance = g.verdict == Verdict::touching ? std::min(g.upper - r, 0.0) : g.upper - r;
  result.error = g.upper - g.lower;
  result.features = g.simplex;
  result.iterations = g.iterations;
  result.limited = g.limited;
  const Vec3 on_a = g.simplex.on_a();
  round(result, pair.a.core, pair.b.core, on_a, on_a - g.v);
  return result;
}

/// Stopped at a separating axis: the gap along it.
template <class P>
LocalResult bound_only(const P& pair, const Gjk& g) {
  LocalResult result;
  result.normal = unit(-g.lower_axis);
  result.distance = g.lower - pair.radius();
  result.iterations = g.iterations;
  result.features.vertices[0] = g.lower_vertex;
  result.features.weights[0] = 1;
  result.features.count = 1;
  result.error = INFINITY;
  round(result, pair.a.core, pair.b.core, g.lower_vertex.a, g.lower_vertex.a - g.lower_vertex.y);
  return result;
}

Vec3 start_axis(const Vec3& t) {
  return dot(t, t) > 0 ? -t : Vec3{1, 0, 0};
}

template <class P>
LocalResult answer(const P& pair, Question question) {
  const Gjk g = gjk(pair, start_axis(pair.pose.t), question != Question::distance);
  if (g.verdict == Verdict::apart && question != Question::distance) {
    return g.lower > pair.radius() ? bound_only(pair, g) : separate(pair, g);
  }
  if (question == Question::collide) {
    LocalResult result;
    result.distance = g.verdict == Verdict::apart ? 1 : -1;
    return result;
  }
  if (g.overlap) return overlapping(pair, g);
  if (question == Question::penetration) return separate(pair, gjk(pair, start_axis(pair.pose.t), false));
  return separate(pair, g);
}

LocalResult answer_any(const Core& a, const Core& b, const RelativePose& pose, Question question) {
  if (b.kind == CoreKind::half_space) return half_space_against(a, b, pose);
  if (a.kind == CoreKind::hull && b.kind == CoreKind::hull) {
    return answer(Pair<HullSupport, HullSupport>{{a}, {b}, pose}, question);
  }
  if (a.kind == CoreKind::box && b.kind == CoreKind::box) {
    return answer(Pair<BoxSupport, BoxSupport>{{a}, {b}, pose}, question);
  }
  return answer(Pair<AnySupport, AnySupport>{{a}, {b}, pose}, question);
}

ShapeFeature feature(const Core& core, const Simplex& s, std::uint32_t Vertex::*index) {
  ShapeFeature feature;
  if (core.kind != CoreKind::box && core.kind != CoreKind::hull) return feature;
  std::size_t count = 0;
  for (int i = 0; i < s.count && count < 3; ++i) {
    const auto corner = static_cast<Index>(s.vertices[static_cast<std::size_t>(i)].*index);
    if (std::find(feature.corners.begin(), feature.corners.begin() + static_cast<std::ptrdiff_t>(count), corner) ==
        feature.corners.begin() + static_cast<std::ptrdiff_t>(count)) {
      feature.corners[count++] = corner;
    }
  }
  std::sort(feature.corners.begin(), feature.corners.begin() + static_cast<std::ptrdiff_t>(count));
  return feature;
}

}  // namespace

QueryResult query(Question question, const Core& a, const Eigen::Isometry3d& pose_a, const Core& b,
                  const Eigen::Isometry3d& pose_b, QueryCache* cache) {
  if (swapped(a, pose_a, b, pose_b)) {
    QueryResult result = query(question, b, pose_b, a, pose_a, cache);
    std::swap(result.point_a, result.point_b);
    std::swap(result.feature_a, result.feature_b);
    result.normal = -result.normal;
    return result;
  }
  const LocalResult local = answer_any(a, b, relative_pose(pose_a, pose_b), question);
  QueryResult result;
  result.distance = local.distance;
  if (question == Question::collide) return result;
  result.error = local.error;
  result.iterations = local.iterations;
  result.limited = local.limited;
  result.normal = pose_a.linear() * detail::to_eigen(local.normal);
  result.point_a = pose_a * detail::to_eigen(local.point_a);
  result.point_b = pose_a * detail::to_eigen(local.point_b);
  result.feature_a = feature(a, local.features, &Vertex::ia);
  result.feature_b = feature(b, local.features, &Vertex::ib);
  return result;
}

}  // namespace carom::convex
