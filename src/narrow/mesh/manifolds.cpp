#include "narrow/mesh/manifolds.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "carom/mesh/closest.hpp"
#include "kernels/lowest_vertices.hpp"
#include "narrow/convex/convex.hpp"
#include "narrow/mesh/convex_traverse.hpp"
#include "narrow/mesh/normal_cone.hpp"
#include "narrow/mesh/point_queries.hpp"
#include "narrow/mesh/separating_planes.hpp"
#include "narrow/mesh/triangle_core.hpp"

// A shape that rests on a face is found without a search: the part of the shape that lies farthest against the normal
// of the triangle is cut by the planes through its edges. A search is needed where nothing is over the face, or where
// the shape is deep below it, which is how the side of a box sees what rests on its top.
//
// That is one triangle at a time, and each may leave what it sees to a neighbour which leaves it to yet another one. So
// every triangle that could be nearer than all contacts found is searched a second time: docs/methods/mesh.md says why
// no contact is lost.
namespace carom::mesh {
namespace {

using Eigen::Vector3d;
using shapes::TriangleCorners;

/// Depth below a face, as a fraction of the size of the shape, up to which no other way out is so much shorter that it
/// matters.
constexpr double shallow_fraction = 0.01;

/// Width of a rim, as a fraction of the smaller of shape and triangle.
constexpr double rim_fraction = 0.01;

/// Distance by which the nearest contact may be farther than the mesh, as a fraction of the size of the shape. A tenth
/// of what bodies move before they are looked at again.
constexpr double loose_fraction = 1e-4;

class Finder {
 public:
  Finder(const PlacedMesh& a, const PlacedCore& b, double within)
      : a_(a),
        b_(b),
        within_(within),
        radii_(a.radius + b.core.radius),
        loose_(loose_fraction * (b.core.reach + b.core.radius)),
        walk_(a, b) {}

  void run(const Candidates& candidates, std::vector<FaceManifold>& out) {
    out.clear();
    Work& work = Work::of_thread();
    work.cover.clear();
    work.open.clear();
    find_heights(candidates, work);
    double smallest = INFINITY;
    const auto keep = [&](const Seen& seen, double low) {
      const bool nearest = work.patch.distance < smallest;
      if (nearest) smallest = work.patch.distance;
      work.cover.add(normal_, low + top(seen.t, normal_), nearest);
      out.push_back({a_.mesh.tree.triangles[seen.place], work.patch});
    };
    for (std::uint32_t k = 0; k < candidates.places.size(); ++k) {
      if (work.height[k] > within_ + radii_) continue;
      const Seen seen = see(candidates, work, k);
      const Answer answer = test_triangle(seen, work.patch);
      if (answer == Answer::far) continue;
      const double distance = work.patch.distance + radii_;
      if (answer != Answer::open) keep(seen, answer == Answer::face ? seen.height : distance);
      if (answer == Answer::searched || (answer == Answer::face && distance <= seen.height + loose_)) continue;
      work.open.push_back(k);
      if (answer == Answer::face) cover_below_shape(work.cover);
    }
    bool unresolved = false;  // an overlap that no patch tells of
    for (const std::uint32_t k : work.open) {
      const double enough = std::min(smallest - loose_, within_);
      if (work.height[k] > enough + radii_) continue;
      const Seen seen = see(candidates, work, k);
      if (is_farther(seen, enough, work)) continue;
      const Answer answer = search_again(seen, enough, work.patch);
      if (answer == Answer::face) keep(seen, seen.height);
      if (answer == Answer::searched) keep(seen, work.patch.distance + radii_);
      unresolved = unresolved || answer == Answer::open;
    }
    if (unresolved && smallest > loose_) add_depth(out);
    std::sort(out.begin(), out.end(), [](const FaceManifold& p, const FaceManifold& q) {
      return p.triangle != q.triangle ? p.triangle < q.triangle : p.patch.distance < q.patch.distance;
    });
  }

 private:
  /// For each thread, so that nothing is made for a query.
  struct Work {
    TriangleCore triangle;
    convex::ConvexManifold patch;
    std::vector<double> corners;      ///< of the hull, in the frame of the mesh, by coordinate
    std::vector<double> height;       ///< of the core over the plane of each candidate
    std::vector<std::int32_t> at;     ///< as of kernels::lowest_vertices()
    std::vector<std::uint32_t> open;  ///< candidates that may be nearer than what was found of them
    SeparatingPlanes cover;

    static Work& of_thread() {
      thread_local Work work;
      return work;
    }
  };

  /// A candidate, from the side of it on which the middle of the shape is.
  struct Seen {
    std::uint32_t place;  ///< in the tree
    const TriangleCorners& t;
    Vec3 face;             ///< normal, zero if there is none
    double height;         ///< of the core over the plane
    std::uint32_t corner;  ///< of the hull which is lowest over the plane, if it has few
    bool flipped;          ///< from behind
    bool closed;           ///< the mesh is
    bool sharp;            ///< towards this side
  };

  enum class Answer : std::uint8_t {
    face,      ///< a patch of what is over the face
    searched,  ///< a patch of the closest points
    far,       ///< it is farther than `within`, or a neighbour is nearer
    open,      ///< nothing was found, which does not say that there is nothing
  };

  static double top(const TriangleCorners& t, const Vec3& n) {
    return std::max({dot(n, t[0]), dot(n, t[1]), dot(n, t[2])});
  }

  Seen see(const Candidates& candidates, const Work& work, std::uint32_t k) const {
    const std::uint32_t place = candidates.places[k];
    const std::uint8_t flags = candidates.flags[k];
    const double* n = candidates.planes.data() + k;
    const Vec3 front{n[0], n[candidates.stride], n[2 * candidates.stride]};
    const bool flipped = work.at[k] < 0;
    return {place,
            a_.mesh.tree.corners[place],
            flipped ? -front : front,
            work.height[k],
            static_cast<std::uint32_t>(flipped ? -1 - work.at[k] : work.at[k]),
            flipped,
            (flags & Candidates::closed) != 0,
            (flags & (flipped ? Candidates::sharp_behind : Candidates::sharp_front)) != 0};
  }

  bool few_corners() const { return b_.core.kind == shapes::CoreKind::hull && b_.core.hull->starts.empty(); }

  void find_heights(const Candidates& candidates, Work& work) const {
    const std::size_t planes = candidates.stride;
    if (work.height.size() < planes) {
      work.height.resize(planes);
      work.at.resize(planes);
    }
    const RelativePose& pose = walk_.pose();
    const double* rows = candidates.planes.data();
    if (few_corners()) {
      const shapes::HullData& hull = *b_.core.hull;
      const std::size_t stride = hull.stride;
      if (work.corners.size() < 3 * stride) work.corners.resize(3 * stride);
      double* x = work.corners.data();
      for (std::size_t i = 0; i < stride; ++i) {
        const Vec3 p = pose.rotate({hull.rows[i], hull.rows[stride + i], hull.rows[2 * stride + i]}) + pose.t;
        x[i] = p.x;
        x[stride + i] = p.y;
        x[2 * stride + i] = p.z;
      }
      const double middle[3] = {walk_.middle().x, walk_.middle().y, walk_.middle().z};
      kernels::lowest_vertices({rows, planes}, {x, hull.stride}, hull.size(), middle, work.height.data(),
                               work.at.data());
      return;
    }
    for (std::size_t k = 0; k < candidates.places.size(); ++k) {
      const Vec3 n{rows[k], rows[planes + k], rows[2 * planes + k]};
      const double offset = rows[3 * planes + k];
      const bool behind = dot(n, walk_.middle()) < offset;
      const Vec3 face = behind ? -n : n;
      const Vec3 low = pose.rotate(shapes::support(b_.core, -pose.rotate_back(face)).p) + pose.t;
      work.height[k] = dot(face, low) - (behind ? -offset : offset);
      work.at[k] = behind ? -1 : 0;
    }
  }

  /// Leaves the normal of what it finds, in the frame of the mesh, in `normal_`; look_again() as well.
  Answer test_triangle(const Seen& seen, convex::ConvexManifold& patch) {
    // A shape behind a face of a closed mesh belongs to the faces on its other side.
    if (seen.flipped && seen.closed) return Answer::open;
    bool on_face = false;
    if (dot(seen.face, seen.face) > 0) {
      const double width = clip(seen, patch);
      on_face = patch.count > 0 && width >= rim(seen.t);
      normal_ = seen.face;
      if (on_face && -patch.distance <= deepest_on_face()) return Answer::face;
      // Beside a face that is flat with its neighbours, it is they who are touched.
      if (!on_face && !seen.sharp) return Answer::open;
    }
    convex::ConvexManifold searched;
    if (!search(seen, searched)) return Answer::far;
    const Vec3 normal = in_mesh(searched.normal);
    const double slope = dot(normal, seen.face);
    // A shape that reaches round the triangle has something deep below its face, and is apart from it.
    const bool apart = searched.distance > 0;
    const Answer otherwise = on_face && !apart ? Answer::face : Answer::open;
    // Straight from the face it has been looked at already, and found to be there or to be no more than a rim.
    if (slope > std::sqrt(1 - shapes::flat_tilt * shapes::flat_tilt)) return otherwise;
    if (seen.closed && slope < 0) return otherwise;
    if (!in_normal_cone(a_.mesh, seen.place, normal)) return apart ? Answer::far : otherwise;
    patch = searched;
    normal_ = normal;
    return Answer::searched;
  }

  /// The plane of what is over the last face that was looked at: a ridge below a face of the shape is seen by neither
  /// of its sides, but by this one.
  void cover_below_shape(SeparatingPlanes& cover) const {
    const Vec3 n = -math::unit_or_zero(cross(below_[1] - below_[0], below_[2] - below_[0]));
    if (dot(n, n) > 0 && !cover.has(n)) cover.add(n, lowest(n), false);
  }

  /// Lowest point of the core along a normal, in the frame of the mesh.
  double lowest(const Vec3& n) const {
    const RelativePose& pose = walk_.pose();
    return dot(n, pose.rotate(shapes::support(b_.core, -pose.rotate_back(n)).p) + pose.t);
  }

  /// Whether a triangle is farther than `enough`, and so of no use. Where both overlap this does not tell.
  bool is_farther(const Seen& seen, double enough, Work& work) const {
    const double reach = enough + radii_;
    if (work.cover.keeps(seen.t, reach)) return true;
    const auto corner = [&](std::size_t k) { return math::to_eigen(seen.t[k]); };
    const VertexTriangleClosest c =
        closest_vertex_triangle(math::to_eigen(walk_.middle()), corner(0), corner(1), corner(2));
    const auto shows = [&](const Vec3& n) {
      const double low = lowest(n);
      if (!(low - top(seen.t, n) > reach)) return false;
      work.cover.add(n, low, false);
      return true;
    };
    if (c.distance > reach && shows(1 / c.distance * (walk_.middle() - math::to_vec3(c.point)))) return true;
    QueryResult r;
    convex::query(convex::Question::verdict, work.triangle.set(seen.t, a_.radius + std::max(enough, 0.0)), a_.pose,
                  b_.core, b_.pose, nullptr, r);
    if (r.distance > 0) shows(in_mesh(math::to_vec3(r.normal)));
    return r.distance > 0;
  }

  /// Searches a triangle that may be nearer than all that was found. Apart, the closest points tell, unless they are
  /// not the nearest around: then those of a neighbour are nearer. Of an overlap, the way out of this one triangle.
  Answer search_again(const Seen& seen, double enough, convex::ConvexManifold& patch) {
    if (!search(seen, patch) || patch.distance > enough) return Answer::far;
    const bool apart = patch.distance > 0;
    normal_ = in_mesh(patch.normal);
    const bool inward = seen.closed && (dot(normal_, seen.face) < 0) != seen.flipped;
    const bool outward = in_normal_cone(a_.mesh, seen.place, normal_);
    if (apart) return outward && !(inward && is_inside(patch)) ? Answer::searched : Answer::far;
    if (outward && !inward) return Answer::searched;
    if (seen.flipped && seen.closed) return Answer::open;
    // A rim on the face is better than no contact at all.
    clip(seen, patch);
    normal_ = seen.face;
    const bool shallow = -patch.distance <= deepest_on_face();
    return patch.count > 0 && patch.distance <= enough && shallow ? Answer::face : Answer::open;
  }

  /// Where triangles one by one know no way out, that of all of them together.
  void add_depth(std::vector<FaceManifold>& out) const {
    QueryResult r;
    query(a_, b_, r);
    if (r.distance > 0 || r.limited) return;
    convex::ConvexManifold patch;
    patch.distance = r.distance;
    patch.normal = math::to_vec3(r.normal);
    patch.points[0] = {math::to_vec3(0.5 * (r.point_a + r.point_b)), r.distance, 0};
    patch.count = 1;
    out.push_back({r.part_a, patch});
  }

  /// The closest points of a triangle, or its shortest way out, with what else is near along that normal. Nothing if it
  /// is farther than `within`.
  bool search(const Seen& seen, convex::ConvexManifold& patch) {
    if (walk_.planes().gap_of_triangle(seen.place) > within_ + radii_) return false;
    QueryCache cache;
    const shapes::Core& triangle = Work::of_thread().triangle.set(seen.t, a_.radius);
    convex::find_manifold(triangle, a_.pose, b_.core, b_.pose, within_, cache, patch);
    if (patch.count == 0) {
      walk_.planes().add(in_mesh(patch.normal));
      return false;
    }
    double smallest = INFINITY;
    std::size_t farthest = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(patch.count); ++k) {
      smallest = std::min(smallest, patch.points[k].distance);
      if (patch.points[k].distance > patch.points[farthest].distance) farthest = k;
    }
    if (smallest <= patch.distance + loose_) return true;
    // Round rims are polygons there, and faces of many corners are seen by some of them.
    QueryResult closest;
    convex::query(convex::Question::distance, triangle, a_.pose, b_.core, b_.pose, &cache, closest);
    const std::size_t k =
        patch.count < convex::max_manifold_points ? static_cast<std::size_t>(patch.count++) : farthest;
    patch.points[k] = {math::to_vec3(0.5 * (closest.point_a + closest.point_b)), patch.distance, 0xffffffffU};
    return true;
  }

  Vec3 in_mesh(const Vec3& v) const { return math::to_vec3(a_.pose.linear().transpose() * math::to_eigen(v)); }

  /// Whether the shape, which is apart from the triangle, is inside of the mesh where they are closest.
  bool is_inside(const convex::ConvexManifold& patch) const {
    const convex::ConvexManifoldPoint& p = patch.points[0];
    return inside(a_.mesh,
                  math::to_vec3(a_.pose.inverse() * math::to_eigen(p.middle + 0.5 * p.distance * patch.normal)));
  }

  double deepest_on_face() const { return shallow_fraction * (b_.core.reach + b_.core.radius); }

  /// Width of a rim over a triangle: a shape with no more than that over it does not rest on it, and so the side of a
  /// box sees a wall that ends where the box begins.
  double rim(const TriangleCorners& t) const {
    const double size = std::sqrt(math::length(cross(t[1] - t[0], t[2] - t[0])));
    return rim_fraction * std::min(size, b_.core.reach + b_.core.radius);
  }

  /// The part of the shape that lies farthest against the normal of a face, in the frame of the mesh.
  void find_lowest(const Vec3& face, std::uint32_t corner, convex::SupportPolygon& low) const {
    const RelativePose& pose = walk_.pose();
    const Vec3 down = -pose.rotate_back(face);
    if (few_corners()) {
      convex::support_polygon_at(*b_.core.hull, corner, down, shapes::flat_tilt, low);
    } else {
      convex::support_polygon(b_.core, down, shapes::flat_tilt, low);
    }
    const Vec3 shift = pose.t - b_.core.radius * face;
    for (std::size_t k = 0; k < low.all(); ++k) low.points[k] = pose.rotate(low.points[k]) + shift;
  }

  /// All of it is beyond one edge.
  static bool is_beside(const TriangleCorners& t, const Vec3& face, bool flipped, const convex::SupportPolygon& low) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 edge = flipped ? t[k] - t[(k + 1) % 3] : t[(k + 1) % 3] - t[k];
      const Vec3 out = cross(edge, face);
      const double slack = 1e-9 * dot(edge, edge);
      bool beyond = true;
      for (std::size_t p = 0; p < low.all(); ++p) {
        if (dot(out, low.points[p] - t[k]) <= slack) {
          beyond = false;
          break;
        }
      }
      if (beyond) return true;
    }
    return false;
  }

  /// Clips the shape by the face; returns how wide the part over the face is.
  double clip(const Seen& seen, convex::ConvexManifold& patch) {
    patch.count = 0;
    convex::SupportPolygon low;
    find_lowest(seen.face, seen.corner, low);
    if (is_beside(seen.t, seen.face, seen.flipped, low)) return 0;
    for (std::size_t k = 0; k < 3; ++k) below_[k] = low.points[std::min(k, static_cast<std::size_t>(low.count) - 1)];
    convex::SupportPolygon corners;
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t c = seen.flipped ? 2 - k : k;
      corners.push(seen.t[c] + a_.radius * seen.face, c);
    }
    const double width = convex::manifold_on_face(corners, low, seen.face, within_, patch);
    patch.normal = math::to_vec3(a_.pose.linear() * math::to_eigen(seen.face));
    for (std::size_t k = 0; k < static_cast<std::size_t>(patch.count); ++k)
      patch.points[k].middle = math::to_vec3(a_.pose * math::to_eigen(patch.points[k].middle));
    return width;
  }

  const PlacedMesh& a_;
  const PlacedCore& b_;
  double within_;
  double radii_;
  double loose_;  ///< m
  ConvexWalk walk_;
  Vec3 normal_;
  std::array<Vec3, 3> below_;  ///< corners of what clip() had over the face; the last ones are one if it has fewer
};

}  // namespace

void find_candidates(const PlacedMesh& a, const PlacedCore& b, double reach, Candidates& out) {
  out.places.clear();
  out.flags.clear();
  const shapes::MeshTree& tree = a.mesh.tree;
  const ConvexWalk traverse(a, b);
  traverse.near_moved({}, reach + a.radius + b.core.radius, [&](std::uint32_t i) {
    const Index number = tree.triangles[i];
    out.places.push_back(i);
    out.flags.push_back(static_cast<std::uint8_t>(a.mesh.sharp[static_cast<std::size_t>(number)] |
                                                  (a.mesh.is_closed(number) ? Candidates::closed : 0)));
    return false;
  });
  const std::size_t count = out.places.size();
  out.stride = (count + kernels::plane_lanes - 1) / kernels::plane_lanes * kernels::plane_lanes;
  out.planes.assign(4 * out.stride, 0);
  for (std::size_t k = 0; k < count; ++k) {
    const TriangleCorners& t = tree.corners[out.places[k]];
    const Vec3 n = math::unit_or_zero(cross(t[1] - t[0], t[2] - t[0]));
    out.planes[k] = n.x;
    out.planes[out.stride + k] = n.y;
    out.planes[2 * out.stride + k] = n.z;
    out.planes[3 * out.stride + k] = dot(n, t[0]);
  }
}

void find_face_manifolds(const PlacedMesh& a, const PlacedCore& b, double within, const Candidates& candidates,
                         std::vector<FaceManifold>& out) {
  Finder(a, b, within).run(candidates, out);
}

void find_triangles_near(const PlacedMesh& a, const AxisBox& box, std::vector<Index>& out) {
  out.clear();
  shapes::Core core;
  core.kind = shapes::CoreKind::box;
  core.size = math::to_vec3(0.5 * (box.max - box.min));
  core.reach = 0.5 * (box.max - box.min).norm();
  const Eigen::Isometry3d pose(Eigen::Translation3d(0.5 * (box.min + box.max)));
  ConvexWalk traverse(a, {core, pose});
  traverse.near(a.radius, [&](std::uint32_t i) {
    out.push_back(a.mesh.tree.triangles[i]);
    return false;
  });
  std::sort(out.begin(), out.end());
}

}  // namespace carom::mesh
