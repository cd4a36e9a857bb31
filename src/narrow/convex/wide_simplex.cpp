#include "narrow/convex/wide_simplex.hpp"

namespace carom::convex {
namespace {

using math::wide_difference;

class WideSearch {
 public:
  explicit WideSearch(const Simplex& s) : s_(s) {}
  WideClosest best;

  void vertex(int i) { offer(WideVec3(s_.y(i)), 1, {i}, {DoubleDouble(1)}); }

  void edge(int i, int j) {
    const WideVec3 d = wide_difference(s_.y(j), s_.y(i));
    const DoubleDouble along = -dot(WideVec3(s_.y(i)), d);
    const DoubleDouble length = dot(d, d);
    if (!(along > 0) || !(along < length)) return;
    const DoubleDouble t = along / length;
    offer(WideVec3(s_.y(i)) + t * d, 2, {i, j}, {DoubleDouble(1) - t, t});
  }

  void triangle(int i, int j, int k) {
    const WideVec3 c(s_.y(k));
    const WideVec3 ca = wide_difference(s_.y(i), s_.y(k));
    const WideVec3 cb = wide_difference(s_.y(j), s_.y(k));
    const WideVec3 n = cross(ca, cb);
    const DoubleDouble nn = dot(n, n);
    const DoubleDouble wa = dot(n, cross(cb, c));
    const DoubleDouble wb = dot(n, cross(c, ca));
    const DoubleDouble wc = nn - wa - wb;
    if (!(wa > 0 && wb > 0 && wc > 0)) return;
    offer((dot(n, c) / nn) * n, 3, {i, j, k}, {wa / nn, wb / nn, wc / nn});
  }

  /// True if the origin is inside.
  bool tetrahedron() {
    const WideVec3 d(s_.y(3));
    const WideVec3 da = wide_difference(s_.y(0), s_.y(3));
    const WideVec3 db = wide_difference(s_.y(1), s_.y(3));
    const WideVec3 dc = wide_difference(s_.y(2), s_.y(3));
    const WideVec3 nab = cross(da, db);
    DoubleDouble volume = dot(nab, dc);
    DoubleDouble wa = -dot(cross(db, dc), d);
    DoubleDouble wb = -dot(cross(dc, da), d);
    DoubleDouble wc = -dot(nab, d);
    if (volume < 0) {
      volume = -volume;
      wa = -wa;
      wb = -wb;
      wc = -wc;
    }
    const DoubleDouble wd = volume - wa - wb - wc;
    if (!(volume > 0 && wa >= 0 && wb >= 0 && wc >= 0 && wd >= 0)) return false;
    offer({}, 4, {0, 1, 2, 3}, {wa / volume, wb / volume, wc / volume, wd / volume});
    return true;
  }

 private:
  void offer(const WideVec3& v, int count, const std::array<int, 4>& places,
             const std::array<DoubleDouble, 4>& weights) {
    const DoubleDouble squared = dot(v, v);
    if (!(squared < best.squared)) return;
    best.v = v;
    best.squared = squared;
    best.count = count;
    best.places = places;
    for (std::size_t k = 0; k < 4; ++k) best.weights[k] = weights[k].high;
  }

  const Simplex& s_;
};

}  // namespace

WideClosest wide_closest_to_origin(const Simplex& s) {
  WideSearch search(s);
  if (s.count == 4 && search.tetrahedron()) return search.best;
  for (int i = 0; i < s.count; ++i) {
    search.vertex(i);
    for (int j = i + 1; j < s.count; ++j) {
      search.edge(i, j);
      for (int k = j + 1; k < s.count; ++k) search.triangle(i, j, k);
    }
  }
  return search.best;
}

}  // namespace carom::convex
