#include "oracle/moving_pairs.hpp"

#include <cmath>

#include "oracle/soup.hpp"

namespace carom::oracle {
namespace {

using Eigen::Vector3d;

class Maker {
 public:
  Maker(ContactKind kind, std::mt19937_64& random) : kind_(kind), random_(random) {}

  int integer(int low, int high) { return low + static_cast<int>((high - low + 1) * uniform(random_)); }
  double number() { return 2 * uniform(random_) - 1; }
  /// A multiple of 1/16: sums and products of a few stay exact.
  double coarse() { return integer(-32, 32) / 16.0; }
  bool coin() { return integer(0, 1) == 1; }

  Vector3d random_point() { return {number(), number(), number()}; }
  Vector3d coarse_point() { return {coarse(), coarse(), coarse()}; }
  Vector3d grid_point() { return Vector3d(integer(-2, 2), integer(-2, 2), integer(-2, 2)); }

  template <class Make>
  FeatureMotion each(const Make& make) {
    FeatureMotion m;
    for (auto* side : {&m.start, &m.end}) {
      for (Vector3d& p : *side) p = make();
    }
    return m;
  }

  /// Weights of a point of the features, in eighths, often on the boundary.
  std::array<double, 4> weights() {
    if (kind_ == ContactKind::edge_edge) {
      const double s = coin() ? integer(0, 8) / 8.0 : integer(0, 1);
      const double t = coin() ? integer(0, 8) / 8.0 : integer(0, 1);
      return {1 - s, s, -(1 - t), -t};
    }
    const int u = integer(0, 8);
    const int v = coin() ? integer(0, 8 - u) : (coin() ? 0 : 8 - u);
    return {1, -(8 - u - v) / 8.0, -u / 8.0, -v / 8.0};
  }

  /// Moves one vertex so that the features touch at time t, a multiple of 1/8 in (0, 1] or 0: exactly, if all
  /// coordinates are coarse.
  void make_touch(FeatureMotion& m, double t) {
    const std::array<double, 4> w = weights();
    Vector3d offset = Vector3d::Zero();
    for (std::size_t i = 0; i < 4; ++i) offset += w[i] * ((1 - t) * m.start[i] + t * m.end[i]);
    // The vertex of weight 1, or the end of edge a that counts: spread over both ends to stay exact.
    if (kind_ == ContactKind::vertex_face) {
      m.start[0] -= offset;
      m.end[0] -= offset;
    } else {
      for (const std::size_t i : {0U, 1U}) {
        m.start[i] -= offset;
        m.end[i] -= offset;
      }
    }
  }

  FeatureMotion contact() {
    FeatureMotion m = each([&] { return coin() ? coarse_point() : grid_point(); });
    make_touch(m, integer(0, 8) / 8.0);
    return m;
  }

  FeatureMotion near_miss() {
    FeatureMotion m = contact();
    const int changes = integer(1, 3);
    for (int i = 0; i < changes; ++i) {
      auto& side = coin() ? m.start : m.end;
      double& x = side[static_cast<std::size_t>(integer(0, 3))][integer(0, 2)];
      if (coin()) {
        x = std::nextafter(x, coin() ? 10.0 : -10.0);
      } else {
        x += number() * std::pow(10.0, -integer(4, 20));
      }
    }
    return m;
  }

  FeatureMotion in_a_plane() {
    const Vector3d u = grid_point(), v = grid_point(), origin = grid_point();
    const bool coarse_numbers = coin();
    return each([&] {
      const double a = coarse_numbers ? coarse() : integer(-2, 2);
      const double b = coarse_numbers ? coarse() : integer(-2, 2);
      return Vector3d(origin + a * u + b * v);
    });
  }

  /// All in the plane through a moving line with a turning direction: points o(t) + a d(t) + b e with a, b fixed for
  /// each.
  FeatureMotion turning_plane() {
    FeatureMotion m;
    const Vector3d o0 = grid_point(), o1 = grid_point(), d0 = grid_point(), d1 = grid_point(), e0 = grid_point(),
                   e1 = coin() ? e0 : grid_point();
    for (std::size_t i = 0; i < 4; ++i) {
      const double a = coarse(), b = coin() ? 0 : coarse();
      m.start[i] = o0 + a * d0 + b * e0;
      m.end[i] = o1 + a * d1 + b * e1;
    }
    return m;
  }

  FeatureMotion translation() {
    FeatureMotion m = coin() ? contact() : each([&] { return random_point(); });
    const Vector3d path = coin() ? grid_point() : random_point();
    const std::size_t of_a = kind_ == ContactKind::vertex_face ? 1 : 2;
    for (std::size_t i = coin() ? 0 : of_a; i < 4; ++i) m.end[i] = m.start[i] + path;
    return m;
  }

  FeatureMotion collapsed() {
    FeatureMotion m = coin() ? contact() : each([&] { return grid_point(); });
    const auto same = [&](std::size_t i, std::size_t j) {
      if (coin()) m.start[j] = m.start[i];
      if (coin()) m.end[j] = m.end[i];
    };
    same(2, 3);
    if (coin()) same(kind_ == ContactKind::vertex_face ? 1 : 0, kind_ == ContactKind::vertex_face ? 2 : 1);
    if (coin()) same(0, 2);
    if (coin() && kind_ == ContactKind::vertex_face) {  // on a line
      m.start[3] = 0.5 * (m.start[1] + m.start[2]);
      m.end[3] = 2 * m.end[1] - m.end[2];
    }
    return m;
  }

  FeatureMotion parallel() {
    FeatureMotion m = contact();
    const Vector3d d = grid_point();
    m.start[1] = m.start[0] + d;
    m.start[3] = m.start[2] + integer(-2, 2) * d;
    if (coin()) {
      const Vector3d e = coin() ? d : grid_point();
      m.end[1] = m.end[0] + e;
      m.end[3] = m.end[2] + integer(-2, 2) * e;
    }
    if (coin()) make_touch(m, integer(0, 8) / 8.0);
    return m;
  }

  void scale(FeatureMotion& m, const Vector3d& factor) {
    for (auto* side : {&m.start, &m.end}) {
      for (Vector3d& p : *side) p = p.cwiseProduct(factor);
    }
  }

  void shift(FeatureMotion& m, const Vector3d& offset) {
    for (auto* side : {&m.start, &m.end}) {
      for (Vector3d& p : *side) p += offset;
    }
  }

  FeatureMotion any() {
    switch (integer(0, 4)) {
      case 0:
        return each([&] { return random_point(); });
      case 1:
        return near_miss();
      case 2:
        return in_a_plane();
      default:
        return contact();
    }
  }

  FeatureMotion wild() {
    const int range = coin() ? 30 : coin() ? 300 : 1022;
    const int start = integer(0, 3) == 0 ? 1 : 0;  // some stand still
    FeatureMotion m = each([&] {
      Vector3d p;
      for (int k = 0; k < 3; ++k) p[k] = integer(0, 3) == 0 ? 0 : std::ldexp(number(), integer(-range, range));
      return p;
    });
    if (start == 1) m.end[0] = m.start[0];
    return m;
  }

  FeatureMotion at_end() {
    FeatureMotion m = contact();
    // Touching at t = 1 and moving together from far away.
    make_touch(m, 1);
    const Vector3d away = coin() ? grid_point() : coarse_point();
    m.start[0] += 8 * away;
    if (kind_ == ContactKind::edge_edge) m.start[1] += 8 * away;
    return m;
  }

 private:
  ContactKind kind_;
  std::mt19937_64& random_;
};

}  // namespace

FeatureMotion make_moving_pair(ContactKind kind, Degeneracy degeneracy, std::mt19937_64& random) {
  Maker make(kind, random);
  FeatureMotion m;
  switch (degeneracy) {
    case Degeneracy::none:
      return make.each([&] { return make.random_point(); });
    case Degeneracy::grid:
      return make.each([&] { return make.grid_point(); });
    case Degeneracy::contact:
      return make.contact();
    case Degeneracy::near_miss:
      return make.near_miss();
    case Degeneracy::in_a_plane:
      return make.in_a_plane();
    case Degeneracy::turning_plane:
      return make.turning_plane();
    case Degeneracy::still:
      m = make.any();
      m.end = m.start;
      return m;
    case Degeneracy::translation:
      return make.translation();
    case Degeneracy::collapsed:
      return make.collapsed();
    case Degeneracy::parallel:
      return make.parallel();
    case Degeneracy::huge:
      m = make.any();
      make.scale(m, Vector3d::Constant(std::ldexp(1.0, make.coin() ? 500 : make.integer(300, 1020))));
      return m;
    case Degeneracy::tiny:
      m = make.any();
      make.scale(m, Vector3d::Constant(std::ldexp(1.0, -make.integer(300, 1068))));
      return m;
    case Degeneracy::mixed_scales:
      m = make.any();
      make.scale(m, Vector3d(std::ldexp(1.0, make.integer(-60, 60)), std::ldexp(1.0, make.integer(-300, 300)), 1));
      return m;
    case Degeneracy::far_away:
      m = make.any();
      make.shift(m, Vector3d(1e9, -3e7, make.coin() ? 1e15 : 0));
      return m;
    case Degeneracy::touch_at_start:
      m = make.contact();
      make.make_touch(m, 0);
      return m;
    case Degeneracy::touch_at_end:
      return make.at_end();
    case Degeneracy::wild:
      return make.wild();
  }
  return m;
}

}  // namespace carom::oracle
