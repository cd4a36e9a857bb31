#include "field/mesh_distance.hpp"

#include <limits>

#include "carom/mesh/closest.hpp"
#include "narrow/mesh/point_queries.hpp"

// Error of the interpolation f of the signed distance d near the surface.
//
// By a slab, where the surface is nearly flat. Let n be a unit direction. Let all that matters of the surface be
// between the planes n . x = low and n . x = high: the nearest points of all points of the cell, and what is in the
// prism, which holds for each point x of the cell the points x + s n for all |s| up to the largest distance in the cell
// (near_triangles.hpp).
//
// The nearest point p of x has n . p <= high, so that |x - p| >= n . x - high: an outside point is at least so far
// away. The part of the prism above the upper plane is convex and has no surface in it, so it is all outside or all
// inside. If it is outside, a point x of the cell that is inside comes out on its way along n before it is above that
// plane, or that plane is farther away than the surface: |x - p| <= high - n . x. So the signed distance of every point
// is at least n . x - high. In the same way it is at most n . x - low if the part of the prism below the lower plane is
// inside. Both bounds are linear and the interpolation of a linear function is that function, so the largest error is
// at a corner: f - d <= max (value - n . x) + high and d - f <= max (n . x - value) - low.
//
// By tangents, in a cell on one side of the surface with few triangles near it. The unsigned distance d is the smallest
// of the distances d_k from the triangles, each of which is a convex function: it is nowhere below its tangent plane in
// the middle, and nowhere above the interpolation of its own values.
//
//   f - d = max_k (f - d_k) <= max_k max_i (value_i - tangent_k(x_i));
//   d - f <= max_i (g(x_i) - value_i) for every g that is one of the d_k or the mean of two.
namespace carom::field {
namespace {

using shapes::BoxVolume;
using shapes::TreeNode;
using shapes::TriangleCorners;

constexpr double relative_rounding = 1e-13;
/// Triangles near a cell up to which their tangents are tried.
constexpr std::size_t max_tangents = 24;

double gap_of(const BoxVolume& box, const Vec3& p) {
  const Vec3 t = p - box.center;
  const Vec3 g = math::higher(Vec3{std::abs(t.x), std::abs(t.y), std::abs(t.z)} - box.half, {0, 0, 0});
  return std::sqrt(dot(g, g));
}

struct TriangleDistance {
  double distance = 0;
  Vec3 gradient;
};
TriangleDistance distance_from(const TriangleCorners& t, const Vec3& p) {
  const VertexTriangleClosest c =
      closest_vertex_triangle(math::to_eigen(p), math::to_eigen(t[0]), math::to_eigen(t[1]), math::to_eigen(t[2]));
  return {c.distance, math::unit_or_zero(p - math::to_vec3(c.point))};
}

}  // namespace

double MeshDistance::rounding(double reach) const {
  return relative_rounding * (mesh_.reach + reach);
}

ExactDistance MeshDistance::at(const Vec3& p, double below, KnownSide side) const {
  const double slack = rounding(length(p));
  mesh::NearestPoint near = mesh::nearest(mesh_, p, below + 2 * slack);
  if (near.triangle == none) near = mesh::nearest(mesh_, p, INFINITY);
  const bool inside = side != 0 ? side < 0 : mesh::inside(mesh_, p);
  // A point outside is not on the surface, however near it is.
  const double value = inside ? -near.distance : std::max(near.distance, std::numeric_limits<double>::min());
  return {value, near.point};
}

/// Visits nodes and triangles of the tree in a ball: skip(box) leaves out a node, visit(corners) ends with false.
template <class Skip, class Visit>
bool MeshDistance::walk_ball(const Vec3& center, double radius, Skip&& skip, Visit&& visit) const {
  const shapes::MeshTree& tree = mesh_.tree;
  std::array<std::uint32_t, shapes::max_tree_depth + 2> waiting;
  std::size_t count = 0;
  waiting[count++] = 0;
  while (count > 0) {
    const std::uint32_t i = waiting[--count];
    if (skip(tree.boxes[i]) || gap_of(tree.boxes[i], center) > radius) continue;
    const TreeNode& node = tree.nodes[i];
    if (!node.leaf()) {
      waiting[count++] = node.first + 1;
      waiting[count++] = node.first;
      continue;
    }
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k) {
      if (!visit(tree.corners[k])) return false;
    }
  }
  return true;
}

/// Slab of the surface that matters for a cell. False if it reaches below `lowest` or above `highest`.
bool MeshDistance::find_slab(const CellSamples& cell, const Vec3& n, double lowest, double highest, Slab& slab) const {
  const double slack = rounding(length(cell.middle));
  const NearTriangles near(cell, n, slack);
  const Vec3 size{std::abs(n.x), std::abs(n.y), std::abs(n.z)};
  const bool whole = walk_ball(
      cell.middle, near.ball(),
      [&](const BoxVolume& box) {
        const double along = dot(n, box.center);
        const double half = dot(size, box.half);
        return along - half >= slab.low && along + half <= slab.high;
      },
      [&](const TriangleCorners& t) {
        double low = INFINITY;
        double high = -INFINITY;
        for (const Vec3& p : t) {
          low = std::min(low, dot(n, p));
          high = std::max(high, dot(n, p));
        }
        if (low >= slab.low && high <= slab.high) return true;
        const NearTriangles::Extent extent = near.extent_of(t);
        slab.low = std::min(slab.low, extent.low);
        slab.high = std::max(slab.high, extent.high);
        return slab.low >= lowest && slab.high <= highest;
      });
  slab.low -= slack;
  slab.high += slack;
  return whole && slab.low <= slab.high;
}

void MeshDistance::bound_by_slab(const CellSamples& cell, double wanted, Bounds& bounds) const {
  const Vec3 n = math::unit_or_zero(middle_gradient(cell));
  if (!(dot(n, n) > 0.5)) return;
  const bool one_side = cell.one_side();
  const bool outside = cell.middle_value > 0;
  double value_over = -INFINITY;   // of values over n . x
  double value_under = -INFINITY;  // of n . x over values
  std::size_t lowest_corner = 0;
  std::size_t highest_corner = 0;
  std::array<double, 8> along{};
  for (std::size_t i = 0; i < 8; ++i) {
    along[i] = dot(n, cell.corners[i]);
    value_over = std::max(value_over, cell.values[i] - along[i]);
    value_under = std::max(value_under, along[i] - cell.values[i]);
    if (along[i] < along[lowest_corner]) lowest_corner = i;
    if (along[i] > along[highest_corner]) highest_corner = i;
  }
  // A slab that reaches farther proves nothing that is wanted, unless other bounds hold on that side.
  const double lowest = bounds.below <= wanted ? -INFINITY : value_under - std::max(wanted, 0.0);
  const double highest = bounds.above <= wanted ? INFINITY : std::max(wanted, 0.0) - value_over;
  Slab slab;
  if (!find_slab(cell, n, lowest, highest, slab)) return;

  const double reach = (std::abs(cell.middle_value) + cell.radius) * (1 - 1e-9);
  const double along_middle = dot(n, cell.middle);
  const auto side_above = [&] {  // of what is in the prism above the slab
    if (along[highest_corner] + reach <= slab.high) return 1;
    if (along[highest_corner] > slab.high) return cell.values[highest_corner] > 0 ? 1 : -1;
    if (along_middle + reach <= slab.high) return 0;
    return mesh::inside(mesh_, cell.middle + reach * n) ? -1 : 1;
  };
  const auto side_below = [&] {
    if (along[lowest_corner] - reach >= slab.low) return -1;
    if (along[lowest_corner] < slab.low) return cell.values[lowest_corner] > 0 ? 1 : -1;
    if (along_middle - reach >= slab.low) return 0;
    return mesh::inside(mesh_, cell.middle - reach * n) ? -1 : 1;
  };
  const double above = value_over + slab.high;
  const double below = value_under - slab.low;
  if (above < bounds.above && ((one_side && outside) || side_above() > 0)) bounds.above = above;
  if (below < bounds.below && ((one_side && !outside) || side_below() < 0)) bounds.below = below;
}

void MeshDistance::bound_by_tangents(const CellSamples& cell, Bounds& bounds) const {
  const double slack = rounding(length(cell.middle));
  const double radius = std::abs(cell.middle_value) + 2 * cell.radius + slack;
  struct Near {
    TriangleDistance middle;
    std::array<double, 8> corners;
  };
  std::array<Near, max_tangents> list;
  std::size_t count = 0;
  const auto all = [](const BoxVolume&) { return false; };
  const bool few = walk_ball(cell.middle, radius, all, [&](const TriangleCorners& t) {
    const TriangleDistance d = distance_from(t, cell.middle);
    if (d.distance > radius) return true;
    if (count == max_tangents) return false;
    list[count].middle = d;
    for (std::size_t i = 0; i < 8; ++i) list[count].corners[i] = distance_from(t, cell.corners[i]).distance;
    ++count;
    return true;
  });
  if (!few || count == 0) return;
  double above = -INFINITY;
  double below = INFINITY;
  for (std::size_t k = 0; k < count; ++k) {
    const auto& [middle, corners] = list[k];
    for (std::size_t i = 0; i < 8; ++i) {
      const double tangent = middle.distance + dot(middle.gradient, cell.corners[i] - cell.middle);
      above = std::max(above, std::abs(cell.values[i]) - tangent);
    }
    for (std::size_t m = 0; m <= k; ++m) {
      double largest = -INFINITY;
      for (std::size_t i = 0; i < 8; ++i) {
        largest = std::max(largest, 0.5 * (corners[i] + list[m].corners[i]) - std::abs(cell.values[i]));
      }
      below = std::min(below, largest);
    }
  }
  const bool outside = cell.middle_value > 0;
  bounds.above = std::min(bounds.above, outside ? above : below);
  bounds.below = std::min(bounds.below, outside ? below : above);
}

double MeshDistance::error_bound(const CellSamples& cell, double wanted) const {
  const bool outside = cell.middle_value > 0;
  Bounds bounds{lipschitz_bound(cell), lipschitz_bound(cell)};
  if (cell.one_side()) {
    const double above = std::min(bounds.above, concave_bound(cell));
    const double below = std::min(bounds.below, nearest_bound(cell));
    bounds = outside ? Bounds{above, below} : Bounds{below, above};
    if (bounds.largest() > wanted) bound_by_tangents(cell, bounds);
  }
  if (bounds.largest() > wanted) bound_by_slab(cell, wanted, bounds);
  return bounds.largest();
}

}  // namespace carom::field
