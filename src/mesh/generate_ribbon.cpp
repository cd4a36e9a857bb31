#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "carom/mesh/generate.hpp"
#include "mesh/generate_check.hpp"
#include "mesh/lattice.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

/// Curve through points, cubic between two of them (Catmull and Rom 1974); at the ends as if points went straight on.
class RibbonCurve {
 public:
  explicit RibbonCurve(std::span<const Vector3d> points) : points_(points.begin(), points.end()) {
    points_.insert(points_.begin(), 2 * points[0] - points[1]);
    points_.push_back(2 * points.back() - points[points.size() - 2]);
  }

  std::size_t pieces() const { return points_.size() - 3; }

  /// Point at a parameter of 0 to pieces().
  Vector3d at(double t) const {
    const auto piece = std::min(static_cast<std::size_t>(t), pieces() - 1);
    const double u = t - static_cast<double>(piece);
    const Vector3d& a = points_[piece];
    const Vector3d& b = points_[piece + 1];
    const Vector3d& c = points_[piece + 2];
    const Vector3d& d = points_[piece + 3];
    return 0.5 * (2 * b + u * (c - a) + u * u * (2 * a - 5 * b + 4 * c - d) + u * u * u * (3 * b - a - 3 * c + d));
  }

 private:
  std::vector<Vector3d> points_;
};

/// Points on a curve at equal distances along it.
std::vector<Vector3d> equal_steps(const RibbonCurve& curve, int count) {
  const int fine = 64 * static_cast<int>(curve.pieces());
  std::vector<double> length(1, 0.0);
  const auto parameter = [&](double step) { return static_cast<double>(curve.pieces()) * step / fine; };
  for (int i = 1; i <= fine; ++i)
    length.push_back(length.back() + (curve.at(parameter(i)) - curve.at(parameter(i - 1))).norm());
  std::vector<Vector3d> points;
  for (int k = 0; k <= count; ++k) {
    const double wanted = length.back() * k / count;
    const auto after = std::upper_bound(length.begin() + 1, length.end() - 1, wanted);
    const auto i = static_cast<double>(after - length.begin());
    const double from = *(after - 1);
    points.push_back(curve.at(parameter(i - 1 + std::clamp((wanted - from) / (*after - from), 0.0, 1.0))));
  }
  return points;
}

}  // namespace

TriangleMesh make_ribbon(std::span<const Vector3d> path, double width, int along, int across) {
  require(path.size() >= 2, ErrorCode::invalid_argument, "make_ribbon: path has {} points; expected at least 2",
          path.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    require(is_finite(path[i]), ErrorCode::not_finite, "make_ribbon: path: point {} is not finite", i);
    require(i == 0 || path[i] != path[i - 1], ErrorCode::invalid_argument,
            "make_ribbon: path: point {} is the one before it", i);
  }
  mesh::require_positive("make_ribbon", "width", width);
  mesh::require_at_least("make_ribbon", "along", along, 1);
  mesh::require_at_least("make_ribbon", "across", across, 1);
  mesh::require_indexable("make_ribbon", "along and across", 2.0 * along * across);
  mesh::require_indexable("make_ribbon", "along and across", (along + 1.0) * (across + 1.0), "vertices");

  const std::vector<Vector3d> middle = equal_steps(RibbonCurve(path), along);
  const auto tangent = [&](std::size_t i) {
    return Vector3d((middle[std::min(i + 1, middle.size() - 1)] - middle[i == 0 ? 0 : i - 1]).normalized());
  };
  // Flat at its beginning, then without twist: the frame of least rotation, by two reflections (Wang et al. 2008).
  Vector3d side = tangent(0).cross(Vector3d::UnitY());
  if (side.norm() < 1e-3) side = tangent(0).cross(Vector3d::UnitX());
  side.normalize();
  TriangleMesh mesh;
  for (std::size_t i = 0; i < middle.size(); ++i) {
    if (i > 0) {
      const Vector3d step = middle[i] - middle[i - 1];
      const auto reflect = [](const Vector3d& v, const Vector3d& by) {
        return by.squaredNorm() > 0 ? Vector3d(v - 2 * by.dot(v) / by.squaredNorm() * by) : v;
      };
      const Vector3d reflected = reflect(side, step);
      side = reflect(reflected, tangent(i) - reflect(tangent(i - 1), step)).normalized();
    }
    for (int k = 0; k <= across; ++k)
      mesh.positions.push_back(middle[i] + width * ((2.0 * k - across) / (2.0 * across)) * side);
  }
  mesh.triangles = mesh::lattice_triangles(across, along);
  return mesh;
}

}  // namespace carom
