#include "query/cut_sheet.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/at.hpp"
#include "geometry/constrained_triangulation.hpp"
#include "math/orientation.hpp"
#include "query/cut_pieces.hpp"

namespace carom::query {
namespace {

using Eigen::Vector3d;
using math::orient3d;

struct Box {
  Vector3d low;
  Vector3d high;
  bool overlaps(const Box& other) const {
    return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all();
  }
};

Box box_of(const TriangleMesh& mesh, const Triangle& t) {
  const Vector3d& a = mesh.positions[at(t[0])];
  const Vector3d& b = mesh.positions[at(t[1])];
  const Vector3d& c = mesh.positions[at(t[2])];
  return {a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)};
}

/// Point of the edge from a to b in the plane of a triangle, which has them on different sides.
Vector3d point_in_plane(const Vector3d& a, const Vector3d& b, const Vector3d& p, const Vector3d& q, const Vector3d& r) {
  const math::Scaled da = math::exact_orient3d(p, q, r, a);
  const math::Scaled db = math::exact_orient3d(p, q, r, b);
  const double share =
      1 / (1 + std::ldexp(std::abs(db.mantissa / da.mantissa), std::clamp(db.exponent - da.exponent, -2000, 2000)));
  return ((1 - share) * a + share * b).cwiseMax(a.cwiseMin(b)).cwiseMin(a.cwiseMax(b));
}

class Finder {
 public:
  Finder(const TriangleMesh& mesh, const TriangleMesh& sheet) : mesh_(mesh), sheet_(sheet) {}

  std::optional<SheetCrossings> run() {
    std::vector<Box> boxes;
    for (const Triangle& t : mesh_.triangles) boxes.push_back(box_of(mesh_, t));
    for (std::size_t s = 0; s < sheet_.triangles.size(); ++s) {
      const Box box = box_of(sheet_, sheet_.triangles[s]);
      for (std::size_t m = 0; m < boxes.size(); ++m) {
        if (boxes[m].overlaps(box) && !pair(static_cast<Index>(m), static_cast<Index>(s))) return {};
      }
    }
    return std::move(found_);
  }

 private:
  struct End {
    Index point = none;
    bool is_start = false;
  };

  static std::array<int, 3> sides(const TriangleMesh& of, const Triangle& t, const TriangleMesh& plane,
                                  const Triangle& p) {
    std::array<int, 3> result{};
    for (std::size_t k = 0; k < 3; ++k) {
      result[k] = orient3d(plane.positions[at(p[0])], plane.positions[at(p[1])], plane.positions[at(p[2])],
                           of.positions[at(t[k])]);
    }
    return result;
  }

  /// Ends of the crossing that edges of `t` make with the triangle `p`. False if not in general position.
  bool pierce(const TriangleMesh& of, const Triangle& t, const std::array<int, 3>& side, const TriangleMesh& plane,
              Index pierced, bool is_sheet, std::vector<End>& ends) {
    const Triangle& p = plane.triangles[at(pierced)];
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t next = (k + 1) % 3;
      if (side[k] == side[next]) continue;
      const Vector3d& a = of.positions[at(t[k])];
      const Vector3d& b = of.positions[at(t[next])];
      int low = 1;
      int high = -1;
      for (std::size_t j = 0; j < 3; ++j) {
        const int turn = orient3d(a, b, plane.positions[at(p[j])], plane.positions[at(p[(j + 1) % 3])]);
        low = std::min(low, turn);
        high = std::max(high, turn);
      }
      if (low < 0 && high > 0) continue;
      if (low == 0 || high == 0) return false;
      // The crossing starts at an edge of the mesh that goes up through the sheet, or at one of the sheet that goes in.
      ends.push_back({point(of, {std::min(t[k], t[next]), std::max(t[k], t[next])}, plane, pierced, is_sheet),
                      is_sheet ? side[k] > 0 : side[k] < 0});
    }
    return true;
  }

  Index point(const TriangleMesh& of, const Edge& edge, const TriangleMesh& plane, Index pierced, bool is_sheet) {
    const auto [entry, is_new] =
        numbers_.try_emplace(std::tuple(is_sheet, edge[0], edge[1], pierced), static_cast<Index>(found_.points.size()));
    if (is_new) {
      const Triangle& p = plane.triangles[at(pierced)];
      found_.points.push_back(
          {point_in_plane(of.positions[at(edge[0])], of.positions[at(edge[1])], plane.positions[at(p[0])],
                          plane.positions[at(p[1])], plane.positions[at(p[2])]),
           is_sheet, edge, pierced});
    }
    return entry->second;
  }

  bool pair(Index m, Index s) {
    const Triangle& tm = mesh_.triangles[at(m)];
    const Triangle& ts = sheet_.triangles[at(s)];
    const std::array<int, 3> of_mesh = sides(mesh_, tm, sheet_, ts);
    const auto one_side = [](const std::array<int, 3>& side) {
      return side[0] != 0 && side[0] == side[1] && side[1] == side[2];
    };
    if (one_side(of_mesh)) return true;
    const std::array<int, 3> of_sheet = sides(sheet_, ts, mesh_, tm);
    if (one_side(of_sheet)) return true;
    for (const auto& side : {of_mesh, of_sheet}) {
      if (std::find(side.begin(), side.end(), 0) != side.end()) return false;
    }
    std::vector<End> ends;
    if (!pierce(mesh_, tm, of_mesh, sheet_, s, false, ends)) return false;
    if (!pierce(sheet_, ts, of_sheet, mesh_, m, true, ends)) return false;
    if (ends.empty()) return true;
    if (ends.size() != 2 || ends[0].is_start == ends[1].is_start) return false;
    if (!ends[0].is_start) std::swap(ends[0], ends[1]);
    found_.crossings.push_back({m, s, ends[0].point, ends[1].point});
    return true;
  }

  const TriangleMesh& mesh_;
  const TriangleMesh& sheet_;
  std::map<std::tuple<bool, Index, Index, Index>, Index> numbers_;
  SheetCrossings found_;
};

/// Points and lines in one triangle.
struct Inside {
  std::vector<Index> points;
  std::vector<std::array<Index, 2>> lines;
};

}  // namespace

std::optional<SheetCrossings> find_crossings(const TriangleMesh& mesh, const TriangleMesh& sheet) {
  return Finder(mesh, sheet).run();
}

std::optional<SplitTriangles> split_along(const TriangleMesh& mesh, const SheetCrossings& crossings, bool is_sheet) {
  const auto first = static_cast<Index>(mesh.positions.size());
  std::map<Index, Inside> inside;
  std::map<Edge, std::vector<Index>> on_edge;
  for (std::size_t i = 0; i < crossings.points.size(); ++i) {
    const CrossingPoint& point = crossings.points[i];
    if (point.on_sheet_edge == is_sheet) on_edge[point.edge].push_back(static_cast<Index>(i));
  }
  for (auto& [edge, points] : on_edge) {
    // Along the coordinate in which the edge is longest, the points must be in a strict order.
    Eigen::Index axis = 0;
    const Vector3d along = mesh.positions[at(edge[1])] - mesh.positions[at(edge[0])];
    along.cwiseAbs().maxCoeff(&axis);
    const double sign = along[axis] < 0 ? -1 : 1;
    const auto place = [&](Index i) { return sign * crossings.points[at(i)].position[axis]; };
    std::sort(points.begin(), points.end(), [&](Index a, Index b) { return place(a) < place(b); });
    double last = sign * mesh.positions[at(edge[0])][axis];
    for (const Index i : points) {
      if (!(place(i) > last)) return {};
      last = place(i);
    }
    if (!(sign * mesh.positions[at(edge[1])][axis] > last)) return {};
  }
  for (const Crossing& crossing : crossings.crossings) {
    Inside& in = inside[is_sheet ? crossing.sheet : crossing.triangle];
    in.lines.push_back({crossing.from, crossing.to});
    for (const Index p : {crossing.from, crossing.to}) {
      if (crossings.points[at(p)].on_sheet_edge != is_sheet) in.points.push_back(p);
    }
  }
  SplitTriangles result;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& corners = mesh.triangles[t];
    const auto number = static_cast<Index>(t);
    const auto found = inside.find(number);
    std::vector<Index> ring;
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = corners[k];
      const Index b = corners[(k + 1) % 3];
      ring.push_back(a);
      const auto points = on_edge.find({std::min(a, b), std::max(a, b)});
      if (points == on_edge.end()) continue;
      std::vector<Index> list = points->second;
      if (a > b) std::reverse(list.begin(), list.end());
      for (const Index p : list) ring.push_back(first + p);
    }
    if (found == inside.end() && ring.size() == 3) {
      result.triangles.push_back(corners);
      result.source.push_back(number);
      continue;
    }
    geometry::PlanarRegion region;
    std::map<Index, Index> local;
    std::vector<Index> global;
    const auto local_of = [&](Index p) {
      const auto [entry, is_new] = local.try_emplace(p, static_cast<Index>(global.size()));
      if (is_new) {
        global.push_back(p);
        region.points.push_back(p < first ? mesh.positions[at(p)] : crossings.points[at(p - first)].position);
      }
      return entry->second;
    };
    for (std::size_t i = 0; i < ring.size(); ++i)
      region.border.push_back({local_of(ring[i]), local_of(ring[(i + 1) % ring.size()])});
    if (found != inside.end()) {
      for (const Index p : found->second.points) local_of(first + p);
      for (const auto& [a, b] : found->second.lines) region.lines.push_back({local_of(first + a), local_of(first + b)});
    }
    const Vector3d& a = mesh.positions[at(corners[0])];
    const Vector3d normal = (mesh.positions[at(corners[1])] - a).cross(Vector3d(mesh.positions[at(corners[2])] - a));
    region.axis = geometry::projection_axis(normal);
    region.flipped = normal[region.axis] < 0;
    const auto parts = geometry::triangulate(region);
    if (!parts) return {};
    for (const Triangle& part : *parts) {
      result.triangles.push_back({global[at(part[0])], global[at(part[1])], global[at(part[2])]});
      result.source.push_back(number);
    }
  }
  return result;
}

}  // namespace carom::query
