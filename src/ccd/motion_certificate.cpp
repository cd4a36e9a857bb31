#include "ccd/motion_certificate.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "ccd/own_motion.hpp"
#include "ccd/path_boxes.hpp"
#include "core/at.hpp"
#include "core/parallel.hpp"
#include "mesh/surface_clusters.hpp"
#include "narrow/proximity.hpp"

namespace carom::ccd {
namespace {

using Eigen::Vector3d;
using kernels::SurfaceCluster;
using ClusterMotion = CertificateScratch::Motion;
using Chunk = CertificateScratch::Chunk;

/// Fraction of a sum of three products that its rounding is less than.
constexpr double plane_rounding = 1e-14;
/// Fraction of the distance of a pair that its sides may move against each other: less than all of it, for what the
/// distance was rounded by.
constexpr double move_fraction = 0.99;
constexpr std::size_t pair_grain = 1024;
constexpr std::size_t move_grain = 4096;
constexpr std::size_t cluster_grain = 64;
constexpr std::size_t block_grain = 8;
constexpr std::size_t block_pair_grain = 64;
/// Of `CertificateIn::near`: how near clusters of one object count for `self_motion`.
constexpr double self_near = 0.5;

Vector3d position(std::span<const Vector3d> list, Index v) {
  return list[static_cast<std::size_t>(v)];
}

/// n.(b - a) > 0, certainly.
bool apart_along(const Vector3d& n, const Vector3d& a, const Vector3d& b) {
  const Vector3d d = b - a;
  return n.dot(d) > plane_rounding * (std::abs(n.x() * d.x()) + std::abs(n.y() * d.y()) + std::abs(n.z() * d.z()));
}

Vector3d normal_of(const CertificateIn& in, const contact::NearPair& pair) {
  const auto [a, b, c, d] = pair.vertices;
  if (pair.kind == ContactKind::edge_edge) return narrow::edge_edge(in.start, {a, b}, {c, d}).normal;
  return narrow::vertex_face(in.start, a, none, {b, c, d}).normal;
}

bool plane_holds(const CertificateIn& in, const contact::NearPair& pair) {
  const Vector3d normal = normal_of(in, pair);
  const auto split = static_cast<std::size_t>(side_a_size(pair.kind));
  for (std::size_t i = 0; i < split; ++i) {
    for (std::size_t k = split; k < 4; ++k) {
      if (!apart_along(normal, position(in.start, pair.vertices[i]), position(in.start, pair.vertices[k])) ||
          !apart_along(normal, position(in.end, pair.vertices[i]), position(in.end, pair.vertices[k])))
        return false;
    }
  }
  return true;
}

/// Whether the sides of a pair move against each other by less than a share of their distance. `slack`: m, rounding of
/// positions.
bool moves_little(std::span<const Vector3d> moves, const contact::NearPair& pair, double share, double slack) {
  const double most = move_fraction * share * static_cast<double>(pair.distance) - slack;
  if (!(most > 0)) return false;
  const auto split = static_cast<std::size_t>(side_a_size(pair.kind));
  for (std::size_t i = 0; i < split; ++i) {
    const Vector3d& a = moves[at(pair.vertices[i])];
    for (std::size_t k = split; k < 4; ++k) {
      if (!((moves[at(pair.vertices[k])] - a).squaredNorm() < most * most)) return false;
    }
  }
  return true;
}

ClusterMotion motion_of(const CertificateIn& in, const SurfaceCluster& cluster) {
  ClusterMotion m;
  m.start_low = m.low = Vector3d::Constant(INFINITY);
  m.start_high = m.high = Vector3d::Constant(-INFINITY);
  m.middle.setZero();
  m.shift.setZero();
  const auto count = static_cast<std::size_t>(cluster.vertex_count);
  for (std::size_t k = 0; k < count; ++k) {
    const Vector3d& a = in.start[static_cast<std::size_t>(cluster.vertices[k])];
    const Vector3d& b = in.end[static_cast<std::size_t>(cluster.vertices[k])];
    m.start_low = m.start_low.cwiseMin(a);
    m.start_high = m.start_high.cwiseMax(a);
    m.low = m.low.cwiseMin(b);
    m.high = m.high.cwiseMax(b);
    m.middle += a;
    m.shift += b - a;
  }
  m.low = m.low.cwiseMin(m.start_low);
  m.high = m.high.cwiseMax(m.start_high);
  if (count == 0) return m;
  m.middle /= static_cast<double>(count);
  m.shift /= static_cast<double>(count);
  double square = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto v = static_cast<std::size_t>(cluster.vertices[k]);
    square = std::max(square, (in.end[v] - in.start[v] - m.shift).squaredNorm());
  }
  m.rest = std::sqrt(square);
  return m;
}

bool overlap(const Vector3d& low_a, const Vector3d& high_a, const Vector3d& low_b, const Vector3d& high_b) {
  return (low_a.array() <= high_b.array()).all() && (low_b.array() <= high_a.array()).all();
}

/// Distance of the boxes at the start, or less.
double box_gap(const ClusterMotion& a, const ClusterMotion& b) {
  const Vector3d gap = (a.start_low - b.start_high).cwiseMax(b.start_low - a.start_high).cwiseMax(0.0);
  return gap.norm();
}

/// Largest coordinate over the step.
double largest(const ClusterMotion& m) {
  return std::max(m.low.cwiseAbs().maxCoeff(), m.high.cwiseAbs().maxCoeff());
}

class Certifier {
 public:
  Certifier(Context& context, const CertificateIn& in, CertificateScratch& scratch)
      : context_(context), in_(in), scratch_(scratch), clusters_(in.surface.clusters()), own_(scratch.own) {}

  bool run() {
    scratch_.tested = 0;
    scratch_.near_motion = scratch_.self_motion = clusters_.suitable ? in_.motion_of_interest : -1;
    seed_.near_motion = seed_.self_motion = in_.motion_of_interest;
    if (!clusters_.suitable) return false;
    const bool clusters = test_clusters();
    return test_listed() && clusters;
  }

 private:
  Chunk& chunk_at(std::size_t i) {
    Chunk& chunk = scratch_.chunks[i];
    chunk.vertex_face.clear();
    chunk.edge_edge.clear();
    chunk.tested = 0;
    chunk.near_motion = seed_.near_motion;
    chunk.self_motion = seed_.self_motion;
    chunk.fastest = seed_.fastest;
    return chunk;
  }

  /// Whether none of the pairs listed in a chunk meets.
  bool none_meets(Chunk& chunk) {
    chunk.tested += chunk.vertex_face.size() + chunk.edge_edge.size();
    chunk.hits.clear();
    const ContinuousOptions exact{.exact = true};
    first_impacts(ContactKind::vertex_face, in_.start, in_.end, chunk.vertex_face, exact, chunk.hits);
    if (chunk.hits.empty())
      first_impacts(ContactKind::edge_edge, in_.start, in_.end, chunk.edge_edge, exact, chunk.hits);
    chunk.vertex_face.clear();
    chunk.edge_edge.clear();
    return chunk.hits.empty();
  }

  template <class Test>
  bool all_of_chunks(std::size_t count, std::size_t grain, const Test& test) {
    const std::size_t chunks = chunk_count(count, grain);
    if (scratch_.chunks.size() < chunks) scratch_.chunks.resize(chunks);
    std::atomic<bool> holds{true};
    parallel_chunks(context_.workers, count, grain, [&](std::size_t begin, std::size_t end, std::size_t number) {
      if (!test(begin, end, chunk_at(number))) holds.store(false, std::memory_order_relaxed);
    });
    for (std::size_t i = 0; i < chunks; ++i) {
      scratch_.tested += scratch_.chunks[i].tested;
      const Chunk& chunk = scratch_.chunks[i];
      if (chunk.near_motion > scratch_.near_motion) scratch_.fastest[0] = chunk.fastest[0];
      if (chunk.self_motion > scratch_.self_motion) scratch_.fastest[1] = chunk.fastest[1];
      scratch_.near_motion = std::max(scratch_.near_motion, chunk.near_motion);
      scratch_.self_motion = std::max(scratch_.self_motion, chunk.self_motion);
    }
    return holds.load();
  }

  bool test_listed() {
    scratch_.moves.resize(in_.start.size());
    parallel_for(context_.workers, in_.start.size(), move_grain,
                 [&](std::size_t v) { scratch_.moves[v] = in_.end[v] - in_.start[v]; });
    return all_of_chunks(in_.pairs.size(), pair_grain, [&](std::size_t begin, std::size_t end, Chunk& chunk) {
      for (std::size_t i = begin; i < end; ++i) {
        const contact::NearPair& pair = in_.pairs[i];
        if (moves_little(scratch_.moves, pair, 1, slack_) || moves_little_on_its_own(pair) || plane_holds(in_, pair))
          continue;
        (pair.kind == ContactKind::vertex_face ? chunk.vertex_face : chunk.edge_edge).push_back(pair.vertices);
      }
      return none_meets(chunk);
    });
  }

  /// The same of a pair of one object that turns, seen from the object.
  bool moves_little_on_its_own(const contact::NearPair& pair) const {
    const Index object = own_.object_of(pair.vertices);
    return object != none && moves_little(own_.moves(), pair, own_.kept(object), slack_);
  }

  bool test_clusters() {
    scratch_.clusters.resize(clusters_.clusters.size());
    parallel_for(context_.workers, clusters_.clusters.size(), cluster_grain,
                 [&](std::size_t i) { scratch_.clusters[i] = motion_of(in_, clusters_.clusters[i]); });
    measure_own_motion();
    scratch_.blocks.resize(clusters_.blocks.size());
    find_apart();
    rows_.resize(clusters_.blocks.size());
    parallel_for(context_.workers, clusters_.blocks.size(), block_grain, [&](std::size_t i) { join_block(i); });
    list_block_pairs();
    look_at_fastest();
    return all_of_chunks(scratch_.block_pairs.size(), block_pair_grain,
                         [&](std::size_t begin, std::size_t end, Chunk& chunk) {
                           bool holds = true;
                           for (std::size_t i = begin; i < end; ++i)
                             test_blocks(scratch_.block_pairs[i][0], scratch_.block_pairs[i][1], chunk, holds);
                           return holds && none_meets(chunk);
                         });
  }

  /// Motion of clusters against their objects, which may turn.
  void measure_own_motion() {
    double scale = 0;
    scratch_.middles.clear();
    scratch_.shifts.clear();
    for (const ClusterMotion& m : scratch_.clusters) {
      if (m.low.x() <= m.high.x()) scale = std::max(scale, largest(m));
      scratch_.middles.push_back(m.middle);
      scratch_.shifts.push_back(m.shift);
    }
    slack_ = motion_slack * scale;
    own_.measure(context_, {.surface = in_.surface,
                            .start = in_.start,
                            .end = in_.end,
                            .middles = scratch_.middles,
                            .shifts = scratch_.shifts});
  }

  /// Motion of a block, from that of its clusters.
  void join_block(std::size_t i) {
    const kernels::ClusterBlock& block = clusters_.blocks[i];
    const auto clusters = std::span(scratch_.clusters).subspan(at(block.first), at(block.count));
    ClusterMotion& m = scratch_.blocks[i];
    m.rest = 0;
    m.loose = false;
    m.start_low = m.low = Vector3d::Constant(INFINITY);
    m.start_high = m.high = Vector3d::Constant(-INFINITY);
    m.shift.setZero();
    for (const ClusterMotion& c : clusters) {
      m.start_low = m.start_low.cwiseMin(c.start_low);
      m.start_high = m.start_high.cwiseMax(c.start_high);
      m.low = m.low.cwiseMin(c.low);
      m.high = m.high.cwiseMax(c.high);
      m.shift += c.shift / static_cast<double>(clusters.size());
    }
    for (const ClusterMotion& c : clusters) m.rest = std::max(m.rest, (c.shift - m.shift).norm() + c.rest);
    BoxRows<kernels::cluster_lanes>& rows = rows_[i];
    for (std::size_t k = 0; k < kernels::cluster_lanes; ++k) {
      const bool some = k < clusters.size();
      for (Eigen::Index axis = 0; axis < 3; ++axis) {
        rows.low[axis][k] = some ? rounded_down(clusters[k].low[axis]) : INFINITY;
        rows.high[axis][k] = some ? -rounded_down(-clusters[k].high[axis]) : -INFINITY;
      }
    }
    if (in_.flat == nullptr || !in_.flat->any()) return;
    for (std::size_t k = 0; k < clusters.size(); ++k) {
      const std::size_t c = at(block.first) + k;
      m.loose = m.loose || (in_.flat->flat()[c] != 0 && scratch_.apart[c] == 0);
    }
  }

  /// Flat clusters that meet nothing of their patches in the step.
  void find_apart() {
    if (in_.flat == nullptr || !in_.flat->any()) return;
    in_.flat->follow(context_, in_.start, in_.end, scratch_.apart);
    parallel_for(context_.workers, scratch_.apart.size(), cluster_grain, [&](std::size_t c) {
      if (scratch_.apart[c] == 0) return;
      for (const Index member : in_.flat->patch(c)) {
        if (!(motion_between(c, at(member)) < (1 - motion_slack) * in_.flat->reach())) scratch_.apart[c] = 0;
      }
    });
  }

  /// How far vertices of two clusters move against each other, m, at most.
  double motion_between(std::size_t one, std::size_t other) const {
    return motion_between(scratch_.clusters[one], scratch_.clusters[other]);
  }
  static double motion_between(const ClusterMotion& m, const ClusterMotion& n) {
    return ((m.shift - n.shift).norm() + (m.rest + n.rest)) * (1 + motion_slack);
  }

  /// Motion of two clusters or blocks against each other, with a slack for rounding.
  struct Relative {
    double motion = 0;  ///< m
    double own = 0;     ///< m, but for how their object moves as a whole; of two objects and of one that does not turn
                        ///< the same
    double kept = 1;    ///< share of their distance that the turn of the object leaves

    double least() const { return std::min(motion, own); }
    /// Whether they do not meet if they are `distance` apart at the start.
    bool keeps_apart(double distance) const {
      const double most = (1 - motion_slack) * distance;
      return motion < most || own < kept * most;
    }
    /// The same of boxes with a gap between them.
    bool keeps_boxes_apart(double gap, double slack) const { return gap > motion + slack || kept * gap > own + slack; }
    /// Whether two of their parts certainly move no more against each other.
    bool no_more_than(double most) const { return least() * (1 + motion_slack) <= most; }
  };
  Relative relative(const ClusterMotion& m, const ClusterMotion& n) const {
    const double motion = motion_between(m, n);
    return {.motion = motion, .own = motion};
  }
  /// Of one object that turns.
  Relative relative(const ClusterMotion& m, const ClusterMotion& n, const OwnMotion::Shift& own_m,
                    const OwnMotion::Shift& own_n, Index object) const {
    return {.motion = motion_between(m, n),
            .own = own_m.against(own_n) * (1 + motion_slack) + slack_,
            .kept = own_.kept(object)};
  }

  Relative relative(std::size_t ci, std::size_t ck) const {
    const ClusterMotion& m = scratch_.clusters[ci];
    const ClusterMotion& n = scratch_.clusters[ck];
    const Index object = clusters_.clusters[ci].object;
    if (object != clusters_.clusters[ck].object || !own_.turns(object)) return relative(m, n);
    return relative(m, n, own_.cluster(ci), own_.cluster(ck), object);
  }

  /// Blocks whose boxes over the step overlap, by a sweep along x.
  void list_block_pairs() {
    scratch_.block_pairs.clear();
    std::vector<std::uint32_t>& order = order_;
    order.resize(scratch_.blocks.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    const auto low = [&](std::uint32_t i) { return scratch_.blocks[i].low.x(); };
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return low(a) < low(b) || (low(a) == low(b) && a < b); });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const ClusterMotion& a = scratch_.blocks[order[i]];
      scratch_.block_pairs.push_back({order[i], order[i]});
      for (std::size_t k = i + 1; k < order.size() && low(order[k]) <= a.high.x(); ++k) {
        const ClusterMotion& b = scratch_.blocks[order[k]];
        if (overlap(a.low, a.high, b.low, b.high)) scratch_.block_pairs.push_back({order[i], order[k]});
      }
    }
  }

  void test_blocks(std::uint32_t one, std::uint32_t other, Chunk& chunk, bool& holds) {
    const kernels::ClusterBlock& a = clusters_.blocks[one];
    const kernels::ClusterBlock& b = clusters_.blocks[other];
    const bool same = a.object == b.object;
    const double distance = same ? std::min(in_.distance, in_.self_distance) : in_.distance;
    const ClusterMotion& block = scratch_.blocks[one];
    const ClusterMotion& other_block = scratch_.blocks[other];
    const bool loose = block.loose || other_block.loose;
    const bool turning = same && own_.turns(a.object);
    const double gap = box_gap(block, other_block);
    const auto slow = [&](const ClusterMotion& m, const OwnMotion::Shift* own) {
      if (loose) return false;
      const Relative r =
          turning ? relative(m, other_block, *own, own_.block(other), a.object) : relative(m, other_block);
      const bool noted =
          gap >= in_.near || (r.no_more_than(chunk.near_motion) && (!same || r.no_more_than(chunk.self_motion)));
      return noted && (r.keeps_apart(distance) || r.keeps_boxes_apart(gap, slack_));
    };
    // Clusters move against each other no farther than bounds of their blocks say.
    if (slow(block, turning ? &own_.block(one) : nullptr)) return;
    for (std::int32_t i = 0; i < a.count; ++i) {
      const auto ci = at(a.first + i);
      const ClusterMotion& m = scratch_.clusters[ci];
      if (!overlap(m.low, m.high, other_block.low, other_block.high) || slow(m, turning ? &own_.cluster(ci) : nullptr))
        continue;
      each_overlap(rows_[one], at(i), rows_[other], at(one == other ? i : 0), at(b.count),
                   [&](std::size_t k) { test_pair(ci, at(b.first) + k, same, distance, chunk, holds); });
    }
  }

  void test_pair(std::size_t ci, std::size_t ck, bool same, double distance, Chunk& chunk, bool& holds) {
    const Relative r = relative(ci, ck);
    const double motion = r.least();
    if (motion > chunk.near_motion || (same && motion > chunk.self_motion)) note_motion(ci, ck, motion, same, chunk);
    if (!holds) return;
    const bool listed = in_.flat == nullptr || !in_.flat->leaves_out(ci, ck);
    if (listed ? r.keeps_apart(distance) : (scratch_.apart[ci] | scratch_.apart[ck]) != 0) return;
    if (r.keeps_boxes_apart(box_gap(scratch_.clusters[ci], scratch_.clusters[ck]), slack_)) return;
    list_path_features({in_.start, in_.end}, clusters_.clusters[ci], clusters_.clusters[ck],
                       scratch_.clusters[ci].shift, chunk.vertex_face, chunk.edge_edge);
    if (chunk.vertex_face.size() + chunk.edge_edge.size() > pair_grain) holds = none_meets(chunk);
  }

  void note_motion(std::size_t ci, std::size_t ck, double motion, bool same, Chunk& chunk) const {
    const double gap = box_gap(scratch_.clusters[ci], scratch_.clusters[ck]);
    if (!(gap < in_.near) || neighbors(ci, ck)) return;
    const std::array pair = {static_cast<std::uint32_t>(ci), static_cast<std::uint32_t>(ck)};
    if (motion > chunk.near_motion) {
      chunk.near_motion = motion;
      chunk.fastest[0] = pair;
    }
    if (same && motion > chunk.self_motion && gap < self_near * in_.near && !near_along_surface(ci, ck)) {
      chunk.self_motion = motion;
      chunk.fastest[1] = pair;
    }
  }

  /// The pairs that were the fastest in the last call first: they are among the fastest again, so most others are left
  /// out. What is found is the same without.
  void look_at_fastest() {
    for (const auto& [ci, ck] : scratch_.fastest) {
      if (std::max(ci, ck) >= clusters_.clusters.size()) continue;
      const ClusterMotion& m = scratch_.clusters[ci];
      const ClusterMotion& n = scratch_.clusters[ck];
      if (!overlap(m.low, m.high, n.low, n.high)) continue;
      const bool same = clusters_.clusters[ci].object == clusters_.clusters[ck].object;
      note_motion(ci, ck, relative(ci, ck).least(), same, seed_);
    }
  }

  /// Whether two clusters have vertices in common, or are one. They stretch and bend more than they come together.
  bool neighbors(std::size_t one, std::size_t other) const {
    const std::size_t low = std::min(one, other);
    const std::span list =
        std::span(clusters_.neighbors)
            .subspan(clusters_.neighbor_begin[low], clusters_.neighbor_begin[low + 1] - clusters_.neighbor_begin[low]);
    return std::any_of(list.begin(), list.end(), [&](const kernels::ClusterNeighbor& neighbor) {
      return static_cast<std::size_t>(neighbor.cluster) == std::max(one, other);
    });
  }

  std::span<const kernels::BlockNeighbors> around(std::size_t c) const {
    return std::span(clusters_.around)
        .subspan(clusters_.around_begin[c], clusters_.around_begin[c + 1] - clusters_.around_begin[c]);
  }
  bool share_a_neighbor(std::size_t one, std::size_t other) const {
    return std::ranges::any_of(around(one), [&](const kernels::BlockNeighbors& a) {
      return std::ranges::any_of(around(other), [&](const kernels::BlockNeighbors& b) {
        return a.block == b.block && (a.clusters & b.clusters) != 0;
      });
    });
  }
  /// Whether there are at most two clusters between two, from neighbor to neighbor: these would have to fold to meet.
  bool near_along_surface(std::size_t one, std::size_t other) const {
    for (const kernels::BlockNeighbors& list : around(one)) {
      for (std::uint32_t bits = list.clusters; bits != 0; bits &= bits - 1) {
        if (share_a_neighbor(at(clusters_.blocks[at(list.block)].first + std::countr_zero(bits)), other)) return true;
      }
    }
    return false;
  }

  Context& context_;
  const CertificateIn& in_;
  CertificateScratch& scratch_;
  const mesh::SurfaceClusters& clusters_;
  OwnMotion& own_;
  Chunk seed_;        ///< what is known before any chunk is tested
  double slack_ = 0;  ///< m, rounding of positions and of what is derived from them
  std::vector<std::uint32_t> order_;
  std::vector<BoxRows<kernels::cluster_lanes>> rows_;  ///< boxes of the clusters of each block
};

}  // namespace

bool certify_motion(Context& context, const CertificateIn& in, CertificateScratch& scratch) {
  return Certifier(context, in, scratch).run();
}

}  // namespace carom::ccd
