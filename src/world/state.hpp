#pragma once

#include <map>
#include <optional>
#include <vector>

#include "bodies/body.hpp"
#include "carom/world.hpp"
#include "contact/identity.hpp"
#include "core/context.hpp"
#include "core/slot_map.hpp"
#include "detect/detection.hpp"
#include "response/limit_motion.hpp"
#include "response/penalty.hpp"
#include "world/contact_list.hpp"
#include "world/rigid_query.hpp"
#include "world/rigid_world.hpp"

namespace carom {

/// What ContactFilters refers to, for the joined surface.
struct JoinedFilters {
  std::vector<Eigen::Vector3d> rest_positions;  ///< empty if no factor asks for them
  std::vector<std::array<Index, 2>> vertices;
  std::vector<std::array<Index, 2>> objects;
  std::vector<ObjectGroup> groups;  ///< of bodies that do not have the default
};

/// Everything a world is. What lasts from step to step is in `bodies`, `order`, the clock and the
/// contacts' identities; the rest is made anew or is working memory.
struct World::State {
  explicit State(const WorldOptions& world_options);

  WorldOptions options;
  mid::Method method;
  response::Kind response;
  double time = 0;
  std::uint64_t steps = 0;

  SlotMap<Body, BodyTag> bodies;
  std::vector<BodyId> order;  ///< as added
  std::uint32_t next_serial = 0;
  bool edited = true;  ///< bodies came or went since the surface was made

  /// A vertex of one body that makes no contacts with a vertex of another.
  struct VertexExclusion {
    BodyId a;
    Index vertex_a = none;
    BodyId b;
    Index vertex_b = none;
  };
  std::vector<std::array<BodyId, 2>> excluded_bodies;
  std::vector<VertexExclusion> excluded_vertices;
  std::map<std::array<BodyId, 2>, Detection> pair_detection;  ///< the smaller id first
  bool filters_edited = false;

  // One array over all bodies, in `order`; made by edits.
  Surface surface{0, {}};
  std::vector<contact::BodyRange> ranges;
  std::vector<double> inverse_mass;
  JoinedFilters filters;
  std::vector<std::uint8_t> contact_marks;  ///< of pairs that make contacts, see broad::ObjectChoice; empty: all do
  bool any_continuous = false;
  std::vector<limit::Part> parts;
  // What must not pass through what, see broad::ObjectChoice.
  std::vector<std::uint8_t> marks;
  std::vector<broad::ObjectChoice::Pair> chosen_pairs;

  // End of the step as predicted; the response corrects the velocities.
  std::vector<Eigen::Vector3d> positions;
  std::vector<Eigen::Vector3d> velocities;
  std::vector<Eigen::Vector3d> start;  ///< of the step; only if something is continuous
  /// At the beginning of the step, before its forces; of scripted bodies the velocity of the step.
  std::vector<Eigen::Vector3d> start_velocities;

  rigid::World rigid;
  mutable rigid::QueryTree query_tree;  ///< forgotten by whatever moves a rigid body

  std::vector<Contact> found;
  contact::Identified contacts;
  contact::Identified next_contacts;  ///< become `contacts` when the step is committed
  mutable ContactList contact_list;   ///< forgotten by whatever changes the contacts
  PipelineStats stats;

  Workers workers;
  Arena arena;
  detection::Scratch detection;
  penalty::Scratch penalty;
  limit::Scratch limit;
};

/// Stage `edits`: joins the surfaces of all bodies, and what is not to touch. The only place where
/// topology changes.
void run_edits(World::State& state, StageStats& stats);
/// Refers to the state.
ContactFilters filters_of(const World::State& state);
/// Stage `predict`: where every vertex would be at the end of the step if nothing touched.
void run_predict(World::State& state, StageStats& stats);
/// Normal speeds and impulses of the contacts of the step, after the response.
void note_response(World::State& state);
/// The first half of stage `commit`: where the corrected velocities lead, and no farther than is safe.
void run_advance(Context& context, World::State& state, StageStats& stats);
/// Stage `commit`: the new state, all of it or, if a number overflowed, none of it.
void run_commit(World::State& state, StageStats& stats);

}  // namespace carom
