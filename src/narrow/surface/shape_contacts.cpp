#include "narrow/surface/shape_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "carom/mesh/closest.hpp"
#include "geometry/point_segment.hpp"
#include "narrow/convex/convex.hpp"
#include "shapes/support.hpp"

namespace carom::narrow::surface {
namespace {

using shapes::CoreKind;
using Scratch = ShapeContactScratch;

/// Rounding of a distance, over the sizes of shape and feature and their distance.
constexpr double distance_rounding = 1e-11;
/// Rounding of the depth of a cylinder, cone or ellipsoid, see QueryResult::error.
constexpr double round_depth_rounding = 4e-5;

std::uint64_t edge_key(Index a, Index b) {
  const auto low = static_cast<std::uint64_t>(std::min(a, b));
  return low << 32U | static_cast<std::uint64_t>(std::max(a, b));
}

/// The corner where the owner of an edge begins it.
Index owned_corner(const Surface& surface, Index from, Index to) {
  const std::span<const Triangle> triangles = surface.triangles();
  for (Index corner = surface.first_corner(from); corner != none; corner = surface.next_corner(corner)) {
    const auto t = static_cast<std::size_t>(corner / 3);
    const auto k = static_cast<std::size_t>(corner % 3);
    const std::size_t before = k == 0 ? 2 : k - 1;
    const std::size_t after = k == 2 ? 0 : k + 1;
    if (triangles[t][after] == to && owns_edge(surface.owned()[t], k)) return corner;
    if (triangles[t][before] == to && owns_edge(surface.owned()[t], before)) return static_cast<Index>(3 * t + before);
  }
  return none;
}

/// One shape against one surface, in the frame of the shape.
class Finder {
 public:
  Finder(const Core& core, const Eigen::Isometry3d& pose, const Surface& surface,
         std::span<const Eigen::Vector3d> positions, const ShapeContactOptions& options, Scratch& scratch)
      : core_(core), pose_(pose), surface_(surface), positions_(positions), options_(options), scratch_(scratch) {
    if (scratch_.slot.size() < positions.size()) scratch_.slot.resize(positions.size(), 0);
    scratch_.vertices.clear();
    scratch_.edges.clear();
    scratch_.triangles.clear();
  }

  void run(std::span<const Index> candidates, std::vector<ShapeContact>& out) {
    for (const Index t : candidates) collect(t);
    sort_unique(scratch_.edges);
    sort_unique(scratch_.triangles);
    for (Scratch::Feature& edge : scratch_.edges) measure_edge(edge);
    out.clear();
    report_vertices(out);
    for (const Scratch::Feature& edge : scratch_.edges) {
      if (edge.counts) report(edge, FeatureKind::edge, 2, out);
    }
    for (Scratch::Feature& triangle : scratch_.triangles) {
      measure_triangle(triangle);
      if (triangle.counts) report(triangle, FeatureKind::triangle, 3, out);
    }
  }

 private:
  /// Measures a vertex, or finds it measured.
  std::uint32_t vertex(Index index) {
    std::vector<Scratch::Vertex>& list = scratch_.vertices;
    std::uint32_t& slot = scratch_.slot[static_cast<std::size_t>(index)];
    if (slot < list.size() && list[slot].index == index) return slot;
    slot = static_cast<std::uint32_t>(list.size());
    const Eigen::Vector3d d = positions_[static_cast<std::size_t>(index)] - pose_.translation();
    const auto along = [&](int k) {
      const auto axis = pose_.linear().col(k);
      return axis.x() * d.x() + axis.y() * d.y() + axis.z() * d.z();
    };
    const Vec3 local{along(0), along(1), along(2)};
    list.push_back({index, point_distance(core_, local, options_.within), local});
    return slot;
  }

  /// Distance that a feature must be below to count, for the smallest distance of its boundary.
  double bar(double boundary, double size, double relative = distance_rounding) const {
    return std::min(options_.within, boundary - options_.resolution - relative * (size + core_.reach + core_.radius));
  }
  static double known(const PointDistance& d) { return d.exact ? d.distance : INFINITY; }

  /// Lower bound of the distance of a feature from the separating axis of one of its vertices.
  static double bound(const Scratch::Vertex& v, const Vec3& other) {
    return v.distance.distance + std::min(0.0, dot(v.distance.normal, other - v.local));
  }

  void collect(Index index) {
    const Triangle& t = surface_.triangles()[static_cast<std::size_t>(index)];
    if (is_dead(t)) return;
    const std::array<std::uint32_t, 3> slots{vertex(t[0]), vertex(t[1]), vertex(t[2])};
    if (core_.kind == CoreKind::half_space) return;
    std::array<const Scratch::Vertex*, 3> v{};
    double boundary = INFINITY;
    double size = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      v[k] = &scratch_.vertices[slots[k]];
      boundary = std::min(boundary, known(v[k]->distance));
      size = std::max(size, size_of(*v[k]));
    }
    std::array<std::array<double, 2>, 3> bounds{};  // of the edge to the next corner, and to the one before
    for (std::size_t k = 0; k < 3; ++k) {
      bounds[k] = {bound(*v[k], v[(k + 1) % 3]->local), bound(*v[k], v[(k + 2) % 3]->local)};
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t next = (k + 1) % 3;
      const double ends = std::min(known(v[k]->distance), known(v[next]->distance));
      if (t[k] == t[next] || std::max(bounds[k][0], bounds[next][1]) >= bar(ends, size)) continue;
      const bool in_order = t[k] < t[next];
      scratch_.edges.push_back({edge_key(t[k], t[next]), {slots[in_order ? k : next], slots[in_order ? next : k], 0}});
    }
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return;
    double lowest = -INFINITY;
    for (const auto& b : bounds) lowest = std::max(lowest, std::min(b[0], b[1]));
    if (lowest >= bar(boundary, size)) return;
    scratch_.triangles.push_back({static_cast<std::uint64_t>(index), slots});
  }

  static void sort_unique(std::vector<Scratch::Feature>& list) {
    const auto less = [](const Scratch::Feature& a, const Scratch::Feature& b) { return a.key < b.key; };
    const auto same = [](const Scratch::Feature& a, const Scratch::Feature& b) { return a.key == b.key; };
    std::sort(list.begin(), list.end(), less);
    list.erase(std::unique(list.begin(), list.end(), same), list.end());
  }

  const Scratch::Vertex& corner(const Scratch::Feature& f, std::size_t k) const {
    return scratch_.vertices[f.slots[k]];
  }

  double size_of(const Scratch::Feature& f, std::size_t count) const {
    double size = 0;
    for (std::size_t k = 0; k < count; ++k) size = std::max(size, size_of(corner(f, k)));
    return size;
  }
  static double size_of(const Scratch::Vertex& v) {
    return std::abs(v.local.x) + std::abs(v.local.y) + std::abs(v.local.z);
  }

  /// Distance of a feature of `count` corners from the core, by closest points or by the depth.
  void measure(Scratch::Feature& f, std::size_t count) {
    std::array<Vec3, 3> x{corner(f, 0).local, corner(f, 1).local, corner(f, count - 1).local};
    if (core_.kind == CoreKind::point) return measure_from_point(f, count, x);
    const Vec3 middle = count == 2 ? 0.5 * (x[0] + x[1]) : (1.0 / 3) * (x[0] + x[1] + x[2]);
    for (Vec3& p : x) p = p - middle;
    Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
    at.translation() = math::to_eigen(middle);
    QueryResult result;
    convex::query(convex::Question::distance, core_, Eigen::Isometry3d::Identity(), scratch_.core.set(x, 0), at,
                  nullptr, result);
    f.distance = result.distance;
    f.error = result.error;
    f.normal = math::to_vec3(result.normal);
    f.cut = result.distance < -core_.radius;
    if (f.cut && !core_.polytope() && improve(f, count)) return;
    weigh(f, count, x, math::to_vec3(result.point_b) - middle);
  }

  /// The search for the depth of a round core may end beside the shortest translation. Every direction bounds the
  /// depth: those of the vertices, across the edge or the face, and away from the center of the core are tried. False
  /// if none is better; then the weights are not set.
  bool improve(Scratch::Feature& f, std::size_t count) const {
    const Vec3 e = math::unit_or_zero(corner(f, 1).local - corner(f, 0).local);
    const Vec3 face = math::unit_or_zero(cross(e, corner(f, count - 1).local - corner(f, 0).local));
    bool better = false;
    const auto offer = [&](const Vec3& direction) {
      const Vec3 n = math::unit_or_zero(direction);
      if (!(dot(n, n) > 0.5)) return;
      std::size_t lowest = 0;
      for (std::size_t k = 1; k < count; ++k) {
        if (dot(n, corner(f, k).local) < dot(n, corner(f, lowest).local)) lowest = k;
      }
      const double distance = dot(n, corner(f, lowest).local - shapes::support(core_, n).p) - core_.radius;
      if (!(distance > f.distance + distance_rounding * core_.reach)) return;
      f.distance = distance;
      f.normal = n;
      f.weights = {};
      f.weights[lowest] = 1;
      better = true;
    };
    const auto across = [&](const Vec3& n) { return n - dot(n, e) * e; };
    for (std::size_t k = 0; k < count; ++k) {
      offer(corner(f, k).distance.normal);
      if (count == 2) offer(across(corner(f, k).distance.normal));
    }
    if (count == 2) offer(across(corner(f, 0).local));
    offer(face);
    offer(-face);
    return better;
  }

  void measure_from_point(Scratch::Feature& f, std::size_t count, const std::array<Vec3, 3>& x) {
    weigh(f, count, x, {});
    Vec3 p = f.weights[0] * x[0] + f.weights[1] * x[1];
    if (count == 3) p = p + f.weights[2] * x[2];
    const double from_center = math::length(p);
    f.distance = from_center - core_.radius;
    f.normal = from_center > 0 ? convex::unit(p) : Vec3{1, 0, 0};
    // Inside a face or an edge the normal is across it, and has all its digits even if the center is next to it.
    const Vec3 e = x[1] - x[0];
    const bool inside = f.weights[0] > 0 && f.weights[1] > 0 && (count == 2 || f.weights[2] > 0);
    if (!inside || !(dot(e, e) > 0)) return;
    if (count == 3) {
      const Vec3 face = math::unit_or_zero(cross(e, x[2] - x[0]));
      if (dot(face, face) > 0) f.normal = dot(face, p) < 0 ? -face : face;
    } else {
      const Vec3 across = p - (dot(p, e) / dot(e, e)) * e;
      const bool at_center = !(from_center > 1e-15 * math::length(e));
      f.normal = at_center ? convex::across(e) : convex::unit(across);
    }
  }

  /// Weights of the point of the feature that is closest to p.
  static void weigh(Scratch::Feature& f, std::size_t count, const std::array<Vec3, 3>& x, const Vec3& p) {
    if (count == 2) {
      const geometry::SegmentPoint s = geometry::closest_to_origin(x[0] - p, x[1] - p);
      f.weights = {s.weight_u, s.weight_v, 0};
      return;
    }
    const VertexTriangleClosest c =
        closest_vertex_triangle(math::to_eigen(p), math::to_eigen(x[0]), math::to_eigen(x[1]), math::to_eigen(x[2]));
    f.weights = {c.weights[0], c.weights[1], c.weights[2]};
  }

  /// Whether the feature counts beside a boundary of this distance.
  bool counts(const Scratch::Feature& f, std::size_t count, double boundary) const {
    const double relative = f.cut && !core_.polytope() ? round_depth_rounding : distance_rounding;
    return f.distance < bar(boundary - f.error, size_of(f, count), relative);
  }

  void measure_edge(Scratch::Feature& edge) {
    measure(edge, 2);
    edge.counts = counts(edge, 2, std::min(known(corner(edge, 0).distance), known(corner(edge, 1).distance)));
  }

  void measure_triangle(Scratch::Feature& triangle) {
    double boundary = INFINITY;
    double lowest = -INFINITY;
    for (std::size_t k = 0; k < 3; ++k) {
      const Scratch::Vertex& v = corner(triangle, k);
      const Scratch::Vertex& next = corner(triangle, (k + 1) % 3);
      boundary = std::min(boundary, known(v.distance));
      const Scratch::Feature* edge = measured_edge(edge_key(v.index, next.index));
      // An edge that was not measured makes no contact: it is as close as one of its ends, or farther than `within`.
      if (edge == nullptr) continue;
      if (edge->counts) boundary = std::min(boundary, edge->distance);
      // The separating axis of the edge bounds the distance of the triangle.
      const double on_edge = std::min(dot(edge->normal, v.local), dot(edge->normal, next.local));
      const double opposite = dot(edge->normal, corner(triangle, (k + 2) % 3).local);
      lowest = std::max(lowest, edge->distance + std::min(0.0, opposite - on_edge));
    }
    if (lowest >= bar(boundary, size_of(triangle, 3))) return;
    measure(triangle, 3);
    triangle.counts = counts(triangle, 3, boundary);
  }

  const Scratch::Feature* measured_edge(std::uint64_t key) const {
    const auto less = [](const Scratch::Feature& f, std::uint64_t wanted) { return f.key < wanted; };
    const auto edge = std::lower_bound(scratch_.edges.begin(), scratch_.edges.end(), key, less);
    return edge != scratch_.edges.end() && edge->key == key ? &*edge : nullptr;
  }

  ShapeContact contact(FeatureKind kind, Index id, const Vec3& normal, double distance) const {
    ShapeContact c;
    c.feature = kind;
    c.id = id;
    c.normal = pose_.linear() * math::to_eigen(normal);
    c.distance = distance;
    return c;
  }

  void report_vertices(std::vector<ShapeContact>& out) const {
    // Numbers are put in order and not contacts, which are large.
    std::vector<std::uint64_t>& order = scratch_.order;
    order.clear();
    for (std::size_t i = 0; i < scratch_.vertices.size(); ++i) {
      const Scratch::Vertex& v = scratch_.vertices[i];
      if (v.distance.exact && v.distance.distance < options_.within)
        order.push_back(static_cast<std::uint64_t>(v.index) << 32 | i);
    }
    std::sort(order.begin(), order.end());
    for (const std::uint64_t each : order) {
      const Scratch::Vertex& v = scratch_.vertices[static_cast<std::uint32_t>(each)];
      ShapeContact c = contact(FeatureKind::vertex, v.index, v.distance.normal, v.distance.distance);
      c.vertices[0] = v.index;
      c.weights[0] = 1;
      c.point_on_surface = positions_[static_cast<std::size_t>(v.index)];
      c.point_on_shape = c.point_on_surface - c.distance * c.normal;
      out.push_back(c);
    }
  }

  void report(const Scratch::Feature& f, FeatureKind kind, std::size_t count, std::vector<ShapeContact>& out) const {
    const Index id = kind == FeatureKind::triangle ? static_cast<Index>(f.key)
                                                   : owned_corner(surface_, corner(f, 0).index, corner(f, 1).index);
    ShapeContact c = contact(kind, id, f.normal, f.distance);
    c.weights = f.weights;
    for (std::size_t k = 0; k < count; ++k) {
      c.vertices[k] = corner(f, k).index;
      c.point_on_surface += f.weights[k] * positions_[static_cast<std::size_t>(c.vertices[k])];
    }
    c.point_on_shape = c.point_on_surface - c.distance * c.normal;
    out.push_back(c);
  }

  const Core& core_;
  const Eigen::Isometry3d& pose_;
  const Surface& surface_;
  std::span<const Eigen::Vector3d> positions_;
  const ShapeContactOptions& options_;
  Scratch& scratch_;
};

}  // namespace

void find_shape_contacts(const Core& core, const Eigen::Isometry3d& pose, const Surface& surface,
                         std::span<const Eigen::Vector3d> positions, std::span<const Index> candidates,
                         const ShapeContactOptions& options, ShapeContactScratch& scratch,
                         std::vector<ShapeContact>& out) {
  Finder(core, pose, surface, positions, options, scratch).run(candidates, out);
}

}  // namespace carom::narrow::surface
