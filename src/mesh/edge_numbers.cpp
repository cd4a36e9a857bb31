#include "mesh/edge_numbers.hpp"

#include <algorithm>

#include "core/at.hpp"

namespace carom::mesh {

namespace {

constexpr std::size_t vertex_grain = 4096;

/// A side, seen from its smaller end.
struct HalfEdge {
  Index to;
  Index side;
};

/// Of the vertices of a chunk: their half-edges, in the order of edges.
struct Chunk {
  std::vector<Edge> edges;
  std::vector<std::uint32_t> ends;  ///< of each edge in `sides`
  std::vector<Index> sides;
};

void sort(HalfEdge* first, HalfEdge* last) {
  const auto before = [](const HalfEdge& a, const HalfEdge& b) { return a.to != b.to ? a.to < b.to : a.side < b.side; };
  if (last - first > 24) {
    std::sort(first, last, before);
    return;
  }
  for (HalfEdge* i = first; i < last; ++i) {
    const HalfEdge moved = *i;
    HalfEdge* j = i;
    for (; j > first && before(moved, j[-1]); --j) *j = j[-1];
    *j = moved;
  }
}

void collect(std::span<const Triangle> triangles, const CornerLists& corners, Index vertex,
             std::vector<HalfEdge>& halves, Chunk& out) {
  halves.clear();
  for (Index corner = corners.first(vertex); corner != none; corner = corners.next(corner)) {
    const Index triangle = corner / 3;
    const Index k = corner % 3;
    const Index after = k == 2 ? 0 : k + 1;
    const Index before = k == 0 ? 2 : k - 1;
    const Triangle& c = triangles[at(triangle)];
    if (c[at(after)] > vertex) halves.push_back({c[at(after)], corner});
    if (c[at(before)] > vertex) halves.push_back({c[at(before)], 3 * triangle + before});
  }
  sort(halves.data(), halves.data() + halves.size());
  for (std::size_t i = 0; i < halves.size(); ++i) {
    if (i == 0 || halves[i].to != halves[i - 1].to) {
      out.edges.push_back({vertex, halves[i].to});
      out.ends.push_back(0);
    }
    out.sides.push_back(halves[i].side);
    out.ends.back() = static_cast<std::uint32_t>(out.sides.size());
  }
}

}  // namespace

CornerLists::CornerLists(std::span<const Triangle> triangles, std::size_t vertex_count)
    : first_(vertex_count, none), next_(3 * triangles.size(), none) {
  for (std::size_t t = triangles.size(); t-- > 0;) {
    if (is_dead(triangles[t])) continue;
    for (std::size_t k = 3; k-- > 0;) {
      Index& first = first_[at(triangles[t][k])];
      next_[3 * t + k] = first;
      first = static_cast<Index>(3 * t + k);
    }
  }
}

EdgeNumbers number_edges(Workers& workers, std::span<const Triangle> triangles, std::size_t vertex_count,
                         const CornerLists& corners) {
  EdgeNumbers out;
  out.of.assign(3 * triangles.size(), none);
  out.beyond.assign(3 * triangles.size(), none);
  std::vector<Chunk> chunks(chunk_count(vertex_count, vertex_grain));
  parallel_chunks(workers, vertex_count, vertex_grain, [&](std::size_t begin, std::size_t end, std::size_t c) {
    std::vector<HalfEdge> halves;
    for (std::size_t v = begin; v < end; ++v) collect(triangles, corners, static_cast<Index>(v), halves, chunks[c]);
  });
  std::vector<std::size_t> starts(chunks.size() + 1, 0);
  for (std::size_t c = 0; c < chunks.size(); ++c) starts[c + 1] = starts[c] + chunks[c].edges.size();
  out.edges.resize(starts.back());
  out.sides.resize(starts.back());
  parallel_for(workers, chunks.size(), 1, [&](std::size_t c) {
    Chunk& chunk = chunks[c];
    std::copy(chunk.edges.begin(), chunk.edges.end(), out.edges.begin() + static_cast<std::ptrdiff_t>(starts[c]));
    std::uint32_t begin = 0;
    for (std::size_t e = 0; e < chunk.edges.size(); ++e) {
      const std::uint32_t end = chunk.ends[e];
      out.sides[starts[c] + e] = chunk.sides[begin];
      for (std::uint32_t i = begin; i < end; ++i) {
        const Index side = chunk.sides[i];
        out.of[at(side)] = static_cast<Index>(starts[c] + e);
        // Around the edge, so that each of two is beyond it for the other.
        const Index other = chunk.sides[i + 1 < end ? i + 1 : begin] / 3;
        if (other != side / 3) out.beyond[at(side)] = other;
      }
      begin = end;
    }
    chunk = {};
  });
  return out;
}

}  // namespace carom::mesh
