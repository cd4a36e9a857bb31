#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/stage_timer.hpp"
#include "world/state.hpp"

// Angular momentum of islands with deforming bodies. Anchors of contacts stand still over a step while bodies and
// vertices move, so what one side gains in angular momentum differs from what the other loses by the square of the
// step. Where nothing of an island is held from outside, the island as a whole turns by the difference, which no
// contact notices, and its energy does not grow by it. Islands of rigid bodies alone: rigid::restore_island_invariants.
namespace carom {

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

bool moves_freely(const World::State& s, const Body& body) {
  const rigid::Bodies& bodies = s.rigid.state.bodies;
  const auto i = static_cast<std::size_t>(body.number);
  if (body.motion == MotionModel::particles)
    return !body.asleep &&
           std::find(body.inverse_mass.begin(), body.inverse_mass.end(), 0.0) == body.inverse_mass.end();
  return bodies.mass[i].inverse > 0 && !bodies.mass[i].locked && bodies.asleep[i] == 0;
}

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
  FreeBodies(World::State& s, std::span<const BodyId> members) : s_(s), members_(members) {}

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
    const rigid::Bodies& bodies = s_.rigid.state.bodies;
    const Vector3d middle = 0.5 * (island.center_before + island.center);
    for (const BodyId id : members_) {
      const Body& body = s_.bodies[id];
      const auto i = static_cast<std::size_t>(body.number);
      if (body.motion == MotionModel::particles) {
        island.missing += s_.damped[i].angular - middle.cross(s_.damped[i].momentum);
        continue;
      }
      const Matrix3d own = inertia_in_world(bodies.mass[i], s_.rigid.next[i]);
      const Vector3d w = math::to_eigen(s_.rigid.next[i].w);
      Vector3d spin = math::to_eigen(s_.rigid.free[i].momentum);
      if (const response::CoupledBody* coupled = penalty_forces(i)) spin -= math::to_eigen(coupled->moment);
      island.angular += own * w;
      island.missing += spin - own * w;
      island.inertia += own;
      island.energy += 0.5 * w.dot(own * w);
    }
    // About a fixed point, too, where no gravity moves the centre: shortened sweeps and rounding displace it.
    if (s_.options.gravity.isZero(0)) {
      const Vector3d displaced = island.center - island.center_before - (s_.options.dt / island.mass) * island.momentum;
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
    for (const BodyId id : members_) {
      const Body& body = s_.bodies[id];
      const auto i = static_cast<std::size_t>(body.number);
      if (body.motion == MotionModel::particles) {
        const auto first = static_cast<std::size_t>(s_.first_vertex_of[i]);
        for (std::size_t v = first; v < first + body.positions.size(); ++v)
          s_.velocities[v] = turned(s_.positions[v], s_.velocities[v]);
        continue;
      }
      rigid::Motion& next = s_.rigid.next[i];
      const Vector3d w = math::to_eigen(next.w) + spin;
      next.v = math::to_vec3(turned(math::to_eigen(next.x), math::to_eigen(next.v)));
      next.w = math::to_vec3(w + lose * (whole - w));
    }
  }

  /// Penalty forces of surfaces are part of the free motion of a rigid body.
  const response::CoupledBody* penalty_forces(std::size_t body) const {
    if (s_.response != response::Kind::penalty || s_.coupled_of[body] < 0) return nullptr;
    return &s_.coupled[static_cast<std::size_t>(s_.coupled_of[body])];
  }

  template <class Visit>
  void each_point(Visit&& visit) const {
    const rigid::Bodies& bodies = s_.rigid.state.bodies;
    for (const BodyId id : members_) {
      const Body& body = s_.bodies[id];
      const auto i = static_cast<std::size_t>(body.number);
      if (body.motion == MotionModel::particles) {
        const auto first = static_cast<std::size_t>(s_.first_vertex_of[i]);
        for (std::size_t v = first; v < first + body.positions.size(); ++v) {
          visit({1 / s_.inverse_mass[v], s_.start[v], s_.start_velocities[v] + s_.options.dt * s_.options.gravity,
                 s_.positions[v], s_.velocities[v]});
        }
        continue;
      }
      const rigid::Motion& next = s_.rigid.next[i];
      const double mass = bodies.info[i].mass;
      Vector3d free = math::to_eigen(s_.rigid.free[i].v);
      if (const response::CoupledBody* coupled = penalty_forces(i)) free -= math::to_eigen(coupled->impulse) / mass;
      visit({mass, math::to_eigen(bodies.motion[i].x), free, math::to_eigen(next.x), math::to_eigen(next.v)});
    }
  }

  World::State& s_;
  std::span<const BodyId> members_;
};

}  // namespace

void note_air_damping(World::State& s, const contact::SurfacePart& part, double interval,
                      std::span<const Vector3d> displacements) {
  const Body& body = s.bodies[part.id];
  if (body.air_damping == 0) return;
  // Damping divided each velocity by 1 + interval * damping, and nothing since has changed their sums.
  const double lost = interval * body.air_damping;
  World::State::Damped& damped = s.damped[static_cast<std::size_t>(part.number)];
  for (std::size_t k = 0; k < body.positions.size(); ++k) {
    const std::size_t v = static_cast<std::size_t>(part.first_vertex) + k;
    if (s.inverse_mass[v] == 0) continue;
    const Vector3d momentum = (lost / s.inverse_mass[v]) * s.velocities[v];
    damped.momentum -= momentum;
    damped.angular -= (s.start[v] + displacements[v]).cross(momentum);
  }
}

void keep_angular_momentum(World::State& s, StageStats& stats) {
  if (!s.deforming || (s.next_contacts.contacts.empty() && s.coupled.empty() && s.limit.stops.empty())) return;
  const StageTimer timer(stats);
  const auto held = static_cast<std::int32_t>(s.rigid.state.bodies.size());  // stands for all that is held
  s.island_parent.resize(static_cast<std::size_t>(held) + 1);
  for (std::size_t i = 0; i < s.island_parent.size(); ++i) s.island_parent[i] = static_cast<std::int32_t>(i);
  s.island_touched.assign(s.island_parent.size(), 0);
  s.first_vertex_of.assign(static_cast<std::size_t>(held), none);
  for (const contact::SurfacePart& part : s.ranges)
    s.first_vertex_of[static_cast<std::size_t>(part.number)] = part.first_vertex;
  std::vector<std::uint8_t> free(static_cast<std::size_t>(held), 0);
  for (const BodyId id : s.order)
    free[static_cast<std::size_t>(s.bodies[id].number)] = moves_freely(s, s.bodies[id]) ? 1 : 0;
  const auto join = [&](std::int32_t a, std::int32_t b) {
    const auto root_of = [&](std::int32_t body) {
      return rigid::root(s.island_parent, body < held && free[static_cast<std::size_t>(body)] != 0 ? body : held);
    };
    const std::int32_t ra = root_of(a);
    const std::int32_t rb = root_of(b);
    // The larger number is the root, so that whatever is held is.
    s.island_parent[static_cast<std::size_t>(std::min(ra, rb))] = std::max(ra, rb);
  };
  for (std::size_t i = 0; i < s.next_contacts.contacts.size(); ++i) {
    const contact::AnchorIdentity& identity = s.next_contacts.identities[i];
    const std::int32_t a = s.bodies[identity.body_a].number;
    const std::int32_t b = s.bodies[identity.body_b].number;
    join(a, b);
    s.island_touched[static_cast<std::size_t>(a)] = s.island_touched[static_cast<std::size_t>(b)] = 1;
  }
  for (const response::CoupledBody& coupled : s.coupled) s.island_touched[static_cast<std::size_t>(coupled.body)] = 1;
  for (const response::ActivePair& touch : s.rigid.active_pairs) join(touch.body_a, touch.body_b);
  for (const ccd::Scratch::Stop& stop : s.rigid.ccd.stops) join(stop.a, stop.b);
  if (s.response == response::Kind::penalty) {
    // Impacts at which surfaces were stopped act on both sides.
    for (const ccd::SurfaceLimitScratch::Hit& stop : s.surface_limit.stops) {
      const auto collider = static_cast<std::size_t>(s.shape_contacts[stop.pair].collider);
      join(s.rigid.state.bodies.colliders[collider].body, s.ranges[s.shape_parts[stop.pair]].number);
    }
    for (const MovingContact& stop : s.limit.stops) {
      const std::int32_t a = contact::part_of_vertex(s.ranges, stop.vertices[0]).number;
      const std::int32_t b = contact::part_of_vertex(s.ranges, stop.vertices[3]).number;
      join(a, b);
      s.island_touched[static_cast<std::size_t>(a)] = s.island_touched[static_cast<std::size_t>(b)] = 1;
    }
  }
  for (std::int32_t i = 0; i < held; ++i) {
    if (s.island_touched[static_cast<std::size_t>(i)] != 0)
      s.island_touched[static_cast<std::size_t>(rigid::root(s.island_parent, i))] = 1;
  }
  std::vector<std::pair<std::int32_t, BodyId>> members;
  for (const BodyId id : s.order) {
    const Body& body = s.bodies[id];
    const std::int32_t r = rigid::root(s.island_parent, body.number);
    if (free[static_cast<std::size_t>(body.number)] == 0 || r == held ||
        s.island_touched[static_cast<std::size_t>(r)] == 0)
      continue;
    members.emplace_back(r, id);
  }
  std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<BodyId> island;
  for (std::size_t k = 0; k < members.size(); ++k) {
    island.push_back(members[k].second);
    if (k + 1 < members.size() && members[k + 1].first == members[k].first) continue;
    FreeBodies(s, island).keep_angular_momentum();
    island.clear();
  }
}

}  // namespace carom
