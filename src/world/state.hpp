#pragma once

#include <chrono>
#include <map>
#include <vector>

#include "bodies/body.hpp"
#include "bodies/carried_fields.hpp"
#include "bodies/sheet_cut.hpp"
#include "bodies/soft_cut_masses.hpp"
#include "bodies/soft_places.hpp"
#include "bodies/vertices.hpp"
#include "bounds/collider_bounds.hpp"
#include "carom/world/world.hpp"
#include "ccd/limit_bodies.hpp"
#include "conservation/spin_energy.hpp"
#include "conservation/stop_energy.hpp"
#include "contact/match_contacts.hpp"
#include "contact/rigid_meshes.hpp"
#include "contact/still_bodies.hpp"
#include "contact/surface_contacts.hpp"
#include "contact/tangles.hpp"
#include "contact/thin_contacts.hpp"
#include "contact/update_manifolds.hpp"
#include "core/context.hpp"
#include "island/sleep.hpp"
#include "mesh/voxel_links.hpp"
#include "query/query_tree.hpp"
#include "response/respond.hpp"
#include "world/contact_list.hpp"
#include "world/joints.hpp"

namespace carom {

/// Data that ContactFilters refers to, for the joined surface.
struct JoinedFilters {
  std::vector<Eigen::Vector3d> rest_positions;  ///< empty if no factor asks for them
  std::vector<std::array<Index, 2>> vertices;
  /// Vertices of stitches that become one, ascending, the smaller first: no contacts hold them apart, but what is at
  /// them does not pass through each other.
  std::vector<std::array<Index, 2>> sewn;
  std::vector<std::array<Index, 2>> twins;  ///< vertices of tears and cuts that have not come apart, ascending
  std::vector<std::array<Index, 2>> objects;
  std::vector<std::array<Index, 2>> contact_objects;  ///< `objects`, and parts whose contacts a distance field makes
  std::vector<ObjectGroup> groups;                    ///< groups of bodies that do not have the default
};

/// A vertex of one body that makes no contacts with a vertex of another.
struct VertexExclusion {
  BodyId a;
  Index vertex_a = none;
  BodyId b;
  Index vertex_b = none;
};

/// Vertex that another body holds.
struct Attachment {
  BodyId body;
  Index vertex = none;
  BodyId to;
  double inverse_mass = 0;  ///< 1/kg, when it is free
};

/// Blade of a body.
struct BodyBlade {
  /// Point that the body carries: in the frame of a triangle of its surface, or of its shape.
  struct Point {
    Index triangle = none;
    Eigen::Vector3d local{0, 0, 0};  ///< m
  };
  BodyId body;
  std::vector<Point> points;
  std::vector<Eigen::Vector3d> places;  ///< m, in the world, at the end of the last step
};

/// State that lasts from step to step: a copy of it continues bit for bit.
struct LastingState {
  double time = 0;
  std::uint64_t steps = 0;

  BodyMap bodies;
  std::vector<BodyId> order;  ///< bodies in the order of adding
  rigid::Bodies table;        ///< bodies by the index of their ids
  std::uint32_t next_serial = 0;

  std::vector<std::array<BodyId, 2>> excluded_bodies;
  std::vector<VertexExclusion> excluded_vertices;
  std::vector<Joint> joints;
  std::vector<Attachment> attachments;
  std::vector<VertexExclusion> attached_exclusions;           ///< of attached vertices and what holds them
  std::vector<VertexExclusion> torn;                          ///< vertices that were one, until they are apart
  std::map<std::array<BodyId, 2>, Detection> pair_detection;  ///< the smaller id first

  std::vector<BodyBlade> blades;
  std::map<BodyId, sheet::CutMarks> cut_marks;
  std::map<BodyId, double> fracture_energy;  ///< J/m^2
  std::map<std::string, int> piece_count;    ///< pieces that came off bodies, by their names

  bounds::ColliderBounds bounds;
  rigid::Travel travel;
  contact::PairTable pairs;      ///< pairs of shapes, with their contacts
  contact::AnchorList contacts;  ///< contacts of surfaces in the last step
  contact::AnchorList resting;   ///< contacts of surfaces that sleep
  /// m/s, largest at a contact in touch, of one side along the other; 0 in worlds without cloth.
  double slide_speed = 0;
  /// m/s, largest of clusters of surfaces against each other that are near; negative if not known.
  double near_speed = -1;
  /// Rounds of the next step at least, where one before it was done again: half as many from step to step.
  int kept_rounds = 0;
  double self_speed = -1;     ///< m/s, the same of clusters of one surface
  bool check_tangles = true;  ///< surfaces may intersect: bodies were added or moved, or did so in the last step
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
  bool any_cloth = false;
  bool any_rigid = false;  ///< some body has a shape
  bool deforming = false;  ///< some body has vertices that move, or contacts of those that do not are asked for
  JoinedFilters filters;
  std::vector<contact::FieldPair> field_pairs;
  bool any_continuous = false;
  double thickness = 0;      ///< m, largest of all bodies
  double min_thickness = 0;  ///< m, least
  std::vector<ccd::limit::Part> parts;
  // Pairs of objects that must not pass through each other, see broad::ObjectChoice.
  std::vector<std::uint8_t> marks;
  std::vector<broad::ObjectChoice::Pair> chosen_pairs;

  // Results of the stages of a step.
  conservation::StopEnergy stop_energy;
  int rounds = 1;  ///< of this step: as often contacts are found and answered in it
  int round = 0;   ///< number of the one that runs
  /// With a time budget: when the step ends, and what a walk took last, s.
  std::chrono::steady_clock::time_point deadline{};
  double walk_cost = 0;
  rigid::StepMotion motion;
  bodies::CarriedMotions carried;
  contact::RigidMeshes rigid_meshes;  ///< made by `edits`, placed by `predict`
  contact::StillBodies still_bodies;
  std::vector<contact::Tangle> tangles;           ///< tangles at the start of the round
  std::vector<contact::Tangle> tangles_at_start;  ///< tangles at the start of the step
  std::vector<contact::ShapeTangle> in_shapes;    ///< likewise, cloth that is in convex shapes
  broad::Tangled tangled;                         ///< features that are let through, because of `tangles`
  std::vector<Contact> features;                  ///< contacts of features that carry force
  contact::ShapeFound shapes;
  contact::CoupledBodies coupled;
  std::vector<response::AnchorJoint> anchor_joints;  ///< of `joints`, in their order
  contact::AnchorList next_contacts;                 ///< become `contacts` when the step is committed
  contact::ActivePairs active;
  std::vector<island::Touch> touches;  ///< bodies of `next_contacts`, then those near surfaces
  island::Islands islands;
  BySlot<std::uint8_t> urgency;  ///< see contact::find_urgency(); with a time budget only
  std::vector<double> stored;    ///< J, of each active pair: in its springs at the beginning of the step
  BySlot<double> vertex_speeds;  ///< m/s, mean over the step, of the fastest vertex
  std::vector<BodySlot> fallen;  ///< bodies that fell asleep

  /// Vertices that blades do not push in this step, with the slot of the body of the blade: a part of
  /// bodies::Vertices::attached.
  std::vector<std::pair<Index, BodySlot>> let_through;

  // Working memory.
  contact::PairScratch pair_scratch;
  contact::NarrowScratch narrow_scratch;
  contact::SurfaceScratch surface_scratch;
  broad::ObjectFilter tangle_filter;
  contact::TangleScratch tangle_scratch;
  response::RespondScratch respond_scratch;
  ccd::BodiesScratch ccd_scratch;
  std::vector<island::Touch> stops;
  BySlot<double> island_gain;
  conservation::SpinScratch spin_scratch;
  island::SleepScratch sleep_scratch;
  solid::WeighScratch cut_scratch;

  // What users ask for.
  std::vector<WorldCut> cuts;               ///< of the last step, and by World::cut since the one before it
  std::vector<WorldCut> cuts_between;       ///< those by World::cut since the last step
  std::vector<BodyId> not_cut;              ///< that blades passed through in the last step, ascending
  std::vector<LimitedBody> limited_bodies;  ///< of the last step, ascending
  mutable query::QueryTree query_tree;      ///< forgotten by whatever moves a body
  mutable ContactList contact_list;         ///< forgotten by whatever changes the contacts
  mutable solid::CellsOfBodies field_cells;
  PipelineStats stats;
};

/// Part of `edits`: joins the surfaces of all bodies, and what is not to touch, where some of it is other than before.
/// The only place where topology changes.
void join_bodies(World::State& state, StageStats& stats);
/// Stage `edits`.
void run_edits(World::State& state, StageStats& stats);
/// Part of `edits`: cloth tears where it is strained too far, stitches tear, and sewn vertices of one body that have
/// met become one. Returns whether triangles changed.
bool edit_cloth(World::State& state);
/// Part of `edits`: sheets and soft bodies that blades met in the step are cut, and pieces that come off become bodies.
/// Returns whether triangles changed.
bool cut_bodies(World::State& state, double dt);
/// Notes bodies with vertices that blades passed through in the step and that nothing cuts. Before `cut_bodies`.
void note_not_cut(World::State& state);
/// Cuts a sheet where blades met its edges. `joined`: its part of the joined surface, if that is as the body is.
WorldCut cut_sheet(World::State& state, BodyId body, std::vector<sheet::EdgeCrossing> crossings,
                   const bodies::SurfacePart* joined);
/// Links of a soft body, a part of the joined surface, that blades met in the step. `ends`: places of the blades at its
/// end.
void find_links(const World::State& state, std::size_t part, std::span<const std::vector<Eigen::Vector3d>> ends,
                double dt, std::vector<mesh::LinkCrossing>& links);
/// Cuts links between voxels of a soft body.
WorldCut cut_soft(World::State& state, BodyId body, std::span<const mesh::LinkCrossing> links);
/// Part of the stage `bounds`, once surfaces that intersect are known: blades do not push what they are about to cut,
/// nor what they have just cut and is still where they are.
void let_blades_through(World::State& state, double dt);
/// Bodies of the parts of a sheet that have nothing in common any more: the largest keeps the id. Returns the others.
std::vector<BodyId> split_pieces(World::State& state, BodyId body);
/// Adds a body with vertices.
BodyId insert_surface(World::State& state, Body&& body);
/// Masses of all vertices of a cloth that nothing holds, from the triangles as they are now.
void weigh(World::State& state, BodyId body);
/// Blades, marks and energies of a body that is removed.
void drop_cuts(World::State& state, BodyId body);
/// Anchors of the joints in a step of dt (s).
void place_joints(World::State& state, double dt);
/// Forces of the joints in the step that was just done.
void note_joint_forces(World::State& state, double dt);
/// Whether the vertices of a stitch become one when they meet: two vertices of one cloth.
bool closes(const World::State& state, const Joint& stitch);
/// Exclusions of joints, attachments and tears on the joined surface.
void join_attachments(World::State& state, const std::map<BodyId, std::size_t>& place);
/// Of a body that is removed.
void drop_joints(World::State& state, BodyId body);

/// Filters of the joined surface; refers to the state.
ContactFilters filters_of(const World::State& state);

/// Counts of surfaces and of shapes as one funnel, in units that add up from stage to stage.
PipelineStats joined(const PipelineStats& surfaces, const PipelineStats& shapes, bool any_shape);

/// Explicit springs are refused where inner steps are too long for them: the integrator `verlet` does not shorten them.
/// Throws Error that names the body.
void check_verlet(const Body& body, const WorldOptions& options);

/// Wakes a body, all that sleep with it and all that touch it.
void wake_neighbours(World::State& state, BodyId body);

}  // namespace carom
