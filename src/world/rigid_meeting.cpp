#include <algorithm>
#include <cmath>

#include "carom/cast.hpp"
#include "narrow/convex/advance.hpp"
#include "shapes/shape_data.hpp"
#include "shapes/support.hpp"
#include "world/rigid_world.hpp"

namespace carom::rigid {
namespace {

using convex::Course;
using convex::MovingCore;
using convex::MovingPair;
using Meeting = LimitScratch::Meeting;
using Stop = LimitScratch::Stop;

/// Of the smaller of two sizes: how far from the other a body stops. Less than the distance at which contacts are made,
/// so that there is one in the next step.
constexpr double stop_share = 0.002;
/// Of the distance at which a body stops: how exact a cast is.
constexpr double tolerance_of_stop = 0.25;
constexpr int most_times = 256;

/// Of a body that touches another: this much of it, about its middle, does not go in; or, if it is in already, no
/// deeper than it is.
constexpr double inside_share = 0.75;
/// A hull no larger than this times a ball in it: then the ball does for its inside.
constexpr double nearly_round = 1.5;

/// What lies flat on another is always in or nearly so, and must be free to slide. So it may go deeper by as much as a
/// body stops before another, but by no more than this part of a ball inside of the other; if it is a quarter in, or
/// the other has no inside, by hardly anything. (m, in a step. The response pushes it out again.)
constexpr double deeper_share = 0.1;
constexpr double in_already = 0.25;
constexpr double hardly = 0.05;
/// Of the coordinates of a body and a mesh: what a cast can tell from a touch.
constexpr double rounding_share = 1e-12;

double may_deepen(const Collider& other, double gap, double apart) {
  if (other.inner == 0 || gap < -in_already * other.inner)
    return hardly * std::min(apart, other.inner > 0 ? deeper_share * other.inner : apart);
  return std::min(apart, deeper_share * other.inner);
}

/// Where the inside of a body is cast from: `shift` out of the other, and `width` from it.
struct Room {
  double shift = 0;
  double width = 0;

  /// `least` is what a cast can tell from a touch.
  Room(const Collider& other, double gap, double apart, double least) {
    const double deeper = std::max(may_deepen(other, gap, apart), least);
    // Through what has no inside, not even that.
    const bool strict = other.inner == 0 && gap > least;
    shift = strict ? 0 : std::max(0.0, deeper - gap);
    width = strict ? std::min(gap, deeper) : deeper;
  }
};

/// With a mesh: a cast moves the origin of a shape straight, which goes in an arc if it is not the centre of mass. The
/// way is cut into pieces so that these differ by this part of the size, and none is as much as half a turn (rad).
/// Beyond so many pieces the way ends.
constexpr double largest_sagitta = 0.01;
constexpr double largest_turn = 2.5;
constexpr double most_pieces = 256;

double pieces(double turn, const Collider& c) {
  if (turn == 0) return 1;
  const double arm = length(c.place);
  const double most = arm > 0 ? std::min(largest_turn, std::sqrt(8 * largest_sagitta * c.size / arm)) : largest_turn;
  return std::ceil(turn / most);
}

Eigen::Isometry3d in_body(const Mat3& turn, const Vec3& place) {
  return pose(Motion{}, turn, place);
}

/// One of the two colliders of a meeting.
struct Side {
  const Collider& collider;
  const Way& way;
  const Course& course;  ///< of the way, or of staying at its end
  bool may_stop = false;
  const Inside* inside = nullptr;
};

class Looker {
 public:
  Looker(const World& world, Meeting& meeting)
      : world_(world), s_(world.limit), bodies_(world.state.bodies), meeting_(meeting) {}

  void look(bool first) {
    meeting_.stop_a = {};
    meeting_.stop_b = {};
    const Collider& a = collider(meeting_.a);
    const Collider& b = collider(meeting_.b);
    const Way& wa = way_of(s_, a.body);
    const Way& wb = way_of(s_, b.body);
    if (first) {
      if (a.mesh != nullptr || b.mesh != nullptr) return look_at_mesh(a.mesh != nullptr);
      return between(side(meeting_.a, wa, wa.course, true), side(meeting_.b, wb, wb.course, true), 0, 1);
    }
    // Up to where the first of them ends nothing is new.
    const double end_a = stop_of(s_, a.body);
    const double end_b = stop_of(s_, b.body);
    const bool a_stays = end_a < end_b;
    const Motion there = a_stays ? wa.at(end_a) : wb.at(end_b);
    const Course stay(pose(there, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {}), Eigen::Vector3d::Zero(),
                      Eigen::Vector3d::Zero());
    between(side(meeting_.a, wa, a_stays ? stay : wa.course, !a_stays),
            side(meeting_.b, wb, a_stays ? wb.course : stay, a_stays), std::min(end_a, end_b), std::max(end_a, end_b));
  }

 private:
  const Collider& collider(std::int32_t c) const { return bodies_.colliders[static_cast<std::size_t>(c)]; }

  Side side(std::int32_t c, const Way& way, const Course& course, bool goes) const {
    const Collider& own = collider(c);
    const auto body = static_cast<std::size_t>(own.body);
    const std::optional<Inside>& inside = s_.inside[static_cast<std::size_t>(c)];
    return {own, way, course, goes && fast_of(s_, own.body) != nullptr && bodies_.info[body].kind == RigidKind::dynamic,
            inside ? &*inside : nullptr};
  }

  /// Two convex ones, from one time to another.
  void between(const Side& a, const Side& b, double begin, double end) {
    if (!(end > begin) || !(a.may_stop || b.may_stop)) return;
    const double apart = stop_share * std::min(a.collider.size, b.collider.size);
    const MovingCore core_a(*a.collider.core, a.course, in_body(a.collider.rotation, a.collider.place));
    const MovingCore core_b(*b.collider.core, b.course, in_body(b.collider.rotation, b.collider.place));
    const MovingPair pair(core_a, core_b);
    if (stay_apart(pair, begin, end, apart)) return;
    const double tolerance = tolerance_of_stop * apart;
    if (!(begin == 0 && touch_now())) {
      const CastResult r = convex::advance(pair, {apart, tolerance, most_times, begin, end});
      if (!r.hit) return;
      if (r.time > begin) {
        if (a.may_stop) meeting_.stop_a = stop_at(r, b, false, false);
        if (b.may_stop) meeting_.stop_b = stop_at(r, a, false, true);
        return;
      }
    }
    if (a.may_stop) meeting_.stop_a = inside_stop(a, b, core_b, begin, end, apart);
    if (b.may_stop) meeting_.stop_b = inside_stop(b, a, core_a, begin, end, apart);
  }

  const Pair* known() const {
    return meeting_.pair < 0 ? nullptr : &world_.state.pairs[static_cast<std::size_t>(meeting_.pair)];
  }

  /// At the beginning of the step, as the narrow phase has found: what it says of points that were moved with their
  /// bodies is wrong by less than the distance at which a body stops.
  bool touch_now() const {
    static_assert(2 * keep_share <= stop_share);
    const Pair* pair = known();
    if (pair == nullptr) return false;
    // Springs have taken it in, and hold what it has lost of its speed: stopped outside of them, it would not get it
    // back.
    if (pair->stored != 0) return true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair->count); ++i) {
      if (pair->points[i].distance <= 0) return true;
    }
    return false;
  }

  /// They touch: contacts hold them. What must not go in, or deeper, is the inside of the body: it is cast from where
  /// it has some room.
  Stop inside_stop(const Side& own, const Side& other, const MovingCore& met, double begin, double end,
                   double apart) const {
    if (own.inside == nullptr) return {};
    const shapes::Core& core = own.inside->shape.data().core;
    const Eigen::Isometry3d place = in_body(own.collider.rotation, own.inside->place);
    const MovingCore there(core, own.course, place);
    const MovingPair pair(there, met);
    const Eigen::Vector3d n = to_other(own, other, pair, begin);
    if (pair.apart_along(n, begin, end, 0)) return {};
    const double gap = pair.gap(pair.axis(n), begin);
    const Room room(other.collider, gap, apart, 64 * pair.rounding());
    Course course = own.course;
    course.from -= room.shift * n;
    const MovingCore moved(core, course, place);
    const CastResult r = convex::advance({moved, met}, {0, tolerance_of_stop * room.width, most_times, begin, end});
    return r.hit ? stop_at(r, other, true, false) : Stop{};
  }

  /// From the side to the other one: along the contacts, or else along the shortest way.
  Eigen::Vector3d to_other(const Side& own, const Side& other, const MovingPair& pair, double time) const {
    const Pair* p = known();
    if (p == nullptr || p->count == 0) return convex::closest_at(pair, time).normal;
    const Eigen::Vector3d contact = detail::to_eigen(p->normal);
    const Eigen::Vector3d n = &own.collider == &collider(meeting_.a) ? contact : -contact;
    if (time == 0) return n;
    // By now the side that they touch at has turned; whose it is shows in the gap.
    Eigen::Vector3d best = n;
    double most = pair.gap(pair.axis(n), time);
    for (const Way* way : {&own.way, &other.way}) {
      const Eigen::Vector3d turned = way->course.rotation(time) * way->course.start.transpose() * n;
      const double gap = pair.gap(pair.axis(turned), time);
      if (gap > most) {
        most = gap;
        best = turned;
      }
    }
    return best;
  }

  static Stop stop_at(const CastResult& r, const Side& other, bool inside, bool second) {
    const Vec3 normal = detail::to_vec3(r.closest.normal);
    return {.time = r.time,
            .other = other.collider.body,
            .inside = inside,
            .point = detail::to_vec3(second ? r.closest.point_a : r.closest.point_b),
            .normal = second ? -1.0 * normal : normal};
  }

  /// A yes is sure, and cheaper than closest points: along the normal of the contacts, and along the line between the
  /// centres where they come nearest.
  bool stay_apart(const MovingPair& pair, double begin, double end, double apart) const {
    const auto along = [&](const Eigen::Vector3d& n) { return pair.apart_along(n, begin, end, apart); };
    if (const Pair* p = known(); p != nullptr && p->count > 0 && along(detail::to_eigen(p->normal))) return true;
    const Eigen::Vector3d from = pair.offset(begin);
    const Eigen::Vector3d way = pair.offset(end) - from;
    const double squared = way.squaredNorm();
    const double t = squared > 0 ? std::clamp(-from.dot(way) / squared, 0.0, 1.0) : 0;
    const Eigen::Vector3d nearest = from + t * way;
    const double distance = nearest.norm();
    return distance > 0 && along(nearest / distance);
  }

  /// The other one is a mesh, which nothing stops.
  void look_at_mesh(bool first_is_mesh) {
    const std::int32_t c = first_is_mesh ? meeting_.b : meeting_.a;
    const std::int32_t m = first_is_mesh ? meeting_.a : meeting_.b;
    const Way& way = way_of(s_, collider(c).body);
    const Way& other_way = way_of(s_, collider(m).body);
    const Side own = side(c, way, way.course, true);
    const Side other = side(m, other_way, other_way.course, false);
    if (own.may_stop) (first_is_mesh ? meeting_.stop_b : meeting_.stop_a) = stop_at_mesh(own, other, c, m);
  }

  Stop stop_at_mesh(const Side& own, const Side& other, std::int32_t c, std::int32_t m) const {
    const double apart = stop_share * std::min(own.collider.size, other.collider.size);
    const double count =
        std::max(pieces(length(own.way.turn), own.collider), pieces(length(other.way.turn), other.collider));
    // A cast of shapes takes its tolerance as a part of the longest way of a point.
    const double way = length(own.way.to.x - own.way.from.x - (other.way.to.x - other.way.from.x)) +
                       length(own.way.turn) * own.collider.reach + length(other.way.turn) * other.collider.reach;
    const auto share = [&](double tolerance) { return way > 0 ? std::min(1e-5, tolerance / way) : 1e-5; };
    const Shape& shape = collider_shape(bodies_, static_cast<std::size_t>(c));
    const Shape& mesh = collider_shape(bodies_, static_cast<std::size_t>(m));
    // What turns often is a ball from afar.
    if (count > 1) {
      const auto straight = [](const Way& goes) {
        return ShapeMotion{Eigen::Isometry3d(Eigen::Translation3d(detail::to_eigen(goes.from.x))),
                           Eigen::Isometry3d(Eigen::Translation3d(detail::to_eigen(goes.to.x)))};
      };
      const bool mesh_turns = length(other.way.turn) > 0;
      if (!mesh_turns &&
          !cast(Shape::sphere(own.collider.reach), straight(own.way), mesh,
                motion(other.way, other.collider.rotation, other.collider.place, 0, 1), {.separation = apart})
               .hit)
        return {};
    }
    for (int i = 0; i < std::min(count, most_pieces); ++i) {
      const double begin = i / count;
      const double end = (i + 1) / count;
      const ShapeMotion there = motion(other.way, other.collider.rotation, other.collider.place, begin, end);
      const auto hits = [&](const Shape& part, const Vec3& place, const Vec3& shift, double separation,
                            double tolerance) {
        ShapeMotion here = motion(own.way, own.collider.rotation, place, begin, end);
        here.from.translation() += detail::to_eigen(shift);
        here.to.translation() += detail::to_eigen(shift);
        return cast(part, here, mesh, there, {.separation = separation, .tolerance = share(tolerance)});
      };
      CastResult r = hits(shape, own.collider.place, {}, apart, tolerance_of_stop * apart);
      const bool touching = r.hit && r.time == 0;
      if (touching && own.inside != nullptr) {
        const MeshRoom room = room_at_mesh(own, other, apart);
        r = hits(own.inside->shape, own.inside->place, room.shift, 0, tolerance_of_stop * room.width);
      }
      if (r.hit && r.time > 0) {
        r.time = begin + r.time * (end - begin);
        return stop_at(r, other, touching, false);
      }
    }
    // What is not looked at is not gone.
    Stop stop;
    stop.time = std::min(1.0, most_pieces / count);
    return stop;
  }

  /// As Room, from all that the narrow phase has found.
  struct MeshRoom {
    Vec3 shift;
    double width = INFINITY;
  };
  MeshRoom room_at_mesh(const Side& own, const Side& other, double apart) const {
    MeshRoom room;
    room.width = hardly * apart;
    if (meeting_.pair < 0) return room;
    const Eigen::Isometry3d place = pose(own.way.from, own.collider.rotation, own.inside->place);
    const double least =
        rounding_share * (own.collider.reach + other.collider.reach + length(own.way.from.x - other.way.from.x) +
                          length(own.way.to.x - own.way.from.x));
    for (const std::int32_t part : world_.state.mesh_pairs[static_cast<std::size_t>(meeting_.pair)].parts) {
      const Pair& pair = world_.state.pairs[static_cast<std::size_t>(part)];
      if (pair.count == 0) continue;
      const Vec3 n = -1.0 * pair.normal;
      double mesh = INFINITY;
      for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i)
        mesh = std::min(mesh, dot(n, pair.points[i].middle) + 0.5 * pair.points[i].distance);
      const shapes::Core& core = own.inside->shape.data().core;
      const Vec3 d = detail::to_vec3(place.linear().transpose() * detail::to_eigen(n));
      const double inside =
          dot(n, detail::to_vec3(place.translation()) + room.shift) + dot(d, shapes::support(core, d).p) + core.radius;
      const Room more(other.collider, mesh - inside, apart, least);
      room.shift = room.shift - more.shift * n;
      room.width = std::min(room.width, more.width);
    }
    return room;
  }

  const World& world_;
  const LimitScratch& s_;
  const Bodies& bodies_;
  Meeting& meeting_;
};

}  // namespace

Inside make_inside(const Collider& c, const Shape& shape) {
  const shapes::CoreKind kind = c.core->kind;
  // Of what is nearly round, and of a half-space, which has no middle, a ball will do.
  const bool ball = kind == shapes::CoreKind::point || kind == shapes::CoreKind::half_space ||
                    (kind == shapes::CoreKind::hull && c.size < nearly_round * c.inner);
  if (ball) return {Shape::sphere(inside_share * c.inner), c.place + c.rotation * c.middle};
  return {shape.scaled(inside_share), c.place + c.rotation * ((1 - inside_share) * c.middle)};
}

void look_at_meeting(const World& world, bool first, LimitScratch::Meeting& meeting) {
  Looker(world, meeting).look(first);
}

}  // namespace carom::rigid
