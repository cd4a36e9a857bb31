#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "bodies/free_motion.hpp"
#include "broad/rigid_broad.hpp"
#include "carom/contact.hpp"
#include "carom/rigid.hpp"
#include "carom/stats.hpp"
#include "ccd/limit_motion.hpp"
#include "contact/mesh_pair.hpp"
#include "contact/rigid_pair.hpp"
#include "core/context.hpp"
#include "response/rigid_response.hpp"
#include "world/look_order.hpp"

/// The rigid bodies of a world, and their step.
namespace carom::rigid {

/// Convex collider and deforming surface whose bounds overlap.
struct SurfacePair {
  std::int32_t convex = 0;
  std::int32_t surface = 0;
};

/// What a step starts from; a copy of it continues bit for bit.
struct WorldState {
  Bodies bodies;

  /// Where a body was when the boxes of its colliders were made, and by how much they are too large.
  struct Boxed {
    Vec3 x;
    Quat q;
    Vec3 sweep;             ///< m; they hold the body here and when moved by this, and all between
    double margin = -1;     ///< m; negative if there is none yet
    double per_square = 0;  ///< 1 / |sweep|^2, or 0

    /// Whether the body would be in them there, with `least` (m) to spare. Its points are within `reach` of its centre.
    bool holds(const Vec3& place, const Quat& turn, double reach, double least) const;
  };
  std::vector<Boxed> boxed;
  std::vector<Box> boxes;  ///< of each collider
  bool pairs_stale = true;

  /// How far a body has gone, as seen by the stage `narrow`.
  struct Track {
    Vec3 x;  ///< in the last step
    Quat q;
    double travel = 0;  ///< m; the sum over all steps of the longest way of any point of the body
  };
  std::vector<Track> tracks;  ///< of each body

  /// Pairs of colliders whose boxes overlap, sorted; their data stays at one place in `pairs`. What decides that there
  /// is nothing to do for a pair is here: most are apart, and their hundreds of bytes are best left alone.
  struct Entry {
    ColliderPair key;
    std::int32_t pair = 0;
    std::uint8_t count = 0;  ///< of its points
    bool fresh = false;      ///< some of these have no id yet
    bool deep = false;       ///< they overlap by more than ccd::deep_share of their thickness
    /// m; of no interest while the travels of its two bodies, with those of the next step, are less than this together.
    double apart_until = -INFINITY;
  };
  std::vector<Entry> entries;
  std::vector<MeshPair> mesh_pairs;        ///< those with a mesh, sorted likewise
  std::vector<SurfacePair> surface_pairs;  ///< convex colliders near surfaces, by surface
  std::vector<Pair> pairs;
  std::vector<std::int32_t> free_pairs;
  std::vector<std::int32_t> touching;                 ///< of the last step
  std::vector<std::array<std::int32_t, 2>> excluded;  ///< bodies, the smaller first, sorted
  std::uint64_t next_contact = 1;
};

struct World {
  WorldState state;

  // Working memory.
  Poses poses;
  std::vector<Free> free;
  std::vector<std::uint8_t> predicted;  ///< 1: `free` was made at the beginning of the step, as the body was awake
  std::vector<Motion> next;             ///< of each body, at the end of the step
  std::vector<std::uint8_t> answered;   ///< 1: `next` is from the response
  std::vector<std::uint8_t> left_box;   ///< of each collider
  OrderedAppend<WorldState::Entry> merge;
  std::vector<WorldState::Entry> next_entries;
  std::vector<std::uint32_t> new_entries;
  /// What a chunk of the pairs found besides entries.
  struct Merged {
    std::vector<std::int32_t> dropped;    ///< places of those that are no pairs any more
    std::vector<ColliderPair> with_mesh;  ///< pairs, ascending
    std::vector<ColliderPair> with_surface;
  };
  std::vector<Merged> merged;
  std::vector<MeshPair> next_mesh_pairs;
  std::vector<MeshFound> mesh_found;  ///< of each of mesh_pairs
  ColliderBroadPhase broad;
  LookOrder look_order;
  response::Scratch response;
  /// What the stages `narrow` and `contacts` ask of a collider again and again.
  struct Watch {
    double travel = 0;  ///< m, of its body
    double ahead = 0;   ///< m; the same, with what is to come in this step
    std::int32_t body = 0;
    bool fixed = false;  ///< static
  };
  std::vector<Watch> watch;
  std::vector<response::Touch> touches;  ///< of state.touching
  OrderedAppend<response::Touch> append_touches;
  /// Of a chunk of entries.
  struct Unsettled {
    std::vector<std::uint32_t> entries;  ///< with points that have no id yet, or of a body that sleeps
    bool some_idle = false;              ///< some of them touch, but need no contact unless they wake up
  };
  std::vector<Unsettled> unsettled;
  std::size_t points = 0;  ///< of all touches
  std::size_t fresh_points = 0;
  struct Looked {
    std::uint32_t looks = 0;
    std::uint32_t apart = 0;  ///< entries without points
    std::uint32_t deep = 0;
  };
  std::vector<Looked> looked;             ///< of each chunk of entries
  std::vector<std::size_t> counts;        ///< of each chunk of bodies
  std::vector<std::size_t> out_of_range;  ///< the first body that is, of each chunk
  bool some_deep = false;                 ///< some entry is
  ccd::Scratch ccd;
  std::vector<std::int32_t> carried_asleep;
  std::vector<std::int32_t> parent;                  ///< of islands
  std::vector<std::array<std::int32_t, 2>> members;  ///< island and body
  std::vector<std::size_t> island_begin;             ///< of each island, in `members`, and their end
  std::vector<double> island_still;
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

/// Of the smaller of two bodies: what is farther apart makes no contact ahead of time, however fast.
inline constexpr double ahead_share = 0.5;

/// Stages `bounds` and `broad`: boxes that hold what a pair may look at, and the pairs of those that overlap.
void bound(Context& context, World& world, const StepOptions& options, StageStats& stats);
/// Bounds of a surface collider: the sweep of its vertices in this step, grown by what a contact may reach. Call
/// after bound().
void bound_surface(World& world, std::size_t body, const Box& sweep);
void find_pairs(Context& context, World& world, StageStats& stats);
/// The travel of a body goes on by what it has moved since the last step, for whatever reason.
void follow(World& world, std::size_t body, double dt);

/// Stages `narrow` and `contacts`: the points of each pair, their ids, and what they wake.
void look(Context& context, World& world, const StepOptions& options, StageStats& stats);
void look_at_meshes(Context& context, World& world, const StepOptions& options, StageStats& stats);
void identify(Context& context, World& world, const SolverOptions& options, StageStats& stats);

/// Bodies that touch each other and nothing that is held keep their angular momentum to rounding, and gain no energy.
/// Poses change, so this comes before the continuous stage. After it, with `after_stops`, it is done once more where
/// bodies were stopped by each other; then of the velocities only.
void keep_momentum_and_energy(Context& context, World& world, const StepOptions& options, bool after_stops,
                              StageStats& stats);

/// What springs hold before the response changes it.
void note_stored_energy(World& world, response::Kind response);
/// Where bodies that touch each other gained energy by their contacts, those that turn by radians in a step lose it.
void limit_spinning(World& world, const StepOptions& options);

/// Of the set that i is in, with the way to it made shorter.
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
void predict(Context& context, World& world, const StepOptions& options, StageStats& stats);
void predict_woken(World& world, const StepOptions& options);
/// Bodies without contacts go where they were predicted. Throws Error(unstable) that names a body that left the range
/// of numbers; then nothing has changed but impulses that are remembered.
void advance(Context& context, World& world, const StepOptions& options, StageStats& stats);
/// Stage `commit`: the next motions become the present ones, and forces are used up.
void commit(Context& context, World& world, StageStats& stats);

/// A place in `pairs`, and its end.
std::int32_t new_place(WorldState& state);
/// Makes it one that knows nothing of its two colliders. Points stay as they are: none is read before it is written, as
/// their number is 0.
void begin_pair(const Bodies& bodies, std::int32_t collider_a, std::int32_t collider_b, Pair& pair);

inline bool still_or_static(const Bodies& bodies, std::size_t body) {
  return bodies.asleep[body] != 0 || bodies.info[body].kind == RigidKind::static_body;
}

/// m/s; no point of the body is faster.
inline double fastest(const Bodies& bodies, std::size_t body, double reach) {
  const Motion& m = bodies.motion[body];
  return length(m.v) + (reach < INFINITY ? length(m.w) * reach : 0.0);
}

/// Of the smaller body of a pair: what two colliders may have moved before the narrow phase looks again.
inline constexpr double keep_share = 1e-3;

/// m; what is farther apart than this, of bodies at rest, is of no interest. `size` is that of the smaller.
inline double base_reach(double size, const StepOptions& options) {
  return std::min(options.solver.speculative_distance, 0.1 * size);
}

/// m; what is farther apart than this is of no interest in this step.
inline double reach_ahead(const Bodies& bodies, const Collider& a, const Collider& b, const StepOptions& options) {
  const double size = std::min(a.size, b.size);
  const double speed = fastest(bodies, static_cast<std::size_t>(a.body), a.reach) +
                       fastest(bodies, static_cast<std::size_t>(b.body), b.reach);
  return base_reach(size, options) + std::min(speed * options.dt, ahead_share * size);
}

void remove(World& world, std::int32_t body);
/// What is remembered besides the state, after it has become another one.
void forget(World& world);
/// A body that is touched, and all that sleep with it, wake up.
void wake(WorldState& state, std::int32_t body);
/// The same, and all that it touches.
void wake_neighbours(WorldState& state, std::int32_t body);

/// Islands of bodies that rest on each other: those that have been slow for long enough fall asleep together.
void sleep(World& world, const SolverOptions& options, double dt, StageStats& stats);

/// Adds the contacts of rigid bodies, as they were in the last step.
void add_contacts(const WorldState& state, const SolverOptions& options, std::vector<WorldContact>& list);

std::uint64_t hash(const WorldState& state, std::uint64_t seed);

}  // namespace carom::rigid
