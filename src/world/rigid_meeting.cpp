#include <algorithm>
#include <cmath>

#include "carom/cast.hpp"
#include "narrow/convex/advance.hpp"
#include "shapes/shape_data.hpp"
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

/// Of a body that touches another: this much of it, about its middle, does not go in; or, if it is in already, this
/// much of a ball inside of it.
constexpr double inside_share = 0.75;
constexpr double inner_shares[] = {0.5, 0.1};

/// With a mesh: a cast moves the origin of a shape straight, which goes in an arc if it is not the centre of mass. The
/// way is cut into pieces so that these differ by this part of the size, and none is as much as half a turn (rad).
constexpr double largest_sagitta = 0.01;
constexpr double largest_turn = 2.5;
constexpr double most_pieces = 256;

double pieces(double turn, const Collider& c) {
  if (turn == 0) return 1;
  const double arm = length(c.place);
  const double most = arm > 0 ? std::min(largest_turn, std::sqrt(8 * largest_sagitta * c.size / arm)) : largest_turn;
  return std::min(std::ceil(turn / most), most_pieces);
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
  const Shape* inside = nullptr;
  Vec3 middle;  ///< of the collider, in the frame of the body
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
    const std::optional<Shape>& inside = s_.inside[static_cast<std::size_t>(c)];
    return {own,
            way,
            course,
            goes && fast_of(s_, own.body) != nullptr && bodies_.info[body].kind == RigidKind::dynamic,
            inside ? &*inside : nullptr,
            own.place + own.rotation * own.middle};
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
    if (a.may_stop) meeting_.stop_a = inside_stop(a, b, core_b, begin, end, tolerance);
    if (b.may_stop) meeting_.stop_b = inside_stop(b, a, core_a, begin, end, tolerance);
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
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair->count); ++i) {
      if (pair->points[i].distance <= 0) return true;
    }
    return false;
  }

  /// They touch: contacts hold them. What must not go in is the inside of the body.
  Stop inside_stop(const Side& own, const Side& other, const MovingCore& met, double begin, double end,
                   double tolerance) const {
    if (own.inside == nullptr) return {};
    const Eigen::Isometry3d place = in_body(own.collider.rotation, own.middle);
    const auto hits = [&](const shapes::Core& core) {
      const MovingCore moving(core, own.course, place);
      const MovingPair pair(moving, met);
      // The normal of the contacts is likely to show it.
      if (const Pair* p = known(); p != nullptr && p->count > 0) {
        const Eigen::Vector3d n = detail::to_eigen(p->normal);
        if (pair.apart_along(&own.collider == &collider(meeting_.a) ? n : -n, begin, end, 0)) return CastResult{};
      }
      return convex::advance(pair, {0, tolerance, most_times, begin, end});
    };
    CastResult r = hits(own.inside->data().core);
    for (const double share : inner_shares) {
      shapes::Core ball;
      ball.radius = share * own.collider.inner;
      if (r.hit && r.time <= begin) r = hits(ball);
    }
    return r.hit && r.time > begin ? stop_at(r, other, true, false) : Stop{};
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
    const int count = static_cast<int>(
        std::max(pieces(length(own.way.turn), own.collider), pieces(length(other.way.turn), other.collider)));
    const double way = length(own.way.to.x - own.way.from.x - (other.way.to.x - other.way.from.x));
    // A cast of shapes takes it as a part of the way.
    const double tolerance = way > 0 ? std::min(1e-5, tolerance_of_stop * apart / way) : 1e-5;
    const Shape& shape = collider_shape(bodies_, static_cast<std::size_t>(c));
    const Shape& mesh = collider_shape(bodies_, static_cast<std::size_t>(m));
    for (int i = 0; i < count; ++i) {
      const double begin = static_cast<double>(i) / count;
      const double end = static_cast<double>(i + 1) / count;
      const ShapeMotion there = motion(other.way, other.collider.rotation, other.collider.place, begin, end);
      const auto hits = [&](const Shape& part, const Vec3& place, double separation) {
        return cast(part, motion(own.way, own.collider.rotation, place, begin, end), mesh, there,
                    {.separation = separation, .tolerance = tolerance});
      };
      CastResult r = hits(shape, own.collider.place, apart);
      const bool touching = r.hit && r.time == 0;
      if (touching && own.inside != nullptr) {
        r = hits(*own.inside, own.middle, 0);
        for (const double share : inner_shares) {
          if (r.hit && r.time == 0) r = hits(Shape::sphere(share * own.collider.inner), own.middle, 0);
        }
      }
      if (r.hit && r.time > 0) {
        r.time = begin + r.time * (end - begin);
        return stop_at(r, other, touching, false);
      }
    }
    return {};
  }

  const World& world_;
  const LimitScratch& s_;
  const Bodies& bodies_;
  Meeting& meeting_;
};

}  // namespace

Shape make_inside(const Collider& c) {
  const shapes::Core& core = *c.core;
  const double k = inside_share;
  const Eigen::Vector3d size = k * detail::to_eigen(core.size);
  const double radius = k * core.radius;
  switch (core.kind) {
    case shapes::CoreKind::box:
      return Shape::box(size).with_margin(radius);
    case shapes::CoreKind::segment:
      return Shape::capsule(radius, size.z());
    case shapes::CoreKind::cylinder:
      return Shape::cylinder(size.x(), size.z()).with_margin(radius);
    case shapes::CoreKind::ellipsoid:
      return Shape::ellipsoid(size).with_margin(radius);
    case shapes::CoreKind::hull: {
      if (c.size < 3 * c.inner) break;
      std::vector<Eigen::Vector3d> points;
      for (const Eigen::Vector3d& p : core.hull->points) points.emplace_back(k * (p - detail::to_eigen(c.middle)));
      return Shape::hull(points).with_margin(radius);
    }
    default:
      break;
  }
  return Shape::sphere(k * c.inner);
}

void look_at_meeting(const World& world, bool first, LimitScratch::Meeting& meeting) {
  Looker(world, meeting).look(first);
}

}  // namespace carom::rigid
