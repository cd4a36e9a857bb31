#include <algorithm>
#include <cmath>

#include "kernels/cloth_constraints.hpp"

// The operations of cloth_constraints.cpp, one by one and in the same order.
namespace carom::kernels {
namespace {

struct ClothVec {
  double x = 0, y = 0, z = 0;
};
ClothVec operator+(const ClothVec& a, const ClothVec& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
ClothVec operator-(const ClothVec& a, const ClothVec& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
ClothVec operator*(double s, const ClothVec& a) {
  return {s * a.x, s * a.y, s * a.z};
}
double dot(const ClothVec& a, const ClothVec& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
ClothVec cross(const ClothVec& a, const ClothVec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
ClothVec place(const ClothPoint& p) {
  return {p.x, p.y, p.z};
}
void put(ClothPoint& p, const ClothVec& v) {
  p.x = v.x;
  p.y = v.y;
  p.z = v.z;
}

struct ClothRow {
  double compliance = 0;
  double residual = 0;
};
/// Damping makes a constraint firmer, and adds its rate to what is to be taken away.
ClothRow damp(double residual, double compliance, double gamma, double rate) {
  const double firmer = 1 / (1 + gamma);
  return {compliance * firmer, (residual + gamma * rate) * firmer};
}

void project_triangle(const StretchBatch& batch, std::size_t lane, const ClothStep& step) {
  ClothPoint* points[3];
  ClothVec p[3];
  double w[3];
  double g[2][3];
  for (int k = 0; k < 3; ++k) {
    points[k] = step.points + batch.corners[k][lane];
    p[k] = place(*points[k]);
    w[k] = points[k]->inverse_mass;
  }
  for (int axis = 0; axis < 2; ++axis) {
    g[axis][1] = batch.gradient[axis][0][lane];
    g[axis][2] = batch.gradient[axis][1][lane];
    g[axis][0] = -(g[axis][1] + g[axis][2]);
  }
  const auto column = [&](int axis) { return g[axis][1] * (p[1] - p[0]) + g[axis][2] * (p[2] - p[0]); };
  const auto sum = [&](int i, int j) {
    return w[0] * (g[i][0] * g[j][0]) + w[1] * (g[i][1] * g[j][1]) + w[2] * (g[i][2] * g[j][2]);
  };
  const double s00 = sum(0, 0);
  const double s01 = sum(0, 1);
  const double s11 = sum(1, 1);
  const ClothVec u = column(0);
  const ClothVec v = column(1);
  const double uu = dot(u, u);
  const double vv = dot(v, v);
  const double uv = dot(u, v);
  const double length_u = std::sqrt(uu);
  const double length_v = std::sqrt(vv);
  const double inverse_u = length_u > cloth_min_length ? 1 / length_u : 0.0;
  const double inverse_v = length_v > cloth_min_length ? 1 / length_v : 0.0;

  const double per_h = 1 / step.h;
  const double per_h2 = per_h * per_h;
  ClothRow rows[3] = {{batch.compliance[0][lane] * per_h2, length_u - 1},
                      {batch.compliance[1][lane] * per_h2, length_v - 1},
                      {batch.compliance[2][lane] * per_h2, uv}};
  if (step.damped) {
    const ClothVec b0 = place(step.before[batch.corners[0][lane]]);
    const ClothVec b1 = place(step.before[batch.corners[1][lane]]) - b0;
    const ClothVec b2 = place(step.before[batch.corners[2][lane]]) - b0;
    const ClothVec old_u = g[0][1] * b1 + g[0][2] * b2;
    const ClothVec old_v = g[1][1] * b1 + g[1][2] * b2;
    const double rates[3] = {length_u - std::sqrt(dot(old_u, old_u)), length_v - std::sqrt(dot(old_v, old_v)),
                             uv - dot(old_u, old_v)};
    for (int k = 0; k < 3; ++k)
      rows[k] = damp(rows[k].residual, rows[k].compliance, batch.damping[k][lane] * per_h, rates[k]);
  }
  const double a00 = s00 + rows[0].compliance;
  const double a11 = s11 + rows[1].compliance;
  const double a22 = s00 * vv + s01 * (uv + uv) + s11 * uu + rows[2].compliance;
  const double a01 = s01 * (uv * (inverse_u * inverse_v));
  const double a02 = s00 * (uv * inverse_u) + s01 * length_u;
  const double a12 = s01 * length_v + s11 * (uv * inverse_v);
  const double c00 = a11 * a22 - a12 * a12;
  const double c01 = a02 * a12 - a01 * a22;
  const double c02 = a01 * a12 - a02 * a11;
  const double c11 = a00 * a22 - a02 * a02;
  const double c12 = a01 * a02 - a00 * a12;
  const double c22 = a00 * a11 - a01 * a01;
  const double scale = -1 / (a00 * c00 + a01 * c01 + a02 * c02);
  const double x0 = scale * (c00 * rows[0].residual + c01 * rows[1].residual + c02 * rows[2].residual);
  const double x1 = scale * (c01 * rows[0].residual + c11 * rows[1].residual + c12 * rows[2].residual);
  const double x2 = scale * (c02 * rows[0].residual + c12 * rows[1].residual + c22 * rows[2].residual);
  const ClothVec push_u = (x0 * inverse_u) * u + x2 * v;
  const ClothVec push_v = (x1 * inverse_v) * v + x2 * u;
  for (int k = 0; k < 3; ++k) p[k] = p[k] + w[k] * (g[0][k] * push_u + g[1][k] * push_v);

  if (step.limited) {
    for (int axis = 0; axis < 2; ++axis) {
      const ClothVec f = column(axis);
      const double length = std::sqrt(dot(f, f));
      const double excess = length - 1 - batch.limit[lane];
      const double weight = axis == 0 ? s00 : s11;
      if (!(excess > 0 && weight > 0)) continue;
      const ClothVec push = (-excess / (weight * length)) * f;
      for (int k = 0; k < 3; ++k) p[k] = p[k] + (w[k] * g[axis][k]) * push;
    }
  }
  for (int k = 0; k < 3; ++k) put(*points[k], p[k]);
}

void project_edge(const BendBatch& batch, std::size_t lane, const ClothStep& step, bool flat) {
  ClothPoint* points[4];
  ClothVec p[4];
  double w[4];
  double k[4];
  for (int i = 0; i < 4; ++i) {
    points[i] = step.points + batch.vertices[i][lane];
    p[i] = place(*points[i]);
    w[i] = points[i]->inverse_mass;
    if (i > 0) k[i] = batch.weight[i - 1][lane];
  }
  k[0] = -(k[1] + k[2] + k[3]);
  const ClothVec e1 = p[1] - p[0];
  const ClothVec e2 = p[2] - p[0];
  const ClothVec e3 = p[3] - p[0];
  const ClothVec c = k[1] * e1 + k[2] * e2 + k[3] * e3;
  const double weight = w[0] * (k[0] * k[0]) + w[1] * (k[1] * k[1]) + w[2] * (k[2] * k[2]) + w[3] * (k[3] * k[3]);
  const double per_h = 1 / step.h;
  const double compliance = batch.compliance[lane] * (1 / (step.h * step.bend_interval));
  double factor = 0;
  if (flat && !step.damped) {
    factor = -1 / (weight + compliance);
  } else {
    const double length = std::sqrt(dot(c, c));
    const double inverse = length > cloth_min_length ? 1 / length : 0.0;
    double value = length;
    if (!flat) {
      const ClothVec normals = cross(e1, e2) + cross(e3, e1);
      const double rest = batch.rest[lane];
      value = dot(c, normals) < 0 ? length + rest : length - rest;
    }
    double gamma = 0;
    if (step.damped) {
      gamma = batch.damping[lane] * per_h;
      const ClothVec b0 = place(step.before[batch.vertices[0][lane]]);
      const ClothVec b = k[1] * (place(step.before[batch.vertices[1][lane]]) - b0) +
                         k[2] * (place(step.before[batch.vertices[2][lane]]) - b0) +
                         k[3] * (place(step.before[batch.vertices[3][lane]]) - b0);
      const double before = std::sqrt(dot(b, b));
      value = value + gamma * (dot(c, b) < 0 ? length + before : length - before);
    }
    factor = -value / ((1 + gamma) * weight + compliance) * inverse;
  }
  const ClothVec push = factor * c;
  for (int i = 0; i < 4; ++i) put(*points[i], p[i] + (w[i] * k[i]) * push);
}

}  // namespace

void project_stretch_reference(std::span<const StretchBatch> batches, const ClothStep& step) {
  for (const StretchBatch& batch : batches) {
    for (std::size_t lane = 0; lane < cloth_lanes; ++lane) project_triangle(batch, lane, step);
  }
}

void project_bending_reference(std::span<const BendBatch> batches, const ClothStep& step, bool flat) {
  for (const BendBatch& batch : batches) {
    for (std::size_t lane = 0; lane < cloth_lanes; ++lane) project_edge(batch, lane, step, flat);
  }
}

}  // namespace carom::kernels
