#pragma once

#include "carom/detect/continuous.hpp"
#include "oracle/exact_distance.hpp"

/// Continuous collision in rational arithmetic.
namespace carom::oracle {

struct ExactImpact {
  bool collides = false;
  mpq_class before;  ///< the first contact is in [before, after]
  mpq_class after;
};

/// At separation 0. What "they touch" means is written as a formula over signs of polynomials in t. The times at which
/// it holds are a closed set that begins at 0 or at a zero of one of these polynomials: all are tried.
ExactImpact exact_impact(ContactKind kind, const FeatureMotion& motion);

/// Of the two features at a time, squared.
mpq_class squared_distance_at(ContactKind kind, const FeatureMotion& motion, const mpq_class& t);

/// The longest path of a vertex of one feature as seen from one of the other, squared.
mpq_class squared_motion(ContactKind kind, const FeatureMotion& motion);

}  // namespace carom::oracle
