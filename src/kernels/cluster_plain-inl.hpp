// Pairs of features of two clusters without vectors. Included once for each target, so there is no ordinary include
// guard.
#if defined(CAROM_KERNELS_CLUSTER_PLAIN_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CAROM_KERNELS_CLUSTER_PLAIN_INL_HPP
#undef CAROM_KERNELS_CLUSTER_PLAIN_INL_HPP
#else
#define CAROM_KERNELS_CLUSTER_PLAIN_INL_HPP
#endif

#include <algorithm>
#include <cmath>

#include "kernels/cluster_vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

/// All pairs of one cluster, A, with others, by their boxes and one by one: for machines without vectors, and as the
/// plain form of what is done below.
template <SearchMode mode>
class ClusterPairSearch {
  static constexpr bool step = mode == SearchMode::step;

 public:
  ClusterPairSearch(const SearchIn& in, SearchHits& hits) : in_(in), hits_(hits) {}

  void begin(std::int32_t a) { number_ = a; }
  void end() {}  // nothing is kept
  /// Of the pairs of A that come next.
  void set_reach(float reach) { reach_ = reach; }

  void near_pair(const ClusterNeighbor& neighbor) { pair(neighbor.cluster, &neighbor); }
  void far_pair(std::int32_t b) { pair(b, nullptr); }

 private:
  struct Box {
    float low[3], high[3];
  };

  /// A cluster, with its origin from that of A.
  struct Side {
    const PlacedCluster* start;
    const PlacedCluster* end;  ///< of the step; null without
    float shift[3];
    float end_shift[3];
  };

  static Box box_of(const Side& side, const std::uint8_t* places, std::size_t count) {
    Box box = box_of(*side.start, side.shift, places, count);
    if constexpr (step) {
      const Box end = box_of(*side.end, side.end_shift, places, count);
      for (std::size_t k = 0; k < 3; ++k) {
        box.low[k] = std::min(box.low[k], end.low[k]);
        box.high[k] = std::max(box.high[k], end.high[k]);
      }
    }
    return box;
  }
  static Box box_of(const PlacedCluster& placed, const float* shift, const std::uint8_t* places, std::size_t count) {
    Box box;
    const float* rows[3] = {placed.x, placed.y, placed.z};
    for (std::size_t k = 0; k < 3; ++k) {
      box.low[k] = box.high[k] = rows[k][places[0]] + shift[k];
      for (std::size_t i = 1; i < count; ++i) {
        box.low[k] = std::min(box.low[k], rows[k][places[i]] + shift[k]);
        box.high[k] = std::max(box.high[k], rows[k][places[i]] + shift[k]);
      }
    }
    return box;
  }
  static bool apart(const Box& a, const Box& b, float margin) {
    for (std::size_t k = 0; k < 3; ++k)
      if (a.low[k] > b.high[k] + margin || b.low[k] > a.high[k] + margin) return true;
    return false;
  }

  void pair(std::int32_t b, const ClusterNeighbor* neighbor) {
    const SurfaceCluster& own = in_.clusters[number_];
    const SurfaceCluster& other = in_.clusters[b];
    Side own_side{in_.placed + number_, nullptr, {0, 0, 0}, {0, 0, 0}};
    Side side{in_.placed + b, nullptr, {0, 0, 0}, {0, 0, 0}};
    float largest = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      side.shift[k] = static_cast<float>(side.start->origin[k] - own_side.start->origin[k]);
      largest = std::max(largest, std::abs(side.shift[k]));
    }
    float radius = own_side.start->radius + side.start->radius;
    if constexpr (step) {
      own_side.end = in_.placed_end + number_;
      side.end = in_.placed_end + b;
      for (std::size_t k = 0; k < 3; ++k) {
        side.end_shift[k] = static_cast<float>(side.end->origin[k] - own_side.end->origin[k]);
        largest = std::max(largest, std::abs(side.end_shift[k]));
      }
      radius = std::max(radius, own_side.end->radius + side.end->radius);
    }
    const float margin = (reach_ + rounding * (largest + radius)) * 1.00001F;
    const bool same = b == number_;
    ++hits_.counts.cluster_pairs;
    if constexpr (mode == SearchMode::triangles) {
      triangles(own, own_side, other, side, margin, same);
      return;
    }
    const bool compare = in_.hubs && neighbor == nullptr;
    for (std::size_t i = 0; i < own.edge_count; ++i) {
      const std::uint8_t ends[2] = {own.edge_from[i], own.edge_to[i]};
      const Box box = box_of(own_side, ends, 2);
      for (std::size_t j = same ? i + 1 : 0; j < other.edge_count; ++j) {
        const std::uint8_t others[2] = {other.edge_from[j], other.edge_to[j]};
        ++hits_.counts.tests;
        if (apart(box, box_of(side, others, 2), margin)) continue;
        if ((neighbor != nullptr && share(neighbor->place, ends, 2, others, 2)) ||
            (compare && share(own, ends, 2, other, others, 2))) {
          ++hits_.counts.adjacent;
          continue;
        }
        const auto e = static_cast<std::uint32_t>(own.edges[i]);
        const auto f = static_cast<std::uint32_t>(other.edges[j]);
        add(hits_.unsure_edge_edge, std::min(e, f), std::max(e, f));
      }
    }
    const auto faces = [&](const SurfaceCluster& from, const Side& from_side, const SurfaceCluster& face,
                           const Side& face_side, const std::uint8_t* place) {
      for (std::size_t t = 0; t < face.triangle_count; ++t) {
        const std::uint8_t corners[3] = {face.corner[0][t], face.corner[1][t], face.corner[2][t]};
        const Box box = box_of(face_side, corners, 3);
        for (std::size_t v = 0; v < from.owned_vertex_count; ++v) {
          const std::uint8_t vertex[1] = {static_cast<std::uint8_t>(v)};
          ++hits_.counts.tests;
          if (apart(box_of(from_side, vertex, 1), box, margin)) continue;
          if ((place != nullptr && share(place, vertex, 1, corners, 3)) ||
              (compare && share(from, vertex, 1, face, corners, 3))) {
            ++hits_.counts.adjacent;
            continue;
          }
          add(hits_.unsure_vertex_triangle, static_cast<std::uint32_t>(from.vertices[v]),
              static_cast<std::uint32_t>(face.triangles[t]));
        }
      }
    };
    faces(own, own_side, other, side, neighbor == nullptr ? nullptr : neighbor->place);
    if (!same) faces(other, side, own, own_side, neighbor == nullptr ? nullptr : neighbor->reverse);
  }

  void triangles(const SurfaceCluster& own, const Side& own_side, const SurfaceCluster& other, const Side& side,
                 float margin, bool same) {
    for (std::size_t s = 0; s < own.triangle_count; ++s) {
      const std::uint8_t corners[3] = {own.corner[0][s], own.corner[1][s], own.corner[2][s]};
      const Box box = box_of(own_side, corners, 3);
      for (std::size_t t = same ? s + 1 : 0; t < other.triangle_count; ++t) {
        const std::uint8_t others[3] = {other.corner[0][t], other.corner[1][t], other.corner[2][t]};
        ++hits_.counts.tests;
        if (apart(box, box_of(side, others, 3), margin)) continue;
        const auto a = static_cast<std::uint32_t>(own.triangles[s]);
        const auto b = static_cast<std::uint32_t>(other.triangles[t]);
        add(hits_.triangles, std::max(a, b), std::min(a, b));
      }
    }
  }

  static bool share(const std::uint8_t* place, const std::uint8_t* a, std::size_t a_count, const std::uint8_t* b,
                    std::size_t b_count) {
    for (std::size_t i = 0; i < a_count; ++i)
      for (std::size_t j = 0; j < b_count; ++j)
        if (place[a[i]] == b[j]) return true;
    return false;
  }
  /// The same of clusters that are not listed as neighbors.
  static bool share(const SurfaceCluster& from, const std::uint8_t* a, std::size_t a_count, const SurfaceCluster& to,
                    const std::uint8_t* b, std::size_t b_count) {
    for (std::size_t i = 0; i < a_count; ++i)
      for (std::size_t j = 0; j < b_count; ++j)
        if (from.vertices[a[i]] == to.vertices[b[j]]) return true;
    return false;
  }

  void add(PairList& list, std::uint32_t first, std::uint32_t second) {
    ++hits_.counts.measured;
    list.reserve_more(1);
    list.data[list.size++] = static_cast<std::uint64_t>(first) << 32U | second;
  }

  const SearchIn& in_;
  SearchHits& hits_;
  std::int32_t number_ = 0;
  float reach_ = 0;
};

#endif  // HWY_SCALAR

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
