#include "narrow/mesh/manifolds.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/low_corners.hpp"
#include "narrow/convex/convex.hpp"
#include "narrow/mesh/convex_walk.hpp"
#include "narrow/mesh/triangle_core.hpp"

// What rests on a face is found without a search: the part of the shape that lies farthest against the normal of the
// triangle is cut by the planes through its edges. A search is needed where nothing is over the face, or where the
// shape is deep below it, which is how the side of a box sees what rests on its top.
namespace carom::mesh {
namespace {

using Eigen::Vector3d;
using shapes::TriangleCorners;

/// Of the size of the shape: no other way out is so much shorter than this that it matters.
constexpr double shallow_share = 0.01;

/// Of the smaller of shape and triangle.
constexpr double rim_share = 0.01;

class Finder {
 public:
  Finder(const PlacedMesh& a, const PlacedCore& b, double within) : a_(a), b_(b), within_(within), walk_(a, b) {}

  void run(const Candidates& candidates, std::vector<TrianglePatch>& out) {
    out.clear();
    Work& work = Work::of_thread();
    find_heights(candidates, work);
    const double most = within_ + a_.radius + b_.core.radius;
    for (std::size_t k = 0; k < candidates.places.size(); ++k) {
      if (work.height[k] > most) continue;
      const bool flipped = work.at[k] < 0;
      // What is behind a face of a closed mesh belongs to the faces on its other side.
      if (flipped && (candidates.flags[k] & Candidates::closed) != 0) continue;
      const auto corner = static_cast<std::uint32_t>(flipped ? -1 - work.at[k] : work.at[k]);
      if (look(candidates, k, flipped, corner, work.patch))
        out.push_back({a_.mesh.tree.triangles[candidates.places[k]], work.patch});
    }
    std::sort(out.begin(), out.end(),
              [](const TrianglePatch& p, const TrianglePatch& q) { return p.triangle < q.triangle; });
  }

 private:
  /// For each thread, so that nothing is made for a query.
  struct Work {
    TriangleCore triangle;
    convex::Patch patch;
    std::vector<double> corners;   ///< of the hull, in the frame of the mesh, by coordinate
    std::vector<double> height;    ///< of the core over the plane of each candidate
    std::vector<std::int32_t> at;  ///< as of kernels::low_corners()

    static Work& of_thread() {
      thread_local Work work;
      return work;
    }
  };

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
      kernels::low_corners({rows, planes}, {x, hull.stride}, hull.size(), middle, work.height.data(), work.at.data());
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

  /// `corner` is that of the hull which is lowest over the plane, if it has few.
  bool look(const Candidates& candidates, std::size_t k, bool flipped, std::uint32_t corner, convex::Patch& patch) {
    const std::uint32_t i = candidates.places[k];
    const TriangleCorners& t = a_.mesh.tree.corners[i];
    const std::uint8_t flags = candidates.flags[k];
    const double* n_of = candidates.planes.data() + k;
    Vec3 face{n_of[0], n_of[candidates.stride], n_of[2 * candidates.stride]};
    if (flipped) face = -face;
    bool on_face = false;
    if (dot(face, face) > 0) {
      convex::Outline low;
      find_lowest(face, corner, low);
      on_face = !is_beside(t, face, flipped, low) && clip(t, face, flipped, low, patch);
      if (on_face && -patch.distance <= shallow_share * (b_.core.reach + b_.core.radius)) return true;
      // Beside a face that is flat with its neighbours, it is they who are touched.
      const bool sharp = (flags & (flipped ? Candidates::sharp_behind : Candidates::sharp_front)) != 0;
      if (!on_face && !sharp) return false;
    }
    return search(i, t, face, (flags & Candidates::closed) != 0, on_face, patch);
  }

  /// The shortest way out of a triangle, if it has something else to say than its face.
  bool search(std::uint32_t i, const TriangleCorners& t, const Vec3& face, bool closed, bool on_face,
              convex::Patch& patch) {
    const Vec3 n = detail::to_vec3(a_.pose.linear() * detail::to_eigen(face));
    if (walk_.planes().gap_of_triangle(i) > within_ + a_.radius + b_.core.radius) return false;
    convex::Patch searched;
    QueryCache cache;
    convex::patch(Work::of_thread().triangle.set(t, a_.radius), a_.pose, b_.core, b_.pose, within_, cache, searched);
    const Vec3 normal = detail::to_vec3(a_.pose.linear().transpose() * detail::to_eigen(searched.normal));
    if (searched.count == 0) {
      walk_.planes().add(normal);
      return false;
    }
    const double slope = dot(searched.normal, n);
    // Straight from the face it has been looked at already, and found to be there or to be no more than a rim.
    if (slope > std::sqrt(1 - shapes::flat_tilt * shapes::flat_tilt)) return on_face;
    if (closed && slope < 0) return on_face;
    if (!is_outward(t, a_.mesh.tree.triangles[i], normal)) return on_face;
    patch = searched;
    return true;
  }

  /// The part of the shape that lies farthest against the normal of a face, in the frame of the mesh.
  void find_lowest(const Vec3& face, std::uint32_t corner, convex::Outline& low) const {
    const RelativePose& pose = walk_.pose();
    const Vec3 down = -pose.rotate_back(face);
    if (few_corners()) {
      convex::outline_at(*b_.core.hull, corner, down, shapes::flat_tilt, low);
    } else {
      convex::outline(b_.core, down, shapes::flat_tilt, low);
    }
    const Vec3 shift = pose.t - b_.core.radius * face;
    for (std::size_t k = 0; k < static_cast<std::size_t>(low.count); ++k)
      low.points[k] = pose.rotate(low.points[k]) + shift;
  }

  /// All of it is beyond one edge.
  static bool is_beside(const TriangleCorners& t, const Vec3& face, bool flipped, const convex::Outline& low) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 edge = flipped ? t[k] - t[(k + 1) % 3] : t[(k + 1) % 3] - t[k];
      const Vec3 out = cross(edge, face);
      const double slack = 1e-9 * dot(edge, edge);
      bool beyond = true;
      for (std::size_t p = 0; p < static_cast<std::size_t>(low.count); ++p) {
        if (dot(out, low.points[p] - t[k]) <= slack) {
          beyond = false;
          break;
        }
      }
      if (beyond) return true;
    }
    return false;
  }

  bool clip(const TriangleCorners& t, const Vec3& face, bool flipped, convex::Outline& low,
            convex::Patch& patch) const {
    convex::Outline corners;
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t c = flipped ? 2 - k : k;
      corners.push(t[c] + a_.radius * face, c);
    }
    const double width = convex::patch_on_face(corners, low, face, within_, patch);
    // What has no more than its rim over the triangle does not rest on it: so the side of a box sees a wall that ends
    // where the box begins.
    const double size = std::sqrt(detail::length(cross(t[1] - t[0], t[2] - t[0])));
    if (width < rim_share * std::min(size, b_.core.reach + b_.core.radius)) patch.count = 0;
    patch.normal = detail::to_vec3(a_.pose.linear() * detail::to_eigen(face));
    for (std::size_t k = 0; k < static_cast<std::size_t>(patch.count); ++k)
      patch.points[k].middle = detail::to_vec3(a_.pose * detail::to_eigen(patch.points[k].middle));
    return patch.count > 0;
  }

  /// No triangle at the edge or vertex that is farthest along the normal reaches farther than it.
  bool is_outward(const TriangleCorners& corners, Index number, const Vec3& normal) const {
    const shapes::MeshData& mesh = a_.mesh;
    const double height[3] = {dot(normal, corners[0]), dot(normal, corners[1]), dot(normal, corners[2])};
    const double top = std::max({height[0], height[1], height[2]});
    const double size = std::abs(height[0] - top) + std::abs(height[1] - top) + std::abs(height[2] - top);
    const Triangle& of = mesh.mesh.triangles[static_cast<std::size_t>(number)];
    // One vertex, the two of an edge, or all three.
    std::array<Index, 3> highest{};
    std::size_t count = 0;
    Vec3 p;
    for (std::size_t k = 0; k < 3; ++k) {
      if (height[k] < top - 1e-6 * size) continue;
      highest[count++] = mesh.vertex_at[static_cast<std::size_t>(of[k])];
      p = corners[k];
    }
    if (count == 3) return true;
    for (const Index other : mesh.vertex_triangles[static_cast<std::size_t>(highest[0])]) {
      const Triangle& c = mesh.mesh.triangles[static_cast<std::size_t>(other)];
      const auto has = [&](Index v) {
        return std::any_of(c.begin(), c.end(),
                           [&](Index u) { return mesh.vertex_at[static_cast<std::size_t>(u)] == v; });
      };
      if (count == 2 && !has(highest[1])) continue;
      for (const Index u : c) {
        const Vec3 d = detail::to_vec3(mesh.mesh.positions[static_cast<std::size_t>(u)]) - p;
        if (dot(normal, d) > 1e-6 * detail::length(d)) return false;
      }
    }
    return true;
  }

  const PlacedMesh& a_;
  const PlacedCore& b_;
  double within_;
  ConvexWalk walk_;
};

}  // namespace

void find_candidates(const PlacedMesh& a, const PlacedCore& b, double reach, Candidates& out) {
  out.places.clear();
  out.flags.clear();
  const shapes::MeshTree& tree = a.mesh.tree;
  const ConvexWalk walk(a, b);
  walk.near_moved({}, reach + a.radius + b.core.radius, [&](std::uint32_t i) {
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
    const Vec3 n = detail::unit_or_zero(cross(t[1] - t[0], t[2] - t[0]));
    out.planes[k] = n.x;
    out.planes[out.stride + k] = n.y;
    out.planes[2 * out.stride + k] = n.z;
    out.planes[3 * out.stride + k] = dot(n, t[0]);
  }
}

void find_patches(const PlacedMesh& a, const PlacedCore& b, double within, const Candidates& candidates,
                  std::vector<TrianglePatch>& out) {
  Finder(a, b, within).run(candidates, out);
}

void find_triangles_near(const PlacedMesh& a, const AxisBox& box, std::vector<Index>& out) {
  out.clear();
  shapes::Core core;
  core.kind = shapes::CoreKind::box;
  core.size = detail::to_vec3(0.5 * (box.max - box.min));
  core.reach = 0.5 * (box.max - box.min).norm();
  const Eigen::Isometry3d pose(Eigen::Translation3d(0.5 * (box.min + box.max)));
  ConvexWalk walk(a, {core, pose});
  walk.near(a.radius, [&](std::uint32_t i) {
    out.push_back(a.mesh.tree.triangles[i]);
    return false;
  });
  std::sort(out.begin(), out.end());
}

}  // namespace carom::mesh
