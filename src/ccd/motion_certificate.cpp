#include "ccd/motion_certificate.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

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
/// Fraction by which bounds on motion are taken larger.
constexpr double motion_slack = 1e-9;
/// Fraction of a number that its rounding to single precision is less than.
constexpr double box_rounding = 1.2e-7;
/// Fraction of the distance of a pair that its sides may move against each other: less than all of it, for what the
/// distance was rounded by.
constexpr double move_fraction = 0.99;
constexpr std::size_t pair_grain = 1024;
constexpr std::size_t move_grain = 4096;
constexpr std::size_t cluster_grain = 64;
constexpr std::size_t block_pair_grain = 8;

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

/// Whether the sides of a pair move against each other by less than their distance. `slack`: m, rounding of positions.
bool moves_little(std::span<const Vector3d> moves, const contact::NearPair& pair, double slack) {
  const double most = move_fraction * static_cast<double>(pair.distance) - slack;
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
  m.shift.setZero();
  const auto count = static_cast<std::size_t>(cluster.vertex_count);
  for (std::size_t k = 0; k < count; ++k) {
    const Vector3d& a = in.start[static_cast<std::size_t>(cluster.vertices[k])];
    const Vector3d& b = in.end[static_cast<std::size_t>(cluster.vertices[k])];
    m.start_low = m.start_low.cwiseMin(a);
    m.start_high = m.start_high.cwiseMax(a);
    m.low = m.low.cwiseMin(b);
    m.high = m.high.cwiseMax(b);
    m.shift += b - a;
  }
  m.low = m.low.cwiseMin(m.start_low);
  m.high = m.high.cwiseMax(m.start_high);
  if (count == 0) return m;
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

/// Boxes of features over the step, seen from what moves in common, in rows: one box is compared with many at a time.
/// In single precision, rounded outward.
template <std::size_t rows>
struct BoxRows {
  float low[3][rows];
  float high[3][rows];
};

template <std::size_t count, std::size_t rows>
void put_box(const CertificateIn& in, const Index (&vertices)[count], const Vector3d& shift, const Vector3d& origin,
             std::size_t row, BoxRows<rows>& boxes) {
  Vector3d low = Vector3d::Constant(INFINITY);
  Vector3d high = Vector3d::Constant(-INFINITY);
  for (const Index v : vertices) {
    const Vector3d a = position(in.start, v) - origin;
    const Vector3d b = position(in.end, v) - shift - origin;
    low = low.cwiseMin(a.cwiseMin(b));
    high = high.cwiseMax(a.cwiseMax(b));
  }
  // Rounding of positions, and of what is left of them to single precision.
  const double slack = motion_slack * origin.cwiseAbs().maxCoeff() +
                       box_rounding * std::max(low.cwiseAbs().maxCoeff(), high.cwiseAbs().maxCoeff());
  for (std::size_t k = 0; k < 3; ++k) {
    boxes.low[k][row] = static_cast<float>(low[static_cast<Eigen::Index>(k)] - slack);
    boxes.high[k][row] = static_cast<float>(high[static_cast<Eigen::Index>(k)] + slack);
  }
}

struct ClusterBoxes {
  BoxRows<kernels::cluster_lanes> vertices;
  BoxRows<kernels::cluster_lanes> triangles;
  BoxRows<kernels::cluster_edge_lanes> edges;
  Index corner[kernels::cluster_lanes][3];
  Index end[kernels::cluster_edge_lanes][2];
};

void boxes_of(const CertificateIn& in, const SurfaceCluster& c, const Vector3d& shift, const Vector3d& origin,
              ClusterBoxes& out) {
  for (std::size_t k = 0; k < c.owned_vertex_count; ++k) {
    const Index v[1] = {c.vertices[k]};
    put_box(in, v, shift, origin, k, out.vertices);
  }
  for (std::size_t k = 0; k < c.triangle_count; ++k) {
    for (std::size_t i = 0; i < 3; ++i) out.corner[k][i] = c.vertices[c.corner[i][k]];
    put_box(in, out.corner[k], shift, origin, k, out.triangles);
  }
  for (std::size_t k = 0; k < c.edge_count; ++k) {
    out.end[k][0] = c.vertices[c.edge_from[k]];
    out.end[k][1] = c.vertices[c.edge_to[k]];
    put_box(in, out.end[k], shift, origin, k, out.edges);
  }
}

/// Calls visit(k) for rows k in [first, count) of `others` that overlap a row of `boxes`.
template <std::size_t rows, std::size_t other_rows, class Visit>
void each_overlap(const BoxRows<rows>& boxes, std::size_t row, const BoxRows<other_rows>& others, std::size_t first,
                  std::size_t count, const Visit& visit) {
  std::uint8_t hit[other_rows];
  for (std::size_t k = 0; k < other_rows; ++k) {
    bool all = true;
    for (std::size_t axis = 0; axis < 3; ++axis)
      all = all & (boxes.low[axis][row] <= others.high[axis][k]) & (others.low[axis][k] <= boxes.high[axis][row]);
    hit[k] = static_cast<std::uint8_t>(all);
  }
  for (std::size_t k = first; k < count; ++k) {
    if (hit[k] != 0) visit(k);
  }
}

/// Pairs of features of two clusters, or of one, whose boxes meet and that have no vertex in common.
void list_features(const CertificateIn& in, const SurfaceCluster& one, const SurfaceCluster& other,
                   const Vector3d& shift, Chunk& chunk) {
  const Vector3d origin = position(in.start, one.vertices[0]);
  ClusterBoxes a{};
  boxes_of(in, one, shift, origin, a);
  const bool same = &one == &other;
  ClusterBoxes second{};
  if (!same) boxes_of(in, other, shift, origin, second);
  const ClusterBoxes& b = same ? a : second;
  const auto vertices_on_faces = [&](const SurfaceCluster& from, const ClusterBoxes& points, const SurfaceCluster& to,
                                     const ClusterBoxes& faces) {
    for (std::size_t v = 0; v < from.owned_vertex_count; ++v) {
      const Index vertex = from.vertices[v];
      each_overlap(points.vertices, v, faces.triangles, 0, to.triangle_count, [&](std::size_t t) {
        const Index(&corner)[3] = faces.corner[t];
        if (vertex == corner[0] || vertex == corner[1] || vertex == corner[2]) return;
        chunk.vertex_face.push_back({vertex, corner[0], corner[1], corner[2]});
      });
    }
  };
  vertices_on_faces(one, a, other, b);
  if (!same) vertices_on_faces(other, b, one, a);
  for (std::size_t i = 0; i < one.edge_count; ++i) {
    const Index(&p)[2] = a.end[i];
    each_overlap(a.edges, i, b.edges, same ? i + 1 : 0, other.edge_count, [&](std::size_t k) {
      const Index(&q)[2] = b.end[k];
      if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) return;
      chunk.edge_edge.push_back({p[0], p[1], q[0], q[1]});
    });
  }
}

class Certifier {
 public:
  Certifier(Context& context, const CertificateIn& in, CertificateScratch& scratch)
      : context_(context), in_(in), scratch_(scratch), clusters_(in.surface.clusters()) {}

  bool run() {
    scratch_.tested = 0;
    scratch_.near_motion = clusters_.suitable ? 0 : -1;
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
    chunk.near_motion = 0;
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
      scratch_.near_motion = std::max(scratch_.near_motion, scratch_.chunks[i].near_motion);
    }
    return holds.load();
  }

  bool test_listed() {
    scratch_.moves.resize(in_.start.size());
    parallel_for(context_.workers, in_.start.size(), move_grain,
                 [&](std::size_t v) { scratch_.moves[v] = in_.end[v] - in_.start[v]; });
    double scale = 0;
    for (const ClusterMotion& m : scratch_.blocks) scale = std::max(scale, largest(m));
    const double slack = motion_slack * scale;
    return all_of_chunks(in_.pairs.size(), pair_grain, [&](std::size_t begin, std::size_t end, Chunk& chunk) {
      for (std::size_t i = begin; i < end; ++i) {
        const contact::NearPair& pair = in_.pairs[i];
        if (moves_little(scratch_.moves, pair, slack) || plane_holds(in_, pair)) continue;
        (pair.kind == ContactKind::vertex_face ? chunk.vertex_face : chunk.edge_edge).push_back(pair.vertices);
      }
      return none_meets(chunk);
    });
  }

  bool test_clusters() {
    scratch_.clusters.resize(clusters_.clusters.size());
    parallel_for(context_.workers, clusters_.clusters.size(), cluster_grain,
                 [&](std::size_t i) { scratch_.clusters[i] = motion_of(in_, clusters_.clusters[i]); });
    scratch_.blocks.resize(clusters_.blocks.size());
    for (std::size_t i = 0; i < clusters_.blocks.size(); ++i) {
      ClusterMotion& m = scratch_.blocks[i];
      m.low = Vector3d::Constant(INFINITY);
      m.high = Vector3d::Constant(-INFINITY);
      for (std::int32_t k = 0; k < clusters_.blocks[i].count; ++k) {
        const ClusterMotion& c = scratch_.clusters[at(clusters_.blocks[i].first + k)];
        m.low = m.low.cwiseMin(c.low);
        m.high = m.high.cwiseMax(c.high);
      }
    }
    list_block_pairs();
    return all_of_chunks(scratch_.block_pairs.size(), block_pair_grain,
                         [&](std::size_t begin, std::size_t end, Chunk& chunk) {
                           bool holds = true;
                           for (std::size_t i = begin; i < end; ++i)
                             test_blocks(scratch_.block_pairs[i][0], scratch_.block_pairs[i][1], chunk, holds);
                           return holds && none_meets(chunk);
                         });
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
    for (std::int32_t i = 0; i < a.count; ++i) {
      const auto ci = at(a.first + i);
      const ClusterMotion& m = scratch_.clusters[ci];
      if (!overlap(m.low, m.high, scratch_.blocks[other].low, scratch_.blocks[other].high)) continue;
      for (std::int32_t k = one == other ? i : 0; k < b.count; ++k) {
        const auto ck = at(b.first + k);
        const ClusterMotion& n = scratch_.clusters[ck];
        if (!overlap(m.low, m.high, n.low, n.high)) continue;
        const double motion = ((m.shift - n.shift).norm() + m.rest + n.rest) * (1 + motion_slack);
        if (motion > chunk.near_motion && box_gap(m, n) < in_.near && !neighbors(ci, ck)) chunk.near_motion = motion;
        if (!holds || motion < (1 - motion_slack) * in_.distance) continue;
        const double scale = std::max(largest(m), largest(n));
        if (box_gap(m, n) > motion + motion_slack * scale) continue;
        list_features(in_, clusters_.clusters[ci], clusters_.clusters[ck], m.shift, chunk);
        if (chunk.vertex_face.size() + chunk.edge_edge.size() > pair_grain) holds = none_meets(chunk);
      }
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

  Context& context_;
  const CertificateIn& in_;
  CertificateScratch& scratch_;
  const mesh::SurfaceClusters& clusters_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

bool certify_motion(Context& context, const CertificateIn& in, CertificateScratch& scratch) {
  return Certifier(context, in, scratch).run();
}

}  // namespace carom::ccd
