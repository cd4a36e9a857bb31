#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "bodies/body.hpp"
#include "carom/world/world.hpp"
#include "ccd/limit_surface_motion.hpp"
#include "ccd/surface_limit.hpp"
#include "contact/anchor_contacts.hpp"
#include "core/context.hpp"
#include "core/slot_map.hpp"
#include "detect/detection.hpp"
#include "narrow/surface/surface_tree.hpp"
#include "query/world_query.hpp"
#include "response/anchor_penalty.hpp"
#include "response/coupling.hpp"
#include "world/contact_list.hpp"
#include "world/rigid_pipeline.hpp"

namespace carom {

/// Data that ContactFilters refers to, for the joined surface.
struct JoinedFilters {
  std::vector<Eigen::Vector3d> rest_positions;  ///< empty if no factor asks for them
  std::vector<std::array<Index, 2>> vertices;
  std::vector<std::array<Index, 2>> objects;
  std::vector<ObjectGroup> groups;  ///< of bodies that do not have the default
};

/// Everything a world is. What lasts from step to step is in `bodies`, `order`, the clock and the contacts' identities;
/// the rest is made again or is working memory.
struct World::State {
  explicit State(const WorldOptions& world_options);

  WorldOptions options;
  mid::Method method;
  response::Kind response;
  double time = 0;
  std::uint64_t steps = 0;
  int rounds = 1;  ///< of this step: as often contacts are found and answered in it

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
  std::vector<contact::SurfacePart> ranges;
  bool any_particles = false;
  bool any_rigid = false;  ///< some body has a shape
  bool deforming = false;  ///< some body has vertices that move, or contacts of those that do not are asked for
  std::vector<double> inverse_mass;
  JoinedFilters filters;
  std::vector<std::uint8_t> contact_marks;  ///< of pairs that make contacts, see broad::ObjectChoice; empty: all do
  bool any_continuous = false;
  std::vector<ccd::limit::Part> parts;
  // Pairs of objects that must not pass through each other, see broad::ObjectChoice.
  std::vector<std::uint8_t> marks;
  std::vector<broad::ObjectChoice::Pair> chosen_pairs;

  // End of the step as predicted; the response corrects the velocities.
  std::vector<Eigen::Vector3d> positions;
  std::vector<Eigen::Vector3d> velocities;
  std::vector<Eigen::Vector3d> start;             ///< of the step
  std::vector<Eigen::Vector3d> start_velocities;  ///< of the step; of scripted vertices, over it
  std::vector<Eigen::Vector3d> displacements;     ///< in the step, as the response has it
  std::vector<Eigen::Vector3d> forces;            ///< working memory of particles
  std::deque<cloth::Projection> projections;      ///< working memory of cloth, of each range
  std::vector<double> awake_inverse_mass;         ///< 1/kg; 0 of bodies that sleep as well

  /// Lost by the damping of the air in this step, of each body with vertices.
  struct Damped {
    Eigen::Vector3d momentum = Eigen::Vector3d::Zero();
    Eigen::Vector3d angular = Eigen::Vector3d::Zero();  ///< about the origin
  };
  std::vector<Damped> damped;
  // Working memory of islands, by the number of the body.
  std::vector<std::int32_t> island_parent;
  std::vector<std::uint8_t> island_touched;  ///< 1: of the body, or of one of the island at its root
  std::vector<Index> first_vertex_of;

  rigid::RigidPipeline rigid;
  mutable query::QueryTree query_tree;  ///< forgotten by whatever moves a rigid body

  std::vector<Contact> found;
  contact::AnchorList contacts;
  contact::AnchorList next_contacts;  ///< become `contacts` when the step is committed
  narrow::surface::SurfaceTree surface_tree;
  std::vector<contact::ShapeContacts> shape_contacts;  ///< of each surface pair of the broad phase
  std::vector<std::size_t> shape_parts;                ///< of each: the part of its surface
  std::vector<double> shape_within;                    ///< of each: m, how far contacts were looked for
  struct ShapeScratch {
    narrow::surface::SurfaceTree::Scratch tree;
    std::vector<Index> candidates;
    narrow::surface::ShapeContactScratch contacts;
  };
  std::deque<ShapeScratch> shape_scratch;
  std::vector<ccd::ColliderSurface> collider_surfaces;
  std::vector<response::CoupledBody> coupled;
  std::vector<std::int32_t> coupled_of;  ///< of each body: its number among the coupled ones, or -1
  mutable ContactList contact_list;      ///< forgotten by whatever changes the contacts
  PipelineStats stats;

  Workers workers;
  Arena arena;
  detection::Scratch detection;
  anchor_penalty::Scratch penalty;
  ccd::SurfaceLimitScratch surface_limit;
  ccd::limit::Scratch limit;
};

/// Stage `edits`: joins the surfaces of all bodies, and what is not to touch. The only place where
/// topology changes.
void run_edits(World::State& state, StageStats& stats);
/// Stage `bounds` of surfaces.
void bound_surfaces(World::State& state, StageStats& stats);
/// Refers to the state.
ContactFilters filters_of(const World::State& state);
/// Stage `predict`: where every vertex would be at the end of the step if nothing touched.
void run_predict(World::State& state, StageStats& stats);
/// Stages `mid` and `narrow` of surfaces: features that are near each other, and convex colliders near features.
void find_surface_contacts(Context& context, World::State& state, PipelineStats& stats);
/// Stage `contacts` of surfaces: anchors, ids, and the impulses of the step before. Wakes what is touched.
void match_surface_contacts(World::State& state, StageStats& stats);
/// Stage `respond`: contacts of all bodies. Rigid bodies get their next motion, vertices their ends.
void respond(Context& context, World::State& state, PipelineStats& stats);
/// Stage `continuous`: nothing passes through anything between the start of the step and its end.
void limit_motion(Context& context, World::State& state, const rigid::StepOptions& options, StageStats& stats);
/// Angular momentum that contacts of free deforming bodies did not keep, taken back.
void keep_angular_momentum(World::State& state, StageStats& stats);
/// Adds up the momentum that the damping of the air takes in an interval (s), for keep_angular_momentum.
void note_air_damping(World::State& state, const contact::SurfacePart& part, double interval,
                      std::span<const Eigen::Vector3d> displacements);
/// Stage `commit`: the new state, all of it or, if a number overflowed, none of it.
void run_commit(World::State& state, StageStats& stats);
/// Throws Error(unstable) that names a vertex which left the range of numbers.
void check_ends(const World::State& state);

}  // namespace carom
