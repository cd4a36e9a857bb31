// What is kept of pairs of clusters from call to call. Included once for each target, so there is no ordinary include
// guard.
#if defined(CAROM_KERNELS_CLUSTER_KEPT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CAROM_KERNELS_CLUSTER_KEPT_INL_HPP
#undef CAROM_KERNELS_CLUSTER_KEPT_INL_HPP
#else
#define CAROM_KERNELS_CLUSTER_KEPT_INL_HPP
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "hwy/highway.h"
#include "kernels/cluster_search.hpp"

HWY_BEFORE_NAMESPACE();
namespace carom::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Lists of one cluster, A, with others. A list holds every pair of features that was closer than reach and a slack
/// when it was made. While the two clusters have moved against each other by less than the slack since then, every pair
/// within reach is in it, and no pair of the two is searched.
class KeptPairs {
 public:
  KeptPairs(const SearchIn& in, SearchHits& hits) : in_(in), hits_(hits), store_(hits.kept) {}

  bool active() const { return in_.motions != nullptr; }
  /// Of the pairs that come next.
  void set_reach(float reach) {
    reach_ = reach;
    slack_ = -1;
  }
  /// Features of a smooth surface that share no vertex begin at about one altitude of its triangles: a list that
  /// reaches farther fills up with them.
  float slack() {
    constexpr float max_altitude = 0.7F;
    if (slack_ < 0) slack_ = std::max(max_altitude * altitude() - reach_, 0.5F * reach_);
    return slack_;
  }

  void begin(std::int32_t a) {
    number_ = a;
    own_ = in_.motions + a;
    own_at_ = place_of(a);
    count_ = before_ = 0;
    const KeptPlace place = in_.kept_places[a];
    if (place.store != no_store) {
      from_ = in_.kept_before[place.store].data;
      before_ = from_[place.at];
      others_ = from_ + place.at + 1;
    }
    slack_ = -1;
  }

  /// The list of A and another cluster, if there is one and it still holds.
  const KeptPair* find(std::int32_t b) {
    const std::size_t place = place_among(b);
    if (place == before_) return nullptr;
    const ClusterMotion& other = in_.motions[b];
    const KeptPair& found = reinterpret_cast<const KeptPair*>(others_ + padded(before_))[place];
    if (found.call < own_->since || found.call < other.since) return nullptr;
    const double left = (found.limit - (own_->moved + other.moved)) * 0.999 - static_cast<double>(reach_);
    if (!(left > 0)) return nullptr;
    double apart[3];
    set_apart(b, apart);
    double end = 0;
    double start = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double gone = apart[k] - found.apart[k];
      const double before = gone - static_cast<double>(other.last[k] - own_->last[k]);
      end += gone * gone;
      start += before * before;
    }
    // Over a step, two middles are never farther from where they were than at its start or at its end.
    const double farthest = in_.placed_end == nullptr ? end : std::max(start, end);
    return farthest <= left * left ? &found : nullptr;
  }
  const std::uint32_t* candidates(const KeptPair& pair) const { return from_ + pair.first; }

  /// Whether a list of the two would last.
  bool lasts(std::int32_t b) {
    if (count_ == max_pairs) return false;
    const ClusterMotion& other = in_.motions[b];
    // In units, in which nothing is larger than the scene; infinite where nothing is known.
    const float alone = min_calls * (own_->last_moved + other.last_moved);
    if (!(alone < 1)) return false;
    const float x = other.last[0] - own_->last[0];
    const float y = other.last[1] - own_->last[1];
    const float z = other.last[2] - own_->last[2];
    const float beside = slack() - alone;
    return beside >= 0 && min_calls * min_calls * (x * x + y * y + z * z) <= beside * beside;
  }

  /// Keeps a list that still holds.
  void keep(std::int32_t b, const KeptPair& found) {
    if (count_ == max_pairs) return;
    const std::size_t size = std::size_t{found.count[0]} + found.count[1] + found.count[2];
    KeptPair& pair = pairs_[count_] = found;
    pair.first = static_cast<std::uint32_t>(store_.size);
    store_.reserve_more(size);
    if (size > 0) std::memcpy(store_.data + store_.size, from_ + found.first, size * sizeof(std::uint32_t));
    store_.size += size;
    others_now_[count_++] = b;
  }

  /// A new list, kind by kind.
  void open() {
    pairs_[count_] = {};
    pairs_[count_].first = static_cast<std::uint32_t>(store_.size);
  }
  /// Those of `words`, as many as a vector has, whose bits are set.
  void add(const std::uint32_t* words, std::uint32_t bits, std::size_t kind) {
    store_.reserve_more(32);
    pairs_[count_].count[kind] = static_cast<std::uint16_t>(pairs_[count_].count[kind] + std::popcount(bits));
    for (; bits != 0; bits &= bits - 1) store_.data[store_.size++] = words[std::countr_zero(bits)];
  }
  void close(std::int32_t b) {
    KeptPair& pair = pairs_[count_];
    set_apart(b, pair.apart);
    pair.limit = static_cast<double>(reach_) + static_cast<double>(slack_) + own_->moved + in_.motions[b].moved;
    pair.call = in_.call;
    others_now_[count_++] = b;
    ++hits_.counts.added_pairs;
  }

  /// Writes where all of A are.
  void end() {
    if (count_ == 0) return;
    const std::size_t words = count_ * (sizeof(KeptPair) / sizeof(std::uint32_t));
    store_.reserve_more(2 + padded(count_) + words + 2 * lanes);
    if (store_.size % 2 == 0) ++store_.size;  // so that doubles are aligned
    in_.kept_now[number_] = {hits_.kept_number, static_cast<std::uint32_t>(store_.size)};
    std::uint32_t* out = store_.data + store_.size;
    *out++ = static_cast<std::uint32_t>(count_);
    std::memcpy(out, others_now_, count_ * sizeof(std::uint32_t));
    std::fill(out + count_, out + padded(count_), ~std::uint32_t{0});
    out += padded(count_);
    std::memcpy(out, pairs_, count_ * sizeof(KeptPair));
    store_.size += 1 + padded(count_) + words;
  }

 private:
  static constexpr std::size_t max_pairs = 64;
  static constexpr std::size_t lanes = 16;
  /// That a list must last to be worth making.
  static constexpr float min_calls = 3;

  static std::size_t padded(std::size_t count) { return (count + lanes - 1) / lanes * lanes; }

  const PlacedCluster* place_of(std::int32_t cluster) const {
    return (in_.placed_end == nullptr ? in_.placed : in_.placed_end) + cluster;
  }

  void set_apart(std::int32_t b, double* apart) const {
    const PlacedCluster* other_at = place_of(b);
    const ClusterMotion& other = in_.motions[b];
    for (std::size_t k = 0; k < 3; ++k)
      apart[k] = (other_at->origin[k] - own_at_->origin[k]) + (other.drift[k] - own_->drift[k]);
  }

  /// `before_` if it is not there.
  std::size_t place_among(std::int32_t b) const {
    using Ids = hn::CappedTag<std::int32_t, lanes>;
    const Ids d;
    for (std::size_t i = 0; i < before_; i += hn::MaxLanes(d)) {
      const auto found = hn::Eq(hn::LoadU(d, reinterpret_cast<const std::int32_t*>(others_ + i)), hn::Set(d, b));
      const std::intptr_t lane = hn::FindFirstTrue(d, found);
      if (lane >= 0) return i + static_cast<std::size_t>(lane);
    }
    return before_;
  }

  /// The smallest of the triangle in the middle of A.
  float altitude() const {
    const PlacedCluster& placed = in_.placed[number_];
    const std::uint8_t* c = in_.clusters[number_].middle;
    float side[3][3];
    float longest = 1e-30F;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint8_t from = c[k];
      const std::uint8_t to = c[k == 2 ? 0 : k + 1];
      side[k][0] = placed.x[to] - placed.x[from];
      side[k][1] = placed.y[to] - placed.y[from];
      side[k][2] = placed.z[to] - placed.z[from];
      longest = std::max(longest, side[k][0] * side[k][0] + side[k][1] * side[k][1] + side[k][2] * side[k][2]);
    }
    const float* u = side[0];
    const float* v = side[1];
    const float n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    return std::sqrt((n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / longest);
  }

  const SearchIn& in_;
  SearchHits& hits_;
  KeptStore& store_;
  std::int32_t number_ = 0;
  const ClusterMotion* own_ = nullptr;
  const PlacedCluster* own_at_ = nullptr;
  const std::uint32_t* from_ = nullptr;    ///< store of the call before
  const std::uint32_t* others_ = nullptr;  ///< in it
  std::size_t before_ = 0;                 ///< lists there
  float reach_ = 0;
  float slack_ = 0;  ///< negative: not asked for yet
  std::size_t count_ = 0;
  std::int32_t others_now_[max_pairs];
  KeptPair pairs_[max_pairs];
};

}  // namespace carom::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
