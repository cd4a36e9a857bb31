#include "contact/tangles.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include "core/at.hpp"
#include "core/disjoint_sets.hpp"
#include "math/orientation.hpp"

namespace carom::contact {
namespace {

using Eigen::Vector3d;

/// Mean of unit normals along a cut below which they do not agree on a direction.
constexpr double min_coherence = 0.3;

/// Edge that pierces a triangle.
struct Piercing {
  Edge edge;
  Index triangle = none;
  friend auto operator<=>(const Piercing&, const Piercing&) = default;
};

/// Cut of an object: edges that are pierced, one beside the other, and the part of the object that they cut off.
struct Cut {
  Index object = none;
  std::vector<std::size_t> edges{};  ///< numbers in Finder::edges_
  std::vector<Index> part{};         ///< vertices cut off, ascending; empty if the cut leaves the object in one piece
  std::vector<Index> rest{};         ///< vertices on the other side of the cut, ascending
  Vector3d direction = Vector3d::Zero();
  double coherence = 0;  ///< 0 to 1, of the normals that `direction` comes from
};

bool contains(const std::vector<Index>& sorted, Index v) {
  return std::binary_search(sorted.begin(), sorted.end(), v);
}

/// Tangles of two objects, or of one with itself.
class Finder {
 public:
  Finder(const TangleIn& in, std::span<const Intersection> pairs) : in_(in), pairs_(pairs) {
    find_piercings();
    find_cuts();
  }

  void run(std::vector<Tangle>& tangles, broad::Tangled& tangled);

 private:
  const Vector3d& point(Index v) const { return in_.positions[at(v)]; }
  const Triangle& corners(Index t) const { return in_.surface.triangles()[at(t)]; }
  Index object_of(Index t) const { return in_.surface.object_index_of_triangle()[at(t)]; }
  Index object_of_vertex(Index v) const { return object_of(in_.surface.first_corner(v) / 3); }
  static std::array<Edge, 3> edges_of(const Triangle& t) {
    const auto sorted = [](Index a, Index b) { return a < b ? Edge{a, b} : Edge{b, a}; };
    return {sorted(t[0], t[1]), sorted(t[1], t[2]), sorted(t[2], t[0])};
  }
  Vector3d normal(Index t) const {
    const auto& [a, b, c] = corners(t);
    return (point(b) - point(a)).cross(point(c) - point(a)).normalized();
  }
  Index number_of(const Edge& edge) const {
    const auto found = std::lower_bound(edges_.begin(), edges_.end(), edge);
    return found != edges_.end() && *found == edge ? static_cast<Index>(found - edges_.begin()) : none;
  }

  bool pierces(const Edge& edge, const Triangle& t) const;
  void find_piercings();
  void find_cuts();
  void split(Cut& cut) const;
  void orient(Cut& cut) const;
  void part_by_border(std::span<const Piercing> piercings, Tangle& tangle) const;
  static std::size_t set_of(const Tangle& tangle, broad::Tangled& tangled);
  std::vector<Index> vertices_of(Index object) const;
  bool is_border(const Edge& edge) const;

  const TangleIn& in_;
  std::span<const Intersection> pairs_;
  std::vector<Piercing> piercings_;  ///< sorted
  std::vector<Edge> edges_;          ///< that pierce something, sorted
  std::vector<Index> cut_of_edge_;
  std::vector<Cut> cuts_;
};

bool Finder::pierces(const Edge& edge, const Triangle& t) const {
  for (const Index v : t) {
    if (v == edge[0] || v == edge[1]) return false;
  }
  const Vector3d& p = point(edge[0]);
  const Vector3d& q = point(edge[1]);
  const Vector3d& a = point(t[0]);
  const Vector3d& b = point(t[1]);
  const Vector3d& c = point(t[2]);
  const int side_p = math::orient3d(a, b, c, p);
  const int side_q = math::orient3d(a, b, c, q);
  if (side_p * side_q > 0 || (side_p == 0 && side_q == 0)) return false;
  const int ab = math::orient3d(p, q, a, b);
  const int bc = math::orient3d(p, q, b, c);
  const int ca = math::orient3d(p, q, c, a);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

void Finder::find_piercings() {
  for (const Intersection& pair : pairs_) {
    for (const auto& [t, other] : {std::pair{pair.a, pair.b}, std::pair{pair.b, pair.a}}) {
      for (const Edge& edge : edges_of(corners(t))) {
        if (pierces(edge, corners(other))) piercings_.push_back({edge, other});
      }
    }
  }
  std::sort(piercings_.begin(), piercings_.end());
  piercings_.erase(std::unique(piercings_.begin(), piercings_.end()), piercings_.end());
  for (const Piercing& piercing : piercings_) {
    if (edges_.empty() || edges_.back() != piercing.edge) edges_.push_back(piercing.edge);
  }
}

/// Edges of a triangle that both pierce something are of one cut.
void Finder::find_cuts() {
  DisjointSets sets(edges_.size());
  for (const Intersection& pair : pairs_) {
    for (const Index t : {pair.a, pair.b}) {
      Index first = none;
      for (const Edge& edge : edges_of(corners(t))) {
        const Index number = number_of(edge);
        if (number == none) continue;
        if (first != none) sets.merge(first, number);
        first = number;
      }
    }
  }
  cut_of_edge_.assign(edges_.size(), none);
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const Index first = sets.find(static_cast<Index>(i));
    if (at(first) == i) {
      cut_of_edge_[i] = static_cast<Index>(cuts_.size());
      cuts_.push_back({.object = object_of_vertex(edges_[i][0])});
    }
    cut_of_edge_[i] = cut_of_edge_[at(first)];
    cuts_[at(cut_of_edge_[i])].edges.push_back(i);
  }
  for (Cut& cut : cuts_) {
    split(cut);
    orient(cut);
  }
}

/// Walks from the ends of the edges that are cut along all others. The largest piece is the rest.
void Finder::split(Cut& cut) const {
  std::vector<Edge> removed;
  for (const std::size_t i : cut.edges) removed.push_back(edges_[i]);
  const auto is_removed = [&](Index a, Index b) {
    return std::binary_search(removed.begin(), removed.end(), a < b ? Edge{a, b} : Edge{b, a});
  };
  std::map<Index, std::size_t> piece_of;
  std::vector<std::vector<Index>> pieces;
  std::vector<Index> open;
  for (const Edge& edge : removed) {
    for (const Index start : edge) {
      if (piece_of.contains(start)) continue;
      std::vector<Index>& piece = pieces.emplace_back();
      piece_of[start] = pieces.size();
      open.push_back(start);
      while (!open.empty()) {
        const Index v = open.back();
        open.pop_back();
        piece.push_back(v);
        for (Index corner = in_.surface.first_corner(v); corner != none; corner = in_.surface.next_corner(corner)) {
          for (const Index w : corners(corner / 3)) {
            if (w == v || piece_of.contains(w) || is_removed(v, w)) continue;
            piece_of[w] = pieces.size();
            open.push_back(w);
          }
        }
      }
    }
  }
  if (pieces.size() < 2) return;
  std::size_t largest = 0;
  for (std::size_t k = 1; k < pieces.size(); ++k) {
    if (pieces[k].size() > pieces[largest].size()) largest = k;
  }
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    std::vector<Index>& to = k == largest ? cut.rest : cut.part;
    to.insert(to.end(), pieces[k].begin(), pieces[k].end());
  }
  std::sort(cut.part.begin(), cut.part.end());
  std::sort(cut.rest.begin(), cut.rest.end());
}

/// Mean normal of the triangles that are pierced, toward the ends that are not cut off.
void Finder::orient(Cut& cut) const {
  if (cut.part.empty()) return;
  double count = 0;
  for (const std::size_t i : cut.edges) {
    const Edge& edge = edges_[i];
    const bool first_in = contains(cut.part, edge[0]);
    if (first_in == contains(cut.part, edge[1])) continue;
    const Vector3d outward = point(edge[first_in ? 1 : 0]) - point(edge[first_in ? 0 : 1]);
    const auto from = std::lower_bound(piercings_.begin(), piercings_.end(), Piercing{edge, 0});
    for (auto p = from; p != piercings_.end() && p->edge == edge; ++p) {
      const Vector3d n = normal(p->triangle);
      cut.direction += n.dot(outward) < 0 ? Vector3d(-n) : n;
      count += 1;
    }
  }
  const double length = cut.direction.norm();
  if (!(length > 0)) return;
  cut.coherence = length / count;
  cut.direction /= length;
}

std::vector<Index> Finder::vertices_of(Index object) const {
  std::vector<Index> vertices;
  for (std::size_t v = 0; v < in_.positions.size(); ++v) {
    const auto vertex = static_cast<Index>(v);
    if (in_.surface.first_corner(vertex) != none && object_of_vertex(vertex) == object) vertices.push_back(vertex);
  }
  return vertices;
}

bool Finder::is_border(const Edge& edge) const {
  int triangles = 0;
  for (Index corner = in_.surface.first_corner(edge[0]); corner != none; corner = in_.surface.next_corner(corner)) {
    const Triangle& t = corners(corner / 3);
    if (std::find(t.begin(), t.end(), edge[1]) != t.end()) ++triangles;
  }
  return triangles == 1;
}

/// Border edges go back along the contour, toward its center; where there are none, along a normal.
void Finder::part_by_border(std::span<const Piercing> piercings, Tangle& tangle) const {
  Vector3d direction = Vector3d::Zero();
  std::vector<Index> ends_a;
  std::vector<Index> ends_b;
  for (const Piercing& p : piercings) {
    const bool of_a = object_of_vertex(p.edge[0]) == tangle.object_a;
    std::vector<Index>& ends = of_a ? ends_a : ends_b;
    ends.insert(ends.end(), p.edge.begin(), p.edge.end());
    if (!is_border(p.edge)) continue;
    const Vector3d inward = (tangle.center - 0.5 * (point(p.edge[0]) + point(p.edge[1]))).normalized();
    direction += of_a ? inward : Vector3d(-inward);
  }
  if (!(direction.norm() > 1e-3)) {
    direction = normal(tangle.triangles[1]);
    const auto& [a, b, c] = corners(tangle.triangles[0]);
    if (direction.dot((point(a) + point(b) + point(c)) / 3 - tangle.center) < 0) direction = -direction;
  }
  tangle.direction = direction.normalized();
  if (tangle.object_a != tangle.object_b) {
    tangle.moved = vertices_of(tangle.object_a);
    tangle.other = vertices_of(tangle.object_b);
    return;
  }
  const Triangle& t = corners(tangle.triangles[1]);
  tangle.moved = ends_a;
  tangle.other.assign(t.begin(), t.end());
  for (std::vector<Index>* list : {&tangle.moved, &tangle.other}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  std::erase_if(tangle.other, [&](Index v) { return contains(tangle.moved, v); });
}

/// First of the two sets of a tangle: what goes through b, and what of b goes through a. Contours between the same two
/// objects have them in common. The last two are for all that is left.
std::size_t Finder::set_of(const Tangle& tangle, broad::Tangled& tangled) {
  const Index a = tangle.object_a;
  const Index b = tangle.object_b;
  for (std::size_t set = 0; a != b && set < tangled.through.size(); set += 2) {
    if (tangled.through[set] == b && tangled.through[set + 1] == a) return set;
  }
  constexpr std::size_t last = broad::Tangled::max_sets - 2;
  if (tangled.through.size() > last) return last;
  const bool full = tangled.through.size() == last;
  tangled.through.insert(tangled.through.end(), {full ? none : b, full ? none : a});
  return tangled.through.size() - 2;
}

void Finder::run(std::vector<Tangle>& tangles, broad::Tangled& tangled) {
  // Contours: cuts that pierce each other, and the pairs of triangles in them.
  DisjointSets sets(pairs_.size());
  std::map<Index, Index> first_pair;  // of each cut
  Index first_uncut = none;           // of triangles that overlap in a plane
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    bool cut = false;
    for (const Index t : {pairs_[i].a, pairs_[i].b}) {
      for (const Edge& edge : edges_of(corners(t))) {
        const Index number = number_of(edge);
        if (number == none) continue;
        cut = true;
        const auto [found, added] = first_pair.try_emplace(cut_of_edge_[at(number)], static_cast<Index>(i));
        if (!added) sets.merge(found->second, static_cast<Index>(i));
      }
    }
    if (cut) continue;
    if (first_uncut == none) first_uncut = static_cast<Index>(i);
    sets.merge(first_uncut, static_cast<Index>(i));
  }

  std::map<Index, std::vector<std::size_t>> contours;  // pairs, by the first of them
  for (std::size_t i = 0; i < pairs_.size(); ++i) contours[sets.find(static_cast<Index>(i))].push_back(i);
  for (const auto& [first, members] : contours) {
    Tangle& tangle = tangles.emplace_back();
    tangle.pairs = members.size();
    const Intersection& pair = pairs_[at(first)];
    tangle.triangles = {pair.a, pair.b};
    for (const std::size_t i : members)
      tangle.center += 0.5 * (pairs_[i].start + pairs_[i].end) / static_cast<double>(members.size());

    const Cut* best = nullptr;
    for (const auto& [cut, in_pair] : first_pair) {
      if (sets.find(in_pair) != first) continue;
      const Cut& candidate = cuts_[at(cut)];
      if (candidate.part.empty()) continue;
      const bool agrees = candidate.coherence >= min_coherence;
      if (!agrees) continue;
      if (best == nullptr || candidate.part.size() < best->part.size()) best = &candidate;
    }
    const Index object_a = object_of(pair.a);
    const Index object_b = object_of(pair.b);
    std::vector<Piercing> piercings;
    for (const Piercing& p : piercings_) {
      const auto found = first_pair.find(cut_of_edge_[at(number_of(p.edge))]);
      if (sets.find(found->second) == first) piercings.push_back(p);
    }
    if (best != nullptr) {
      tangle.object_a = best->object;
      tangle.object_b = best->object == object_a ? object_b : object_a;
      if (tangle.object_a != object_a) std::swap(tangle.triangles[0], tangle.triangles[1]);
      tangle.direction = best->direction;
      tangle.moved = best->part;
      tangle.other = tangle.object_a == tangle.object_b ? best->rest : vertices_of(tangle.object_b);
    } else {
      tangle.object_a = object_a;
      tangle.object_b = object_b;
      part_by_border(piercings, tangle);
    }

    const std::size_t set = set_of(tangle, tangled);
    const std::uint64_t bit = std::uint64_t{1} << set;
    if (best != nullptr) {
      for (const Index v : tangle.moved) tangled.sets[at(v)] |= bit;
    }
    for (const Piercing& p : piercings) {
      const auto covered = [&](Index v) { return (tangled.sets[at(v)] & bit) != 0; };
      if (std::any_of(p.edge.begin(), p.edge.end(), covered)) continue;
      if (std::any_of(corners(p.triangle).begin(), corners(p.triangle).end(), covered)) continue;
      const bool of_a = object_of_vertex(p.edge[0]) == tangle.object_a;
      for (const Index v : p.edge) tangled.sets[at(v)] |= of_a ? bit : bit << 1U;
    }
    if (piercings.empty()) {
      for (const std::size_t i : members) {
        for (const Index v : corners(pairs_[i].a)) tangled.sets[at(v)] |= bit;
      }
    }
  }
}

}  // namespace

void find_tangles(Context& context, const TangleIn& in, TangleScratch& scratch, std::vector<Tangle>& tangles,
                  broad::Tangled& tangled) {
  tangles.clear();
  tangled.clear();
  scratch.stats = {};
  detection::find_triangle_pairs(context, {in.surface, in.positions},
                                 {.distance = 0, .pairs = in.scope, .method = in.method, .filter = &in.filter},
                                 scratch.candidates, scratch.stats);
  narrow::find_crossings(context, {in.surface, in.positions, scratch.candidates.mid.pairs}, scratch.crossing,
                         scratch.found, scratch.stats[Stage::mid], scratch.stats[Stage::narrow]);
  const auto movable = [&](Index t) {
    const Triangle& corners = in.surface.triangles()[at(t)];
    return std::any_of(corners.begin(), corners.end(), [&](Index v) { return in.inverse_mass[at(v)] > 0; });
  };
  const auto touch = [&](const Intersection& pair) {
    for (const Index a : in.surface.triangles()[at(pair.a)]) {
      for (const Index b : in.surface.triangles()[at(pair.b)]) {
        const std::array<Index, 2> both{std::min(a, b), std::max(a, b)};
        if (std::binary_search(in.twins.begin(), in.twins.end(), both)) return true;
      }
    }
    return false;
  };
  const std::span<const Index> objects = in.surface.object_index_of_triangle();
  std::erase_if(scratch.found, [&](const Intersection& pair) {
    return (!movable(pair.a) && !movable(pair.b)) || touch(pair) ||
           in.filter.verdict(objects[at(pair.a)], objects[at(pair.b)]) != broad::Verdict::allowed;
  });
  if (scratch.found.empty()) return;
  tangled.sets.assign(in.positions.size(), 0);
  // A contour has two sides, so where three objects meet it ends.
  const auto objects_of = [&](const Intersection& pair) {
    return std::minmax(objects[at(pair.a)], objects[at(pair.b)]);
  };
  std::stable_sort(scratch.found.begin(), scratch.found.end(),
                   [&](const Intersection& p, const Intersection& q) { return objects_of(p) < objects_of(q); });
  for (auto begin = scratch.found.cbegin(); begin != scratch.found.cend();) {
    const auto end = std::find_if(begin, scratch.found.cend(),
                                  [&](const Intersection& pair) { return objects_of(pair) != objects_of(*begin); });
    Finder(in, {begin, end}).run(tangles, tangled);
    begin = end;
  }
}

void list_in_shapes(std::span<const ShapeContacts> shapes, std::span<const std::size_t> cloth_of,
                    std::span<const bodies::SurfacePart> parts, const Surface& surface, double tolerance,
                    std::vector<ShapeTangle>& list) {
  list.clear();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (!parts[cloth_of[i]].cloth) continue;
    ShapeTangle tangle{.part = cloth_of[i], .collider = shapes[i].collider};
    for (const narrow::surface::ShapeContact& c : shapes[i].contacts) {
      if (!(c.distance < -tolerance)) continue;
      ++tangle.features;
      tangle.center += c.point_on_surface;
      if (-c.distance <= tangle.depth) continue;
      tangle.depth = -c.distance;
      tangle.triangle = surface.first_corner(c.vertices[0]) / 3;
    }
    if (tangle.features == 0) continue;
    tangle.center /= static_cast<double>(tangle.features);
    list.push_back(tangle);
  }
}

}  // namespace carom::contact
