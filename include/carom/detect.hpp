#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "carom/contact.hpp"
#include "carom/mesh.hpp"
#include "carom/stats.hpp"

namespace carom {

/// The triangles of several objects over one array of vertices. Positions come separately, frame
/// by frame. A vertex belongs to the object of the triangles that use it.
class Surface {
 public:
  /// Throws Error: bad_index (names the triangle), bad_mesh (a vertex used by two objects).
  /// An empty `object_of_triangle` means that all is one object, 0.
  Surface(std::size_t vertex_count, std::vector<Triangle> triangles, std::vector<Index> object_of_triangle = {});

  std::size_t vertex_count() const { return vertex_count_; }
  std::span<const Triangle> triangles() const { return triangles_; }
  /// As given.
  std::span<const Index> object_of_triangle() const { return object_of_triangle_; }
  /// The different objects, ascending.
  std::span<const Index> objects() const { return objects_; }
  /// Position in objects() of each triangle's object.
  std::span<const Index> object_index_of_triangle() const { return object_index_of_triangle_; }
  /// Position in objects() of each vertex's object; `none` for a vertex in no triangle.
  std::span<const Index> object_index_of_vertex() const { return object_index_of_vertex_; }
  /// Which features each triangle tests for all that share them, see owns_vertex and owns_edge. Every
  /// vertex in use and every edge is owned by exactly one triangle.
  std::span<const std::uint8_t> owned() const { return owned_; }
  /// Changes with everything that changes the surface; no two different surfaces of a process share one.
  std::uint64_t revision() const { return revision_; }

 private:
  std::size_t vertex_count_;
  std::vector<Triangle> triangles_;
  std::vector<Index> object_of_triangle_;
  std::vector<Index> objects_;
  std::vector<Index> object_index_of_triangle_;
  std::vector<Index> object_index_of_vertex_;
  std::vector<std::uint8_t> owned_;
  std::uint64_t revision_;
};

/// Of an entry of Surface::owned(): corner k, and the edge from corner k to the next.
constexpr bool owns_vertex(std::uint8_t owned, std::size_t k) {
  return (owned >> k & 1U) != 0;
}
constexpr bool owns_edge(std::uint8_t owned, std::size_t k) {
  return (owned >> (3 + k) & 1U) != 0;
}

/// Which pairs of features count: of different objects, of one and the same, or both.
enum class PairScope { between, self, all };

struct DetectOptions {
  double distance = 0;  ///< m; pairs closer than this are reported; must be positive
  PairScope pairs = PairScope::all;
  std::string method = "auto";  ///< one of detect_methods(); auto picks for you
  int threads = 0;              ///< 0 = as many as the machine has; the result does not depend on it
};

/// Names that DetectOptions::method takes.
std::span<const std::string_view> detect_methods();

/// Working memory that is worth keeping from call to call: with it, a call allocates nothing once
/// warm. One per thread of the caller; any surface may follow any other.
class DetectScratch {
 public:
  DetectScratch();
  ~DetectScratch();
  DetectScratch(DetectScratch&&) noexcept;
  DetectScratch& operator=(DetectScratch&&) noexcept;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Every vertex-triangle and every edge-edge pair that shares no vertex and is closer than the
/// distance, each once, in canonical order. Fills the entries bounds to narrow of `stats`.
/// Throws Error: not_finite (names the vertex), invalid_argument, unknown_name.
void detect(const Surface& surface, std::span<const Eigen::Vector3d> positions, const DetectOptions& options,
            DetectScratch& scratch, std::vector<Contact>& contacts, PipelineStats& stats);

/// The same for a single call.
std::vector<Contact> detect(const Surface& surface, std::span<const Eigen::Vector3d> positions,
                            const DetectOptions& options);

}  // namespace carom
