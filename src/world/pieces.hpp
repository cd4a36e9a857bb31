#pragma once

#include <span>
#include <vector>

#include "world/state.hpp"

namespace carom {

/// Vertices of one part of a body and their numbers in it.
struct PieceSelection {
  std::vector<Index> triangles;
  std::vector<Index> vertices;    ///< ascending
  std::vector<Index> number;      ///< of each vertex of the body; none: of another part
  std::vector<std::uint8_t> own;  ///< of each vertex of the body: it is a corner now, and not at rest only

  bool has(Index vertex) const { return own[static_cast<std::size_t>(vertex)] != 0; }
  Triangle renamed(const Triangle& t) const {
    const auto of = [&](Index v) { return number[static_cast<std::size_t>(v)]; };
    return {of(t[0]), of(t[1]), of(t[2])};
  }
};

/// What the world knows of vertices that went to a piece becomes that of the piece.
void move_references(World::State& state, BodyId from, BodyId to, const PieceSelection& part);

/// Triangles of a body got other numbers: that of number i had the number before[i]. New ones come after them.
void keep_triangle_names(std::span<const Index> before, std::size_t count_before, Body& body);

}  // namespace carom
