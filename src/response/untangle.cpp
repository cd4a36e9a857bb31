#include "response/untangle.hpp"

#include "core/at.hpp"

namespace carom::response {
namespace {

/// Speed at which the sides of a tangle come apart, m/s: half a meter of cloth is through in half a second, and no
/// vertex goes farther in a step of 1/60 s than cloth is fine.
constexpr double parting_speed = 1;

/// Vertices of one side, as one body.
struct TangleSide {
  double mass = 0;   ///< kg, of those that forces move
  double speed = 0;  ///< m/s along the direction, mean over the mass, or over vertices that nothing moves

  TangleSide(std::span<const Index> list, const Eigen::Vector3d& along, const bodies::Vertices& vertices) {
    double momentum = 0;
    double sum = 0;
    for (const Index v : list) {
      const double part = along.dot(vertices.start_velocities[at(v)]);
      sum += part;
      if (!(vertices.awake_inverse_mass[at(v)] > 0)) continue;
      const double vertex_mass = 1 / vertices.awake_inverse_mass[at(v)];
      mass += vertex_mass;
      momentum += vertex_mass * part;
    }
    if (mass > 0)
      speed = momentum / mass;
    else if (!list.empty())
      speed = sum / static_cast<double>(list.size());
  }

  void push(std::span<const Index> list, const Eigen::Vector3d& impulse, bodies::Vertices& vertices) const {
    if (!(mass > 0)) return;
    const Eigen::Vector3d change = impulse / mass;
    for (const Index v : list) {
      if (vertices.awake_inverse_mass[at(v)] > 0) vertices.start_velocities[at(v)] += change;
    }
  }
};

}  // namespace

void untangle(std::span<const contact::Tangle> tangles, bodies::Vertices& vertices) {
  for (const contact::Tangle& tangle : tangles) {
    const TangleSide moved(tangle.moved, tangle.direction, vertices);
    const TangleSide other(tangle.other, tangle.direction, vertices);
    const double missing = parting_speed - (moved.speed - other.speed);
    const double inverse_mass = (moved.mass > 0 ? 1 / moved.mass : 0) + (other.mass > 0 ? 1 / other.mass : 0);
    if (!(missing > 0) || !(inverse_mass > 0)) continue;
    const Eigen::Vector3d impulse = missing / inverse_mass * tangle.direction;
    moved.push(tangle.moved, impulse, vertices);
    other.push(tangle.other, -impulse, vertices);
  }
}

}  // namespace carom::response
