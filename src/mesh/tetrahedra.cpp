#include "carom/mesh/tetrahedra.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace carom {
namespace {

/// Side of a tetrahedron: its corners, facing outward, and the same in ascending order.
struct CellSide {
  std::array<Index, 3> sorted{};
  Triangle outward{};
};

}  // namespace

std::vector<Triangle> boundary_triangles(const TetrahedralMesh& mesh) {
  std::vector<CellSide> sides;
  sides.reserve(4 * mesh.tetrahedra.size());
  for (const Tetrahedron& t : mesh.tetrahedra) {
    for (const Triangle& side : {Triangle{t[1], t[2], t[3]}, Triangle{t[0], t[3], t[2]}, Triangle{t[0], t[1], t[3]},
                                 Triangle{t[0], t[2], t[1]}}) {
      CellSide& added = sides.emplace_back(CellSide{side, side});
      std::sort(added.sorted.begin(), added.sorted.end());
    }
  }
  // By the order of the tetrahedra within a side, so that the result is one of the file.
  std::vector<std::size_t> order(sides.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sides[a].sorted != sides[b].sorted ? sides[a].sorted < sides[b].sorted : a < b;
  });
  std::vector<std::size_t> single;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && sides[order[end]].sorted == sides[order[begin]].sorted) ++end;
    if (end - begin == 1) single.push_back(order[begin]);
    begin = end;
  }
  std::sort(single.begin(), single.end());
  std::vector<Triangle> triangles;
  triangles.reserve(single.size());
  for (const std::size_t i : single) triangles.push_back(sides[i].outward);
  return triangles;
}

double volume_of(const TetrahedralMesh& mesh, std::size_t tetrahedron) {
  const auto corner = [&](std::size_t k) -> const Eigen::Vector3d& {
    return mesh.positions[static_cast<std::size_t>(mesh.tetrahedra[tetrahedron][k])];
  };
  const Eigen::Vector3d a = corner(1) - corner(0);
  const Eigen::Vector3d b = corner(2) - corner(0);
  const Eigen::Vector3d c = corner(3) - corner(0);
  return a.cross(b).dot(c) / 6;
}

std::size_t orient(const std::string& name, TetrahedralMesh& mesh) {
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const Eigen::Vector3d& p = mesh.positions[v];
    require(p.allFinite(), ErrorCode::not_finite, "{}: position of vertex {} is ({}, {}, {}); expected finite", name, v,
            p.x(), p.y(), p.z());
  }
  std::size_t turned = 0;
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) {
    Tetrahedron& t = mesh.tetrahedra[i];
    for (const Index corner : t) {
      require(corner >= 0 && static_cast<std::size_t>(corner) < mesh.positions.size(), ErrorCode::bad_index,
              "{}: tetrahedron {} uses vertex {}, but there are {} vertices", name, i, corner, mesh.positions.size());
    }
    const double volume = volume_of(mesh, i);
    require(std::isfinite(volume), ErrorCode::bad_mesh, "{}: tetrahedron {} is too large, its volume is no number",
            name, i);
    require(volume != 0, ErrorCode::bad_mesh, "{}: tetrahedron {} of the vertices {}, {}, {} and {} has no volume",
            name, i, t[0], t[1], t[2], t[3]);
    if (volume > 0) continue;
    std::swap(t[2], t[3]);
    ++turned;
  }
  return turned;
}

}  // namespace carom
