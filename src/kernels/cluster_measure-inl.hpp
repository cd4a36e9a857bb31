// Pairs of features of two clusters: bounds in eight bits, then gaps in single precision. Included once for each
// target, so there is no ordinary include guard.
#if defined(CAROM_KERNELS_CLUSTER_MEASURE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CAROM_KERNELS_CLUSTER_MEASURE_INL_HPP
#undef CAROM_KERNELS_CLUSTER_MEASURE_INL_HPP
#else
#define CAROM_KERNELS_CLUSTER_MEASURE_INL_HPP
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/cluster_bytes-inl.hpp"
#include "kernels/cluster_gaps-inl.hpp"
#include "kernels/cluster_kept-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

/// All pairs of one cluster, A, with others. Coordinates are in the frame of A. Over a step the frame goes with a
/// vertex of A, so that a motion that clusters share does not count: what changes between them is the difference of two
/// straight motions, which is straight.
template <SearchMode mode>
class ClusterPairSearch {
  static constexpr bool step = mode == SearchMode::step;

 public:
  ClusterPairSearch(const SearchIn& in, SearchHits& hits) : in_(in), hits_(hits), kept_(in, hits) {}

  void begin(std::int32_t a) {
    number_ = a;
    cluster_ = &in_.clusters[a];
    placed_ = &in_.placed[a];
    prepared_ = loaded_ = far_prepared_ = recording_ = false;
    limits_for_ = -1;
    radius_ = placed_->radius;
    slab_low_ = placed_->slab_low;
    slab_high_ = placed_->slab_high;
    if constexpr (step) {
      placed_end_ = &in_.placed_end[a];
      radius_ = std::max(radius_, placed_end_->radius);
      load(*placed_end_, own_end_);
      const F f;
      const auto along = [&](std::size_t p) {
        return hn::MulAdd(hn::Set(f, placed_->normal[0]), own_end_.x[p],
                          hn::MulAdd(hn::Set(f, placed_->normal[1]), own_end_.y[p],
                                     hn::Mul(hn::Set(f, placed_->normal[2]), own_end_.z[p])));
      };
      Float lows = along(0);
      Float highs = lows;
      for (std::size_t p = 1; p < float_parts; ++p) {
        lows = hn::Min(lows, along(p));
        highs = hn::Max(highs, along(p));
      }
      slab_low_ = std::min(slab_low_, hn::GetLane(hn::MinOfLanes(f, lows)));
      slab_high_ = std::max(slab_high_, hn::GetLane(hn::MaxOfLanes(f, highs)));
    }
    if constexpr (mode != SearchMode::triangles) {
      if (kept_.active()) kept_.begin(a);
    }
  }

  /// Of the pairs of A that come next.
  void set_reach(float reach) {
    if (reach == reach_) return;
    reach_ = reach;
    prepared_ = far_prepared_ = recording_ = false;
    limits_for_ = -1;
    kept_.set_reach(reach);
  }

  /// After all pairs of A.
  void end() {
    if constexpr (mode != SearchMode::triangles) {
      if (kept_.active()) kept_.end();
    }
  }

  void near_pair(const ClusterNeighbor& neighbor) {
    if constexpr (mode != SearchMode::triangles) {
      if (kept_.active() && look_up_kept(neighbor.cluster)) return;
    }
    if (!prepared_ || (recording_ && !far_prepared_)) prepare(8 * (radius_ + farthest_reach()));
    if constexpr (mode == SearchMode::triangles) {
      if (neighbor.cluster == number_) {
        count(*cluster_);
        triangle_rows(own_bytes_, *cluster_, true);
      } else {
        other_pair<true>(neighbor.cluster);
      }
      return;
    }
    const SurfaceCluster& other = in_.clusters[neighbor.cluster];
    // Edges and triangles of the other at each vertex of A, and triangles of A at each vertex of the other.
    for (std::size_t v = 0; v < cluster_lanes; ++v) {
      const std::uint8_t to = neighbor.place[v];
      const std::uint8_t back = neighbor.reverse[v];
      edges_at_[v] = to == no_place ? 0 : other.edges_at[to];
      triangles_at_[v] = to == no_place ? 0 : other.triangles_at[to];
      own_triangles_at_[v] = back == no_place ? 0 : cluster_->triangles_at[back];
    }
    if (neighbor.cluster == number_) {
      same_pair();
    } else {
      other_pair<true>(neighbor.cluster);
    }
  }

  void far_pair(std::int32_t b) {
    if constexpr (mode != SearchMode::triangles) {
      if (kept_.active() && look_up_kept(b)) return;
    }
    other_pair<false>(b);
  }

 private:
  static HWY_INLINE void load(const PlacedCluster& placed, Points16& out) {
    const F f;
    for (std::size_t p = 0; p < float_parts; ++p) {
      out.x[p] = hn::Load(f, placed.x + p * float_lanes);
      out.y[p] = hn::Load(f, placed.y + p * float_lanes);
      out.z[p] = hn::Load(f, placed.z + p * float_lanes);
    }
  }

  /// The other cluster in the frame of A. Returns the largest coordinate of the shift.
  static HWY_INLINE float load_shifted(const PlacedCluster& own, const PlacedCluster& placed, float* shift,
                                       Points16& out) {
    const F f;
    for (std::size_t k = 0; k < 3; ++k) shift[k] = static_cast<float>(placed.origin[k] - own.origin[k]);
    load(placed, out);
    const auto x = hn::Set(f, shift[0]);
    const auto y = hn::Set(f, shift[1]);
    const auto z = hn::Set(f, shift[2]);
    for (std::size_t p = 0; p < float_parts; ++p) {
      out.x[p] = hn::Add(out.x[p], x);
      out.y[p] = hn::Add(out.y[p], y);
      out.z[p] = hn::Add(out.z[p], z);
    }
    return std::max(std::max(std::abs(shift[0]), std::abs(shift[1])), std::abs(shift[2]));
  }

  /// Of the bounds of A: with that of lists, once there is one.
  float farthest_reach() { return recording_ || far_prepared_ ? reach_ + kept_.slack() : reach_; }

  /// What is within reach and what beyond it, where coordinates are up to `largest`.
  HWY_INLINE void set_limits(float largest) {
    limits_for_ = largest;
    const float margin = (reach_ + rounding * largest) * 1.00001F;
    limits_.beyond = margin * margin * 1.00001F;
    const float inner_reach = reach_ * 0.99999F - rounding * largest;
    limits_.within = inner_reach > 0 ? inner_reach * inner_reach * 0.99999F : 0;
  }

  /// Bounds of the features of A, good for coordinates up to `largest`, for what is kept if something is recorded.
  HWY_NOINLINE void prepare(float largest) {
    const F f;
    largest_ = largest;
    far_prepared_ = far_prepared_ || recording_;
    const float reach = farthest_reach();
    const float margin = (reach + rounding * largest) * 1.00001F;
    set_limits(largest);
    far_limit_ = margin * margin * 1.00001F;
    load(*placed_, own_);
    loaded_ = true;
    const float* n = placed_->normal;
    const auto point = [&](std::uint8_t place, float* out) {
      out[0] = placed_->x[place];
      out[1] = placed_->y[place];
      out[2] = placed_->z[place];
    };
    float corner[3][3];
    for (std::size_t k = 0; k < 3; ++k) point(cluster_->middle[k], corner[k]);
    for (std::size_t k = 0; k < directions; ++k) {
      float along[3] = {n[0], n[1], n[2]};
      if (k < 3) {
        const float* from = corner[k];
        const float* to = corner[k == 2 ? 0 : k + 1];
        const float e[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        along[0] = n[1] * e[2] - n[2] * e[1];
        along[1] = n[2] * e[0] - n[0] * e[2];
        along[2] = n[0] * e[1] - n[1] * e[0];
      }
      const float squared = along[0] * along[0] + along[1] * along[1] + along[2] * along[2];
      if (squared > 1e-30F) {
        const float scale = 1 / std::sqrt(squared);
        for (float& component : along) component *= scale;
      } else {
        along[0] = k % 3 == 0 ? 1 : 0;
        along[1] = k % 3 == 1 ? 1 : 0;
        along[2] = k % 3 == 2 ? 1 : 0;
      }
      const auto x = hn::Set(f, along[0]);
      const auto y = hn::Set(f, along[1]);
      const auto z = hn::Set(f, along[2]);
      Float lows = hn::MulAdd(x, own_.x[0], hn::MulAdd(y, own_.y[0], hn::Mul(z, own_.z[0])));
      Float highs = lows;
      for (std::size_t p = 1; p < float_parts; ++p) {
        const Float v = hn::MulAdd(x, own_.x[p], hn::MulAdd(y, own_.y[p], hn::Mul(z, own_.z[p])));
        lows = hn::Min(lows, v);
        highs = hn::Max(highs, v);
      }
      if constexpr (step) {
        for (std::size_t p = 0; p < float_parts; ++p) {
          const Float v = hn::MulAdd(x, own_end_.x[p], hn::MulAdd(y, own_end_.y[p], hn::Mul(z, own_end_.z[p])));
          lows = hn::Min(lows, v);
          highs = hn::Max(highs, v);
        }
      }
      const float low = hn::GetLane(hn::MinOfLanes(f, lows));
      const float high = hn::GetLane(hn::MaxOfLanes(f, highs));
      const float steps = 246 / (high - low + 2 * margin);
      for (std::size_t c = 0; c < 3; ++c) direction_[k][c] = along[c] * steps;
      direction_[k][3] = 3 - (low - margin) * steps;
      grow_[k] = static_cast<std::uint8_t>(static_cast<int>(margin * steps) + 1);
    }
    project_swept(own_, own_end_, own_bytes_);
    bound_edges<step>(*cluster_, own_bytes_, own_edges_);
    bound_triangles<step>(*cluster_, own_bytes_, grow_, own_triangles_);
    const B32 d;
    for (std::size_t k = 0; k < directions; ++k) {
      const auto by = hn::Set(d, grow_[k]);
      for (std::size_t p = 0; p < edge_parts; ++p) {
        hn::Store(hn::SaturatedSub(own_edges_.low[k][p], by), d, row_low_[k] + p * edge_part);
        hn::Store(hn::SaturatedAdd(own_edges_.high[k][p], by), d, row_high_[k] + p * edge_part);
      }
    }
    Bytes16 by;
    const B16 d16;
    for (std::size_t k = 0; k < directions; ++k) by.along[k] = hn::Set(d16, grow_[k]);
    join(B64(), by, joined_grow_);
    Joined low;
    Joined high;
    join_swept(own_bytes_, own_joined_low_, own_joined_high_, low, high);
    for (std::size_t p = 0; p < wide_parts; ++p) {
      hull_low_.part[p] = hn::SaturatedSub(low.part[p], joined_grow_.part[p]);
      hull_high_.part[p] = hn::SaturatedAdd(high.part[p], joined_grow_.part[p]);
    }
    prepared_ = true;
  }

  /// Rounded down to bytes; what is beyond their range goes to its ends.
  HWY_INLINE void project(const Points16& points, Bytes16& out) const {
    const F f;
    const I i;
    const hn::Rebind<std::uint8_t, I> u8;
    const auto most = hn::Set(f, 256.0F);
    for (std::size_t k = 0; k < directions; ++k) {
      const auto x = hn::Set(f, direction_[k][0]);
      const auto y = hn::Set(f, direction_[k][1]);
      const auto z = hn::Set(f, direction_[k][2]);
      const auto o = hn::Set(f, direction_[k][3]);
      const auto bytes_of = [&](std::size_t p) {
        const Float v = hn::MulAdd(x, points.x[p], hn::MulAdd(y, points.y[p], hn::MulAdd(z, points.z[p], o)));
        return hn::DemoteTo(u8, hn::ConvertTo(i, hn::Max(hn::Min(v, most), hn::Zero(f))));
      };
      out.along[k] = assemble(bytes_of);
    }
  }

  HWY_INLINE void project_swept(const Points16& start, const Points16& end, SweptBytes& out) const {
    project(start, out.low);
    if constexpr (step) {
      const Bytes16 bytes = out.low;
      Bytes16 end_bytes;
      project(end, end_bytes);
      sweep_bytes(bytes, end_bytes, out);
    }
  }

  /// Bytes side by side, and the lowest and highest of all vertices.
  static HWY_INLINE void join_swept(const SweptBytes& bytes, Joined& joined_low, Joined& joined_high, Joined& low,
                                    Joined& high) {
    join(B64(), bytes.low, joined_low);
    extremes(joined_low, low, high);
    if constexpr (step) {
      join(B64(), bytes.high, joined_high);
      Joined ignored;
      extremes(joined_high, ignored, high);
    } else {
      joined_high = joined_low;
    }
  }

  /// Whether all vertices are on one side of a slab, beyond `margin`.
  static HWY_INLINE bool beyond_slab(const float* normal, float low, float high, const Points16& points) {
    const F f;
    const auto x = hn::Set(f, normal[0]);
    const auto y = hn::Set(f, normal[1]);
    const auto z = hn::Set(f, normal[2]);
    bool above = true;
    bool below = true;
    for (std::size_t p = 0; p < float_parts; ++p) {
      const Float v = hn::MulAdd(x, points.x[p], hn::MulAdd(y, points.y[p], hn::Mul(z, points.z[p])));
      above = above && hn::AllTrue(f, hn::Gt(v, hn::Set(f, high)));
      below = below && hn::AllTrue(f, hn::Lt(v, hn::Set(f, low)));
    }
    return above || below;
  }
  /// The same at both ends of a step, on the same side.
  static HWY_INLINE bool beyond_slab(const float* normal, float low, float high, const Points16& start,
                                     const Points16& end) {
    const F f;
    const auto x = hn::Set(f, normal[0]);
    const auto y = hn::Set(f, normal[1]);
    const auto z = hn::Set(f, normal[2]);
    bool above = true;
    bool below = true;
    for (std::size_t p = 0; p < float_parts; ++p) {
      const Float v = hn::MulAdd(x, start.x[p], hn::MulAdd(y, start.y[p], hn::Mul(z, start.z[p])));
      const Float w = hn::MulAdd(x, end.x[p], hn::MulAdd(y, end.y[p], hn::Mul(z, end.z[p])));
      above = above && hn::AllTrue(f, hn::Gt(hn::Min(v, w), hn::Set(f, high)));
      below = below && hn::AllTrue(f, hn::Lt(hn::Max(v, w), hn::Set(f, low)));
    }
    return above || below;
  }

  void count(const SurfaceCluster& other) {
    ++hits_.counts.cluster_pairs;
    const SurfaceCluster& own = *cluster_;
    if constexpr (mode == SearchMode::triangles) {
      const std::uint64_t n = own.triangle_count;
      hits_.counts.tests += &other == &own ? n * (n - (n > 0)) / 2 : n * other.triangle_count;
      return;
    }
    if (&other == &own) {
      hits_.counts.tests += static_cast<std::uint64_t>(own.edge_count) * (own.edge_count - (own.edge_count > 0)) / 2 +
                            static_cast<std::uint64_t>(own.owned_vertex_count) * own.triangle_count;
    } else {
      hits_.counts.tests += static_cast<std::uint64_t>(own.edge_count) * other.edge_count +
                            static_cast<std::uint64_t>(own.owned_vertex_count) * other.triangle_count +
                            static_cast<std::uint64_t>(other.owned_vertex_count) * own.triangle_count;
    }
  }

  static std::uint32_t first_bits(std::uint32_t count) { return count >= 32 ? ~0U : (1U << count) - 1; }

  void same_pair() {
    count(*cluster_);
    compare_ = false;
    begin_list();
    edge_rows<true>(first_bits(cluster_->edge_count), own_edges_, *cluster_, true);
    measure_edges(*cluster_, own_, own_end_);
    vertex_rows<true>(*cluster_, own_bytes_, first_bits(cluster_->owned_vertex_count), *cluster_, own_triangles_,
                      triangles_at_);
    measure_vertices(*cluster_, own_, own_end_, *cluster_, own_, own_end_, 1);
    end_list(number_);
  }

  template <bool near>
  HWY_INLINE void other_pair(std::int32_t b) {
    const SurfaceCluster& other = in_.clusters[b];
    const PlacedCluster& placed = in_.placed[b];
    count(other);
    float shift[3];
    Points16 points;
    const float farthest = load_shifted(*placed_, placed, shift, points);
    float largest = placed_->radius + placed.radius + farthest;
    Points16 end_points;
    if constexpr (step) {
      float end_shift[3];
      const float end_farthest = load_shifted(*placed_end_, in_.placed_end[b], end_shift, end_points);
      largest = std::max(largest, placed_end_->radius + in_.placed_end[b].radius + end_farthest);
    }
    if constexpr (!near) {
      const float margin = (reach_ + rounding * largest) * 1.00001F;
      const float low = slab_low_ - margin;
      const float high = slab_high_ + margin;
      if constexpr (step) {
        if (beyond_slab(placed_->normal, low, high, points, end_points)) return;
      } else {
        if (beyond_slab(placed_->normal, low, high, points)) return;
        Points16 own;
        load(*placed_, own);
        const float offset = placed.normal[0] * shift[0] + placed.normal[1] * shift[1] + placed.normal[2] * shift[2];
        if (beyond_slab(placed.normal, placed.slab_low + offset - margin, placed.slab_high + offset + margin, own))
          return;
      }
    }
    if (!prepared_ || largest > largest_ || (recording_ && !far_prepared_))
      prepare(std::max(2 * largest, 8 * (radius_ + farthest_reach())));
    SweptBytes bytes;
    project_swept(points, end_points, bytes);
    Joined joined_low;
    Joined joined_high;
    Joined low;
    Joined high;
    join_swept(bytes, joined_low, joined_high, low, high);
    const B64 d;
    alignas(64) std::uint8_t hull_low[64];
    alignas(64) std::uint8_t hull_high[64];
    std::uint64_t own_inside = 0;    // vertices of A in the grown hull of the other, a bit a byte
    std::uint64_t other_inside = 0;  // the other way round
    for (std::size_t p = 0; p < wide_parts; ++p) {
      const auto zero = hn::Zero(d);
      if constexpr (!near) {
        const auto apart = hn::Or(hn::SaturatedSub(low.part[p], hull_high_.part[p]),
                                  hn::SaturatedSub(hull_low_.part[p], high.part[p]));
        if (!hn::AllTrue(d, hn::Eq(apart, zero))) {
          begin_list();
          end_list(b);
          return;
        }
      }
      const auto grown_low = hn::SaturatedSub(low.part[p], joined_grow_.part[p]);
      const auto grown_high = hn::SaturatedAdd(high.part[p], joined_grow_.part[p]);
      hn::Store(grown_low, d, hull_low + p * wide_bytes);
      hn::Store(grown_high, d, hull_high + p * wide_bytes);
      const auto own_outside = hn::Or(hn::SaturatedSub(own_joined_low_.part[p], grown_high),
                                      hn::SaturatedSub(grown_low, own_joined_high_.part[p]));
      const auto other_outside = hn::Or(hn::SaturatedSub(joined_low.part[p], hull_high_.part[p]),
                                        hn::SaturatedSub(hull_low_.part[p], joined_high.part[p]));
      own_inside |= wide_mask_bits(d, hn::Eq(own_outside, zero)) << (p * wide_bytes % 64);
      other_inside |= wide_mask_bits(d, hn::Eq(other_outside, zero)) << (p * wide_bytes % 64);
    }
    if constexpr (mode == SearchMode::triangles) {
      triangle_rows(bytes, other, false);
      return;
    }
    compare_ = !near && in_.hubs;
    begin_list();
    const auto in_all = [](std::uint64_t bits, std::uint32_t count) {
      bits &= bits >> 32;
      bits &= bits >> 16;
      return static_cast<std::uint32_t>(bits) & first_bits(count);
    };
    {
      // Edges of A that meet the hull of the other.
      const B32 e;
      std::uint32_t rows = 0;
      for (std::size_t p = 0; p < edge_parts; ++p) {
        auto outside = hn::Zero(e);
        for (std::size_t k = 0; k < directions; ++k) {
          outside = hn::Or(outside, hn::SaturatedSub(hn::Set(e, hull_low[16 * k]), own_edges_.high[k][p]));
          outside = hn::Or(outside, hn::SaturatedSub(own_edges_.low[k][p], hn::Set(e, hull_high[16 * k])));
        }
        rows |= mask_bits(e, hn::Eq(outside, hn::Zero(e))) << (p * edge_part);
      }
      rows &= first_bits(cluster_->edge_count);
      if (rows != 0) {
        EdgeBytes edges;
        bound_edges<step>(other, bytes, edges);
        edge_rows<near>(rows, edges, other, false);
        measure_edges(other, points, end_points);
      }
    }
    const std::uint32_t own_vertices = in_all(own_inside, cluster_->owned_vertex_count);
    if (own_vertices != 0) {
      TriangleBytes triangles;
      bound_triangles<step>(other, bytes, grow_, triangles);
      vertex_rows<near>(*cluster_, own_bytes_, own_vertices, other, triangles, triangles_at_);
      measure_vertices(*cluster_, own_, own_end_, other, points, end_points, 1);
    }
    const std::uint32_t other_vertices = in_all(other_inside, other.owned_vertex_count);
    if (other_vertices != 0) {
      vertex_rows<near>(other, bytes, other_vertices, *cluster_, own_triangles_, own_triangles_at_);
      measure_vertices(other, points, end_points, *cluster_, own_, own_end_, 2);
    }
    end_list(b);
  }

  /// True: what is near in the pair of A and another cluster is known, and was measured.
  bool look_up_kept(std::int32_t b) {
    recording_ = false;
    if (const KeptPair* pair = kept_.find(b)) {
      measure_kept(b, *pair);
      return true;
    }
    recording_ = kept_.lasts(b);
    return false;
  }

  HWY_NOINLINE void measure_kept(std::int32_t b, const KeptPair& pair) {
    const std::size_t count[3] = {pair.count[0], pair.count[1], pair.count[2]};
    const std::size_t all = count[0] + count[1] + count[2];
    ++hits_.counts.cluster_pairs;
    ++hits_.counts.kept_pairs;
    hits_.counts.kept_features += all;
    hits_.counts.tests += all;
    kept_.keep(b, pair);
    if (all == 0) return;
    limits_.far = 0;
    compare_ = false;
    if (!loaded_) {
      load(*placed_, own_);
      loaded_ = true;
    }
    const SurfaceCluster& other = in_.clusters[b];
    Points16 points;
    Points16 end_points;
    float shift[3];
    float largest = placed_->radius + in_.placed[b].radius + load_shifted(*placed_, in_.placed[b], shift, points);
    if constexpr (step) {
      const float end_farthest = load_shifted(*placed_end_, in_.placed_end[b], shift, end_points);
      largest = std::max(largest, placed_end_->radius + in_.placed_end[b].radius + end_farthest);
    }
    if (largest > limits_for_) set_limits(2 * largest);
    list_ = kept_.candidates(pair);
    candidates_ = count[0];
    if (candidates_ > 0) measure_edges(other, points, end_points);
    list_ += count[0];
    candidates_ = count[1];
    if (candidates_ > 0) measure_vertices(*cluster_, own_, own_end_, other, points, end_points, 1);
    list_ += count[1];
    candidates_ = count[2];
    if (candidates_ > 0) measure_vertices(other, points, end_points, *cluster_, own_, own_end_, 2);
    list_ = candidate_;
  }

  /// A list of the pair at hand, if it is recorded.
  void begin_list() {
    limits_.far = recording_ ? far_limit_ : 0;
    if (recording_) kept_.open();
  }
  void record(const Verdicts& verdicts, std::size_t at, std::size_t kind) {
    const std::uint32_t lanes = first_bits(static_cast<std::uint32_t>(std::min(candidates_ - at, float_lanes)));
    kept_.add(list_ + at, ~verdicts.far & lanes, kind);
  }
  void end_list(std::int32_t b) {
    if (recording_) kept_.close(b);
  }

  /// Appends the columns whose bits are set, each with the row. Without a branch on any of them: barely one could be
  /// predicted.
  template <std::size_t parts = cluster_edge_lanes / float_lanes>
  HWY_INLINE std::size_t add_row(std::uint32_t row, std::uint32_t bits, const hn::Vec<U>* columns_of, std::size_t n) {
    const U u;
    if constexpr (float_lanes < cluster_lanes) {
      // Where there is no instruction for it, packing costs more than the branches do.
      alignas(64) std::uint32_t words[parts * float_lanes];
      for (std::size_t p = 0; p < parts; ++p) hn::Store(columns_of[p], u, words + p * float_lanes);
      for (; bits != 0; bits &= bits - 1) candidate_[n++] = row | words[std::countr_zero(bits)];
      return n;
    }
    const auto all = hn::Set(u, row);
    for (std::size_t p = 0; p < parts; ++p) {
      const std::uint32_t here = bits >> (p * float_lanes) & first_bits(float_lanes);
      alignas(8) std::uint8_t bytes[8] = {};
      std::memcpy(bytes, &here, sizeof here);
      const auto kept = hn::Compress(hn::Or(columns_of[p], all), hn::LoadMaskBits(u, bytes));
      hn::StoreU(kept, u, candidate_ + n);
      n += static_cast<std::size_t>(std::popcount(here));
    }
    return n;
  }

  /// Candidates among edges of A, those in `rows`, and edges of the other; within A, each pair once.
  template <bool near>
  HWY_INLINE void edge_rows(std::uint32_t rows, const EdgeBytes& edges, const SurfaceCluster& other, bool same) {
    const B32 d;
    const std::uint32_t columns = first_bits(other.edge_count);
    std::size_t n = 0;
    hn::Vec<U> columns_of[cluster_edge_lanes / float_lanes];
    for (std::size_t p = 0; p < cluster_edge_lanes / float_lanes; ++p) {
      const U u;
      const hn::Rebind<std::uint8_t, U> u8;
      const auto ends = hn::Or(hn::ShiftLeft<8>(hn::PromoteTo(u, hn::LoadU(u8, other.edge_from + p * float_lanes))),
                               hn::ShiftLeft<12>(hn::PromoteTo(u, hn::LoadU(u8, other.edge_to + p * float_lanes))));
      columns_of[p] = hn::Or(ends, hn::ShiftLeft<24>(hn::Iota(u, static_cast<std::uint32_t>(p * float_lanes))));
    }
    for (; rows != 0; rows &= rows - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rows));
      std::uint32_t bits = 0;
      for (std::size_t p = 0; p < edge_parts; ++p) {
        auto outside = hn::Or(hn::SaturatedSub(hn::Set(d, row_low_[0][i]), edges.high[0][p]),
                              hn::SaturatedSub(edges.low[0][p], hn::Set(d, row_high_[0][i])));
        for (std::size_t k = 1; k < directions; ++k) {
          outside = hn::Or(outside, hn::SaturatedSub(hn::Set(d, row_low_[k][i]), edges.high[k][p]));
          outside = hn::Or(outside, hn::SaturatedSub(edges.low[k][p], hn::Set(d, row_high_[k][i])));
        }
        bits |= mask_bits(d, hn::Eq(outside, hn::Zero(d))) << (p * edge_part);
      }
      bits &= columns;
      if (same) bits &= ~1U << i;
      const std::uint32_t from = cluster_->edge_from[i];
      const std::uint32_t to = cluster_->edge_to[i];
      if constexpr (near) {
        const std::uint32_t adjacent = edges_at_[from] | edges_at_[to];
        hits_.counts.adjacent += static_cast<std::uint64_t>(std::popcount(bits & adjacent));
        bits &= ~adjacent;
      }
      if (near && bits == 0) continue;
      n = add_row(from | to << 4U | static_cast<std::uint32_t>(i) << 16U, bits, columns_of, n);
    }
    candidates_ = n;
  }

  /// Candidates among owned vertices of one cluster and triangles of another, whose bounds are grown.
  template <bool near>
  HWY_INLINE void vertex_rows(const SurfaceCluster& from, const SweptBytes& bytes, std::uint32_t vertices,
                              const SurfaceCluster& face, const TriangleBytes& triangles,
                              const std::uint32_t* adjacent_at) {
    const B64 d;
    constexpr std::size_t at_once = wide_bytes / 16;
    hn::Vec<B64> table[directions];
    hn::Vec<B64> high_table[directions];
    hn::Vec<B64> low[directions];
    hn::Vec<B64> width[directions];
    for (std::size_t k = 0; k < directions; ++k) {
      table[k] = spread16(d, bytes.low.along[k]);
      if constexpr (step) high_table[k] = spread16(d, bytes.high.along[k]);
      low[k] = hn::LoadDup128(d, triangles.low[k]);
      width[k] = hn::LoadDup128(d, triangles.width[k]);
    }
    const auto number = hn::Load(d, block_number);
    hn::Vec<U> faces_of[float_parts];
    for (std::size_t p = 0; p < float_parts; ++p) {
      const U u;
      const hn::Rebind<std::uint8_t, U> u8;
      const auto corner = [&](std::size_t k) {
        return hn::PromoteTo(u, hn::LoadU(u8, face.corner[k] + p * float_lanes));
      };
      faces_of[p] = hn::Or(hn::Or(hn::ShiftLeft<4>(corner(0)), hn::ShiftLeft<8>(corner(1))),
                           hn::Or(hn::ShiftLeft<12>(corner(2)),
                                  hn::ShiftLeft<24>(hn::Iota(u, static_cast<std::uint32_t>(p * float_lanes)))));
    }
    const std::uint64_t all = first_bits(face.triangle_count) * 0x0001000100010001ULL;
    std::size_t n = 0;
    for (std::size_t i = 0; i < from.owned_vertex_count; i += at_once) {
      const std::uint32_t here = vertices >> i & first_bits(at_once);
      if (here == 0) continue;
      const auto vertex = hn::Add(number, hn::Set(d, static_cast<std::uint8_t>(i)));
      auto outside = hn::Zero(d);
      for (std::size_t k = 0; k < directions; ++k) {
        const auto lowest = hn::TableLookupBytes(table[k], vertex);
        if constexpr (step) {
          const auto highest = hn::TableLookupBytes(high_table[k], vertex);
          outside = hn::Or(outside, hn::SaturatedSub(low[k], highest));
          outside = hn::Or(outside, hn::SaturatedSub(lowest, hn::Add(low[k], width[k])));
        } else {
          outside = hn::Or(outside, hn::SaturatedSub(hn::Sub(lowest, low[k]), width[k]));
        }
      }
      std::uint64_t bits = wide_mask_bits(d, hn::Eq(outside, hn::Zero(d))) & all;
      std::uint64_t adjacent = 0;
      std::uint64_t wanted = 0;
      for (std::size_t v = 0; v < at_once; ++v) {
        if ((here >> v & 1U) != 0) wanted |= std::uint64_t{0xffff} << (16 * v);
        if constexpr (near) adjacent |= std::uint64_t{adjacent_at[i + v]} << (16 * v);
      }
      bits &= wanted;
      if constexpr (near) {
        hits_.counts.adjacent += static_cast<std::uint64_t>(std::popcount(bits & adjacent));
        bits &= ~adjacent;
      }
      if (bits == 0) continue;
      for (std::size_t v = 0; v < at_once; ++v) {
        const auto vertex_number = static_cast<std::uint32_t>(i + v);
        n = add_row<float_parts>(vertex_number | vertex_number << 16U,
                                 static_cast<std::uint32_t>(bits >> (16 * v)) & 0xffffU, faces_of, n);
      }
    }
    candidates_ = n;
  }

  /// Pairs of triangles, those of A grown, whose bounds overlap; within A, each once.
  HWY_INLINE void triangle_rows(const SweptBytes& bytes, const SurfaceCluster& other, bool same) {
    const B64 d;
    const B16 b16;
    constexpr std::size_t at_once = wide_bytes / 16;
    const auto c0 = hn::Load(b16, other.corner[0]);
    const auto c1 = hn::Load(b16, other.corner[1]);
    const auto c2 = hn::Load(b16, other.corner[2]);
    hn::Vec<B64> low[directions];
    hn::Vec<B64> high[directions];
    hn::Vec<B64> own_low[directions];
    hn::Vec<B64> own_width[directions];
    for (std::size_t k = 0; k < directions; ++k) {
      const auto a = hn::TableLookupBytes(bytes.low.along[k], c0);
      const auto b = hn::TableLookupBytes(bytes.low.along[k], c1);
      const auto c = hn::TableLookupBytes(bytes.low.along[k], c2);
      low[k] = spread16(d, hn::Min(hn::Min(a, b), c));
      high[k] = spread16(d, hn::Max(hn::Max(a, b), c));
      own_low[k] = hn::LoadDup128(d, own_triangles_.low[k]);
      own_width[k] = hn::LoadDup128(d, own_triangles_.width[k]);
    }
    const auto number = hn::Load(d, block_number);
    const std::uint64_t all = first_bits(other.triangle_count) * 0x0001000100010001ULL;
    for (std::size_t i = 0; i < cluster_->triangle_count; i += at_once) {
      const auto row = hn::Add(number, hn::Set(d, static_cast<std::uint8_t>(i)));
      auto outside = hn::Zero(d);
      for (std::size_t k = 0; k < directions; ++k) {
        const auto lowest = hn::TableLookupBytes(own_low[k], row);
        const auto highest = hn::Add(lowest, hn::TableLookupBytes(own_width[k], row));
        outside = hn::Or(outside, hn::Or(hn::SaturatedSub(low[k], highest), hn::SaturatedSub(lowest, high[k])));
      }
      const std::uint64_t bits = wide_mask_bits(d, hn::Eq(outside, hn::Zero(d))) & all;
      if (bits == 0) continue;
      for (std::size_t r = 0; r < at_once && i + r < cluster_->triangle_count; ++r) {
        std::uint32_t here = static_cast<std::uint32_t>(bits >> (16 * r)) & 0xffffU;
        if (same) here &= ~1U << (i + r);
        add_triangles(static_cast<std::uint32_t>(cluster_->triangles[i + r]), other.triangles, here);
      }
    }
  }

  HWY_INLINE void add_triangles(std::uint32_t own, const std::int32_t* others, std::uint32_t bits) {
    PairList& out = hits_.triangles;
    out.reserve_more(cluster_lanes);
    hits_.counts.measured += static_cast<std::uint64_t>(std::popcount(bits));
    if constexpr (float_lanes == cluster_lanes) {
      const U u;
      alignas(8) std::uint8_t mask_bytes[8] = {};
      std::memcpy(mask_bytes, &bits, sizeof bits);
      const auto mask = hn::LoadMaskBits(u, mask_bytes);
      const auto a = hn::Set(u, own);
      const auto b = hn::BitCast(u, hn::Load(I(), others));
      hn::StoreInterleaved2(hn::Compress(hn::Min(a, b), mask), hn::Compress(hn::Max(a, b), mask), u,
                            reinterpret_cast<std::uint32_t*>(out.data + out.size));
      out.size += static_cast<std::size_t>(std::popcount(bits));
    } else {
      for (; bits != 0; bits &= bits - 1) {
        const auto other = static_cast<std::uint32_t>(others[std::countr_zero(bits)]);
        out.data[out.size++] = static_cast<std::uint64_t>(std::max(own, other)) << 32U | std::min(own, other);
      }
    }
  }

  HWY_INLINE hn::Vec<I> places(std::size_t at, int which) const {
    const I i;
    const U u;
    auto words = hn::LoadU(u, list_ + at);
    if (which == 1) words = hn::ShiftRight<4>(words);
    if (which == 2) words = hn::ShiftRight<8>(words);
    if (which == 3) words = hn::ShiftRight<12>(words);
    return hn::BitCast(i, hn::And(words, hn::Set(u, 15U)));
  }

  HWY_INLINE void measure_edges(const SurfaceCluster& other, const Points16& points, const Points16& end_points) {
    if (HWY_UNLIKELY(compare_)) drop_adjacent<2>(cluster_->vertices, other.vertices);
    hits_.counts.measured += candidates_;
    for (std::size_t c = 0; c < candidates_; c += float_lanes) {
      const auto i = places(c, 0);
      const auto j = places(c, 1);
      const auto k = places(c, 2);
      const auto l = places(c, 3);
      const Wide a0 = look_up(own_, i);
      const Wide da = minus(look_up(own_, j), a0);
      const Wide b0 = minus(look_up(points, k), a0);
      const Wide b1 = minus(look_up(points, l), a0);
      Verdicts verdicts;
      if constexpr (step) {
        const Wide u = between_edges(da, b0, b1);
        const Wide a0_end = look_up(own_end_, i);
        const Float end = gap_of_edges(minus(look_up(own_end_, j), a0_end), minus(look_up(end_points, k), a0_end),
                                       minus(look_up(end_points, l), a0_end), u);
        verdicts = judge_step(gap_of_edges(da, b0, b1, u), end, u, limits_);
      } else {
        verdicts = judge_edges(da, b0, b1, limits_);
      }
      keep(verdicts, c, cluster_->edges, other.edges, true, hits_.edge_edge, hits_.unsure_edge_edge,
           hits_.later_edge_edge);
      if (recording_) record(verdicts, c, 0);
    }
  }

  HWY_INLINE void measure_vertices(const SurfaceCluster& from, const Points16& vertices, const Points16& end_vertices,
                                   const SurfaceCluster& face, const Points16& corners, const Points16& end_corners,
                                   std::size_t kind) {
    if (HWY_UNLIKELY(compare_)) drop_adjacent<1>(from.vertices, face.vertices);
    hits_.counts.measured += candidates_;
    for (std::size_t c = 0; c < candidates_; c += float_lanes) {
      const auto i = places(c, 0);
      const auto j = places(c, 1);
      const auto k = places(c, 2);
      const auto l = places(c, 3);
      const Wide v = look_up(vertices, i);
      const Wide a = minus(look_up(corners, j), v);
      const Wide b = minus(look_up(corners, k), v);
      const Wide e = minus(look_up(corners, l), v);
      Verdicts verdicts;
      if constexpr (step) {
        const Wide u = to_triangle(a, b, e);
        const Wide v_end = look_up(end_vertices, i);
        const Float end = gap_to_triangle(minus(look_up(end_corners, j), v_end), minus(look_up(end_corners, k), v_end),
                                          minus(look_up(end_corners, l), v_end), u);
        verdicts = judge_step(gap_to_triangle(a, b, e, u), end, u, limits_);
      } else {
        verdicts = judge_triangle(a, b, e, limits_);
      }
      keep(verdicts, c, from.vertices, face.triangles, false, hits_.vertex_triangle, hits_.unsure_vertex_triangle,
           hits_.later_vertex_triangle);
      if (recording_) record(verdicts, c, kind);
    }
  }

  /// Where clusters may have vertices in common that no list of neighbors knows of: takes features with a common vertex
  /// from the candidates. The first `of_first` places of a candidate are of the first feature.
  template <std::size_t of_first>
  HWY_NOINLINE void drop_adjacent(const std::int32_t* first, const std::int32_t* second) {
    std::size_t kept = 0;
    for (std::size_t n = 0; n < candidates_; ++n) {
      const std::uint32_t pair = candidate_[n];
      bool common = false;
      for (std::size_t i = 0; i < of_first; ++i)
        for (std::size_t j = of_first; j < 4; ++j)
          common = common || first[pair >> 4 * i & 15U] == second[pair >> 4 * j & 15U];
      candidate_[kept] = pair;
      kept += common ? 0 : 1;
    }
    hits_.counts.adjacent += candidates_ - kept;
    candidates_ = kept;
  }

  /// Numbers of the features that are within reach, of those that may be, and of those that may be later in a step.
  HWY_INLINE void keep(const Verdicts& verdicts, std::size_t at, const std::int32_t* first, const std::int32_t* second,
                       bool order, PairList& within, PairList& unsure, PairList& later) const {
    const std::uint32_t lanes = first_bits(static_cast<std::uint32_t>(std::min(candidates_ - at, float_lanes)));
    const auto add = [&](std::uint32_t bits, PairList& out) {
      out.reserve_more(float_lanes);
      for (; bits != 0; bits &= bits - 1) {
        const std::uint32_t pair = list_[at + static_cast<std::size_t>(std::countr_zero(bits))];
        const auto a = static_cast<std::uint32_t>(first[pair >> 16U & 255U]);
        const auto b = static_cast<std::uint32_t>(second[pair >> 24U]);
        out.data[out.size++] = order ? static_cast<std::uint64_t>(std::min(a, b)) << 32U | std::max(a, b)
                                     : static_cast<std::uint64_t>(a) << 32U | b;
      }
    };
    if ((verdicts.within & lanes) != 0) add(verdicts.within & lanes, within);
    if ((verdicts.unsure & lanes) != 0) add(verdicts.unsure & lanes, unsure);
    if constexpr (step) {
      if ((verdicts.later & lanes) != 0) add(verdicts.later & lanes, later);
    }
  }

  const SearchIn& in_;
  SearchHits& hits_;

  // Cluster A.
  std::int32_t number_ = 0;
  const SurfaceCluster* cluster_ = nullptr;
  const PlacedCluster* placed_ = nullptr;
  const PlacedCluster* placed_end_ = nullptr;
  float reach_ = -1;
  bool prepared_ = false;
  bool loaded_ = false;  ///< vertices of A
  float limits_for_ = -1;
  float radius_ = 0;  ///< largest coordinate
  float slab_low_ = 0;
  float slab_high_ = 0;
  float largest_ = 0;
  Limits limits_{};
  Points16 own_;
  Points16 own_end_;                ///< of a step
  float direction_[directions][4];  ///< in steps, and offset
  std::uint8_t grow_[directions];   ///< steps that the reach takes
  SweptBytes own_bytes_;
  EdgeBytes own_edges_;
  TriangleBytes own_triangles_;                                       ///< grown
  alignas(64) std::uint8_t row_low_[directions][cluster_edge_lanes];  ///< grown edges
  alignas(64) std::uint8_t row_high_[directions][cluster_edge_lanes];
  Joined joined_grow_, own_joined_low_, own_joined_high_;
  Joined hull_low_, hull_high_;  ///< grown

  KeptPairs kept_;
  bool recording_ = false;     ///< the pair at hand
  bool far_prepared_ = false;  ///< bounds are good for lists
  float far_limit_ = 0;        ///< beyond what lists reach, squared

  // The pair at hand.
  std::uint32_t edges_at_[cluster_lanes];          ///< of the other, at vertices of A
  std::uint32_t triangles_at_[cluster_lanes];      ///< of the other, at vertices of A
  std::uint32_t own_triangles_at_[cluster_lanes];  ///< of A, at vertices of the other
  bool compare_ = false;                           ///< vertices by number
  std::size_t candidates_ = 0;
  const std::uint32_t* list_ = candidate_;  ///< of candidates: found, or kept
  /// From the lowest bit: four places of vertices, four bits each; the numbers of both features, eight bits each.
  alignas(64) std::uint32_t candidate_[cluster_edge_lanes * cluster_edge_lanes + 2 * cluster_lanes];
};

#endif  // HWY_SCALAR

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
