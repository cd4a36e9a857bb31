#pragma once

#include <set>
#include <utility>
#include <vector>

#include "bodies/body.hpp"
#include "carom/mesh/surface.hpp"

/// Cutting of sheets, which are the triangles of cloth, of particles and of surfaces that no force moves: vertices are
/// put where a blade met edges, edges along its path are cut, and vertices become as many as there are fans of
/// triangles around them that are not joined by an edge. Any set of cut edges gives a manifold with a border.
/// Constraints, springs and masses follow from what is told here. Nothing here knows of worlds.
namespace carom::sheet {

/// Whether contacts take a body for a thin sheet, with two sides that fold, slide along each other and tangle: cloth,
/// and particles from their first cut on, whose lips lie beside each other.
inline bool collides_as_cloth(const Body& body) {
  return body.cloth != nullptr || (body.is_spring_net() && body.whole);
}

/// Place where a blade met an edge.
struct EdgeCrossing {
  Edge edge{};          ///< vertices, the smaller first
  double fraction = 0;  ///< from the first vertex to the second
  double time = 0;      ///< within the step, 0 to 1
  std::size_t blade = 0;
};

/// State of cuts that have not opened yet.
struct CutMarks {
  /// Edges that are cut, each as a triangle and a corner from which the edge goes to the next. Those with one vertex on
  /// both sides at either end: all others are edges of the border.
  std::set<std::pair<Index, Index>> edges;
  /// Vertices where a cut ends or began: a blade goes on from them.
  std::set<Index> tips;
  double shortest = 0;  ///< m; edges shorter than this at rest are not split; 0: not known yet
  double lowest = 0;    ///< m; no edge is split where a triangle would be lower than this at rest
};

struct CutOutcome {
  /// Vertex that was put into an edge.
  struct Inserted {
    Index vertex = none;
    Edge edge{};
    double fraction = 0;  ///< from the first vertex of the edge to the second
  };
  /// Triangle that became two: the part that begins at the corner keeps its number.
  struct Bisection {
    Index triangle = none;
    Index fresh = none;   ///< number of the other part
    Index corner = 0;     ///< from which the split edge runs to the next corner
    Index vertex = none;  ///< that was put into the edge
    double fraction = 0;  ///< from that corner to the next
  };
  std::size_t crossed = 0;
  std::vector<Inserted> inserted;
  std::vector<Bisection> bisections;            ///< one after the other
  std::vector<std::pair<Index, Index>> copies;  ///< vertex that is new, after all inserted ones, and that it was
  std::vector<std::pair<Index, Index>> twins;   ///< vertices that were one
  std::size_t separated = 0;
  double length = 0;  ///< m, at rest
  bool changed = false;
  /// Triangles that are other than before or new, and all within two vertices of them, themselves too; ascending.
  std::vector<Index> triangles;
  std::vector<Index> around;
  /// Vertices at other triangles than before, and all triangles at them; ascending.
  std::vector<Index> vertices;
  std::vector<Index> at_vertices;
  bool separates = false;  ///< some part came off
};

/// The triangles of a body in the joined surface as they are before a cut: there are lists of those at each vertex.
struct JoinedTriangles {
  const Surface& surface;
  Index first_vertex = 0;
  Index first_triangle = 0;
};

/// Fraction of an edge within which a crossing is at its end: no triangle gets thinner than that.
inline constexpr double cut_snap = 0.2;
/// Length at rest below which edges are not split, as a fraction of the mean of the sheet before its first cut.
inline constexpr double shortest_fraction = 0.4;

/// Height at rest, as a fraction of the mean of the least heights of triangles before the first cut, below which no
/// triangle gets: an edge is not split where it would, and the cut goes through its nearest end. The mass of a corner
/// falls and the stiffness of a triangle grows with its height, so slivers would be thrown by what moves others by
/// little. The first cut through a grid of squares leaves heights of 0.27, further ones would leave a fifth of that.
inline constexpr double lowest_fraction = 0.16;

/// Cuts a body that is a sheet. Crossings are of edges of its triangles. New vertices have the mean position and
/// velocity of the ends of their edge, which keeps momentum exactly once vertices are weighed by their triangles again.
/// `inverse_mass` of new vertices is 1, to be weighed. Positions of vertices do not change.
/// `joined`: where there is one, time grows with the cut only.
CutOutcome cut(Body& body, std::vector<EdgeCrossing> crossings, CutMarks& marks,
               const JoinedTriangles* joined = nullptr);

}  // namespace carom::sheet
