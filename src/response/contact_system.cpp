#include "response/contact_system.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/at.hpp"

namespace carom::contacts {
namespace {

constexpr std::size_t contact_grain = 64;
constexpr std::size_t body_grain = 256;

Body make_body(const response::In& in, BodySlot i) {
  const rigid::Motion& m = in.bodies.motion[i];
  const rigid::Mass& mass = in.bodies.mass[i];
  const rigid::Info& info = in.bodies.info[i];
  Body body;
  body.touched = true;
  body.v = m.v;
  body.w = m.w;
  if (mass.inverse == 0 || in.bodies.asleep[i] != 0) return body;
  body.moves = true;
  const rigid::Free& free = in.free[i];
  body.inverse_mass = rigid::unlocked({mass.inverse, mass.inverse, mass.inverse}, info.locked_translation);
  body.free_v = free.v - m.v;
  body.inverse_inertia = rigid::inverse_inertia(in.rotation[i], mass, info);
  body.free_w = body.inverse_inertia * free.momentum - m.w;
  return body;
}

void meet_bodies(const response::In& in, ManifoldSpan<const contact::CachedManifold> pairs, System& s) {
  for (const BodySlot body : s.touched) s.bodies[body].touched = false;
  s.touched.clear();
  const std::size_t count = in.bodies.size();
  s.bodies.resize(count);
  s.island_of.resize(count);
  const auto meet = [&](BodySlot body) {
    Body& b = s.bodies[body];
    if (!b.touched || !b.moves) b = make_body(in, body);
  };
  for (const ManifoldIndex t : in.active_indices) {
    meet(pairs[t].body_a);
    meet(pairs[t].body_b);
  }
  if (in.coupling == nullptr) return;
  for (const contact::CoupledBody& coupled : in.coupling->state.bodies) meet(coupled.body);
}

void fill_point(const response::In& in, const contact::CachedManifold& pair, const Vec3& t1, const Vec3& t2, System& s,
                contact::CachedPoint& from, Point& p) {
  const Body& a = s.bodies[pair.body_a];
  const Body& b = s.bodies[pair.body_b];
  const Vec3 arm_a = from.middle - in.bodies.motion[pair.body_a].x;
  const Vec3 arm_b = from.middle - in.bodies.motion[pair.body_b].x;
  const auto row = [&](const Vec3& along) { return make_row(along, cross(arm_a, along), cross(arm_b, along), a, b); };
  p = {};
  p.a = pair.body_a;
  p.b = pair.body_b;
  p.normal = row(pair.normal);
  p.tangent[0] = row(t1);
  p.tangent[1] = row(t2);
  p.tangent_cross = coupling(p.tangent[0], p.tangent[1], a, b);
  p.gap = from.distance;
  p.speed = speed_along(p.normal, a, b);
  Body change_a;
  Body change_b;
  change_a.v = a.free_v;
  change_a.w = a.free_w;
  change_b.v = b.free_v;
  change_b.w = b.free_w;
  p.pull = std::max(0.0, -speed_along(p.normal, change_a, change_b) / in.dt);
  p.friction = pair.friction;
  p.restitution = pair.restitution;
  const rigid::Info& ia = in.bodies.info[pair.body_a];
  const rigid::Info& ib = in.bodies.info[pair.body_b];
  p.torsion = std::max(ia.torsional_friction, ib.torsional_friction);
  p.rolling = std::max(ia.rolling_friction, ib.rolling_friction);
  p.normal_impulse = static_cast<double>(from.impulse);
  from.speed = p.speed;
}

/// Fraction by which the diagonal of the matrix of points is made larger before it is inverted: four points on two
/// bodies are one more than these can tell apart.
constexpr double points_stiffer = 1e-3;

void couple_points(const System& s, Contact& c) {
  const Point* const points = s.points.data() + c.first;
  const Body& a = s.bodies[points[0].a];
  const Body& b = s.bodies[points[0].b];
  constexpr int largest = convex::max_manifold_points;
  Eigen::Matrix<double, largest, largest> matrix = Eigen::Matrix<double, largest, largest>::Identity();
  for (std::size_t i = 0; i < c.count; ++i) {
    for (std::size_t j = 0; j < c.count; ++j) {
      c.coupling[i][j] = coupling(points[i].normal, points[j].normal, a, b);
      matrix(static_cast<int>(i), static_cast<int>(j)) =
          c.coupling[i][j] * (i == j && c.count > 1 ? 1 + points_stiffer : 1);
    }
    if (!(c.coupling[i][i] > 0)) return;  // nothing can move along the normal
  }
  const Eigen::Matrix<double, largest, largest> inverse = matrix.inverse();
  for (std::size_t i = 0; i < c.count; ++i) {
    for (std::size_t j = 0; j < c.count; ++j) c.inverse[i][j] = inverse(static_cast<int>(i), static_cast<int>(j));
  }
}

/// Sweeps over the points of a pair, none of which may pull.
void one_by_one(const Contact& c, const double* speed, const double* start, bool back, double* normal_impulse) {
  constexpr int sweeps = 4;
  std::array<double, convex::max_manifold_points> left{};
  for (std::size_t i = 0; i < c.count; ++i) {
    left[i] = speed[i];
    normal_impulse[i] = start[i];
  }
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t k = 0; k < c.count; ++k) {
      const std::size_t i = back ? c.count - 1 - k : k;
      if (!(c.coupling[i][i] > 0)) continue;
      const double next = std::max(0.0, normal_impulse[i] - left[i] / c.coupling[i][i]);
      const double change = next - normal_impulse[i];
      normal_impulse[i] = next;
      for (std::size_t j = 0; j < c.count; ++j) left[j] += c.coupling[j][i] * change;
    }
  }
}

}  // namespace

void settle_points(const Contact& c, const double* speed, double* normal_impulse) {
  std::array<double, convex::max_manifold_points> together{};
  bool good = c.inverse[0][0] > 0;
  for (std::size_t i = 0; i < c.count && good; ++i) {
    double change = 0;
    for (std::size_t j = 0; j < c.count; ++j) change += c.inverse[i][j] * speed[j];
    together[i] = normal_impulse[i] - change;
    good = together[i] >= 0;
  }
  if (!good) {
    std::array<double, convex::max_manifold_points> forward{};
    std::array<double, convex::max_manifold_points> backward{};
    one_by_one(c, speed, normal_impulse, false, forward.data());
    one_by_one(c, speed, normal_impulse, true, backward.data());
    for (std::size_t i = 0; i < c.count; ++i) together[i] = 0.5 * (forward[i] + backward[i]);
  }
  for (std::size_t i = 0; i < c.count; ++i) normal_impulse[i] = together[i];
}

Row make_row(const Vec3& along, const Vec3& turn_a, const Vec3& turn_b, const Body& a, const Body& b) {
  Row row;
  row.along = along;
  row.turn_a = turn_a;
  row.turn_b = turn_b;
  row.spin_a = a.inverse_inertia * turn_a;
  row.spin_b = b.inverse_inertia * turn_b;
  row.inverse_effective_mass = coupling(row, row, a, b);
  return row;
}

double coupling(const Row& p, const Row& q, const Body& a, const Body& b) {
  return dot(p.along, scaled(a.inverse_mass, q.along)) + dot(p.along, scaled(b.inverse_mass, q.along)) +
         dot(p.turn_a, q.spin_a) + dot(p.turn_b, q.spin_b);
}

void tangents(const Vec3& n, Vec3& t1, Vec3& t2) {
  const double x = std::abs(n.x);
  const double y = std::abs(n.y);
  const double z = std::abs(n.z);
  const Vec3 axis = x <= y && x <= z ? Vec3{1, 0, 0} : y <= z ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  t1 = math::unit_or_zero(cross(n, axis));
  t2 = cross(n, t1);
}

void build(Context& context, const response::In& in, ManifoldSpan<contact::CachedManifold> pairs, System& s) {
  meet_bodies(in, pairs, s);

  // Islands in the order of their first pair, and how many contacts, points and bodies each has.
  const auto mover = [&](const contact::CachedManifold& pair) {
    return s.bodies[pair.body_a].moves ? pair.body_a : s.bodies[pair.body_b].moves ? pair.body_b : BodySlot::none;
  };
  for (const ManifoldIndex t : in.active_indices) {
    for (const BodySlot body : {pairs[t].body_a, pairs[t].body_b}) s.island_of[in.islands.root(body)] = -1;
  }
  s.islands.clear();
  std::size_t contact_count = 0;
  std::size_t point_count = 0;
  for (const ManifoldIndex t : in.active_indices) {
    contact::CachedManifold& pair = pairs[t];
    const BodySlot body = mover(pair);
    if (!body.valid()) continue;
    std::int32_t& island = s.island_of[in.islands.root(body)];
    if (island < 0) {
      island = static_cast<std::int32_t>(s.islands.size());
      s.islands.emplace_back();
    }
    Island& i = s.islands[at(island)];
    ++i.end_contact;
    i.end_point += static_cast<std::uint32_t>(pair.count);
    ++contact_count;
    point_count += static_cast<std::size_t>(pair.count);
  }
  // Bodies that move, each once, in the order in which they are met.
  for (const ManifoldIndex t : in.active_indices) {
    for (const BodySlot body : {pairs[t].body_a, pairs[t].body_b}) {
      Body& b = s.bodies[body];
      if (!b.moves || !b.touched) continue;
      b.touched = false;  // counted
      s.touched.push_back(body);
      ++s.islands[at(s.island_of[in.islands.root(body)])].end_body;
    }
  }
  s.alone.clear();
  if (in.coupling != nullptr) {
    for (const contact::CoupledBody& coupled : in.coupling->state.bodies) {
      Body& b = s.bodies[coupled.body];
      if (!b.moves || !b.touched) continue;
      b.touched = false;
      s.alone.push_back(coupled.body);
    }
  }
  std::uint32_t contact = 0;
  std::uint32_t point = 0;
  std::uint32_t member = 0;
  for (Island& i : s.islands) {
    i.first_contact = contact;
    i.first_point = point;
    i.first_body = member;
    contact = i.end_contact += contact;
    point = i.end_point += point;
    member = i.end_body += member;
  }
  s.next.resize(3 * s.islands.size());
  for (std::size_t i = 0; i < s.islands.size(); ++i) {
    s.next[3 * i] = s.islands[i].first_contact;
    s.next[3 * i + 1] = s.islands[i].first_point;
    s.next[3 * i + 2] = s.islands[i].first_body;
  }
  s.contacts.resize(contact_count);
  s.points.resize(point_count);
  s.members.resize(s.touched.size());
  for (const ManifoldIndex t : in.active_indices) {
    contact::CachedManifold& pair = pairs[t];
    const BodySlot body = mover(pair);
    if (!body.valid()) continue;
    const std::size_t i = at(s.island_of[in.islands.root(body)]);
    Contact& next = s.contacts[s.next[3 * i]++];
    next.pair = t;
    next.first = s.next[3 * i + 1];
    next.count = static_cast<std::uint32_t>(pair.count);
    s.next[3 * i + 1] += static_cast<std::uint32_t>(pair.count);
  }
  for (const BodySlot body : s.touched) {
    s.members[s.next[3 * at(s.island_of[in.islands.root(body)]) + 2]++] = body;
    s.bodies[body].touched = true;
  }
  for (const BodySlot body : s.alone) {
    s.touched.push_back(body);
    s.bodies[body].touched = true;
  }

  // Pairs that nothing can move have nothing to find.
  for (const ManifoldIndex t : in.active_indices) {
    contact::CachedManifold& pair = pairs[t];
    if (mover(pair).valid()) continue;
    for (std::size_t k = 0; k < at(pair.count); ++k) {
      pair.points[k].impulse = 0;
      pair.points[k].total = 0;
      pair.points[k].speed = 0;
    }
  }
  parallel_for(context.workers, s.contacts.size(), contact_grain, [&](std::size_t i) {
    Contact& c = s.contacts[i];
    contact::CachedManifold& pair = pairs[c.pair];
    Vec3 t1;
    Vec3 t2;
    tangents(pair.normal, t1, t2);
    double sum = 0;
    for (std::size_t k = 0; k < c.count; ++k) {
      fill_point(in, pair, t1, t2, s, pair.points[k], s.points[c.first + k]);
      sum += s.points[c.first + k].normal_impulse;
    }
    couple_points(s, c);
    // The cached friction impulse of the pair is distributed by the normal impulses of its points.
    for (std::size_t k = 0; k < c.count; ++k) {
      Point& p = s.points[c.first + k];
      const double fraction = sum > 0 ? p.normal_impulse / sum : 0;
      p.friction_impulse[0] = fraction * dot(pair.friction_impulse, t1);
      p.friction_impulse[1] = fraction * dot(pair.friction_impulse, t2);
    }
  });
}

void add_forces(System& s, const Island& island) {
  for (std::uint32_t k = island.first_body; k < island.end_body; ++k) {
    Body& body = s.bodies[s.members[k]];
    body.v = body.v + body.free_v;
    body.w = body.w + body.free_w;
  }
}

void take_back(System& s, const Island& island) {
  // What contacts give does to the speeds of the points, and what it does at the end.
  double power = 0;  // J.v'
  double spent = 0;  // J.A.J
  for (std::uint32_t i = island.first_point; i < island.end_point; ++i) {
    const Point& p = s.points[i];
    const Body& a = s.bodies[p.a];
    const Body& b = s.bodies[p.b];
    power += p.normal_impulse * speed_along(p.normal, a, b);
    for (int k = 0; k < 2; ++k) power += p.friction_impulse[k] * speed_along(p.tangent[k], a, b);
    const Vec3 turning = b.w - a.w;
    power += p.torsion_impulse * dot(p.normal.along, turning);
    for (int k = 0; k < 2; ++k) power += p.rolling_impulse[k] * dot(p.tangent[k].along, turning);
  }
  if (!(power > 0)) return;
  for (std::uint32_t k = island.first_body; k < island.end_body; ++k) {
    s.bodies[s.members[k]].correction_v = {};
    s.bodies[s.members[k]].correction_w = {};
  }
  // The change of each body, gathered where nothing else is yet.
  for (std::uint32_t i = island.first_point; i < island.end_point; ++i) {
    const Point& p = s.points[i];
    Body& a = s.bodies[p.a];
    Body& b = s.bodies[p.b];
    const Vec3 j = p.normal_impulse * p.normal.along + p.friction_impulse[0] * p.tangent[0].along +
                   p.friction_impulse[1] * p.tangent[1].along;
    const Vec3 turn = p.torsion_impulse * p.normal.along + p.rolling_impulse[0] * p.tangent[0].along +
                      p.rolling_impulse[1] * p.tangent[1].along;
    if (a.moves) {
      a.correction_v = a.correction_v - scaled(a.inverse_mass, j);
      a.correction_w =
          a.correction_w - (p.normal_impulse * p.normal.spin_a + p.friction_impulse[0] * p.tangent[0].spin_a +
                            p.friction_impulse[1] * p.tangent[1].spin_a + a.inverse_inertia * turn);
    }
    if (b.moves) {
      b.correction_v = b.correction_v + scaled(b.inverse_mass, j);
      b.correction_w =
          b.correction_w + (p.normal_impulse * p.normal.spin_b + p.friction_impulse[0] * p.tangent[0].spin_b +
                            p.friction_impulse[1] * p.tangent[1].spin_b + b.inverse_inertia * turn);
    }
  }
  for (std::uint32_t i = island.first_point; i < island.end_point; ++i) {
    const Point& p = s.points[i];
    Body a;
    Body b;
    a.v = s.bodies[p.a].correction_v;
    a.w = s.bodies[p.a].correction_w;
    b.v = s.bodies[p.b].correction_v;
    b.w = s.bodies[p.b].correction_w;
    if (!s.bodies[p.a].moves) a.v = a.w = {};
    if (!s.bodies[p.b].moves) b.v = b.w = {};
    spent += p.normal_impulse * speed_along(p.normal, a, b);
    for (int k = 0; k < 2; ++k) spent += p.friction_impulse[k] * speed_along(p.tangent[k], a, b);
    const Vec3 turning = b.w - a.w;
    spent += p.torsion_impulse * dot(p.normal.along, turning);
    for (int k = 0; k < 2; ++k) spent += p.rolling_impulse[k] * dot(p.tangent[k].along, turning);
  }
  // J.(u + A s J) = power - (1 - s) spent is zero at this s.
  const double keep = spent > 0 ? std::clamp(1 - power / spent, 0.0, 1.0) : 0;
  for (std::uint32_t k = island.first_body; k < island.end_body; ++k) {
    Body& body = s.bodies[s.members[k]];
    body.v = body.v - (1 - keep) * body.correction_v;
    body.w = body.w - (1 - keep) * body.correction_w;
    body.correction_v = body.correction_w = {};
  }
  for (std::uint32_t i = island.first_point; i < island.end_point; ++i) {
    Point& p = s.points[i];
    for (double* x : {&p.normal_impulse, &p.friction_impulse[0], &p.friction_impulse[1], &p.torsion_impulse,
                      &p.rolling_impulse[0], &p.rolling_impulse[1]})
      *x *= keep;
  }
}

double residual(const System& s, const Island& island, double dt) {
  double worst = 0;
  double scale = 0;
  for (std::uint32_t i = island.first_point; i < island.end_point; ++i) {
    const Point& p = s.points[i];
    if (!(p.normal.inverse_effective_mass > 0)) continue;
    const double unit = std::sqrt(p.normal.inverse_effective_mass);
    const double kept = (speed_along(p.normal, s.bodies[p.a], s.bodies[p.b]) + std::max(p.gap, 0.0) / dt) / unit;
    worst = std::max(worst, std::abs(std::min(p.normal_impulse * unit, kept)));
    scale = std::max({scale, p.normal_impulse * unit, std::abs(kept), (std::abs(p.speed) + dt * p.pull) / unit});
  }
  return scale > 0 ? worst / scale : 0;
}

void finish(Context& context, const response::In& in, ManifoldSpan<contact::CachedManifold> pairs, System& s,
            const response::Out& out) {
  if (in.coupling != nullptr) {
    for (const contact::CoupledBody& coupled : in.coupling->state.bodies) {
      Body& body = s.bodies[coupled.body];
      if (!body.moves) continue;
      body.impulse = coupled.impulse;
      body.moment = coupled.moment;
    }
  }
  // In order, so that sums are the same for any number of threads.
  for (const Contact& c : s.contacts) {
    contact::CachedManifold& pair = pairs[c.pair];
    Vec3 friction_impulse;
    double torsion_impulse = 0;
    for (std::size_t k = 0; k < c.count; ++k) {
      const Point& p = s.points[c.first + k];
      contact::CachedPoint& to = pair.points[k];
      to.impulse = static_cast<float>(p.normal_impulse);
      to.learned_load = to.impulse;
      to.total = p.normal_impulse + p.impact_normal_impulse;
      const Vec3 friction = p.friction_impulse[0] * p.tangent[0].along + p.friction_impulse[1] * p.tangent[1].along;
      friction_impulse = friction_impulse + friction;
      torsion_impulse += p.torsion_impulse;
      const Vec3 impulse = p.normal_impulse * p.normal.along + friction + p.impact;
      const Vec3 turn = p.torsion_impulse * p.normal.along + p.rolling_impulse[0] * p.tangent[0].along +
                        p.rolling_impulse[1] * p.tangent[1].along;
      Body& a = s.bodies[p.a];
      Body& b = s.bodies[p.b];
      if (a.moves) {
        a.impulse = a.impulse - impulse;
        a.moment = a.moment - cross(to.middle - in.bodies.motion[p.a].x, impulse) - turn;
      }
      if (b.moves) {
        b.impulse = b.impulse + impulse;
        b.moment = b.moment + cross(to.middle - in.bodies.motion[p.b].x, impulse) + turn;
      }
    }
    pair.friction_impulse = friction_impulse;
    pair.torsion_impulse = static_cast<float>(torsion_impulse);
  }
  parallel_for(context.workers, s.touched.size(), body_grain, [&](std::size_t k) {
    const BodySlot i = s.touched[k];
    const Body& body = s.bodies[i];
    const auto none = [](const Vec3& v) { return v.x == 0 && v.y == 0 && v.z == 0; };
    // Watched, but not touched: it goes its free way, which is exact.
    if (none(body.impulse) && none(body.moment) && none(body.correction_v) && none(body.correction_w)) return;
    out.next[i] = moved(in, body, i);
    out.solved[i] = 1;
  });
}

double count(const System& s, std::size_t points, const char* rounds_name, StageStats& stats) {
  stats.set_unit("contacts");
  stats.in += points;
  stats.out += points;
  std::uint64_t rounds = 0;
  std::uint64_t impacts = 0;
  double residual = 0;
  for (const Island& island : s.islands) {
    rounds += island.rounds;
    impacts += island.impacts;
    stats.limited += island.limited;
    residual = std::max(residual, island.residual);
  }
  stats.add_counted("islands", s.islands.size());
  stats.add_counted(rounds_name, rounds);
  stats.add_counted("impacts", impacts);
  return residual;
}

}  // namespace carom::contacts
