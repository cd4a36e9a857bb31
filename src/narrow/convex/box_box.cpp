#include "narrow/convex/box_box.hpp"

#include <algorithm>

#include "carom/mesh/closest.hpp"

namespace carom::convex {
namespace {

using Row = std::array<double, 3>;
using Matrix = std::array<Row, 3>;

Row row(const Vec3& v) {
  return {v.x, v.y, v.z};
}
Vec3 vec(const Row& r) {
  return {r[0], r[1], r[2]};
}

/// Squared sines of the angle of two edges. Below the first their axis is needless: it is a face's but for rounding.
/// Below the second the rounding of the axes of b counts along it.
constexpr double needless = 1e-30;
constexpr double nearly_parallel = 1e-2;
/// Rounding of the gap along an axis, as a fraction of the sizes.
constexpr double gap_rounding = 4e-15;

/// The corner of a box in the frame of a, as its parameters along its own axes.
Vec3 corner_at(const Vec3& center, const Matrix& axes, const Row& parameters) {
  return center + (parameters[0] * vec(axes[0]) + parameters[1] * vec(axes[1]) + parameters[2] * vec(axes[2]));
}

/// The point of the box farthest along d; where its edges or faces are at right angles to d, of these the one
/// nearest to `target`.
Row farthest_near(const Vec3& center, const Matrix& axes, const Row& half, const Vec3& d, const Vec3& target,
                  double slack) {
  Row p{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double slope = dot(d, vec(axes[k]));
    p[k] = std::abs(slope) * half[k] > slack ? std::copysign(half[k], slope)
                                             : std::clamp(dot(target - center, vec(axes[k])), -half[k], half[k]);
  }
  return p;
}

std::uint32_t corner_number(const Row& p) {
  return (p[0] < 0 ? 1U : 0U) | (p[1] < 0 ? 2U : 0U) | (p[2] < 0 ? 4U : 0U);
}

const Matrix identity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

}  // namespace

BoxAxes box_axes(const Core& a, const Core& b, const RelativePose& pose, double enough) {
  BoxAxes best;
  const Row ha = row(a.size);
  const Row hb = row(b.size);
  const Row t = row(pose.t);
  const Matrix r{{row(pose.x), row(pose.y), row(pose.z)}};  // r[j] is axis j of b
  Matrix r_abs;
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 3; ++i) r_abs[j][i] = std::abs(r[j][i]);
  }
  double best_side = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double gap = std::abs(t[i]) - (ha[i] + hb[0] * r_abs[0][i] + hb[1] * r_abs[1][i] + hb[2] * r_abs[2][i]);
    if (gap > best.gap) {
      best.gap = gap;
      best.axis = static_cast<int>(i);
      best_side = t[i];
    }
  }
  if (!(best.gap > enough)) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double along = t[0] * r[j][0] + t[1] * r[j][1] + t[2] * r[j][2];
      const double gap = std::abs(along) - (hb[j] + ha[0] * r_abs[j][0] + ha[1] * r_abs[j][1] + ha[2] * r_abs[j][2]);
      if (gap > best.gap) {
        best.gap = gap;
        best.axis = static_cast<int>(3 + j);
        best_side = along;
      }
    }
  }
  const BoxAxes faces = best;
  const double faces_side = best_side;
  Vec3 edge_axis;
  if (!(best.gap > enough)) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t i1 = (i + 1) % 3;
      const std::size_t i2 = (i + 2) % 3;
      for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t j1 = (j + 1) % 3;
        const std::size_t j2 = (j + 2) % 3;
        // Axis i of a times axis j of b: 0 along i, -r[j][i2] along i1, r[j][i1] along i2.
        const double length = r[j][i1] * r[j][i1] + r[j][i2] * r[j][i2];
        if (length < needless) continue;
        const double along = t[i2] * r[j][i1] - t[i1] * r[j][i2];
        double extent_of_b = hb[j1] * r_abs[j2][i] + hb[j2] * r_abs[j1][i];
        if (length < nearly_parallel) {
          // The product does without the axes of b being at right angles, which they are but for rounding.
          const auto across = [&](std::size_t k) { return std::abs(r[k][i2] * r[j][i1] - r[k][i1] * r[j][i2]); };
          extent_of_b = hb[j1] * across(j1) + hb[j2] * across(j2);
        }
        const double scaled = std::abs(along) - (ha[i1] * r_abs[j][i2] + ha[i2] * r_abs[j][i1] + extent_of_b);
        // Compared squared, with the sign kept; a root only for the best so far.
        const double worth = best.gap < 0 ? (scaled >= 0 || scaled * scaled < best.gap * best.gap * length)
                                          : (scaled > 0 && scaled * scaled > best.gap * best.gap * length);
        if (!worth) continue;
        const double inverse = 1 / std::sqrt(length);
        best.gap = scaled * inverse;
        best.axis = static_cast<int>(6 + 3 * i + j);
        best_side = along;
        Row n{};
        n[i1] = -r[j][i2] * inverse;
        n[i2] = r[j][i1] * inverse;
        edge_axis = vec(n);
      }
    }
  }
  // At right angles edges span faces, and their axis is a face's but for rounding. The face then tells the points.
  if (best.axis >= 6 && best.gap <= 0 && best.gap <= faces.gap + gap_rounding * (a.reach + b.reach)) {
    best.gap = faces.gap;
    best.axis = faces.axis;
    best_side = faces_side;
  }
  if (best.axis < 3) {
    Row n{};
    n[static_cast<std::size_t>(best.axis)] = 1;
    best.n = vec(n);
  } else {
    best.n = best.axis < 6 ? vec(r[static_cast<std::size_t>(best.axis - 3)]) : edge_axis;
  }
  if (best_side < 0) best.n = -best.n;
  return best;
}

void box_depth(const Core& a, const Core& b, const RelativePose& pose, const BoxAxes& axes, LocalResult& result) {
  const Matrix r{{row(pose.x), row(pose.y), row(pose.z)}};
  const Row ha = row(a.size);
  const Row hb = row(b.size);
  const double depth = std::max(-axes.gap, 0.0);
  const double slack = 1e-12 * (a.reach + b.reach);
  result.distance = -depth;
  result.normal = axes.n;
  result.corners = 1;
  if (axes.axis < 6) {
    // A face of one against what is deepest of the other: if that is an edge or a face, the part of it nearest to the
    // middle of the face is over the face, since the two do touch when moved apart by the depth.
    Row pa{};
    Row pb{};
    if (axes.axis < 3) {
      pb = farthest_near(pose.t, r, hb, -axes.n, {}, slack);
      result.point_b = corner_at(pose.t, r, pb);
      result.point_a = result.point_b + depth * axes.n;
      pa = farthest_near({}, identity, ha, axes.n, result.point_a, slack);
    } else {
      pa = farthest_near({}, identity, ha, axes.n, pose.t, slack);
      result.point_a = corner_at({}, identity, pa);
      result.point_b = result.point_a - depth * axes.n;
      pb = farthest_near(pose.t, r, hb, -axes.n, result.point_b, slack);
    }
    result.corners_a[0] = corner_number(pa);
    result.corners_b[0] = corner_number(pb);
    return;
  }
  const auto i = static_cast<std::size_t>((axes.axis - 6) / 3);
  const auto j = static_cast<std::size_t>((axes.axis - 6) % 3);
  Row pa = row(shapes::box_support(a.size, axes.n).p);
  Row pb = row(shapes::box_support(b.size, -pose.rotate_back(axes.n)).p);
  const auto ends = [](Row p, std::size_t k, const Vec3& center, const Matrix& frame) {
    p[k] = -std::abs(p[k]);
    const Vec3 from = corner_at(center, frame, p);
    p[k] = -p[k];
    return std::pair{math::to_eigen(from), math::to_eigen(corner_at(center, frame, p))};
  };
  const auto [a0, a1] = ends(pa, i, {}, identity);
  const auto [b0, b1] = ends(pb, j, pose.t, r);
  const EdgeEdgeClosest closest = closest_edge_edge(a0, a1, b0, b1);
  result.point_a = math::to_vec3(closest.point_a);
  result.point_b = result.point_a - depth * axes.n;
  // Corners at the two ends of each edge.
  const std::uint32_t ca = corner_number(pa);
  const std::uint32_t cb = corner_number(pb);
  result.corners = 2;
  result.corners_a = {ca, ca ^ (1U << i), 0, 0};
  result.corners_b = {cb, cb ^ (1U << j), 0, 0};
}

}  // namespace carom::convex
