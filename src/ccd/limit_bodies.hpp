#pragma once

#include "bodies/vertices.hpp"
#include "ccd/limit_motion.hpp"
#include "ccd/limit_surface_motion.hpp"
#include "ccd/motion_certificate.hpp"
#include "ccd/surface_limit.hpp"
#include "contact/surface_contacts.hpp"

/// The continuous stage of all bodies: nothing passes through anything between the start of the step and its end.
namespace carom::ccd {

struct BodiesIn {
  In rigid;
  bool deforming = false;  ///< some body has vertices that move
  bool features = false;   ///< some surfaces must not pass through each other
  std::span<const limit::Part> parts;
  broad::ObjectChoice choice;  ///< surfaces that must not pass through each other
  PairScope scope = PairScope::all;
  mid::Method method = mid::Method::clusters;
  ContactFilters filters{};
  double thickness = 0;  ///< m
  const contact::ShapeFound& shapes;
  /// Pairs of features closer than `near_distance` (m) at the start of the step; 0: not known.
  std::span<const contact::NearPair> near_pairs{};
  double near_distance = 0;
  double near_self_distance = 0;            ///< m, the same of pairs of one part
  detection::FlatClusters* flat = nullptr;  ///< pairs of clusters that are not among them; or none
};

struct BodiesScratch {
  Scratch rigid;
  std::vector<BodySlot> woken;
  std::vector<ColliderSurface> pairs;
  SurfaceLimitScratch surfaces;
  limit::Scratch features;
  CertificateScratch certificate;
};

/// Wakes the sleeping bodies of the table that are carried away.
void limit_bodies(Context& context, const BodiesIn& in, BodiesScratch& scratch, rigid::Bodies& table,
                  rigid::StepMotion& motion, bodies::Vertices& vertices, StageStats& stats);

}  // namespace carom::ccd
