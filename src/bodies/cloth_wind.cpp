#include <Eigen/Geometry>
#include <cmath>

#include "bodies/cloth.hpp"
#include "core/check.hpp"

namespace carom::cloth {

void check(const std::string& body, const Wind& wind) {
  const Eigen::Vector3d& v = wind.velocity;
  require(is_finite(v), ErrorCode::not_finite, "body '{}': wind.velocity is ({}, {}, {}); expected finite", body, v.x(),
          v.y(), v.z());
  const auto not_negative = [&](const char* field, double value) {
    require(std::isfinite(value) && value >= 0, ErrorCode::invalid_argument,
            "body '{}': wind.{} is {}; expected a number that is not negative", body, field, value);
  };
  not_negative("density", wind.density);
  not_negative("normal_drag", wind.normal_drag);
  not_negative("tangent_drag", wind.tangent_drag);
}

Impulse add_wind(const Wind& wind, std::span<const Triangle> triangles, double interval,
                 std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> displacements,
                 std::span<const double> inverse_mass, std::span<Eigen::Vector3d> velocities) {
  Impulse total;
  for (const Triangle& t : triangles) {
    Eigen::Vector3d p[3];
    Eigen::Vector3d mean(0, 0, 0);
    double weight = 0;  // 1/kg, of the mean velocity
    for (std::size_t k = 0; k < 3; ++k) {
      const auto v = static_cast<std::size_t>(t[k]);
      p[k] = start[v] + displacements[v];
      mean += velocities[v] / 3;
      weight += inverse_mass[v] / 9;
    }
    const Eigen::Vector3d doubled = (p[1] - p[0]).cross(p[2] - p[0]);
    const double size = doubled.norm();
    if (!(size > 0) || !(weight > 0)) continue;
    const Eigen::Vector3d normal = doubled / size;
    const Eigen::Vector3d relative = wind.velocity - mean;
    const double across = relative.dot(normal);
    const Eigen::Vector3d along = relative - across * normal;
    // Half of density times area.
    const double scale = 0.25 * wind.density * size;
    // Implicit in the speed: the wind brakes, but never turns round.
    const auto part = [&](double coefficient, double speed) {
      const double rate = scale * coefficient * speed;
      return interval * rate / (1 + interval * rate * weight);
    };
    const Eigen::Vector3d impulse =
        (part(wind.normal_drag, std::abs(across)) * across) * normal + part(wind.tangent_drag, relative.norm()) * along;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto v = static_cast<std::size_t>(t[k]);
      velocities[v] += (inverse_mass[v] / 3) * impulse;
      total.angular += p[k].cross(impulse) / 3;
    }
    total.linear += impulse;
  }
  return total;
}

}  // namespace carom::cloth
