#include <algorithm>
#include <cmath>

#include "kernels/soft_elements.hpp"

namespace carom::kernels {
namespace {

struct ElementVec {
  double x = 0, y = 0, z = 0;
};
ElementVec operator+(const ElementVec& a, const ElementVec& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
ElementVec operator-(const ElementVec& a, const ElementVec& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
ElementVec operator*(double s, const ElementVec& a) {
  return {s * a.x, s * a.y, s * a.z};
}
double element_dot(const ElementVec& a, const ElementVec& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
ElementVec element_cross(const ElementVec& a, const ElementVec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
ElementVec element_at(const ElementPoint& p) {
  return {p.x, p.y, p.z};
}

struct ElementMaterial {
  double shear, volume, inertia;
  double per_h2;
  double viscosity;  ///< damping over h
  double blend;      ///< how much of what others have done an element sees: none where the inner step resolves it
  double follow;     ///< weight of curvature in the divisor of a force
};

ElementMaterial element_material(double shear, double volume, double inertia, const ElementStep& step) {
  const double per_h = 1 / step.h;
  const double per_h2 = per_h * per_h;
  const double rate = inertia * (2 * shear + 3 * volume);
  const double blend = std::max(0.0, 1 - step.resolved_rate * per_h2 / std::max(rate, element_min_square));
  return {
      shear, volume, inertia, per_h2, step.damping * per_h, blend, blend + (1 - blend) * (0.5 / step.resolved_rate)};
}

/// Divisor of a force.
double element_stiffness(const ElementMaterial& m, double curvature) {
  return std::max(m.per_h2, 0.5 * m.blend * m.per_h2 + m.inertia * (curvature * m.follow));
}

/// Multipliers of the columns of F, which the step of Newton's method gives.
void element_solve(const ElementVec f[3], const ElementVec old[3], const ElementMaterial& m, ElementVec multiplier[3]) {
  const ElementVec cof[3] = {element_cross(f[1], f[2]), element_cross(f[2], f[0]), element_cross(f[0], f[1])};
  const double pressure = m.volume * (element_dot(f[0], cof[0]) - 1) - m.shear;
  const double square = element_dot(f[0], f[0]) + element_dot(f[1], f[1]) + element_dot(f[2], f[2]);
  const double curvature = m.shear + std::abs(pressure) * std::sqrt(square * (1.0 / 3));
  ElementVec gradient[3];
  for (int k = 0; k < 3; ++k) gradient[k] = m.shear * f[k] + pressure * cof[k];
  const double along =
      element_dot(cof[0], gradient[0]) + element_dot(cof[1], gradient[1]) + element_dot(cof[2], gradient[2]);
  const double across = element_dot(cof[0], cof[0]) + element_dot(cof[1], cof[1]) + element_dot(cof[2], cof[2]);
  const double stiffness = element_stiffness(m, curvature);
  const double full = element_stiffness(m, curvature + m.volume * across);
  const double change = along * (full - stiffness) / (full * (across + element_min_square));
  const double factor = -1 / stiffness;
  for (int k = 0; k < 3; ++k) multiplier[k] = factor * (gradient[k] - change * cof[k]);
  if (!(m.viscosity > 0)) return;
  // Apart from the rest, so that a body at rest does not feel it.
  const double viscous = m.shear * m.viscosity;
  const double slower = -viscous / element_stiffness(m, viscous * (square * (2.0 / 3)));
  for (int k = 0; k < 3; ++k) {
    ElementVec sum;
    for (int l = 0; l < 3; ++l) sum = sum + (element_dot(f[k], f[l]) - element_dot(old[k], old[l])) * f[l];
    multiplier[k] = multiplier[k] + slower * sum;
  }
}

/// Sums and differences along the three axes, of which entry k has the signs of the corners along the axes in k.
void element_modes(const ElementVec p[8], ElementVec mode[8]) {
  for (int c = 0; c < 8; ++c) mode[c] = p[c];
  for (int axis = 1; axis < 8; axis *= 2) {
    for (int c = 0; c < 8; ++c) {
      if ((c & axis) != 0) continue;
      const ElementVec low = mode[c];
      const ElementVec high = mode[c + axis];
      mode[c] = low + high;
      mode[c + axis] = high - low;
    }
  }
}

/// Corner c of the sum of modes, each with its signs.
void element_corners(ElementVec mode[8]) {
  for (int axis = 1; axis < 8; axis *= 2) {
    for (int c = 0; c < 8; ++c) {
      if ((c & axis) != 0) continue;
      const ElementVec even = mode[c];
      const ElementVec odd = mode[c + axis];
      mode[c] = even - odd;
      mode[c + axis] = even + odd;
    }
  }
}

void project_voxel(const VoxelBatch& batch, std::size_t lane, const ElementStep& step) {
  const double scale = 0.25 * step.inverse_size;
  const ElementMaterial m = element_material(batch.shear[lane], batch.volume[lane], batch.inertia[lane], step);
  ElementPoint* points[8];
  ElementVec p[8];
  for (int c = 0; c < 8; ++c) {
    points[c] = step.points + batch.nodes[c][lane];
    const ElementVec end = element_at(step.ends[batch.nodes[c][lane]]);
    p[c] = end + m.blend * (element_at(*points[c]) - end);
  }
  // Relative to a corner: differences of neighbors are exact, sums of positions far from the origin are not.
  const ElementVec first = p[0];
  for (int c = 0; c < 8; ++c) p[c] = p[c] - first;
  ElementVec mode[8];
  element_modes(p, mode);
  ElementVec old[8];
  if (m.viscosity > 0) {
    ElementVec before[8];
    for (int c = 0; c < 8; ++c) before[c] = element_at(step.before[batch.nodes[c][lane]]);
    const ElementVec old_first = before[0];
    for (int c = 0; c < 8; ++c) before[c] = before[c] - old_first;
    element_modes(before, old);
    for (int c = 1; c < 8; ++c) old[c] = scale * old[c];
  }
  for (int c = 1; c < 8; ++c) mode[c] = scale * mode[c];
  const ElementVec f[3] = {mode[1], mode[2], mode[4]};
  const ElementVec old_f[3] = {old[1], old[2], old[4]};
  ElementVec multiplier[3];
  element_solve(f, old_f, m, multiplier);
  mode[0] = {};
  mode[1] = multiplier[0];
  mode[2] = multiplier[1];
  mode[4] = multiplier[2];
  for (const int c : {3, 5, 6, 7}) {
    const double shear = (c == 7 ? hourglass_of_three : hourglass_of_two) * m.shear;
    double factor = -shear / element_stiffness(m, shear);
    if (m.viscosity > 0) {
      const double length = std::sqrt(element_dot(mode[c], mode[c]));
      const double inverse = length > element_min_length ? 1 / length : 0.0;
      const double rate = length - std::sqrt(element_dot(old[c], old[c]));
      const double viscous = shear * m.viscosity;
      factor = factor - viscous / element_stiffness(m, viscous) * (rate * inverse);
    }
    mode[c] = factor * mode[c];
  }
  element_corners(mode);
  for (int c = 0; c < 8; ++c) {
    ElementPoint& to = *points[c];
    const ElementVec moved = element_at(to) + (to.inverse_mass * scale) * mode[c];
    to.x = moved.x;
    to.y = moved.y;
    to.z = moved.z;
  }
}

void project_tetrahedron(const TetrahedronBatch& batch, std::size_t lane, const ElementStep& step) {
  const ElementMaterial m = element_material(batch.shear[lane], batch.volume[lane], batch.inertia[lane], step);
  ElementPoint* points[4];
  ElementVec p[4];
  for (int k = 0; k < 4; ++k) {
    points[k] = step.points + batch.nodes[k][lane];
    const ElementVec end = element_at(step.ends[batch.nodes[k][lane]]);
    p[k] = end + m.blend * (element_at(*points[k]) - end);
  }
  double g[3][4];
  for (int axis = 0; axis < 3; ++axis) {
    for (int k = 1; k < 4; ++k) g[axis][k] = batch.gradient[axis][k - 1][lane];
    g[axis][0] = -(g[axis][1] + g[axis][2] + g[axis][3]);
  }
  const auto columns = [&](const ElementVec& a, const ElementVec& b, const ElementVec& c, const ElementVec& d,
                           ElementVec out[3]) {
    const ElementVec e1 = b - a;
    const ElementVec e2 = c - a;
    const ElementVec e3 = d - a;
    for (int axis = 0; axis < 3; ++axis) out[axis] = g[axis][1] * e1 + g[axis][2] * e2 + g[axis][3] * e3;
  };
  ElementVec f[3];
  columns(p[0], p[1], p[2], p[3], f);
  ElementVec old[3];
  if (m.viscosity > 0) {
    const ElementPoint* const b = step.before;
    columns(element_at(b[batch.nodes[0][lane]]), element_at(b[batch.nodes[1][lane]]),
            element_at(b[batch.nodes[2][lane]]), element_at(b[batch.nodes[3][lane]]), old);
  }
  ElementVec multiplier[3];
  element_solve(f, old, m, multiplier);
  for (int k = 0; k < 4; ++k) {
    ElementPoint& to = *points[k];
    const ElementVec sum = g[0][k] * multiplier[0] + g[1][k] * multiplier[1] + g[2][k] * multiplier[2];
    const ElementVec moved = element_at(to) + to.inverse_mass * sum;
    to.x = moved.x;
    to.y = moved.y;
    to.z = moved.z;
  }
}

}  // namespace

void project_voxels_reference(std::span<const VoxelBatch> batches, const ElementStep& step) {
  for (const VoxelBatch& batch : batches) {
    for (std::size_t lane = 0; lane < element_lanes; ++lane) project_voxel(batch, lane, step);
  }
}

void project_tetrahedra_reference(std::span<const TetrahedronBatch> batches, const ElementStep& step) {
  for (const TetrahedronBatch& batch : batches) {
    for (std::size_t lane = 0; lane < element_lanes; ++lane) project_tetrahedron(batch, lane, step);
  }
}

}  // namespace carom::kernels
