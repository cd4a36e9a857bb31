#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "kernels/hull_support.hpp"
#include "mesh/index_lists.hpp"
#include "shapes/hull_data.hpp"
#include "shapes/hull_qhull.hpp"
#include "shapes/start_cell.hpp"

// From points to corners, faces and neighbours. How many dimensions the points span is found first, by the
// farthest point from a point, from a line and from a plane: what is thinner than 1e-13 of its length is taken as flat
// or straight, which moves no point by more than rounding moves it anyway. qhull gets only what is solid, and thin
// solids that it refuses once more, stretched to a cube: an affine map keeps the faces.
namespace carom::shapes {
namespace {

using Points = std::span<const Eigen::Vector3d>;

constexpr double thin = 1e-13;

struct Span {
  int dimension = 0;
  std::array<std::size_t, 4> corners{};
  Eigen::Vector3d along = Eigen::Vector3d::UnitX();   ///< unit, of the line
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< unit, of the plane
  double size = 0;
  double width = 0;
  double thickness = 0;
};

template <class Measure>
std::size_t farthest_point(Points points, Measure&& measure) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (measure(points[i]) > measure(points[best])) best = i;
  }
  return best;
}

Span span_of(Points points) {
  Span s;
  s.corners[0] = farthest_point(points, [&](const auto& p) { return (p - points[0]).squaredNorm(); });
  const Eigen::Vector3d p0 = points[s.corners[0]];
  s.corners[1] = farthest_point(points, [&](const auto& p) { return (p - p0).squaredNorm(); });
  s.size = (points[s.corners[1]] - p0).norm();
  if (!(s.size > 0)) return s;
  s.along = (points[s.corners[1]] - p0) / s.size;
  const auto from_line = [&](const Eigen::Vector3d& p) -> Eigen::Vector3d {
    return (p - p0) - (p - p0).dot(s.along) * s.along;
  };
  s.corners[2] = farthest_point(points, [&](const auto& p) { return from_line(p).squaredNorm(); });
  s.width = from_line(points[s.corners[2]]).norm();
  s.dimension = 1;
  if (s.width <= thin * s.size) return s;
  s.normal = s.along.cross(from_line(points[s.corners[2]]) / s.width);
  // Rounding turns the plane of a thin shape about its long axis, which moves no point, and not across it, which would.
  s.normal = (s.normal - s.normal.dot(s.along) * s.along).normalized();
  const auto from_plane = [&](const Eigen::Vector3d& p) { return std::abs((p - p0).dot(s.normal)); };
  s.corners[3] = farthest_point(points, from_plane);
  s.thickness = from_plane(points[s.corners[3]]);
  s.dimension = s.thickness <= thin * s.size ? 2 : 3;
  return s;
}

/// Counter-clockwise round their middle, seen from where `normal` points to.
void sort_around(Points points, const Eigen::Vector3d& normal, std::vector<Index>& face) {
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  for (const Index i : face) middle += points[static_cast<std::size_t>(i)] / static_cast<double>(face.size());
  const Eigen::Vector3d u = (points[static_cast<std::size_t>(face[0])] - middle).normalized();
  const Eigen::Vector3d v = normal.cross(u);
  const auto angle = [&](Index i) {
    const Eigen::Vector3d d = points[static_cast<std::size_t>(i)] - middle;
    return std::atan2(d.dot(v), d.dot(u));
  };
  std::vector<std::pair<double, Index>> order;
  for (const Index i : face) order.emplace_back(angle(i), i);
  std::sort(order.begin(), order.end());
  for (std::size_t k = 0; k < face.size(); ++k) face[k] = order[k].second;
}

/// Twice the area, times the normal of a closed polygon.
Eigen::Vector3d area_vector(Points points, std::span<const Index> face) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  const Eigen::Vector3d& o = points[static_cast<std::size_t>(face[0])];
  for (std::size_t k = 1; k + 1 < face.size(); ++k) {
    sum += (points[static_cast<std::size_t>(face[k])] - o).cross(points[static_cast<std::size_t>(face[k + 1])] - o);
  }
  return sum;
}

/// Corners of points in a plane, counter-clockwise (Andrew's chain).
std::vector<Index> polygon(Points points, const Span& s) {
  const Eigen::Vector3d u = s.along;
  const Eigen::Vector3d v = s.normal.cross(u);
  const Eigen::Vector3d& o = points[s.corners[0]];
  struct Flat {
    double x, y;
    Index i;
  };
  std::vector<Flat> flat;
  for (std::size_t i = 0; i < points.size(); ++i) {
    flat.push_back({(points[i] - o).dot(u), (points[i] - o).dot(v), static_cast<Index>(i)});
  }
  std::sort(flat.begin(), flat.end(),
            [](const Flat& a, const Flat& b) { return std::tie(a.x, a.y, a.i) < std::tie(b.x, b.y, b.i); });
  std::vector<Flat> chain;
  const auto half_turn = [&](auto begin, auto end, std::size_t base) {
    for (auto p = begin; p != end; ++p) {
      while (chain.size() >= base + 2) {
        const Flat& a = chain[chain.size() - 2];
        const Flat& b = chain.back();
        const double area = (b.x - a.x) * (p->y - a.y) - (b.y - a.y) * (p->x - a.x);
        if (area > thin * s.size * std::hypot(p->x - a.x, p->y - a.y)) break;
        chain.pop_back();
      }
      chain.push_back(*p);
    }
    chain.pop_back();
  };
  half_turn(flat.begin(), flat.end(), 0);
  half_turn(flat.rbegin(), flat.rend(), chain.size());
  std::vector<Index> corners;
  for (const Flat& f : chain) corners.push_back(f.i);
  return corners;
}

/// Points stretched to length 1 along the three axes of the span.
std::vector<Eigen::Vector3d> stretched(Points points, const Span& s) {
  const Eigen::Vector3d across = s.normal.cross(s.along);
  const Eigen::Vector3d& o = points[s.corners[0]];
  std::vector<Eigen::Vector3d> result;
  for (const Eigen::Vector3d& p : points) {
    result.emplace_back((p - o).dot(s.along) / s.size, (p - o).dot(across) / s.width,
                        (p - o).dot(s.normal) / s.thickness);
  }
  return result;
}

std::vector<std::vector<Index>> solid_faces(Points points, std::vector<std::vector<Index>> faces) {
  Eigen::Vector3d inside = Eigen::Vector3d::Zero();
  double count = 0;
  for (const auto& face : faces) {
    for (const Index i : face) {
      inside += points[static_cast<std::size_t>(i)];
      count += 1;
    }
  }
  inside /= count;
  for (auto& face : faces) {
    // The largest triangle at the first corner tells the plane well enough to sort round its normal.
    const Eigen::Vector3d& o = points[static_cast<std::size_t>(face[0])];
    Eigen::Vector3d normal = Eigen::Vector3d::Zero();
    for (std::size_t i = 1; i < face.size(); ++i) {
      for (std::size_t j = i + 1; j < face.size(); ++j) {
        const Eigen::Vector3d n =
            (points[static_cast<std::size_t>(face[i])] - o).cross(points[static_cast<std::size_t>(face[j])] - o);
        if (n.squaredNorm() > normal.squaredNorm()) normal = n;
      }
    }
    if (normal.dot(o - inside) < 0) normal = -normal;
    if (normal.squaredNorm() > 0) sort_around(points, normal.normalized(), face);
  }
  return faces;
}

/// Numbers only the points that are corners, in the order given.
HullData keep_corners(Points points, std::vector<std::vector<Index>> faces, std::span<const Index> corners) {
  HullData hull;
  std::vector<Index> number(points.size(), none);
  for (const Index i : corners) number[static_cast<std::size_t>(i)] = 0;
  for (const auto& face : faces) {
    for (const Index i : face) number[static_cast<std::size_t>(i)] = 0;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] == none) continue;
    number[i] = static_cast<Index>(hull.points.size());
    hull.points.push_back(points[i]);
  }
  require(hull.points.size() <= max_corners, ErrorCode::invalid_argument, "hull: {} corners, at most {} are supported",
          hull.points.size(), max_corners);
  std::vector<std::vector<Index>> neighbours(hull.points.size());
  std::vector<std::vector<Index>> vertex_faces(hull.points.size());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    auto& face = faces[f];
    for (Index& i : face) i = number[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < face.size(); ++k) {
      const Index next = face[(k + 1) % face.size()];
      neighbours[static_cast<std::size_t>(face[k])].push_back(next);
      neighbours[static_cast<std::size_t>(next)].push_back(face[k]);
      vertex_faces[static_cast<std::size_t>(face[k])].push_back(static_cast<Index>(f));
    }
    const Eigen::Vector3d area = area_vector(hull.points, face);
    hull.face_normals.push_back(math::to_vec3(area.squaredNorm() > 0 ? area.normalized() : area));
  }
  if (faces.empty() && hull.points.size() == 2) neighbours = {{1}, {0}};
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  hull.neighbours = mesh::lists_of(neighbours);
  hull.faces = mesh::lists_of(faces);
  hull.vertex_faces = mesh::lists_of(vertex_faces);
  return hull;
}

void fill_rows(HullData& hull) {
  const std::uint32_t n = hull.size();
  hull.stride = (n + kernels::farthest_lanes - 1) / kernels::farthest_lanes * kernels::farthest_lanes;
  hull.rows.resize(3 * static_cast<std::size_t>(hull.stride));
  for (std::uint32_t k = 0; k < 3; ++k) {
    for (std::uint32_t i = 0; i < hull.stride; ++i) {
      hull.rows[k * hull.stride + i] = hull.points[std::min(i, n - 1)][static_cast<Eigen::Index>(k)];
    }
  }
}

void fill_starts(HullData& hull) {
  if (hull.size() <= max_searched_corners) return;
  // Some six cells a corner: the start is then the answer or next to it, and the table still fits the nearest cache.
  hull.start_cells = std::clamp(static_cast<int>(std::lround(std::sqrt(hull.size()))), 4, 64);
  const int cells = hull.start_cells;
  hull.link_offsets.assign(hull.neighbours.offsets.begin(), hull.neighbours.offsets.end());
  hull.links.assign(hull.neighbours.items.begin(), hull.neighbours.items.end());
  hull.starts.resize(6 * static_cast<std::size_t>(cells) * static_cast<std::size_t>(cells));
  const kernels::PointRows rows{hull.rows.data(), hull.stride};
  for (std::size_t cell = 0; cell < hull.starts.size(); ++cell) {
    const Vec3 d = middle_of_cell(static_cast<int>(cell), cells);
    hull.starts[cell] = static_cast<std::uint16_t>(kernels::farthest(rows, d.x, d.y, d.z));
  }
}

}  // namespace

HullData scaled_hull(const HullData& hull, double factor) {
  HullData result = hull;
  for (Eigen::Vector3d& p : result.points) p *= factor;
  fill_rows(result);
  scale_fan(result, factor);
  return result;
}

HullData build_hull(Points points) {
  require(!points.empty(), ErrorCode::invalid_argument, "hull: no points");
  for (std::size_t i = 0; i < points.size(); ++i) {
    require(is_finite(points[i]), ErrorCode::not_finite, "hull: point {} is not finite", i);
    require(points[i].cwiseAbs().maxCoeff() <= 1e60, ErrorCode::invalid_argument,
            "hull: point {} has a coordinate beyond 1e60", i);
  }
  // About the first point and of size 1, so that no tolerance depends on the place or the unit.
  const Span span = span_of(points);
  std::vector<std::vector<Index>> faces;
  std::vector<Index> corners;
  int dimension = span.dimension;
  if (dimension == 3) {
    std::vector<Eigen::Vector3d> scaled;
    for (const Eigen::Vector3d& p : points) scaled.emplace_back((p - points[0]) / span.size);
    std::string why;
    auto found = qhull_faces(scaled, why);
    if (!found) found = qhull_faces(stretched(points, span), why);
    require(found.has_value(), ErrorCode::bad_mesh, "hull: qhull cannot build it: {}", why);
    faces = solid_faces(scaled, *std::move(found));
  }
  if (dimension == 2) {
    corners = polygon(points, span);
    if (corners.size() > 2) {
      faces = {corners, {corners.rbegin(), corners.rend()}};
    } else {
      dimension = 1;
    }
  }
  if (dimension == 1) {
    const auto along = [&](const Eigen::Vector3d& p) { return (p - points[0]).dot(span.along); };
    corners = {static_cast<Index>(farthest_point(points, along)),
               static_cast<Index>(farthest_point(points, [&](const auto& p) { return -along(p); }))};
  }
  if (dimension == 0) corners = {0};
  HullData hull = keep_corners(points, std::move(faces), corners);
  hull.dimension = dimension;
  fill_rows(hull);
  fill_starts(hull);
  build_fan(hull);
  return hull;
}

}  // namespace carom::shapes
