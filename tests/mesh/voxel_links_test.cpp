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
