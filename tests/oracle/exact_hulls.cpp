#include "oracle/exact_hulls.hpp"

#include <cmath>

namespace carom::oracle {
namespace {

struct Polytope {
  std::vector<ExactVector> points;
  std::vector<std::array<std::size_t, 3>> triangles;
  std::vector<std::array<std::size_t, 2>> edges;
};

Polytope in_world(const Shape& shape, const Eigen::Isometry3d& pose) {
  Polytope p;
  Shape hull = shape;
  if (shape.kind() == ShapeKind::box) {
    const Eigen::Vector3d h = shape.support({1, 1, 1});
    std::vector<Eigen::Vector3d> corners;
    for (int i = 0; i < 8; ++i)
      corners.emplace_back(i & 1 ? h.x() : -h.x(), i & 2 ? h.y() : -h.y(), i & 4 ? h.z() : -h.z());
    hull = Shape::hull(corners);
  }
  for (const Eigen::Vector3d& v : hull.vertices()) {
    const Eigen::Matrix3d m = pose.linear();
    const ExactVector e = exact(v);
    p.points.push_back(e.x * exact(m.col(0)) + e.y * exact(m.col(1)) + e.z * exact(m.col(2)) +
                       exact(pose.translation()));
  }
  const IndexLists faces = hull.faces();
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const auto at = [&](std::size_t k) { return static_cast<std::size_t>(faces[f][k % faces[f].size()]); };
    for (std::size_t k = 0; k < faces[f].size(); ++k) {
      if (k >= 1 && k + 1 < faces[f].size()) p.triangles.push_back({at(0), at(k), at(k + 1)});
      if (at(k) < at(k + 1)) p.edges.push_back({at(k), at(k + 1)});
    }
  }
  if (p.triangles.empty() && p.points.size() == 2) p.edges.push_back({0, 1});
  return p;
}

ExactVector cross(const ExactVector& a, const ExactVector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

}  // namespace

mpq_class squared_distance(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                           const Eigen::Isometry3d& pose_b) {
  const Polytope pa = in_world(a, pose_a);
  const Polytope pb = in_world(b, pose_b);
  mpq_class best = squared_distance(pa.points[0], pb.points[0]);
  const auto offer = [&](const mpq_class& squared) {
    if (squared < best) best = squared;
  };
  for (const auto& [p, q] : {std::pair{&pa, &pb}, {&pb, &pa}}) {
    for (const ExactVector& v : p->points) {
      for (const auto& t : q->triangles) {
        offer(point_triangle_squared(v, q->points[t[0]], q->points[t[1]], q->points[t[2]]));
      }
      for (const auto& e : q->edges) offer(point_segment_squared(v, q->points[e[0]], q->points[e[1]]));
      for (const ExactVector& w : q->points) offer(squared_distance(v, w));
    }
  }
  for (const auto& e : pa.edges) {
    for (const auto& f : pb.edges) {
      offer(segment_segment_squared(pa.points[e[0]], pa.points[e[1]], pb.points[f[0]], pb.points[f[1]]));
    }
  }
  return best;
}

double depth(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b) {
  const Polytope pa = in_world(a, pose_a);
  const Polytope pb = in_world(b, pose_b);
  double best = INFINITY;
  const auto offer = [&](const ExactVector& n) {
    const mpq_class squared = dot(n, n);
    if (squared == 0) return;
    mpq_class end_a = dot(n, pa.points[0]);
    mpq_class start_b = dot(n, pb.points[0]);
    for (const ExactVector& p : pa.points) end_a = std::max<mpq_class>(end_a, dot(n, p));
    for (const ExactVector& p : pb.points) start_b = std::min<mpq_class>(start_b, dot(n, p));
    const mpq_class overlap = end_a - start_b;
    best = std::min(best, overlap.get_d() / std::sqrt(squared.get_d()));
  };
  const auto both = [&](const ExactVector& n) {
    offer(n);
    offer(mpq_class(-1) * n);
  };
  for (const Polytope* p : {&pa, &pb}) {
    for (const auto& t : p->triangles) {
      both(cross(p->points[t[1]] - p->points[t[0]], p->points[t[2]] - p->points[t[0]]));
    }
  }
  for (const auto& e : pa.edges) {
    for (const auto& f : pb.edges) both(cross(pa.points[e[1]] - pa.points[e[0]], pb.points[f[1]] - pb.points[f[0]]));
  }
  return best;
}

}  // namespace carom::oracle
