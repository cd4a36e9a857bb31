#include "bench/moving_candidates.hpp"

#include <algorithm>
#include <random>

namespace carom::bench {
namespace {

using Eigen::Vector3d;

struct Feature {
  std::array<Index, 3> vertices;
  int count = 1;
  Vector3d low;
  Vector3d high;
};

Feature make(std::array<Index, 3> vertices, int count, std::span<const Vector3d> start, std::span<const Vector3d> end) {
  Feature f{vertices, count, start[static_cast<std::size_t>(vertices[0])],
            start[static_cast<std::size_t>(vertices[0])]};
  for (int i = 0; i < count; ++i) {
    const auto v = static_cast<std::size_t>(vertices[static_cast<std::size_t>(i)]);
    f.low = f.low.cwiseMin(start[v]).cwiseMin(end[v]);
    f.high = f.high.cwiseMax(start[v]).cwiseMax(end[v]);
  }
  return f;
}

struct Features {
  std::vector<Feature> a;
  std::vector<Feature> b;
};

Features features_of(const BenchScene& scene, ContactKind kind, std::span<const Vector3d> start,
                     std::span<const Vector3d> end) {
  Features f;
  if (kind == ContactKind::vertex_face) {
    for (std::size_t v = 0; v < start.size(); ++v) f.a.push_back(make({static_cast<Index>(v), 0, 0}, 1, start, end));
    for (const Triangle& t : scene.surface.triangles()) f.b.push_back(make({t[0], t[1], t[2]}, 3, start, end));
  } else {
    std::vector<std::array<Index, 2>> edges;
    for (const Triangle& t : scene.surface.triangles()) {
      for (std::size_t i = 0; i < 3; ++i)
        edges.push_back({std::min(t[i], t[(i + 1) % 3]), std::max(t[i], t[(i + 1) % 3])});
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (const auto& e : edges) f.a.push_back(make({e[0], e[1], 0}, 2, start, end));
    f.b = f.a;
  }
  const auto by_low = [](const Feature& l, const Feature& r) { return l.low.x() < r.low.x(); };
  std::stable_sort(f.a.begin(), f.a.end(), by_low);
  std::stable_sort(f.b.begin(), f.b.end(), by_low);
  return f;
}

bool share_vertex(const Feature& a, const Feature& b) {
  for (int i = 0; i < a.count; ++i) {
    for (int j = 0; j < b.count; ++j) {
      if (a.vertices[static_cast<std::size_t>(i)] == b.vertices[static_cast<std::size_t>(j)]) return true;
    }
  }
  return false;
}

std::array<Index, 4> pair_of(ContactKind kind, const Feature& a, const Feature& b) {
  if (kind == ContactKind::vertex_face) return {a.vertices[0], b.vertices[0], b.vertices[1], b.vertices[2]};
  return {a.vertices[0], a.vertices[1], b.vertices[0], b.vertices[1]};
}

bool overlap(const Feature& a, const Feature& b) {
  return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

}  // namespace

MovingCandidates moving_candidates(const BenchScene& scene, ContactKind kind, std::span<const Vector3d> start,
                                   std::span<const Vector3d> end, std::size_t limit) {
  const Features f = features_of(scene, kind, start, end);
  MovingCandidates found;
  const auto visit = [&](const Feature& a, const Feature& b) {
    if (!overlap(a, b) || share_vertex(a, b)) return;
    if (kind == ContactKind::edge_edge && !(a.vertices < b.vertices)) return;
    found.pairs.push_back(pair_of(kind, a, b));
  };
  // Of two that overlap, the one that begins later begins inside the other.
  for (const auto& [outer, inner, swapped] : {std::tuple(&f.a, &f.b, false), std::tuple(&f.b, &f.a, true)}) {
    std::size_t from = 0;
    for (const Feature& o : *outer) {
      while (from < inner->size() &&
             (swapped ? (*inner)[from].low.x() <= o.low.x() : (*inner)[from].low.x() < o.low.x())) {
        ++from;
      }
      for (std::size_t i = from; i < inner->size() && (*inner)[i].low.x() <= o.high.x(); ++i) {
        swapped ? visit((*inner)[i], o) : visit(o, (*inner)[i]);
      }
    }
  }
  if (found.pairs.size() > limit) {
    std::vector<std::array<Index, 4>> some;
    for (std::size_t i = 0; i < limit; ++i) some.push_back(found.pairs[i * found.pairs.size() / limit]);
    found.pairs = std::move(some);
  }
  std::vector<IndexedImpact> hits;
  first_impacts(kind, start, end, found.pairs, {}, hits);
  std::size_t next = 0;
  for (std::size_t i = 0; i < found.pairs.size(); ++i) {
    const bool hit = next < hits.size() && hits[next].query == i;
    if (hit) ++next;
    (hit ? found.colliding : found.missing).push_back(found.pairs[i]);
  }
  return found;
}

std::vector<std::array<Index, 4>> far_pairs(const BenchScene& scene, ContactKind kind, std::span<const Vector3d> start,
                                            std::span<const Vector3d> end, std::size_t count) {
  const Features f = features_of(scene, kind, start, end);
  std::vector<std::array<Index, 4>> pairs;
  std::mt19937_64 random(5);
  while (pairs.size() < count) {
    const Feature& a = f.a[random() % f.a.size()];
    const Feature& b = f.b[random() % f.b.size()];
    if (!overlap(a, b)) pairs.push_back(pair_of(kind, a, b));
  }
  return pairs;
}

}  // namespace carom::bench
