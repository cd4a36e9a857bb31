#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"

namespace carom {

namespace mesh {
struct SurfaceClusters;
}

/// Change of the triangles of a surface.
struct SurfaceEdit {
  std::vector<Index> removed{};       ///< triangles to take away
  std::vector<Triangle> added{};      ///< over the vertices there are and the new ones
  std::vector<Index> added_object{};  ///< of each added triangle; may be empty while there is one object at most
  std::size_t new_vertices = 0;       ///< numbered from vertex_count() on
};

/// The last change of a surface, for structures that saw the revision before it and want to follow.
struct AppliedEdit {
  std::uint64_t before = 0;      ///< revision that was changed; 0 if the surface is as it was constructed
  std::vector<Index> removed{};  ///< ascending; those beyond the end of the list are gone, the others dead or replaced
  std::vector<Triangle> removed_corners{};  ///< of `removed`, as they were
  std::vector<Index> added{};               ///< numbers of the added triangles, in the order in which they were given
  std::vector<Index> reowned{};             ///< triangles that stayed but own other features than before, ascending
  bool objects_renumbered = false;          ///< object_index_of_triangle() changed for triangles that stayed
};

/// The triangles of several objects over one array of vertices. Positions come separately, frame
/// by frame. A vertex belongs to the object of the triangles that use it.
///
/// A triangle that was removed leaves its number behind: it is dead, with `none` for corners, until
/// an added triangle takes the number.
class Surface {
 public:
  /// Throws Error: bad_index (names the triangle), bad_mesh (a vertex used by two objects).
  /// An empty `object_of_triangle` means that all is one object, 0.
  Surface(std::size_t vertex_count, std::vector<Triangle> triangles, std::vector<Index> object_of_triangle = {});

  /// Removes, then adds. Added triangles take the numbers of dead ones, the lowest first, and then go
  /// to the end; returned are their numbers, good until the next change. The work is that of the
  /// edit and of the triangles around the vertices it touches, except that a new object whose number
  /// is not the highest costs a walk over all triangles. Throws Error that names the entry of the edit
  /// and then has changed nothing.
  std::span<const Index> edit(const SurfaceEdit& edit);

  /// Makes this the surface of these lists: triangle i is entry i, dead if its corners are `none`. Compares with what
  /// is there and changes what differs, so that last_edit() tells the difference; the same lists change nothing. Throws
  /// Error as the constructor does and then has changed nothing.
  void update(std::size_t vertex_count, std::span<const Triangle> triangles,
              std::span<const Index> object_of_triangle = {});

  /// Different for any two surfaces of this process that are not copies, and after every change; never 0.
  std::uint64_t revision() const { return revision_; }
  const AppliedEdit& last_edit() const { return last_edit_; }

  std::size_t vertex_count() const { return vertex_count_; }
  /// Dead ones included.
  std::span<const Triangle> triangles() const { return triangles_; }
  std::size_t live_triangle_count() const { return triangles_.size() - holes_.size(); }
  /// Object of each triangle, as given; of a dead triangle, what it was.
  std::span<const Index> object_of_triangle() const { return object_of_triangle_; }
  /// The different objects, ascending. One whose triangles are all gone stays.
  std::span<const Index> objects() const { return objects_; }
  /// Position in objects() of each triangle's object.
  std::span<const Index> object_index_of_triangle() const { return object_index_of_triangle_; }
  /// Features that each triangle tests for all that share them, see owns_vertex and owns_edge. Every
  /// vertex in use and every edge is owned by exactly one triangle, and dead ones own nothing.
  std::span<const std::uint8_t> owned() const { return owned_; }

  /// The corners at a vertex: the first, then the next until `none`. Corner 3 t + k is corner k of
  /// triangle t; a triangle that has the vertex twice comes twice.
  Index first_corner(Index vertex) const { return first_corner_[static_cast<std::size_t>(vertex)]; }
  Index next_corner(Index corner) const { return next_corner_[static_cast<std::size_t>(corner)]; }

  /// Edges by number: each with the smaller vertex first, ascending, so that the order of two edges is that of their
  /// numbers. Good until the next change.
  std::span<const Edge> edges() const;

  /// What detection has made ready: of use inside the library only.
  const mesh::SurfaceClusters& clusters() const { return *clusters_; }

 private:
  /// A triangle and the number it gets.
  struct Placed {
    Index number = none;
    Triangle corners{};
    Index object = 0;
  };

  void number_objects();
  void build_corners();
  void own_all();
  void check_objects(std::span<const Index> removed, std::span<const Placed> added, bool by_entry) const;
  void apply(std::vector<Index>&& removed, std::span<const Placed> added, std::size_t vertex_count,
             std::size_t triangle_count);
  void apply_locally(std::span<const Placed> added, std::size_t vertex_count, std::size_t triangle_count);
  void apply_and_rebuild(std::span<const Placed> added, std::size_t vertex_count, std::size_t triangle_count);
  void place_objects(std::span<const Placed> added);
  void resize(std::size_t vertex_count, std::size_t triangle_count);
  void unlink(Index corner);
  void give_vertex(Index vertex);
  void give_edge(Index from, Index to);
  bool has_edge(Index from, Index to) const;
  void insert(const Placed& placed);

  std::size_t vertex_count_;
  std::vector<Triangle> triangles_;
  std::vector<Index> object_of_triangle_;
  std::vector<Index> objects_;
  std::vector<Index> object_index_of_triangle_;
  std::vector<std::uint8_t> owned_;
  std::vector<Index> first_corner_;  // of each vertex
  std::vector<Index> next_corner_;   // of each corner
  std::vector<Index> holes_;         // dead triangles, a heap with the lowest on top
  std::uint64_t revision_;
  AppliedEdit last_edit_;
  std::shared_ptr<const mesh::SurfaceClusters> clusters_;  // copies of a surface share them
};

/// Whether an entry of Surface::triangles() is dead.
constexpr bool is_dead(const Triangle& triangle) {
  return triangle[0] == none;
}

/// Whether an entry of Surface::owned() owns corner k, and the edge from corner k to the next.
constexpr bool owns_vertex(std::uint8_t owned, std::size_t k) {
  return (owned >> k & 1U) != 0;
}
constexpr bool owns_edge(std::uint8_t owned, std::size_t k) {
  return (owned >> (3 + k) & 1U) != 0;
}

}  // namespace carom
