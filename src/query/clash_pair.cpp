#include "query/clash_pair.hpp"

#include <algorithm>
#include <cmath>

#include "carom/query/mesh_contacts.hpp"
#include "carom/query/query.hpp"
#include "core/at.hpp"
#include "narrow/mesh/dispatch_volume.hpp"
#include "narrow/mesh/triangle_pair.hpp"
#include "narrow/overlap/overlap.hpp"
#include "shapes/shape_data.hpp"

namespace carom {
namespace {

using mesh::MeshData;
using mesh::RelativePose;
using mesh::Vec3;

/// Pairs of triangles that meet, of which one is taken for the place of a touch.
constexpr std::size_t touches_compared = 64;

bool has_regions(const Shape& a, const Shape& b) {
  const bool mesh = a.kind() == ShapeKind::mesh || b.kind() == ShapeKind::mesh;
  return mesh && a.kind() != ShapeKind::compound && b.kind() != ShapeKind::compound;
}

bool is_measured(const Shape& shape) {
  return shape.kind() == ShapeKind::mesh && shape.margin() == 0 && !shape.is_room();
}

ClashKind kind_of(double distance, double tolerance) {
  return distance < -tolerance ? ClashKind::overlap : distance <= tolerance ? ClashKind::touch : ClashKind::close;
}

/// Clash by distance(): of convex shapes, compounds, margins and rooms. Its depth is that of a translation.
std::optional<Clash> clash_by_translation(const Shape::Part& a, const Shape::Part& b, const PairQuestion& question) {
  const QueryResult result = distance(a.shape, a.pose, b.shape, b.pose);
  if (result.distance > question.reach) return {};
  Clash clash;
  clash.distance = result.distance;
  clash.error = result.error;
  clash.kind = kind_of(result.distance, question.tolerance);
  clash.point_a = result.point_a;
  clash.point_b = result.point_b;
  clash.normal = result.normal;
  if (clash.kind != ClashKind::overlap) return clash;
  if (question.separation) clash.separation = {-result.distance, result.error, result.normal};
  if (!has_regions(a.shape, b.shape)) return clash;
  for (const OverlapRegion& region : overlap_regions(a.shape, a.pose, b.shape, b.pose)) {
    ClashRegion out;
    out.depth = region.depth;
    out.error = region.error;
    out.normal = region.normal;
    out.point_a = region.point_a;
    out.point_b = region.point_b;
    out.triangles_a = region.triangles_a;
    out.triangles_b = region.triangles_b;
    clash.regions.push_back(std::move(out));
  }
  return clash;
}

/// Place of a touch: of triangles that meet, an area before a segment before a point, then the one nearest to the
/// middle of them. Within the tolerance if none meet.
void place_touch(const MeshData& a, const MeshData& b, const RelativePose& pose, const Eigen::Isometry3d& world,
                 Clash& clash) {
  struct Meeting {
    TriangleIntersection where;
    Vec3 normal;
  };
  std::vector<Meeting> found;
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  const double reach = mesh::rounding(a, b, pose);
  mesh::dispatch_volume(a, b, pose, [&](const auto& view) {
    return mesh::traverse_near(a.tree, b.tree, view, reach, [&](std::uint32_t i, std::uint32_t j) {
      const mesh::TriangleCorners& ta = a.tree.corners[i];
      const mesh::TriangleCorners tb = mesh::moved(b.tree.corners[j], pose);
      if (!mesh::meet(ta, tb)) return false;
      const TriangleIntersection where = mesh::intersection(ta, tb);
      found.push_back({where, math::cross(ta[1] - ta[0], ta[2] - ta[0])});
      middle += 0.5 * (where.start + where.end);
      return found.size() >= touches_compared;
    });
  });
  if (found.empty()) return;
  middle /= static_cast<double>(found.size());
  const auto rank = [&](const Meeting& m) {
    const int kind = m.where.kind == IntersectionKind::coplanar ? 0 : m.where.kind == IntersectionKind::segment ? 1 : 2;
    return std::pair(kind, (0.5 * (m.where.start + m.where.end) - middle).squaredNorm());
  };
  const Meeting& best = *std::min_element(found.begin(), found.end(),
                                          [&](const Meeting& p, const Meeting& q) { return rank(p) < rank(q); });
  const Eigen::Vector3d p = world * (0.5 * (best.where.start + best.where.end));
  clash.point_a = p;
  clash.point_b = p;
  clash.normal = world.linear() * math::to_eigen(math::unit_or_zero(best.normal));
}

LocalDepth told(const overlap::LocalDepth& depth) {
  if (!depth.found) return {unset, INFINITY};
  return {depth.depth, depth.error};
}

/// Direction along which b leaves a, from the deepest point; of one below `small`, that of the surface there.
Eigen::Vector3d direction(const overlap::LocalDepth& depth, std::size_t solid, double small, const MeshData& a,
                          const MeshData& b, const RelativePose& pose) {
  Vec3 out = depth.exit - depth.point;
  if (!(math::length(out) > small) && depth.other != none) {
    const MeshData& m = solid == 0 ? a : b;
    const auto corner = [&](std::size_t k) { return math::to_vec3(m.corner(depth.other, k)); };
    out = math::cross(corner(1) - corner(0), corner(2) - corner(0));
    if (solid == 1) out = pose.rotate(out);
  }
  return math::to_eigen(math::unit_or_zero(solid == 0 ? out : -out));
}

/// Region as the world sees it. Surfaces that sink by less than `none_below` do so by the shift alone.
ClashRegion region_of(const overlap::Overlap& o, double none_below, const MeshData& a, const MeshData& b,
                      const RelativePose& pose, const Eigen::Isometry3d& world) {
  ClashRegion region;
  region.in_a = told(o.depths[0]);
  region.in_b = told(o.depths[1]);
  region.volume = o.volume;
  region.volume_error = o.volume_error;
  if (std::abs(o.volume) <= o.volume_error) region.volume = 0;
  region.depth = -1;
  region.error = 0;
  double upper = 0;
  for (std::size_t solid = 0; solid < 2; ++solid) {
    const overlap::LocalDepth& depth = o.depths[solid];
    if (!depth.found) continue;
    upper = std::max(upper, depth.depth + depth.error);
    if (depth.depth <= region.depth) continue;
    region.depth = depth.depth;
    region.normal = direction(depth, solid, none_below, a, b, pose);
    const Eigen::Vector3d on_a = math::to_eigen(solid == 0 ? depth.exit : depth.point);
    const Eigen::Vector3d on_b = math::to_eigen(solid == 0 ? depth.point : depth.exit);
    region.point_a = on_a;
    region.point_b = on_b;
  }
  // The exit of the deepest point is exact where it is much the same; where faces coincide the sum of normals is not.
  const bool one_sided = dot(o.normal, o.normal) > 0.5;
  if (one_sided && !(region.normal.dot(math::to_eigen(o.normal)) > 0.8)) region.normal = math::to_eigen(o.normal);
  if (o.ball > std::max(region.depth, 0.0)) {
    region.depth = o.ball;
    // No ball in a box is larger than its shortest side.
    const Vec3 size = o.high - o.low;
    upper = std::max({upper, o.ball, 0.5 * std::min({size.x, size.y, size.z})});
    const Eigen::Vector3d center = math::to_eigen(o.ball_center);
    if (!region.normal.allFinite() || region.normal.norm() < 0.5) region.normal = Eigen::Vector3d::UnitX();
    region.point_b = center;
    region.point_a = center + o.ball * region.normal;
  }
  if (region.depth < 0) {  // open surfaces that cross
    region.depth = o.crossing;
    upper = INFINITY;
    region.normal = math::to_eigen(o.crossing_normal);
    region.point_a = math::to_eigen(o.crossing_point);
    region.point_b = region.point_a - o.crossing * region.normal;
  }
  region.error = upper - region.depth;
  if (region.depth <= none_below) {
    region.error = std::max(region.error, none_below);
    region.depth = 0;
    region.point_b = region.point_a;
  }
  // The box of a turned part is that of its corners.
  region.box = {Eigen::Vector3d::Constant(INFINITY), Eigen::Vector3d::Constant(-INFINITY)};
  for (int k = 0; k < 8; ++k) {
    const Eigen::Vector3d p =
        world * Eigen::Vector3d((k & 1) != 0 ? o.high.x : o.low.x, (k & 2) != 0 ? o.high.y : o.low.y,
                                (k & 4) != 0 ? o.high.z : o.low.z);
    region.box.min = region.box.min.cwiseMin(p);
    region.box.max = region.box.max.cwiseMax(p);
  }
  region.normal = world.linear() * region.normal;
  region.point_a = world * region.point_a;
  region.point_b = world * region.point_b;
  region.triangles_a = o.triangles[0];
  region.triangles_b = o.triangles[1];
  return region;
}

void sum_up(Clash& clash) {
  clash.volume = 0;
  clash.volume_error = 0;
  clash.box = {Eigen::Vector3d::Constant(INFINITY), Eigen::Vector3d::Constant(-INFINITY)};
  for (const ClashRegion& region : clash.regions) {
    clash.volume += region.volume;
    clash.volume_error += region.volume_error;
    clash.box.min = clash.box.min.cwiseMin(region.box.min);
    clash.box.max = clash.box.max.cwiseMax(region.box.max);
  }
}

std::optional<Clash> clash_of_meshes(const Shape::Part& a, const Shape::Part& b, const PairQuestion& question) {
  const MeshData& ma = *a.shape.data().mesh;
  const MeshData& mb = *b.shape.data().mesh;
  if (!mesh::collides({ma, a.pose, 0}, {mb, b.pose, 0})) {
    const bool near = mesh::collides({ma, a.pose, question.reach}, {mb, b.pose, 0});
    return near ? clash_by_translation(a, b, question) : std::nullopt;
  }
  const RelativePose pose = convex::relative_pose(a.pose, b.pose);
  const overlap::OverlapSearch search = overlap::find_overlaps(ma, mb, pose, 0.5 * question.tolerance, question.go_on);
  if (search.ended) return {};
  if (search.degenerate) return clash_by_translation(a, b, question);
  Clash clash;
  clash.distance = 0;
  clash.error = 2 * search.shift;
  for (const overlap::Overlap& o : search.overlaps) {
    ClashRegion region = region_of(o, 2 * search.shift, ma, mb, pose, a.pose);
    if (region.depth > question.tolerance) {
      clash.regions.push_back(std::move(region));
    } else if (-region.depth < clash.distance) {
      clash.distance = -region.depth;
      clash.error = region.error;
    }
  }
  if (clash.regions.empty()) {
    clash.kind = ClashKind::touch;
    clash.volume = 0;
    clash.volume_error = 0;
    for (const overlap::Overlap& o : search.overlaps) clash.volume_error += std::abs(o.volume) + o.volume_error;
    place_touch(ma, mb, pose, a.pose, clash);
    if (!clash.point_a.allFinite() &&
        !search.overlaps.empty()) {  // a part smaller than the tolerance, inside the other
      const overlap::Overlap& o = search.overlaps.front();
      clash.point_a = clash.point_b = a.pose * (0.5 * math::to_eigen(o.low + o.high));
      clash.normal = Eigen::Vector3d::UnitX();
    }
    return clash;
  }
  std::stable_sort(clash.regions.begin(), clash.regions.end(),
                   [](const ClashRegion& p, const ClashRegion& q) { return p.depth > q.depth; });
  const ClashRegion& worst = clash.regions.front();
  clash.kind = ClashKind::overlap;
  clash.distance = -worst.depth;
  clash.error = worst.error;
  clash.normal = worst.normal;
  clash.point_a = worst.point_a;
  clash.point_b = worst.point_b;
  sum_up(clash);
  if (question.separation) {
    const QueryResult result = distance(a.shape, a.pose, b.shape, b.pose);
    clash.separation = {-result.distance, result.error, result.normal};
  }
  return clash;
}

}  // namespace

std::optional<Clash> clash_of(const Shape::Part& a, const Shape::Part& b, const PairQuestion& question) {
  return is_measured(a.shape) && is_measured(b.shape) ? clash_of_meshes(a, b, question)
                                                      : clash_by_translation(a, b, question);
}

}  // namespace carom
