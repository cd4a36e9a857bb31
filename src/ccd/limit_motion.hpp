#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bodies/free_motion.hpp"
#include "bodies/travel.hpp"
#include "bounds/collider_bounds.hpp"
#include "carom/core/stats.hpp"
#include "carom/shape/shape.hpp"
#include "ccd/sweep.hpp"
#include "contact/pair_table.hpp"
#include "core/context.hpp"

/// The continuous stage of rigid bodies: events in the order of time. The inequality that it keeps, and why, is in
/// docs/methods/continuous.md.
namespace carom::ccd {

using PathIndex = StrongIndex<struct PathTag>;
using CandidateIndex = StrongIndex<struct CandidateTag>;
using ClusterIndex = StrongIndex<struct ClusterTag>;
using MeshPairIndex = StrongIndex<struct MeshPairTag>;  ///< in PairTable::mesh_pairs

struct In {
  const rigid::Bodies& bodies;       ///< at the beginning of the step
  SlotSpan<const rigid::Free> free;  ///< motion if nothing touches the body
  SlotSpan<const rigid::TravelOdometer> odometers;
  SlotSpan<const bounds::FatBounds> fat_bounds;
  const contact::PairTable& pairs;         ///< results of the narrow phase
  const broad::ColliderBroadPhase& broad;  ///< boxes of all colliders
  bool some_deep = false;                  ///< some pair overlaps deeply
  double dt = 0;                           ///< s
  bool springs = false;                    ///< contacts are springs, which give way under a load
};

struct Out {
  SlotSpan<Motion> next;         ///< motion at the end of the step
  std::vector<BodySlot>& woken;  ///< sleeping bodies that were carried away
};

/// A convex collider, smaller, about its middle: the part of it that stays off a mesh.
struct Inner {
  Shape shape;
  Vec3 place;  ///< in the frame of the body; turned as the collider
};

/// Two bodies that came together on their paths.
struct Impact {
  double time = 1;  ///< of the step, from 0 to 1; 1 if there is none
  Vec3 point;
  Vec3 normal;  ///< unit, from a to b
};

struct Scratch {
  /// A bound on the motion of a body in the step.
  struct Reach {
    double turning = 0;  ///< m; no point goes farther, seen from the centre of mass
    double all = 0;      ///< m; no point goes farther
  };
  BySlot<Reach> reach;
  BySlot<std::uint8_t> is_fast;  ///< 0, 1, or 2 if the body leaves its boxes
  std::vector<BodySlot> fast;    ///< bodies that might pass through something
  struct Extremes {
    double min_thickness = INFINITY;  ///< m, of rigid colliders
    double max_reach = 0;             ///< m, of all bodies
  };
  std::vector<Extremes> extremes;       ///< of each chunk of bodies
  std::vector<std::uint8_t> may_touch;  ///< of each record of the pairs

  /// How a body moves, from some time on: rigidly with a frame. One frame is at rest, every sweep is another.
  struct Path {
    /// sweeping: on its own. joined: with those that it came together with, as one body with their momentum. stopped:
    /// by a fixed body. carried: by a scripted one. held: nothing changes its path, as it is fixed, scripted, or
    /// squeezed between others that are.
    enum class State : std::uint8_t { sweeping, joined, stopped, carried, held };
    BodySlot body{};
    State state = State::sweeping;
    bool scripted = false;
    bool squeezed = false;
    bool by_held = false;       ///< a body that is held ended its own motion
    std::int32_t frame = 0;     ///< number of the frame; bodies in one frame do not move against each other
    BodySlot carrier{};         ///< scripted body that carries this one
    int carriers = 0;           ///< how often the carrier changed
    ClusterIndex cluster{};     ///< cluster of a body that is joined
    PathIndex next{};           ///< next path of the cluster
    std::int32_t outside = -1;  ///< number in `outside`
    double moving = 1;          ///< time until which it was sweeping or joined
    double since = 0;           ///< time
    Motion at;                  ///< then; velocities are not used
    /// Motion of the frame over the step. Its origin is the centre of mass, unless a body that turns carries it.
    convex::SweptPose swept_pose{Eigen::Isometry3d::Identity(), Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    Eigen::Isometry3d local = Eigen::Isometry3d::Identity();  ///< of the body in its frame
    double travel = 0;          ///< m; no point goes farther, until `since` and from there to the end
    std::uint32_t version = 0;  ///< counts the changes
    std::uint32_t turns = 0;    ///< counts the changes of its turning
    CandidateIndex first{};     ///< first of its candidates
  };
  BySlot<PathIndex> path_of;  ///< none where nobody asked for the path yet
  IndexedVector<PathIndex, Path> paths;
  /// Bodies that move on together, without a turn. Some may have left it, see Path::cluster.
  struct Cluster {
    double mass = 0;         ///< kg
    Eigen::Vector3d travel;  ///< m per step
    PathIndex first{};
    int count = 0;
  };
  IndexedVector<ClusterIndex, Cluster> clusters;
  std::vector<BodySlot> changed_bodies;
  std::int32_t frame_count = 0;

  /// A direction between two convex colliders, and how far the two reach along it at most until the end of the step.
  /// While both turn as they did, the distance of their origins along it says how far apart they stay.
  struct Separation {
    Eigen::Vector3d normal;  ///< unit, from a to b
    double extents = 0;      ///< m; the gap is at least the distance of the origins along the normal, less this
    double rounding = 0;     ///< m
    std::uint32_t turns_a = 0;
    std::uint32_t turns_b = 0;
  };

  /// Two colliders whose bodies may come together.
  struct Candidate {
    ColliderIndex a{};
    ColliderIndex b{};
    ManifoldIndex manifold{};   ///< manifold of the narrow phase, if it has one
    MeshPairIndex mesh_pair{};  ///< the same if one of the two is a mesh
    CandidateIndex next_a{};    ///< next candidate of the body of a
    CandidateIndex next_b{};
    bool known = false;     ///< `touching` and `floor` are set
    bool touching = false;  ///< when first asked for
    double floor = 0;       ///< m; they come no nearer than this signed distance
    Impact impact;
    std::optional<Separation> separation;  ///< the one that was found last
  };
  IndexedVector<CandidateIndex, Candidate> candidates;
  /// Earliest on top.
  struct Event {
    double time = 0;
    CandidateIndex candidate{};
    broad::ColliderPair key;
    std::uint32_t version_a = 0;
    std::uint32_t version_b = 0;
    bool operator<(const Event& other) const { return time != other.time ? time > other.time : key > other.key; }
  };
  std::vector<Event> events;
  /// A body outside of its boxes in the broad phase.
  struct Outside {
    BodySlot body{};
    broad::ColliderBox box;
  };
  std::vector<Outside> outside;
  std::vector<ColliderIndex> near;
  ByCollider<std::uint32_t> marks;
  std::uint32_t mark = 0;
  ByCollider<std::optional<Inner>> inner;  ///< inner shapes of colliders that came near a mesh

  /// An impact that ended the motion of one of two bodies at least.
  struct Stop {
    BodySlot a{};
    BodySlot b{};
    bool touching = false;  ///< before, in overlap perhaps
    Vec3 arm_a;             ///< m, from the centre of mass
    Vec3 arm_b;
    Vec3 normal;              ///< unit, from a to b
    bool many_turns = false;  ///< a body that it stopped turns by radians in the step
  };
  std::vector<Stop> stops;

  /// Whether a body ended the step otherwise than its sweep, where there were stops.
  bool changed(BodySlot body) const {
    const PathIndex n = path_of[body];
    return n.valid() && paths[n].version > 0;
  }
};

/// Bodies do not pass through others between where they are and `next`: they stop there, with the velocity they have,
/// and the contact of the following step does the rest. Scripted bodies carry along whatever they run into.
///
/// Counted are "fast" bodies, those that "stopped" or were "carried", and those "squeezed" between bodies of which none
/// can be held back.
void limit_motion(Context& context, const In& in, Scratch& scratch, const Out& out, StageStats& stats);

}  // namespace carom::ccd
