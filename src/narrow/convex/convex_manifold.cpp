#include "narrow/convex/convex_manifold.hpp"

#include <cmath>
#include <optional>
#include <span>

#include "narrow/convex/convex.hpp"
#include "narrow/convex/support_polygon.hpp"

// The parts of both shapes that lie farthest along the normal are clipped against each other: the one with more corners
// is the reference, the other is cut by the planes through its edges. What is left and near enough is projected on both
// along the normal.
namespace carom::convex {
namespace {

using math::to_eigen;
using math::to_vec3;
using shapes::CoreKind;

/// Edges and faces tilted by less than this (a sine) against the contact plane take part.
constexpr double max_tilt = 0.05;

Vec3 rotate(const Eigen::Isometry3d& pose, const Vec3& v) {
  const double* m = pose.matrix().data();
  return {m[0] * v.x + m[4] * v.y + m[8] * v.z, m[1] * v.x + m[5] * v.y + m[9] * v.z,
          m[2] * v.x + m[6] * v.y + m[10] * v.z};
}
Vec3 rotate_back(const Eigen::Isometry3d& pose, const Vec3& v) {
  const double* m = pose.matrix().data();
  return {m[0] * v.x + m[1] * v.y + m[2] * v.z, m[4] * v.x + m[5] * v.y + m[6] * v.z,
          m[8] * v.x + m[9] * v.y + m[10] * v.z};
}
Vec3 place_of(const Eigen::Isometry3d& pose) {
  const double* m = pose.matrix().data();
  return {m[12], m[13], m[14]};
}

/// Relative to `origin`, for the sake of digits far from the origin of the world.
void world_outline(const shapes::Core& core, const Eigen::Isometry3d& pose, const Vec3& direction, const Vec3& origin,
                   SupportPolygon& result) {
  support_polygon(core, rotate_back(pose, direction), max_tilt, result);
  const Vec3 shift = place_of(pose) - origin + core.radius * direction;
  for (std::size_t i = 0; i < result.all(); ++i) {
    Vec3& p = result.points[i];
    p = rotate(pose, p) + shift;
  }
}

/// Part of a polygon, or of a segment, where out . x <= offset. A new corner is named by the edge it is on
/// and the edge that cut it.
void cut(const SupportPolygon& from, const Vec3& out, double offset, std::uint32_t cutter, SupportPolygon& left) {
  left.count = 0;
  const auto n = static_cast<std::size_t>(from.count);
  if (n == 0) return;
  double hp = dot(out, from.points[0]) - offset;
  const double first = hp;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t next = i + 1 == n ? 0 : i + 1;
    const double hq = next == 0 ? first : dot(out, from.points[next]) - offset;
    if (hp <= 0) left.push(from.points[i], from.features[i]);
    // A segment has one edge, not two.
    if (!(n == 2 && i == 1) && ((hp < 0 && hq > 0) || (hp > 0 && hq < 0))) {
      // Whichever end is inside names the edge, and of the two edges there of a polygon, whether it goes out or in: an
      // edge is cut by a plane at one place only. A segment may begin at either end.
      const std::uint32_t inside = hp < 0 ? from.features[i] : from.features[next];
      left.push(from.points[i] + hp / (hp - hq) * (from.points[next] - from.points[i]),
                (inside & 0xffffU) | (cutter + 1) << 16 | (n == 2 || hp < 0 ? 0U : 0x80000000U));
    }
    hp = hq;
  }
}

/// `out_of` is the outward direction of the reference. The result is in one of the two.
const SupportPolygon* clip(SupportPolygon& polygon, SupportPolygon& other, const SupportPolygon& reference,
                           const Vec3& out_of) {
  const auto n = static_cast<std::size_t>(reference.count);
  SupportPolygon* from = &polygon;
  SupportPolygon* to = &other;
  const Vec3 side = reference.points[1] - reference.points[0];
  // Rounding must not lose the corner of a face that lies exactly on the other's rim.
  const double slack = 1e-9 * std::sqrt(dot(side, side));
  const auto by = [&](const Vec3& out, double offset, std::uint32_t cutter) {
    cut(*from, out, offset, cutter, *to);
    std::swap(from, to);
  };
  if (n == 2) {
    const Vec3 along = 1 / std::sqrt(dot(side, side)) * side;
    by(along, dot(along, reference.points[1]) + slack, reference.features[1]);
    by(-along, -dot(along, reference.points[0]) + slack, reference.features[0]);
    return from;
  }
  for (std::size_t i = 0; i < n && from->count > 0; ++i) {
    const Vec3& p = reference.points[i];
    Vec3 out = cross(reference.points[i + 1 == n ? 0 : i + 1] - p, out_of);
    const double length = std::sqrt(dot(out, out));
    if (!(length > 0)) continue;
    out = 1 / length * out;
    by(out, dot(out, p) + slack, reference.features[i]);
  }
  return from;
}

/// Whether p is over a face, along its outward direction, or on its rim; a face without end has no corners.
bool is_over(const SupportPolygon& face, const Vec3& out_of, const Vec3& p) {
  const auto n = static_cast<std::size_t>(face.count);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3& corner = face.points[i];
    const Vec3 side = face.points[i + 1 == n ? 0 : i + 1] - corner;
    if (dot(cross(side, out_of), p - corner) > 1e-9 * dot(side, side)) return false;
  }
  return n == 0 || n > 2;
}

/// Two edges that are not parallel touch in a point.
bool edges_cross(const SupportPolygon& a, const SupportPolygon& b) {
  if (a.count != 2 || b.count != 2) return false;
  const Vec3 da = a.points[1] - a.points[0];
  const Vec3 db = b.points[1] - b.points[0];
  const Vec3 c = cross(da, db);
  return dot(c, c) > max_tilt * max_tilt * dot(da, da) * dot(db, db);
}

/// The plane of a face, or through a segment: its height along the normal over any point.
struct Height {
  Vec3 slope;  ///< height(p) = base + slope . p
  double base = 0;

  Height(const SupportPolygon& face, const Vec3& n) {
    const Vec3& p0 = face.points[0];
    if (face.count == 2) {
      const Vec3 d = face.points[1] - p0;
      const double rise = dot(d, n);
      const Vec3 flat = d - rise * n;
      const double squared = dot(flat, flat);
      if (squared > 0) slope = rise / squared * flat;
    } else {
      Vec3 m;
      for (std::size_t i = 1; i + 1 < static_cast<std::size_t>(face.count); ++i) {
        m = m + cross(face.points[i] - p0, face.points[i + 1] - p0);
      }
      const double up = dot(m, n);
      if (up != 0) slope = n - 1 / up * m;
    }
    base = dot(n, p0) - dot(slope, p0);
  }
  double operator()(const Vec3& p) const { return base + dot(slope, p); }
};

/// Keeps the deepest, the farthest from it, the farthest from their line, and the farthest on its other side. What is
/// less near than the deepest counts as less far by the fourth power: a corner that touches must not be left out for
/// one that does not, or the body tips over there until it is the deepest.
void reduce_along(const ConvexManifoldPoint* all, int count, const Vec3& n, double within, ConvexManifold& result) {
  if (count <= max_manifold_points) {
    for (int i = 0; i < count; ++i) result.points[static_cast<std::size_t>(i)] = all[i];
    result.count = count;
    return;
  }
  int chosen[max_manifold_points] = {0, -1, -1, -1};
  for (int i = 1; i < count; ++i) {
    if (all[i].distance < all[chosen[0]].distance) chosen[0] = i;
  }
  const ConvexManifoldPoint& deepest = all[chosen[0]];
  const Vec3& p = deepest.middle;
  const double range = within - deepest.distance;
  double weight[SupportPolygon::max_points];
  for (int i = 0; i < count; ++i) {
    const double near = range > 0 ? (within - all[i].distance) / range : 1;
    weight[i] = near * near * near * near;
  }
  double best = 0;
  for (int i = 0; i < count; ++i) {
    const Vec3 d = all[i].middle - p;
    const double squared = weight[i] * weight[i] * dot(d, d);
    if (squared > best) {
      best = squared;
      chosen[1] = i;
    }
  }
  if (chosen[1] >= 0) {
    const Vec3 across = cross(n, all[chosen[1]].middle - p);
    double largest = 0;
    double smallest = 0;
    for (int i = 0; i < count; ++i) {
      const double side = weight[i] * dot(all[i].middle - p, across);
      if (side > largest) {
        largest = side;
        chosen[2] = i;
      }
      if (side < smallest) {
        smallest = side;
        chosen[3] = i;
      }
    }
  }
  result.count = 0;
  for (const int i : chosen) {
    if (i >= 0) result.points[static_cast<std::size_t>(result.count++)] = all[i];
  }
}

/// Points of a patch, before they are reduced.
class Found {
 public:
  Found(const Vec3& normal, double within) : normal_(normal), within_(within) {}

  int count() const { return count_; }
  std::span<const ConvexManifoldPoint> points() const { return {points_.data(), static_cast<std::size_t>(count_)}; }
  /// At p, between the heights of a and b there.
  void add(const Vec3& p, double of_a, double of_b, std::uint32_t feature) {
    if (!(of_b - of_a <= within_) || count_ == SupportPolygon::max_points) return;
    points_[static_cast<std::size_t>(count_++)] = {p + (0.5 * (of_a + of_b) - dot(normal_, p)) * normal_, of_b - of_a,
                                                   feature};
  }
  template <class HeightA, class HeightB>
  void add_corners(const SupportPolygon& common, const HeightA& of_a, const HeightB& of_b) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(common.count); ++i) {
      const Vec3& p = common.points[i];
      add(p, of_a(p), of_b(p), common.features[i]);
    }
  }
  /// The `others` of b that are over a's face.
  template <class HeightA>
  void add_others_of_b(const SupportPolygon& b, const SupportPolygon& a, const HeightA& of_a, bool a_is_reference) {
    each_other(b, a, normal_, a_is_reference,
               [&](const Vec3& p, std::uint32_t feature) { add(p, of_a(p), dot(normal_, p), feature); });
  }
  template <class HeightB>
  void add_others_of_a(const SupportPolygon& a, const SupportPolygon& b, const HeightB& of_b, bool a_is_reference) {
    each_other(a, b, -normal_, !a_is_reference,
               [&](const Vec3& p, std::uint32_t feature) { add(p, dot(normal_, p), of_b(p), feature); });
  }
  void reduce(const Vec3& origin, ConvexManifold& result) {
    reduce_along(points_.data(), count_, normal_, within_, result);
    for (std::size_t i = 0; i < static_cast<std::size_t>(result.count); ++i)
      result.points[i].middle = result.points[i].middle + origin;
  }

 private:
  /// Where the other shape is the reference, a corner of this one that is not cut has its own number as its feature.
  template <class Visit>
  static void each_other(const SupportPolygon& of, const SupportPolygon& face, const Vec3& out_of,
                         bool face_is_reference, const Visit& visit) {
    for (auto i = static_cast<std::size_t>(of.count); i < of.all(); ++i) {
      if (!is_over(face, out_of, of.points[i])) continue;
      visit(of.points[i], face_is_reference ? of.features[i] : (of.features[i] + 1) << 16 | 0xffffU);
    }
  }

  Vec3 normal_;
  double within_;
  int count_ = 0;
  // Not set to zero: it is larger than all that is read of it.
  union {
    std::array<ConvexManifoldPoint, SupportPolygon::max_points> points_;
  };
};

void single(const QueryResult& closest, std::uint32_t feature, ConvexManifold& result) {
  result.points[0] = {to_vec3(0.5 * (closest.point_a + closest.point_b)), closest.distance, feature};
  result.count = 1;
}

/// Width of what is left of an outline that had so many corners.
double width(const SupportPolygon& left, int corners) {
  if (corners == 1) return left.count > 0 ? INFINITY : 0;
  const auto n = static_cast<std::size_t>(left.count);
  double longest = 0;
  Vec3 area;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 d = left.points[i] - left.points[0];
    if (i + 1 < n) area = area + cross(d, left.points[i + 1] - left.points[0]);
    for (std::size_t k = i + 1; k < n; ++k) {
      const Vec3 e = left.points[k] - left.points[i];
      longest = std::max(longest, dot(e, e));
    }
  }
  longest = std::sqrt(longest);
  if (corners == 2) return longest;
  return longest > 0 ? 0.5 * std::sqrt(dot(area, area)) / longest : 0;
}

/// Two balls need no query.
void balls(const shapes::Core& a, const Eigen::Isometry3d& pose_a, const shapes::Core& b,
           const Eigen::Isometry3d& pose_b, double within, ConvexManifold& result) {
  const Vec3 pa = place_of(pose_a);
  const Vec3 d = place_of(pose_b) - pa;
  const double length = std::sqrt(dot(d, d));
  result.distance = length - (a.radius + b.radius);
  result.normal = length > 0 ? 1 / length * d : Vec3{1, 0, 0};
  if (!(result.distance <= within)) return;
  result.points[0] = {pa + (a.radius + 0.5 * result.distance) * result.normal, result.distance, 0};
  result.count = 1;
}

/// Points of both shapes relative to the closest point of a, unless it is the closest points alone where they touch:
/// then the number of that feature.
std::optional<std::uint32_t> collect(const shapes::Core& a, const Eigen::Isometry3d& pose_a, const shapes::Core& b,
                                     const Eigen::Isometry3d& pose_b, const QueryResult& closest, Found& found) {
  const Vec3 n = to_vec3(closest.normal);
  const bool plane_a = a.kind == CoreKind::half_space;
  const bool plane_b = b.kind == CoreKind::half_space;
  if ((plane_a && plane_b) || a.kind == CoreKind::point || b.kind == CoreKind::point) return 0;

  const Vec3 origin = to_vec3(closest.point_a);
  SupportPolygon of_a;
  SupportPolygon of_b;
  SupportPolygon work;
  if (!plane_a) world_outline(a, pose_a, n, origin, of_a);
  if (!plane_b) world_outline(b, pose_b, -n, origin, of_b);
  const auto flat = [](double height) { return [height](const Vec3&) { return height; }; };
  if (plane_a) {
    if (of_b.count == 1) return of_b.features[0];
    found.add_corners(of_b, flat(0), Height(of_b, n));
    found.add_others_of_b(of_b, of_a, flat(0), true);
  } else if (plane_b) {
    if (of_a.count == 1) return of_a.features[0];
    found.add_corners(of_a, Height(of_a, n), flat(closest.distance));
    found.add_others_of_a(of_a, of_b, flat(closest.distance), false);
  } else {
    if (of_a.count == 1 || of_b.count == 1 || edges_cross(of_a, of_b)) return of_a.features[0] | of_b.features[0] << 16;
    const bool a_is_reference = of_a.count >= of_b.count;
    const Height height_a(of_a, n);
    const Height height_b(of_b, n);
    found.add_others_of_b(of_b, of_a, height_a, a_is_reference);
    found.add_others_of_a(of_a, of_b, height_b, a_is_reference);
    const SupportPolygon& reference = a_is_reference ? of_a : of_b;
    const SupportPolygon* common = clip(a_is_reference ? of_b : of_a, work, reference, a_is_reference ? n : -n);
    found.add_corners(*common, height_a, height_b);
  }
  if (found.count() == 0) return 0xffffffffU;
  return std::nullopt;
}

}  // namespace

void find_manifold(const shapes::Core& a, const Eigen::Isometry3d& pose_a, const shapes::Core& b,
                   const Eigen::Isometry3d& pose_b, double within, QueryCache& cache, ConvexManifold& result) {
  result.count = 0;
  if (a.kind == CoreKind::point && b.kind == CoreKind::point) return balls(a, pose_a, b, pose_b, within, result);
  QueryResult closest;
  query(Question::distance, a, pose_a, b, pose_b, &cache, closest);
  result.distance = closest.distance;
  const Vec3 n = to_vec3(closest.normal);
  result.normal = n;
  if (!(closest.distance <= within)) return;
  Found found(n, within);
  if (const auto feature = collect(a, pose_a, b, pose_b, closest, found)) return single(closest, *feature, result);
  found.reduce(to_vec3(closest.point_a), result);
}

void find_all_points(const shapes::Core& a, const Eigen::Isometry3d& pose_a, const shapes::Core& b,
                     const Eigen::Isometry3d& pose_b, double within, const QueryResult& closest,
                     std::vector<ConvexManifoldPoint>& points) {
  points.clear();
  Found found(to_vec3(closest.normal), within);
  if (collect(a, pose_a, b, pose_b, closest, found)) return;
  const Vec3 origin = to_vec3(closest.point_a);
  for (const ConvexManifoldPoint& p : found.points()) points.push_back({p.middle + origin, p.distance, p.feature});
}

double manifold_on_face(const SupportPolygon& face, SupportPolygon& of_b, const Vec3& n, double within,
                        ConvexManifold& result) {
  result.count = 0;
  result.normal = n;
  SupportPolygon work;
  const int corners = of_b.count;
  const Height height_a(face, n);
  const Height height_b(of_b, n);
  Found found(n, within);
  found.add_others_of_b(of_b, face, height_a, true);
  const SupportPolygon& common = *clip(of_b, work, face, n);
  found.add_corners(common, height_a, height_b);
  found.reduce({}, result);
  result.distance = INFINITY;
  for (std::size_t i = 0; i < static_cast<std::size_t>(result.count); ++i)
    result.distance = std::min(result.distance, result.points[i].distance);
  return width(common, corners);
}

}  // namespace carom::convex
