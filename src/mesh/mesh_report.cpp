#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "carom/mesh/mesh.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "core/disjoint_sets.hpp"
#include "math/collinear.hpp"

// A triangle with a repeated corner counts as a triangle at its edge, runs along that
// edge both ways (so it disagrees with nobody), and is in no other list of triangles. A triangle with a
// vertex that is not finite has a place in the topology but no area, no volume and no line to be on.
namespace carom {
namespace {

bool has_repeated_corner(const Triangle& t) {
  return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

bool has_finite_corners(const TriangleMesh& mesh, const Triangle& t) {
  return is_finite(mesh.positions[at(t[0])]) && is_finite(mesh.positions[at(t[1])]) &&
         is_finite(mesh.positions[at(t[2])]);
}

/// Sorts elements by `less`, and returns the groups of equal ones: ascending inside, then by first element.
template <class Less>
std::vector<std::vector<Index>> groups_of_equals(std::vector<Index> elements, Less less) {
  std::stable_sort(elements.begin(), elements.end(), less);
  std::vector<std::vector<Index>> groups;
  for (auto first = elements.begin(); first != elements.end();) {
    const auto last = std::find_if(first, elements.end(), [&](Index e) { return less(*first, e); });
    if (last - first > 1) groups.emplace_back(first, last);
    first = last;
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

void report_vertices(const TriangleMesh& mesh, const Topology& topology, MeshReport& report) {
  std::vector<Index> finite;
  bool any_used = false;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const bool used = topology.vertex_owner[v] != none;
    if (!used) report.unused_vertices.push_back(static_cast<Index>(v));
    const Eigen::Vector3d& p = mesh.positions[v];
    if (!is_finite(p)) {
      report.not_finite_vertices.push_back(static_cast<Index>(v));
      continue;
    }
    finite.push_back(static_cast<Index>(v));
    if (!used) continue;
    report.box_min = any_used ? report.box_min.cwiseMin(p) : p;
    report.box_max = any_used ? report.box_max.cwiseMax(p) : p;
    any_used = true;
  }
  report.coincident_vertices = groups_of_equals(std::move(finite), [&](Index a, Index b) {
    const Eigen::Vector3d& p = mesh.positions[at(a)];
    const Eigen::Vector3d& q = mesh.positions[at(b)];
    return std::tie(p.x(), p.y(), p.z()) < std::tie(q.x(), q.y(), q.z());
  });
}

void report_triangles(const TriangleMesh& mesh, MeshReport& report) {
  std::vector<Triangle> sorted(mesh.triangles);
  std::vector<Index> proper;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const Triangle& t = mesh.triangles[i];
    if (has_repeated_corner(t)) {
      report.repeated_corner_triangles.push_back(static_cast<Index>(i));
      continue;
    }
    std::sort(sorted[i].begin(), sorted[i].end());
    proper.push_back(static_cast<Index>(i));
    if (has_finite_corners(mesh, t) &&
        math::collinear(mesh.positions[at(t[0])], mesh.positions[at(t[1])], mesh.positions[at(t[2])]))
      report.zero_area_triangles.push_back(static_cast<Index>(i));
  }
  report.duplicate_triangles =
      groups_of_equals(std::move(proper), [&](Index a, Index b) { return sorted[at(a)] < sorted[at(b)]; });
}

/// Sums around the middle of the box, so that a mesh far from the origin loses no digits, and in units of a
/// power of two near its size, so that nothing overflows before the result does.
void measure(const TriangleMesh& mesh, MeshReport& report) {
  const Eigen::Vector3d middle = 0.5 * report.box_min + 0.5 * report.box_max;
  const double size = (report.box_max - middle).maxCoeff();
  if (!(size > 0)) return;
  const int exponent = std::ilogb(size);
  const auto local = [&](Index v) -> Eigen::Vector3d {
    return (mesh.positions[at(v)] - middle).unaryExpr([&](double x) { return std::ldexp(x, -exponent); });
  };
  double area = 0;
  double volume = 0;
  for (const Triangle& t : mesh.triangles) {
    if (!has_finite_corners(mesh, t)) continue;
    const Eigen::Vector3d a = local(t[0]);
    const Eigen::Vector3d b = local(t[1]);
    const Eigen::Vector3d c = local(t[2]);
    area += 0.5 * (b - a).cross(c - a).norm();
    volume += a.dot(b.cross(c)) / 6;
  }
  report.area = std::ldexp(area, 2 * exponent);
  report.volume = std::ldexp(volume, 3 * exponent);
}

/// Whether the triangle runs along the edge from low to high, and whether it does from high to low.
std::pair<bool, bool> directions(const Triangle& t, const Edge& edge) {
  std::pair<bool, bool> result{false, false};
  for (std::size_t k = 0; k < 3; ++k) {
    const Index from = t[k];
    const Index to = t[(k + 1) % 3];
    if (from == edge[0] && to == edge[1]) result.first = true;
    if (from == edge[1] && to == edge[0]) result.second = true;
  }
  return result;
}

void report_edges(const TriangleMesh& mesh, const Topology& topology, MeshReport& report) {
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    const Edge& edge = topology.edges[e];
    const std::span<const Index> triangles = topology.edge_triangles[e];
    if (triangles.size() == 1) report.boundary_edges.push_back(edge);
    if (triangles.size() > 2) report.nonmanifold_edges.push_back(edge);
    if (triangles.size() != 2) continue;
    const auto first = directions(mesh.triangles[at(triangles[0])], edge);
    const auto second = directions(mesh.triangles[at(triangles[1])], edge);
    const bool each_one_way = first.first != first.second && second.first != second.second;
    if (each_one_way && first == second) report.inconsistent_edges.push_back(edge);
  }
}

/// Two triangles at a vertex are of one fan if edges at that vertex lead from one to the other.
void report_fans(const TriangleMesh& mesh, const Topology& topology, MeshReport& report) {
  const auto corner = [&](Index triangle, Index vertex) {  // number of the first such corner of the mesh
    const Triangle& t = mesh.triangles[at(triangle)];
    return 3 * triangle + static_cast<Index>(std::find(t.begin(), t.end(), vertex) - t.begin());
  };
  DisjointSets fans(3 * mesh.triangles.size());
  for (std::size_t e = 0; e < topology.edges.size(); ++e)
    for (const Index triangle : topology.edge_triangles[e])
      for (const Index vertex : topology.edges[e])
        fans.merge(corner(topology.edge_owner[e], vertex), corner(triangle, vertex));

  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const std::span<const Index> triangles = topology.vertex_triangles[v];
    const auto fan = [&](Index triangle) { return fans.find(corner(triangle, static_cast<Index>(v))); };
    const bool several =
        std::any_of(triangles.begin(), triangles.end(), [&](Index t) { return fan(t) != fan(triangles[0]); });
    if (several) report.nonmanifold_vertices.push_back(static_cast<Index>(v));
  }
}

}  // namespace

bool MeshReport::clean() const {
  return watertight() && manifold() && oriented() && not_finite_vertices.empty() && unused_vertices.empty() &&
         coincident_vertices.empty() && repeated_corner_triangles.empty() && zero_area_triangles.empty() &&
         duplicate_triangles.empty();
}

MeshReport inspect(const TriangleMesh& mesh) {
  const Topology topology = build_topology(mesh.positions.size(), mesh.triangles);
  MeshReport report;
  report.vertices = mesh.positions.size();
  report.edges = topology.edges.size();
  report.triangles = mesh.triangles.size();
  report.components = at(topology.component_count);
  report.boundary_loops = topology.boundary_loops.size();
  report_vertices(mesh, topology, report);
  report_triangles(mesh, report);
  report_edges(mesh, topology, report);
  report_fans(mesh, topology, report);
  measure(mesh, report);
  return report;
}

}  // namespace carom
