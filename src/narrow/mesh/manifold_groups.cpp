#include "narrow/mesh/manifold_groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace carom::mesh {
namespace {

using convex::ConvexManifold;
using convex::max_manifold_points;

/// Cosine up to which two normals count as those of one plane, 0.03 degrees: any points that span it carry.
constexpr double same_plane = 1 - 1e-7;

/// Cosine up to which points are in one patch, 0.8 degrees.
constexpr double same_normal = 1 - 1e-4;

/// Cosine up to which triangles are in one group, 3 degrees.
constexpr double same_direction = 1 - 0.00125;

/// Rim of a triangle of points, as a fraction of its height: a point outside by less counts as inside.
constexpr double rim = 0.1;

using Chosen = std::array<GroupPoint, max_manifold_points>;

/// The deepest point, the farthest from it, and the farthest from their line on either side; returns how many there
/// are. These are taken out of `points`.
std::size_t choose(std::vector<GroupPoint>& points, Chosen& chosen) {
  const std::size_t n = points.size();
  std::array<std::size_t, max_manifold_points> at{0, n, n, n};
  for (std::size_t i = 1; i < n; ++i) {
    if (points[i].point.distance < points[at[0]].point.distance) at[0] = i;
  }
  const GroupPoint p = points[at[0]];
  double farthest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double u = points[i].u - p.u;
    const double v = points[i].v - p.v;
    if (!(u * u + v * v > farthest)) continue;
    farthest = u * u + v * v;
    at[1] = i;
  }
  if (at[1] != n) {
    const double au = points[at[1]].u - p.u;
    const double av = points[at[1]].v - p.v;
    double largest = 0;
    double smallest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double side = au * (points[i].v - p.v) - av * (points[i].u - p.u);
      if (side > largest) {
        largest = side;
        at[2] = i;
      }
      if (side < smallest) {
        smallest = side;
        at[3] = i;
      }
    }
  }
  std::size_t count = 0;
  for (const std::size_t i : at) {
    if (i != n) chosen[count++] = points[i];
  }
  std::size_t left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i != at[0] && i != at[1] && i != at[2] && i != at[3]) points[left++] = points[i];
  }
  points.resize(left);
  return count;
}

/// Three points, with the gap between them.
class Support {
 public:
  Support(const GroupPoint& a, const GroupPoint& b, const GroupPoint& c)
      : a_(a), bu_(b.u - a.u), bv_(b.v - a.v), cu_(c.u - a.u), cv_(c.v - a.v) {
    const double area = bu_ * cv_ - bv_ * cu_;
    const double longest = std::max(bu_ * bu_ + bv_ * bv_, cu_ * cu_ + cv_ * cv_);
    // Thinner than this, it says nothing of what is beside it.
    if (!(std::abs(area) > 1e-3 * longest)) return;
    inverse_ = 1 / area;
    rise_b_ = b.point.distance - a.point.distance;
    rise_c_ = c.point.distance - a.point.distance;
  }
  bool holds(const GroupPoint& p, double tolerance) const {
    const double u = p.u - a_.u;
    const double v = p.v - a_.v;
    const double b = inverse_ * (u * cv_ - v * cu_);
    const double c = inverse_ * (v * bu_ - u * bv_);
    if (inverse_ == 0 || b < -rim || c < -rim || b + c > 1 + rim) return false;
    return a_.point.distance + b * rise_b_ + c * rise_c_ <= p.point.distance + tolerance;
  }

 private:
  const GroupPoint& a_;
  double bu_, bv_, cu_, cv_;
  double inverse_ = 0;  ///< 0: too thin
  double rise_b_ = 0;
  double rise_c_ = 0;
};

/// Four at a time, until all that is left is held.
void keep_what_carries(const Vec3& normal, double tolerance, GroupScratch& scratch) {
  std::vector<GroupPoint>& points = scratch.points;
  const Vec3 u = math::unit_or_zero(cross(normal, std::abs(normal.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
  const Vec3 v = cross(normal, u);
  for (GroupPoint& p : points) {
    p.u = dot(u, p.point.middle);
    p.v = dot(v, p.point.middle);
  }
  while (!points.empty()) {
    Chosen c;
    const std::size_t count = choose(points, c);
    scratch.kept.insert(scratch.kept.end(), c.begin(), c.begin() + static_cast<std::ptrdiff_t>(count));
    if (count < 3) continue;
    const Support supports[4] = {{c[0], c[1], c[2]}, {c[0], c[1], c[3]}, {c[0], c[2], c[3]}, {c[1], c[2], c[3]}};
    const auto held = [&](const GroupPoint& p) {
      return std::any_of(supports, supports + (count == 3 ? 1 : 4),
                         [&](const Support& s) { return s.holds(p, tolerance); });
    };
    points.erase(std::remove_if(points.begin(), points.end(), held), points.end());
  }
}

/// Puts the points that were kept into patches of nearly one normal.
void make_patches(std::vector<GroupPoint>& kept, std::vector<ConvexManifold>& patches) {
  while (!kept.empty()) {
    ConvexManifold& patch = patches.emplace_back();
    patch.distance = INFINITY;
    const Vec3 first = kept.front().normal;
    Vec3 sum;
    std::size_t left = 0;
    for (const GroupPoint& p : kept) {
      if (patch.count == max_manifold_points || dot(p.normal, first) < same_normal) {
        kept[left++] = p;
        continue;
      }
      patch.points[static_cast<std::size_t>(patch.count++)] = p.point;
      patch.distance = std::min(patch.distance, p.point.distance);
      sum = sum + p.normal;
    }
    kept.resize(left);
    patch.normal = math::unit_or_zero(sum);
  }
}

}  // namespace

void gather(std::vector<mesh::FaceManifold>& triangles, double tolerance, GroupScratch& scratch,
            std::vector<ConvexManifold>& patches) {
  patches.clear();
  std::vector<std::uint32_t>& order = scratch.order;
  order.resize(triangles.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t k) {
    const double p = triangles[i].patch.distance;
    const double q = triangles[k].patch.distance;
    return p != q ? p < q : i < k;
  });
  const auto add = [&](const ConvexManifold& patch) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(patch.count); ++k)
      scratch.points.push_back({patch.points[k], patch.normal});
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (triangles[order[i]].triangle == none) continue;
    const ConvexManifold& first = triangles[order[i]].patch;
    scratch.points.clear();
    scratch.kept.clear();
    add(first);
    bool alone = true;
    bool one_plane = true;
    for (std::size_t k = i + 1; k < order.size(); ++k) {
      mesh::FaceManifold& other = triangles[order[k]];
      const double slope = dot(other.patch.normal, first.normal);
      if (other.triangle == none || slope < same_direction) continue;
      add(other.patch);
      other.triangle = none;
      alone = false;
      one_plane = one_plane && slope >= same_plane;
    }
    if (alone) {
      patches.push_back(first);
      continue;
    }
    keep_what_carries(first.normal, one_plane ? INFINITY : tolerance, scratch);
    make_patches(scratch.kept, patches);
  }
}

}  // namespace carom::mesh
