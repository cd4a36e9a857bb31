#include "narrow/overlap/pieces.hpp"

#include <algorithm>

#include "core/at.hpp"
#include "core/disjoint_sets.hpp"

namespace carom::overlap {
namespace {

/// Elements that are joined to pieces: crossings of edges, then vertices of a inside b, then vertices of b inside a.
class PieceFinder {
 public:
  PieceFinder(const GeneralPosition& g, const Curves& curves, const Windings& windings,
              const std::array<std::vector<int>, 2>& orientation)
      : g_(g), curves_(curves), windings_(windings), orientation_(orientation) {
    origin_ = 0.5 * (math::to_eigen(g.a.tree.boxes[0].center) +
                     math::to_eigen(g.pose.rotate(g.b.tree.boxes[0].center) + g.pose.t));
    Index count = static_cast<Index>(curves.crossings.size());
    for (std::size_t side = 0; side < 2; ++side) {
      node_[side].assign(windings.of_vertex[side].size(), none);
      for (std::size_t v = 0; v < node_[side].size(); ++v) {
        if (windings.of_vertex[side][v] != 0) node_[side][v] = count++;
      }
    }
    nodes_ = count;
  }

  std::vector<Piece> run() {
    DisjointSets sets(at(nodes_));
    for (const CurveSegment& s : curves_.segments) sets.merge(s.start, s.end);
    for (std::size_t side = 0; side < 2; ++side) {
      each_triangle(side, [&](Index t) {
        for (std::size_t k = 0; k < 3; ++k) {
          each_interval(side, g_.vertex(side, t, k), g_.vertex(side, t, (k + 1) % 3),
                        [&](Index first, Index last, double, double, int) {
                          if (first != none && last != none) sets.merge(first, last);
                        });
        }
      });
    }
    number_pieces(sets);
    for (std::size_t i = 0; i < curves_.segments.size(); ++i)
      pieces_[piece_of(curves_.segments[i].start)].segments.push_back(static_cast<Index>(i));
    for (std::size_t side = 0; side < 2; ++side) measure(side);
    if (!g_.a.any_closed || !g_.b.any_closed) {
      for (Piece& piece : pieces_) piece.volume = unset;
    }
    join_cavities();
    std::sort(pieces_.begin(), pieces_.end(), [](const Piece& p, const Piece& q) {
      return std::tie(p.sides[0].triangles, p.sides[1].triangles) <
             std::tie(q.sides[0].triangles, q.sides[1].triangles);
    });
    return std::move(pieces_);
  }

 private:
  std::size_t piece_of(Index node) const { return at(piece_[at(node)]); }

  /// Triangles that cross the other mesh or have a vertex in it, ascending.
  template <class Visit>
  void each_triangle(std::size_t side, Visit&& visit) {
    std::vector<Index>& list = touched_[side];
    if (list.empty()) {
      for (const CurveSegment& s : curves_.segments) list.push_back(side == 0 ? s.a : s.b);
      const MeshData& m = g_.mesh(side);
      for (std::size_t t = 0; t < m.mesh.triangles.size(); ++t) {
        for (std::size_t k = 0; k < 3; ++k) {
          if (node_[side][at(g_.vertex(side, static_cast<Index>(t), k))] == none) continue;
          list.push_back(static_cast<Index>(t));
          break;
        }
      }
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    for (const Index t : list) visit(t);
  }

  /// visit(node of its start, node of its end, start, end, winding number) for each interval of the edge from p to q
  /// that is inside the other mesh; start and end are fractions from the lower vertex.
  template <class Visit>
  void each_interval(std::size_t side, Index p, Index q, Visit&& visit) const {
    const Index from = std::min(p, q);
    const Index to = std::max(p, q);
    int winding = windings_.of_vertex[side][at(from)];
    Index last = node_[side][at(from)];
    double start = 0;
    const auto crossings = crossings_of(curves_, side, from, to);
    for (const EdgeCrossing& c : crossings) {
      const auto number = static_cast<Index>(&c - curves_.crossings.data());
      if (winding != 0) visit(last, number, start, c.fraction, winding);
      winding += c.winding;
      last = number;
      start = c.fraction;
    }
    if (winding != 0) visit(last, node_[side][at(to)], start, 1.0, winding);
  }

  void number_pieces(DisjointSets& sets) {
    piece_.assign(at(nodes_), none);
    std::vector<Index> of_root(at(nodes_), none);
    for (Index i = 0; i < nodes_; ++i) {
      Index& number = of_root[at(sets.find(i))];
      if (number == none) {
        number = static_cast<Index>(pieces_.size());
        pieces_.emplace_back();
        pieces_.back().low = {INFINITY, INFINITY, INFINITY};
        pieces_.back().high = {-INFINITY, -INFINITY, -INFINITY};
      }
      piece_[at(i)] = number;
    }
    const auto grow = [&](Index node, const Vec3& p) {
      Piece& piece = pieces_[piece_of(node)];
      piece.low = math::lower(piece.low, p);
      piece.high = math::higher(piece.high, p);
    };
    for (std::size_t i = 0; i < curves_.crossings.size(); ++i) grow(static_cast<Index>(i), curves_.crossings[i].point);
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t v = 0; v < node_[side].size(); ++v) {
        if (node_[side][v] == none) continue;
        grow(node_[side][v], math::to_vec3(g_.points[side][v]));
        pieces_[piece_of(node_[side][v])].sides[side].vertices.push_back(static_cast<Index>(v));
      }
    }
  }

  /// Area of each triangle inside the other mesh, by Green's theorem along its boundary: segments of the curve, and
  /// intervals of its edges.
  void measure(std::size_t side) {
    std::vector<std::pair<Index, Index>> segments;  // triangle, number
    for (std::size_t i = 0; i < curves_.segments.size(); ++i) {
      const CurveSegment& s = curves_.segments[i];
      segments.emplace_back(side == 0 ? s.a : s.b, static_cast<Index>(i));
    }
    std::sort(segments.begin(), segments.end());
    auto next = segments.begin();
    each_triangle(side, [&](Index t) {
      const Index v0 = g_.vertex(side, t, 0);
      const Eigen::Vector3d& o = g_.point(side, v0);
      const Eigen::Vector3d u = g_.point(side, g_.vertex(side, t, 1)) - o;
      const Eigen::Vector3d v = g_.point(side, g_.vertex(side, t, 2)) - o;
      const Eigen::Vector3d n = u.cross(v).normalized();
      const double h = n.dot(o - origin_);
      const int weight = orientation_[side][at(g_.mesh(side).component[at(t)])];
      const auto add = [&](std::size_t number, double area) {
        Piece& piece = pieces_[number];
        PieceSide& own = piece.sides[side];
        if (own.triangles.empty() || own.triangles.back() != t) own.triangles.push_back(t);
        if (!std::isfinite(area) || !n.allFinite()) return;  // a triangle without area
        piece.volume += weight * h * area / 3;
        own.area += area;
        own.area_vector = own.area_vector + area * math::to_vec3(n);
      };
      for (; next != segments.end() && next->first == t; ++next) {
        const CurveSegment& s = curves_.segments[at(next->second)];
        const Eigen::Vector3d start = math::to_eigen(curves_.crossings[at(s.start)].point) - o;
        const Eigen::Vector3d end = math::to_eigen(curves_.crossings[at(s.end)].point) - o;
        const std::size_t other = 1 - side;
        const int jump = orientation_[other][at(g_.mesh(other).component[at(side == 0 ? s.b : s.a)])];
        add(piece_of(s.start), 0.5 * n.dot(start.cross(end)) * (side == 0 ? jump : -jump));
      }
      for (std::size_t k = 0; k < 3; ++k) {
        const Index p = g_.vertex(side, t, k);
        const Index q = g_.vertex(side, t, (k + 1) % 3);
        const double whole = 0.5 * n.dot((g_.point(side, p) - o).cross(g_.point(side, q) - g_.point(side, p)));
        each_interval(side, p, q, [&](Index first, Index last, double start, double end, int winding) {
          const Index node = first != none ? first : last;
          if (node != none) add(piece_of(node), winding * (end - start) * whole);
        });
      }
    });
  }

  /// Box in box, but for rounding: a hole that ends at a face has the plane of the face in common with what is around.
  bool holds(const Piece& outer, const Piece& inner) const {
    const double slack = 2 * g_.shift_length + 1e-9 * math::length(outer.high - outer.low);
    const Vec3 below = outer.low - inner.low;
    const Vec3 above = inner.high - outer.high;
    return std::max({below.x, below.y, below.z, above.x, above.y, above.z}) <= slack;
  }

  /// A piece with a negative volume is the boundary of a cavity in another: the smallest that holds it.
  void join_cavities() {
    const auto size = [](const Piece& p) { return math::length(p.high - p.low); };
    for (std::size_t i = 0; i < pieces_.size();) {
      std::size_t outer = pieces_.size();
      for (std::size_t j = 0; pieces_[i].volume < 0 && j < pieces_.size(); ++j) {
        if (j == i || !(pieces_[j].volume > 0) || !holds(pieces_[j], pieces_[i])) continue;
        if (outer == pieces_.size() || size(pieces_[j]) < size(pieces_[outer])) outer = j;
      }
      if (outer == pieces_.size()) {
        ++i;
        continue;
      }
      join(pieces_[outer], pieces_[i]);
      pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  static void join(Piece& piece, const Piece& more) {
    const auto merge = [](std::vector<Index>& list, const std::vector<Index>& others) {
      list.insert(list.end(), others.begin(), others.end());
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    piece.volume += more.volume;
    merge(piece.segments, more.segments);
    for (std::size_t side = 0; side < 2; ++side) {
      merge(piece.sides[side].triangles, more.sides[side].triangles);
      merge(piece.sides[side].vertices, more.sides[side].vertices);
      piece.sides[side].area += more.sides[side].area;
      piece.sides[side].area_vector = piece.sides[side].area_vector + more.sides[side].area_vector;
    }
  }

  const GeneralPosition& g_;
  const Curves& curves_;
  const Windings& windings_;
  const std::array<std::vector<int>, 2>& orientation_;
  Eigen::Vector3d origin_;
  std::array<std::vector<Index>, 2> node_;     ///< of each vertex inside the other
  std::array<std::vector<Index>, 2> touched_;  ///< triangles
  Index nodes_ = 0;
  std::vector<Index> piece_;  ///< of each node
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> find_pieces(const GeneralPosition& g, const Curves& curves, const Windings& windings,
                               const std::array<std::vector<int>, 2>& orientation) {
  return PieceFinder(g, curves, windings, orientation).run();
}

}  // namespace carom::overlap
