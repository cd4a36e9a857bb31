#include "narrow/mesh/manifolds.hpp"

#include <algorithm>
#include <cmath>

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

/// Normals tilted by less than this (a sine) against that of the face are those of the face.
constexpr double most_tilt = 0.05;
/// Of the size of the shape: no other way out is so much shorter than this that it matters.
constexpr double shallow_share = 0.01;

class Finder {
 public:
  Finder(const PlacedMesh& a, const PlacedCore& b, double within) : a_(a), b_(b), within_(within), walk_(a, b) {}

  void run(std::vector<TrianglePatch>& out) {
    out.clear();
    walk_.near(a_.radius + b_.core.radius + within_, [&](std::uint32_t i) {
      TrianglePatch found;
      if (look(i, found.patch)) {
        found.triangle = a_.mesh.tree.triangles[i];
        out.push_back(found);
      }
      return false;
    });
    std::sort(out.begin(), out.end(),
              [](const TrianglePatch& p, const TrianglePatch& q) { return p.triangle < q.triangle; });
  }

 private:
  /// A core for each thread, so that none is made for a query.
  static TriangleCore& triangle() {
    thread_local TriangleCore core;
    return core;
  }

  bool look(std::uint32_t i, convex::Patch& patch) {
    const TriangleCorners& t = a_.mesh.tree.corners[i];
    const Index number = a_.mesh.tree.triangles[i];
    const shapes::Core& core = triangle().set(t, a_.radius);
    Vec3 face = detail::unit_or_zero(cross(t[1] - t[0], t[2] - t[0]));
    const double side = dot(face, walk_.middle() - t[0]);
    // What is behind a face of a closed mesh belongs to the faces on its other side.
    if (a_.mesh.is_closed(number)) {
      if (side < 0) return false;
    } else if (side < 0) {
      face = -face;
    }
    const bool flat = dot(face, face) == 0;
    const Vec3 n = detail::to_vec3(a_.pose.linear() * detail::to_eigen(face));
    bool on_face = false;
    if (!flat) {
      const Vec3 low =
          walk_.pose().rotate(shapes::support(b_.core, -walk_.pose().rotate_back(face)).p) + walk_.pose().t;
      const double gap = dot(face, low - t[0]) - a_.radius - b_.core.radius;
      if (gap > within_) return false;
      convex::patch_on_face(core, a_.pose, b_.core, b_.pose, n, within_, patch);
      on_face = patch.count > 0;
      if (on_face && -gap <= shallow_share * (b_.core.reach + b_.core.radius)) return true;
    }
    convex::Patch searched;
    QueryCache cache;
    convex::patch(core, a_.pose, b_.core, b_.pose, within_, cache, searched);
    if (searched.count == 0) {
      walk_.planes().add(detail::to_vec3(a_.pose.linear().transpose() * detail::to_eigen(searched.normal)));
      return false;
    }
    const double slope = dot(searched.normal, n);
    if (on_face && slope > std::sqrt(1 - most_tilt * most_tilt)) return true;
    if (a_.mesh.is_closed(number) && slope < 0) return on_face;
    if (!is_outward(t, number, detail::to_vec3(a_.pose.linear().transpose() * detail::to_eigen(searched.normal))))
      return on_face;
    patch = searched;
    return true;
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

void find_patches(const PlacedMesh& a, const PlacedCore& b, double within, std::vector<TrianglePatch>& out) {
  Finder(a, b, within).run(out);
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
