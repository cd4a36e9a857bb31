#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/stage_timer.hpp"
#include "shapes/support.hpp"
#include "world/rigid_world.hpp"

namespace carom::rigid {
namespace {

constexpr std::size_t body_grain = 256;
constexpr std::size_t pair_grain = 32;

/// Of the smaller body of a pair: what two colliders may have moved before the narrow phase looks again.
constexpr double keep_share = 5e-5;
/// Of the size of a body: how much larger its box is than it.
constexpr double box_share = 0.1;
/// Of the smaller of two bodies: what is farther apart makes no contact ahead of time, however fast.
constexpr double ahead_share = 0.5;

double length(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

bool still_or_static(const Bodies& bodies, std::size_t body) {
  return bodies.asleep[body] != 0 || bodies.info[body].kind == RigidKind::static_body;
}

/// No point of the body is faster.
double fastest(const Bodies& bodies, std::size_t body, double reach) {
  const Motion& m = bodies.motion[body];
  return length(m.v) + (reach < INFINITY ? length(m.w) * reach : 0.0);
}

void predict(Context& context, World& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  const Bodies& bodies = world.state.bodies;
  world.free.resize(bodies.size());
  world.poses.rotation.resize(bodies.size());
  world.poses.shape.resize(bodies.colliders.size(), Eigen::Isometry3d::Identity());
  parallel_for(context.workers, bodies.size(), body_grain, [&](std::size_t i) {
    const Motion& m = bodies.motion[i];
    const Mat3 r = detail::matrix(m.q);
    world.poses.rotation[i] = r;
    const Info& info = bodies.info[i];
    for (std::int32_t k = 0; k < info.collider_count; ++k) {
      const auto c = static_cast<std::size_t>(info.first_collider) + static_cast<std::size_t>(k);
      const Collider& collider = bodies.colliders[c];
      const Mat3 turn = r * collider.rotation;
      const Vec3 place = r * collider.place + m.x;
      double* to = world.poses.shape[c].matrix().data();
      const Vec3 columns[4] = {turn.x, turn.y, turn.z, place};
      for (int j = 0; j < 4; ++j) {
        to[4 * j] = columns[j].x;
        to[4 * j + 1] = columns[j].y;
        to[4 * j + 2] = columns[j].z;
      }
    }
    if (bodies.asleep[i] == 0)
      world.free[i] =
          free_motion(m, bodies.mass[i], info, options.gravity, bodies.force[i], bodies.torque[i], options.dt);
  });
  stats.in += bodies.size();
  stats.out += bodies.size();
}

Box box_of(const Collider& collider, const Eigen::Isometry3d& pose, double margin) {
  if (collider.core->kind == shapes::CoreKind::half_space)
    return {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  const double* m = pose.matrix().data();
  const double grow = collider.core->radius + margin;
  double low[3];
  double high[3];
  for (int k = 0; k < 3; ++k) {
    const Vec3 d{m[k], m[4 + k], m[8 + k]};
    low[k] = m[12 + k] + dot(d, shapes::support(*collider.core, -d).p) - grow;
    high[k] = m[12 + k] + dot(d, shapes::support(*collider.core, d).p) + grow;
  }
  return {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

void bound(Context& context, World& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  world.left_box.assign(bodies.size(), 0);
  parallel_for(context.workers, bodies.size(), body_grain, [&](std::size_t i) {
    WorldState::Boxed& boxed = s.boxed[i];
    const Motion& m = bodies.motion[i];
    const Info& info = bodies.info[i];
    double reach = 0;
    double size = 0;
    for (std::int32_t k = 0; k < info.collider_count; ++k) {
      const Collider& c = bodies.colliders[static_cast<std::size_t>(info.first_collider) + static_cast<std::size_t>(k)];
      reach = std::max(reach, c.reach);
      size = std::max(size, c.size);
    }
    if (boxed.margin >= 0 && (still_or_static(bodies, i) || reach == INFINITY)) return;
    // No pair looks farther ahead than this, see look().
    const double ahead = std::min(fastest(bodies, i, reach) * options.dt, ahead_share * size);
    const double least = 0.5 * options.rigid.speculative_distance + ahead;
    if (boxed.margin >= 0) {
      const Quat t = detail::conjugate(boxed.q) * m.q;
      const double moved = length(m.x - boxed.x) + 2 * std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z) * reach;
      if (moved + least <= boxed.margin) return;
    }
    const bool fixed = info.kind == RigidKind::static_body;
    boxed = {m.x, m.q, fixed ? least : least + box_share * size};
    for (std::int32_t k = 0; k < info.collider_count; ++k) {
      const auto c = static_cast<std::size_t>(info.first_collider) + static_cast<std::size_t>(k);
      s.boxes[c] = box_of(bodies.colliders[c], world.poses.shape[c], boxed.margin);
    }
    world.left_box[i] = 1;
  });
  std::uint64_t left = 0;
  for (const std::uint8_t l : world.left_box) left += l;
  if (left > 0) s.pairs_stale = true;
  stats.in += bodies.size();
  stats.out += bodies.size();
  stats.add_counted("new boxes", left);
}

bool may_touch(const WorldState& s, std::int32_t ca, std::int32_t cb) {
  const Bodies& bodies = s.bodies;
  std::int32_t a = bodies.colliders[static_cast<std::size_t>(ca)].body;
  std::int32_t b = bodies.colliders[static_cast<std::size_t>(cb)].body;
  if (a == b) return false;
  const Info& ia = bodies.info[static_cast<std::size_t>(a)];
  const Info& ib = bodies.info[static_cast<std::size_t>(b)];
  if (ia.kind != RigidKind::dynamic && ib.kind != RigidKind::dynamic) return false;
  if ((ia.group & ib.mask) == 0 || (ib.group & ia.mask) == 0) return false;
  if (s.excluded.empty()) return true;
  if (a > b) std::swap(a, b);
  return !std::binary_search(s.excluded.begin(), s.excluded.end(), std::array<std::int32_t, 2>{a, b});
}

Pair new_pair(const WorldState& s, const ColliderPair& key) {
  Pair pair;
  pair.collider_a = key.a;
  pair.collider_b = key.b;
  pair.body_a = s.bodies.colliders[static_cast<std::size_t>(key.a)].body;
  pair.body_b = s.bodies.colliders[static_cast<std::size_t>(key.b)].body;
  const Info& a = s.bodies.info[static_cast<std::size_t>(pair.body_a)];
  const Info& b = s.bodies.info[static_cast<std::size_t>(pair.body_b)];
  pair.friction = static_cast<float>(std::sqrt(a.friction * b.friction));
  pair.restitution = static_cast<float>(std::max(a.restitution, b.restitution));
  return pair;
}

void find_pairs(World& world, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  if (s.pairs_stale) {
    overlapping_pairs(s.boxes, world.broad, world.found,
                      [&](std::int32_t a, std::int32_t b) { return may_touch(s, a, b); });
    // Both lists are sorted: what is in both stays where it is.
    world.next_entries.clear();
    std::size_t old = 0;
    const auto drop = [&] { s.free_pairs.push_back(s.entries[old++].pair); };
    for (const ColliderPair& key : world.found) {
      while (old < s.entries.size() && s.entries[old].key < key) drop();
      if (old < s.entries.size() && s.entries[old].key == key) {
        world.next_entries.push_back(s.entries[old++]);
        continue;
      }
      std::int32_t place;
      if (s.free_pairs.empty()) {
        place = static_cast<std::int32_t>(s.pairs.size());
        s.pairs.emplace_back();
      } else {
        place = s.free_pairs.back();
        s.free_pairs.pop_back();
      }
      s.pairs[static_cast<std::size_t>(place)] = new_pair(s, key);
      world.next_entries.push_back({key, place});
    }
    while (old < s.entries.size()) drop();
    std::swap(s.entries, world.next_entries);
    s.pairs_stale = false;
    stats.add_counted("sweeps", 1);
  }
  stats.in += s.bodies.colliders.size();
  stats.out += s.entries.size();
}

/// Both do not move by themselves: the points of the pair stay what they are.
bool idle(const Bodies& bodies, const Pair& pair) {
  return still_or_static(bodies, static_cast<std::size_t>(pair.body_a)) &&
         still_or_static(bodies, static_cast<std::size_t>(pair.body_b));
}

void look(Context& context, World& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  world.looked.assign(chunk_count(s.entries.size(), pair_grain), 0);
  parallel_chunks(context.workers, s.entries.size(), pair_grain,
                  [&](std::size_t begin, std::size_t end, std::size_t chunk) {
                    for (std::size_t i = begin; i < end; ++i) {
                      Pair& pair = s.pairs[static_cast<std::size_t>(s.entries[i].pair)];
                      if (idle(s.bodies, pair)) continue;
                      const Collider& ca = s.bodies.colliders[static_cast<std::size_t>(pair.collider_a)];
                      const Collider& cb = s.bodies.colliders[static_cast<std::size_t>(pair.collider_b)];
                      const double size = std::min(ca.size, cb.size);
                      const double speed = fastest(s.bodies, static_cast<std::size_t>(pair.body_a), ca.reach) +
                                           fastest(s.bodies, static_cast<std::size_t>(pair.body_b), cb.reach);
                      const double base = std::min(options.rigid.speculative_distance, 0.1 * size);
                      const double within = base + std::min(speed * options.dt, ahead_share * size);
                      if (update(pair, s.bodies, world.poses, within, keep_share * size)) ++world.looked[chunk];
                    }
                  });
  std::uint64_t looked = 0;
  for (const std::uint32_t n : world.looked) looked += n;
  stats.in += s.entries.size();
  stats.add_counted("looked at", looked);
}

/// Ids for new points, and the list of pairs that have any. What is touched wakes up.
void identify(World& world, const RigidOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  WorldState& s = world.state;
  const Bodies& bodies = s.bodies;
  const auto moves = [&](std::int32_t body, double reach) {
    const auto i = static_cast<std::size_t>(body);
    return !still_or_static(bodies, i) && fastest(bodies, i, reach) > options.sleep_speed;
  };
  for (const WorldState::Entry& entry : s.entries) {
    Pair& pair = s.pairs[static_cast<std::size_t>(entry.pair)];
    if (pair.count == 0 || idle(bodies, pair)) continue;
    bool fresh = false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
      if (pair.points[i].id != 0) continue;
      pair.points[i].id = s.next_contact++;
      fresh = true;
    }
    const bool a_sleeps = bodies.asleep[static_cast<std::size_t>(pair.body_a)] != 0;
    const bool b_sleeps = bodies.asleep[static_cast<std::size_t>(pair.body_b)] != 0;
    if (!a_sleeps && !b_sleeps) continue;
    const double reach_a = bodies.colliders[static_cast<std::size_t>(pair.collider_a)].reach;
    const double reach_b = bodies.colliders[static_cast<std::size_t>(pair.collider_b)].reach;
    if (fresh || moves(pair.body_a, reach_a) || moves(pair.body_b, reach_b))
      wake(s, a_sleeps ? pair.body_a : pair.body_b);
  }
  s.touching.clear();
  std::uint64_t points = 0;
  for (const WorldState::Entry& entry : s.entries) {
    const Pair& pair = s.pairs[static_cast<std::size_t>(entry.pair)];
    if (pair.count == 0 || idle(bodies, pair)) continue;
    s.touching.push_back(entry.pair);
    points += static_cast<std::uint64_t>(pair.count);
  }
  stats.in += s.touching.size();
  stats.out += points;
}

/// The new motion of a body that has contacts.
Motion solved_motion(const Motion& m, const Mass& mass, const Info& info, const Free& free,
                     const soft::Outcome& outcome, const kernels::SoftBody& solved, double dt, int substeps) {
  Motion next;
  const float* d = solved.displacement;
  next.x = m.x + Vec3{d[0], d[1], d[2]};
  Vec3 turn{d[3], d[4], d[5]};
  if (free.spins) {
    // The substeps turned with a spin that changes evenly; the free turn knows better.
    const Vec3 even = dt * (m.w + (substeps + 1) / (2.0 * substeps) * (free.w - m.w));
    turn = turn + (detail::rotation_vector(free.q * detail::conjugate(m.q)) - even);
  }
  next.q = detail::normalized(detail::rotation_by(turn) * m.q);
  next.v = unlocked(free.v + mass.inverse * outcome.impulse, info.locked_translation);
  if (mass.locked) {
    const float* w = solved.velocity;
    next.w = unlocked({w[3], w[4], w[5]}, info.locked_rotation);
  } else {
    next.w = turned(detail::matrix(next.q), mass.inverse_inertia, free.momentum + outcome.moment);
  }
  return next;
}

void commit(Context& context, World& world, const StepOptions& options, StageStats& stats) {
  const StageTimer timer(stats);
  Bodies& bodies = world.state.bodies;
  const soft::Scratch& soft = world.soft;
  parallel_for(context.workers, bodies.size(), body_grain, [&](std::size_t i) {
    Motion& m = bodies.motion[i];
    const Free& free = world.free[i];
    const RigidKind kind = bodies.info[i].kind;
    bodies.force[i] = {};
    bodies.torque[i] = {};
    if (kind == RigidKind::static_body || bodies.asleep[i] != 0) return;
    const std::int32_t row = soft.row[i];
    if (kind == RigidKind::dynamic && row >= 0) {
      const auto r = static_cast<std::size_t>(row);
      m = solved_motion(m, bodies.mass[i], bodies.info[i], free, soft.outcome[r], soft.bodies[r], options.dt,
                        options.rigid.substeps);
      return;
    }
    // Exact where the force is constant.
    m.x = m.x + 0.5 * options.dt * (m.v + free.v);
    m.v = free.v;
    m.w = free.w;
    m.q = free.q;
  });
  stats.in += bodies.size();
  stats.out += bodies.size();
}

/// Before anything is changed.
void check_range(const World& world, double dt) {
  const Bodies& bodies = world.state.bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.asleep[i] != 0) continue;
    const Free& f = world.free[i];
    double sum = std::abs(f.v.x) + std::abs(f.v.y) + std::abs(f.v.z) + std::abs(f.w.x) + std::abs(f.w.y) +
                 std::abs(f.w.z) + std::abs(bodies.motion[i].x.x) + std::abs(bodies.motion[i].x.y) +
                 std::abs(bodies.motion[i].x.z);
    if (const std::int32_t row = world.soft.row[i]; row >= 0) {
      for (const float v : world.soft.bodies[static_cast<std::size_t>(row)].velocity) sum += std::abs(v);
      for (const float v : world.soft.bodies[static_cast<std::size_t>(row)].displacement) sum += std::abs(v);
    }
    require(sum * (1 + dt) < 1e30, ErrorCode::unstable,
            "body '{}' left the range of numbers; lower dt, the forces or the speeds", bodies.info[i].name);
  }
}

}  // namespace

void step(Context& context, World& world, const StepOptions& options, PipelineStats& stats) {
  predict(context, world, options, stats[Stage::predict]);
  bound(context, world, options, stats[Stage::bounds]);
  find_pairs(world, stats[Stage::broad]);
  look(context, world, options, stats[Stage::narrow]);
  identify(world, options.rigid, stats[Stage::contacts]);
  soft::run(context,
            {.bodies = world.state.bodies,
             .rotation = world.poses.rotation,
             .free = world.free,
             .touching = world.state.touching,
             .dt = options.dt},
            options.rigid, world.state.pairs, world.soft, stats[Stage::respond]);
  check_range(world, options.dt);
  commit(context, world, options, stats[Stage::commit]);
  sleep(world, options.rigid, options.dt, stats[Stage::commit]);
}

}  // namespace carom::rigid
