#include "mesh/surface_check.hpp"

#include <atomic>
#include <limits>

#include "core/check.hpp"

namespace carom::mesh {

std::uint64_t next_revision() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void check_counts(std::size_t vertex_count, std::size_t triangle_count) {
  constexpr std::size_t largest = std::numeric_limits<Index>::max();
  require(vertex_count < largest, ErrorCode::bad_mesh, "a surface of {} vertices; expected at most {}", vertex_count,
          largest - 1);
  require(triangle_count <= largest / 3, ErrorCode::bad_mesh, "a surface of {} triangles; expected at most {}",
          triangle_count, largest / 3);
}

void check_lists(std::size_t vertex_count, std::span<const Triangle> triangles,
                 std::span<const Index> object_of_triangle, bool dead_too) {
  require(object_of_triangle.size() == triangles.size(), ErrorCode::invalid_argument,
          "{} object numbers for {} triangles", object_of_triangle.size(), triangles.size());
  check_counts(vertex_count, triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (dead_too && triangles[t] == Triangle{none, none, none}) continue;
    for (const Index corner : triangles[t]) {
      require(corner >= 0 && static_cast<std::size_t>(corner) < vertex_count, ErrorCode::bad_index,
              "triangle {} has corner {}; expected an index of one of the {} vertices", t, corner, vertex_count);
    }
  }
}

void fail_shared(Index vertex, Index first_object, const std::string& first, Index second_object,
                 const std::string& second) {
  fail(ErrorCode::bad_mesh, "vertex {} is used by object {} ({}) and by object {} ({}); objects cannot share vertices",
       vertex, first_object, first, second_object, second);
}

}  // namespace carom::mesh
