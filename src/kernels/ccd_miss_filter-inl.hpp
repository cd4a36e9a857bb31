// The filter of kernels/ccd_miss_filter.hpp, for as many pairs as there are lanes. Included once for each target, so
// there is no ordinary include guard.
#if defined(CAROM_KERNELS_MISSES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CAROM_KERNELS_MISSES_INL_HPP
#undef CAROM_KERNELS_MISSES_INL_HPP
#else
#define CAROM_KERNELS_MISSES_INL_HPP
#endif

#include "hwy/highway.h"
#include "kernels/ccd_miss_filter.hpp"
#include "kernels/wide_vec3-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// `corners`: 3 for a vertex and a triangle, 4 for two edges.
template <class Tag, int corners>
class MissFilter {
  using V = hn::Vec<Tag>;
  using M = hn::Mask<Tag>;
  using W = Wide3Of<Tag>;

 public:
  static std::size_t lanes() { return hn::Lanes(Tag()); }

  HWY_INLINE MissFilter(const MissBatch& batch, std::size_t at, double separation)
      : separation_(hn::Set(Tag(), separation)) {
    set_corners(batch, at, 0, start_, f_start_, g_start_);
    set_corners(batch, at, 4, end_, f_end_, g_end_);
  }

  HWY_INLINE void run(std::uint8_t* out) {
    const Tag d;
    const M sane = set_size();
    M misses = outside_along_axes();
    if (!all(hn::Or(misses, hn::Not(sane)))) {
      misses = hn::Or(misses, beyond(middle_));
      if (!all(hn::Or(misses, hn::Not(sane)))) {
        misses = hn::Or(misses, never_in_a_plane());
        misses = hn::Or(misses, beyond(nearest_halfway()));
      }
    }
    misses = hn::And(misses, sane);
    const V verdict = hn::IfThenElseZero(misses, hn::Set(d, 1.0));
    const hn::Rebind<std::int32_t, Tag> i32;
    const hn::Rebind<std::uint8_t, Tag> u8;
    hn::StoreU(hn::DemoteTo(u8, hn::DemoteTo(i32, verdict)), u8, out);
  }

 private:
  static HWY_INLINE V set(double x) { return hn::Set(Tag(), x); }
  static HWY_INLINE bool all(M mask) { return hn::AllTrue(Tag(), mask); }
  static HWY_INLINE W lower(const W& a, const W& b) {
    return {hn::Min(a.x, b.x), hn::Min(a.y, b.y), hn::Min(a.z, b.z)};
  }
  static HWY_INLINE W higher(const W& a, const W& b) {
    return {hn::Max(a.x, b.x), hn::Max(a.y, b.y), hn::Max(a.z, b.z)};
  }
  static HWY_INLINE V largest(const W& a) { return hn::Max(hn::Max(hn::Abs(a.x), hn::Abs(a.y)), hn::Abs(a.z)); }
  static HWY_INLINE V clamp01(V t) { return hn::Min(hn::Max(t, hn::Zero(Tag())), set(1.0)); }

  static HWY_INLINE void set_corners(const MissBatch& batch, std::size_t at, std::size_t first, W* corner, W& f, W& g) {
    const Tag d;
    W p[4];
    for (std::size_t i = 0; i < 4; ++i) {
      p[i] = {hn::LoadU(d, batch.x[first + i] + at), hn::LoadU(d, batch.y[first + i] + at),
              hn::LoadU(d, batch.z[first + i] + at)};
    }
    if constexpr (corners == 3) {
      for (std::size_t i = 0; i < 3; ++i) corner[i] = sub(p[0], p[i + 1]);
      f = sub(p[1], p[2]);
      g = sub(p[2], p[3]);
    } else {
      corner[0] = sub(p[0], p[2]);
      corner[1] = sub(p[0], p[3]);
      corner[2] = sub(p[1], p[3]);
      corner[3] = sub(p[1], p[2]);
      f = sub(p[2], p[3]);
      g = sub(p[1], p[0]);
    }
  }

  /// Whether numbers can be trusted. A NaN may be lost by Min and Max, but not by a sum of all.
  HWY_INLINE M set_size() {
    low_ = lower(start_[0], end_[0]);
    high_ = higher(start_[0], end_[0]);
    middle_ = add(start_[0], end_[0]);
    for (int i = 1; i < corners; ++i) {
      low_ = lower(low_, lower(start_[i], end_[i]));
      high_ = higher(high_, higher(start_[i], end_[i]));
      middle_ = add(middle_, add(start_[i], end_[i]));
    }
    size_ = hn::Max(largest(low_), largest(high_));
    const V sum = hn::Abs(hn::Add(hn::Add(middle_.x, middle_.y), middle_.z));
    return hn::And(hn::And(hn::Ge(size_, set(1e-60)), hn::Le(size_, set(1e70))), hn::Lt(sum, set(1e100)));
  }

  HWY_INLINE M outside_along_axes() const {
    const V below = hn::Neg(separation_);
    const M above_any =
        hn::Or(hn::Or(hn::Gt(low_.x, separation_), hn::Gt(low_.y, separation_)), hn::Gt(low_.z, separation_));
    const M below_any = hn::Or(hn::Or(hn::Lt(high_.x, below), hn::Lt(high_.y, below)), hn::Lt(high_.z, below));
    return hn::Or(above_any, below_any);
  }

  HWY_INLINE V allowance(const W& n) const {
    const V sum = hn::Add(hn::Add(hn::Abs(n.x), hn::Abs(n.y)), hn::Abs(n.z));
    const V rounding = hn::Add(hn::Mul(sum, hn::Mul(size_, set(8 * 0x1p-53))), set(1e-290));
    return hn::Add(rounding,
                   hn::Mul(hn::Mul(separation_, set(1 + 0x1p-48)), hn::Sqrt(hn::Add(dot(n, n), set(1e-290)))));
  }

  HWY_INLINE M beyond(const W& n) const {
    V smallest = hn::Min(dot(n, start_[0]), dot(n, end_[0]));
    for (int i = 1; i < corners; ++i) smallest = hn::Min(smallest, hn::Min(dot(n, start_[i]), dot(n, end_[i])));
    return hn::Gt(smallest, allowance(n));
  }

  /// By the sign of the coplanarity polynomial: operations as in continuous/coplanarity.cpp.
  HWY_INLINE M never_in_a_plane() const {
    const W n0 = cross(f_start_, g_start_);
    const W n2 = cross(f_end_, g_end_);
    const W n1 = scale(set(0.5), add(cross(f_start_, g_end_), cross(f_end_, g_start_)));
    const V third = set(1.0 / 3);
    const V two = set(2.0);
    const V c0 = dot(start_[0], n0);
    const V c1 = hn::Mul(hn::Add(dot(end_[0], n0), hn::Mul(two, dot(start_[0], n1))), third);
    const V c2 = hn::Mul(hn::Add(hn::Mul(two, dot(end_[0], n1)), dot(start_[0], n2)), third);
    const V c3 = dot(end_[0], n2);
    const V size_f = hn::Max(largest(f_start_), largest(f_end_));
    const V size_g = hn::Max(largest(g_start_), largest(g_end_));
    const V area = hn::Mul(size_f, size_g);
    const V error = hn::Add(hn::Mul(hn::Mul(size_, area), set(256 * 0x1p-53)), set(1e-290));
    const V longest = hn::Max(hn::Max(dot(n0, n0), dot(n1, n1)), dot(n2, n2));
    const V normal = hn::Sqrt(hn::Add(longest, set(1e-290)));
    const V of_separation =
        hn::Mul(separation_, hn::Add(hn::Mul(normal, set(1 + 0x1p-46)), hn::Mul(area, set(64 * 0x1p-53))));
    const V margin = hn::Add(error, of_separation);
    const V smallest = hn::Min(hn::Min(c0, c1), hn::Min(c2, c3));
    const V max_value = hn::Max(hn::Max(c0, c1), hn::Max(c2, c3));
    return hn::Or(hn::Gt(smallest, margin), hn::Lt(max_value, hn::Neg(margin)));
  }

  /// A point of the side from u to v near to the origin, if it is nearer than the best so far.
  static HWY_INLINE void try_side(const W& u, const W& v, W& best, V& best_squared) {
    const W along = sub(v, u);
    const V t = clamp01(hn::Div(hn::Neg(dot(u, along)), hn::Max(dot(along, along), set(1e-300))));
    const W point = add(u, scale(t, along));
    const V squared = dot(point, point);
    const M nearer = hn::Lt(squared, best_squared);
    best = if_then_else(nearer, point, best);
    best_squared = hn::IfThenElse(nearer, squared, best_squared);
  }

  /// Carelessly: any direction is safe, a good one is better. Twice the polygon half way. Inside the polygon, the point
  /// is the foot on its plane.
  HWY_INLINE W nearest_halfway() const {
    W m[corners];
    for (int i = 0; i < corners; ++i) m[i] = add(start_[i], end_[i]);
    W best = m[0];
    V best_squared = dot(m[0], m[0]);
    for (int i = 0; i < corners; ++i) try_side(m[i], m[(i + 1) % corners], best, best_squared);
    const W n = cross(add(f_start_, f_end_), add(g_start_, g_end_));
    V smallest = dot(n, cross(m[corners - 1], m[0]));
    for (int i = 0; i + 1 < corners; ++i) smallest = hn::Min(smallest, dot(n, cross(m[i], m[i + 1])));
    const V height = dot(n, m[0]);
    const W foot = if_then_else(hn::Lt(height, hn::Zero(Tag())), scale(set(-1.0), n), n);
    return if_then_else(hn::Gt(smallest, hn::Zero(Tag())), foot, best);
  }

  W start_[4], end_[4];
  W f_start_, f_end_, g_start_, g_end_;
  W low_, high_, middle_;
  V size_;
  V separation_;
};

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
