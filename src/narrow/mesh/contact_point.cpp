#include "narrow/mesh/contact_point.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "narrow/mesh/trial_directions.hpp"
#include "narrow/mesh/triangle_pair.hpp"

namespace carom::mesh {
namespace {

/// Crossings of which the gap is measured: of more, every so many.
constexpr std::size_t max_sampled_crossings = 256;
constexpr std::size_t max_touch_directions = 24;
/// Length of the motion that is tried, relative to the smaller mesh: short beside its features, long beside rounding.
constexpr double touch_motion = 1e-6;

Vec3 middle_of(const TriangleCrossing& c) {
  return math::to_vec3(0.5 * (c.where.start + c.where.end));
}

class TouchFinder {
 public:
  TouchFinder(const MeshData& a, const MeshData& b, const RelativePose& pose, const Region& region)
      : a_(a), b_(b), pose_(pose), region_(region) {
    const double size = std::min(a.tree.nodes[0].size, b.tree.nodes[0].size);
    const double error = rounding(a, b, pose);
    motion_ = std::max(touch_motion * size, 1e3 * error);
    tie_ = 1e-6 + error / motion_;
    step_ = (region.crossings.size() + max_sampled_crossings - 1) / max_sampled_crossings;
  }

  ContactPoint run(std::span<const Vec3> directions) {
    ContactPoint place;
    const TriangleCrossing& c = central();
    place.point = middle_of(c);
    place.triangle_a = c.a;
    place.triangle_b = c.b;
    Gap widest;
    for (const Vec3& n : candidates(directions)) {
      const Gap gap = gap_along(n);
      if (!(gap.width > widest.width + tie_)) continue;
      widest = gap;
      place.normal = n;
    }
    // Once apart, the points that are closest tell the normal better than the features do.
    if (widest.width > 0 && gap_along(widest.normal).width >= widest.width - tie_) place.normal = widest.normal;
    return place;
  }

 private:
  TriangleCorners corners_a(Index t) const {
    return {math::to_vec3(a_.corner(t, 0)), math::to_vec3(a_.corner(t, 1)), math::to_vec3(a_.corner(t, 2))};
  }
  TriangleCorners corners_b(Index t) const {
    return moved({math::to_vec3(b_.corner(t, 0)), math::to_vec3(b_.corner(t, 1)), math::to_vec3(b_.corner(t, 2))},
                 pose_);
  }

  const TriangleCrossing& central() const {
    IntersectionKind kind = IntersectionKind::point;
    for (const TriangleCrossing& c : region_.crossings) kind = std::max(kind, c.where.kind);
    Vec3 sum;
    double count = 0;
    for (const TriangleCrossing& c : region_.crossings) {
      if (c.where.kind != kind) continue;
      sum = sum + middle_of(c);
      ++count;
    }
    const Vec3 mean = (1 / count) * sum;
    const TriangleCrossing* best = nullptr;
    double smallest = INFINITY;
    for (const TriangleCrossing& c : region_.crossings) {
      const Vec3 d = middle_of(c) - mean;
      if (c.where.kind != kind || !(dot(d, d) < smallest)) continue;
      smallest = dot(d, d);
      best = &c;
    }
    return best != nullptr ? *best : region_.crossings.front();
  }

  std::vector<Vec3> candidates(std::span<const Vec3> directions) const {
    std::vector<Vec3> all;
    const auto add = [&](const Vec3& v) { add_direction(v, max_touch_directions, all); };
    const auto normal = [](const TriangleCorners& t) {
      return math::unit_or_zero(math::cross(t[1] - t[0], t[2] - t[0]));
    };
    Vec3 mean;
    for (const Index t : region_.a.triangles) mean = mean + normal(corners_a(t));
    for (const Index t : region_.b.triangles) mean = mean - normal(corners_b(t));
    add(mean);
    for (const Vec3& n : directions) add(n);
    for (std::size_t i = 0; i < region_.crossings.size(); i += step_) {
      const TriangleCorners ta = corners_a(region_.crossings[i].a);
      const TriangleCorners tb = corners_b(region_.crossings[i].b);
      const Vec3 n = direction_of(ta, tb, closest_of(ta, tb));
      add(n);
      add(-n);
    }
    return all;
  }

  /// Between the triangles that touch, once b has moved: the least there is.
  struct Gap {
    double width = 0;  ///< per length of the motion
    Vec3 normal;
  };

  Gap gap_along(const Vec3& n) const {
    const Vec3 motion = motion_ * n;
    Gap smallest{INFINITY, n};
    for (std::size_t i = 0; i < region_.crossings.size(); i += step_) {
      const TriangleCorners ta = corners_a(region_.crossings[i].a);
      TriangleCorners tb = corners_b(region_.crossings[i].b);
      for (Vec3& p : tb) p = p + motion;
      if (meet(ta, tb)) return {};
      const TriangleClosest closest = closest_of(ta, tb);
      if (!(closest.distance / motion_ < smallest.width)) continue;
      smallest = {closest.distance / motion_, math::unit_or_zero(closest.point_b - closest.point_a)};
    }
    return smallest;
  }

  const MeshData& a_;
  const MeshData& b_;
  const RelativePose& pose_;
  const Region& region_;
  double motion_ = 0;     ///< m
  double tie_ = 0;        ///< gaps that differ by less are equal: the first counts
  std::size_t step_ = 1;  ///< from one sampled crossing to the next
};

}  // namespace

ContactPoint contact_point(const MeshData& a, const MeshData& b, const RelativePose& pose, const Region& region,
                           std::span<const Vec3> directions) {
  return TouchFinder(a, b, pose, region).run(directions);
}

}  // namespace carom::mesh
