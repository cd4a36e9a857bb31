#pragma once

#include <map>
#include <vector>

#include "bodies/body.hpp"
#include "bodies/vertices.hpp"
#include "bounds/collider_bounds.hpp"
#include "carom/world/world.hpp"
#include "ccd/limit_bodies.hpp"
#include "conservation/spin_energy.hpp"
#include "contact/match_contacts.hpp"
#include "contact/rigid_meshes.hpp"
#include "contact/surface_contacts.hpp"
#include "contact/update_manifolds.hpp"
#include "core/context.hpp"
#include "island/sleep.hpp"
#include "query/query_tree.hpp"
#include "response/respond.hpp"
#include "world/contact_list.hpp"

namespace carom {

/// Data that ContactFilters refers to, for the joined surface.
struct JoinedFilters {
  std::vector<Eigen::Vector3d> rest_positions;  ///< empty if no factor asks for them
  std::vector<std::array<Index, 2>> vertices;
  std::vector<std::array<Index, 2>> objects;
  std::vector<ObjectGroup> groups;  ///< of bodies that do not have the default
};

/// A vertex of one body that makes no contacts with a vertex of another.
struct VertexExclusion {
  BodyId a;
  Index vertex_a = none;
  BodyId b;
  Index vertex_b = none;
};

/// State that lasts from step to step: a copy of it continues bit for bit.
struct LastingState {
  double time = 0;
  std::uint64_t steps = 0;

  BodyMap bodies;
  std::vector<BodyId> order;  ///< of the bodies, as added
  rigid::Bodies table;        ///< of the bodies, by the index of their ids
  std::uint32_t next_serial = 0;

  std::vector<std::array<BodyId, 2>> excluded_bodies;
  std::vector<VertexExclusion> excluded_vertices;
  std::map<std::array<BodyId, 2>, Detection> pair_detection;  ///< the smaller id first

  bounds::ColliderBounds bounds;
  rigid::Travel travel;
  contact::PairTable pairs;      ///< of shapes, with their contacts
  contact::AnchorList contacts;  ///< of surfaces, in the last step
  contact::AnchorList resting;   ///< of surfaces that sleep
};

/// Everything a world is. What is not in LastingState is made by `edits`, or working memory of a stage.
struct World::State : LastingState {
  explicit State(const WorldOptions& world_options);

  WorldOptions options;
  mid::Method method;
  response::Kind response;
  Workers workers;
  Arena arena;

  // Made by `edits`.
  bool edited = true;  ///< bodies came or went since the surface was made
  bool filters_edited = false;
  bodies::Vertices vertices;
  bool any_particles = false;
  bool any_rigid = false;  ///< some body has a shape
  bool deforming = false;  ///< some body has vertices that move, or contacts of those that do not are asked for
  JoinedFilters filters;
  bool any_continuous = false;
  std::vector<ccd::limit::Part> parts;
  // Pairs of objects that must not pass through each other, see broad::ObjectChoice.
  std::vector<std::uint8_t> marks;
  std::vector<broad::ObjectChoice::Pair> chosen_pairs;

  // Results of the stages of a step.
  int rounds = 1;  ///< of this step: as often contacts are found and answered in it
  rigid::StepMotion motion;
  contact::RigidMeshes rigid_meshes;        ///< made by `edits`, placed by `predict`
  std::vector<std::uint8_t> still;          ///< of each slot: 1 if nothing of the body moves in this step
  std::vector<std::uint8_t> scripted;       ///< of each slot: 1 if the body moves by a script in this step
  std::vector<std::uint8_t> contact_marks;  ///< of pairs that make contacts, see broad::ObjectChoice; empty: all do
  std::vector<Contact> features;
  contact::ShapeFound shapes;
  contact::CoupledBodies coupled;
  contact::AnchorList next_contacts;  ///< become `contacts` when the step is committed
  contact::ActivePairs active;
  std::vector<island::Touch> touches;  ///< bodies of `next_contacts`, then those near surfaces
  island::Islands islands;
  std::vector<double> stored;         ///< J, of each active pair: in its springs at the beginning of the step
  std::vector<double> vertex_speeds;  ///< m/s, of each slot: mean over the step, of the fastest vertex
  std::vector<std::int32_t> fallen;   ///< bodies that fell asleep

  // Working memory.
  contact::PairScratch pair_scratch;
  contact::NarrowScratch narrow_scratch;
  contact::SurfaceScratch surface_scratch;
  response::RespondScratch respond_scratch;
  ccd::BodiesScratch ccd_scratch;
  std::vector<island::Touch> stops;
  std::vector<double> island_gain;
  conservation::SpinScratch spin_scratch;
  island::SleepScratch sleep_scratch;

  // What users ask for.
  mutable query::QueryTree query_tree;  ///< forgotten by whatever moves a body
  mutable ContactList contact_list;     ///< forgotten by whatever changes the contacts
  PipelineStats stats;
};

/// Stage `edits`: joins the surfaces of all bodies, and what is not to touch. The only place where topology changes.
void run_edits(World::State& state, StageStats& stats);
/// Filters of the joined surface; refers to the state.
ContactFilters filters_of(const World::State& state);

/// Wakes a body, all that sleep with it and all that touch it.
void wake_neighbours(World::State& state, BodyId body);

}  // namespace carom
