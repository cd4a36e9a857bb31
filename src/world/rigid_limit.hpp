#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "bodies/rigid.hpp"
#include "broad/rigid_broad.hpp"
#include "carom/shape.hpp"
#include "narrow/convex/moving_pair.hpp"

/// Bodies on their way from the beginning of a step to its end, and where they would go through each other.
namespace carom::rigid {

struct World;

/// A body on its way: its centre of mass goes straight, and it turns about it at a constant rate.
struct Way {
  Motion from;
  Motion to;
  Vec3 turn;  ///< rotation vector from the beginning to the end; more than half a turn if the spin says so
  convex::Course course;

  Way(const Motion& begin, const Motion& end, double dt);

  /// `time` from 0 to 1.
  Motion at(double time) const;
};

Eigen::Isometry3d pose(const Motion& m, const Mat3& local, const Vec3& place);

/// The motion of a collider that is turned and placed so in its body, between two times of its way.
ShapeMotion motion(const Way& way, const Mat3& turn, const Vec3& place, double begin, double end);

/// A convex collider, smaller, about its middle.
struct Inside {
  Shape shape;
  Vec3 place;  ///< in the frame of the body; turned as the collider
};

/// Working memory of limit_motion().
struct LimitScratch {
  /// Where the way of a body ends.
  struct Stop {
    double time = 1;          ///< of the step, from 0 to 1
    std::int32_t other = -1;  ///< the body that it met
    bool inside = false;      ///< they touched before, and it was the inside of this body that met the other
    Vec3 point;
    Vec3 normal;  ///< unit, to the other
  };
  /// A body that goes so far in the step that it might pass through another.
  struct Fast {
    std::int32_t body = 0;
    Stop stop;
    Stop next_stop;
    bool changed = false;  ///< in the last round
  };
  std::vector<Fast> fast;
  std::vector<std::int32_t> number;  ///< of each body among the fast ones, or -1
  bool stopped(std::size_t body) const {
    return number[body] >= 0 && fast[static_cast<std::size_t>(number[body])].stop.time < 1;
  }
  struct Distance {
    double turning = 0;  ///< m; no point goes farther, seen from the centre of mass
    double all = 0;      ///< m; no point goes farther
  };
  std::vector<Distance> way;          ///< of each body
  std::vector<std::uint8_t> is_fast;  ///< 0, 1, or 2 if it left its box
  struct Extremes {
    double smallest = INFINITY;  ///< m; what any dynamic collider may go and be held by its contacts
    double longest = 0;          ///< m, of all ways
  };
  std::vector<Extremes> extremes;      ///< of each chunk of bodies
  std::vector<std::uint8_t> may_meet;  ///< of each of the entries of the world
  /// Two colliders of which one at least is fast, and where they would have to stop as far as the other is concerned.
  struct Meeting {
    std::int32_t a = 0;
    std::int32_t b = 0;
    /// What the narrow phase knows of the two, if it does: a number in `mesh_pairs` if one is a mesh, else in `pairs`.
    std::int32_t pair = -1;
    bool looked = false;  ///< in this round
    Stop stop_a{};
    Stop stop_b{};
  };
  std::vector<Meeting> meetings;
  std::vector<std::int32_t> way_number;  ///< of each body among `ways`, or -1
  std::vector<std::int32_t> on_way;      ///< bodies that meet others
  std::vector<Way> ways;
  std::vector<std::int32_t> near;
  /// A body that left its box.
  struct Left {
    std::int32_t body = 0;
    Box way;
  };
  std::vector<Left> left;
  std::vector<std::int32_t> carrier;  ///< of each body: the kinematic one that took it along last, or -1
  /// A body that a kinematic one takes along, from where it is at the time of its stop.
  struct Along {
    std::int32_t body = 0;
    Stop stop;
    Motion from;

    /// The earliest is on top of the heap.
    bool operator<(const Along& other) const {
      return stop.time != other.stop.time ? stop.time > other.stop.time : body > other.body;
    }
  };
  std::vector<Along> waiting;
  std::vector<std::optional<Inside>> inside;  ///< of each collider that was fast once
};

/// m; how far a collider may move against any other, and still be held by contacts that are made ahead of time.
/// Infinite for what has no inside: there it is the other one that counts.
double hold(const Collider& c);

/// `shape` is that of the collider.
Inside make_inside(const Collider& c, const Shape& shape);

/// How far the two colliders of a meeting may go, in the first round or, as one of them now ends its way before the
/// other, from there on.
void look_at_meeting(const World& world, bool first, LimitScratch::Meeting& meeting);

/// Ends the ways of all that stop; returns how many.
std::size_t apply_stops(World& world, double dt);

inline const Way& way_of(const LimitScratch& s, std::int32_t body) {
  return s.ways[static_cast<std::size_t>(s.way_number[static_cast<std::size_t>(body)])];
}
inline const LimitScratch::Fast* fast_of(const LimitScratch& s, std::int32_t body) {
  const std::int32_t n = s.number[static_cast<std::size_t>(body)];
  return n < 0 ? nullptr : &s.fast[static_cast<std::size_t>(n)];
}
inline double stop_of(const LimitScratch& s, std::int32_t body) {
  const LimitScratch::Fast* f = fast_of(s, body);
  return f == nullptr ? 1 : f->stop.time;
}

}  // namespace carom::rigid
