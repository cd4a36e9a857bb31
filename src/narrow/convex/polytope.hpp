#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "math/double_double.hpp"
#include "narrow/convex/pair.hpp"

/// The growing polytope of EPA: triangles that know their neighbours, and a heap of those that may be closest to the
/// origin, which is inside.
namespace carom::convex {

/// Room for N of T that nobody fills before they are needed: thousands of zeros would cost more than the answer.
template <class T, int N>
class Room {
 public:
  T& operator[](std::size_t i) { return reinterpret_cast<T*>(bytes_)[i]; }
  const T& operator[](std::size_t i) const { return reinterpret_cast<const T*>(bytes_)[i]; }
  T* begin() { return reinterpret_cast<T*>(bytes_); }

 private:
  static_assert(std::is_trivially_copyable_v<T> && std::is_aggregate_v<T>);
  alignas(T) std::byte bytes_[sizeof(T) * N];
};

/// Planes of faces have numbers of the kind Real, vertices are doubles.
template <class Real>
class BasicPolytope {
 public:
  using Vector = std::conditional_t<std::is_same_v<Real, double>, Vec3, math::WideVec3>;
  static constexpr int max_vertices = 256;
  static constexpr int max_faces = 1024;  // dead ones included

  struct Face {
    Vector n;        ///< outward, not of unit length
    Real offset;     ///< n.y of its vertices
    double inverse;  ///< 1 / n.n; infinite if the face has no area
    double slack;    ///< a vertex at most this far beyond (times |n|) is on the plane
    std::array<std::uint16_t, 3> vertex;
    std::array<std::uint16_t, 3> next;      ///< face across the edge from vertex k to k + 1
    std::array<std::uint8_t, 3> next_edge;  ///< and that edge's place there
    bool dead;
  };

  /// The corners of a tetrahedron with volume, in any order.
  BasicPolytope(const std::array<Vertex, 4>& corners, double tolerance) : tolerance_(tolerance) {
    for (const Vertex& v : corners) vertices_[vertex_count_++] = v;
    const Vector a = difference(corners[1].y, corners[0].y);
    const Vector b = difference(corners[2].y, corners[0].y);
    const Vector c = difference(corners[3].y, corners[0].y);
    const bool flip = dot(cross(a, b), c) > 0;  // face 0 1 2 would look at corner 3
    const std::array<std::array<std::uint16_t, 3>, 4> faces =
        flip ? std::array<std::array<std::uint16_t, 3>, 4>{{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}}
             : std::array<std::array<std::uint16_t, 3>, 4>{{{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}}};
    for (const auto& f : faces) make_face(f[0], f[1], f[2]);
    for (std::uint16_t f = 0; f < 4; ++f) {
      for (std::uint16_t g = 0; g < 4; ++g) {
        for (std::uint8_t i = 0; i < 3; ++i) {
          for (std::uint8_t j = 0; j < 3; ++j) {
            if (f != g && faces_[f].vertex[i] == faces_[g].vertex[(j + 1) % 3] &&
                faces_[f].vertex[(i + 1) % 3] == faces_[g].vertex[j])
              link(f, i, g, j);
          }
        }
      }
    }
    for (std::uint16_t f = 0; f < 4; ++f) push(f, INFINITY);
  }

  const Face& face(std::uint16_t f) const { return faces_[f]; }
  const Vertex& vertex(std::uint16_t v) const { return vertices_[v]; }
  bool full() const { return vertex_count_ == max_vertices || face_count_ + 64 > max_faces; }

  /// Squared distance of the face's plane from the origin.
  double key(std::uint16_t f) const {
    const Face& face = faces_[f];
    // No area, no part of the surface.
    if (!(face.inverse < INFINITY)) return INFINITY;
    const auto offset = static_cast<double>(face.offset);
    return offset > 0 ? offset * offset * face.inverse : 0;
  }

  /// The face closest to the origin, off the heap; false if there is none.
  bool pop(std::uint16_t& f) {
    while (heap_count_ > 0) {
      std::pop_heap(heap_.begin(), heap_.begin() + heap_count_, Later{});
      f = heap_[--heap_count_].face;
      if (!faces_[f].dead) return true;
    }
    return false;
  }
  /// Faces farther than a support known already can be closest no more.
  void push(std::uint16_t f, double known_squared) {
    const double k = key(f);
    if (!(k <= known_squared) || k == INFINITY) return;
    heap_[heap_count_++] = {k, f};
    std::push_heap(heap_.begin(), heap_.begin() + heap_count_, Later{});
  }

  /// body(f) for each face that is there.
  template <class Body>
  void for_each_face(Body&& body) const {
    for (std::uint16_t f = 0; f < face_count_; ++f) {
      if (!faces_[f].dead) body(f);
    }
  }

  /// The least square of n of all faces there ever were.
  double thinnest() const { return thinnest_; }

  /// No face that is there has a plane nearer to the origin, whatever rounding did to its normal.
  double sure_distance() const {
    double smallest = INFINITY;
    for_each_face([&](std::uint16_t f) {
      const Face& face = faces_[f];
      if (!(face.inverse < INFINITY)) return;
      const Vec3& a = vertices_[face.vertex[0]].y;
      const Vec3 e = vertices_[face.vertex[1]].y - a;
      const Vec3 g = vertices_[face.vertex[2]].y - a;
      const double doubt = 1e-15 * std::sqrt(dot(e, e) * dot(g, g) * dot(a, a));
      smallest = std::min(smallest, (static_cast<double>(face.offset) - doubt) * std::sqrt(face.inverse));
    });
    return std::max(smallest, 0.0);
  }

  /// Replaces all faces that see w, which `from` does, by a cone over their rim. False if the rim is not one loop,
  /// which only rounding can do: then the polytope is spoilt.
  bool expand(std::uint16_t from, const Vertex& w, double known_squared) {
    rim_count_ = 0;
    const std::uint16_t apex = vertex_count_;
    vertices_[vertex_count_++] = w;
    faces_[from].dead = true;
    for (int k = 0; k < 3; ++k) {
      if (!search(faces_[from].next[static_cast<std::size_t>(k)], faces_[from].next_edge[static_cast<std::size_t>(k)],
                  w.y)) {
        return false;
      }
    }
    if (rim_count_ < 3) return false;
    const std::uint16_t first = face_count_;
    for (int k = 0; k < rim_count_; ++k) {
      const Rim& rim = rim_[static_cast<std::size_t>(k)];
      const Face& outer = faces_[rim.face];
      const std::uint16_t from_vertex = outer.vertex[(rim.edge + 1) % 3];
      const std::uint16_t to_vertex = outer.vertex[rim.edge];
      const std::uint16_t f = face_count_;
      make_face(from_vertex, to_vertex, apex);
      link(f, 0, rim.face, rim.edge);
      if (k > 0) {
        if (faces_[f - 1].vertex[1] != from_vertex) return false;
        link(f, 2, static_cast<std::uint16_t>(f - 1), 1);
      }
    }
    const auto last = static_cast<std::uint16_t>(face_count_ - 1);
    if (faces_[last].vertex[1] != faces_[first].vertex[0]) return false;
    link(first, 2, last, 1);
    for (std::uint16_t f = first; f < face_count_; ++f) push(f, known_squared);
    return true;
  }

 private:
  struct Rim {
    std::uint16_t face;
    std::uint8_t edge;
  };
  struct Entry {
    double key;
    std::uint16_t face;
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const { return a.key > b.key; }
  };

  static Vector difference(const Vec3& a, const Vec3& b) {
    if constexpr (std::is_same_v<Real, double>) return a - b;
    if constexpr (!std::is_same_v<Real, double>) return math::wide_difference(a, b);
  }

  void make_face(std::uint16_t i, std::uint16_t j, std::uint16_t k) {
    Face& f = faces_[face_count_++];
    const Vec3& a = vertices_[i].y;
    f.n = cross(difference(vertices_[j].y, a), difference(vertices_[k].y, a));
    const auto nn = static_cast<double>(dot(f.n, f.n));
    f.inverse = 1 / nn;
    thinnest_ = std::min(thinnest_, nn);
    f.offset = dot(f.n, Vector(a));
    f.slack = tolerance_ * one_norm(f.n);
    f.vertex = {i, j, k};
    f.dead = false;
  }

  static double one_norm(const Vector& n) {
    const auto size = [](const Real& x) { return std::abs(static_cast<double>(x)); };
    return size(n.x) + size(n.y) + size(n.z);
  }

  void link(std::uint16_t f, std::uint8_t i, std::uint16_t g, std::uint8_t j) {
    faces_[f].next[i] = g;
    faces_[f].next_edge[i] = j;
    faces_[g].next[j] = f;
    faces_[g].next_edge[j] = i;
  }

  /// Goes into a face over one of its edges; the rim comes out in order. False if there is no more room.
  bool search(std::uint16_t f, std::uint8_t edge, const Vec3& w) {
    Face& face = faces_[f];
    if (face.dead) return true;
    if (dot(face.n, Vector(w)) - face.offset <= face.slack) {
      if (rim_count_ == max_rim) return false;
      rim_[static_cast<std::size_t>(rim_count_++)] = {f, edge};
      return true;
    }
    face.dead = true;
    const auto second = static_cast<std::size_t>((edge + 1) % 3);
    const auto third = static_cast<std::size_t>((edge + 2) % 3);
    return search(face.next[second], face.next_edge[second], w) && search(face.next[third], face.next_edge[third], w);
  }

  static constexpr int max_rim = 60;
  std::uint16_t vertex_count_ = 0;
  std::uint16_t face_count_ = 0;
  std::uint16_t heap_count_ = 0;
  int rim_count_ = 0;
  double tolerance_;
  double thinnest_ = INFINITY;
  Room<Rim, max_rim> rim_;
  Room<Vertex, max_vertices> vertices_;
  Room<Face, max_faces> faces_;
  Room<Entry, max_faces> heap_;
};

using Polytope = BasicPolytope<double>;

}  // namespace carom::convex
