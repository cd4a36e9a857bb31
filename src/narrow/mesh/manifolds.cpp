#include "narrow/mesh/manifolds.hpp"

#include <algorithm>
#include <cmath>

#include "narrow/convex/contact_polygon.hpp"
#include "narrow/convex/convex.hpp"
#include "narrow/mesh/convex_walk.hpp"
#include "narrow/mesh/triangle_core.hpp"

// The part of the shape that lies farthest against the normal is cut by the planes through the edges of the triangle;
// what is left and near enough is projected on the triangle along the normal.
namespace carom::mesh {
namespace {

using convex::Question;
using Eigen::Vector3d;
using shapes::TriangleCorners;

/// Faces tilted by less than this (a sine) against the contact plane take part.
constexpr double most_tilt = 0.05;
constexpr std::size_t most_corners = 32;

struct Polygon {
  std::array<Vector3d, most_corners> points;
  std::size_t count = 0;
  void add(const Vector3d& p) {
    if (count < most_corners) points[count++] = p;
  }
};

void cut(const Polygon& from, const Vector3d& out, double offset, Polygon& to) {
  to.count = 0;
  for (std::size_t i = 0; i < from.count; ++i) {
    const Vector3d& p = from.points[i];
    const Vector3d& q = from.points[(i + 1) % from.count];
    const double hp = out.dot(p) - offset;
    const double hq = out.dot(q) - offset;
    if (hp <= 0) to.add(p);
    // A segment has one edge, not two.
    if (from.count == 2 && i == 1) continue;
    if ((hp < 0 && hq > 0) || (hp > 0 && hq < 0)) to.add(p + hp / (hp - hq) * (q - p));
  }
}

/// The deepest, the one farthest from it, and those farthest to either side of the line through both.
void choose(const Polygon& polygon, const std::array<double, most_corners>& distance, const Vector3d& n,
            TriangleManifold& m, const std::array<Vector3d, most_corners>& on_mesh) {
  std::array<std::size_t, 4> chosen{};
  std::size_t count = 0;
  const auto best = [&](auto&& value) {
    std::size_t at = 0;
    double most = -INFINITY;
    for (std::size_t i = 0; i < polygon.count; ++i) {
      const double v = value(i);
      if (!(v > most)) continue;
      most = v;
      at = i;
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (chosen[k] == at) return;
    }
    chosen[count++] = at;
  };
  best([&](std::size_t i) { return -distance[i]; });
  const Vector3d& p = polygon.points[chosen[0]];
  best([&](std::size_t i) { return (polygon.points[i] - p).squaredNorm(); });
  if (count == 2) {
    const Vector3d aside = n.cross(polygon.points[chosen[1]] - p);
    best([&](std::size_t i) { return aside.dot(polygon.points[i] - p); });
    best([&](std::size_t i) { return -aside.dot(polygon.points[i] - p); });
  }
  m.count = static_cast<int>(count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = chosen[k];
    m.points[k] = {on_mesh[i], on_mesh[i] + distance[i] * n, distance[i]};
  }
}

class Finder {
 public:
  Finder(const PlacedMesh& a, const PlacedCore& b, double within) : a_(a), b_(b), within_(within), walk_(a, b) {}

  void run(std::vector<TriangleManifold>& out) {
    out.clear();
    const double radius = a_.radius + b_.core.radius;
    walk_.near(radius + within_, [&](std::uint32_t i) {
      QueryResult r;
      convex::query(Question::gap, triangle().set(a_.mesh.tree.corners[i], a_.radius), a_.pose, b_.core, b_.pose,
                    nullptr, r);
      if (r.distance > within_) {
        walk_.planes().add(detail::to_vec3(a_.pose.linear().transpose() * r.normal));
        return false;
      }
      add(i, r, out);
      return false;
    });
    std::sort(out.begin(), out.end(),
              [](const TriangleManifold& p, const TriangleManifold& q) { return p.triangle < q.triangle; });
  }

 private:
  static TriangleCore& triangle() {
    thread_local TriangleCore core;
    return core;
  }

  void add(std::uint32_t i, const QueryResult& r, std::vector<TriangleManifold>& out) {
    const TriangleCorners& local = a_.mesh.tree.corners[i];
    const std::array<Vector3d, 3> t{a_.pose * detail::to_eigen(local[0]), a_.pose * detail::to_eigen(local[1]),
                                    a_.pose * detail::to_eigen(local[2])};
    const Index number = a_.mesh.tree.triangles[i];
    const double radius = a_.radius + b_.core.radius;
    const bool overlap = r.distance <= -radius + 1e-12 * walk_.scale();
    Vector3d face = (t[1] - t[0]).cross(t[2] - t[0]);
    const double area = face.norm();
    if (!(area > 0) && overlap) return;
    if (area > 0) face /= area;
    Vector3d n = r.normal;
    if (overlap) {
      const Vector3d middle = a_.pose * detail::to_eigen(walk_.middle());
      n = a_.mesh.is_closed(number) || face.dot(middle - t[0]) >= 0 ? face : Vector3d(-face);
    } else if (r.feature_a.count() < 3 && !is_outward(number, r.feature_a, n)) {
      return;
    }
    TriangleManifold m;
    m.triangle = number;
    m.normal = n;
    const double slope = std::abs(face.dot(n));
    if (area > 0 && slope > std::sqrt(1 - most_tilt * most_tilt)) clip(t, face, m);
    if (m.count == 0) {
      if (overlap) return;
      m.points[0] = {r.point_a, r.point_b, r.distance};
      m.count = 1;
    }
    out.push_back(m);
  }

  /// No triangle at the edge or vertex reaches farther along the normal than the feature itself.
  bool is_outward(Index number, const ShapeFeature& corners, const Vector3d& normal) const {
    const shapes::MeshData& mesh = a_.mesh;
    const Triangle& of = mesh.mesh.triangles[static_cast<std::size_t>(number)];
    const auto vertex = [&](Index corner) {
      return mesh.vertex_at[static_cast<std::size_t>(of[static_cast<std::size_t>(corner)])];
    };
    const Index v = vertex(corners.corners[0]);
    const Index w = corners.count() == 2 ? vertex(corners.corners[1]) : v;
    const Vector3d n = a_.pose.linear().transpose() * normal;
    const Vector3d& p = mesh.mesh.positions[static_cast<std::size_t>(v)];
    for (const Index t : mesh.vertex_triangles[static_cast<std::size_t>(v)]) {
      const Triangle& c = mesh.mesh.triangles[static_cast<std::size_t>(t)];
      const auto has = [&](Index u) {
        return mesh.vertex_at[static_cast<std::size_t>(c[0])] == u ||
               mesh.vertex_at[static_cast<std::size_t>(c[1])] == u ||
               mesh.vertex_at[static_cast<std::size_t>(c[2])] == u;
      };
      if (!has(w)) continue;
      for (const Index u : c) {
        const Vector3d d = mesh.mesh.positions[static_cast<std::size_t>(u)] - p;
        if (n.dot(d) > 1e-6 * d.norm()) return false;
      }
    }
    return true;
  }

  const Polygon& shape_polygon(const Vector3d& n) {
    if (polygon_.count > 0 && n == polygon_normal_) return polygon_;
    polygon_normal_ = n;
    polygon_.count = 0;
    for (const Vector3d& p : convex::contact_polygon(b_.core, -(b_.pose.linear().transpose() * n), most_tilt)) {
      polygon_.add(b_.pose * p - b_.core.radius * n);
    }
    return polygon_;
  }

  void clip(const std::array<Vector3d, 3>& t, const Vector3d& face, TriangleManifold& m) {
    const Vector3d& n = m.normal;
    Polygon from = shape_polygon(n);
    Polygon to;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3d out = (t[(k + 1) % 3] - t[k]).cross(face);
      const double length = out.norm();
      if (!(length > 0)) continue;
      cut(from, out / length, out.dot(t[k]) / length + 1e-9 * length, to);
      from = to;
    }
    if (from.count == 0) return;
    std::array<double, most_corners> distance;
    std::array<Vector3d, most_corners> on_mesh;
    Polygon kept;
    for (std::size_t i = 0; i < from.count; ++i) {
      const Vector3d& p = from.points[i];
      // Along n to the plane of the triangle, rounded by its margin.
      const double d = face.dot(p - t[0]) / face.dot(n) - a_.radius;
      if (d > within_) continue;
      distance[kept.count] = d;
      on_mesh[kept.count] = p - d * n;
      kept.add(p);
    }
    if (kept.count > 0) choose(kept, distance, n, m, on_mesh);
  }

  const PlacedMesh& a_;
  const PlacedCore& b_;
  double within_;
  ConvexWalk walk_;
  Polygon polygon_;
  Vector3d polygon_normal_ = Vector3d::Zero();
};

}  // namespace

void find_manifolds(const PlacedMesh& a, const PlacedCore& b, double within, std::vector<TriangleManifold>& out) {
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
