#include "mesh/voxel_links.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <random>

#include "carom/detect/intersect.hpp"
#include "mesh/link_surface.hpp"

namespace carom::mesh {
namespace {

using Eigen::Vector3d;
using Cell = std::array<std::int32_t, 3>;

std::vector<Cell> block(int nx, int ny, int nz) {
  std::vector<Cell> cells;
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) cells.push_back({x, y, z});
    }
  }
  return cells;
}

std::vector<Vector3d> centers(const VoxelLinks& links) {
  std::vector<Vector3d> list;
  for (Index v = 0; v < static_cast<Index>(links.voxel_count()); ++v)
    list.emplace_back(links.cell(v)[0] + 0.5, links.cell(v)[1] + 0.5, links.cell(v)[2] + 0.5);
  return list;
}

TriangleMesh mesh_of(const LinkSurface& surface, const VoxelLinks& links, double kerf) {
  return {positions_of(surface, links, kerf), surface.triangles};
}

/// Number of parts by a plain flood fill.
std::size_t flood_fill(const VoxelLinks& links) {
  std::vector<int> seen(links.voxel_count(), 0);
  std::size_t count = 0;
  for (std::size_t start = 0; start < seen.size(); ++start) {
    if (seen[start] != 0) continue;
    ++count;
    std::vector<Index> stack{static_cast<Index>(start)};
    while (!stack.empty()) {
      const Index v = stack.back();
      stack.pop_back();
      if (std::exchange(seen[static_cast<std::size_t>(v)], 1) != 0) continue;
      for (int d = 0; d < direction_count; ++d) {
        if (links.joined(v, d)) stack.push_back(links.neighbor(v, d));
      }
    }
  }
  return count;
}

/// Closed, manifold, oriented, with the volume of the voxels; a kerf makes it free of intersections.
void expect_solid(const VoxelLinks& links) {
  const LinkSurface surface = make_surface(links);
  const MeshReport report = inspect(mesh_of(surface, links, 0));
  RC_ASSERT(report.watertight());
  RC_ASSERT(report.manifold());
  RC_ASSERT(report.oriented());
  RC_ASSERT(std::abs(report.volume - static_cast<double>(links.voxel_count())) < 1e-9);
  const TriangleMesh opened = mesh_of(surface, links, 0.05);
  RC_ASSERT(intersections(Surface(opened.positions.size(), opened.triangles), opened.positions).empty());
}

TEST(VoxelLinks, EveryPatternOfCutsHasAClosedManifoldSurface) {
  EXPECT_TRUE(rc::check("voxels and cuts at random", [] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    const double fill = std::array{1.0, 1.0, 0.6, 0.9}[random() % 4];
    const double cuts = std::array{0.05, 0.3, 0.7}[random() % 3];
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<Cell> cells = block(4, 4, 4);
    std::erase_if(cells, [&](const Cell&) { return uniform(random) > fill; });
    if (cells.empty()) return;
    VoxelLinks links(cells);
    for (Index v = 0; v < static_cast<Index>(links.voxel_count()); ++v) {
      for (int d = 1; d < direction_count; d += 2) {
        if (uniform(random) < cuts) links.cut(v, d);
      }
    }
    expect_solid(links);
    // Nodes: as many copies of a corner as there are parts of the voxels around it.
    const LinkNodes nodes = make_nodes(links);
    std::map<std::pair<Cell, Index>, int> uses;
    for (Index v = 0; v < static_cast<Index>(links.voxel_count()); ++v) {
      for (std::size_t c = 0; c < 8; ++c) {
        const Index node = nodes.corners[static_cast<std::size_t>(v)][c];
        const Cell place = nodes.places[static_cast<std::size_t>(node)];
        for (std::size_t k = 0; k < 3; ++k)
          RC_ASSERT(place[k] == links.cell(v)[k] + static_cast<std::int32_t>(c >> k & 1));
        ++uses[{place, node}];
      }
    }
    RC_ASSERT(uses.size() == nodes.places.size());
  }));
}

TEST(VoxelLinks, EveryBladeLeavesSolidsAndAsManyPartsAsAFloodFillSays) {
  EXPECT_TRUE(rc::check("blades at random, crossing earlier cuts", [] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::uniform_real_distribution<double> place(-1, 6);
    VoxelLinks links(block(5, 4, 5));
    const std::vector<Vector3d> middles = centers(links);
    std::size_t parts = 1;
    for (int stroke = 0; stroke < 4; ++stroke) {
      const auto point = [&]() -> Vector3d {
        const double x = place(random);
        const double y = place(random);
        const double z = place(random);
        return {x, y, z};
      };
      const std::vector<Vector3d> start{point(), point(), point()};
      const std::vector<Vector3d> end{point(), point(), point()};
      const std::vector<VoxelLink> crossed = crossed_links(links, middles, middles, {start, end});
      const std::vector<Index> before = parts_of(links);
      for (const VoxelLink& link : crossed) RC_ASSERT(links.cut(link.voxel, link.direction));
      std::map<Index, std::vector<VoxelLink>> cuts;  // of each part that there was
      for (const VoxelLink& link : crossed) cuts[before[static_cast<std::size_t>(link.voxel)]].push_back(link);
      std::vector<std::vector<Index>> off;
      for (const auto& [part, list] : cuts) {
        for (auto& voxels : parts_that_came_off(links, list)) off.push_back(std::move(voxels));
      }
      parts += off.size();
      RC_ASSERT(parts == flood_fill(links));
      const std::vector<Index> numbers = parts_of(links);
      for (const std::vector<Index>& part : off) {
        const Index number = numbers[static_cast<std::size_t>(part[0])];
        RC_ASSERT(std::count(numbers.begin(), numbers.end(), number) == static_cast<std::ptrdiff_t>(part.size()));
        for (const Index v : part) RC_ASSERT(numbers[static_cast<std::size_t>(v)] == number);
      }
      expect_solid(links);
    }
  }));
}

using NamedVertex = std::pair<Cell, std::vector<Index>>;

/// Triangles by the places and voxels of their corners, and the side that each is on.
std::multimap<std::array<NamedVertex, 3>, std::pair<Index, int>> named_triangles(const LinkSurface& surface) {
  std::multimap<std::array<NamedVertex, 3>, std::pair<Index, int>> named;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    std::array<NamedVertex, 3> corners;
    for (std::size_t k = 0; k < 3; ++k) {
      const LinkVertex& v = surface.vertices[static_cast<std::size_t>(surface.triangles[t][k])];
      corners[k] = {v.place, v.voxels};
    }
    const VoxelLink& side = surface.sides[static_cast<std::size_t>(surface.side_of_triangle[t])];
    named.emplace(corners, std::pair(side.voxel, side.direction));
  }
  return named;
}

std::size_t live_vertices(const LinkSurface& surface) {
  return static_cast<std::size_t>(std::count_if(surface.vertices.begin(), surface.vertices.end(),
                                                [](const LinkVertex& v) { return !v.voxels.empty(); }));
}

TEST(VoxelLinks, SurfaceThatFollowsCutsIsThatMadeAnew) {
  EXPECT_TRUE(rc::check("voxels and cuts at random, a few at a time", [] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    const double fill = std::array{1.0, 0.6, 0.9}[random() % 3];
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<Cell> cells = block(4, 4, 4);
    std::erase_if(cells, [&](const Cell&) { return uniform(random) > fill; });
    if (cells.empty()) return;
    VoxelLinks links(cells);
    LinkSurface surface = make_surface(links);
    for (int round = 0; round < 8; ++round) {
      const double share = std::array{0.01, 0.1, 0.5}[random() % 3];
      std::vector<VoxelLink> cut;
      std::vector<Cell> corners;
      for (Index v = 0; v < static_cast<Index>(links.voxel_count()); ++v) {
        for (int d = 0; d < direction_count; ++d) {
          if (uniform(random) > share || !links.cut(v, d)) continue;
          cut.push_back({v, d});
          for (int c = 0; c < 8; ++c) {
            if ((c >> (d / 2) & 1) != d % 2) continue;
            const Cell& cell = links.cell(v);
            corners.push_back({cell[0] + (c & 1), cell[1] + (c >> 1 & 1), cell[2] + (c >> 2 & 1)});
          }
        }
      }
      std::sort(corners.begin(), corners.end());
      corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
      const LinkSurface before = surface;
      const LinkSurfaceChange change = update_surface(links, cut, corners, surface);
      const LinkSurface made = make_surface(links);
      RC_ASSERT(named_triangles(surface) == named_triangles(made));
      RC_ASSERT(surface.sides.size() == made.sides.size());
      RC_ASSERT(live_vertices(surface) == made.vertices.size());
      for (std::size_t s = 0; s < surface.sides.size(); ++s) {
        const VoxelLink& side = surface.sides[s];
        RC_ASSERT(surface.side(side.voxel, side.direction) == static_cast<Index>(s));
        RC_ASSERT(surface.is_cut[s] == made.is_cut[static_cast<std::size_t>(made.side(side.voxel, side.direction))]);
        for (const Index t : surface.triangles_of_side[s]) {
          if (t == none) continue;
          RC_ASSERT(surface.side_of_triangle[static_cast<std::size_t>(t)] == static_cast<Index>(s));
        }
      }
      for (const Index v : change.gone) RC_ASSERT(surface.vertices[static_cast<std::size_t>(v)].voxels.empty());
      // What has no corner at the cut is as it was, but for the last triangles, which may fill gaps.
      const auto at_cut = [&](Index v) {
        const Cell& place = before.vertices[static_cast<std::size_t>(v)].place;
        const Cell corner{place[0] / 2, place[1] / 2, place[2] / 2};
        const bool is_corner = place[0] % 2 == 0 && place[1] % 2 == 0 && place[2] % 2 == 0;
        return !is_corner || std::binary_search(corners.begin(), corners.end(), corner);
      };
      for (std::size_t v = 0; v < before.vertices.size(); ++v) {
        RC_ASSERT(surface.vertices[v].place == before.vertices[v].place);
        if (!at_cut(static_cast<Index>(v))) RC_ASSERT(surface.vertices[v].voxels == before.vertices[v].voxels);
      }
      if (surface.triangles.size() < before.triangles.size()) continue;
      for (std::size_t t = 0; t < before.triangles.size(); ++t) {
        const Triangle& corners_of = before.triangles[t];
        if (!at_cut(corners_of[0]) && !at_cut(corners_of[1])) RC_ASSERT(surface.triangles[t] == corners_of);
      }
    }
  }));
}

TEST(VoxelLinks, PlaneOfABladeCutsTheBlockInTwo) {
  for (const double speed : {1.0, 0.01}) {  // one step, or a hundred
    VoxelLinks links(block(6, 5, 4));
    const std::vector<Vector3d> middles = centers(links);
    const int steps = static_cast<int>(1 / speed);
    std::size_t count = 0;
    for (int i = 0; i < steps; ++i) {
      const auto chain = [&](double t) { return std::vector<Vector3d>{{3.1, -1, -1 + 7 * t}, {3.1, 7, -1 + 7 * t}}; };
      const auto crossed = crossed_links(links, middles, middles, {chain(i * speed), chain((i + 1) * speed)});
      for (const VoxelLink& link : crossed) EXPECT_EQ(link.direction, 1);
      for (const VoxelLink& link : crossed) count += links.cut(link.voxel, link.direction) ? 1 : 0;
    }
    EXPECT_EQ(count, 20U);  // 5 by 4 links
    EXPECT_EQ(flood_fill(links), 2U);
    // Halves mirror each other: as many voxels, faces and volume on both sides.
    const std::vector<Index> parts = parts_of(links);
    EXPECT_EQ(std::count(parts.begin(), parts.end(), 0), 60);
    const LinkSurface surface = make_surface(links);
    EXPECT_EQ(std::count(surface.is_cut.begin(), surface.is_cut.end(), 1), 40);
    std::array<std::size_t, 2> sides{};
    for (const VoxelLink& side : surface.sides)
      ++sides[static_cast<std::size_t>(parts[static_cast<std::size_t>(side.voxel)])];
    EXPECT_EQ(sides[0], sides[1]);
  }
}

TEST(VoxelLinks, OneCutLinkIsASlitThatSeparatesNothing) {
  VoxelLinks links(block(3, 3, 3));
  ASSERT_TRUE(links.cut(13, 1));
  EXPECT_FALSE(links.cut(13, 1));
  const std::vector<VoxelLink> cut{{13, 1}};
  EXPECT_TRUE(parts_that_came_off(links, cut).empty());
  const LinkSurface surface = make_surface(links);
  const MeshReport report = inspect(mesh_of(surface, links, 0.05));
  EXPECT_TRUE(report.watertight() && report.manifold() && report.oriented());
  EXPECT_EQ(report.components, 2U);  // outside, and the slit
  EXPECT_EQ(make_nodes(links).places.size(), 64U);
}

}  // namespace
}  // namespace carom::mesh
