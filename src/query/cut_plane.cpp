#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/at.hpp"
#include "core/check.hpp"
#include "geometry/constrained_triangulation.hpp"
#include "query/cut_pieces.hpp"

// Every vertex is above, below or on the plane; what follows is decided by these signs and is the same for any of them.
// A triangle in the plane belongs to the side that it bounds: to the one below if it faces up. So an edge in the plane
// whose triangles are on different sides is a border of the cut, seen from both sides alike.
namespace carom {
namespace {

using Eigen::Vector3d;
using query::GluedTriangles;

/// Attempts, with a snap that is ten times as large each, before a cut is refused.
constexpr int snap_attempts = 4;

struct PlaneCut {
  GluedTriangles glued;
  std::vector<std::uint8_t> above;  ///< of each triangle
  std::vector<std::uint8_t> on;     ///< of each point: in the plane
};

class PlaneSplit {
 public:
  PlaneSplit(const TriangleMesh& mesh, const Vector3d& normal, double offset, double snap)
      : mesh_(mesh), normal_(normal) {
    heights_.reserve(mesh.positions.size());
    for (const Vector3d& p : mesh.positions) {
      const double height = normal.dot(p) - offset;
      heights_.push_back(std::abs(height) <= snap ? 0 : height);
    }
    cut_.glued.points = mesh.positions;
    for (const double h : heights_) cut_.on.push_back(h == 0 ? 1 : 0);
  }

  PlaneCut run() {
    find_crossings();
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) split(static_cast<Index>(t));
    return std::move(cut_);
  }

 private:
  struct Crossing {
    Edge edge;
    Index point;
  };

  int sign(Index v) const { return heights_[at(v)] > 0 ? 1 : heights_[at(v)] < 0 ? -1 : 0; }

  void find_crossings() {
    for (const Triangle& t : mesh_.triangles) {
      for (std::size_t k = 0; k < 3; ++k) {
        const Index a = t[k];
        const Index b = t[(k + 1) % 3];
        if (sign(a) * sign(b) < 0) crossings_.push_back({{std::min(a, b), std::max(a, b)}, none});
      }
    }
    std::sort(crossings_.begin(), crossings_.end(),
              [](const Crossing& a, const Crossing& b) { return a.edge < b.edge; });
    crossings_.erase(std::unique(crossings_.begin(), crossings_.end(),
                                 [](const Crossing& a, const Crossing& b) { return a.edge == b.edge; }),
                     crossings_.end());
    for (Crossing& crossing : crossings_) {
      const double ha = heights_[at(crossing.edge[0])];
      const double hb = heights_[at(crossing.edge[1])];
      const double s = ha / (ha - hb);
      crossing.point = static_cast<Index>(cut_.glued.points.size());
      cut_.glued.points.emplace_back((1 - s) * mesh_.positions[at(crossing.edge[0])] +
                                     s * mesh_.positions[at(crossing.edge[1])]);
      cut_.on.push_back(1);
    }
  }

  Index crossing(Index a, Index b) const {
    const Edge edge{std::min(a, b), std::max(a, b)};
    const auto found = std::lower_bound(crossings_.begin(), crossings_.end(), edge,
                                        [](const Crossing& c, const Edge& e) { return c.edge < e; });
    return found->point;
  }

  void add(const Triangle& triangle, Index source, bool above) {
    cut_.glued.add(triangle, source);
    cut_.above.push_back(above ? 1 : 0);
  }

  /// Polygon a, b, c, d along its shorter diagonal.
  void add_quad(Index a, Index b, Index c, Index d, Index source, bool above) {
    const auto& p = cut_.glued.points;
    if ((p[at(a)] - p[at(c)]).squaredNorm() <= (p[at(b)] - p[at(d)]).squaredNorm()) {
      add({a, b, c}, source, above);
      add({a, c, d}, source, above);
    } else {
      add({b, c, d}, source, above);
      add({b, d, a}, source, above);
    }
  }

  void split(Index source) {
    const Triangle& t = mesh_.triangles[at(source)];
    const std::array<int, 3> signs{sign(t[0]), sign(t[1]), sign(t[2])};
    const auto [low, high] = std::minmax_element(signs.begin(), signs.end());
    if (*low == 0 && *high == 0) {
      const auto& p = mesh_.positions;
      const Vector3d facing = (p[at(t[1])] - p[at(t[0])]).cross(p[at(t[2])] - p[at(t[0])]);
      return add(t, source, facing.dot(normal_) < 0);
    }
    if (*low >= 0 || *high <= 0) return add(t, source, *high > 0);
    // The corner that is alone on its side, or the one in the plane, comes first.
    std::size_t first = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const int rest = signs[(k + 1) % 3] * signs[(k + 2) % 3];
      if (signs[k] == 0 || rest > 0) first = k;
    }
    const Index a = t[first];
    const Index b = t[(first + 1) % 3];
    const Index c = t[(first + 2) % 3];
    if (sign(a) == 0) {
      const Index p = crossing(b, c);
      add({a, b, p}, source, sign(b) > 0);
      add({a, p, c}, source, sign(c) > 0);
      return;
    }
    const Index p = crossing(a, b);
    const Index q = crossing(a, c);
    add({a, p, q}, source, sign(a) > 0);
    add_quad(p, b, c, q, source, sign(b) > 0);
  }

  const TriangleMesh& mesh_;
  Vector3d normal_;
  std::vector<double> heights_;
  std::vector<Crossing> crossings_;
  PlaneCut cut_;
};

/// Half-edges of triangles below whose neighbor is above.
std::vector<Index> glue_sides(PlaneCut& cut) {
  GluedTriangles& glued = cut.glued;
  glued.mates.assign(3 * glued.triangles.size(), none);
  const query::HalfEdges edges(glued.triangles);
  std::vector<Index> border;
  for (Index h = 0; h < static_cast<Index>(glued.mates.size()); ++h) {
    const auto [from, to] = query::ends_of(glued.triangles, h);
    const Index mate = edges.find(to, from);
    if (mate == none) continue;
    const bool above = cut.above[at(h / 3)] != 0;
    if ((cut.above[at(mate / 3)] != 0) == above) {
      glued.mates[at(h)] = mate;
    } else if (!above) {
      border.push_back(h);
    }
  }
  return border;
}

/// Faces of the cut for both sides, glued to them. False if the borders cross.
bool close_sides(PlaneCut& cut, std::span<const Index> border, const Vector3d& normal) {
  GluedTriangles& glued = cut.glued;
  geometry::PlanarRegion region;
  region.axis = geometry::projection_axis(normal);
  region.flipped = normal[region.axis] < 0;
  std::vector<Index> local(glued.points.size(), none);
  std::vector<Index> points;
  const auto number = [&](Index p) {
    if (local[at(p)] == none) {
      local[at(p)] = static_cast<Index>(points.size());
      points.push_back(p);
      region.points.push_back(glued.points[at(p)]);
    }
    return local[at(p)];
  };
  for (const Index h : border) {
    const auto [from, to] = query::ends_of(glued.triangles, h);
    region.border.push_back({number(to), number(from)});
  }
  // Edges of one side that touch the plane, and vertices likewise, become edges and corners of the faces.
  std::set<std::array<double, 3>> places;
  for (const Vector3d& p : region.points) places.insert({p.x(), p.y(), p.z()});
  for (Index h = 0; h < static_cast<Index>(glued.mates.size()); ++h) {
    const auto [from, to] = query::ends_of(glued.triangles, h);
    if (cut.on[at(from)] == 0) continue;
    const Vector3d& p = glued.points[at(from)];
    if (local[at(from)] == none && places.insert({p.x(), p.y(), p.z()}).second) number(from);
    if (from < to && cut.on[at(to)] != 0 && glued.mates[at(h)] != none && local[at(from)] != none &&
        local[at(to)] != none)
      region.lines.push_back({local[at(from)], local[at(to)]});
  }
  const auto faces = geometry::triangulate(region);
  if (!faces) return false;
  const query::HalfEdges sides(glued.triangles);
  const query::HalfEdges inner(*faces);
  const auto first_below = static_cast<Index>(glued.triangles.size());
  const auto first_above = first_below + static_cast<Index>(faces->size());
  for (const Triangle& f : *faces) glued.add({points[at(f[0])], points[at(f[1])], points[at(f[2])]}, none);
  for (const Triangle& f : *faces) glued.add({points[at(f[2])], points[at(f[1])], points[at(f[0])]}, none);
  glued.mates.resize(3 * glued.triangles.size(), none);
  // Half-edge k of a face, from corner k to the next, is half-edge (1 - k) mod 3 of the face turned around.
  const auto turned = [](Index h) { return h - h % 3 + (4 - h % 3) % 3; };
  for (Index h = 0; h < static_cast<Index>(3 * faces->size()); ++h) {
    const auto [from, to] = query::ends_of(*faces, h);
    const Index below = 3 * first_below + h;
    const Index above = 3 * first_above + turned(h);
    const Index mate = inner.find(to, from);
    const Index p = points[at(from)];
    const Index q = points[at(to)];
    if (mate != none) {
      // Where an edge of the mesh touches the plane from one side, the solid there is in contact with itself along a
      // line: the faces of the cut belong to the triangles on either side of it, not to each other.
      const Index forth = sides.find(p, q);
      const Index back = sides.find(q, p);
      const bool both = forth != none && back != none && glued.mates[at(forth)] != none;
      const bool is_above = both && cut.above[at(forth / 3)] != 0;
      if (both && !is_above) {
        query::glue(glued, below, back);
      } else {
        glued.mates[at(below)] = 3 * first_below + mate;
      }
      if (both && is_above) {
        query::glue(glued, above, forth);
      } else {
        glued.mates[at(above)] = 3 * first_above + turned(mate);
      }
      continue;
    }
    query::glue(glued, below, sides.find(q, p));
    query::glue(glued, above, sides.find(p, q));
  }
  return true;
}

}  // namespace

CutResult cut(const TriangleMesh& mesh, const CutPlane& plane, const std::string& name, const CutOptions& options) {
  require(plane.normal.allFinite() && plane.normal.norm() > 0 && std::isfinite(plane.normal.norm()),
          ErrorCode::invalid_argument, "the normal of the plane is ({}, {}, {}); expected finite and not zero",
          plane.normal.x(), plane.normal.y(), plane.normal.z());
  require(std::isfinite(plane.offset), ErrorCode::not_finite, "the offset of the plane is not finite");
  const bool closed = query::check_cuttable(mesh, options);
  const Vector3d normal = plane.normal.normalized();
  const double offset = plane.offset / plane.normal.norm();
  double snap = std::max(options.snap, 1e-15) * query::diagonal(mesh);
  for (int i = 0; i < snap_attempts; ++i, snap *= 10) {
    PlaneCut cut = PlaneSplit(mesh, normal, offset, snap).run();
    const std::vector<Index> border = glue_sides(cut);
    if (closed && !border.empty() && !close_sides(cut, border, normal)) continue;
    CutResult result = query::make_pieces(cut.glued, closed, name);
    if (i + 1 < snap_attempts && query::intersects_itself(result, mesh.triangles)) continue;
    return result;
  }
  fail(ErrorCode::bad_mesh,
       "the cut along the plane crosses itself, also with vertices within {} m on it: does the mesh intersect itself?",
       0.1 * snap);
}

}  // namespace carom
