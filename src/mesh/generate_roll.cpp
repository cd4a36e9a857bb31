#include <cmath>
#include <numbers>

#include "carom/mesh/generate.hpp"
#include "mesh/generate_check.hpp"
#include "mesh/lattice.hpp"

namespace carom {
namespace {

/// Archimedes' spiral: r = start + slope * angle.
struct Spiral {
  double start = 1;
  double slope = 0;

  double radius(double angle) const { return start + slope * angle; }
  double speed(double angle) const { return std::hypot(radius(angle), slope); }
  double length(double angle) const { return primitive(radius(angle)) - primitive(start); }

  /// Newton's method; the length is convex in the angle, so that it comes down from above.
  double angle_at(double length_wanted, double last_angle) const {
    double angle = last_angle;
    for (int i = 0; i < 50; ++i) {
      const double next = angle - (length(angle) - length_wanted) / speed(angle);
      if (std::abs(next - angle) <= 1e-15 * last_angle) return next;
      angle = next;
    }
    return angle;
  }

 private:
  double primitive(double r) const { return (r * std::hypot(r, slope) / slope + slope * std::asinh(r / slope)) / 2; }
};

}  // namespace

TriangleMesh make_roll(double inner_radius, double gap, double turns, double width, int along, int across) {
  mesh::require_positive("make_roll", "inner_radius", inner_radius);
  mesh::require_positive("make_roll", "gap", gap);
  mesh::require_positive("make_roll", "turns", turns);
  mesh::require_positive("make_roll", "width", width);
  mesh::require_at_least("make_roll", "along", along, 1);
  mesh::require_at_least("make_roll", "across", across, 1);
  mesh::require_indexable("make_roll", "along and across", 2.0 * along * across);
  mesh::require_indexable("make_roll", "along and across", (along + 1.0) * (across + 1.0), "vertices");

  const double last_angle = 2 * std::numbers::pi * turns;
  const Spiral spiral{inner_radius, gap / (2 * std::numbers::pi)};
  const double length = spiral.length(last_angle);
  require(std::isfinite(length) && length > 0, ErrorCode::invalid_argument,
          "make_roll: inner_radius {}, gap {} and turns {} make a spiral too long or too short for numbers",
          inner_radius, gap, turns);

  TriangleMesh mesh;
  mesh.positions.reserve((static_cast<std::size_t>(along) + 1) * (static_cast<std::size_t>(across) + 1));
  for (int j = 0; j <= along; ++j) {
    const double angle = spiral.angle_at(length * j / along, last_angle);
    const double x = spiral.radius(angle) * std::cos(angle);
    const double y = spiral.radius(angle) * std::sin(angle);
    for (int i = 0; i <= across; ++i) mesh.positions.emplace_back(x, y, width * ((2.0 * i - across) / (2.0 * across)));
  }
  mesh.triangles = mesh::lattice_triangles(across, along);
  return mesh;
}

}  // namespace carom
