#pragma once

#include <gmpxx.h>

#include <Eigen/Core>
#include <array>

/// Distances in rational arithmetic: no rounding, so no doubt. Slow, and independent of the library.
namespace carom::oracle {

struct ExactVector {
  mpq_class x, y, z;
};

ExactVector exact(const Eigen::Vector3d& p);
ExactVector operator-(const ExactVector& a, const ExactVector& b);
ExactVector operator+(const ExactVector& a, const ExactVector& b);
ExactVector operator*(const mpq_class& s, const ExactVector& a);
mpq_class dot(const ExactVector& a, const ExactVector& b);

mpq_class squared_distance(const ExactVector& a, const ExactVector& b);
mpq_class point_segment_squared(const ExactVector& p, const ExactVector& a, const ExactVector& b);
mpq_class point_triangle_squared(const ExactVector& p, const ExactVector& a, const ExactVector& b,
                                 const ExactVector& c);
mpq_class segment_segment_squared(const ExactVector& a0, const ExactVector& a1, const ExactVector& b0,
                                  const ExactVector& b1);

/// computed - sqrt(squared), to far more digits than a double holds and only then rounded to one.
double error_of(double computed, const mpq_class& squared);

}  // namespace carom::oracle
