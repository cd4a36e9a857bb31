#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "carom/mesh/mesh.hpp"

/// Checks that the construction and the editing of a surface share.
namespace carom::mesh {

/// Counts up from 1 over the life of the process.
std::uint64_t next_revision();

/// Corners of all triangles are numbered with an Index, too. Throws Error(bad_mesh).
void check_counts(std::size_t vertex_count, std::size_t triangle_count);

/// Throws Error: invalid_argument (lengths), bad_mesh (too many), bad_index (names the triangle). `dead_too`: triangles
/// may be dead.
void check_lists(std::size_t vertex_count, std::span<const Triangle> triangles,
                 std::span<const Index> object_of_triangle, bool dead_too = false);

/// Throws Error(bad_mesh): two objects, and which of their triangles, use one vertex.
[[noreturn]] void fail_shared(Index vertex, Index first_object, const std::string& first, Index second_object,
                              const std::string& second);

}  // namespace carom::mesh
