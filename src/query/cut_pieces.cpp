#include "query/cut_pieces.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "carom/detect/intersect.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "core/disjoint_sets.hpp"

namespace carom::query {
namespace {

using Eigen::Vector3d;

/// How often a closed mesh goes around a point that is not on it, from the solid angles of its triangles
/// (van Oosterom, Strackee 1983).
double winding(const TriangleMesh& mesh, const Vector3d& p) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vector3d a = mesh.positions[at(t[0])] - p;
    const Vector3d b = mesh.positions[at(t[1])] - p;
    const Vector3d c = mesh.positions[at(t[2])] - p;
    const double la = a.norm();
    const double lb = b.norm();
    const double lc = c.norm();
    sum += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (4 * std::numbers::pi);
}

struct Part {
  MeshPiece piece;
  double area = 0;
  Index first = none;  ///< triangle of the glued ones
};

void append(MeshPiece& to, const MeshPiece& from) {
  const auto offset = static_cast<Index>(to.mesh.positions.size());
  to.mesh.positions.insert(to.mesh.positions.end(), from.mesh.positions.begin(), from.mesh.positions.end());
  for (const Triangle& t : from.mesh.triangles)
    to.mesh.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
  to.source.insert(to.source.end(), from.source.begin(), from.source.end());
  to.volume += from.volume;
  to.cut_area += from.cut_area;
}

/// Parts that face inward are cavities of the smallest part around them.
void join_cavities(std::vector<Part>& parts) {
  for (Part& cavity : parts) {
    if (cavity.piece.volume >= 0) continue;
    Part* around = nullptr;
    for (Part& part : parts) {
      if (!(part.piece.volume > -cavity.piece.volume)) continue;
      if (around != nullptr && part.piece.volume >= around->piece.volume) continue;
      if (winding(part.piece.mesh, cavity.piece.mesh.positions[0]) > 0.5) around = &part;
    }
    if (around == nullptr) continue;  // a mesh that is inside out is a piece of its own
    append(around->piece, cavity.piece);
    cavity.piece.mesh.triangles.clear();
  }
  std::erase_if(parts, [](const Part& part) { return part.piece.mesh.triangles.empty(); });
}

/// Vertices of each triangle: numbers of the sets of corners that are glued.
std::vector<Part> split_parts(const GluedTriangles& glued) {
  const std::size_t count = glued.triangles.size();
  DisjointSets corners(3 * count);
  DisjointSets sets(count);
  const auto next = [](Index h) { return h % 3 == 2 ? h - 2 : h + 1; };
  for (Index h = 0; h < static_cast<Index>(3 * count); ++h) {
    const Index mate = glued.mates[at(h)];
    if (mate == none) continue;
    corners.merge(h, next(mate));
    corners.merge(next(h), mate);
    sets.merge(h / 3, mate / 3);
  }
  std::vector<Part> parts;
  std::vector<Index> part_of(count, none);
  std::vector<Index> vertex_of(3 * count, none);
  for (std::size_t t = 0; t < count; ++t) {
    const Index set = sets.find(static_cast<Index>(t));
    if (part_of[at(set)] == none) {
      part_of[at(set)] = static_cast<Index>(parts.size());
      parts.push_back({});
      parts.back().first = set;
    }
    Part& part = parts[at(part_of[at(set)])];
    Triangle triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      Index& vertex = vertex_of[at(corners.find(static_cast<Index>(3 * t + k)))];
      if (vertex == none) {
        vertex = static_cast<Index>(part.piece.mesh.positions.size());
        part.piece.mesh.positions.push_back(glued.points[at(glued.triangles[t][k])]);
      }
      triangle[k] = vertex;
    }
    part.piece.mesh.triangles.push_back(triangle);
    part.piece.source.push_back(glued.source[t]);
  }
  return parts;
}

}  // namespace

HalfEdges::HalfEdges(std::span<const Triangle> triangles) {
  entries_.reserve(3 * triangles.size());
  for (Index h = 0; h < static_cast<Index>(3 * triangles.size()); ++h) {
    const auto [from, to] = ends_of(triangles, h);
    entries_.push_back({from, to, h});
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
}

Index HalfEdges::find(Index from, Index to) const {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), std::pair(from, to),
      [](const Entry& e, const std::pair<Index, Index>& key) { return std::pair(e.from, e.to) < key; });
  return found != entries_.end() && found->from == from && found->to == to ? found->edge : none;
}

void glue(GluedTriangles& glued, Index a, Index b) {
  glued.mates[at(a)] = b;
  glued.mates[at(b)] = a;
}

double area_of(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  return 0.5 * (b - a).cross(c - a).norm();
}

CutResult make_pieces(const GluedTriangles& glued, bool closed, const std::string& name) {
  std::vector<Part> parts = split_parts(glued);
  for (Part& part : parts) {
    MeshPiece& piece = part.piece;
    piece.closed = closed;
    const MeshReport report = inspect(piece.mesh);
    part.area = report.area;
    if (closed) piece.volume = report.volume;
    for (std::size_t t = 0; t < piece.source.size(); ++t) {
      const Triangle& c = piece.mesh.triangles[t];
      if (piece.source[t] == none)
        piece.cut_area +=
            area_of(piece.mesh.positions[at(c[0])], piece.mesh.positions[at(c[1])], piece.mesh.positions[at(c[2])]);
    }
  }
  if (closed) join_cavities(parts);
  std::sort(parts.begin(), parts.end(), [&](const Part& a, const Part& b) {
    const double size_a = closed ? std::abs(a.piece.volume) : a.area;
    const double size_b = closed ? std::abs(b.piece.volume) : b.area;
    return size_a != size_b ? size_a > size_b : a.first < b.first;
  });
  CutResult result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].piece.name = fmt::format("{}-{}", name, i + 1);
    result.cut_area += 0.5 * parts[i].piece.cut_area;
    result.pieces.push_back(std::move(parts[i].piece));
  }
  std::map<Index, int> uses;
  for (const Index source : glued.source) {
    if (source != none && ++uses[source] == 2) ++result.split_triangles;
  }
  return result;
}

bool intersects_itself(const CutResult& result, std::span<const Triangle> input) {
  std::vector<std::uint8_t> uses(input.size(), 0);
  for (const MeshPiece& piece : result.pieces) {
    for (const Index source : piece.source) {
      if (source != none && uses[at(source)] < 2) ++uses[at(source)];
    }
  }
  for (const MeshPiece& piece : result.pieces) {
    const Surface surface(piece.mesh.positions.size(), piece.mesh.triangles);
    const auto is_new = [&](Index t) {
      const Index source = piece.source[at(t)];
      return source == none || uses[at(source)] > 1;
    };
    // A cut through a saddle at a vertex, or along a valley, leaves pieces that touch themselves there, and truly so.
    const auto is_pinch = [&](const Intersection& found) {
      const auto has_corner = [&](Index t, const Vector3d& p) {
        const Triangle& corners = piece.mesh.triangles[at(t)];
        return std::any_of(corners.begin(), corners.end(), [&](Index v) { return piece.mesh.positions[at(v)] == p; });
      };
      return found.kind != IntersectionKind::coplanar && has_corner(found.a, found.start) &&
             has_corner(found.b, found.start) && has_corner(found.a, found.end) && has_corner(found.b, found.end);
    };
    for (const Intersection& found : intersections(surface, piece.mesh.positions)) {
      if (is_pinch(found)) continue;
      if (is_new(found.a) || is_new(found.b)) return true;
    }
  }
  return false;
}

double diagonal(const TriangleMesh& mesh) {
  Vector3d low = mesh.positions[0];
  Vector3d high = low;
  for (const Vector3d& p : mesh.positions) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  return (high - low).norm();
}

bool check_cuttable(const TriangleMesh& mesh, const CutOptions& options) {
  require(!mesh.triangles.empty(), ErrorCode::bad_mesh, "the mesh has no triangles");
  require(options.snap >= 0 && options.snap < 0.1, ErrorCode::invalid_argument,
          "snap is {}; expected a fraction of the diagonal from 0 to 0.1", options.snap);
  const MeshReport report = inspect(mesh);
  require(report.not_finite_vertices.empty(), ErrorCode::not_finite, "vertex {} is not finite",
          report.not_finite_vertices.empty() ? 0 : report.not_finite_vertices[0]);
  const auto named = [](const std::vector<Edge>& edges, const char* what) {
    require(edges.empty(), ErrorCode::bad_mesh, "the edge of vertices {} and {} has {} ({} such edges)",
            edges.empty() ? 0 : edges[0][0], edges.empty() ? 0 : edges[0][1], what, edges.size());
  };
  named(report.nonmanifold_edges, "more than two triangles");
  named(report.inconsistent_edges, "two triangles that face opposite ways");
  require(report.repeated_corner_triangles.empty(), ErrorCode::bad_mesh, "triangle {} has one vertex twice",
          report.repeated_corner_triangles.empty() ? 0 : report.repeated_corner_triangles[0]);
  return report.boundary_edges.empty();
}

}  // namespace carom::query
