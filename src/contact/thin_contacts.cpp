#include "contact/thin_contacts.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "narrow/build_contacts.hpp"

namespace carom::contact {
namespace {

using Eigen::Vector3d;

/// Weight of a vertex below which the closest point is on the boundary of its feature.
constexpr double boundary_weight = 1e-9;
/// Sine of the angle by which triangles at an edge must fall away for it to carry: flat edges do, hollow ones do not.
constexpr double crease_sine = -0.01;
/// Sine that is rounding.
constexpr double no_sine = 1e-6;

std::size_t slot(Index i) {
  return static_cast<std::size_t>(i);
}

/// Calls visit(triangle, opposite corner) for the triangles at an edge, until it returns false.
template <class Visit>
bool each_triangle_at(const Surface& surface, Index from, Index to, const Visit& visit) {
  for (Index corner = surface.first_corner(from); corner != none; corner = surface.next_corner(corner)) {
    const Index triangle = corner / 3;
    const Triangle& t = surface.triangles()[slot(triangle)];
    if (std::find(t.begin(), t.end(), to) == t.end()) continue;
    for (const Index v : t) {
      if (v != from && v != to && !visit(triangle, v)) return false;
    }
  }
  return true;
}

/// Whether an edge is nearest to what lies in a direction (unit, perpendicular to the edge): its triangles fall away
/// from it, by `sine` where there are two or more.
bool is_ridge(const Surface& surface, std::span<const Vector3d> x, Index from, Index to, const Vector3d& direction,
              double sine) {
  const Vector3d& start = x[slot(from)];
  const Vector3d edge = x[slot(to)] - start;
  const double per_square = 1 / edge.squaredNorm();
  const double along = edge.dot(direction) * per_square;
  const double most = std::max(-sine, no_sine);
  int count = 0;
  double highest = 0;  // sine by which the inside of a triangle rises; of those that fall nobody asks
  const bool falls = each_triangle_at(surface, from, to, [&](Index, Index opposite) {
    ++count;
    const Vector3d across = x[slot(opposite)] - start;
    const double part = across.dot(edge);
    const double rise = across.dot(direction) - part * along;
    if (!(rise > 0)) return true;
    const double length = (across - (part * per_square) * edge).norm();
    if (length > 0) highest = std::max(highest, rise / length);
    return highest <= most;
  });
  return falls && highest <= (count > 1 ? -sine : no_sine);
}

bool is_lowest_triangle(const Surface& surface, Index from, Index to, Index triangle) {
  return each_triangle_at(surface, from, to, [&](Index other, Index) { return other >= triangle; });
}

/// Whether a corner is nearest to what lies in a direction: all edges at it fall away.
bool is_peak(const Surface& surface, std::span<const Vector3d> x, Index vertex, Index triangle,
             const Vector3d& direction) {
  for (Index corner = surface.first_corner(vertex); corner != none; corner = surface.next_corner(corner)) {
    if (corner / 3 < triangle) return false;
    for (const Index v : surface.triangles()[slot(corner / 3)]) {
      if (v == vertex) continue;
      const Vector3d edge = x[slot(v)] - x[slot(vertex)];
      if (edge.dot(direction) > no_sine * edge.norm()) return false;
    }
  }
  return true;
}

bool vertex_carries(const Surface& surface, std::span<const Vector3d> x, const Contact& c) {
  Index near[3];
  std::size_t count = 0;
  for (std::size_t k = 1; k < 4; ++k) {
    if (c.weights[k] > boundary_weight) near[count++] = c.vertices[k];
  }
  if (count == 3) return true;
  const Vector3d towards = -c.normal;
  if (count == 1) return is_peak(surface, x, near[0], c.b[0], towards);
  return is_lowest_triangle(surface, near[0], near[1], c.b[0]) &&
         is_ridge(surface, x, near[0], near[1], towards, -no_sine);
}

constexpr std::size_t thinning_grain = 2048;

const bodies::SurfacePart& part_at(const bodies::Vertices& vertices, Index vertex) {
  const auto after = std::upper_bound(vertices.parts.begin(), vertices.parts.end(), vertex,
                                      [](Index v, const bodies::SurfacePart& part) { return v < part.first_vertex; });
  return *std::prev(after);
}

bool is_cloth(const bodies::Vertices& vertices, Index vertex) {
  return part_at(vertices, vertex).cloth;
}

bool is_within(const bodies::Vertices& vertices, const Contact& c, double self_within) {
  return c.distance < self_within || &part_at(vertices, c.vertices[0]) != &part_at(vertices, c.vertices[3]);
}

bool is_kept(const bodies::Vertices& vertices, const Contact& c) {
  return (!is_cloth(vertices, c.vertices[0]) && !is_cloth(vertices, c.vertices[3])) ||
         carries_force(vertices.surface(), vertices.start, c);
}

}  // namespace

bool carries_force(const Surface& surface, std::span<const Vector3d> x, const Contact& c) {
  // Of what touches, nobody can tell the side.
  if (!(c.distance > 0)) return true;
  if (c.kind == ContactKind::vertex_face) return vertex_carries(surface, x, c);
  for (const double weight : c.weights) {
    if (!(weight > boundary_weight)) return false;
  }
  return is_ridge(surface, x, c.vertices[0], c.vertices[1], c.normal, crease_sine) &&
         is_ridge(surface, x, c.vertices[2], c.vertices[3], -c.normal, crease_sine);
}

void ThinContacts::run(Workers& workers, const bodies::Vertices& vertices, std::span<const Contact> all,
                       std::vector<Contact>& out) {
  append_.run(workers, all.size(), thinning_grain, out,
              [&](std::size_t begin, std::size_t end, std::vector<Contact>& kept, std::size_t) {
                for (std::size_t i = begin; i < end; ++i)
                  if (is_kept(vertices, all[i])) kept.push_back(all[i]);
              });
}

void ThinContacts::run(Workers& workers, const bodies::Vertices& vertices, std::span<const narrow::Hit> all,
                       double self_within, std::vector<Contact>& out, std::vector<NearPair>& near) {
  near.resize(all.size());
  append_.run(workers, all.size(), thinning_grain, out,
              [&](std::size_t begin, std::size_t end, std::vector<Contact>& kept, std::size_t) {
                std::array<Contact, narrow::few_contacts> few;
                for (std::size_t i = begin; i < end;) {
                  const std::size_t count =
                      narrow::build_few_contacts(vertices.surface().triangles(), vertices.start,
                                                 all.subspan(i, std::min(end - i, few.size())), few);
                  for (std::size_t k = 0; k < count; ++k) {
                    near[i + k] = near_pair_of(few[k]);
                    if (is_within(vertices, few[k], self_within) && is_kept(vertices, few[k])) kept.push_back(few[k]);
                  }
                  i += count;
                }
              });
}

}  // namespace carom::contact
