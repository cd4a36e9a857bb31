#include <algorithm>
#include <cmath>

#include "kernels/vertex_contacts.hpp"

namespace carom::kernels {
namespace {

struct Point3 {
  double x, y, z;
};

Point3 plus(const Point3& a, const Point3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Point3 times(double s, const Point3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
double product(const Point3& a, const Point3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

Point3 weighted(const VertexContactBatch& c, std::size_t lane, const ClothPoint* points, std::size_t slots) {
  Point3 sum{};
  for (std::size_t k = 0; k < slots; ++k) {
    const ClothPoint& p = points[c.vertices[k][lane]];
    const Point3 part = times(c.weight[k][lane], {p.x, p.y, p.z});
    sum = k == 0 ? part : plus(sum, part);
  }
  return sum;
}

void solve_lane(VertexContactBatch& c, std::size_t lane, const VertexContactStep& step, bool push) {
  const auto slots = static_cast<std::size_t>(step.slots);
  const Point3 n{c.normal[0][lane], c.normal[1][lane], c.normal[2][lane]};
  const Point3 base{c.base[0][lane], c.base[1][lane], c.base[2][lane]};
  double gap = c.now[lane];
  if (!push) {
    const Point3 moved = plus(weighted(c, lane, step.displacements, slots), times(step.elapsed, base));
    gap = c.gap[lane] + product(n, moved);
    c.now[lane] = gap;
  }
  const Point3 v = plus(weighted(c, lane, step.velocities, slots), base);
  const double speed = product(n, v);
  double wanted = -gap * (1 / step.h);
  if (gap < 0) wanted = push ? std::min(step.max_push_speed, -step.push_rate * gap) : 0;
  const double mass = c.mass[lane];
  const double next = std::max(0.0, c.normal_impulse[lane] + (wanted - speed) * mass);
  const double change = next - c.normal_impulse[lane];
  if (!(next > 0) && !(c.normal_impulse[lane] > 0)) return;
  c.normal_impulse[lane] = next;
  const Point3 slip = plus(v, times(-speed, n));
  const Point3 old{c.friction_impulse[0][lane], c.friction_impulse[1][lane], c.friction_impulse[2][lane]};
  Point3 f = plus(old, times(-mass, slip));
  const double size = std::sqrt(product(f, f));
  const double limit = c.friction[lane] * next;
  if (size > limit) f = times(limit / size, f);
  const Point3 impulse = plus(times(change, n), plus(f, times(-1, old)));
  c.friction_impulse[0][lane] = f.x;
  c.friction_impulse[1][lane] = f.y;
  c.friction_impulse[2][lane] = f.z;
  for (std::size_t k = 0; k < slots; ++k) {
    ClothPoint& p = step.velocities[c.vertices[k][lane]];
    const double share = c.weight[k][lane] * p.inverse_mass;
    p.x += share * impulse.x;
    p.y += share * impulse.y;
    p.z += share * impulse.z;
  }
}

}  // namespace

void push_vertex_contacts_reference(std::span<VertexContactBatch> batches, const VertexContactStep& step) {
  for (VertexContactBatch& batch : batches) {
    for (std::size_t lane = 0; lane < contact_lanes; ++lane) solve_lane(batch, lane, step, true);
  }
}

void relax_vertex_contacts_reference(std::span<VertexContactBatch> batches, const VertexContactStep& step, bool last) {
  for (VertexContactBatch& batch : batches) {
    for (std::size_t lane = 0; lane < contact_lanes; ++lane) {
      solve_lane(batch, lane, step, false);
      if (last) batch.total[lane] += batch.normal_impulse[lane];
    }
  }
}

}  // namespace carom::kernels
