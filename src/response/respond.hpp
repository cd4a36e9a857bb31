#pragma once

#include <deque>

#include "bodies/vertices.hpp"
#include "contact/match_contacts.hpp"
#include "contact/surface_contacts.hpp"
#include "island/islands.hpp"
#include "response/anchor_joint.hpp"
#include "response/anchor_penalty.hpp"
#include "response/rigid_response.hpp"

/// Stage `respond`: the contacts of all bodies, of whatever kind.
namespace carom::response {

struct RespondIn {
  Kind kind = Kind::soft;
  const WorldOptions& options;
  const BodyMap& bodies;
  const rigid::Bodies& table;
  std::span<const ManifoldIndex> active_indices;
  const contact::ActivePairs& active;
  const island::Islands& islands;
  bool deforming = false;  ///< some body has vertices that move
  int rounds = 1;          ///< number of rounds of the whole step; this is one of them
  std::span<AnchorJoint> joints{};
  /// s, left of the time budget of the step; negative if there is none.
  double time_left = -1;
  SlotSpan<const std::uint8_t> urgency{};  ///< see contact::find_urgency(); with a time budget only
};

struct RespondScratch {
  Scratch rigid;
  anchor_penalty::Scratch anchors;
  VertexContacts vertex_contacts;
  std::deque<VertexContacts> group_contacts;
  double work_cost = 0;  ///< s of time for a unit of work of inner steps, as last measured; with a time budget only
  std::vector<LimitedBody> limited;  ///< bodies that got fewer inner steps than they ask for
};

/// Rigid bodies that touch something get their next motion, vertices the ends of their motion.
void respond(Context& context, const RespondIn& in, ManifoldSpan<contact::CachedManifold> manifolds,
             std::span<AnchorContact> anchors, contact::CoupledBodies& coupled, bodies::Vertices& vertices,
             rigid::StepMotion& motion, RespondScratch& scratch, StageStats& stats);

}  // namespace carom::response
