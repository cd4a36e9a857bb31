#include "response/penalty_springs.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/check.hpp"

namespace carom::rigid_penalty {
namespace {

using contacts::Contact;
using contacts::Point;
using contacts::System;

/// Default of h^2 k / m, which must be below four: a bounce of a ball then takes some ten substeps.
constexpr double chosen = 0.25;

/// J, in a spring that is pressed by `depth` and opens with `speed`. With explicit substeps h that is not k d^2 / 2:
/// what they keep is half of m v^2 + h k d v + k d^2. It is below zero for what has just come in.
double energy_of(double stiffness, double depth, double speed, double h) {
  return 0.5 * stiffness * depth * (depth + h * speed);
}

/// Lets springs that are found pressed by more than they hold, `stored`, rest where they are not: in the ratio in which
/// they pushed last, and none farther than it overlaps.
void rest(std::span<const Point> points, const contact::CachedManifold& pair, double stored, double h,
          std::span<Spring> springs) {
  std::array<double, convex::max_manifold_points> ratio{};
  double pushed = 0;
  double held = 0;
  for (std::size_t k = 0; k < springs.size(); ++k) {
    const double overlap = std::max(0.0, -springs[k].gap);
    held += energy_of(springs[k].stiffness, overlap, points[k].speed, h);
    if (!(overlap > 0) || !(springs[k].stiffness > 0)) continue;
    ratio[k] = static_cast<double>(pair.points[k].impulse) / springs[k].stiffness;
    pushed += ratio[k];
  }
  if (!(held > stored)) return;
  for (std::size_t k = 0; k < springs.size(); ++k) {
    springs[k].rest = std::min(0.0, springs[k].gap);
    if (!(pushed > 0)) ratio[k] = -springs[k].rest;
  }
  // All pressed by a multiple of these, so that they hold what is left over by those that cannot be pressed farther.
  for (bool again = true; again;) {
    double square = 0;
    double linear = 0;
    for (std::size_t k = 0; k < springs.size(); ++k) {
      square += 0.5 * springs[k].stiffness * ratio[k] * ratio[k];
      linear += 0.5 * springs[k].stiffness * ratio[k] * h * points[k].speed;
    }
    if (!(square > 0)) return;
    const double root = std::sqrt(std::max(0.0, linear * linear + 4 * square * stored));
    const double factor = std::max(0.0, (root - linear) / (2 * square));
    again = false;
    for (std::size_t k = 0; k < springs.size(); ++k) {
      const double overlap = -springs[k].gap;
      if (!(ratio[k] > 0) || factor * ratio[k] < overlap) continue;
      springs[k].rest = 0;
      ratio[k] = 0;
      stored -= energy_of(springs[k].stiffness, overlap, points[k].speed, h);
      again = true;
    }
    if (again) continue;
    for (std::size_t k = 0; k < springs.size(); ++k) {
      if (ratio[k] > 0) springs[k].rest = springs[k].gap + factor * ratio[k];
    }
  }
}

/// m, of the overlap at a point.
double not_pressed(const Spring& spring) {
  return -std::max(spring.rest, spring.gap);
}

/// Overlap without a spring force that is left, as a fraction of the depth by which the springs of the pair are
/// pressed. Each step leaves a little of it, as points stand still on bodies that turn; what moves bodies apart does
/// not know of friction, and a house of cards that is moved by hairs at each of its edges all the time falls down.
constexpr double left_shut = 0.25;

/// 1/kg, along the normals of a pair for speeds in the ratio in which its points now have them: what a box that falls
/// flat meets is its mass, not how easily it rocks.
double inverse_effective_mass_of_impact(const System& s, std::span<const Point> points) {
  double squares = 0;
  for (const Point& p : points) squares += p.speed * p.speed;
  if (!(squares > 0)) return 0;
  Vec3 along;
  Vec3 turn_a;
  Vec3 turn_b;
  for (const Point& p : points) {
    along = along + p.speed * p.normal.along;
    turn_a = turn_a + p.speed * p.normal.turn_a;
    turn_b = turn_b + p.speed * p.normal.turn_b;
  }
  const auto of = [&](const contacts::Body& body, const Vec3& turn) {
    if (!body.moves) return 0.0;
    return dot(along, contacts::scaled(body.inverse_mass, along)) + dot(turn, body.inverse_inertia * turn);
  };
  return (of(s.bodies[points.front().a], turn_a) + of(s.bodies[points.front().b], turn_b)) / squares;
}

}  // namespace

void stiffen(const response::In& in, const SolverOptions& options, ManifoldSpan<const contact::CachedManifold> pairs,
             Scratch& scratch) {
  const System& s = scratch.system;
  scratch.springs.assign(s.points.size(), {});
  const double h = in.dt / options.penalty.substeps;
  for (const Contact& c : s.contacts) {
    const double restitution = s.points[c.first].restitution;
    const auto wanted = [&](double stiffness, double inverse_effective_mass) {
      if (!(restitution > 0)) return options.penalty.damping;
      return scratch.rebounds.damping_ratio(restitution, h * std::sqrt(stiffness * inverse_effective_mass));
    };
    const double impact_inverse_effective_mass = inverse_effective_mass_of_impact(s, {&s.points[c.first], c.count});
    for (std::size_t k = 0; k < c.count; ++k) {
      const Point& p = s.points[c.first + k];
      const Moving& a = scratch.moving[p.a];
      const Moving& b = scratch.moving[p.b];
      const double inverse_effective_mass = a.inverse_effective_mass + b.inverse_effective_mass;
      const double normal_inverse_effective_mass = a.normal_inverse_effective_mass + b.normal_inverse_effective_mass;
      Spring& spring = scratch.springs[c.first + k];
      spring.gap = p.gap;
      spring.pull = p.pull;
      spring.place = pairs[c.pair].points[k].middle;
      if (!(normal_inverse_effective_mass > 0)) continue;  // all of it is locked
      const double stiffness =
          options.penalty.stiffness > 0 ? options.penalty.stiffness : chosen / (h * h * inverse_effective_mass);
      // More damping than this share of what is stable would not be.
      const double soft = std::sqrt(normal_inverse_effective_mass / inverse_effective_mass);
      const double max_ratio = 0.2 * (4 - chosen) / (std::sqrt(chosen) * soft);
      const double ratio = std::min(wanted(stiffness, normal_inverse_effective_mass), max_ratio);
      if (options.penalty.stiffness > 0) {
        // x^2 + 4 r x < 4 for x = h sqrt(k give), r the larger ratio of damping.
        const double r = std::max(ratio * soft, 1.0);
        const double x = 2 * std::sqrt(r * r + 1) - 2 * r;
        const double largest = x * x / (h * h * inverse_effective_mass);
        require(stiffness <= largest, ErrorCode::unstable,
                "bodies '{}' and '{}': solver.penalty.stiffness is {} N/m; at most {:.4g} is stable with dt {} and {} "
                "substeps",
                in.bodies.info[p.a].name, in.bodies.info[p.b].name, stiffness, largest, in.dt,
                options.penalty.substeps);
      }
      spring.stiffness = stiffness;
      spring.inverse_effective_mass = normal_inverse_effective_mass;
      spring.bearable = inverse_effective_mass;
      spring.damping = 2 * ratio * std::sqrt(stiffness / normal_inverse_effective_mass);
      spring.impact_inverse_effective_mass = normal_inverse_effective_mass;
      spring.bounces = restitution > 0;
      if (impact_inverse_effective_mass > 0) {
        const double stable =
            0.4 * (4 - h * h * stiffness * inverse_effective_mass) / (h * normal_inverse_effective_mass);
        const double together = std::min(wanted(stiffness, impact_inverse_effective_mass), max_ratio);
        spring.impact_inverse_effective_mass = impact_inverse_effective_mass;
        spring.damping = std::max(
            spring.damping, std::min(stable, 2 * together * std::sqrt(stiffness / impact_inverse_effective_mass)));
      }
      spring.drag = 2 * std::sqrt(stiffness / inverse_effective_mass);
    }
    rest({&s.points[c.first], c.count}, pairs[c.pair], static_cast<double>(pairs[c.pair].stored), h,
         {scratch.springs.data() + c.first, c.count});
  }
}

double energy(std::span<const Spring> springs, double h) {
  double sum = 0;
  for (const Spring& spring : springs)
    sum += energy_of(spring.stiffness, std::max(0.0, spring.rest - spring.gap), spring.opening, h);
  return sum;
}

void ask_apart(const contact::CachedManifold& pair, double resting_speed, double dt, std::span<const Spring> springs,
               std::span<Point> points) {
  double pressed = 0;
  for (const Spring& spring : springs) pressed = std::max(pressed, spring.rest - spring.gap);
  for (std::size_t k = 0; k < springs.size(); ++k) {
    const double deep = not_pressed(springs[k]) - (pair.opening ? 0 : left_shut * pressed);
    points[k].apart = deep > 0 ? std::min(deep / dt, resting_speed) : std::min(0.0, -springs[k].gap / dt);
  }
}

bool is_opening(const System& s, double resting_speed, double dt, std::span<const Spring> springs,
                std::span<const Point> points) {
  constexpr double rounding = 0.01;
  for (std::size_t k = 0; k < springs.size(); ++k) {
    const Point& p = points[k];
    if (!(p.apart > 0)) continue;
    const double opened = contacts::moved_apart(p.normal, s.bodies[p.a], s.bodies[p.b]);
    if (opened > 0.5 * p.apart && not_pressed(springs[k]) > dt * (opened + rounding * resting_speed)) return true;
  }
  return false;
}

}  // namespace carom::rigid_penalty
