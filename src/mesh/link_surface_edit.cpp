#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "core/at.hpp"
#include "core/disjoint_sets.hpp"
#include "mesh/link_faces.hpp"

// Surface of links after some were cut: squares that have a corner of a cut face are glued again, all others stay.
namespace carom::mesh {
namespace {

bool has_corner(std::span<const Place> corners, const Place& doubled) {
  const Place corner{doubled[0] / 2, doubled[1] / 2, doubled[2] / 2};
  return std::binary_search(corners.begin(), corners.end(), corner);
}

/// Corner i of a side that is on the surface, the vertex in the middle of its edge i or none, and its middle.
Index corner_of(const LinkSurface& surface, Index side, std::size_t i) {
  return surface.triangles[at(surface.triangles_of_side[at(side)][2 * i])][0];
}
Index middle_of(const LinkSurface& surface, Index side, std::size_t i) {
  const SideTriangles& own = surface.triangles_of_side[at(side)];
  return own[2 * i + 1] == none ? none : surface.triangles[at(own[2 * i])][1];
}
Index center_of(const LinkSurface& surface, Index side) {
  return surface.triangles[at(surface.triangles_of_side[at(side)][0])][2];
}

class LinkSurfaceEditor {
 public:
  LinkSurfaceEditor(const VoxelLinks& links, std::span<const VoxelLink> cut, std::span<const Place> corners,
                    LinkSurface& surface)
      : links_(links), corners_(corners), surface_(surface) {
    for (const VoxelLink& link : cut) {
      add_side(link);
      add_side({links.neighbor(link.voxel, link.direction), link.direction ^ 1});
    }
    sides_ = sides_at(links, surface, corners);
  }

  LinkSurfaceChange run() {
    look_around();
    DisjointSets glued(4 * sides_.size());
    for (Index h = 0; h < static_cast<Index>(mates_.size()); ++h) {
      if (!is_here(h)) continue;
      const Index mate = glued_edge(h);
      mates_[at(h)] = mate;
      if (here_[at(h)] != 0) glued.merge(h, next(mate));
      if (here_[at(next(h))] != 0) glued.merge(next(h), mate);
    }
    place_corners(glued);
    place_middles();
    place_centers();
    LinkSurfaceChange change;
    std::set_difference(old_.begin(), old_.end(), taken_.begin(), taken_.end(), std::back_inserter(change.gone));
    for (const Index v : change.gone) surface_.vertices[at(v)].voxels.clear();
    place_triangles(change.triangles);
    return change;
  }

 private:
  static Index next(Index h) { return h % 4 == 3 ? h - 3 : h + 1; }
  const VoxelLink& side_of(Index h) const { return surface_.sides[at(sides_[at(h / 4)])]; }
  /// Whether the edge of a side has an end at one of the corners.
  bool is_here(Index h) const { return here_[at(h)] != 0 || here_[at(next(h))] != 0; }

  void add_side(const VoxelLink& side) {
    surface_.later_sides[{side.voxel, side.direction}] = static_cast<Index>(surface_.sides.size());
    surface_.sides.push_back(side);
    surface_.is_cut.push_back(1);
    surface_.triangles_of_side.emplace_back().fill(none);
  }

  /// Vertices as they were.
  void look_around() {
    const std::size_t count = 4 * sides_.size();
    here_.assign(count, 0);
    mates_.assign(count, none);
    vertex_.assign(count, none);
    middle_.assign(count, none);
    center_.assign(sides_.size(), none);
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      local_[{surface_.sides[at(sides_[s])].voxel, surface_.sides[at(sides_[s])].direction}] = static_cast<Index>(s);
      const auto corners = face_corners(surface_.sides[at(sides_[s])].direction);
      for (std::size_t i = 0; i < 4; ++i) {
        here_[4 * s + i] =
            has_corner(corners_, corner_place(links_, surface_.sides[at(sides_[s])].voxel, corners[i])) ? 1 : 0;
      }
      if (surface_.triangles_of_side[at(sides_[s])][0] == none) continue;
      center_[s] = center_of(surface_, sides_[s]);
      for (std::size_t i = 0; i < 4; ++i) {
        vertex_[4 * s + i] = corner_of(surface_, sides_[s], i);
        middle_[4 * s + i] = middle_of(surface_, sides_[s], i);
        if (here_[4 * s + i] != 0) old_.insert(vertex_[4 * s + i]);
      }
      for (Index h = static_cast<Index>(4 * s); h < static_cast<Index>(4 * s + 4); ++h) {
        if (middle_[at(h)] != none && is_here(h)) old_.insert(middle_[at(h)]);
      }
    }
    for (const Index v : old_) {
      const LinkVertex& vertex = surface_.vertices[at(v)];
      for (const Index voxel : vertex.voxels) known_[{vertex.place, voxel}] = v;
    }
  }

  Index glued_edge(Index h) const {
    const VoxelLink& side = side_of(h);
    const FaceEdge to =
        glued_to(links_, {side.voxel, side.direction, edge_direction(side.direction, static_cast<std::size_t>(h % 4))});
    const Index other = local_.at({to.voxel, to.direction});
    for (Index i = 0; i < 4; ++i) {
      if (edge_direction(to.direction, static_cast<std::size_t>(i)) == to.towards) return 4 * other + i;
    }
    return none;
  }

  /// The vertex that has one of these voxels at a place already, or a new one.
  Index take_vertex(const Place& place, std::vector<Index> voxels) {
    std::sort(voxels.begin(), voxels.end());
    voxels.erase(std::unique(voxels.begin(), voxels.end()), voxels.end());
    Index found = none;
    for (const Index voxel : voxels) {
      const auto entry = known_.find({place, voxel});
      if (entry == known_.end() || taken_.contains(entry->second)) continue;
      if (found == none || entry->second < found) found = entry->second;
    }
    if (found == none) {
      found = static_cast<Index>(surface_.vertices.size());
      surface_.vertices.emplace_back();
    }
    taken_.insert(found);
    surface_.vertices[at(found)] = {place, std::move(voxels)};
    return found;
  }

  void place_corners(DisjointSets& glued) {
    std::vector<std::pair<Index, Index>> groups;
    for (Index h = 0; h < static_cast<Index>(mates_.size()); ++h) {
      if (here_[at(h)] != 0) groups.emplace_back(glued.find(h), h);
    }
    std::sort(groups.begin(), groups.end());
    for (std::size_t begin = 0, end = 0; begin < groups.size(); begin = end) {
      std::vector<Index> voxels;
      for (; end < groups.size() && groups[end].first == groups[begin].first; ++end)
        voxels.push_back(side_of(groups[end].second).voxel);
      const Index h = groups[begin].first;
      const VoxelLink& side = side_of(h);
      const Index vertex =
          take_vertex(corner_place(links_, side.voxel, face_corners(side.direction)[at(h % 4)]), std::move(voxels));
      for (std::size_t i = begin; i < end; ++i) vertex_[at(groups[i].second)] = vertex;
    }
  }

  /// Two edges with the same ends get a vertex in their middle each.
  void place_middles() {
    std::vector<std::pair<Edge, Index>> edges;
    for (Index h = 0; h < static_cast<Index>(mates_.size()); ++h) {
      if (!is_here(h)) continue;
      middle_[at(h)] = none;
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
    for (const Index h : doubled) {
      if (middle_[at(h)] != none) continue;
      Place place{};
      for (std::size_t k = 0; k < 3; ++k) {
        place[k] =
            (surface_.vertices[at(vertex_[at(h)])].place[k] + surface_.vertices[at(vertex_[at(next(h))])].place[k]) / 2;
      }
      const Index mate = mates_[at(h)];
      middle_[at(h)] = middle_[at(mate)] = take_vertex(place, {side_of(h).voxel, side_of(mate).voxel});
    }
  }

  void place_centers() {
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      if (center_[s] != none) continue;
      const VoxelLink& side = surface_.sides[at(sides_[s])];
      center_[s] = static_cast<Index>(surface_.vertices.size());
      surface_.vertices.push_back({middle_of_face(links_, side), {side.voxel}});
    }
  }

  void place_triangles(std::vector<Index>& placed) {
    std::vector<Index> free;
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      for (std::size_t i = 0; i < 4; ++i) {
        Index& second = surface_.triangles_of_side[at(sides_[s])][2 * i + 1];
        if (second == none || middle_[4 * s + i] != none) continue;
        free.push_back(second);
        second = none;
      }
    }
    std::sort(free.begin(), free.end(), std::greater<>());
    const auto place = [&](Index side, std::size_t entry, const Triangle& triangle) {
      Index& number = surface_.triangles_of_side[at(side)][entry];
      if (number == none && !free.empty()) {
        number = free.back();
        free.pop_back();
      } else if (number == none) {
        number = static_cast<Index>(surface_.triangles.size());
        surface_.triangles.emplace_back();
        surface_.side_of_triangle.emplace_back();
      }
      surface_.triangles[at(number)] = triangle;
      surface_.side_of_triangle[at(number)] = side;
      placed.push_back(number);
    };
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      for (std::size_t i = 0; i < 4; ++i) {
        const Index a = vertex_[4 * s + i];
        const Index b = vertex_[4 * s + (i + 1) % 4];
        const Index middle = middle_[4 * s + i];
        place(sides_[s], 2 * i, {a, middle == none ? b : middle, center_[s]});
        if (middle != none) place(sides_[s], 2 * i + 1, {middle, b, center_[s]});
      }
    }
    for (const Index hole : free) fill_with_last(hole);
    placed.insert(placed.end(), free.begin(), free.end());
    std::sort(placed.begin(), placed.end());
    std::erase_if(placed, [&](Index t) { return at(t) >= surface_.triangles.size(); });
  }

  /// `hole` is higher than all that are left.
  void fill_with_last(Index hole) {
    const Index last = static_cast<Index>(surface_.triangles.size()) - 1;
    if (hole != last) {
      surface_.triangles[at(hole)] = surface_.triangles[at(last)];
      const Index side = surface_.side_of_triangle[at(hole)] = surface_.side_of_triangle[at(last)];
      SideTriangles& own = surface_.triangles_of_side[at(side)];
      *std::find(own.begin(), own.end(), last) = hole;
    }
    surface_.triangles.pop_back();
    surface_.side_of_triangle.pop_back();
  }

  const VoxelLinks& links_;
  std::span<const Place> corners_;
  LinkSurface& surface_;
  std::vector<Index> sides_;                      // ascending by voxel and direction
  std::map<std::pair<Index, int>, Index> local_;  // place in `sides_` of voxel and direction
  std::vector<std::uint8_t> here_;                // of each corner of a side: it is one of those of the cut
  std::vector<Index> mates_;                      // of each edge of a side, as in SurfaceMaker
  std::vector<Index> vertex_;
  std::vector<Index> middle_;
  std::vector<Index> center_;                       // of each side
  std::set<Index> old_;                             // vertices there were
  std::map<std::pair<Place, Index>, Index> known_;  // vertex that a voxel had at a place
  std::set<Index> taken_;
};

}  // namespace

std::vector<Index> sides_at(const VoxelLinks& links, const LinkSurface& surface, std::span<const Place> corners) {
  std::vector<std::tuple<Index, int, Index>> found;
  for (const Place& corner : corners) {
    for (std::size_t o = 0; o < 8; ++o) {
      Place cell = corner;
      for (std::size_t k = 0; k < 3; ++k) cell[k] += static_cast<std::int32_t>(o >> k & 1) - 1;
      const Index voxel = links.find(cell);
      if (voxel == none) continue;
      for (int k = 0; k < 3; ++k) {
        const int direction = 2 * k + ((o >> static_cast<unsigned>(k) & 1) == 0 ? 1 : 0);
        if (links.joined(voxel, direction)) continue;
        if (const Index side = surface.side(voxel, direction); side != none) found.emplace_back(voxel, direction, side);
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<Index> sides;
  sides.reserve(found.size());
  for (const auto& entry : found) sides.push_back(std::get<2>(entry));
  return sides;
}

std::vector<Index> vertices_at(const LinkSurface& surface, std::span<const Index> sides,
                               std::span<const Place> corners) {
  std::vector<Index> vertices;
  for (const Index side : sides) {
    std::array<Index, 4> corner{};
    std::array<bool, 4> here{};
    for (std::size_t i = 0; i < 4; ++i) {
      corner[i] = corner_of(surface, side, i);
      here[i] = has_corner(corners, surface.vertices[at(corner[i])].place);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      if (here[i]) vertices.push_back(corner[i]);
      const Index middle = middle_of(surface, side, i);
      if (middle != none && (here[i] || here[(i + 1) % 4])) vertices.push_back(middle);
    }
    vertices.push_back(center_of(surface, side));
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

LinkSurfaceChange update_surface(const VoxelLinks& links, std::span<const VoxelLink> cut,
                                 std::span<const Place> corners, LinkSurface& surface) {
  return LinkSurfaceEditor(links, cut, corners, surface).run();
}

}  // namespace carom::mesh
