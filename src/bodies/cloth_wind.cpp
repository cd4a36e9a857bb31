#include <Eigen/Geometry>
#include <cmath>

#include "bodies/cloth_loads.hpp"
#include "core/check.hpp"

namespace carom {
namespace {

/// Number from -1 to 1 that depends on both, and on nothing else (the mixing of SplitMix64, Steele et al. 2014).
double scattered(std::int64_t knot, int seed) {
  std::uint64_t z = static_cast<std::uint64_t>(knot) * 0x9e3779b97f4a7c15ULL +
                    static_cast<std::uint64_t>(seed) * 0xd1b54a32d192ed03ULL + 0x632be59bd9b4e019ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return 2 * (static_cast<double>(z >> 11) * 0x1p-53) - 1;
}

/// Value noise: knots a unit apart, between them a polynomial of the fifth degree whose first two derivatives vanish at
/// the knots (Perlin 2002).
double smooth_noise(double x, int seed) {
  const double knot = std::floor(x);
  const double u = x - knot;
  const double s = u * u * u * (10 + u * (6 * u - 15));
  const auto k = static_cast<std::int64_t>(knot);
  return (1 - s) * scattered(k, seed) + s * scattered(k + 1, seed);
}

}  // namespace

Eigen::Vector3d Wind::at(double time) const {
  if (gust_strength == 0) return velocity;
  return (1 + gust_strength * smooth_noise(time / gust_period, gust_seed)) * velocity;
}

}  // namespace carom

namespace carom::cloth {
namespace {

/// Triangle in the wind.
struct Facet {
  Eigen::Vector3d normal;  ///< unit
  double area = 0;         ///< m^2
  double weight = 0;       ///< 1/kg, of its mean velocity
  Eigen::Vector3d mean;    ///< m/s, velocity
};

/// Impulse along a vector of a force that is `rate` (kg/s) times it, over an interval: implicit, so that it brakes but
/// never turns round.
double implicit_part(double rate, double interval, double weight) {
  return interval * rate / (1 + interval * rate * weight);
}

Eigen::Vector3d impulse_of(const Wind& wind, const Eigen::Vector3d& velocity, const Facet& facet, double interval) {
  const Eigen::Vector3d& n = facet.normal;
  if (wind.law == WindLaw::linear) return (interval * wind.linear_pressure * facet.area * velocity.dot(n)) * n;
  const Eigen::Vector3d relative = velocity - facet.mean;
  const double across = relative.dot(n);
  const double scale = 0.5 * wind.density * facet.area;
  if (wind.law == WindLaw::plate) {
    const double normal = implicit_part(scale * wind.normal_drag * std::abs(across), interval, facet.weight);
    const double tangent = implicit_part(scale * wind.tangent_drag * relative.norm(), interval, facet.weight);
    return normal * across * n + tangent * (relative - across * n);
  }
  // Drag along the relative velocity, lift across it towards the normal on the lee side; both fade with the sine of the
  // angle between the triangle and the wind.
  const double speed = relative.norm();
  if (!(speed > 0)) return {0, 0, 0};
  const double sine = std::abs(across) / speed;
  const Eigen::Vector3d along = relative / speed;
  const Eigen::Vector3d lee = across < 0 ? Eigen::Vector3d(-n) : n;
  const Eigen::Vector3d lift = lee - lee.dot(along) * along;
  const double size = implicit_part(scale * speed * sine * std::max(wind.drag, wind.lift), interval, facet.weight);
  const double largest = std::max(wind.drag, wind.lift);
  if (!(largest > 0)) return {0, 0, 0};
  return (size * speed / largest) * (wind.drag * along + wind.lift * lift);
}

}  // namespace

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
  not_negative("drag", wind.drag);
  not_negative("lift", wind.lift);
  not_negative("linear_pressure", wind.linear_pressure);
  not_negative("gust_strength", wind.gust_strength);
  require(std::isfinite(wind.gust_period) && wind.gust_period > 0, ErrorCode::invalid_argument,
          "body '{}': wind.gust_period is {}; expected a positive number", body, wind.gust_period);
}

Impulse add_wind(const Wind& wind, double time, std::span<const Triangle> triangles, double interval,
                 std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> displacements,
                 std::span<const double> inverse_mass, std::span<Eigen::Vector3d> velocities) {
  Impulse total;
  const Eigen::Vector3d velocity = wind.at(time);
  for (const Triangle& t : triangles) {
    Eigen::Vector3d p[3];
    Facet facet{.normal = {0, 0, 0}, .area = 0, .weight = 0, .mean = {0, 0, 0}};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto v = static_cast<std::size_t>(t[k]);
      p[k] = start[v] + displacements[v];
      facet.mean += velocities[v] / 3;
      facet.weight += inverse_mass[v] / 9;
    }
    const Eigen::Vector3d doubled = (p[1] - p[0]).cross(p[2] - p[0]);
    const double size = doubled.norm();
    if (!(size > 0) || !(facet.weight > 0)) continue;
    facet.normal = doubled / size;
    facet.area = 0.5 * size;
    const Eigen::Vector3d impulse = impulse_of(wind, velocity, facet, interval);
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
