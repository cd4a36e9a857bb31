#include "mesh/link_surface.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/at.hpp"
#include "core/disjoint_sets.hpp"
#include "mesh/link_faces.hpp"

namespace carom::mesh {
namespace {

using Eigen::Vector3d;
class SurfaceMaker {
 public:
  SurfaceMaker(const VoxelLinks& links, std::span<const Index> voxels) : links_(links), voxels_(voxels) {}

  LinkSurface run() {
    find_sides();
    const std::size_t corner_count = 4 * surface_.sides.size();
    DisjointSets corners(corner_count);
    mates_.assign(corner_count, none);
    for (Index h = 0; h < static_cast<Index>(corner_count); ++h) {
      if (mates_[at(h)] != none) continue;
      const Index mate = glued_edge(h);
      mates_[at(h)] = mate;
      mates_[at(mate)] = h;
      corners.merge(h, next(mate));
      corners.merge(next(h), mate);
    }
    number_vertices(corners);
    split_double_edges();
    for (Index side = 0; side < static_cast<Index>(surface_.sides.size()); ++side) add_square(side);
    return std::move(surface_);
  }

 private:
  static Index next(Index h) { return h % 4 == 3 ? h - 3 : h + 1; }

  void find_sides() {
    number_.assign(links_.voxel_count() * direction_count, none);
    for (const Index v : voxels_) {
      for (int d = 0; d < direction_count; ++d) {
        if (links_.joined(v, d)) continue;
        number_[at(v) * direction_count + static_cast<std::size_t>(d)] = static_cast<Index>(surface_.sides.size());
        surface_.sides.push_back({v, d});
        surface_.is_cut.push_back(links_.neighbor(v, d) != none ? 1 : 0);
      }
    }
    surface_.ordered_sides = surface_.sides.size();
  }

  /// Edge h = 4 side + i, from corner i of a side to the next, and the one that it is glued to.
  Index glued_edge(Index h) const {
    const VoxelLink& side = surface_.sides[at(h / 4)];
    const FaceEdge to =
        glued_to(links_, {side.voxel, side.direction, edge_direction(side.direction, static_cast<std::size_t>(h % 4))});
    const Index other = number_[at(to.voxel) * direction_count + static_cast<std::size_t>(to.direction)];
    for (Index i = 0; i < 4; ++i) {
      if (edge_direction(to.direction, static_cast<std::size_t>(i)) == to.towards) return 4 * other + i;
    }
    return none;
  }

  Index add_vertex(const Place& place, std::vector<Index> voxels) {
    std::sort(voxels.begin(), voxels.end());
    voxels.erase(std::unique(voxels.begin(), voxels.end()), voxels.end());
    surface_.vertices.push_back({place, std::move(voxels)});
    return static_cast<Index>(surface_.vertices.size() - 1);
  }

  void number_vertices(DisjointSets& corners) {
    // Corners in the order of the first ones that they are glued to.
    std::vector<std::pair<Index, Index>> glued;
    glued.reserve(mates_.size());
    for (Index h = 0; h < static_cast<Index>(mates_.size()); ++h) glued.emplace_back(corners.find(h), h);
    std::sort(glued.begin(), glued.end());
    vertex_.resize(mates_.size());
    for (std::size_t begin = 0, end = 0; begin < glued.size(); begin = end) {
      std::vector<Index> voxels;
      for (; end < glued.size() && glued[end].first == glued[begin].first; ++end) {
        voxels.push_back(surface_.sides[at(glued[end].second / 4)].voxel);
        vertex_[at(glued[end].second)] = static_cast<Index>(surface_.vertices.size());
      }
      const Index h = glued[begin].first;
      const VoxelLink& side = surface_.sides[at(h / 4)];
      add_vertex(corner_place(links_, side.voxel, face_corners(side.direction)[at(h % 4)]), std::move(voxels));
    }
  }

  /// Two edges with the same ends, as where voxels touch along one, get a vertex in their middle each.
  void split_double_edges() {
    std::vector<std::pair<Edge, Index>> edges;
    edges.reserve(mates_.size());
    for (Index h = 0; h < static_cast<Index>(mates_.size()); ++h) {
      const Index a = vertex_[at(h)];
      const Index b = vertex_[at(next(h))];
      edges.emplace_back(Edge{std::min(a, b), std::max(a, b)}, h);
    }
    std::sort(edges.begin(), edges.end());
    std::vector<Index> doubled;
    for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
      while (end < edges.size() && edges[end].first == edges[begin].first) ++end;
      if (end - begin <= 2) continue;
      for (std::size_t i = begin; i < end; ++i) doubled.push_back(edges[i].second);
    }
    std::sort(doubled.begin(), doubled.end());
    middle_.assign(mates_.size(), none);
    for (const Index h : doubled) {
      if (middle_[at(h)] != none) continue;
      Place place{};
      for (std::size_t k = 0; k < 3; ++k) {
        place[k] =
            (surface_.vertices[at(vertex_[at(h)])].place[k] + surface_.vertices[at(vertex_[at(next(h))])].place[k]) / 2;
      }
      const Index mate = mates_[at(h)];
      middle_[at(h)] = middle_[at(mate)] =
          add_vertex(place, {surface_.sides[at(h / 4)].voxel, surface_.sides[at(mate / 4)].voxel});
    }
  }

  void add_square(Index side) {
    const VoxelLink& of = surface_.sides[at(side)];
    const Index center = add_vertex(middle_of_face(links_, of), {of.voxel});
    SideTriangles& own = surface_.triangles_of_side.emplace_back();
    own.fill(none);
    const auto add = [&](std::size_t place, Index a, Index b) {
      own[place] = static_cast<Index>(surface_.triangles.size());
      surface_.triangles.push_back({a, b, center});
      surface_.side_of_triangle.push_back(side);
    };
    for (std::size_t i = 0; i < 4; ++i) {
      const Index h = 4 * side + static_cast<Index>(i);
      const Index a = vertex_[at(h)];
      const Index b = vertex_[at(next(h))];
      if (middle_[at(h)] == none) {
        add(2 * i, a, b);
      } else {
        add(2 * i, a, middle_[at(h)]);
        add(2 * i + 1, middle_[at(h)], b);
      }
    }
  }

  const VoxelLinks& links_;
  std::span<const Index> voxels_;
  LinkSurface surface_;
  std::vector<Index> number_;  // of the side of each voxel and direction
  std::vector<Index> mates_;   // of each edge of a side
  std::vector<Index> vertex_;  // at which each edge of a side begins
  std::vector<Index> middle_;  // of each edge of a side; none unless it is split
};

}  // namespace

Index LinkSurface::side(Index voxel, int direction) const {
  const auto before = [](const VoxelLink& side, const VoxelLink& wanted) {
    return std::tie(side.voxel, side.direction) < std::tie(wanted.voxel, wanted.direction);
  };
  const VoxelLink wanted{voxel, direction};
  const auto end = sides.begin() + static_cast<std::ptrdiff_t>(ordered_sides);
  if (const auto found = std::lower_bound(sides.begin(), end, wanted, before); found != end && *found == wanted)
    return static_cast<Index>(found - sides.begin());
  const auto later = later_sides.find({voxel, direction});
  return later == later_sides.end() ? none : later->second;
}

LinkSurface make_surface(const VoxelLinks& links) {
  std::vector<Index> all(links.voxel_count());
  std::iota(all.begin(), all.end(), Index{0});
  return make_surface(links, all);
}

LinkSurface make_surface(const VoxelLinks& links, std::span<const Index> voxels) {
  return SurfaceMaker(links, voxels).run();
}

std::vector<Vector3d> positions_of(const LinkSurface& surface, const VoxelLinks& links, double kerf) {
  std::vector<Vector3d> positions;
  positions.reserve(surface.vertices.size());
  for (const LinkVertex& vertex : surface.vertices) {
    const Vector3d place = 0.5 * Vector3d(vertex.place[0], vertex.place[1], vertex.place[2]);
    Vector3d inward(0, 0, 0);
    for (const Index v : vertex.voxels) {
      const Place& cell = links.cell(v);
      inward += Vector3d(cell[0], cell[1], cell[2]) + Vector3d::Constant(0.5) - place;
    }
    // Half a voxel from a face to the middle: `kerf` / 2 along each axis.
    positions.emplace_back(place + kerf / static_cast<double>(vertex.voxels.size()) * inward);
  }
  return positions;
}

LinkNodes make_nodes(const VoxelLinks& links) {
  // Corners of voxels that are one: at each corner, those of voxels that are joined by a face with this corner.
  DisjointSets corners(8 * links.voxel_count());
  for (Index v = 0; v < static_cast<Index>(links.voxel_count()); ++v) {
    for (int d = 1; d < direction_count; d += 2) {
      if (!links.joined(v, d)) continue;
      const Index w = links.neighbor(v, d);
      for (const int c : face_corners(d)) corners.merge(8 * v + c, 8 * w + (c ^ (1 << (d / 2))));
    }
  }
  LinkNodes nodes;
  nodes.corners.resize(links.voxel_count());
  std::vector<Index> numbers(8 * links.voxel_count(), none);
  for (Index v = 0; v < static_cast<Index>(links.voxel_count()); ++v) {
    for (int c = 0; c < 8; ++c) {
      Index& number = numbers[at(corners.find(8 * v + c))];
      if (number == none) {
        number = static_cast<Index>(nodes.places.size());
        Place place = corner_place(links, v, c);
        for (std::int32_t& x : place) x /= 2;
        nodes.places.push_back(place);
      }
      nodes.corners[at(v)][static_cast<std::size_t>(c)] = number;
    }
  }
  return nodes;
}

}  // namespace carom::mesh
