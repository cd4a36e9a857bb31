#include "conservation/mixed_invariants.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/stage_timer.hpp"

// Angular momentum of islands with deforming bodies. Anchors of contacts stand still over a step while bodies and
// vertices move, so what one side gains in angular momentum differs from what the other loses by the square of the
// step. Where nothing of an island is held from outside, the island as a whole turns by the difference, which no
// contact notices, and its energy does not grow by it. Islands of rigid bodies alone: restore_island_invariants().
namespace carom::conservation {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Mass with a velocity: a vertex, or a rigid body without its spin.
struct PointMass {
  double mass;
  Vector3d start;     ///< m, at the start of the step
  Vector3d free;      ///< m/s, without contacts and springs
  Vector3d end;       ///< m
  Vector3d velocity;  ///< m/s, at the end
};

struct FreeIsland {
  double mass = 0;
  Vector3d center_before = Vector3d::Zero();
  Vector3d center = Vector3d::Zero();
  Vector3d momentum = Vector3d::Zero();
  Vector3d angular = Vector3d::Zero();  ///< about the centre
  Vector3d missing = Vector3d::Zero();
  Matrix3d inertia = Matrix3d::Zero();
  double energy = 0;
};

Matrix3d inertia_in_world(const rigid::Mass& mass, const rigid::Motion& motion) {
  const math::Mat3 turn = math::matrix(motion.q);
  Matrix3d inertia;
  for (Eigen::Index k = 0; k < 3; ++k)
    inertia.col(k) = math::to_eigen(rigid::turned(turn, mass.inertia, math::to_vec3(Vector3d::Unit(k))));
  return inertia;
}

/// Bodies of one island that nothing holds, and what acts on them.
class FreeBodies {
 public:
  FreeBodies(const MixedIn& in, bodies::Vertices& vertices, SlotSpan<rigid::Motion> next,
             std::span<const BodySlot> members)
      : in_(in), vertices_(vertices), next_(next), members_(members) {}

  void keep_angular_momentum() {
    FreeIsland island;
    each_point([&](const PointMass& p) {
      island.mass += p.mass;
      island.center_before += p.mass * p.start;
      island.center += p.mass * p.end;
    });
    island.center_before /= island.mass;
    island.center /= island.mass;
    each_point([&](const PointMass& p) {
      const Vector3d r = p.end - island.center;
      const Vector3d angular = r.cross(p.mass * p.velocity);
      island.momentum += p.mass * p.velocity;
      island.angular += angular;
      island.missing += (p.start - island.center_before).cross(p.mass * p.free) - angular;
      island.inertia += p.mass * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
      island.energy += 0.5 * p.mass * p.velocity.squaredNorm();
    });
    const rigid::Bodies& bodies = in_.table;
    const Vector3d middle = 0.5 * (island.center_before + island.center);
    for (const BodySlot slot : members_) {
      const BodySlot i = slot;
      if (in_.table.info[i].deforms) {
        island.missing += vertices_.damped[i].angular - middle.cross(vertices_.damped[i].momentum);
        continue;
      }
      const Matrix3d own = inertia_in_world(bodies.mass[i], next_[i]);
      const Vector3d w = math::to_eigen(next_[i].w);
      Vector3d spin = math::to_eigen(in_.free[i].momentum);
      if (const contact::CoupledBody* coupled = penalty_forces(i)) spin -= math::to_eigen(coupled->moment);
      island.angular += own * w;
      island.missing += spin - own * w;
      island.inertia += own;
      island.energy += 0.5 * w.dot(own * w);
    }
    // About a fixed point, too, where no gravity moves the centre: shortened sweeps and rounding displace it.
    if (in_.gravity.isZero(0)) {
      const Vector3d displaced = island.center - island.center_before - (in_.dt / island.mass) * island.momentum;
      island.missing -= displaced.cross(island.momentum);
    }
    turn_by_missing(island);
  }

 private:
  void turn_by_missing(const FreeIsland& island) {
    const Matrix3d inverse = island.inertia.inverse();
    const Vector3d spin = inverse * island.missing;
    const Vector3d whole = inverse * (island.angular + island.missing);
    if (!spin.allFinite() || !whole.allFinite()) return;
    // Energy with the spin, and of it what bodies have from moving with the whole.
    const double now = island.energy + spin.dot(island.angular) + 0.5 * spin.dot(island.missing);
    const double rigid =
        0.5 * island.momentum.squaredNorm() / island.mass + 0.5 * whole.dot(island.angular + island.missing);
    const double lose =
        now > island.energy && now > rigid ? 1 - std::sqrt(std::max(0.0, (island.energy - rigid) / (now - rigid))) : 0;
    const Vector3d drift = island.momentum / island.mass;
    const auto turned = [&](const Vector3d& position, const Vector3d& velocity) {
      const Vector3d r = position - island.center;
      const Vector3d v = velocity + spin.cross(r);
      return Vector3d(v + lose * (drift + whole.cross(r) - v));
    };
    for (const BodySlot slot : members_) {
      const BodySlot i = slot;
      if (in_.table.info[i].deforms) {
        const bodies::SurfacePart& part = part_of(slot);
        if (in_.bodies[part.id].is_soft()) {
          solid::Motion& motion = motion_of(part);
          for (std::size_t n = 0; n < motion.start.size(); ++n)
            motion.velocities[n] = turned(motion.start[n] + motion.displacements[n], motion.velocities[n]);
          continue;
        }
        const std::span positions = part.of(vertices_.positions);
        const std::span velocities = part.of(vertices_.velocities);
        for (std::size_t v = 0; v < positions.size(); ++v) velocities[v] = turned(positions[v], velocities[v]);
        continue;
      }
      rigid::Motion& next = next_[i];
      const Vector3d w = math::to_eigen(next.w) + spin;
      next.v = math::to_vec3(turned(math::to_eigen(next.x), math::to_eigen(next.v)));
      next.w = math::to_vec3(w + lose * (whole - w));
    }
  }

  /// Penalty forces of surfaces are part of the free motion of a rigid body.
  const contact::CoupledBody* penalty_forces(BodySlot body) const {
    if (in_.penalty_forces == nullptr || in_.penalty_forces->number[body] < 0) return nullptr;
    return &in_.penalty_forces->list[at(in_.penalty_forces->number[body])];
  }

  template <class Visit>
  void each_point(Visit&& visit) const {
    const rigid::Bodies& bodies = in_.table;
    for (const BodySlot slot : members_) {
      const BodySlot i = slot;
      if (in_.table.info[i].deforms) {
        const bodies::SurfacePart& part = part_of(slot);
        if (in_.bodies[part.id].is_soft()) {
          const solid::Motion& motion = motion_of(part);
          const std::vector<double>& mass = in_.bodies[part.id].soft.model->mass;
          for (std::size_t n = 0; n < motion.start.size(); ++n)
            visit({mass[n], motion.start[n], motion.start_velocities[n] + in_.dt * in_.gravity,
                   motion.start[n] + motion.displacements[n], motion.velocities[n]});
          continue;
        }
        const auto first = static_cast<std::size_t>(part.first_vertex);
        for (std::size_t v = first; v < first + static_cast<std::size_t>(part.vertex_count); ++v) {
          if (vertices_.inverse_mass[v] == 0) continue;  // in no triangle
          visit({1 / vertices_.inverse_mass[v], vertices_.start[v],
                 vertices_.start_velocities[v] + in_.dt * in_.gravity, vertices_.positions[v],
                 vertices_.velocities[v]});
        }
        continue;
      }
      const rigid::Motion& next = next_[i];
      const double mass = bodies.info[i].mass;
      Vector3d free = math::to_eigen(in_.free[i].v);
      if (const contact::CoupledBody* coupled = penalty_forces(i)) free -= math::to_eigen(coupled->impulse) / mass;
      visit({mass, math::to_eigen(bodies.motion[i].x), free, math::to_eigen(next.x), math::to_eigen(next.v)});
    }
  }

  const bodies::SurfacePart& part_of(BodySlot slot) const {
    const auto& parts = vertices_.parts;
    return *std::find_if(parts.begin(), parts.end(),
                         [&](const bodies::SurfacePart& part) { return part.body == slot; });
  }

  solid::Motion& motion_of(const bodies::SurfacePart& part) const {
    return vertices_.soft_motions[static_cast<std::size_t>(&part - vertices_.parts.data())];
  }

  const MixedIn& in_;
  bodies::Vertices& vertices_;
  SlotSpan<rigid::Motion> next_;
  std::span<const BodySlot> members_;
};

}  // namespace

void keep_angular_momentum(const MixedIn& in, bodies::Vertices& vertices, SlotSpan<rigid::Motion> next,
                           StageStats& stats) {
  const StageTimer timer(stats);
  for (const island::Island& island : in.islands.islands()) {
    if (!island.held && island.deforms)
      FreeBodies(in, vertices, next, in.islands.members(island)).keep_angular_momentum();
  }
}

}  // namespace carom::conservation
