#include "narrow/mesh/convex_depth.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/disjoint_sets.hpp"
#include "narrow/convex/convex.hpp"
#include "narrow/mesh/point_queries.hpp"
#include "narrow/mesh/region_boxes.hpp"
#include "narrow/mesh/trial_directions.hpp"
#include "narrow/mesh/triangle_core.hpp"

namespace carom::mesh {
namespace {

using convex::Question;
using shapes::TriangleCorners;

constexpr int max_trials = 32;
constexpr int max_advances = 64;
constexpr std::size_t max_directions = 12;

using Found = ConvexRegion;

class Meter {
 public:
  Meter(const PlacedMesh& a, const PlacedCore& b, ConvexWalk& traverse)
      : a_(a), b_(b), walk_(traverse), bare_(b.core), small_(1e-12 * traverse.scale()) {
    bare_.radius = 0;
  }

  std::vector<Found> run() {
    const std::vector<std::vector<std::uint32_t>> regions = find_regions();
    find_places(regions);
    std::vector<Found> found;
    for (number_ = 0; number_ < regions.size(); ++number_) {
      found.push_back(measure(regions[number_]));
      for (const std::uint32_t i : regions[number_]) found.back().triangles.push_back(a_.mesh.tree.triangles[i]);
    }
    if (regions.empty()) found.push_back(measure({}));
    return found;
  }

 private:
  const TriangleCorners& corners(std::uint32_t i) const { return a_.mesh.tree.corners[i]; }
  Eigen::Isometry3d moved_pose(const Vec3& travel) const {
    Eigen::Isometry3d pose = b_.pose;
    pose.translation() += a_.pose.linear() * math::to_eigen(travel);
    return pose;
  }
  bool touches(std::uint32_t i, const Eigen::Isometry3d& pose) {
    return convex::collides(triangle_.set(corners(i), 0), a_.pose, bare_, pose, nullptr);
  }

  std::vector<std::vector<std::uint32_t>> find_regions() {
    std::vector<std::uint32_t> all;
    walk_.near(0, [&](std::uint32_t i) {
      if (touches(i, b_.pose)) all.push_back(i);
      return false;
    });
    const auto number = [&](std::uint32_t i) { return a_.mesh.tree.triangles[i]; };
    std::sort(all.begin(), all.end(), [&](std::uint32_t i, std::uint32_t j) { return number(i) < number(j); });
    // By the lowest triangle at each vertex.
    struct Use {
      Index vertex;
      Index place;
    };
    std::vector<Use> uses;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const Index v : a_.mesh.mesh.triangles[at(number(all[i]))]) {
        uses.push_back({a_.mesh.vertex_at[at(v)], static_cast<Index>(i)});
      }
    }
    std::sort(uses.begin(), uses.end(), [](const Use& p, const Use& q) {
      return p.vertex != q.vertex ? p.vertex < q.vertex : p.place < q.place;
    });
    DisjointSets sets(all.size());
    for (std::size_t i = 1; i < uses.size(); ++i) {
      if (uses[i].vertex == uses[i - 1].vertex) sets.merge(uses[i].place, uses[i - 1].place);
    }
    std::vector<std::vector<std::uint32_t>> regions(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      regions[at(sets.find(static_cast<Index>(i)))].push_back(all[i]);
    }
    regions.erase(std::remove_if(regions.begin(), regions.end(), [](const auto& r) { return r.empty(); }),
                  regions.end());
    return regions;
  }

  Vec3 contact_point(std::uint32_t i, const Eigen::Isometry3d& pose) {
    QueryResult r;
    convex::query(Question::distance, triangle_.set(corners(i), 0), a_.pose, bare_, pose, nullptr, r);
    return math::to_vec3(a_.pose.linear().transpose() * (r.point_a - a_.pose.translation()));
  }

  void find_places(const std::vector<std::vector<std::uint32_t>>& regions) {
    for (const auto& region : regions) {
      places_.start();
      // A single region has nothing to be told apart from.
      for (std::size_t k = 0; regions.size() > 1 && k < region.size(); ++k) {
        places_.add(contact_point(region[k], b_.pose));
      }
    }
  }

  void add_direction(const Vec3& v) { mesh::add_direction(v, max_directions, directions_); }

  Vec3 lowest_point(const Vec3& n) const {
    const RelativePose& pose = walk_.pose();
    return pose.rotate(shapes::support(bare_, -pose.rotate_back(n)).p) + pose.t;
  }

  void find_directions(const std::vector<std::uint32_t>& region) {
    directions_.clear();
    Vec3 mean;
    for (const std::uint32_t i : region) {
      mean = mean + math::cross(corners(i)[1] - corners(i)[0], corners(i)[2] - corners(i)[0]);
    }
    add_direction(mean);
    const Vec3 middle = walk_.middle();
    const NearestPoint near = nearest(a_.mesh, middle, INFINITY);
    const Vec3 out = near.point - middle;
    add_direction(inside(a_.mesh, middle) ? out : -out);
    for (std::size_t k = 0; k < region.size() && k < 8; ++k) {
      QueryResult r;
      convex::query(Question::distance, triangle_.set(corners(region[k]), 0), a_.pose, bare_, b_.pose, nullptr, r);
      const Vec3 n = math::to_vec3(a_.pose.linear().transpose() * r.normal);
      const Vec3 m =
          math::cross(corners(region[k])[1] - corners(region[k])[0], corners(region[k])[2] - corners(region[k])[0]);
      add_direction(m);
      if (!a_.mesh.is_closed(a_.mesh.tree.triangles[region[k]])) add_direction(-m);
      add_direction(n);
    }
    if (directions_.empty()) directions_.push_back({1, 0, 0});
  }

  /// How far the core must move along n to leave a triangle, if farther than `known`: from where a plane across n parts
  /// them, back to where they touch. Each step is along the normal of the gap, so none goes too far.
  double leave(std::uint32_t i, const Vec3& n, double known, Vec3& point) {
    const TriangleCorners& t = corners(i);
    double travel = std::max({dot(n, t[0]), dot(n, t[1]), dot(n, t[2])}) - dot(n, lowest_point(n)) + small_;
    if (!(travel > known)) return known;
    const shapes::Core& triangle = triangle_.set(t, 0);
    const Eigen::Vector3d n_world = a_.pose.linear() * math::to_eigen(n);
    for (int k = 0; k < max_advances; ++k) {
      QueryResult r;
      convex::query(Question::distance, triangle, a_.pose, bare_, moved_pose(travel * n), nullptr, r);
      point = math::to_vec3(a_.pose.linear().transpose() * (r.point_a - a_.pose.translation()));
      const double along = r.normal.dot(n_world);
      if (!(r.distance > small_) || !(along > 0)) break;
      const double step = (r.distance - 0.5 * small_) / along;
      travel -= step;
      if (!(travel > known)) return known;
      if (step <= 1e-3 * small_) break;
    }
    return travel;
  }

  bool inside_moved(double travel, const Vec3& n) const {
    return a_.mesh.any_closed && inside(a_.mesh, lowest_point(n) + travel * n);
  }

  void try_direction(const std::vector<std::uint32_t>& region, const Vec3& n, Found& best) {
    double travel = 0;
    Vec3 point = lowest_point(n);
    Index which = none;
    for (const std::uint32_t i : region) {
      Vec3 p;
      const double w = leave(i, n, travel, p);
      if (!(w > travel)) continue;
      travel = w;
      point = p;
      which = a_.mesh.tree.triangles[i];
      if (travel >= best.depth) return;
    }
    // Free of the region's triangles, it may meet others here, or be inside still: then on, through what is in the way.
    for (int k = 0;; ++k) {
      if (k == max_trials) return;
      double farther = travel;
      const Eigen::Isometry3d pose = moved_pose((travel + small_) * n);
      walk_.near_moved((travel + small_) * n, 0, [&](std::uint32_t i) {
        if (!touches(i, pose)) return false;
        if (places_.size() > 1 && !places_.belongs(contact_point(i, pose), number_)) return false;
        Vec3 q;
        const double w = leave(i, n, farther, q);
        if (w > farther + small_) {
          farther = w;
          point = q;
          which = a_.mesh.tree.triangles[i];
        }
        return false;
      });
      if (farther > travel) {
        travel = farther;
      } else if (inside_moved(travel + small_, n)) {
        travel += small_ + exit_path(a_.mesh, lowest_point(n) + (travel + small_) * n, n);
        point = lowest_point(n) + travel * n;
        which = none;
      } else {
        break;
      }
      if (!(travel < best.depth)) return;
    }
    if (!(travel < best.depth)) return;
    best.depth = travel;
    best.normal = n;
    best.point_a = point;
    best.triangle = which;
    best.limited = false;
  }

  Found measure(const std::vector<std::uint32_t>& region) {
    find_directions(region);
    Found best;
    for (const Vec3& n : directions_) try_direction(region, n, best);
    if (!std::isfinite(best.depth)) report_bound(best);
    if (best.depth <= 10 * small_ && !region.empty()) turn_to_widest_gap(region, best);
    const Vec3 low = lowest_point(best.normal);
    best.point_b = std::isfinite(best.depth) ? best.point_a - best.depth * best.normal : low;
    if (inside(a_.mesh, low)) best.lower = std::min(nearest(a_.mesh, low, INFINITY, true).distance, best.depth);
    return best;
  }

  /// Turns the normal of a touch, of which any direction that takes the two apart has no depth but rounding. The one
  /// that counts opens the widest gap: that between the points which are closest once the core has moved a little.
  void turn_to_widest_gap(const std::vector<std::uint32_t>& region, Found& best) {
    const double motion = 1e6 * small_;
    struct Gap {
      double width = INFINITY;
      Vec3 normal;
    };
    const auto gap_along = [&](const Vec3& n) {
      Gap smallest;
      const Eigen::Isometry3d pose = moved_pose(motion * n);
      for (const std::uint32_t i : region) {
        QueryResult r;
        convex::query(Question::distance, triangle_.set(corners(i), 0), a_.pose, bare_, pose, nullptr, r);
        if (r.distance < smallest.width) {
          smallest = {r.distance, math::to_vec3(a_.pose.linear().transpose() * r.normal)};
        }
      }
      return smallest;
    };
    const Gap found = gap_along(best.normal);
    if (!(found.width > 0) || !(gap_along(found.normal).width >= found.width)) return;
    Found turned;
    try_direction(region, found.normal, turned);
    if (turned.depth <= 10 * small_) best = turned;
  }

  /// Nothing was free within the trials: all of the core beyond all of the mesh is, unless that is solid.
  void report_bound(Found& best) {
    best.limited = true;
    if (a_.mesh.room) {
      best.normal = directions_.front();
      best.point_a = nearest(a_.mesh, walk_.middle(), INFINITY).point;
      return;
    }
    for (const Vec3& n : directions_) {
      double high = -INFINITY;
      Vec3 from;
      for (const TriangleCorners& t : a_.mesh.tree.corners) {
        for (const Vec3& p : t) {
          if (dot(n, p) <= high) continue;
          high = dot(n, p);
          from = p;
        }
      }
      const double travel = std::max(high - dot(n, lowest_point(n)), 0.0);
      if (!(travel < best.depth)) continue;
      best.depth = travel;
      best.normal = n;
      best.point_a = from;
    }
  }

  const PlacedMesh& a_;
  const PlacedCore& b_;
  ConvexWalk& walk_;
  shapes::Core bare_;
  double small_;
  TriangleCore triangle_;
  std::vector<Vec3> directions_;
  RegionBoxes places_;
  std::size_t number_ = 0;
};

}  // namespace

std::vector<ConvexRegion> convex_regions(const PlacedMesh& a, const PlacedCore& b, ConvexWalk& traverse) {
  return Meter(a, b, traverse).run();
}

void convex_depth(const PlacedMesh& a, const PlacedCore& b, ConvexWalk& traverse, QueryResult& result) {
  const std::vector<Found> all = convex_regions(a, b, traverse);
  std::size_t deepest = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].depth > all[deepest].depth) deepest = i;
  }
  const Found& found = all[deepest];
  const double radius = a.radius + b.core.radius;
  result = {};
  result.distance = 0 - (found.depth + radius);
  result.error = found.depth - found.lower;
  result.limited = found.limited;
  result.normal = a.pose.linear() * math::to_eigen(found.normal);
  result.point_a = a.pose * math::to_eigen(found.point_a + a.radius * found.normal);
  result.point_b = a.pose * math::to_eigen(found.point_b - b.core.radius * found.normal);
  // Where it parts a corner of the mesh, or a point of the shape on it: which triangle, the point tells.
  result.part_a = found.triangle != none ? found.triangle : nearest(a.mesh, found.point_a, INFINITY).triangle;
}

}  // namespace carom::mesh
