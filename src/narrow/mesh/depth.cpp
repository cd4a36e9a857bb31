#include "narrow/mesh/depth.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/at.hpp"
#include "narrow/mesh/contact_point.hpp"
#include "narrow/mesh/dispatch_volume.hpp"
#include "narrow/mesh/point_queries.hpp"
#include "narrow/mesh/region_boxes.hpp"
#include "narrow/mesh/trial_directions.hpp"
#include "narrow/mesh/triangle_pair.hpp"

namespace carom::mesh {
namespace {

constexpr int max_region_trials = 32;
constexpr std::size_t max_region_directions = 10;
/// How many pairs of faces that lie on each other are looked behind, in one place of a trial.
constexpr std::size_t max_grazes = 64;
/// How far behind, in units of what counts as rounding.
constexpr double far_behind = 1e4;

class RegionMeter {
 public:
  RegionMeter(const MeshData& a, const MeshData& b, const RelativePose& pose, const Region& region,
              const RegionBoxes& places, std::size_t number)
      : a_(a),
        b_(b),
        pose_(pose),
        region_(region),
        places_(places),
        number_(number),
        small_(100 * rounding(a, b, pose)) {}

  RegionDepth run() {
    best_.depth = INFINITY;
    find_deepest();
    find_directions();
    for (const Vec3& n : directions_) try_direction(n);
    if (!std::isfinite(best_.depth)) report_bound();
    if (best_.depth <= small_ && !region_.crossings.empty()) place_touch();
    best_.lower = std::min(best_.lower, best_.depth);
    // Where they part a vertex of one leaves the other: which triangle of that, the point tells.
    if (best_.triangle_a == none) best_.triangle_a = nearest(a_, best_.point_a, INFINITY).triangle;
    if (best_.triangle_b == none) best_.triangle_b = nearest(b_, into_b(best_.point_b), INFINITY).triangle;
    return best_;
  }

 private:
  Vec3 vertex_a(Index v) const { return math::to_vec3(a_.mesh.positions[at(v)]); }
  Vec3 vertex_b(Index v) const { return pose_.rotate(math::to_vec3(b_.mesh.positions[at(v)])) + pose_.t; }
  Vec3 into_b(const Vec3& p) const { return pose_.rotate_back(p - pose_.t); }
  TriangleCorners triangle_a(Index t) const {
    return {vertex_a(a_.mesh.triangles[at(t)][0]), vertex_a(a_.mesh.triangles[at(t)][1]),
            vertex_a(a_.mesh.triangles[at(t)][2])};
  }
  TriangleCorners triangle_b(Index t) const {
    return {vertex_b(b_.mesh.triangles[at(t)][0]), vertex_b(b_.mesh.triangles[at(t)][1]),
            vertex_b(b_.mesh.triangles[at(t)][2])};
  }

  void add_direction(const Vec3& v) { mesh::add_direction(v, max_region_directions, directions_); }

  void find_deepest() {
    Vec3 out_a;
    Vec3 out_b;
    double deep_a = -1;
    double deep_b = -1;
    for (const Index v : region_.a.vertices) {
      const Vec3 p = vertex_a(v);
      const NearestPoint near = nearest(b_, into_b(p), INFINITY, true);
      if (!(near.distance > deep_a)) continue;
      deep_a = near.distance;
      out_a = p - (pose_.rotate(near.point) + pose_.t);
      if (deep_a > best_.lower || deep_b < 0) best_.deepest = p;
    }
    for (const Index v : region_.b.vertices) {
      const Vec3 p = vertex_b(v);
      const NearestPoint near = nearest(a_, p, INFINITY, true);
      if (!(near.distance > deep_b)) continue;
      deep_b = near.distance;
      out_b = near.point - p;
      if (deep_b > deep_a) {
        best_.deepest = p;
        best_.deepest_of_a = false;
      }
    }
    best_.lower = std::max({deep_a, deep_b, 0.0});
    add_contour();
    add_direction(out_a);
    add_direction(out_b);
  }

  /// The area inside the curve of intersection, as a vector: it goes round the outward normals of b where it leaves a.
  void add_contour() {
    if (region_.crossings.empty()) return;
    const Vec3 origin = math::to_vec3(region_.crossings[0].where.start);
    Vec3 area;
    for (const TriangleCrossing& c : region_.crossings) {
      if (c.where.kind != IntersectionKind::segment) continue;
      const Vec3 s = math::to_vec3(c.where.start) - origin;
      const Vec3 e = math::to_vec3(c.where.end) - origin;
      const TriangleCorners ta = triangle_a(c.a);
      const TriangleCorners tb = triangle_b(c.b);
      const Vec3 na = math::cross(ta[1] - ta[0], ta[2] - ta[0]);
      const Vec3 nb = math::cross(tb[1] - tb[0], tb[2] - tb[0]);
      const Vec3 half = 0.5 * math::cross(s, e);
      area = dot(e - s, math::cross(na, nb)) < 0 ? area - half : area + half;
    }
    add_direction(area);
    // Without a closed contour the sign means nothing.
    if (!a_.any_closed || !b_.any_closed) add_direction(-area);
  }

  /// Normals of faces, those of the largest area first: similar ones count together.
  void find_directions() {
    struct Face {
      Vec3 n;
      double area;
    };
    std::vector<Face> faces;
    const auto add = [&](const TriangleCorners& t, double sign) {
      const Vec3 m = math::cross(t[1] - t[0], t[2] - t[0]);
      const double area = std::sqrt(dot(m, m));
      if (!(area > 0)) return;
      const Vec3 n = (sign / area) * m;
      for (Face& f : faces) {
        if (dot(f.n, n) < 1 - 1e-6) continue;
        f.area += area;
        return;
      }
      if (faces.size() < 64) faces.push_back({n, area});
    };
    for (const Index t : region_.a.triangles) add(triangle_a(t), 1);
    for (const Index t : region_.b.triangles) add(triangle_b(t), -1);
    std::stable_sort(faces.begin(), faces.end(), [](const Face& p, const Face& q) { return p.area > q.area; });
    for (const Face& f : faces) {
      add_direction(f.n);
      if (!a_.any_closed && !b_.any_closed) add_direction(-f.n);
    }
  }

  struct Trial {
    double travel = 0;
    Vec3 point_a;
    Index triangle_a = none;
    Index triangle_b = none;
  };

  /// Each vertex inside must at least come out. False if that is no better than what is known.
  bool move_vertices_out(const Vec3& n, Trial& trial) const {
    const Vec3 back = pose_.rotate_back(-n);
    for (const Index v : region_.a.vertices) {
      const Vec3 p = vertex_a(v);
      const double travel = exit_path(b_, into_b(p), back);
      if (travel == INFINITY && b_.room) return false;
      if (!(travel > trial.travel) || travel == INFINITY) continue;
      trial = {travel, p, a_.vertex_triangles[at(v)].front(), none};
      if (trial.travel >= best_.depth) return false;
    }
    for (const Index v : region_.b.vertices) {
      const Vec3 p = vertex_b(v);
      const double travel = exit_path(a_, p, n);
      if (travel == INFINITY && a_.room) return false;
      if (!(travel > trial.travel) || travel == INFINITY) continue;
      trial = {travel, p + travel * n, none, b_.vertex_triangles[at(v)].front()};
      if (trial.travel >= best_.depth) return false;
    }
    return true;
  }

  /// Goes on to the next way out where the region has come out but is inside again, beyond a gap. The region is
  /// connected and crosses nothing any more, so one vertex tells.
  bool move_on(const Vec3& n, Trial& trial) const {
    const double here = trial.travel + small_;
    if (!region_.a.vertices.empty()) {
      const Vec3 p = vertex_a(region_.a.vertices.front());
      if (inside(b_, into_b(p - here * n))) {
        trial = {here + exit_path(b_, into_b(p - here * n), pose_.rotate_back(-n)), p, none, none};
        return true;
      }
    }
    if (!region_.b.vertices.empty()) {
      const Vec3 p = vertex_b(region_.b.vertices.front());
      if (inside(a_, p + here * n)) {
        const double travel = here + exit_path(a_, p + here * n, n);
        trial = {travel, p + travel * n, none, none};
        return true;
      }
    }
    return false;
  }

  /// Beyond `small_` on both sides of each other's planes.
  bool cross_deeply(const TriangleCorners& ta, const TriangleCorners& tb) const {
    const auto both_sides = [&](const TriangleCorners& plane, const TriangleCorners& t) {
      const Vec3 n = math::unit_or_zero(math::cross(plane[1] - plane[0], plane[2] - plane[0]));
      // No plane: whether they meet must tell.
      if (!(dot(n, n) > 0.5)) return true;
      const double h0 = dot(n, t[0] - plane[0]);
      const double h1 = dot(n, t[1] - plane[0]);
      const double h2 = dot(n, t[2] - plane[0]);
      return std::min({h0, h1, h2}) < -small_ && std::max({h0, h1, h2}) > small_;
    };
    return both_sides(ta, tb) && both_sides(tb, ta);
  }

  bool is_here(const TriangleCorners& ta, const TriangleCorners& tb) const {
    if (places_.size() == 1) return true;
    const TriangleIntersection where = intersection(ta, tb);
    return places_.belongs(math::to_vec3(0.5 * (where.start + where.end)), number_);
  }

  /// The places where faces of both lie on each other, and look the same way, have both solids behind them, however
  /// little the faces cross: true if there is such a place, which then is moved out of both.
  bool overlap_behind(const TriangleCorners& ta, const TriangleCorners& tb, const RelativePose& moved_pose,
                      const Vec3& n, Trial& trial) const {
    const TriangleIntersection where = intersection(ta, tb);
    const Vec3 middle = math::to_vec3(0.5 * (where.start + where.end));
    const Vec3 na = math::unit_or_zero(math::cross(ta[1] - ta[0], ta[2] - ta[0]));
    const Vec3 nb = math::unit_or_zero(math::cross(tb[1] - tb[0], tb[2] - tb[0]));
    const auto back = [&](const Vec3& p) { return moved_pose.rotate_back(p - moved_pose.t); };
    for (const Vec3& travel : {na + nb, na - nb}) {
      const Vec3 d = math::unit_or_zero(travel);
      if (!(dot(travel, travel) > 1e-6)) continue;
      for (const double side : {-1.0, 1.0}) {
        const Vec3 p = middle + (side * far_behind * small_) * d;
        if (!inside(a_, p) || !inside(b_, back(p))) continue;
        const double out_of_a = exit_path(a_, p, n);
        const double out_of_b = exit_path(b_, back(p), moved_pose.rotate_back(-n));
        const double way_on = std::max(out_of_a, out_of_b);
        if (!(way_on < INFINITY)) continue;
        trial.travel += small_ + way_on;
        trial.point_a = out_of_a > out_of_b ? p + out_of_a * n : p;
        trial.triangle_a = none;
        trial.triangle_b = none;
        return true;
      }
    }
    return false;
  }

  /// Moves on until no two triangles cross here any more.
  bool move_triangles_apart(const Vec3& n, Trial& trial) const {
    RelativePose moved_pose = pose_;
    moved_pose.t = pose_.t + (trial.travel + small_) * n;
    double more = 0;
    Trial next = trial;
    struct Graze {
      std::uint32_t i, j;
    };
    std::vector<Graze> grazes;
    dispatch_volume(a_, b_, moved_pose, [&](const auto& view) {
      return traverse_near(a_.tree, b_.tree, view, 0.0, [&](std::uint32_t i, std::uint32_t j) {
        const TriangleCorners& ca = a_.tree.corners[i];
        const TriangleCorners cb = moved(b_.tree.corners[j], moved_pose);
        if (!cross_deeply(ca, cb)) {
          if (a_.any_closed && b_.any_closed && grazes.size() < max_grazes && meet(ca, cb) && is_here(ca, cb))
            grazes.push_back({i, j});
          return false;
        }
        if (!meet(ca, cb) || !is_here(ca, cb)) return false;
        const LastContact last = last_contact(ca, cb, n);
        if (last.time > more) {
          more = last.time;
          next = {trial.travel + small_ + last.time, last.point, a_.tree.triangles[i], b_.tree.triangles[j]};
        }
        return next.travel >= best_.depth;
      });
    });
    if (more > small_) {
      trial = next;
      return false;
    }
    return std::none_of(grazes.begin(), grazes.end(), [&](const Graze& g) {
      return overlap_behind(a_.tree.corners[g.i], moved(b_.tree.corners[g.j], moved_pose), moved_pose, n, trial);
    });
  }

  void try_direction(const Vec3& n) {
    Trial trial;
    bool free = false;
    if (!move_vertices_out(n, trial)) return;
    for (int i = 0; i < max_region_trials && !free; ++i) {
      free = move_triangles_apart(n, trial) && !move_on(n, trial);
      if (!(trial.travel < best_.depth)) return;
    }
    if (!free) return;
    best_.depth = trial.travel;
    best_.normal = n;
    best_.point_a = trial.point_a;
    best_.point_b = trial.point_a - trial.travel * n;
    best_.triangle_a = trial.triangle_a;
    best_.triangle_b = trial.triangle_b;
  }

  /// Where nothing had to move, or no more than rounding, no trial tells of a point, and any direction did.
  void place_touch() {
    const ContactPoint touch = contact_point(a_, b_, pose_, region_, directions_);
    if (dot(touch.normal, touch.normal) > 0.5) best_.normal = touch.normal;
    best_.point_a = touch.point;
    best_.point_b = touch.point - best_.depth * best_.normal;
    best_.triangle_a = touch.triangle_a;
    best_.triangle_b = touch.triangle_b;
  }

  /// Nothing was free within the trials: all of one beyond all of the other along some direction is, unless that is
  /// solid around a room.
  void report_bound() {
    best_.limited = true;
    if (directions_.empty()) directions_.push_back({1, 0, 0});
    if (a_.room || b_.room) {
      best_.normal = directions_.front();
      best_.point_a = region_.crossings.empty() ? best_.deepest : math::to_vec3(region_.crossings[0].where.start);
      best_.point_b = best_.point_a;
      return;
    }
    for (const Vec3& n : directions_) {
      double high = -INFINITY;
      double low = INFINITY;
      Vec3 from;
      for (const TriangleCorners& t : a_.tree.corners) {
        for (const Vec3& p : t) {
          if (dot(n, p) <= high) continue;
          high = dot(n, p);
          from = p;
        }
      }
      const Vec3 nb = pose_.rotate_back(n);
      for (const TriangleCorners& t : b_.tree.corners) {
        for (const Vec3& p : t) low = std::min(low, dot(nb, p));
      }
      const double travel = high - (low + dot(n, pose_.t));
      if (!(travel < best_.depth)) continue;
      best_.depth = std::max(travel, 0.0);
      best_.normal = n;
      best_.point_a = from;
      best_.point_b = from - best_.depth * n;
    }
  }

  const MeshData& a_;
  const MeshData& b_;
  const RelativePose& pose_;
  const Region& region_;
  const RegionBoxes& places_;
  std::size_t number_;
  double small_;
  std::vector<Vec3> directions_;
  RegionDepth best_;
};

}  // namespace

std::vector<RegionDepth> measure(const MeshData& a, const MeshData& b, const RelativePose& pose,
                                 const std::vector<Region>& regions) {
  RegionBoxes places;
  for (const Region& r : regions) {
    places.start();
    for (const TriangleCrossing& c : r.crossings) {
      places.add(math::to_vec3(c.where.start));
      places.add(math::to_vec3(c.where.end));
    }
    for (const Index v : r.a.vertices) places.add(math::to_vec3(a.mesh.positions[at(v)]));
    for (const Index v : r.b.vertices) places.add(pose.rotate(math::to_vec3(b.mesh.positions[at(v)])) + pose.t);
  }
  std::vector<RegionDepth> depths;
  for (std::size_t i = 0; i < regions.size(); ++i)
    depths.push_back(RegionMeter(a, b, pose, regions[i], places, i).run());
  return depths;
}

void depth(const PlacedMesh& a, const PlacedMesh& b, const RelativePose& pose, QueryResult& result) {
  const std::vector<Region> regions = find_regions(a.mesh, b.mesh, pose);
  const std::vector<RegionDepth> depths = measure(a.mesh, b.mesh, pose, regions);
  assert(!depths.empty());
  std::size_t deepest = 0;
  for (std::size_t i = 1; i < depths.size(); ++i) {
    if (depths[i].depth > depths[deepest].depth) deepest = i;
  }
  const RegionDepth& d = depths[deepest];
  result.distance = 0 - (d.depth + a.radius + b.radius);
  result.error = d.depth - d.lower;
  result.limited = d.limited;
  result.normal = a.pose.linear() * math::to_eigen(d.normal);
  result.point_a = a.pose * math::to_eigen(d.point_a + a.radius * d.normal);
  result.point_b = a.pose * math::to_eigen(d.point_b - b.radius * d.normal);
  result.part_a = d.triangle_a;
  result.part_b = d.triangle_b;
}

}  // namespace carom::mesh
