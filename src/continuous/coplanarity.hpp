#pragma once

#include "continuous/relative_motion.hpp"

/// When the four vertices may be in one plane. c(t) = det(corner 0, side f, side g) is six times the volume they span:
/// a cubic in t whose zeros are the only times at which the features can touch. In Bernstein form its values over an
/// interval lie between the smallest and the largest coefficient of that interval.
///
/// The degree is lower where a side does not change over the step (Meseure and Chaillou 1997, section 4): a vertex
/// against a face that only translates, degree 1; two edges of which one only translates, degree 2.
namespace carom::continuous {

struct Coplanarity {
  std::array<double, 4> c{};  ///< Bernstein coefficients over the step
  double error = 0;           ///< each value computed from these is off by less than this
  double margin = 0;          ///< |c| above this: farther apart than the separation; `error` is part of it
  int degree = 3;
};

Coplanarity coplanarity(const RelativeMotion& m);

/// The coefficients over [t0, t1], by blossoming.
std::array<double, 4> restrict_to(const std::array<double, 4>& c, double t0, double t1);

double value_at(const std::array<double, 4>& c, double t);

/// -1 or 1 if all coefficients have this sign and are larger than the margin, else 0.
int certain_sign(const std::array<double, 4>& c, double margin);

/// A time t' such that all of [t0, t'] is surely free, as late as can be found cheaply: 1 if there is no zero at
/// all, just before the first zero otherwise; t0 if nothing can be said.
double skip_to_first_zero(const Coplanarity& p, double t0);

}  // namespace carom::continuous
