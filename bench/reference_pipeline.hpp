#pragma once

#include <array>
#include <span>
#include <vector>

#include "bench/reference_grid.hpp"
#include "bench/reference_volumes.hpp"
#include "core/parallel.hpp"

namespace carom::reference {

/// An element of the (cell, triangle) list.
struct Entry {
  std::uint64_t cell = 0;  ///< equation 3.2
  Index triangle = none;
  Index object = none;
};

struct TrianglePair {
  Index a = none;
  Index b = none;
};

/// The entries of one cell.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A loop that appends to a vector: plain for one thread, else in chunks joined in order.
template <class T>
class Appending {
 public:
  /// body(begin, end, out, counts)
  template <class Body>
  void run(Workers& workers, std::size_t count, std::vector<T>& out, Counts& counts, Body&& body) {
    if (workers.threads() == 1) {
      out.clear();
      body(std::size_t{0}, count, out, counts);
      return;
    }
    constexpr std::size_t grain = 1024;
    partial_.assign(chunk_count(count, grain), {});
    append_.run(workers, count, grain, out,
                [&](std::size_t begin, std::size_t end, std::vector<T>& part, std::size_t chunk) {
                  body(begin, end, part, partial_[chunk]);
                });
    for (const Counts& part : partial_) counts.add(part);
  }

 private:
  OrderedAppend<T> append_;
  std::vector<Counts> partial_;
};

/// Algorithm 1 for one kind of volume around triangles, edges and vertices.
template <class V>
class Pipeline {
 public:
  explicit Pipeline(const Surface& surface);

  void run(std::span<const Vector3d> positions, const Options& options, std::vector<Contact>& contacts, Stats& stats);

 private:
  struct Object {
    std::vector<Index> triangles;
    std::vector<Index> vertices;
    Box box;
    bool has_volumes = false;  ///< those of its triangles are of this frame
  };

  void update_object_boxes();
  void handle(std::span<Object* const> objects, const Box& region);
  void update_volumes(Object& object);
  void find_triangles(std::span<Object* const> objects, const Box& region);
  void define_grid(const Box& region);
  void build_list();
  void sort_list();
  void find_cells();
  void cull_by_cones();
  void find_pairs(bool self);
  void test_pairs();
  void test(const TrianglePair& pair, std::vector<Contact>& out, Counts& counts) const;
  void test_vertices(Index from, Index face, std::vector<Contact>& out, Counts& counts) const;
  void test_edges(Index a, Index b, std::vector<Contact>& out, Counts& counts) const;

  const Vector3d& at(Index vertex) const { return positions_[static_cast<std::size_t>(vertex)]; }
  int cell_along(int axis, double coordinate) const;
  std::uint64_t hash(const std::array<int, 3>& cell) const;

  const Surface& surface_;
  std::vector<Object> objects_;
  Workers workers_{1};

  // Of the present frame.
  std::span<const Vector3d> positions_;
  Options options_;
  std::vector<Contact>* contacts_ = nullptr;
  Stats* stats_ = nullptr;
  std::vector<V> volumes_;       ///< of each triangle
  std::vector<V> edge_volumes_;  ///< of edge k of triangle t at 3 t + k, if that triangle owns it
  std::vector<Vector3d> normals_;

  // Of the present pair of objects.
  std::vector<Index> triangles_;
  double largest_ = 0;
  Vector3d origin_ = Vector3d::Zero();
  double cell_size_ = 1;
  std::array<int, 3> cell_counts_{};
  std::vector<std::array<int, 3>> lowest_cell_;  ///< of each triangle's volume
  std::vector<Entry> entries_;
  std::vector<Range> cells_;
  std::vector<char> kept_;
  std::vector<TrianglePair> pairs_;
  std::vector<Contact> found_;

  Appending<Index> append_triangles_;
  Appending<Entry> append_entries_;
  Appending<TrianglePair> append_pairs_;
  Appending<Contact> append_contacts_;
};

extern template class Pipeline<Box>;
extern template class Pipeline<Sphere>;

}  // namespace carom::reference
