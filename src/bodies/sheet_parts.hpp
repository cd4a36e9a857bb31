#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "bodies/sheet_cut.hpp"

/// Triangles around the vertices of a sheet while it is cut, and what hangs together.
namespace carom::sheet {

/// Triangles at each vertex, ascending: as they were before the cut in one list or in those of the joined surface, and
/// in lists of their own where they were asked for or changed.
class Neighbors {
 public:
  Neighbors(const Body& body, const JoinedTriangles* joined);

  void add(Index vertex, Index triangle);
  void remove(Index vertex, Index triangle) { std::erase(own(vertex), triangle); }
  std::span<const Index> operator[](Index vertex) const { return own(vertex); }

 private:
  std::vector<Index>& own(Index vertex) const;

  const JoinedTriangles* joined_;
  std::size_t count_;                 // vertices before the cut
  std::vector<std::uint32_t> begin_;  // of each vertex in `list_`
  std::vector<Index> list_;
  mutable std::map<Index, std::vector<Index>> lists_;
};

/// Whether vertices are in several parts. Searches run from all of them in turn, and become one where they meet, until
/// one is left, or one has an end: time grows with the part that came off, or with the way around the cut.
bool are_apart(const Neighbors& neighbors, std::span<const Triangle> triangles, const std::set<Index>& vertices);

}  // namespace carom::sheet
