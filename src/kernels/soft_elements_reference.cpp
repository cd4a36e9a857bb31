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
  double blend;   ///< how much of what others have done an element sees: none where the inner step resolves it
  double follow;  ///< weight of curvature in the divisor of a force
};

template <class Batch>
ElementMaterial element_material(const Batch& batch, std::size_t lane, const ElementStep& step, const RestBatch* rest) {
  const double per_h = 1 / step.h;
  const double per_h2 = per_h * per_h;
  double inertia = batch.inertia[lane];
  double rate = batch.rate[lane];
  if (rest != nullptr) {
    inertia = inertia * rest->scale[lane];
    rate = rate * rest->scale[lane];
  }
  const double blend = std::max(0.0, 1 - stable_rate * per_h2 / std::max(rate, element_min_square));
  return {batch.shear[lane], batch.volume[lane], inertia, per_h2, blend, blend + (1 - blend) * batch.follow[lane]};
}

/// Divisor of a force.
double element_stiffness(const ElementMaterial& m, double curvature) {
  return std::max(m.per_h2, 0.5 * m.blend * m.per_h2 + m.inertia * (curvature * m.follow));
}

/// Multipliers of the columns of F, which the step of Newton's method gives.
void element_solve(const ElementVec f[3], const ElementMaterial& m, ElementVec multiplier[3]) {
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
}

/// Multipliers against the rate of the strain of Green of a shape `f` that changes by `change`, per unit of viscosity
/// over the inner step.
double element_damp(const ElementVec f[3], const ElementVec change[3], double shear, double inertia,
                    const ElementStep& step, ElementVec multiplier[3]) {
  const double per_h = 1 / step.h;
  const double viscous = shear * (step.damping * per_h);
  const double square = element_dot(f[0], f[0]) + element_dot(f[1], f[1]) + element_dot(f[2], f[2]);
  const double slower = -viscous / (per_h * per_h + inertia * (viscous * (square * (2.0 / 3))));
  for (int k = 0; k < 3; ++k) {
    ElementVec sum;
    for (int l = 0; l < 3; ++l) sum = sum + (element_dot(f[k], change[l]) + element_dot(change[k], f[l])) * f[l];
    multiplier[k] = slower * sum;
  }
  return viscous;
}

/// element_solve() for a shape at rest that is not as made.
void element_solve_rest(const ElementVec f[3], const ElementMaterial& m, const RestBatch* rest, std::size_t lane,
                        ElementVec multiplier[3]) {
  if (rest == nullptr) return element_solve(f, m, multiplier);
  ElementVec shaped[3];
  for (int a = 0; a < 3; ++a)
    shaped[a] = rest->g[0][a][lane] * f[0] + rest->g[1][a][lane] * f[1] + rest->g[2][a][lane] * f[2];
  ElementVec solved[3];
  element_solve(shaped, m, solved);
  for (int k = 0; k < 3; ++k) {
    multiplier[k] = rest->g[k][0][lane] * solved[0] + rest->g[k][1][lane] * solved[1] + rest->g[k][2][lane] * solved[2];
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

void project_voxel(const VoxelBatch& batch, std::size_t lane, const ElementStep& step, const RestBatch* rest) {
  const double scale = 0.25 * step.inverse_size;
  const ElementMaterial m = element_material(batch, lane, step, rest);
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
  for (int c = 1; c < 8; ++c) mode[c] = scale * mode[c];
  const ElementVec f[3] = {mode[1], mode[2], mode[4]};
  ElementVec multiplier[3];
  element_solve_rest(f, m, rest, lane, multiplier);
  mode[0] = {};
  mode[1] = multiplier[0];
  mode[2] = multiplier[1];
  mode[4] = multiplier[2];
  for (const int c : {3, 5, 6, 7}) {
    const double shear = (c == 7 ? hourglass_of_three : hourglass_of_two) * m.shear;
    const double factor = -shear / element_stiffness(m, shear);
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

void project_tetrahedron(const TetrahedronBatch& batch, std::size_t lane, const ElementStep& step,
                         const RestBatch* rest) {
  const ElementMaterial m = element_material(batch, lane, step, rest);
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
  ElementVec multiplier[3];
  element_solve_rest(f, m, rest, lane, multiplier);
  for (int k = 0; k < 4; ++k) {
    ElementPoint& to = *points[k];
    const ElementVec sum = g[0][k] * multiplier[0] + g[1][k] * multiplier[1] + g[2][k] * multiplier[2];
    const ElementVec moved = element_at(to) + to.inverse_mass * sum;
    to.x = moved.x;
    to.y = moved.y;
    to.z = moved.z;
  }
}

void damp_voxel(const VoxelBatch& batch, std::size_t lane, const ElementStep& step) {
  const double scale = 0.25 * step.inverse_size;
  ElementPoint* points[8];
  ElementVec before[8];
  ElementVec moved[8];
  for (int c = 0; c < 8; ++c) {
    points[c] = step.points + batch.nodes[c][lane];
    before[c] = element_at(step.before[batch.nodes[c][lane]]);
    moved[c] = element_at(*points[c]) - before[c];
  }
  const ElementVec first = before[0];
  for (int c = 0; c < 8; ++c) before[c] = before[c] - first;
  ElementVec shape[8];
  ElementVec change[8];
  element_modes(before, shape);
  element_modes(moved, change);
  for (int c = 1; c < 8; ++c) {
    shape[c] = scale * shape[c];
    change[c] = scale * change[c];
  }
  const ElementVec f[3] = {shape[1], shape[2], shape[4]};
  const ElementVec rate[3] = {change[1], change[2], change[4]};
  ElementVec multiplier[3];
  const double viscous = element_damp(f, rate, batch.shear[lane], batch.inertia[lane], step, multiplier);
  const double per_h = 1 / step.h;
  ElementVec mode[8];
  mode[1] = multiplier[0];
  mode[2] = multiplier[1];
  mode[4] = multiplier[2];
  for (const int c : {3, 5, 6, 7}) {
    const double own = (c == 7 ? hourglass_of_three : hourglass_of_two) * viscous;
    mode[c] = (-own / (per_h * per_h + batch.inertia[lane] * own)) * change[c];
  }
  element_corners(mode);
  for (int c = 0; c < 8; ++c) {
    ElementPoint& to = *points[c];
    const ElementVec end = element_at(to) + (to.inverse_mass * scale) * mode[c];
    to.x = end.x;
    to.y = end.y;
    to.z = end.z;
  }
}

void damp_tetrahedron(const TetrahedronBatch& batch, std::size_t lane, const ElementStep& step) {
  ElementPoint* points[4];
  ElementVec before[4];
  ElementVec moved[4];
  for (int k = 0; k < 4; ++k) {
    points[k] = step.points + batch.nodes[k][lane];
    before[k] = element_at(step.before[batch.nodes[k][lane]]);
    moved[k] = element_at(*points[k]) - before[k];
  }
  double g[3][4];
  ElementVec f[3];
  ElementVec rate[3];
  for (int axis = 0; axis < 3; ++axis) {
    for (int k = 1; k < 4; ++k) g[axis][k] = batch.gradient[axis][k - 1][lane];
    g[axis][0] = -(g[axis][1] + g[axis][2] + g[axis][3]);
    f[axis] = g[axis][1] * (before[1] - before[0]) + g[axis][2] * (before[2] - before[0]) +
              g[axis][3] * (before[3] - before[0]);
    rate[axis] =
        g[axis][1] * (moved[1] - moved[0]) + g[axis][2] * (moved[2] - moved[0]) + g[axis][3] * (moved[3] - moved[0]);
  }
  ElementVec multiplier[3];
  element_damp(f, rate, batch.shear[lane], batch.inertia[lane], step, multiplier);
  for (int k = 0; k < 4; ++k) {
    ElementPoint& to = *points[k];
    const ElementVec sum = g[0][k] * multiplier[0] + g[1][k] * multiplier[1] + g[2][k] * multiplier[2];
    const ElementVec end = element_at(to) + to.inverse_mass * sum;
    to.x = end.x;
    to.y = end.y;
    to.z = end.z;
  }
}

}  // namespace

void damp_voxels_reference(std::span<const VoxelBatch> batches, const ElementStep& step) {
  for (const VoxelBatch& batch : batches) {
    for (std::size_t lane = 0; lane < element_lanes; ++lane) damp_voxel(batch, lane, step);
  }
}

void damp_tetrahedra_reference(std::span<const TetrahedronBatch> batches, const ElementStep& step) {
  for (const TetrahedronBatch& batch : batches) {
    for (std::size_t lane = 0; lane < element_lanes; ++lane) damp_tetrahedron(batch, lane, step);
  }
}

void project_voxels_reference(std::span<const VoxelBatch> batches, const ElementStep& step, const RestBatch* rest) {
  for (std::size_t b = 0; b < batches.size(); ++b) {
    for (std::size_t lane = 0; lane < element_lanes; ++lane)
      project_voxel(batches[b], lane, step, rest == nullptr ? nullptr : rest + b);
  }
}

void project_tetrahedra_reference(std::span<const TetrahedronBatch> batches, const ElementStep& step,
                                  const RestBatch* rest) {
  for (std::size_t b = 0; b < batches.size(); ++b) {
    for (std::size_t lane = 0; lane < element_lanes; ++lane)
      project_tetrahedron(batches[b], lane, step, rest == nullptr ? nullptr : rest + b);
  }
}

}  // namespace carom::kernels
