#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "bodies/free_motion.hpp"
#include "broad/collider_broad_phase.hpp"
#include "broad/pair_order.hpp"
#include "carom/body/rigid.hpp"
#include "carom/core/stats.hpp"
#include "carom/detect/contact.hpp"
#include "ccd/limit_motion.hpp"
#include "contact/cached_manifold.hpp"
#include "contact/mesh_pair.hpp"
#include "core/context.hpp"
#include "response/rigid_response.hpp"

/// The rigid bodies of a world, and their step.
namespace carom::rigid {

using broad::ColliderBox;
using broad::ColliderBroadPhase;
using broad::ColliderPair;
using broad::PairOrder;
using contact::CachedManifold;
using contact::CachedPoint;
using contact::MeshFound;
using contact::MeshPair;
using contact::Poses;
using contact::Reuse;

/// Convex collider and deforming surface whose bounds overlap.
struct SurfacePair {
  std::int32_t convex = 0;
  std::int32_t surface = 0;
};

/// State that a step starts from; a copy of it continues bit for bit.
struct WorldState {
  Bodies bodies;

  /// Where a body was when the boxes of its colliders were made, and by how much they are too large.
  struct FatBounds {
    Vec3 x;
    Quat q;
    Vec3 sweep;             ///< m; they hold the body here and when moved by this, and all between
    double margin = -1;     ///< m; negative if there is none yet
    double per_square = 0;  ///< 1 / |sweep|^2, or 0

    /// Whether the body would be in them there, with `least` (m) to spare. Its points are within `reach` of its centre.
    bool holds(const Vec3& place, const Quat& turn, double reach, double smallest) const;
  };
  std::vector<FatBounds> fat_bounds;
  std::vector<ColliderBox> boxes;  ///< of each collider
  bool pairs_stale = true;

  /// How far a body has gone, as seen by the stage `narrow`.
  struct TravelOdometer {
    Vec3 x;  ///< in the last step
    Quat q;
    double travel = 0;  ///< m; the sum over all steps of the longest way of any point of the body
  };
  std::vector<TravelOdometer> odometers;  ///< of each body

  /// Pairs of colliders whose boxes overlap, sorted; their data stays at one place in `pairs`. What decides that there
  /// is nothing to do for a pair is here: most are apart, and their hundreds of bytes are best left alone.
  struct PairRecord {
    ColliderPair key;
    std::int32_t pair = 0;
    std::uint8_t count = 0;  ///< of its points
    bool fresh = false;      ///< some of these have no id yet
    bool deep = false;       ///< they overlap by more than ccd::deep_fraction of their thickness
    /// m; the pair is skipped while the summed travel of its two bodies, this step included, is below this.
    double separation_budget = -INFINITY;
  };
  std::vector<PairRecord> entries;
  std::vector<MeshPair> mesh_pairs;        ///< those with a mesh, sorted likewise
  std::vector<SurfacePair> surface_pairs;  ///< convex colliders near surfaces, by surface
  std::vector<CachedManifold> pairs;
  std::vector<std::int32_t> free_pairs;
  std::vector<std::int32_t> active_indices;           ///< of the last step
  std::vector<std::array<std::int32_t, 2>> excluded;  ///< bodies, the smaller first, sorted
  std::uint64_t next_contact = 1;
};

struct RigidPipeline {
  WorldState state;

  // Working memory.
  Poses poses;
  std::vector<Free> free;
  std::vector<std::uint8_t> predicted;  ///< 1: `free` was made at the beginning of the step, as the body was awake
  std::vector<Motion> next;             ///< of each body, at the end of the step
  std::vector<std::uint8_t> solved;     ///< 1: `next` is from the response
  std::vector<std::uint8_t> left_box;   ///< of each collider
  OrderedAppend<WorldState::PairRecord> merge;
  std::vector<WorldState::PairRecord> next_entries;
  std::vector<std::uint32_t> new_entries;
  /// Results of a chunk of pairs besides records.
  struct Merged {
    std::vector<std::int32_t> dropped;    ///< places of those that are no pairs any more
    std::vector<ColliderPair> with_mesh;  ///< pairs, ascending
    std::vector<ColliderPair> with_surface;
  };
  std::vector<Merged> merged;
  std::vector<MeshPair> next_mesh_pairs;
  std::vector<MeshFound> mesh_found;  ///< of each of mesh_pairs
  ColliderBroadPhase broad;
  PairOrder pair_order;
  response::Scratch response;
  /// Data of a collider that the stages `narrow` and `contacts` read often.
  struct ColliderTravel {
    double travel = 0;  ///< m, of its body
    double ahead = 0;   ///< m; the same, with what is to come in this step
    std::int32_t body = 0;
    bool fixed = false;  ///< static
  };
  std::vector<ColliderTravel> collider_travel;
  std::vector<response::ActivePair> active_pairs;  ///< of state.touching
  OrderedAppend<response::ActivePair> append_active_pairs;
  /// Records of a chunk that match_contacts() goes through one by one.
  struct Unsettled {
    std::vector<std::uint32_t> entries;  ///< with points that have no id yet, or of a body that sleeps
    bool some_idle = false;              ///< some of them touch, but need no contact unless they wake up
  };
  std::vector<Unsettled> unsettled;
  std::size_t points = 0;  ///< of all touches
  std::size_t fresh_points = 0;
  struct NarrowCounts {
    std::uint32_t updates = 0;
    std::uint32_t apart = 0;  ///< entries without points
    std::uint32_t deep = 0;
  };
  std::vector<NarrowCounts> narrow_counts;  ///< of each chunk of entries
  std::vector<std::size_t> counts;          ///< of each chunk of bodies
  std::vector<std::size_t> out_of_range;    ///< the first body that is, of each chunk
  bool some_deep = false;                   ///< some entry is
  ccd::Scratch ccd;
  std::vector<std::int32_t> carried_asleep;
  std::vector<std::int32_t> parent;                  ///< of islands
  std::vector<std::array<std::int32_t, 2>> members;  ///< island and body
  std::vector<std::size_t> island_begin;             ///< of each island, in `members`, and their end
  std::vector<double> island_time_at_rest;
  std::vector<std::uint8_t> held;  ///< 1: something at rest presses on the body or, at the root of an island, on one
  /// A body that turns by radians in a step and came out of its contacts with more energy than it had.
  struct Spinning {
    std::int32_t body = 0;
    double free = 0;  ///< J, if nothing had touched it
    double next = 0;  ///< J, at the end of the step
  };
  std::vector<Spinning> spinning;
  std::vector<std::uint8_t> coupled;  ///< of each body: 1 if a deforming body touches it; empty if there are none
  std::vector<double> stored;         ///< J, by touch: in springs at the beginning of the step
  std::vector<double> island_gain;    ///< J, by the root of an island: what it gained by its contacts
  std::vector<double> spinning_gain;  ///< J; the same, of those of its bodies that spin
};

struct StepOptions {
  Vec3 gravity;
  double dt = 0;
  const SolverOptions& solver;
  response::Kind response = response::Kind::soft;
};

/// Largest distance of a speculative contact, as a fraction of the size of the smaller body.
inline constexpr double ahead_fraction = 0.5;

/// Stages `bounds` and `broad`: fat bounds of all colliders, and the pairs whose bounds overlap.
void update_bounds(Context& context, RigidPipeline& world, const StepOptions& options, StageStats& stats);
/// Bounds of a surface collider: the sweep of its vertices in this step, grown by what a contact may reach. Call
/// after bound().
void bound_surface(RigidPipeline& world, std::size_t body, const ColliderBox& sweep);
void find_pairs(Context& context, RigidPipeline& world, StageStats& stats);
/// Adds the motion of a body since the last step, whatever its cause, to its travel.
void update_travel(RigidPipeline& world, std::size_t body, double dt);

/// Stages `narrow` and `contacts`: the points of each pair, their ids, and what they wake.
void update_manifolds(Context& context, RigidPipeline& world, const StepOptions& options, StageStats& stats);
void update_mesh_manifolds(Context& context, RigidPipeline& world, const StepOptions& options, StageStats& stats);
void match_contacts(Context& context, RigidPipeline& world, const SolverOptions& options, StageStats& stats);

/// Bodies that touch each other and nothing that is held keep their angular momentum to rounding, and gain no energy.
/// Poses change, so this comes before the continuous stage. After it, with `after_stops`, it is done once more where
/// bodies were stopped by each other; then of the velocities only.
void restore_island_invariants(Context& context, RigidPipeline& world, const StepOptions& options, bool after_stops,
                               StageStats& stats);

/// Stores the energy of springs before the response changes it.
void note_stored_energy(RigidPipeline& world, response::Kind response);
/// Where bodies that touch each other gained energy by their contacts, those that turn by radians in a step lose it.
void clamp_spin_energy(RigidPipeline& world, const StepOptions& options);

/// Root of the set of i; halves the path to it.
inline std::int32_t root(std::vector<std::int32_t>& parent, std::int32_t i) {
  while (parent[static_cast<std::size_t>(i)] != i) {
    std::int32_t& p = parent[static_cast<std::size_t>(i)];
    p = parent[static_cast<std::size_t>(p)];
    i = p;
  }
  return i;
}

/// Whether two colliders are to touch at all.
bool may_touch(const WorldState& state, std::int32_t a, std::int32_t b);

/// Stage `predict`: how bodies move if nothing touches them; those that a contact has woken in this step later.
void predict(Context& context, RigidPipeline& world, const StepOptions& options, StageStats& stats);
void predict_woken(RigidPipeline& world, const StepOptions& options);
/// Bodies without contacts go where they were predicted. Throws Error(unstable) that names a body that left the range
/// of numbers; then nothing has changed but impulses that are remembered.
void advance(Context& context, RigidPipeline& world, const StepOptions& options, StageStats& stats);
/// Stage `continuous` of rigid bodies: no two pass through each other in the step.
void limit_motion(Context& context, RigidPipeline& world, const StepOptions& options, StageStats& stats);
/// Stage `commit`: the next motions become the present ones, and forces are used up.
void commit(Context& context, RigidPipeline& world, StageStats& stats);

/// A place in `pairs`, and its end.
std::int32_t new_place(WorldState& state);
/// Resets a manifold for two colliders. Its points are not cleared: their number is 0, so none is read before it is
/// written.
void begin_pair(const Bodies& bodies, std::int32_t collider_a, std::int32_t collider_b, CachedManifold& pair);

inline bool asleep_or_fixed(const Bodies& bodies, std::size_t body) {
  return bodies.asleep[body] != 0 || bodies.info[body].motion == MotionModel::fixed;
}

/// m/s; no point of the body is faster.
inline double fastest(const Bodies& bodies, std::size_t body, double reach) {
  const Motion& m = bodies.motion[body];
  return length(m.v) + (reach < INFINITY ? length(m.w) * reach : 0.0);
}

/// Motion of two colliders up to which their manifold is reused, as a fraction of the size of the smaller.
inline constexpr double keep_fraction = 1e-3;

/// Contact margin of a pair at rest, m. `size` is that of the smaller body.
inline double base_reach(double size, const StepOptions& options) {
  return std::min(options.solver.speculative_distance, 0.1 * size);
}

/// Contact margin of a pair in this step, m.
inline double reach_ahead(const Bodies& bodies, const Collider& a, const Collider& b, const StepOptions& options) {
  const double size = std::min(a.size, b.size);
  const double speed = fastest(bodies, static_cast<std::size_t>(a.body), a.reach) +
                       fastest(bodies, static_cast<std::size_t>(b.body), b.reach);
  return base_reach(size, options) + std::min(speed * options.dt, ahead_fraction * size);
}

void remove(RigidPipeline& world, std::int32_t body);
/// Drops all caches besides the state, after the state was replaced.
void forget(RigidPipeline& world);
/// A body that is touched, and all that sleep with it, wake up.
void wake(WorldState& state, std::int32_t body);
/// Wakes a body and all that touch it.
void wake_neighbours(WorldState& state, std::int32_t body);

/// Islands of bodies that rest on each other: those that have been slow for long enough fall asleep together.
void sleep(RigidPipeline& world, const SolverOptions& options, double dt, StageStats& stats);

/// Adds the contacts of rigid bodies, as they were in the last step.
void add_contacts(const WorldState& state, const SolverOptions& options, std::vector<WorldContact>& list);

std::uint64_t hash(const WorldState& state, std::uint64_t seed);

}  // namespace carom::rigid
