#include "mesh/boundary_loops.hpp"

#include <algorithm>

#include "core/at.hpp"

namespace carom::mesh {
namespace {

/// The edges at each vertex that are still to be walked.
class OpenEdges {
 public:
  OpenEdges(std::size_t vertex_count, std::span<const Edge> directed)
      : directed_(directed), walked_(directed.size(), false), left_(vertex_count, 0), offsets_(vertex_count + 1, 0) {
    for (const Edge& e : directed) {
      ++left_[at(e[0])];
      ++left_[at(e[1])];
      ++offsets_[at(e[0]) + 1];
      ++offsets_[at(e[1]) + 1];
    }
    for (std::size_t v = 0; v < vertex_count; ++v) offsets_[v + 1] += offsets_[v];
    next_ = offsets_;
    items_.resize(at(offsets_.back()));
    // Leaving edges come first at each vertex, so they are preferred.
    for (const std::size_t end : {std::size_t{0}, std::size_t{1}})
      for (std::size_t e = 0; e < directed.size(); ++e)
        items_[at(next_[at(directed[e][end])]++)] = static_cast<Index>(e);
    next_ = offsets_;
  }

  bool odd_number_left(Index vertex) const { return left_[at(vertex)] % 2 != 0; }

  /// Walks an edge from this vertex and returns where it leads, or `none` if all are walked.
  Index walk(Index vertex) {
    Index& next = next_[at(vertex)];
    while (next < offsets_[at(vertex) + 1]) {
      const std::size_t e = at(items_[at(next++)]);
      if (walked_[e]) continue;
      walked_[e] = true;
      --left_[at(directed_[e][0])];
      --left_[at(directed_[e][1])];
      return directed_[e][0] == vertex ? directed_[e][1] : directed_[e][0];
    }
    return none;
  }

 private:
  std::span<const Edge> directed_;
  std::vector<bool> walked_;
  std::vector<Index> left_;
  std::vector<Index> offsets_;
  std::vector<Index> next_;
  std::vector<Index> items_;
};

}  // namespace

// A walk that meets itself closes a loop, which is cut off the path. It can only be stuck where an odd
// number of edges was left: at another odd vertex if it began at one, else back at its beginning.
// So the chains are taken first, from odd vertices, and all that remains closes.
std::vector<std::vector<Index>> string_together(std::size_t vertex_count, std::span<const Edge> directed) {
  std::vector<std::vector<Index>> result;
  if (directed.empty()) return result;
  OpenEdges open(vertex_count, directed);
  std::vector<Index> place(vertex_count, none);  // of each vertex on the path
  std::vector<Index> path;

  const auto walk_from = [&](Index start) {
    path = {start};
    place[at(start)] = 0;
    for (Index v = open.walk(start); v != none; v = open.walk(path.back())) {
      if (place[at(v)] == none) {
        place[at(v)] = static_cast<Index>(path.size());
        path.push_back(v);
        continue;
      }
      const auto loop = path.begin() + place[at(v)];
      result.emplace_back(loop, path.end());
      for (auto it = loop + 1; it != path.end(); ++it) place[at(*it)] = none;
      path.erase(loop + 1, path.end());
    }
    for (const Index v : path) place[at(v)] = none;
    if (path.size() == 1) return;
    result.push_back(path);
    result.back().push_back(none);
  };

  const Index count = static_cast<Index>(vertex_count);
  for (Index v = 0; v < count; ++v)
    if (open.odd_number_left(v)) walk_from(v);
  for (Index v = 0; v < count; ++v) walk_from(v);
  return result;
}

}  // namespace carom::mesh
