#pragma once

#include <algorithm>
#include <cmath>

#include "narrow/convex/pair.hpp"
#include "shapes/mesh_tree.hpp"

/// How far apart two volumes are at least, one in the frame of mesh a, the other in that of b. Each view has
///
///     bool apart(a, b, reach)   true only if they are farther apart than `reach`
///     see(b)                    b as apart() and gap() want it: worth keeping for several a
///     void aim(n)               a unit vector, seen from a, along which the gap is likely to be large
///     double along(a, b)        the gap along it: a lower bound of the distance
///     double gap(a, b, enough)  another lower bound of the distance, at least 0; beyond `enough` it need not be good
///
/// The direction of the closest points found so far is the one to aim at: around them no bound is better.
///
/// Both are true but for rounding, which the walks add to what they look for.
namespace carom::mesh {

using convex::RelativePose;
using math::Vec3;

inline Vec3 absolute(const Vec3& v) {
  return {std::abs(v.x), std::abs(v.y), std::abs(v.z)};
}

/// The length of the positive part.
inline double length_above_0(const Vec3& gap) {
  const Vec3 g = math::higher(gap, {0, 0, 0});
  return std::sqrt(dot(g, g));
}

/// A direction, and the other way round in the frame of b.
struct Aim {
  Vec3 n{0, 0, 0};
  Vec3 back{0, 0, 0};
  double offset = 0;  ///< of the origin of b along n

  void set(const RelativePose& pose, const Vec3& to) {
    n = to;
    back = pose.rotate_back(to);
    offset = dot(n, pose.t);
  }
};

inline double reach_along(const Vec3& n, const shapes::BoxVolume& box) {
  return dot(absolute(n), box.half);
}
inline double reach_along(const Vec3& n, const shapes::OrientedVolume& box) {
  return std::abs(dot(n, box.x)) * box.half.x + std::abs(dot(n, box.y)) * box.half.y +
         std::abs(dot(n, box.z)) * box.half.z;
}
inline double reach_along(const Vec3&, const shapes::SphereVolume& sphere) {
  return sphere.radius;
}

template <class Volume>
double gap_along(const Aim& aim, const Volume& a, const Volume& b) {
  return aim.offset + dot(aim.back, b.center) - dot(aim.n, a.center) - reach_along(aim.n, a) - reach_along(aim.back, b);
}

/// Two boxes, turned against each other by the columns x, y, z: their centres are t apart, seen from the first.
struct TurnedBoxes {
  Vec3 x, y, z;
  Vec3 ax, ay, az;  ///< absolute values

  void set(const Vec3& cx, const Vec3& cy, const Vec3& cz) {
    x = cx;
    y = cy;
    z = cz;
    ax = absolute(x);
    ay = absolute(y);
    az = absolute(z);
  }
  /// Along the axes of the first, and of the second.
  Vec3 gap_first(const Vec3& t, const Vec3& half_a, const Vec3& half_b) const {
    return absolute(t) - half_a - (half_b.x * ax + half_b.y * ay + half_b.z * az);
  }
  Vec3 gap_second(const Vec3& t, const Vec3& half_a, const Vec3& half_b) const {
    return Vec3{std::abs(dot(x, t)) - dot(ax, half_a), std::abs(dot(y, t)) - dot(ay, half_a),
                std::abs(dot(z, t)) - dot(az, half_a)} -
           half_b;
  }
  /// The nine axes across an edge of each, which have at most unit length.
  bool apart_across(const Vec3& t, const Vec3& a, const Vec3& b, double reach) const {
    const auto along = [&](const Vec3& c, const Vec3& ac, double p, double q, const Vec3& u, const Vec3& v) {
      // c is a column: its cross products with the axes of a. u and v are the two other columns, with half extents p,
      // q.
      const double r0 = a.y * ac.z + a.z * ac.y + p * u.x + q * v.x;
      if (std::abs(t.z * c.y - t.y * c.z) > r0 + reach) return true;
      const double r1 = a.x * ac.z + a.z * ac.x + p * u.y + q * v.y;
      if (std::abs(t.x * c.z - t.z * c.x) > r1 + reach) return true;
      const double r2 = a.x * ac.y + a.y * ac.x + p * u.z + q * v.z;
      return std::abs(t.y * c.x - t.x * c.y) > r2 + reach;
    };
    return along(x, ax, b.y, b.z, az, ay) || along(y, ay, b.x, b.z, az, ax) || along(z, az, b.x, b.y, ay, ax);
  }
  bool apart(const Vec3& t, const Vec3& a, const Vec3& b, double reach) const {
    const Vec3 g = gap_first(t, a, b);
    if (g.x > reach || g.y > reach || g.z > reach) return true;
    const Vec3 h = gap_second(t, a, b);
    if (h.x > reach || h.y > reach || h.z > reach) return true;
    return apart_across(t, a, b, reach);
  }
  double gap(const Vec3& t, const Vec3& a, const Vec3& b) const {
    // From centre to centre as well, which is good for boxes that are far from each other.
    const Vec3 s{dot(x, t), dot(y, t), dot(z, t)};
    const double length = std::sqrt(dot(t, t));
    const double center = length > 0 ? length - (dot(absolute(t), a) + dot(absolute(s), b)) / length : 0;
    const Vec3 second = Vec3{std::abs(s.x) - dot(ax, a), std::abs(s.y) - dot(ay, a), std::abs(s.z) - dot(az, a)} - b;
    return std::max({center, length_above_0(gap_first(t, a, b)), length_above_0(second)});
  }
};

class BoxView {
 public:
  using Volume = shapes::BoxVolume;
  static const std::vector<Volume>& of(const shapes::MeshTree& tree) { return tree.boxes; }

  explicit BoxView(const RelativePose& pose) : pose_(pose) { turned_.set(pose.x, pose.y, pose.z); }

  const Volume& see(const Volume& b) const { return b; }
  void aim(const Vec3& n) { aim_.set(pose_, n); }
  double along(const Volume& a, const Volume& b) const { return gap_along(aim_, a, b); }
  bool apart(const Volume& a, const Volume& b, double reach) const {
    return turned_.apart(between(a, b), a.half, b.half, reach);
  }
  double gap(const Volume& a, const Volume& b, double) const { return turned_.gap(between(a, b), a.half, b.half); }

 private:
  Vec3 between(const Volume& a, const Volume& b) const { return pose_.rotate(b.center) + pose_.t - a.center; }
  RelativePose pose_;
  Aim aim_;
  TurnedBoxes turned_;
};

class SphereView {
 public:
  using Volume = shapes::SphereVolume;
  static const std::vector<Volume>& of(const shapes::MeshTree& tree) { return tree.spheres; }

  explicit SphereView(const RelativePose& pose) : pose_(pose) {}

  const Volume& see(const Volume& b) const { return b; }
  void aim(const Vec3& n) { aim_.set(pose_, n); }
  double along(const Volume& a, const Volume& b) const { return gap_along(aim_, a, b); }
  bool apart(const Volume& a, const Volume& b, double reach) const {
    const Vec3 t = pose_.rotate(b.center) + pose_.t - a.center;
    const double r = a.radius + b.radius + reach;
    return dot(t, t) > r * r;
  }
  double gap(const Volume& a, const Volume& b, double) const {
    const Vec3 t = pose_.rotate(b.center) + pose_.t - a.center;
    return std::max(std::sqrt(dot(t, t)) - a.radius - b.radius, 0.0);
  }

 private:
  RelativePose pose_;
  Aim aim_;
};

class OrientedView {
 public:
  using Volume = shapes::OrientedVolume;
  using Seen = shapes::OrientedVolume;  ///< b's box in the frame of a
  static const std::vector<Volume>& of(const shapes::MeshTree& tree) { return tree.oriented; }

  explicit OrientedView(const RelativePose& pose) : pose_(pose) {}

  void aim(const Vec3& n) { aim_.set(pose_, n); }
  double along(const Volume& a, const Volume& b) const { return gap_along(aim_, a, b); }
  Seen see(const Volume& b) const {
    return {pose_.rotate(b.x), pose_.rotate(b.y), pose_.rotate(b.z), pose_.rotate(b.center) + pose_.t, b.half,
            b.radius};
  }

  /// Balls first, then the axes of a one by one: most pairs that are apart end there, before half of the rotation
  /// between them is known.
  bool apart(const Volume& a, const Seen& b, double reach) const {
    const Vec3 d = b.center - a.center;
    const double r = a.radius + b.radius + reach;
    if (dot(d, d) > r * r) return true;
    Vec3 row_x;
    Vec3 row_y;
    Vec3 row_z;
    Vec3 t;
    const auto beside = [&](const Vec3& axis, double half, Vec3& row, double& along) {
      row = {dot(axis, b.x), dot(axis, b.y), dot(axis, b.z)};
      along = dot(axis, d);
      return std::abs(along) > half + dot(absolute(row), b.half) + reach;
    };
    if (beside(a.x, a.half.x, row_x, t.x) || beside(a.y, a.half.y, row_y, t.y) || beside(a.z, a.half.z, row_z, t.z)) {
      return true;
    }
    TurnedBoxes turned;
    turned.set({row_x.x, row_y.x, row_z.x}, {row_x.y, row_y.y, row_z.y}, {row_x.z, row_y.z, row_z.z});
    const Vec3 h = turned.gap_second(t, a.half, b.half);
    return h.x > reach || h.y > reach || h.z > reach || turned.apart_across(t, a.half, b.half, reach);
  }
  double gap(const Volume& a, const Seen& b, double enough) const {
    // From centre to centre, which is good for boxes that are far from each other.
    const Vec3 d = b.center - a.center;
    const double length = std::sqrt(dot(d, d));
    const double balls = length - a.radius - b.radius;
    if (balls > enough || !(length > 0)) return std::max(balls, 0.0);
    const Vec3 u = (1 / length) * d;
    const double center = length - reach_along(u, a) - reach_along(u, b);
    if (center > enough) return center;
    const auto into_a = [&](const Vec3& v) { return Vec3{dot(a.x, v), dot(a.y, v), dot(a.z, v)}; };
    TurnedBoxes turned;
    turned.set(into_a(b.x), into_a(b.y), into_a(b.z));
    const Vec3 t = into_a(d);
    return std::max({center, length_above_0(turned.gap_first(t, a.half, b.half)),
                     length_above_0(turned.gap_second(t, a.half, b.half))});
  }

 private:
  RelativePose pose_;
  Aim aim_;
};

/// A turned k-DOP has other axes. How far it reaches along an axis of the first is bounded by how far it reaches along
/// three of its own: if d = u e1 + v e2 + w e3 with u, v, w >= 0, then d.x <= u max(e1.x) + v max(e2.x) + w max(e3.x).
/// Which three, and how much of each, depends on the pose alone.
class DopView {
 public:
  using Volume = shapes::DopVolume;
  static const std::vector<Volume>& of(const shapes::MeshTree& tree) { return tree.dops; }

  explicit DopView(const RelativePose& pose);

  const Volume& see(const Volume& b) const { return b; }
  void aim(const Vec3& n);
  double along(const Volume& a, const Volume& b) const;
  bool apart(const Volume& a, const Volume& b, double reach) const;
  double gap(const Volume& a, const Volume& b, double enough) const;

 private:
  /// A direction as a sum of three axes.
  struct Mixture {
    std::array<int, 3> axis{};
    std::array<double, 3> weight{};  ///< negative where the axis is to be taken the other way round
    double offset = 0;               ///< of the origin of b along the direction
    double scale = 1;                ///< one over the length of the direction
  };
  static Mixture mix(const Vec3& d);
  static void extent(const Mixture& m, const Volume& b, double& low, double& high);
  RelativePose pose_;
  std::array<Mixture, 9> mixtures_;
  Mixture of_a_;
  Mixture of_b_;
};

}  // namespace carom::mesh
