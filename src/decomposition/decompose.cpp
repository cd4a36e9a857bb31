#include "carom/shape/decompose.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "core/check.hpp"
#include "decomposition/excess.hpp"
#include "decomposition/limits.hpp"
#include "decomposition/planes.hpp"
#include "narrow/mesh/point_queries.hpp"
#include "shapes/shape_data.hpp"

namespace carom {
namespace decomposition {
namespace {

/// Points nearer to a cutting plane than this fraction of the size of the mesh are on it.
constexpr double plane_thickness = 1e-9;
/// Pieces with a smaller fraction of the volume of the box of the mesh are left out: they are rounding of planes.
constexpr double min_volume = 1e-12;
/// Fraction of the size of the mesh: corners this far above a facet's plane are on it.
constexpr double convex_thickness = 1e-12;
/// Facets times corners of the hull up to which a piece is tested for being convex, a second's work.
constexpr std::size_t max_convexity_tests = 500'000'000;
/// Weight of unequal halves beside the volume of the hulls when planes are compared: it decides where volumes tie.
constexpr double imbalance_weight = 0.02;
/// Directions whose farthest points stand for a hull while planes are compared.
constexpr int sample_directions = 250;
/// Points up to which planes are compared by whole hulls.
constexpr std::size_t max_exact_points = 600;

/// A piece, its hull and how far the hull reaches beyond the solid.
struct Part {
  Piece piece;
  shapes::HullData hull;
  Excess excess;
};

/// 1 if the triangles of a closed mesh face outward, -1 if they face inward: the sign of its volume.
double facing_of(const shapes::MeshData& mesh) {
  const Vector3d o = mesh.corner(0, 0);
  double volume = 0;
  for (std::size_t t = 0; t < mesh.mesh.triangles.size(); ++t) {
    const auto i = static_cast<Index>(t);
    volume += (mesh.corner(i, 0) - o).dot((mesh.corner(i, 1) - o).cross(mesh.corner(i, 2) - o));
  }
  return volume < 0 ? -1 : 1;
}

std::vector<Vector3d> directions() {
  // A spiral over the sphere: nearly equal areas around each.
  std::vector<Vector3d> result;
  for (int i = 0; i < sample_directions; ++i) {
    const double z = 1 - (2 * i + 1.0) / sample_directions;
    const double r = std::sqrt(1 - z * z);
    const double angle = i * 2.399963229728653;  // of the golden section
    result.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
  }
  for (int axis = 0; axis < 3; ++axis) {
    result.emplace_back(Vector3d::Unit(axis));
    result.emplace_back(-Vector3d::Unit(axis));
  }
  return result;
}

class Decomposer {
 public:
  Decomposer(const shapes::MeshData& mesh, const DecomposeOptions& options)
      : mesh_(mesh), options_(options), directions_(directions()) {
    const double facing = facing_of(mesh);
    edges_ = concave_edges(mesh, facing);
    Piece whole;
    Vector3d min = mesh.mesh.positions[static_cast<std::size_t>(mesh.mesh.triangles[0][0])];
    Vector3d max = min;
    for (std::size_t t = 0; t < mesh.mesh.triangles.size(); ++t) {
      const auto triangle = static_cast<Index>(t);
      const Polygon corners{mesh.corner(triangle, 0), mesh.corner(triangle, 1), mesh.corner(triangle, 2)};
      const Vector3d normal = facing * (corners[1] - corners[0]).cross(corners[2] - corners[0]);
      for (const Vector3d& p : corners) {
        min = min.cwiseMin(p);
        max = max.cwiseMax(p);
      }
      if (normal.norm() > 0) whole.surface.push_back({corners, normal.normalized()});
    }
    size_ = (max - min).norm();
    min_volume_ = min_volume * (max - min).prod();
    tolerance_ = options.tolerance * size_;
    whole.cell = box_faces(min, max);
    if (auto part = make_part(std::move(whole))) parts_.push_back(std::move(*part));
  }

  Decomposition run() {
    Decomposition result;
    require(!parts_.empty(), ErrorCode::bad_mesh, "decompose: the mesh is flat; expected a solid");
    result.limited = !split();
    merge();
    for (const Part& part : parts_) {
      result.parts.push_back(Shape::hull(part.hull.points));
      result.error = std::max(result.error, part.excess.upper);
    }
    return result;
  }

 private:
  std::optional<Part> make_part(Piece piece) const {
    const std::vector<Vector3d> points = extreme_points(piece);
    if (points.size() < 4) return std::nullopt;
    Part part{std::move(piece), shapes::build_hull(points), {}};
    if (volume(part.hull) <= min_volume_) return std::nullopt;
    if (!is_convex(part)) part.excess = measure_excess(mesh_, part.hull, tolerance_);
    return part;
  }

  /// Whether a piece is all of its hull: no corner of the hull is above the plane of a facet. A path within the hull,
  /// and so within the cell, from a point inside of the piece to one outside of the solid would have to cross a facet,
  /// and would end above its plane.
  bool is_convex(const Part& part) const {
    const auto& facets = part.piece.surface;
    const auto& points = part.hull.points;
    if (facets.size() * points.size() > max_convexity_tests) return false;
    return std::all_of(facets.begin(), facets.end(), [&](const Facet& facet) {
      return std::all_of(points.begin(), points.end(), [&](const Vector3d& p) {
        return facet.normal.dot(p - facet.corners[0]) <= convex_thickness * size_;
      });
    });
  }

  /// Corners of a cell on the surface of the solid are corners of facets already, if they belong to the piece.
  bool strictly_inside(const Vector3d& p) const {
    const math::Vec3 point{p.x(), p.y(), p.z()};
    return mesh::inside(mesh_, point) && mesh::nearest(mesh_, point, plane_thickness * size_).triangle == none;
  }

  Piece half(const Piece& piece, const Plane& plane) const {
    Piece result = cut(piece, plane, plane_thickness * size_);
    for (const Polygon& face : result.cell) {
      for (const Vector3d& p : face) {
        const auto& corners = result.cell_corners;
        if (std::find(corners.begin(), corners.end(), p) == corners.end() && strictly_inside(p)) {
          result.cell_corners.push_back(p);
        }
      }
    }
    return result;
  }

  /// Cost by which planes are compared: the volume of a hull, and its surface times the tolerance, which prefers small
  /// cuts where volumes tie. Of large hulls that of the farthest points in some directions.
  double cost(const std::vector<Vector3d>& points) const {
    if (points.size() < 4) return 0;
    const shapes::HullData hull = shapes::build_hull(points.size() > max_exact_points ? sample(points) : points);
    return volume(hull) + tolerance_ * area(hull);
  }

  std::vector<Vector3d> sample(const std::vector<Vector3d>& points) const {
    std::vector<std::size_t> farthest;
    for (const Vector3d& direction : directions_) {
      std::size_t best = 0;
      double height = direction.dot(points[0]);
      for (std::size_t i = 1; i < points.size(); ++i) {
        const double h = direction.dot(points[i]);
        if (h <= height) continue;
        height = h;
        best = i;
      }
      farthest.push_back(best);
    }
    std::sort(farthest.begin(), farthest.end());
    farthest.erase(std::unique(farthest.begin(), farthest.end()), farthest.end());
    std::vector<Vector3d> result;
    for (const std::size_t i : farthest) result.push_back(points[i]);
    return result;
  }

  /// The plane whose two halves cost the least together; nullopt if none cuts the piece.
  std::optional<Plane> best_plane(const Part& part) const {
    const std::vector<Vector3d> points = extreme_points(part.piece);
    std::optional<Plane> best;
    double best_cost = 0;
    for (const Plane& plane : candidate_planes(points, part.excess.where, edges_)) {
      const double below = cost(extreme_points(half(part.piece, plane)));
      const double above = cost(extreme_points(half(part.piece, plane.flipped())));
      if (!(below > min_volume_ && above > min_volume_)) continue;
      const double both = below + above + imbalance_weight * std::abs(below - above);
      if (best && both >= best_cost) continue;
      best = plane;
      best_cost = both;
    }
    return best;
  }

  /// Cuts the part with the largest excess until all are within the tolerance; false if there are too many parts first.
  bool split() {
    while (true) {
      std::size_t worst = 0;
      for (std::size_t i = 1; i < parts_.size(); ++i) {
        if (parts_[i].excess.upper > parts_[worst].excess.upper) worst = i;
      }
      if (parts_[worst].excess.upper <= tolerance_) return true;
      if (parts_.size() >= static_cast<std::size_t>(options_.max_parts)) return false;
      const std::optional<Plane> plane = best_plane(parts_[worst]);
      if (!plane) return false;
      std::optional<Part> below = make_part(half(parts_[worst].piece, *plane));
      std::optional<Part> above = make_part(half(parts_[worst].piece, plane->flipped()));
      if (!below || !above) return false;
      parts_[worst] = std::move(*below);
      parts_.push_back(std::move(*above));
    }
  }

  /// Two parts that may become one.
  struct Pair {
    double added = 0;  ///< volume of the common hull beyond that of both, as a fraction of theirs
    std::size_t a = 0;
    std::size_t b = 0;
    bool refused = false;  ///< their common hull reaches too far
  };

  void add_pair(std::size_t a, std::size_t b, std::vector<Pair>& pairs) const {
    const double separate = volume(parts_[a].hull) + volume(parts_[b].hull);
    const double added = volume(shapes::build_hull(joined(a, b))) - separate;
    if (added < 0.5 * separate) pairs.push_back({added / separate, a, b});
  }

  /// Merges the first pair whose common hull is within the tolerance; false if there is none.
  bool merge_one(std::vector<Pair>& pairs) {
    for (Pair& pair : pairs) {
      if (pair.refused) continue;
      Part part{{}, shapes::build_hull(joined(pair.a, pair.b)), {}};
      part.excess = measure_excess(mesh_, part.hull, tolerance_);
      pair.refused = part.excess.upper > tolerance_;
      if (pair.refused) continue;
      const std::size_t a = pair.a;
      const std::size_t b = pair.b;
      parts_[a] = std::move(part);
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(b));
      std::erase_if(pairs, [&](const Pair& p) { return p.a == a || p.b == a || p.a == b || p.b == b; });
      for (Pair& p : pairs) {
        if (p.a > b) --p.a;
        if (p.b > b) --p.b;
      }
      for (std::size_t other = 0; other < parts_.size(); ++other) {
        if (other != a) add_pair(std::min(a, other), std::max(a, other), pairs);
      }
      return true;
    }
    return false;
  }

  /// Merges pairs whose common hull is within the tolerance, those that add the least volume first.
  void merge() {
    std::vector<Pair> pairs;
    for (std::size_t a = 0; a < parts_.size(); ++a) {
      for (std::size_t b = a + 1; b < parts_.size(); ++b) add_pair(a, b, pairs);
    }
    do {
      std::sort(pairs.begin(), pairs.end(),
                [](const Pair& l, const Pair& r) { return std::tie(l.added, l.a, l.b) < std::tie(r.added, r.a, r.b); });
    } while (merge_one(pairs));
  }

  std::vector<Vector3d> joined(std::size_t a, std::size_t b) const {
    std::vector<Vector3d> points = parts_[a].hull.points;
    points.insert(points.end(), parts_[b].hull.points.begin(), parts_[b].hull.points.end());
    return points;
  }

  const shapes::MeshData& mesh_;
  DecomposeOptions options_;
  std::vector<ConcaveEdge> edges_;
  std::vector<Vector3d> directions_;
  double size_ = 0;        ///< m, diagonal of the box
  double tolerance_ = 0;   ///< m
  double min_volume_ = 0;  ///< m^3
  std::vector<Part> parts_;
};

}  // namespace
}  // namespace decomposition

Shape Decomposition::compound() const {
  std::vector<Shape::Part> shapes;
  for (const Shape& part : parts) shapes.push_back({part, Eigen::Isometry3d::Identity()});
  return Shape::compound(shapes);
}

Decomposition decompose(const Shape& mesh, const DecomposeOptions& options) {
  require(mesh.kind() == ShapeKind::mesh, ErrorCode::unsupported, "decompose: the shape is a {}; expected a mesh",
          to_string(mesh.kind()));
  require(options.tolerance >= min_decompose_tolerance && options.tolerance <= max_decompose_tolerance,
          ErrorCode::invalid_argument, "decompose: tolerance is {}; expected a fraction from {} to {}",
          options.tolerance, min_decompose_tolerance, max_decompose_tolerance);
  require(options.max_parts >= 1 && options.max_parts <= max_decompose_parts, ErrorCode::invalid_argument,
          "decompose: max_parts is {}; expected 1 to {}", options.max_parts, max_decompose_parts);
  const shapes::MeshData& data = *mesh.data().mesh;
  require(data.options.solid != MeshSolid::surface, ErrorCode::bad_mesh,
          "decompose: the mesh has solid = surface, and no inside; expected by_normals or inside");
  for (std::size_t c = 0; c < data.closed.size(); ++c) {
    require(data.closed[c] != 0, ErrorCode::bad_mesh,
            "decompose: the piece of the mesh with triangle {} is open; expected closed pieces",
            data.component_triangle[c]);
  }
  require(!data.room, ErrorCode::bad_mesh,
          "decompose: the mesh faces inward and is a room; expected triangles that face outward, or solid = inside");
  return *data.decompositions->get(options, [&] { return decomposition::Decomposer(data, options).run(); });
}

}  // namespace carom
