#include "continuous/search.hpp"

#include <algorithm>
#include <cmath>

#include "carom/mesh/closest.hpp"

// Conservative advancement by separating directions. At time t, let n be the unit direction from the origin
// to the nearest point of the polygon. The n-coordinates of the corners move linearly, so from their values at the
// start and at the end of the step one division each tells until when all of them are beyond the separation; until then
// the polygon, which lies between its corners, is too. Any n is safe; the nearest point only makes it a good one. Where
// the zeros of the coplanarity polynomial allow a longer step, it is taken.
//
// Rounding: with |n| = 1 the sum of the |n_k| is below 1.8, so an n-coordinate is wrong by less than 1.8 * 5u of
// the size; a division and the time it gives by 3u, which moves a coordinate by at most 4u * 3 of the size. `slack` is
// 64u.
namespace carom::continuous {
namespace {

using namespace math;

// Looks at this many points of time in search of an answer that is good to rounding; then the tolerance will do.
constexpr int soft_budget = 32;

struct Nearest {
  Vec3 point;  ///< of the polygon
  double distance = 0;
  std::array<double, 4> weights{};
};

Nearest nearest(ContactKind kind, const RelativeMotion& m, double t) {
  Nearest result;
  if (kind == ContactKind::vertex_face) {
    const Vec3 a = corner_at(m, 0, t), b = corner_at(m, 1, t), c = corner_at(m, 2, t);
    const VertexTriangleClosest found =
        closest_vertex_triangle(Eigen::Vector3d::Zero(), to_eigen(a), to_eigen(b), to_eigen(c));
    result.weights = {1, found.weights[0], found.weights[1], found.weights[2]};
    result.point = found.weights[0] * a + found.weights[1] * b + found.weights[2] * c;
  } else {
    // a0 - b0, a0 - b1, a1 - b1, a1 - b0 with b0 as the origin.
    const Vec3 a0 = corner_at(m, 0, t), a1 = corner_at(m, 3, t);
    const Vec3 b1 = -((1 - t) * m.side_f_start + t * m.side_f_end);
    const EdgeEdgeClosest found = closest_edge_edge(to_eigen(a0), to_eigen(a1), Eigen::Vector3d::Zero(), to_eigen(b1));
    result.weights = {1 - found.s, found.s, 1 - found.t, found.t};
    result.point = (1 - found.s) * a0 + found.s * a1 - found.t * b1;
  }
  result.distance = std::sqrt(dot(result.point, result.point));
  return result;
}

/// Component of q across the side.
Vec3 across(const Vec3& q, const Vec3& side) {
  const double squared = dot(side, side);
  return squared > 0 ? q - (dot(q, side) / squared) * side : q;
}

/// The direction to the nearest point, sharpened. That point is wrong by rounding, which turns the direction by
/// rounding / distance and lifts a corner by that times the size: too much already at a distance of 1e-8. But
/// the direction is the normal if the point is inside the polygon, and across the side if it is on one.
Vec3 direction(const RelativeMotion& m, double t, const Nearest& at) {
  const auto& w = at.weights;
  const Vec3 f = (1 - t) * m.side_f_start + t * m.side_f_end;
  const Vec3 g = (1 - t) * m.side_g_start + t * m.side_g_end;
  Vec3 n = at.point;
  if (m.corners == 3) {
    const int zeros = (w[1] == 0 ? 1 : 0) + (w[2] == 0 ? 1 : 0) + (w[3] == 0 ? 1 : 0);
    if (zeros == 0) n = cross(f, g);
    if (zeros == 1) n = across(at.point, w[3] == 0 ? f : w[1] == 0 ? g : f + g);
  } else {
    const bool inside_a = w[0] != 0 && w[1] != 0;
    const bool inside_b = w[2] != 0 && w[3] != 0;
    if (inside_a && inside_b) {
      n = cross(f, g);
    } else if (inside_a) {
      n = across(at.point, g);
    } else if (inside_b) {
      n = across(at.point, f);
    }
  }
  const double length = std::sqrt(dot(n, n));
  if (!(length > 1e-140)) return (1 / at.distance) * at.point;
  return ((dot(n, at.point) < 0 ? -1 : 1) / length) * n;
}

/// Until when, from t on, all corners are beyond `reach` along n; t if they are not.
double free_until(const RelativeMotion& m, const Vec3& n, double reach, double t) {
  double until = 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(m.corners); ++i) {
    const double h0 = dot(n, m.start[i]) - reach;
    const double h1 = dot(n, m.end[i]) - reach;
    if (h1 > 0) {
      if (h0 > 0) continue;
      // Beyond from some time on.
      if (!(h0 / (h0 - h1) < t)) return t;
    } else if (h0 > 0) {
      until = std::min(until, h0 / (h0 - h1));
    } else {
      return t;
    }
  }
  return std::max(until, t);
}

}  // namespace

SearchResult search(ContactKind kind, const RelativeMotion& m, const Coplanarity& p, double tolerance, int budget) {
  SearchResult result;
  const double slack = 64 * unit_roundoff * m.size;
  const double reach = m.separation * (1 + 8 * unit_roundoff) + slack;
  const double to_rounding = 4 * slack + 16 * unit_roundoff * m.separation;
  const double allowed = std::max(tolerance * m.motion, to_rounding);
  // The plane is of no use if the features stay in it.
  const bool use_plane =
      std::max({std::abs(p.c[0]), std::abs(p.c[1]), std::abs(p.c[2]), std::abs(p.c[3])}) > 2 * p.margin;
  const double half_width = std::min(0x1p-30, tolerance);
  double t = 0;
  for (;; ++result.probes) {
    if (use_plane) {
      const double later = skip_to_first_zero(p, t);
      if (later >= 1) return result;
      if (later > t) {
        result.last = {};
        t = later;
        // Most collisions end here.
        if (m.separation == 0 && surely_crosses(m, p, t, half_width, result.weights)) {
          result.collides = true;
          result.certain = true;
          result.time = t;
          return result;
        }
      }
    }
    const Nearest at = nearest(kind, m, t);
    const double gap = at.distance - m.separation;
    const bool out_of_budget = result.probes + 1 >= budget;
    const bool stop = gap <= to_rounding || (result.probes >= soft_budget && gap <= allowed) || out_of_budget;
    double until = t;
    if (!stop) {
      Vec3 n = direction(m, t, at);
      until = free_until(m, n, reach, t);
      if (until <= t) {
        n = (1 / at.distance) * at.point;
        until = free_until(m, n, reach, t);
      }
      if (until >= 1) return result;
      if (until > t) result.last = n;
    }
    if (stop || until <= t) {
      result.collides = true;
      result.time = t;
      result.gap = std::max(gap, 0.0) + to_rounding;
      result.to_rounding = gap <= to_rounding || !stop;
      result.weights = at.weights;
      return result;
    }
    t = until;
  }
}

std::array<double, 4> contact_weights(ContactKind kind, const RelativeMotion& m, double t) {
  return nearest(kind, m, t).weights;
}

}  // namespace carom::continuous
